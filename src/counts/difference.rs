//! The first difference between two tables.

use super::row::Column;
use super::row::Row;
use super::table::Table;

/// The first difference of two tables.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Sum of the part.
    pub sum: u32,
    /// Its largest tile.
    pub max_tile: u32,
    /// How the tables differ in this part.
    pub kind: Differs,
}

/// How two tables differ in a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Differs {
    /// In a column: its name, and its text in the first and in the second table.
    In(&'static str, String, String),
    /// Only the first has the part.
    OnlyFirst,
    /// Only the second has the part.
    OnlySecond,
}

impl Table {
    /// The first part, in order of sum and largest tile, in which two tables differ in a column
    /// that both have. A part without counts equals a missing part. `None` if the tables agree.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<Difference> {
        let (one, two) = (self.only(other.columns()), other.only(self.columns()));
        let (mut ours, mut theirs) = (one.rows().iter(), two.rows().iter());
        loop {
            let (a, b) = (ours.next(), theirs.next());
            // The end of a table comes after every row.
            let key =
                |row: Option<&Row>| row.map_or((true, 0, 0), |row| (false, row.sum, row.max_tile));
            let (_, sum, max_tile) = key(a).min(key(b));
            let kind = match (a, b) {
                (None, None) => return None,
                (Some(a), Some(b)) if key(Some(a)) == key(Some(b)) => {
                    let differs = |&column: &Column| a.number(column) != b.number(column);
                    let Some(column) = Column::ALL.into_iter().find(differs) else {
                        continue;
                    };
                    Differs::In(column.name(), a.text(column), b.text(column))
                }
                (a, b) if key(a) < key(b) => Differs::OnlyFirst,
                _ => Differs::OnlySecond,
            };
            return Some(Difference {
                sum,
                max_tile,
                kind,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::Columns;
    use super::*;

    const WHOLE: &str = include_str!("../../tests/data/v1/2x2-32/layers.csv");

    #[test]
    fn the_first_difference_is_named() {
        let row = |sum, max_tile, live| Row {
            sum,
            max_tile,
            live,
            ..Row::default()
        };
        let table = |rows: &[Row]| Table::new(rows.iter().copied());
        let rows = [row(4, 2, 2), row(6, 2, 1), row(6, 4, 2)];
        let whole = table(&rows);
        assert_eq!(whole.difference(&whole), None);
        let of = |other: &Table| {
            let Difference {
                sum,
                max_tile,
                kind,
            } = whole.difference(other).unwrap();
            (sum, max_tile, kind)
        };
        assert_eq!(of(&table(&rows[..2])), (6, 4, Differs::OnlyFirst));
        assert_eq!(of(&table(&[rows[0], rows[2]])), (6, 2, Differs::OnlyFirst));
        let more = table(&[rows[0], row(4, 4, 1), rows[1], rows[2]]);
        assert_eq!(of(&more), (4, 4, Differs::OnlySecond));
        let other = table(&[rows[0], row(6, 2, 3), row(6, 4, 9)]);
        let in_live = Differs::In("live", "1".to_owned(), "3".to_owned());
        assert_eq!(of(&other), (6, 2, in_live));
    }

    #[test]
    fn columns_that_only_one_table_has_are_not_compared() {
        let whole = Table::read_csv(WHOLE.as_bytes()).unwrap();
        let cut = |line: &str| line.split(',').take(7).collect::<Vec<_>>().join(",") + "\n";
        let short: String = WHOLE.lines().map(cut).collect();
        let short = Table::read_csv(short.as_bytes()).unwrap();
        assert_eq!(whole.difference(&short), None);
        assert_eq!(short.difference(&whole), None);
        // The column `live` alone has no row for parts whose states are all dead.
        let live = whole.only(Columns::of(&[Column::Sum, Column::MaxTile, Column::Live]));
        assert!(live.rows().len() < whole.rows().len());
        assert_eq!(whole.difference(&live), None);
        assert_eq!(live.difference(&whole), None);
    }
}

//! The table of a count: a row for each part, their totals, and the first difference to another
//! table.

mod read;
mod row;

use std::collections::BTreeMap;
use std::io::{self, Write};

pub use self::row::{Column, Columns, Row};
use crate::game::PartKey;
use crate::part::Fingerprint;

/// Totals of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Canonical states with a legal move.
    pub live: u64,
    /// Canonical states without a legal move.
    pub dead: u64,
    /// Boards that the live and dead states represent, symmetric images included.
    pub labeled: u64,
    /// Canonical afterstates without the winning tile.
    pub afterstates: u64,
    /// Number of sums with a state.
    pub layers: u64,
    /// Whether any move makes the winning tile.
    pub win: bool,
    /// Fingerprint of all live states.
    pub fingerprint: Fingerprint,
}

impl Totals {
    /// Whether the game can be lost: some state is dead.
    pub fn loss(&self) -> bool {
        self.dead > 0
    }

    /// Live and dead states.
    pub fn states(&self) -> u64 {
        self.live + self.dead
    }

    /// The total in the convention of Lees-Miller (2017): live states, plus one if the win can be
    /// reached, plus one if the loss can be reached.
    pub fn total(&self) -> u64 {
        self.live + u64::from(self.win) + u64::from(self.loss())
    }
}

/// The rows of a count in order of sum, then largest tile, without empty rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    rows: Vec<Row>,
    columns: Columns,
}

impl Table {
    /// A table with all columns. The `rows` must be in order; empty rows are left out.
    pub fn new(rows: impl IntoIterator<Item = Row>) -> Self {
        Self {
            rows: rows.into_iter().filter(|row| !row.is_empty()).collect(),
            columns: Columns::ALL,
        }
    }

    /// The columns of the table. A table from another program may lack some; every row holds 0 in
    /// them.
    pub fn columns(&self) -> Columns {
        self.columns
    }

    /// The table restricted to these columns.
    pub fn only(&self, columns: Columns) -> Self {
        let columns = columns.and(self.columns);
        let rows = self.rows.iter().filter_map(|row| row.only(columns));
        Self {
            rows: rows.collect(),
            columns,
        }
    }

    /// The rows, in order of sum, then largest tile.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows with sums up to `sum`, or all rows.
    pub fn until(&self, sum: Option<u32>) -> Self {
        let last = sum.unwrap_or(u32::MAX);
        let rows = self.rows.iter().copied().filter(|row| row.sum <= last);
        Self {
            rows: rows.collect(),
            columns: self.columns,
        }
    }

    /// The rows of one sum.
    pub fn layer(&self, sum: u32) -> &[Row] {
        let from = self.rows.partition_point(|row| row.sum < sum);
        let to = self.rows.partition_point(|row| row.sum <= sum);
        &self.rows[from..to]
    }

    /// The row of a part; an empty row if the table has none.
    pub fn row(&self, key: PartKey) -> Row {
        Row::among(self.layer(key.sum), key)
    }

    /// Sum of the last row, or 2 if the table has no rows.
    pub fn last_sum(&self) -> u32 {
        self.rows.last().map_or(2, |row| row.sum)
    }

    /// Add up all rows.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        let mut last = None;
        for row in &self.rows {
            // A table from another program may hold any numbers.
            totals.live = totals.live.saturating_add(row.live);
            totals.dead = totals.dead.saturating_add(row.dead);
            totals.labeled = totals.labeled.saturating_add(row.labeled);
            totals.afterstates = totals.afterstates.saturating_add(row.afterstates);
            totals.fingerprint += row.fingerprint;
            totals.win |= row.wins > 0;
            if row.states() > 0 && last != Some(row.sum) {
                totals.layers += 1;
                last = Some(row.sum);
            }
        }
        totals
    }

    /// The first part, in order of sum and largest tile, in which two tables differ in a column
    /// that both have. A part without counts equals a missing part. `None` if the tables agree.
    pub fn difference(&self, other: &Self) -> Option<Difference> {
        let (one, two) = (self.only(other.columns()), other.only(self.columns()));
        let mut parts: BTreeMap<(u32, u32), [Option<&Row>; 2]> = BTreeMap::new();
        for (table, rows) in [&one.rows, &two.rows].into_iter().enumerate() {
            for row in rows {
                parts.entry((row.sum, row.max_tile)).or_default()[table] = Some(row);
            }
        }
        parts.into_iter().find_map(|((sum, max_tile), rows)| {
            let kind = match rows {
                [Some(a), Some(b)] => {
                    let differs = |&column: &Column| a.number(column) != b.number(column);
                    let column = Column::ALL.into_iter().find(differs)?;
                    Differs::In(column.name(), a.text(column), b.text(column))
                }
                [Some(_), None] => Differs::OnlyFirst,
                [None, _] => Differs::OnlySecond,
            };
            Some(Difference {
                sum,
                max_tile,
                kind,
            })
        })
    }

    /// Write the table as CSV with a header line.
    ///
    /// # Errors
    ///
    /// If `to` cannot be written.
    pub fn write_csv(&self, mut to: impl Write) -> io::Result<()> {
        let names: Vec<&str> = self.columns.iter().map(Column::name).collect();
        writeln!(to, "{}", names.join(","))?;
        for row in &self.rows {
            let fields = self.columns.iter().map(|column| row.text(column));
            writeln!(to, "{}", fields.collect::<Vec<String>>().join(","))?;
        }
        to.flush()
    }

    /// The bytes that [`Table::write_csv`] writes.
    pub fn to_csv(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_csv(&mut bytes)
            .expect("numbers are written to memory");
        bytes
    }
}

/// The first difference of two tables.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Sum of the part.
    pub sum: u32,
    /// Largest tile of the part.
    pub max_tile: u32,
    /// How the tables differ in this part.
    pub kind: Differs,
}

/// How two tables differ in a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Differs {
    /// In a column: its name, its text in the first table, and its text in the second table.
    In(&'static str, String, String),
    /// Only the first has the part.
    OnlyFirst,
    /// Only the second has the part.
    OnlySecond,
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = include_str!("../../tests/data/v1/2x2-32/layers.csv");

    #[test]
    fn an_empty_table_still_has_its_header() {
        let mut out = Vec::new();
        Table::new([]).write_csv(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "sum,max_tile,live,dead,labeled,afterstates,fingerprint,\
             empty_cells,candidates,duplicates,moves,wins\n"
        );
    }

    #[test]
    fn totals_count_a_layer_once_and_cut_at_a_sum() {
        let row = |sum, max_tile, live, dead, wins| Row {
            sum,
            max_tile,
            live,
            dead,
            wins,
            ..Row::default()
        };
        let table = Table::new([
            row(4, 2, 5, 0, 0),
            row(6, 2, 1, 0, 0),
            row(6, 4, 2, 1, 1),
            row(8, 4, 0, 0, 0),
        ]);
        let totals = table.totals();
        assert_eq!((totals.live, totals.layers, totals.total()), (8, 2, 10));
        let early = table.until(Some(4)).totals();
        assert_eq!((early.live, early.win, early.total()), (5, false, 5));
    }

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

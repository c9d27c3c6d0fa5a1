//! The table of a count: a row for each part, and what the rows add up to.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::run::Fingerprint;

/// A part's counts: all canonical states of one sum and largest tile. The fields are the columns of
/// `layers.csv`, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Sum of the tiles.
    pub sum: u32,
    /// Largest tile, as a value.
    pub max_tile: u32,
    /// Canonical states with a legal move.
    pub live: u64,
    /// Canonical states without one.
    pub dead: u64,
    /// Boards that the live and dead states stand for: the sum of their orbit sizes.
    pub labeled: u64,
    /// Canonical afterstates of this sum and largest tile, winning ones left out.
    pub afterstates: u64,
    /// Fingerprint of the live states.
    pub fingerprint: Fingerprint,
    /// Empty cells of the afterstates: each is a place to spawn a 2 and a 4 in.
    #[serde(default)]
    pub empty_cells: u64,
    /// States that spawns and starts made, repeats included.
    #[serde(default)]
    pub candidates: u64,
    /// Candidates that were dropped because they had come before.
    #[serde(default)]
    pub duplicates: u64,
    /// Legal moves of the live states, winning ones among them.
    #[serde(default)]
    pub moves: u64,
    /// Moves that make the winning tile.
    #[serde(default)]
    pub wins: u64,
}

impl Row {
    /// Live and dead states.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.live.saturating_add(self.dead)
    }

    /// The row as it stands in a CSV.
    fn fields(&self) -> [String; COLUMNS.len()] {
        [
            self.sum.to_string(),
            self.max_tile.to_string(),
            self.live.to_string(),
            self.dead.to_string(),
            self.labeled.to_string(),
            self.afterstates.to_string(),
            self.fingerprint.to_string(),
            self.empty_cells.to_string(),
            self.candidates.to_string(),
            self.duplicates.to_string(),
            self.moves.to_string(),
            self.wins.to_string(),
        ]
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live == 0 && self.dead == 0 && self.labeled == 0 && self.afterstates == 0
    }
}

/// What a count, or the layers of one up to some sum, adds up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Canonical states with a legal move.
    pub live: u64,
    /// Canonical states without one.
    pub dead: u64,
    /// Boards that they stand for.
    pub labeled: u64,
    /// Canonical afterstates, winning ones left out.
    pub afterstates: u64,
    /// Sums that have a state.
    pub layers: u64,
    /// Whether a move to the winning tile was met.
    pub win: bool,
    /// Fingerprint of all live states.
    pub fingerprint: Fingerprint,
}

impl Totals {
    /// Whether a loss was met.
    #[must_use]
    pub fn loss(&self) -> bool {
        self.dead > 0
    }

    /// Live and dead states.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.live + self.dead
    }

    /// The published convention of Lees-Miller (2017): live states, one more for the win and one
    /// for the loss, each if it can be reached.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.live + u64::from(self.win) + u64::from(self.loss())
    }
}

/// Where two tables differ first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Sum of the part.
    pub sum: u32,
    /// Its largest tile.
    pub max_tile: u32,
    /// How they differ.
    pub kind: Differs,
}

/// How two tables differ in a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Differs {
    /// In a column: its name, and what stands in the first table and in the second.
    In(&'static str, String, String),
    /// Only the first has the part.
    OnlyFirst,
    /// Only the second has the part.
    OnlySecond,
}

/// The rows of a count in order of sum, then largest tile, without empty ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    rows: Vec<Row>,
    has_flow: bool,
}

impl Table {
    /// A table of `rows` in order; empty ones are left out.
    pub fn new(rows: impl IntoIterator<Item = Row>) -> Self {
        Self {
            rows: rows.into_iter().filter(|row| !row.is_empty()).collect(),
            has_flow: true,
        }
    }

    /// Whether the columns after the fingerprint are there: what flowed between the parts. A table
    /// that another program wrote may have only the columns up to it; the others are then 0.
    #[must_use]
    pub fn has_flow(&self) -> bool {
        self.has_flow
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The table of the layers up to `sum`.
    #[must_use]
    pub fn until(&self, sum: Option<u32>) -> Self {
        let last = sum.unwrap_or(u32::MAX);
        let rows = self.rows.iter().copied().filter(|row| row.sum <= last);
        Self {
            rows: rows.collect(),
            has_flow: self.has_flow,
        }
    }

    /// The rows of one sum.
    #[must_use]
    pub fn layer(&self, sum: u32) -> &[Row] {
        let from = self.rows.partition_point(|row| row.sum < sum);
        let to = self.rows.partition_point(|row| row.sum <= sum);
        &self.rows[from..to]
    }

    /// Sum of the last row, 2 if there is none.
    #[must_use]
    pub fn last_sum(&self) -> u32 {
        self.rows.last().map_or(2, |row| row.sum)
    }

    /// What the rows add up to.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        let mut last = None;
        for row in &self.rows {
            // A table from elsewhere may hold any numbers.
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

    /// The first part, in order of sum and largest tile, in which two tables differ: in a column that
    /// both have, or in being there.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<Difference> {
        let columns = if self.has_flow && other.has_flow {
            COLUMNS.len()
        } else {
            SHORT
        };
        let (mut ours, mut theirs) = (self.rows.iter(), other.rows.iter());
        loop {
            let (a, b) = (ours.next(), theirs.next());
            let key =
                |row: Option<&Row>| row.map_or((u32::MAX, u32::MAX), |row| (row.sum, row.max_tile));
            let (sum, max_tile) = key(a).min(key(b));
            let kind = match (a, b) {
                (None, None) => return None,
                (Some(a), Some(b)) if key(Some(a)) == key(Some(b)) => {
                    let (a, b) = (a.fields(), b.fields());
                    let Some(at) = (0..columns).find(|&at| a[at] != b[at]) else {
                        continue;
                    };
                    Differs::In(COLUMNS[at], a[at].clone(), b[at].clone())
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

    /// Write as CSV with a header line.
    pub fn write_csv(&self, to: impl Write) -> io::Result<()> {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(to);
        writer.write_record(COLUMNS).map_err(io_error)?;
        for row in &self.rows {
            writer.write_record(row.fields()).map_err(io_error)?;
        }
        writer.flush()
    }

    /// The bytes that [`Table::write_csv`] writes.
    #[must_use]
    pub fn to_csv(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_csv(&mut bytes)
            .expect("numbers are written to memory");
        bytes
    }

    /// Read what [`Table::write_csv`] wrote, or what another program wrote with the columns up to
    /// the fingerprint at least. Rows stay as they are and where they are.
    pub fn read_csv(from: impl Read) -> csv::Result<Self> {
        let mut reader = csv::Reader::from_reader(from);
        let header = reader.headers()?;
        let has = |column: &&&str| header.iter().any(|found| found == **column);
        if let Some(missing) = COLUMNS[..SHORT].iter().find(|column| !has(column)) {
            let what = format!("column {missing} is missing");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what).into());
        }
        let has_flow = COLUMNS.iter().filter(has).count() == COLUMNS.len();
        let rows: csv::Result<Vec<Row>> = reader.deserialize().collect();
        let rows = rows?;
        Ok(Self { rows, has_flow })
    }
}

/// The system's error, where there is one, so that its kind can be asked for.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Columns that every table has; those after them are extensions.
const SHORT: usize = 7;

/// The columns of the CSV. They are a contract: new ones go to the end.
const COLUMNS: [&str; 12] = [
    "sum",
    "max_tile",
    "live",
    "dead",
    "labeled",
    "afterstates",
    "fingerprint",
    "empty_cells",
    "candidates",
    "duplicates",
    "moves",
    "wins",
];

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "sum,max_tile,live,dead,labeled,afterstates,fingerprint,\
                         empty_cells,candidates,duplicates,moves,wins\n\
                         4,2,2,0,6,1,f8b92427b13a4593,2,2,0,7,0\n";

    #[test]
    fn the_documented_first_row_is_written_and_read() {
        let table = Table::read_csv(FIRST.as_bytes()).unwrap();
        let row = table.rows()[0];
        assert_eq!((row.sum, row.max_tile, row.live, row.labeled), (4, 2, 2, 6));
        let mut out = Vec::new();
        table.write_csv(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), FIRST);
    }

    #[test]
    fn a_table_without_the_later_columns_is_read_and_says_so() {
        let short = "sum,max_tile,live,dead,labeled,afterstates,fingerprint\n\
                     4,2,2,0,6,1,f8b92427b13a4593\n";
        let short = Table::read_csv(short.as_bytes()).unwrap();
        assert!(!short.has_flow());
        let whole = Table::read_csv(FIRST.as_bytes()).unwrap();
        assert!(whole.has_flow());
        assert_eq!(short.rows()[0].fingerprint, whole.rows()[0].fingerprint);
        assert!(Table::read_csv("sum,max_tile\n4,2\n".as_bytes()).is_err());
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
        let whole = Table::read_csv(FIRST.as_bytes()).unwrap();
        let cut = |line: &str| line.split(',').take(7).collect::<Vec<_>>().join(",") + "\n";
        let short: String = FIRST.lines().map(cut).collect();
        let short = Table::read_csv(short.as_bytes()).unwrap();
        assert_eq!(whole.difference(&short), None);
        assert_eq!(short.difference(&whole), None);
    }

    #[test]
    fn an_empty_table_still_has_its_header() {
        let mut out = Vec::new();
        Table::new([]).write_csv(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap().lines().collect::<Vec<_>>(),
            [FIRST.lines().next().unwrap()]
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
}

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
}

impl Row {
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

/// The rows of a count in order of sum, then largest tile, without empty ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    rows: Vec<Row>,
    /// Sum of the first state from which a move wins, if any does.
    first_win: Option<u32>,
}

impl Table {
    /// A table of `rows` in order; empty ones are left out.
    pub fn new(rows: impl IntoIterator<Item = Row>, first_win: Option<u32>) -> Self {
        Self {
            rows: rows.into_iter().filter(|row| !row.is_empty()).collect(),
            first_win,
        }
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
        Self::new(rows, self.first_win.filter(|&win| win <= last))
    }

    /// What the rows add up to.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut totals = Totals {
            win: self.first_win.is_some(),
            ..Totals::default()
        };
        let mut last = None;
        for row in &self.rows {
            totals.live += row.live;
            totals.dead += row.dead;
            totals.labeled += row.labeled;
            totals.afterstates += row.afterstates;
            totals.fingerprint += row.fingerprint;
            if row.live + row.dead > 0 && last != Some(row.sum) {
                totals.layers += 1;
                last = Some(row.sum);
            }
        }
        totals
    }

    /// Write as CSV with a header line.
    pub fn write_csv(&self, to: impl Write) -> io::Result<()> {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(to);
        writer.write_record(COLUMNS).map_err(io_error)?;
        for row in &self.rows {
            writer.serialize(row).map_err(io_error)?;
        }
        writer.flush()
    }

    /// Read what [`Table::write_csv`] wrote. A CSV does not say whether a win was met.
    pub fn read_csv(from: impl Read) -> csv::Result<Self> {
        let rows: csv::Result<Vec<Row>> = csv::Reader::from_reader(from).deserialize().collect();
        Ok(Self::new(rows?, None))
    }
}

/// The system's error, where there is one, so that its kind can be asked for.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// The columns of the CSV. They are a contract: new ones go to the end.
const COLUMNS: [&str; 7] = [
    "sum",
    "max_tile",
    "live",
    "dead",
    "labeled",
    "afterstates",
    "fingerprint",
];

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "sum,max_tile,live,dead,labeled,afterstates,fingerprint\n\
                         4,2,2,0,6,1,f8b92427b13a4593\n";

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
    fn an_empty_table_still_has_its_header() {
        let mut out = Vec::new();
        Table::default().write_csv(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap().lines().collect::<Vec<_>>(),
            [FIRST.lines().next().unwrap()]
        );
    }

    #[test]
    fn totals_count_a_layer_once_and_cut_at_a_sum() {
        let row = |sum, max_tile, live, dead| Row {
            sum,
            max_tile,
            live,
            dead,
            ..Row::default()
        };
        let table = Table::new(
            [
                row(4, 2, 5, 0),
                row(6, 2, 1, 0),
                row(6, 4, 2, 1),
                row(8, 4, 0, 0),
            ],
            Some(6),
        );
        let totals = table.totals();
        assert_eq!((totals.live, totals.layers, totals.total()), (8, 2, 10));
        let early = table.until(Some(4)).totals();
        assert_eq!((early.live, early.win, early.total()), (5, false, 5));
    }
}

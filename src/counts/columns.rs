//! The columns of a table.

use std::fmt;

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are the fields of `Row`")]
pub enum Column {
    Sum,
    MaxTile,
    Live,
    Dead,
    Labeled,
    Afterstates,
    Fingerprint,
    EmptyCells,
    Candidates,
    Duplicates,
    Moves,
    Wins,
}

impl Column {
    /// All of them, as in the CSV. Users rely on their order: add new ones at the end.
    pub const ALL: [Self; 12] = [
        Self::Sum,
        Self::MaxTile,
        Self::Live,
        Self::Dead,
        Self::Labeled,
        Self::Afterstates,
        Self::Fingerprint,
        Self::EmptyCells,
        Self::Candidates,
        Self::Duplicates,
        Self::Moves,
        Self::Wins,
    ];

    /// Its name in the header of a CSV.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::MaxTile => "max_tile",
            Self::Live => "live",
            Self::Dead => "dead",
            Self::Labeled => "labeled",
            Self::Afterstates => "afterstates",
            Self::Fingerprint => "fingerprint",
            Self::EmptyCells => "empty_cells",
            Self::Candidates => "candidates",
            Self::Duplicates => "duplicates",
            Self::Moves => "moves",
            Self::Wins => "wins",
        }
    }

    /// The column with this name, if there is one.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.name() == name)
    }

    /// Whether it tells which part a row is about, and not what was counted.
    #[must_use]
    pub fn is_key(self) -> bool {
        matches!(self, Self::Sum | Self::MaxTile)
    }
}

/// Some of the columns: those that a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns([bool; Column::ALL.len()]);

impl Columns {
    /// All columns.
    pub const ALL: Self = Self([true; Column::ALL.len()]);

    /// These columns.
    #[must_use]
    pub fn of(columns: &[Column]) -> Self {
        Self(Column::ALL.map(|column| columns.contains(&column)))
    }

    /// Whether a column is among them.
    #[must_use]
    pub fn has(self, column: Column) -> bool {
        self.0[column as usize]
    }

    /// Whether all of these are among them.
    #[must_use]
    pub fn has_all(self, columns: &[Column]) -> bool {
        columns.iter().all(|&column| self.has(column))
    }

    /// The columns that are among others, too.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(Column::ALL.map(|column| self.has(column) && others.has(column)))
    }

    /// The columns that are missing.
    #[must_use]
    pub fn missing(self) -> Self {
        Self(self.0.map(|has| !has))
    }

    /// The columns, in their order.
    pub fn iter(self) -> impl Iterator<Item = Column> {
        let all = Column::ALL.into_iter();
        all.filter(move |&column| self.has(column))
    }

    /// The columns that hold counts, in their order.
    pub fn counts(self) -> impl Iterator<Item = Column> {
        self.iter().filter(|column| !column.is_key())
    }
}

/// The names of those with counts.
impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.counts().map(Column::name).collect();
        f.write_str(&names.join(", "))
    }
}

//! A row of the table, the counts of one part, and the columns of the table.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::{Exp, PartKey, Tally};
use crate::part::Fingerprint;

/// The counts of a part: all canonical states of one sum and largest tile. The fields are the columns
/// of `layers.csv`, in the order of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Row {
    /// Sum of the tiles.
    pub sum: u32,
    /// Largest tile, as a value.
    pub max_tile: u32,
    /// Canonical states with a legal move.
    pub live: u64,
    /// Canonical states without a legal move.
    pub dead: u64,
    /// Boards that the live and dead states represent, symmetric images included: the sum of their
    /// orbit sizes.
    pub labeled: u64,
    /// Canonical afterstates of this sum and largest tile, without the winning tile.
    pub afterstates: u64,
    /// Fingerprint of the live states.
    pub fingerprint: Fingerprint,
    /// Empty cells of all afterstates. A 2 or a 4 can be spawned in each.
    pub empty_cells: u64,
    /// States made by spawns and starts, duplicates included.
    pub candidates: u64,
    /// Candidates that were dropped as duplicates.
    pub duplicates: u64,
    /// Legal moves of the live states, winning moves included.
    pub moves: u64,
    /// Moves that make the winning tile.
    pub wins: u64,
}

impl Row {
    /// The empty row of a part.
    pub fn of(key: PartKey) -> Self {
        Self {
            sum: key.sum,
            max_tile: key.max.tile(),
            ..Self::default()
        }
    }

    /// Set the counts of the states. `live` are the totals of the files, which hold the live states.
    pub(crate) fn set_states(&mut self, live: u64, fingerprint: Fingerprint, counted: &Tally) {
        self.live = live;
        self.fingerprint = fingerprint;
        self.dead = counted.dead;
        self.labeled = counted.labeled;
        self.candidates = counted.candidates;
        self.duplicates = counted.duplicates;
        self.moves = counted.moves;
        self.wins = counted.wins;
    }

    /// The row of a part among the rows of its layer; an empty row if there is none.
    pub(crate) fn among(layer: &[Self], key: PartKey) -> Self {
        let found = layer.iter().find(|row| row.key() == Some(key));
        found.copied().unwrap_or(Self::of(key))
    }

    /// The part. `None` if `max_tile` is not a tile, as a table from another program may say.
    pub fn key(&self) -> Option<PartKey> {
        let (sum, max) = (self.sum, Exp::of_tile(self.max_tile)?);
        Some(PartKey { sum, max })
    }

    /// Live and dead states.
    pub fn states(&self) -> u64 {
        self.live.saturating_add(self.dead)
    }

    /// The text of a column in a CSV.
    pub(super) fn text(&self, column: Column) -> String {
        match column {
            Column::Fingerprint => self.fingerprint.to_string(),
            _ => self.number(column).to_string(),
        }
    }

    /// The row with 0 in all but these columns; `None` if no count remains.
    pub(super) fn only(mut self, columns: Columns) -> Option<Self> {
        for column in columns.missing().counts() {
            self.set(column, 0);
        }
        let counted = columns.counts().any(|column| self.number(column) > 0);
        counted.then_some(self)
    }

    /// Whether the row counts nothing.
    pub fn is_empty(&self) -> bool {
        self.live == 0 && self.dead == 0 && self.labeled == 0 && self.afterstates == 0
    }
}

/// Defines the columns, each with the field of [`Row`] that it names.
macro_rules! columns {
    (keys: $($key:ident $key_field:ident),*; counts: $($count:ident $field:ident $(.$inner:tt)?),*) => {
        /// A column of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "they are the fields of `Row`")]
        pub enum Column {
            $($key,)*
            $($count,)*
        }

        impl Column {
            /// All columns, in the order of the CSV. Users rely on the order: add new columns at the
            /// end.
            pub const ALL: [Self; 12] = [$(Self::$key,)* $(Self::$count,)*];

            /// The name in the header of a CSV.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$key => stringify!($key_field),)*
                    $(Self::$count => stringify!($field),)*
                }
            }
        }

        impl Row {
            /// The number in a column.
            pub fn number(&self, column: Column) -> u64 {
                match column {
                    $(Column::$key => self.$key_field.into(),)*
                    $(Column::$count => self.$field$(.$inner)?,)*
                }
            }

            /// Put a number into a column of counts.
            pub(super) fn set(&mut self, column: Column, number: u64) {
                match column {
                    $(Column::$key)|* => unreachable!("a key, not a count"),
                    $(Column::$count => self.$field$(.$inner)? = number,)*
                }
            }
        }
    };
}

columns! {
    keys: Sum sum, MaxTile max_tile;
    counts: Live live, Dead dead, Labeled labeled, Afterstates afterstates,
        Fingerprint fingerprint.0, EmptyCells empty_cells, Candidates candidates,
        Duplicates duplicates, Moves moves, Wins wins
}

/// A set of columns, such as the columns of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns([bool; Column::ALL.len()]);

impl Columns {
    /// All columns.
    pub const ALL: Self = Self([true; Column::ALL.len()]);

    /// The set of some columns.
    pub fn of(columns: &[Column]) -> Self {
        Self(Column::ALL.map(|column| columns.contains(&column)))
    }

    /// Whether the set has a column.
    pub fn has(self, column: Column) -> bool {
        self.0[column as usize]
    }

    /// Whether the set has all of these columns.
    pub fn has_all(self, columns: &[Column]) -> bool {
        columns.iter().all(|&column| self.has(column))
    }

    /// The intersection of two sets.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(Column::ALL.map(|column| self.has(column) && others.has(column)))
    }

    /// The complement: all columns that are not in the set.
    #[must_use]
    pub fn missing(self) -> Self {
        Self(self.0.map(|has| !has))
    }

    /// The columns, in the order of the CSV.
    pub fn iter(self) -> impl Iterator<Item = Column> {
        let all = Column::ALL.into_iter();
        all.filter(move |&column| self.has(column))
    }

    /// The columns that hold counts, in the order of the CSV.
    pub fn counts(self) -> impl Iterator<Item = Column> {
        let is_key = |column: &Column| matches!(column, Column::Sum | Column::MaxTile);
        self.iter().filter(move |column| !is_key(column))
    }
}

/// Lists the names of the columns that hold counts.
impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.counts().map(Column::name).collect();
        f.write_str(&names.join(", "))
    }
}

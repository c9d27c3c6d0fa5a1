//! Deduces the game of a table from its numbers.

use super::{TELL_THE_END, ends};
use crate::counts::{Column, Columns, Table};
use crate::error::{Error, Result};
use crate::game::{Game, Size};
use crate::part::fingerprint;

/// Whether these columns suffice to deduce the game of a complete table.
pub(crate) fn tell_game(columns: Columns) -> bool {
    let win = columns.has(Column::Wins) || columns.has_all(&TELL_THE_END);
    columns.has(Column::Fingerprint) && win
}

/// The board size of a table. Each size has its own fingerprint in the first row, the boards with
/// two 2s.
///
/// # Errors
///
/// [`Error::Law`] if no game begins with the first row.
pub(crate) fn size_of(table: &Table) -> Result<Size> {
    let first = table.rows().first().copied().unwrap_or_default();
    let sides = 2..=4;
    let mut sizes = sides
        .clone()
        .flat_map(|rows| sides.clone().map(move |cols| (rows, cols)));
    let found = sizes.find_map(|(rows, cols)| {
        let size = Size::new(rows, cols).ok()?;
        let starts = Game::new(size, None).ok()?.starts(4);
        let begins = (first.sum, first.max_tile) == (4, 2);
        (begins && fingerprint(&starts) == first.fingerprint).then_some(size)
    });
    found.ok_or_else(|| Error::Law {
        place: "first row".to_owned(),
        law: format!(
            "sum {}, largest tile {}, fingerprint {}: no game begins with this row",
            first.sum, first.max_tile, first.fingerprint
        ),
    })
}

/// The winning tile of a table on boards of `size`; `None` if the table shows none.
///
/// A winning move merges two tiles of half the winning tile. In a table without the column `wins`,
/// the largest tile decides, because play without a winning tile goes on to 2^(c+1). (This is known
/// for 2x2, 3x3 and 4x3.)
pub(crate) fn win_of(table: &Table, size: Size) -> Option<u32> {
    let rows = table.rows();
    let half = if table.columns().has(Column::Wins) {
        rows.iter().find(|row| row.wins > 0)?.max_tile
    } else {
        let largest = rows.iter().map(|row| row.max_tile).max()?;
        (ends(table) && largest < 2 << size.cells()).then_some(largest)?
    };
    half.checked_mul(2)
}

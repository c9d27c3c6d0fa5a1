//! The formats of states: text, CSV, a `NumPy` array.

use std::io;
use std::mem;

use anyhow::Result;

use crate::counts::Row;
use crate::game::{Grid, PartKey, Size};
use crate::store::{Goal, Sink};

/// A file of states being written.
pub(super) trait StateWriter {
    /// Append states of one part, with their values: one for each objective and state, in order of
    /// states. Without objectives there are no values.
    fn write(&mut self, key: PartKey, states: &[u64], values: &[f64]) -> Result<()>;

    /// Write the end of the file.
    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

/// Whether all states of a run fit a signed number of 64 bits, as each program reads it. Spark reads
/// unsigned numbers as decimals, R as inexact ones, and `numpy.searchsorted` compares them inexactly.
///
/// Only a canonical board of 4x4 with 256 or more in all four corners has the highest bit, or one with stones
/// in corners.
pub(super) fn are_signed(size: Size, rows: &[Row]) -> bool {
    let has_corners = |row: &Row| row.max_tile >= 256 && row.sum >= 4 * 256;
    size.cells() < 16 || size.stones() == 0 && !rows.iter().any(has_corners)
}

/// Pairs each state with its values.
pub(super) fn rows<'a>(
    states: &'a [u64],
    values: &'a [f64],
) -> impl Iterator<Item = (u64, &'a [f64])> {
    let each = values.len() / states.len().max(1);
    let own = move |at: usize| &values[at * each..][..each];
    states
        .iter()
        .enumerate()
        .map(move |(at, &state)| (state, own(at)))
}

/// States as text: a number a line, or a grid with an empty line before all but the first.
pub(super) struct Text<'a, 'b> {
    pub(super) to: &'a mut Sink<'b>,
    pub(super) size: Size,
    pub(super) grids: bool,
    pub(super) first: bool,
}

impl StateWriter for Text<'_, '_> {
    fn write(&mut self, _: PartKey, states: &[u64], _: &[f64]) -> Result<()> {
        for &state in states {
            let grid = Grid::new(state, self.size)?;
            if !self.grids {
                writeln!(self.to, "{grid:#x}")?;
            } else if mem::take(&mut self.first) {
                writeln!(self.to, "{grid:#}")?;
            } else {
                writeln!(self.to, "\n{grid:#}")?;
            }
        }
        Ok(())
    }
}

pub(super) struct Csv<'a, 'b> {
    to: &'a mut Sink<'b>,
    size: Size,
}

impl<'a, 'b> Csv<'a, 'b> {
    pub(super) fn new(to: &'a mut Sink<'b>, size: Size, goals: &[Goal]) -> io::Result<Self> {
        write!(to, "state,sum,max_tile,cells,number")?;
        for goal in goals {
            write!(to, ",{}", goal.objective.column())?;
        }
        writeln!(to)?;
        Ok(Self { to, size })
    }
}

impl StateWriter for Csv<'_, '_> {
    fn write(&mut self, key: PartKey, states: &[u64], values: &[f64]) -> Result<()> {
        let (sum, max) = (key.sum, key.max.tile());
        for (state, values) in rows(states, values) {
            let grid = Grid::new(state, self.size)?;
            let cells: Vec<String> = grid.tiles().map(|tile| tile.to_string()).collect();
            let cells = cells.join(" ");
            write!(self.to, "{grid:#x},{sum},{max},{cells},{state}")?;
            for value in values {
                write!(self.to, ",{value}")?;
            }
            writeln!(self.to)?;
        }
        Ok(())
    }
}

/// An array of int64, or with values a structured array: a state and a float64 for each objective.
pub(super) struct Npy<'a, 'b>(&'a mut Sink<'b>);

impl<'a, 'b> Npy<'a, 'b> {
    /// Begin an array of `count` states; `signed` as in [`are_signed`].
    pub(super) fn new(
        to: &'a mut Sink<'b>,
        goals: &[Goal],
        count: u64,
        signed: bool,
    ) -> io::Result<Self> {
        let state = if signed { "<i8" } else { "<u8" };
        let value = |goal: &Goal| format!("('{}', '<f8'), ", goal.objective.column());
        let values: String = goals.iter().map(value).collect();
        let dtype = if goals.is_empty() {
            format!("'{state}'")
        } else {
            format!("[('state', '{state}'), {values}]")
        };
        let header =
            format!("{{'descr': {dtype}, 'fortran_order': False, 'shape': ({count}, ), }}");
        // The array begins at a multiple of 64 bytes: after 10 bytes, the header, spaces and a newline.
        let length = (header.len() + 11).next_multiple_of(64) - 10;
        to.write_all(b"\x93NUMPY\x01\0")?;
        to.write_all(&(length as u16).to_le_bytes())?;
        writeln!(to, "{header:<0$}", length - 1)?;
        Ok(Self(to))
    }
}

impl StateWriter for Npy<'_, '_> {
    fn write(&mut self, _: PartKey, states: &[u64], values: &[f64]) -> Result<()> {
        let mut bytes = Vec::with_capacity(8 * (states.len() + values.len()));
        for (state, values) in rows(states, values) {
            bytes.extend(state.to_le_bytes());
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        Ok(self.0.write_all(&bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;

    #[test]
    fn states_are_signed_unless_all_corners_have_256() {
        let row = |sum, max_tile| Row {
            sum,
            max_tile,
            ..Row::default()
        };
        let size = |name: &str| name.parse().unwrap();
        assert!(are_signed(size("4"), &[row(1022, 256), row(2000, 128)]));
        assert!(are_signed(size("4x3"), &[row(1024, 256)]));
        assert!(!are_signed(size("4"), &[row(4, 2), row(1024, 256)]));
        // The rule for canonical boards.
        let game: Game = "4x4".parse().unwrap();
        let high = |board| game.canonical(board) >> 63 == 1;
        assert!(high(0x8008_0000_0000_8008) && !high(0x8008_0000_0000_8007));
        assert!(!high(0xffff_ffff_ffff_fff7));
        // Stones fill corners, too.
        let free: Game = "free4-8".parse().unwrap();
        assert!(!are_signed(free.size(), &[row(4, 2)]));
    }
}

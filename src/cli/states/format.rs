//! The formats of states: text, a `NumPy` array, a Parquet table.

use anyhow::Result;

use super::npy;
#[cfg(feature = "parquet")]
use super::parquet::Parquet;
use super::writer::{StateWriter, rows};
use super::{Args, StateFormat};
use crate::game::{Game, Grid, PartKey, Size};
use crate::store::{Goal, Sink};

/// Begin a file of `count` states of a game, with values for these goals.
pub(super) fn writer<'a>(
    args: &Args,
    game: Game,
    goals: &[Goal],
    count: u64,
    to: &'a mut Sink<'_>,
) -> Result<Box<dyn StateWriter + 'a>> {
    let size = game.size();
    Ok(match args.format {
        StateFormat::Hex => Box::new(Hex { to, size }),
        StateFormat::Grid => Box::new(Grids { to, size, at: 0 }),
        StateFormat::Csv => Box::new(Csv::new(to, size, goals)?),
        StateFormat::Npy => npy::writer(goals, count, to)?,
        #[cfg(feature = "parquet")]
        StateFormat::Parquet => Box::new(Parquet::new(to, game, args, goals)?),
        #[cfg(not(feature = "parquet"))]
        StateFormat::Parquet => unreachable!("it was refused before a file was begun"),
    })
}

struct Hex<'a, 'b> {
    to: &'a mut Sink<'b>,
    size: Size,
}

impl StateWriter for Hex<'_, '_> {
    fn write(&mut self, _: PartKey, states: &[u64], _: &[f64]) -> Result<()> {
        for &state in states {
            writeln!(self.to, "{:#x}", Grid::new(state, self.size)?)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

struct Grids<'a, 'b> {
    to: &'a mut Sink<'b>,
    size: Size,
    at: u64,
}

impl StateWriter for Grids<'_, '_> {
    fn write(&mut self, _: PartKey, states: &[u64], _: &[f64]) -> Result<()> {
        for &state in states {
            if self.at > 0 {
                writeln!(self.to)?;
            }
            writeln!(self.to, "{:#}", Grid::new(state, self.size)?)?;
            self.at += 1;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

struct Csv<'a, 'b> {
    writer: csv::Writer<&'a mut Sink<'b>>,
    size: Size,
}

impl<'a, 'b> Csv<'a, 'b> {
    fn new(to: &'a mut Sink<'b>, size: Size, goals: &[Goal]) -> Result<Self> {
        let mut writer = csv::Writer::from_writer(to);
        let columns = ["state", "sum", "max_tile", "cells", "number"].map(str::to_owned);
        let values = goals.iter().map(|goal| goal.objective.to_string());
        writer.write_record(columns.into_iter().chain(values))?;
        Ok(Self { writer, size })
    }
}

impl StateWriter for Csv<'_, '_> {
    fn write(&mut self, key: PartKey, states: &[u64], values: &[f64]) -> Result<()> {
        let (sum, max) = (key.sum.to_string(), key.max.tile().to_string());
        for (state, values) in rows(states, values) {
            let grid = Grid::new(state, self.size)?;
            let cells: Vec<String> = grid.tiles().map(|tile| tile.to_string()).collect();
            let (hex, cells) = (format!("{grid:#x}"), cells.join(" "));
            let number = state.to_string();
            for field in [&hex, &sum, &max, &cells, &number] {
                self.writer.write_field(field)?;
            }
            for value in values {
                self.writer.write_field(value.to_string())?;
            }
            self.writer.write_record(None::<&[u8]>)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        Ok(self.writer.flush()?)
    }
}

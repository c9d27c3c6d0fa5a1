//! The formats of states: text, a `NumPy` array, a Parquet table.

use anyhow::Result;
use npyz::WriterBuilder;

#[cfg(feature = "parquet")]
use super::parquet::Parquet;
use super::writer::Writer;
use super::{Args, Format};
use crate::game::{Game, Grid, PartKey, Size};
use crate::store::Sink;

/// Begin a file of `count` states of a game.
pub(super) fn writer<'a>(
    args: &Args,
    game: Game,
    count: u64,
    to: &'a mut Sink<'_>,
) -> Result<Box<dyn Writer + 'a>> {
    let size = game.size();
    Ok(match args.format {
        Format::Hex => Box::new(Hex { to, size }),
        Format::Grid => Box::new(Grids { to, size, at: 0 }),
        Format::Csv => Box::new(Csv::new(to, size)?),
        Format::Npy => {
            let options = npyz::WriteOptions::new().default_dtype();
            Box::new(options.shape(&[count]).writer(to).begin_nd()?)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(Parquet::new(to, game, &args.selection(), args.cells)?),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => unreachable!("it was refused before a file was begun"),
    })
}

struct Hex<'a, 'b> {
    to: &'a mut Sink<'b>,
    size: Size,
}

impl Writer for Hex<'_, '_> {
    fn write(&mut self, states: &[u64], _: PartKey) -> Result<()> {
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

impl Writer for Grids<'_, '_> {
    fn write(&mut self, states: &[u64], _: PartKey) -> Result<()> {
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
    fn new(to: &'a mut Sink<'b>, size: Size) -> Result<Self> {
        let mut writer = csv::Writer::from_writer(to);
        writer.write_record(["state", "sum", "max_tile", "cells", "number"])?;
        Ok(Self { writer, size })
    }
}

impl Writer for Csv<'_, '_> {
    fn write(&mut self, states: &[u64], key: PartKey) -> Result<()> {
        let (sum, max) = (key.sum.to_string(), key.max.tile().to_string());
        for &state in states {
            let grid = Grid::new(state, self.size)?;
            let cells: Vec<String> = grid.tiles().map(|tile| tile.to_string()).collect();
            let (hex, cells) = (format!("{grid:#x}"), cells.join(" "));
            let number = state.to_string();
            self.writer
                .write_record([&hex, &sum, &max, &cells, &number])?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        Ok(self.writer.flush()?)
    }
}

impl Writer for npyz::NpyWriter<u64, &mut Sink<'_>> {
    fn write(&mut self, states: &[u64], _: PartKey) -> Result<()> {
        Ok(self.extend(states.iter().copied())?)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok((*self).finish()?)
    }
}

//! States as text, and as a `NumPy` array.

use anyhow::Result;
use npyz::WriterBuilder;

use super::parquet::Table;
use super::{Columns, Format};
use crate::game::{Grid, Size};
use crate::store::Sink;

/// A writer of states in one of the formats.
pub(super) enum Writer<'a, 'b> {
    Hex(&'a mut Sink<'b>, Size),
    Grid(&'a mut Sink<'b>, Size, bool),
    Csv(Box<csv::Writer<&'a mut Sink<'b>>>, Size),
    Npy(npyz::NpyWriter<u64, &'a mut Sink<'b>>),
    Parquet(Box<Table<&'a mut Sink<'b>>>),
}

/// The state as `0x0132`, a digit for each cell.
fn hex(state: u64, size: Size) -> String {
    format!("{state:#0width$x}", width = 2 + size.cells() as usize)
}

impl<'a, 'b> Writer<'a, 'b> {
    /// Begin a file of `count` states on boards of `size`.
    pub(super) fn new(
        format: Format,
        size: Size,
        count: u64,
        to: &'a mut Sink<'b>,
    ) -> Result<Self> {
        Ok(match format {
            Format::Hex => Self::Hex(to, size),
            Format::Grid => Self::Grid(to, size, true),
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(to);
                writer.write_record(["state", "sum", "max_tile", "cells"])?;
                Self::Csv(Box::new(writer), size)
            }
            Format::Npy => {
                let options = npyz::WriteOptions::new().default_dtype();
                Self::Npy(options.shape(&[count]).writer(to).begin_nd()?)
            }
            Format::Parquet => Self::Parquet(Box::new(Table::new(to, size)?)),
        })
    }

    /// Append states of one part.
    pub(super) fn write(&mut self, states: &[u64], columns: Columns) -> Result<()> {
        match self {
            Self::Hex(to, size) => {
                for &state in states {
                    writeln!(to, "{}", hex(state, *size))?;
                }
            }
            Self::Grid(to, size, first) => {
                for &state in states {
                    if !std::mem::take(first) {
                        writeln!(to)?;
                    }
                    writeln!(to, "{:#}", Grid::new(state, *size)?)?;
                }
            }
            Self::Csv(writer, size) => {
                let (sum, max) = (columns.sum.to_string(), columns.max.to_string());
                for &state in states {
                    let cells: Vec<String> = Grid::new(state, *size)?
                        .tiles()
                        .map(|tile| tile.to_string())
                        .collect();
                    writer.write_record([&hex(state, *size), &sum, &max, &cells.join(" ")])?;
                }
            }
            Self::Npy(writer) => writer.extend(states.iter().copied())?,
            Self::Parquet(table) => table.write(states, columns)?,
        }
        Ok(())
    }

    /// Write what ends a file.
    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Hex(..) | Self::Grid(..) => Ok(()),
            Self::Csv(mut writer, _) => Ok(writer.flush()?),
            Self::Npy(writer) => Ok(writer.finish()?),
            Self::Parquet(table) => table.finish(),
        }
    }
}

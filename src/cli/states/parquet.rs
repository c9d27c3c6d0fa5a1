//! States as a Parquet table: state, sum, `max_tile`, and the cells as a list.

use std::io::Write;
use std::sync::Arc;

use anyhow::Result;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use super::writer::Writer;
use crate::game::{Grid, PartKey, Size};

/// Rows of a group, which are held in memory until they are written: some tens of MiB.
const ROWS: usize = 1 << 19;

const SCHEMA: &str = "message states {
    REQUIRED INT64 state (INTEGER(64, false));
    REQUIRED INT32 sum (INTEGER(32, false));
    REQUIRED INT32 max_tile (INTEGER(32, false));
    REQUIRED GROUP cells (LIST) {
        REPEATED GROUP list {
            REQUIRED INT32 element (INTEGER(16, false));
        }
    }
}";

/// A Parquet file being written.
pub(super) struct Parquet<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    size: Size,
    states: Vec<i64>,
    sums: Vec<i32>,
    max_tiles: Vec<i32>,
    cells: Vec<i32>,
}

impl<W: Write + Send> Parquet<W> {
    /// Begin a file of states on boards of `size`.
    pub(super) fn new(to: W, size: Size) -> Result<Self> {
        // States increase in small steps; the other columns have few different values, so a
        // dictionary.
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_column_dictionary_enabled(ColumnPath::from("state"), false)
            .set_column_encoding(ColumnPath::from("state"), Encoding::DELTA_BINARY_PACKED)
            .build();
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        Ok(Self {
            writer: SerializedFileWriter::new(to, schema, Arc::new(properties))?,
            size,
            states: Vec::new(),
            sums: Vec::new(),
            max_tiles: Vec::new(),
            cells: Vec::new(),
        })
    }

    /// Write the rows in memory as a group.
    fn flush(&mut self) -> Result<()> {
        let length = self.size.cells() as usize;
        // No list is empty, so every element is defined. All but the first of each list repeat it.
        let defined = vec![1; self.cells.len()];
        let repeated: Vec<i16> = (0..self.cells.len())
            .map(|at| i16::from(at % length > 0))
            .collect();
        let mut group = self.writer.next_row_group()?;
        column::<Int64Type, W>(&mut group, &self.states, None)?;
        column::<Int32Type, W>(&mut group, &self.sums, None)?;
        column::<Int32Type, W>(&mut group, &self.max_tiles, None)?;
        column::<Int32Type, W>(&mut group, &self.cells, Some((&defined, &repeated)))?;
        group.close()?;
        self.states.clear();
        self.sums.clear();
        self.max_tiles.clear();
        self.cells.clear();
        Ok(())
    }
}

impl<W: Write + Send> Writer for Parquet<W> {
    fn write(&mut self, states: &[u64], key: PartKey) -> Result<()> {
        for &state in states {
            let grid = Grid::new(state, self.size)?;
            self.states.push(state.cast_signed());
            self.sums.push(key.sum.cast_signed());
            self.max_tiles.push(key.max.tile().cast_signed());
            self.cells.extend(grid.tiles().map(u32::cast_signed));
            if self.states.len() == ROWS {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        if !self.states.is_empty() {
            self.flush()?;
        }
        self.writer.close()?;
        Ok(())
    }
}

/// Write the next column of a group; the column of a list needs definition and repetition levels.
fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<(&[i16], &[i16])>,
) -> Result<()> {
    let mut column = group.next_column()?.expect("the schema has this column");
    let (defined, repeated) = levels.unzip();
    column.typed::<T>().write_batch(values, defined, repeated)?;
    Ok(column.close()?)
}

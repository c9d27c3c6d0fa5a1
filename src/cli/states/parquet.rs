//! States as a Parquet table: state, sum and `max_tile`; with options also the cells as a list and a
//! value for each objective.
//!
//! Key-value metadata describes the states: the game, the selection, their number and their
//! fingerprint.

use std::fmt::{Display, Write as _};
use std::io::Write;
use std::sync::Arc;

use anyhow::Result;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use super::format::{StateWriter, rows};
use crate::game::{Game, Grid, PartKey};
use crate::part::{Fingerprint, fingerprint};
use crate::store::Goal;

/// Rows of a group. A group stays in memory until it is written: some tens of MiB.
const ROWS: usize = 1 << 19;

/// The level of zstd.
const LEVEL: i32 = 4;

/// The columns after `state`. All numbers are signed, as differences of unsigned ones wrap around.
const COLUMNS: &str = "
    REQUIRED INT32 sum;
    REQUIRED INT32 max_tile;";

const CELLS: &str = "
    REQUIRED GROUP cells (LIST) {
        REPEATED GROUP list {
            REQUIRED INT32 element;
        }
    }";

/// A Parquet file being written.
pub(super) struct Parquet<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    game: Game,
    states: Vec<i64>,
    sums: Vec<i32>,
    max_tiles: Vec<i32>,
    /// The cells of all boards, one board after the other; `None` without `--cells`.
    cells: Option<Vec<i32>>,
    /// A column for each objective.
    values: Vec<Vec<f64>>,
    written: u64,
    fingerprint: Fingerprint,
}

impl<W: Write + Send> Parquet<W> {
    /// Begin a table of the states that `selection` names, with or without their cells; `signed` as in
    /// [`are_signed`](super::format::are_signed).
    pub(super) fn new(
        to: W,
        game: Game,
        signed: bool,
        (cells, selection): (bool, String),
        goals: &[Goal],
    ) -> Result<Self> {
        // States increase in small steps. Only the first bytes of values repeat. The other columns have
        // few different values, so they get a dictionary.
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
            .set_data_page_row_count_limit(ROWS)
            .set_column_dictionary_enabled(ColumnPath::from("state"), false)
            .set_column_encoding(ColumnPath::from("state"), Encoding::DELTA_BINARY_PACKED);
        let sign = if signed { "" } else { "(INTEGER(64, false))" };
        let mut schema = format!("message states {{ REQUIRED INT64 state {sign};{COLUMNS}");
        if cells {
            schema += CELLS;
        }
        for goal in goals {
            let name = goal.objective.column();
            write!(schema, "REQUIRED DOUBLE {name};")?;
            let column = ColumnPath::from(name);
            properties = properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column, Encoding::BYTE_STREAM_SPLIT);
        }
        let schema = parse_message_type(&(schema + "}"))?;
        let mut file = Self {
            writer: SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties.build()))?,
            game,
            states: Vec::new(),
            sums: Vec::new(),
            max_tiles: Vec::new(),
            cells: cells.then(Vec::new),
            values: vec![Vec::new(); goals.len()],
            written: 0,
            fingerprint: Fingerprint::default(),
        };
        file.say("version", env!("CARGO_PKG_VERSION"));
        file.say("game", game);
        file.say("selection", selection);
        if let Some(four) = goals.iter().find_map(Goal::rate) {
            file.say("four", four);
        }
        Ok(file)
    }

    /// Add a line to the file's metadata.
    fn say(&mut self, key: &str, value: impl Display) {
        let entry = KeyValue::new(format!("enum48.{key}"), format!("{value}"));
        self.writer.append_key_value_metadata(entry);
    }

    /// Write the rows in memory as a group.
    fn flush(&mut self) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        column::<Int64Type, W>(&mut group, &mut self.states, None)?;
        column::<Int32Type, W>(&mut group, &mut self.sums, None)?;
        column::<Int32Type, W>(&mut group, &mut self.max_tiles, None)?;
        if let Some(cells) = &mut self.cells {
            // No list is empty, so every element is defined. The first element begins a list; the
            // others repeat it.
            let length = self.game.size().cells() as usize;
            let defined = vec![1; cells.len()];
            let repeated: Vec<i16> = (0..cells.len())
                .map(|at| i16::from(at % length > 0))
                .collect();
            column::<Int32Type, W>(&mut group, cells, Some((&defined, &repeated)))?;
        }
        for values in &mut self.values {
            column::<DoubleType, W>(&mut group, values, None)?;
        }
        group.close()?;
        Ok(())
    }
}

impl<W: Write + Send> StateWriter for Parquet<W> {
    fn write(&mut self, key: PartKey, states: &[u64], values: &[f64]) -> Result<()> {
        self.written += states.len() as u64;
        self.fingerprint += fingerprint(states);
        for (state, own) in rows(states, values) {
            self.states.push(state.cast_signed());
            self.sums.push(key.sum.cast_signed());
            self.max_tiles.push(key.max.tile().cast_signed());
            if let Some(cells) = &mut self.cells {
                let grid = Grid::new(state, self.game.size())?;
                cells.extend(grid.tiles().map(u32::cast_signed));
            }
            for (column, &value) in self.values.iter_mut().zip(own) {
                column.push(value);
            }
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
        self.say("states", self.written);
        self.say("fingerprint", self.fingerprint);
        self.writer.close()?;
        Ok(())
    }
}

/// Write the next column of a group, and empty it. The column of a list needs definition and
/// repetition levels.
fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &mut Vec<T::T>,
    levels: Option<(&[i16], &[i16])>,
) -> Result<()> {
    let mut column = group.next_column()?.expect("the schema has this column");
    let (defined, repeated) = levels.unzip();
    column.typed::<T>().write_batch(values, defined, repeated)?;
    values.clear();
    Ok(column.close()?)
}

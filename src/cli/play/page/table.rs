//! The afterstates of a solution with their values, as a page has them.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::Result;
use crate::game::{Board, Exp, Objective, PartKey};
use crate::part::{Decoder, Kind, ValueDecoder};
use crate::solve;
use crate::store::{Goal, Solution};

/// All afterstates of a solution, in order of sum, then of number.
pub(super) struct PageTable {
    /// One more than the largest exponent.
    pub(super) base: u64,
    /// Of each layer its sum and the number of afterstates.
    pub(super) layers: Vec<(u32, usize)>,
    /// The number of each afterstate, as the difference from the one before it in its layer.
    pub(super) numbers: Vec<u64>,
    /// For each goal its values.
    pub(super) columns: Vec<PageColumn>,
}

/// The values of a goal.
pub(super) struct PageColumn {
    goal: Goal,
    /// A value counts parts of so many.
    pub(super) unit: u64,
    /// The value of each afterstate.
    pub(super) values: Vec<u64>,
}

impl PageColumn {
    fn new(goal: Goal, afterstates: u64) -> Self {
        let printed = match goal.objective {
            Objective::Score | Objective::Moves => 100,
            Objective::Tile(_) => 10_000,
        };
        Self {
            goal,
            unit: if afterstates > FINE {
                printed
            } else {
                1000 * printed
            },
            values: Vec::new(),
        }
    }
}

/// The most afterstates of a game whose values are a thousand times as fine as people read them.
const FINE: u64 = 500_000;

/// Bytes that the greatest of some numbers takes, at least one.
pub(super) fn width(numbers: &[u64]) -> usize {
    let bits = numbers
        .iter()
        .max()
        .map_or(0, |most| u64::BITS - most.leading_zeros());
    bits.div_ceil(8).max(1) as usize
}

impl PageTable {
    /// Read the files of a solution. Takes about 40 bytes for each afterstate.
    pub(super) fn read(solution: &Solution, goals: &[Goal]) -> Result<Self> {
        let keys: Vec<PartKey> = solution.run().parts(Kind::Afterstates).collect();
        let largest = keys.iter().map(|key| key.max).max().unwrap_or(Exp::TWO);
        let afterstates = solution.run().table().totals().afterstates;
        let columns = goals.iter().map(|&goal| PageColumn::new(goal, afterstates));
        let mut table = Self {
            base: u64::from(largest.get()) + 1,
            layers: Vec::new(),
            numbers: Vec::new(),
            columns: columns.collect(),
        };
        for layer in keys.chunk_by(|one, other| one.sum == other.sum) {
            let mut rows = Vec::new();
            for &key in layer {
                read_part(solution, &table.columns, key, &mut rows)?;
            }
            rows.sort_unstable_by_key(|(board, _)| *board);
            table.push(solution.run().game().size().cells(), layer[0].sum, &rows);
        }
        Ok(table)
    }

    fn push(&mut self, cells: u32, sum: u32, rows: &[(Board, Vec<u64>)]) {
        let mut before = 0;
        for (board, values) in rows {
            let digits = (0..cells).rev().map(|cell| board >> (4 * cell) & 0xf);
            let number = digits.fold(0, |number, digit| number * self.base + digit);
            self.numbers.push(number - before);
            before = number;
            for (column, &value) in self.columns.iter_mut().zip(values) {
                column.values.push(value);
            }
        }
        self.layers.push((sum, rows.len()));
    }

    /// The bytes of the table, compressed.
    pub(super) fn pack(&self) -> io::Result<Vec<u8>> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        write_planes(&mut gzip, &self.numbers)?;
        for column in &self.columns {
            write_planes(&mut gzip, &column.values)?;
        }
        gzip.finish()
    }
}

/// Append the afterstates of a part with their values in each column.
fn read_part(
    solution: &Solution,
    columns: &[PageColumn],
    key: PartKey,
    rows: &mut Vec<(Board, Vec<u64>)>,
) -> Result<()> {
    let Some(part) = solution.run().part(Kind::Afterstates, key)? else {
        return Ok(());
    };
    let (mut decoder, mut value_decoder) = (Decoder::new()?, ValueDecoder::new()?);
    let (mut boards, mut values) = (Vec::new(), Vec::new());
    for block in 0..part.blocks() {
        part.read_block(block, &mut decoder, &mut boards)?;
    }
    let begin = rows.len();
    rows.extend(boards.into_iter().map(|board| (board, Vec::new())));
    for &PageColumn { goal, unit, .. } in columns {
        let column = solution.values(goal.objective, key)?;
        let column = column.expect("a goal that is reached has values for every part");
        values.clear();
        for block in 0..column.blocks() {
            column.read_block(block, &mut value_decoder, &mut values)?;
        }
        for ((board, row), &value) in rows[begin..].iter_mut().zip(&values) {
            let number = solve::number(goal, *board, value);
            row.push((number * unit as f64).round() as u64);
        }
    }
    Ok(())
}

/// Write the first byte of every number, then the second, and so on.
fn write_planes(to: &mut impl Write, numbers: &[u64]) -> io::Result<()> {
    for byte in 0..width(numbers) {
        let plane = numbers.iter().map(|number| number.to_le_bytes()[byte]);
        to.write_all(&plane.collect::<Vec<u8>>())?;
    }
    Ok(())
}

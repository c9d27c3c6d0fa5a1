//! The input of tasks: sorted files of boards, as sources.
//!
//! A [`BoardRange`] merges the boards of a range from many files. A [`PositionRange`] takes
//! ranges of positions from files that are read one after another.

use std::ops::Range;

use crate::engine::{Source, Worker};
use crate::error::Result;
use crate::game::{Board, Tally};
use crate::part::Part;

/// Boards of a block of the files between stages. Blocks are small because a task of the next stage
/// reads a small range of many files, and only whole blocks can be read.
pub(super) const BLOCK: usize = 1 << 11;

/// Blocks of a file that are read at once, on average. With fewer blocks, more of the boards read
/// would lie outside the range.
const AT_ONCE: usize = 8;

/// Boards that fit a core's cache while they are merged.
const FIT: usize = 1 << 16;

/// The boards of a range in sorted files, each board once.
pub(super) struct BoardRange {
    files: Vec<Part>,
    /// The ranges that are merged at once.
    ranges: Vec<Range<u64>>,
    /// The approximate number of boards of a range, repeats included.
    size: usize,
}

impl BoardRange {
    /// The boards of `files` within some bounds. A worker merges about `most` boards at once.
    pub(super) fn new(files: Vec<Part>, within: Range<u64>, most: usize) -> Self {
        let mut firsts = Vec::new();
        for file in &files {
            let begins = blocks(file, &within).map(|block| file.first(block));
            firsts.extend(begins.filter(|&first| within.contains(&first)));
        }
        firsts.sort_unstable();
        let at_once = (AT_ONCE * files.len())
            .max(FIT / BLOCK)
            .min(most / BLOCK)
            .max(1);
        let mut ranges = Vec::new();
        let mut low = within.start;
        for &high in firsts.iter().skip(at_once).step_by(at_once) {
            if high > low {
                ranges.push(low..high);
                low = high;
            }
        }
        if !files.is_empty() {
            ranges.push(low..within.end);
        }
        Self {
            files,
            ranges,
            size: at_once * BLOCK,
        }
    }
}

/// The blocks of a file that may hold boards within some bounds.
fn blocks(file: &Part, within: &Range<u64>) -> Range<usize> {
    let first = file.block_of(within.start).unwrap_or(0);
    let end = file.block_of(within.end).map_or(0, |block| block + 1);
    first..end
}

impl Source for BoardRange {
    fn tasks(&self) -> Vec<usize> {
        vec![self.size; self.ranges.len()]
    }

    /// The candidates are counted while they are read.
    fn tally(&self) -> Tally {
        Tally::default()
    }

    fn produce(&self, task: usize, worker: &mut Worker, boards: &mut Vec<Board>) -> Result<Tally> {
        let range = &self.ranges[task];
        boards.clear();
        for file in &self.files {
            let from = boards.len();
            for block in blocks(file, range) {
                file.read_block(block, &mut worker.decoder, boards)?;
            }
            let place = |board| from + boards[from..].partition_point(|&other| other < board);
            let [begin, end] = [range.start, range.end].map(place);
            boards.truncate(end);
            boards.drain(from..begin);
        }
        let candidates = boards.len();
        // This sort finds the sorted boards of each file, and merges them.
        boards.sort();
        boards.dedup();
        Ok(Tally {
            candidates: candidates as u64,
            unique: boards.len() as u64,
            duplicates: (candidates - boards.len()) as u64,
            ..Tally::default()
        })
    }
}

/// The boards at ranges of positions in sorted files, file by file.
pub(super) struct PositionRange {
    files: Vec<Part>,
    /// Each task's file, block, and range of positions in the block.
    tasks: Vec<(usize, usize, Range<usize>)>,
}

impl PositionRange {
    pub(super) fn new(ranges: impl Iterator<Item = (Part, Range<u64>)>) -> Self {
        let (mut files, mut tasks) = (Vec::new(), Vec::new());
        for (number, (file, range)) in ranges.enumerate() {
            let size = file.block_size();
            for block in range.start / size..range.end.div_ceil(size) {
                let at = block * size;
                let within = |position: u64| (position.max(at) - at).min(size) as usize;
                let boards = within(range.start)..within(range.end);
                tasks.push((number, block as usize, boards));
            }
            files.push(file);
        }
        Self { files, tasks }
    }
}

impl Source for PositionRange {
    fn tasks(&self) -> Vec<usize> {
        self.tasks.iter().map(|(.., boards)| boards.len()).collect()
    }

    fn produce(&self, task: usize, worker: &mut Worker, states: &mut Vec<Board>) -> Result<Tally> {
        let (file, block, boards) = &self.tasks[task];
        states.clear();
        self.files[*file].read_block(*block, &mut worker.decoder, states)?;
        states.truncate(boards.end);
        states.drain(..boards.start);
        Ok(Tally {
            unique: states.len() as u64,
            ..Tally::default()
        })
    }
}

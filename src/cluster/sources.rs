//! The input of tasks: sorted files of keys, as sources of boards.
//!
//! A [`KeyRange`] merges the boards of a range of keys from many files. A [`PositionRange`] takes a
//! range of positions from files that are read one after another.

use std::mem;
use std::ops::Range;

use crate::engine::{Bounds, Source, Worker, Workers, union_all};
use crate::error::Result;
use crate::game::key::KeyCodec;
use crate::game::{Board, Tally};
use crate::part::{Decoder, Part};
use crate::per_thread::PerThread;

/// Boards of a block of the files between stages. Blocks are small because a task of the next stage
/// reads a small range of many files, and only whole blocks can be read.
pub(super) const BLOCK: usize = 1 << 11;

/// Blocks of a file that are read at once, on average. With fewer blocks, more of the boards read
/// would lie outside the range.
const AT_ONCE: usize = 8;

/// Boards that fit a core's cache while they are merged.
const FIT: usize = 1 << 16;

/// The boards of a range of keys in sorted files, each board once.
pub(super) struct KeyRange {
    files: Vec<Part>,
    /// The ranges that are merged at once.
    ranges: Vec<Bounds>,
    /// The approximate number of boards of a range, repeats included.
    size: usize,
    /// For each thread, the keys that it read from each file.
    runs: PerThread<Vec<Vec<u64>>>,
    codec: KeyCodec,
}

impl KeyRange {
    /// The keys of `files` within some bounds. A worker merges about `most` keys at once.
    pub(super) fn new(
        files: Vec<Part>,
        within: Bounds,
        codec: KeyCodec,
        most: usize,
        workers: &Workers,
    ) -> Self {
        let mut firsts = Vec::new();
        for file in &files {
            let begins = blocks(file, within).map(|block| file.first(block));
            firsts.extend(begins.filter(|&first| within.contain(first)));
        }
        firsts.sort_unstable();
        let at_once = (AT_ONCE * files.len())
            .max(FIT / BLOCK)
            .min(most / BLOCK)
            .max(1);
        let mut ranges = Vec::new();
        let mut low = within.low;
        for &high in firsts.iter().skip(at_once).step_by(at_once) {
            if high > low {
                ranges.push(Bounds { low, high });
                low = high;
            }
        }
        if !files.is_empty() {
            ranges.push(Bounds { low, ..within });
        }
        Self {
            runs: workers.per_thread(|_| vec![Vec::new(); files.len()]),
            files,
            ranges,
            size: at_once * BLOCK,
            codec,
        }
    }
}

/// The blocks of a file that may hold boards within some bounds.
fn blocks(file: &Part, within: Bounds) -> Range<usize> {
    let first = file.block_of(within.low).unwrap_or(0);
    let end = if within.is_last() {
        file.blocks()
    } else {
        file.block_of(within.high).map_or(0, |block| block + 1)
    };
    first..end
}

/// Read the keys of a file within some bounds into `keys`.
fn read(file: &Part, within: Bounds, decoder: &mut Decoder, keys: &mut Vec<u64>) -> Result<()> {
    keys.clear();
    for block in blocks(file, within) {
        file.read_block(block, decoder, keys)?;
    }
    if !within.is_last() {
        keys.truncate(keys.partition_point(|&key| key < within.high));
    }
    keys.drain(..keys.partition_point(|&key| key < within.low));
    Ok(())
}

impl Source for KeyRange {
    fn tasks(&self) -> Vec<usize> {
        vec![self.size; self.ranges.len()]
    }

    fn produce(&self, task: usize, worker: &mut Worker, states: &mut Vec<Board>) -> Result<Tally> {
        let runs = &mut *self.runs.lock(worker.index);
        for (file, run) in self.files.iter().zip(runs.iter_mut()) {
            read(file, self.ranges[task], &mut worker.decoder, run)?;
        }
        let candidates: usize = runs.iter().map(Vec::len).sum();
        union_all(runs, states);
        mem::swap(&mut runs[0], states);
        self.codec.decode_all(states);
        Ok(Tally {
            candidates: candidates as u64,
            unique: states.len() as u64,
            duplicates: (candidates - states.len()) as u64,
            ..Tally::default()
        })
    }
}

/// The boards between two positions of sorted files that are read one after another.
pub(super) struct PositionRange {
    files: Vec<Part>,
    blocks: Vec<BlockRange>,
    codec: KeyCodec,
}

/// Part of a block.
struct BlockRange {
    file: usize,
    block: usize,
    boards: Range<usize>,
}

impl PositionRange {
    /// The boards at the positions `from..to` of `files`.
    pub(super) fn new(files: Vec<Part>, from: u64, to: u64, codec: KeyCodec) -> Self {
        let mut blocks = Vec::new();
        // The position of the file's first board.
        let mut begin = 0;
        for (number, file) in files.iter().enumerate() {
            let (size, end) = (file.block_size(), begin + file.states());
            let (first, last) = (from.max(begin), to.min(end));
            if first < last {
                for block in (first - begin) / size..(last - begin).div_ceil(size) {
                    let at = begin + block * size;
                    let within = |position: u64| (position.max(at) - at).min(size) as usize;
                    blocks.push(BlockRange {
                        file: number,
                        block: block as usize,
                        boards: within(first)..within(last),
                    });
                }
            }
            begin = end;
        }
        Self {
            files,
            blocks,
            codec,
        }
    }
}

impl Source for PositionRange {
    fn tasks(&self) -> Vec<usize> {
        self.blocks.iter().map(|range| range.boards.len()).collect()
    }

    fn tally(&self) -> Tally {
        Tally {
            candidates: self.tasks().iter().map(|&boards| boards as u64).sum(),
            ..Tally::default()
        }
    }

    fn produce(&self, task: usize, worker: &mut Worker, states: &mut Vec<Board>) -> Result<Tally> {
        let BlockRange {
            file,
            block,
            ref boards,
        } = self.blocks[task];
        states.clear();
        self.files[file].read_block(block, &mut worker.decoder, states)?;
        states.truncate(boards.end);
        states.drain(..boards.start);
        self.codec.decode_all(states);
        Ok(Tally {
            unique: states.len() as u64,
            ..Tally::default()
        })
    }
}

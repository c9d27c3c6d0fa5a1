//! What many sorted files of keys hold of a range, merged.

use std::mem;
use std::ops::Range;

use crate::engine::Bounds;
use crate::engine::{Source, Tally, Worker, Workers, union_all};
use crate::error::Result;
use crate::game::Board;
use crate::game::key::KeyCodec;
use crate::part::{Decoder, Part};
use crate::per_thread::PerThread;

/// Boards of a block of the files that tasks hand to each other: few, as a task of another stage
/// reads a small section of each of many files, and reads whole blocks.
pub(super) const BLOCK: usize = 1 << 11;

/// Blocks that are read of a file at once, on average, so that little of them is outside of what is
/// merged.
const AT_ONCE: usize = 8;

/// Boards that merge well: they fit a core's cache.
const FIT: usize = 1 << 16;

/// The boards of a range of keys in sorted files, each board once.
pub(super) struct Sections {
    files: Vec<Part>,
    /// What is merged at once, and about how many boards that is, repeats included.
    pieces: Vec<(Bounds, usize)>,
    /// What a thread has read of each file.
    runs: PerThread<Vec<Vec<u64>>>,
    codec: KeyCodec,
}

impl Sections {
    /// What files hold within some bounds, up to about `most` of them merged at once by each of the
    /// workers.
    pub(super) fn new(
        files: Vec<Part>,
        within: Bounds,
        codec: KeyCodec,
        most: usize,
        workers: &Workers,
    ) -> Self {
        let mut firsts = Vec::new();
        for file in &files {
            let blocks = blocks(file, within);
            let begun = blocks.map(|block| file.first(block));
            firsts.extend(begun.filter(|&first| within.contain(first)));
        }
        firsts.sort_unstable();
        let at_once = (AT_ONCE * files.len())
            .max(FIT / BLOCK)
            .min(most / BLOCK)
            .max(1);
        let mut pieces = Vec::new();
        let mut low = within.low;
        for cut in (at_once..firsts.len()).step_by(at_once) {
            let high = firsts[cut];
            if high > low {
                pieces.push((Bounds { low, high }, at_once * BLOCK));
                low = high;
            }
        }
        let last = Bounds {
            low,
            high: within.high,
        };
        if !files.is_empty() {
            pieces.push((last, at_once * BLOCK));
        }
        Self {
            runs: workers.per_thread(|_| vec![Vec::new(); files.len()]),
            files,
            pieces,
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

/// Read what a file holds within some bounds into `keys`.
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

impl Source for Sections {
    fn tasks(&self) -> Vec<usize> {
        self.pieces.iter().map(|&(_, boards)| boards).collect()
    }

    fn tally(&self) -> Tally {
        Tally::default()
    }

    fn produce(&self, task: usize, worker: &mut Worker, states: &mut Vec<Board>) -> Result<Tally> {
        let (within, _) = self.pieces[task];
        let runs = &mut *self.runs.lock(worker.index);
        for (file, run) in self.files.iter().zip(runs.iter_mut()) {
            read(file, within, &mut worker.decoder, run)?;
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

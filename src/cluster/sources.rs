//! The input of tasks: sorted files of boards, as sources.
//!
//! A [`BoardRange`] merges the boards of a range from many files. A [`PositionRange`] takes
//! ranges of positions from files that are read one after another.

use std::mem;
use std::ops::Range;

use crate::engine::{PerThread, Source, Worker, Workers};
use crate::error::Result;
use crate::game::{Board, Tally};
use crate::part::{Decoder, Part};

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
    /// For each thread, the boards that it read from each file.
    runs: PerThread<Vec<Vec<u64>>>,
}

impl BoardRange {
    /// The boards of `files` within some bounds. A worker merges about `most` boards at once.
    pub(super) fn new(
        files: Vec<Part>,
        within: Range<u64>,
        most: usize,
        workers: &Workers,
    ) -> Self {
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
            runs: workers.per_thread(|| vec![Vec::new(); files.len()]),
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

/// Replace `boards` by the boards of a file within some bounds.
fn read(
    file: &Part,
    within: &Range<u64>,
    decoder: &mut Decoder,
    boards: &mut Vec<Board>,
) -> Result<()> {
    boards.clear();
    for block in blocks(file, within) {
        file.read_block(block, decoder, boards)?;
    }
    boards.truncate(boards.partition_point(|&board| board < within.end));
    boards.drain(..boards.partition_point(|&board| board < within.start));
    Ok(())
}

impl Source for BoardRange {
    fn tasks(&self) -> Vec<usize> {
        vec![self.size; self.ranges.len()]
    }

    /// The candidates are counted while they are read.
    fn tally(&self) -> Tally {
        Tally::default()
    }

    fn produce(&self, task: usize, worker: &mut Worker, states: &mut Vec<Board>) -> Result<Tally> {
        let runs = &mut *self.runs.lock(worker.index);
        for (file, run) in self.files.iter().zip(runs.iter_mut()) {
            read(file, &self.ranges[task], &mut worker.decoder, run)?;
        }
        let candidates: usize = runs.iter().map(Vec::len).sum();
        union_all(runs, states);
        mem::swap(&mut runs[0], states);
        Ok(Tally {
            candidates: candidates as u64,
            unique: states.len() as u64,
            duplicates: (candidates - states.len()) as u64,
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

/// Replace `out` by the strictly increasing union of two strictly increasing lists. About 2 ns a
/// value; no branch depends on the data while both lists last.
fn union(a: &[u64], b: &[u64], out: &mut Vec<u64>) {
    out.resize(a.len() + b.len(), 0);
    let (mut i, mut j, mut n) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        out[n] = x.min(y);
        n += 1;
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    for rest in [&a[i..], &b[j..]] {
        out[n..n + rest.len()].copy_from_slice(rest);
        n += rest.len();
    }
    out.truncate(n);
}

/// Put the union of strictly increasing lists into the first list, in rounds that merge pairs of
/// lists. The other lists and `spare` then hold no useful data.
fn union_all(lists: &mut [Vec<u64>], spare: &mut Vec<u64>) {
    let mut apart = 1;
    while apart < lists.len() {
        for lists in lists.chunks_mut(2 * apart) {
            if let Some((firsts, seconds)) = lists.split_at_mut_checked(apart)
                && let [second, ..] = seconds
            {
                union(&firsts[0], second, spare);
                mem::swap(&mut firsts[0], spare);
            }
        }
        apart *= 2;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn merging_is_set_union(sets in prop::collection::vec(
            // Some have the highest bit.
            prop::collection::btree_set((0u64..300).prop_map(|low| low.rotate_right(4)), 0..80),
            0..9,
        )) {
            let expected: BTreeSet<u64> = sets.iter().flatten().copied().collect();
            let lists = sets.into_iter().map(|set| set.into_iter().collect());
            // There is at least one list. The spare buffer was used before.
            let mut lists: Vec<Vec<u64>> = lists.chain([Vec::new()]).collect();
            union_all(&mut lists, &mut vec![7; 90]);
            prop_assert_eq!(&lists[0], &expected.into_iter().collect::<Vec<_>>());
        }
    }
}

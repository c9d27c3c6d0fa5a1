//! The loop over the pairs of a layer.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

use super::afterstates::Afterstates;
use super::half::Half;
use super::halves::{Halves, Tables};
use super::kernels::{BitLine, LINE, bit};
use super::listing::Listing;
use super::pair::{Pair, PairCounts, PairScratch};
use super::slide::MovedPair;
use crate::engine::frontier::Frontier;
use crate::engine::workers::{Done, Worker, Workers};
use crate::error::Result;
use crate::game::{Game, images};
use crate::per_thread::PerThread;

/// Counts layer after layer.
pub(crate) struct Sweep<'a> {
    game: Game,
    workers: &'a Workers,
    halves: Halves,
    scratch: PerThread<PairScratch>,
    /// The afterstates of the last sum, and of the sum before it.
    before: [Afterstates; 2],
    /// The afterstates of the layer that is being counted.
    next: Afterstates,
    /// Half the sum of the layer.
    weight: usize,
}

impl<'a> Sweep<'a> {
    /// Begin with the layer of sum `2 * weight`. `last` is half the sum of the last layer.
    pub(crate) fn new(
        game: &Game,
        weight: usize,
        last: usize,
        workers: &'a Workers,
        threads: usize,
    ) -> Result<Self> {
        Ok(Self {
            game: *game,
            workers,
            halves: workers.install(|| Halves::new(game, last)),
            scratch: PerThread::new(threads, |thread| Ok(PairScratch::new(thread)))?,
            before: Default::default(),
            next: Afterstates::default(),
            weight,
        })
    }

    /// Load the afterstates of the last two sums from their files.
    pub(crate) fn load(&mut self, frontier: &Frontier) -> Result<()> {
        for (afterstates, back) in self.before.iter_mut().zip([1, 2]) {
            let weight = self.weight - back;
            let parts = frontier.of_sum(2 * weight as u32);
            afterstates.load(weight, &parts, &self.halves, self.workers)?;
            afterstates.turn(&self.halves, self.workers)?;
        }
        Ok(())
    }

    /// Count the layer. With a `listing`, also list its live states. Now and then, calls `report`
    /// with the number of live states that were found since the last call.
    pub(crate) fn count(
        &mut self,
        listing: Option<&Listing>,
        report: &mut (dyn FnMut(u64) + Send),
    ) -> Result<PairCounts> {
        let weight = self.weight;
        let live = AtomicU64::new(0);
        let mut report = || report(live.swap(0, Ordering::Relaxed));
        let starts = self.game.starts(2 * weight as u32).into_iter();
        let images = starts.flat_map(images::<4, 4>);
        let starts: Vec<(Half, Half)> = images.map(Half::of_board).collect();
        self.next.reset(weight, &self.halves)?;
        self.next.moved.fill(|moved| {
            let pairs = self.halves.pairs(weight);
            let count = |worker: &mut Worker, &(top, bottom): &(usize, usize)| {
                let pair = Pair::new(
                    &self.game,
                    &self.halves,
                    &self.before,
                    &starts,
                    (top, bottom),
                );
                let mut upright =
                    (top != bottom).then(|| moved[top].lock().expect("no thread panics"));
                let mut flipped = moved[bottom].lock().expect("no thread panics");
                let out = MovedPair {
                    rows: pair.rows,
                    columns: pair.columns,
                    upright: upright.as_deref_mut(),
                    flipped: &mut flipped,
                };
                let mut scratch = self.scratch.lock(worker.index);
                let found = pair.sweep(&mut scratch, out, listing, self.workers);
                // A layer can follow, so no board of this one may stay.
                let found = found.inspect_err(|_| *scratch = PairScratch::new(worker.index))?;
                live.fetch_add(found.named.live.iter().sum(), Ordering::Relaxed);
                Ok(found)
            };
            self.workers.each_watched(&pairs, count, &mut report)
        })
    }

    /// Advance to the next layer.
    pub(crate) fn advance(&mut self) -> Result<()> {
        let [last, before] = &mut self.before;
        mem::swap(last, before);
        mem::swap(last, &mut self.next);
        // Reuse the memory for moves down.
        mem::swap(&mut last.down_on_full, &mut self.next.down_on_full);
        mem::swap(&mut last.down_on_short, &mut self.next.down_on_short);
        self.weight += 1;
        last.turn(&self.halves, self.workers)
    }

    /// Whether no layer follows the layer that was counted.
    pub(crate) fn ends(&self) -> bool {
        self.next.moved.is_empty() && self.before[0].moved.is_empty()
    }

    /// List the canonical afterstates of the last sum, or else of the sum before it. Calls `report`
    /// now and then.
    pub(crate) fn list_afterstates(
        &self,
        last: bool,
        listing: &Listing,
        report: &mut (dyn FnMut() + Send),
    ) -> Result<()> {
        let afterstates = &self.before[usize::from(!last)];
        let tops = self.halves.largest_first(afterstates.weight);
        let list = |worker: &mut Worker, &top: &usize| {
            let mut scratch = self.scratch.lock(worker.index);
            self.list(afterstates, top, listing, &mut scratch)?;
            Ok(Done)
        };
        self.workers
            .each_watched(&tops, list, report)
            .map(|Done| ())
    }

    /// List the canonical afterstates with a top half of weight `top` that has an empty cell. Also
    /// list their flips with a full top half.
    fn list(
        &self,
        afterstates: &Afterstates,
        top: usize,
        listing: &Listing,
        scratch: &mut PairScratch,
    ) -> Result<()> {
        let PairScratch { row, flipped, .. } = scratch;
        let matrix = &mut scratch.matrices[0];
        matrix.make(afterstates, top, &self.halves, &mut scratch.permuter)?;
        if !matrix.has_bits {
            return Ok(());
        }
        let tables = &self.halves.tables;
        let (rows, columns) = (&tables[top], &tables[afterstates.weight - top]);
        let mut list = |half: Half, max: u8, row: &[BitLine], columns: &Tables| {
            let (canonical, lister) = (&mut scratch.canonical, &mut scratch.lister);
            canonical.find((half, max), row, None, columns, false, |max, boards| {
                lister.add(max, boards);
            });
            listing.add(half, lister)
        };
        matrix.for_each_row(rows, columns, row, |position, half, row| {
            list(half, rows.census.max[position as usize], row, columns)
        })?;
        for line in columns.class.full_lines() {
            matrix.flip_line(line, rows, flipped)?;
            for at in 0..LINE {
                let position = (line * LINE + at) as u32;
                if bit(&columns.census.full, position) {
                    let half = columns.class.half(position);
                    let max = columns.census.max[position as usize];
                    list(half, max, flipped.row(at), rows)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    use super::super::afterstate_matrix::AfterstateMatrix;
    use super::super::census::EXPONENTS;
    use super::super::matrix::Permuter;
    use crate::engine::Plan;
    use crate::game::{Board, Exp, Moved, max_exp, sum};

    /// A slow count of all boards in all orientations, one by one.
    struct NaiveCount {
        game: Game,
        states: HashSet<Board>,
        /// The afterstates of the last sum, and of the sum before it.
        afterstates: [HashSet<Board>; 2],
    }

    impl NaiveCount {
        fn advance(&mut self, layer: u32) {
            let starts = self.game.starts(layer);
            let mut states: HashSet<Board> = starts.into_iter().flat_map(images::<4, 4>).collect();
            for (afterstates, tile) in self.afterstates.iter().zip([Exp::TWO, Exp::FOUR]) {
                let spawned = afterstates
                    .iter()
                    .flat_map(|&board| self.game.spawns(board, tile));
                states.extend(spawned);
            }
            let moves = states.iter().flat_map(|&board| self.game.moves(board));
            let afterstates = moves.filter_map(|moved| match moved {
                Moved::To(board) => Some(board),
                _ => None,
            });
            self.afterstates.swap(0, 1);
            self.afterstates[0] = afterstates.collect();
            self.states = states;
        }

        fn labeled(&self) -> [u64; EXPONENTS] {
            let mut labeled = [0; EXPONENTS];
            for &board in &self.states {
                labeled[usize::from(max_exp(board).get())] += 1;
            }
            labeled
        }
    }

    /// All boards of the matrices that are derived from some afterstates.
    fn boards(afterstates: &Afterstates, halves: &Halves) -> Vec<Board> {
        let (mut matrix, mut permuter) = (AfterstateMatrix::default(), Permuter::default());
        let mut row = Vec::new();
        let mut boards = Vec::new();
        for top in 0..=afterstates.weight {
            matrix
                .make(afterstates, top, halves, &mut permuter)
                .unwrap();
            if !matrix.has_bits {
                continue;
            }
            let (rows, columns) = (
                &halves.tables[top],
                &halves.tables[afterstates.weight - top],
            );
            let visited = matrix.for_each_row(rows, columns, &mut row, |_, half, row| {
                for (position, other) in columns.class.halves() {
                    if position as usize / LINE < row.len() && bit(row, position) {
                        boards.push(Half::board(half, other));
                    }
                }
                Ok(())
            });
            visited.unwrap();
        }
        boards
    }

    #[test]
    fn layers_have_the_boards_of_a_naive_count() {
        for (name, last) in [("4x4-8", u32::MAX), ("4x4-16", 32), ("4x4", 26)] {
            let game: Game = name.parse().unwrap();
            let last = last.min(game.sum_bound());
            let workers = Workers::start(&Plan::new(1 << 30, 2).unwrap()).unwrap();
            let mut sweep = Sweep::new(&game, 2, last as usize / 2, &workers, 2).unwrap();
            let mut naive = NaiveCount {
                game,
                states: HashSet::new(),
                afterstates: Default::default(),
            };
            for layer in (4..=last).step_by(2) {
                naive.advance(layer);
                let found = sweep.count(None, &mut |_| ()).unwrap();
                assert_eq!(found.states.labeled, naive.labeled(), "{name} {layer}");
                let ends = naive.afterstates.iter().all(HashSet::is_empty);
                assert_eq!(sweep.ends(), ends, "{name} {layer}");
                sweep.advance().unwrap();
                let boards = boards(&sweep.before[0], &sweep.halves);
                let found: HashSet<Board> = boards.iter().copied().collect();
                assert_eq!(found.len(), boards.len(), "{name} {layer}: each once");
                assert!(found.iter().all(|&board| sum(board) == layer));
                let has_gap = |&&board: &&Board| !Half::of_board(board).0.is_full();
                let expected: HashSet<Board> = naive.afterstates[0]
                    .iter()
                    .filter(has_gap)
                    .copied()
                    .collect();
                assert!(found == expected, "{name} {layer}: afterstates");
            }
        }
    }
}

//! The loop over the pairs of a layer.
//!
//! Key idea: a layer is swept in batches of pairs, and each batch has its own moves down. If one
//! batch has all pairs, the next layer uses its moves down, too.

use std::ops::{AddAssign, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::{iter, mem};

use super::afterstates::Afterstates;
use super::counts::BoardCounts;
use super::counts::PairCounts;
use super::half::Half;
use super::listing::Listing;
use super::moves_down::{MovesDown, MovesDownScratch};
use super::pair::{Pair, PairScratch};
use super::pair_batch::PairBatch;
use super::tables::Halves;
use crate::engine::plan::Plan;
use crate::engine::workers::{Worker, Workers};
use crate::error::Result;
use crate::game::{Game, images};
use crate::per_thread::PerThread;

/// Counts layer after layer.
pub(crate) struct Sweep<'a> {
    pub(super) game: Game,
    pub(super) workers: &'a Workers,
    pub(super) halves: Arc<Halves>,
    scratch: PerThread<PairScratch>,
    /// The afterstates of the last sum, and of the sum before it.
    pub(super) before: [Afterstates; 2],
    /// Their moves down.
    moves_down: [MovesDown; 2],
    moves_down_scratch: MovesDownScratch,
    /// Most bytes of moves down of a batch, if it has more than one pair.
    most_moves_down: u64,
    /// The afterstates of the layer that is being counted.
    pub(super) next: Afterstates,
    /// Half the sum of the layer.
    pub(super) weight: usize,
    /// The weights of the lighter halves of the pairs to sweep.
    lighter: Range<usize>,
}

impl<'a> Sweep<'a> {
    /// Begin with the layer of sum `2 * weight`, given the halves of the boards of all layers.
    pub(crate) fn new(
        game: &Game,
        weight: usize,
        halves: Arc<Halves>,
        workers: &'a Workers,
        plan: &Plan,
    ) -> Result<Self> {
        Ok(Self {
            game: *game,
            workers,
            halves,
            scratch: PerThread::new(plan.threads(), |thread| Ok(PairScratch::new(thread)))?,
            before: [0, 0].map(Afterstates::new),
            moves_down: Default::default(),
            moves_down_scratch: MovesDownScratch::new(plan.turn),
            most_moves_down: plan.moves_down,
            next: Afterstates::new(0),
            weight,
            lighter: 0..usize::MAX,
        })
    }

    /// Sweep only the pairs whose lighter halves have these weights.
    pub(super) fn restrict(&mut self, lighter: Range<usize>) {
        self.lighter = lighter;
    }

    /// Hold at most so many bytes of moves down from now on.
    pub(crate) fn limit_moves_down(&mut self, bytes: u64) {
        self.most_moves_down = bytes;
    }

    /// Like [`Self::limit_moves_down`]. Moves down that take more bytes are dropped, and made again when
    /// they are needed.
    pub(crate) fn shrink_moves_down(&mut self, bytes: u64) {
        self.limit_moves_down(bytes);
        if self.moves_down.iter().map(MovesDown::bytes).sum::<u64>() > bytes {
            self.moves_down = Default::default();
        }
    }

    /// Count the layer. With a `listing`, also list its live states. Now and then, calls `report`
    /// with the number of live states that were found since the last call.
    pub(crate) fn count(
        &mut self,
        listing: Option<&Listing>,
        report: &mut (dyn FnMut(u64) + Send),
    ) -> Result<PairCounts> {
        let Self {
            weight,
            halves,
            workers,
            before,
            moves_down,
            moves_down_scratch,
            next,
            lighter,
            ..
        } = self;
        let weight = *weight;
        let mut pairs = halves.pairs(weight);
        pairs.retain(|(top, _)| lighter.contains(top));
        let live = AtomicU64::new(0);
        let mut report = || report(live.swap(0, Ordering::Relaxed));
        let starts = self.game.starts(2 * weight as u32).into_iter();
        let images = starts.flat_map(images::<4, 4>);
        let starts: Vec<(Half, Half)> = images.map(Half::of_board).collect();
        *next = Afterstates::new(weight);
        let moved = Mutex::new(&mut next.moved);
        let mut all = PairCounts::default();
        for batch in PairBatch::cut(weight, &pairs, [1, 2], self.most_moves_down, halves) {
            for ((moves_down, before), tops) in moves_down.iter_mut().zip(&*before).zip(&batch.tops)
            {
                moves_down.make(before, tops, moves_down_scratch, halves, workers)?;
            }
            let count = |worker: &mut Worker, &(top, bottom): &(usize, usize)| {
                let pair = Pair {
                    game: &self.game,
                    halves,
                    before,
                    moves_down,
                    starts: &starts,
                    top,
                    bottom,
                    rows: &halves.tables[top],
                    columns: &halves.tables[bottom],
                };
                let mut scratch = self.scratch.lock(worker.index);
                let found = pair.sweep(&mut scratch, listing, workers);
                // The memory may hold boards of this layer, and another layer can follow.
                let (found, [upright, flipped]) =
                    found.inspect_err(|_| *scratch = PairScratch::new(worker.index))?;
                live.fetch_add(found.named.live.iter().sum(), Ordering::Relaxed);
                let mut moved = moved.lock().expect("no thread panics");
                (moved[top], moved[bottom]) = (upright, flipped);
                Ok(found)
            };
            all += workers.each_watched(&batch.pairs, count, &mut report)?;
        }
        Ok(all)
    }

    /// Advance to the next layer.
    pub(crate) fn advance(&mut self) {
        let [last, before] = &mut self.before;
        mem::swap(last, before);
        mem::swap(last, &mut self.next);
        self.moves_down.swap(0, 1);
        self.weight += 1;
    }

    /// Whether no layer follows the layer that was counted.
    pub(crate) fn ends(&self) -> bool {
        self.next.is_empty() && self.before[0].is_empty()
    }

    /// Count the afterstates of the last sum, or of the sum before it if `back` is 1.
    pub(crate) fn count_afterstates(&mut self, back: usize) -> Result<BoardCounts> {
        let count = |this: &Self, top: usize, scratch: &mut PairScratch| {
            let weight = this.before[back].weight;
            scratch.matrices[0].count(weight, top, &this.halves, &mut scratch.row)
        };
        self.visit_afterstates(back, count, &mut || ())
    }

    /// Make the matrix of the afterstates of a sum for each weight of the top half, and call `visit`
    /// with the weight and the memory that has the matrix.
    pub(super) fn visit_afterstates<R: Default + AddAssign + Send>(
        &mut self,
        back: usize,
        visit: impl Fn(&Self, usize, &mut PairScratch) -> Result<R> + Sync,
        report: &mut (dyn FnMut() + Send),
    ) -> Result<R> {
        let weight = self.before[back].weight;
        let mut all = R::default();
        let most = self
            .most_moves_down
            .saturating_sub(self.moves_down[1 - back].bytes());
        let pairs = self.halves.pairs(weight);
        for batch in PairBatch::cut(weight, &pairs, [0], most, &self.halves) {
            let [tops] = &batch.tops;
            let (before, scratch) = (&self.before[back], &mut self.moves_down_scratch);
            self.moves_down[back].make(before, tops, scratch, &self.halves, self.workers)?;
            let this = &*self;
            let visit = |worker: &mut Worker, &top: &usize| {
                let scratch = &mut *this.scratch.lock(worker.index);
                let (before, moves_down) = (&this.before[back], &this.moves_down[back]);
                let (matrix, permuter) = (&mut scratch.matrices[0], &mut scratch.permuter);
                matrix.make(before, moves_down, top, &this.halves, permuter)?;
                visit(this, top, scratch)
            };
            let pairs = batch.pairs.iter();
            let tops = pairs.flat_map(|&(top, bottom)| {
                iter::once(top).chain((top != bottom).then_some(bottom))
            });
            all += this
                .workers
                .each_watched(&tops.collect::<Vec<_>>(), visit, report)?;
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    use super::super::afterstate_matrix::AfterstateMatrix;
    use super::super::counts::EXPONENTS;
    use super::super::kernels::{LINE, bit};
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
    fn boards(afterstates: &Afterstates, halves: &Halves, workers: &Workers) -> Vec<Board> {
        let (mut matrix, mut permuter) = (AfterstateMatrix::default(), Permuter::default());
        let mut moves_down = MovesDown::default();
        let tops = halves.tops(afterstates.weight).collect();
        moves_down
            .make(
                afterstates,
                &tops,
                &mut MovesDownScratch::new(0),
                halves,
                workers,
            )
            .unwrap();
        let mut row = Vec::new();
        let mut boards = Vec::new();
        for top in 0..=afterstates.weight {
            matrix
                .make(afterstates, &moves_down, top, halves, &mut permuter)
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
        let large = Plan::new(1 << 30, 2).unwrap();
        for (name, last, plan) in [
            ("4x4-8", u32::MAX, &large),
            ("4x4-16", 32, &large),
            // With a batch for each pair.
            ("4x4-16", 32, &Plan::tiny(2)),
            ("4x4", 26, &large),
        ] {
            let game: Game = name.parse().unwrap();
            let last = last.min(game.sum_bound());
            let workers = Workers::start(plan).unwrap();
            let halves = Arc::new(Halves::new(&game, last as usize / 2));
            let mut sweep = Sweep::new(&game, 2, halves, &workers, plan).unwrap();
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
                sweep.advance();
                let boards = boards(&sweep.before[0], &sweep.halves, &workers);
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

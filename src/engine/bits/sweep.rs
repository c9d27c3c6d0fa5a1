//! The loop over the pairs of a layer, and the afterstates between layers, in memory and in files.
//!
//! Key idea: a layer is swept in batches of pairs, and each batch has its own moves down. If one
//! batch has all pairs, the next layer uses its moves down, too. Pairs of neighbouring weights need
//! nearly the same moves down. So a batch of neighbours needs few moves down, which fit the memory,
//! and many of them are there from the batch before.

use std::collections::BTreeSet;
use std::ops::{AddAssign, Range};
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::afterstates::Afterstates;
use super::counts::{BoardCounts, PairCounts, compare_afterstates};
use super::half::Half;
use super::kernels::{BitLine, LINE, bit};
use super::listing::Listing;
use super::moves_down::{TurnScratch, make_moves_down, most_bytes};
use super::pair::{Pair, PairScratch};
use super::tables::{Halves, Sides};
use crate::counts::Row;
use crate::engine::PerThread;
use crate::engine::frontier::Frontier;
use crate::engine::plan::Plan;
use crate::engine::workers::{Done, Worker, Workers};
use crate::error::{Error, Result};
use crate::game::{Game, PartKey, images};
use crate::part::MatrixFile;
use crate::store::{Run, Store};

/// Counts layer after layer.
pub(crate) struct Sweep<'a> {
    pub(super) game: Game,
    pub(super) workers: &'a Workers,
    pub(super) halves: Arc<Halves>,
    scratch: PerThread<PairScratch>,
    /// The afterstates of the layer that is being counted, of the last sum, and of the sum before it.
    pub(super) afterstates: [Afterstates; 3],
    /// Scratch memory for a quarter turn, and its bytes.
    turn: u64,
    turned: TurnScratch,
    /// Most bytes of moves down of a batch, if it has more than one pair.
    pub(super) most_moves_down: u64,
    /// The weight of the layer's boards.
    weight: usize,
    /// The weights of the lighter halves of the pairs to sweep.
    pub(super) lighter: Range<usize>,
}

impl<'a> Sweep<'a> {
    /// Begin with the layer of a sum, given the halves of the boards of all layers.
    pub(crate) fn new(
        game: &Game,
        sum: u32,
        halves: Arc<Halves>,
        workers: &'a Workers,
        plan: &Plan,
    ) -> Self {
        let scratch = (0..plan.threads()).map(|_| PairScratch::default());
        Self {
            game: *game,
            weight: halves.weights.of_sum(sum),
            workers,
            halves,
            scratch: PerThread::of(scratch),
            afterstates: [0; 3].map(Afterstates::new),
            turn: plan.turn,
            turned: TurnScratch::default(),
            most_moves_down: plan.moves_down,
            lighter: 0..usize::MAX,
        }
    }

    /// Hold at most so many bytes of moves down from now on. Moves down that take more bytes are
    /// dropped, and made again when they are needed.
    pub(crate) fn shrink_moves_down(&mut self, bytes: u64) {
        self.most_moves_down = bytes;
        let before = &mut self.afterstates[1..];
        let held = before.iter().map(Afterstates::bytes_of_moves_down);
        if held.sum::<u64>() > bytes {
            for before in before {
                before.moves_down.clear();
            }
        }
    }

    /// Load the afterstates of one of the last two sums from the files of a run. Returns the file of
    /// matrices that was read.
    pub(super) fn load(&mut self, sum: u32, run: &Run) -> Result<Option<MatrixFile>> {
        let file = run.matrices(sum)?;
        if let Some(file) = &file {
            self.load_matrices(sum, slice::from_ref(file))?;
        } else {
            let frontier = Frontier::open(run)?;
            let (at, weight) = (self.at(sum), self.halves.weights.of_sum(sum));
            let mut loaded = Afterstates::new(weight);
            loaded.load(&frontier.of_sum(sum), &self.halves, self.workers)?;
            self.afterstates[at] = loaded;
        }
        Ok(file)
    }

    /// Load the afterstates of one of the last two sums from files of matrices.
    pub(super) fn load_matrices(&mut self, sum: u32, files: &[MatrixFile]) -> Result<()> {
        let (at, weight) = (self.at(sum), self.halves.weights.of_sum(sum));
        let mut loaded = Afterstates::new(weight);
        for file in files {
            loaded.read(file, &self.halves, self.workers)?;
        }
        self.afterstates[at] = loaded;
        Ok(())
    }

    /// The place of the afterstates of a sum: of the layer, or of one of the last two sums.
    fn at(&self, sum: u32) -> usize {
        self.weight - self.halves.weights.of_sum(sum)
    }

    /// Like [`Self::load`], but compare matrices with the table.
    pub(super) fn load_compared(&mut self, sum: u32, run: &Run) -> Result<()> {
        let Some(file) = self.load(sum, run)? else {
            return Ok(());
        };
        let (counts, rows) = (self.count_afterstates(sum)?, run.rows(sum));
        for max in self.game.top().up_to() {
            let row = Row::among(&rows, PartKey { sum, max });
            compare_afterstates(&row, &counts).map_err(|error| match error {
                Error::Law { place, law } => Error::damaged(file.path(), format!("{place}: {law}")),
                other => other,
            })?;
        }
        Ok(())
    }

    /// Write, as matrices, the afterstates of the layer that was counted, or of one of the last two
    /// sums. Returns the bytes of the file.
    pub(crate) fn write(&self, sum: u32, level: i32, store: &mut Store) -> Result<u64> {
        let afterstates = &self.afterstates[self.at(sum)];
        if afterstates.is_empty() {
            return Ok(0);
        }
        store.write_matrices(sum, |append| afterstates.write(&self.halves, level, append))
    }

    /// Count the layer. With a `listing`, also list its live states. Now and then, calls `report`
    /// with the number of live states that were found since the last call.
    pub(crate) fn count(
        &mut self,
        listing: Option<&Listing>,
        report: &mut (dyn FnMut(u64) + Send),
    ) -> Result<PairCounts> {
        let Self {
            game,
            weight,
            halves,
            workers,
            scratch,
            afterstates: [found, before @ ..],
            turn,
            turned,
            ..
        } = self;
        let (weight, turn) = (*weight, *turn);
        let live = AtomicU64::new(0);
        let mut report = || report(live.swap(0, Ordering::Relaxed));
        let starts = game.starts(halves.weights.sum(weight)).into_iter();
        let images = starts.flat_map(images::<4, 4>);
        let mut starts: Vec<(Half, Half)> = images.map(Half::of_board).collect();
        starts.sort_unstable();
        *found = Afterstates::new(weight);
        let moved = Mutex::new(&mut found.moved);
        let mut all = PairCounts::default();
        for batch in batches(weight, &self.lighter, &[1, 2], self.most_moves_down, halves) {
            for (before, back) in before.iter_mut().zip([1, 2]) {
                let tops = tops_of_moves_down(&batch, weight, back, halves);
                make_moves_down(before, &tops, turn, turned, halves, workers)?;
            }
            let count = |worker: &mut Worker, &top: &usize| {
                let bottom = weight - top;
                let pair = Pair {
                    game,
                    halves,
                    before,
                    starts: &starts,
                    top,
                    bottom,
                };
                let mut scratch = scratch.lock(worker.index);
                let mut lister = listing.map(|listing| listing.of_thread(worker.index));
                let counted = pair.sweep(&mut scratch, lister.as_deref_mut(), workers);
                let (counts, [upright, flipped]) = counted?;
                live.fetch_add(counts.named.live.iter().sum(), Ordering::Relaxed);
                let mut moved = moved.lock().expect("no thread panics");
                (moved[top], moved[bottom]) = (upright, flipped);
                Ok(counts)
            };
            let tops = halves.largest_first(weight, |top| batch.contains(&top));
            all += workers.each_watched(&tops, count, &mut report)?;
        }
        Ok(all)
    }

    /// Advance to the next layer.
    pub(crate) fn advance(&mut self) {
        self.afterstates.rotate_right(1);
        self.afterstates[0] = Afterstates::new(0);
        self.weight += 1;
    }

    /// Whether no layer follows the layer that was counted.
    pub(crate) fn ends(&self) -> bool {
        self.afterstates[..2].iter().all(Afterstates::is_empty)
    }

    /// Count the afterstates of one of the last two sums.
    pub(crate) fn count_afterstates(&mut self, sum: u32) -> Result<BoardCounts> {
        let count = |_: &Worker, sides: Sides, scratch: &mut PairScratch| {
            scratch.matrices[0].count(sides, &mut scratch.row)
        };
        self.visit_afterstates(sum, count, &mut || ())
    }

    /// List the canonical afterstates of one of the last two sums. Calls `report` now and then.
    pub(crate) fn list_afterstates(
        &mut self,
        sum: u32,
        listing: &Listing,
        report: &mut (dyn FnMut() + Send),
    ) -> Result<()> {
        let list = |worker: &Worker, sides: Sides, scratch: &mut PairScratch| {
            let mut lister = listing.of_thread(worker.index);
            let PairScratch { row, flipped, .. } = scratch;
            let matrix = &scratch.matrices[0];
            let mut list = |Sides { rows, columns }: Sides, position, row: &[BitLine]| {
                let half = rows.class.half(position);
                let exponents = rows.census.exponents(half);
                scratch
                    .canonical
                    .find(half, row, columns, false, |_, bottoms| {
                        lister.add(exponents.clone(), bottoms);
                    });
                lister.end_row(half)
            };
            matrix.for_each_row(sides, row, |position, _, row| list(sides, position, row))?;
            // Their flips with a full top half.
            let columns = sides.columns;
            for line in columns.class.full_lines() {
                matrix.flip_line(line, sides.rows, flipped)?;
                for at in 0..LINE {
                    let position = (line * LINE + at) as u32;
                    if bit(&columns.census.full, position) {
                        list(sides.flipped(), position, flipped.row(at))?;
                    }
                }
            }
            Ok(Done)
        };
        let Done = self.visit_afterstates(sum, list, report)?;
        Ok(())
    }

    /// Make the matrix of the afterstates of one of the last two sums for each weight of the top half.
    /// If it has bits, call `visit` with the halves and the memory that has the matrix.
    fn visit_afterstates<R: Default + AddAssign + Send>(
        &mut self,
        sum: u32,
        visit: impl Fn(&Worker, Sides, &mut PairScratch) -> Result<R> + Sync,
        report: &mut (dyn FnMut() + Send),
    ) -> Result<R> {
        let at = self.at(sum);
        let other = &self.afterstates[3 - at];
        let most = self
            .most_moves_down
            .saturating_sub(other.bytes_of_moves_down());
        let (weight, halves) = (self.halves.weights.of_sum(sum), &self.halves);
        let mut all = R::default();
        for batch in batches(weight, &(0..usize::MAX), &[0], most, halves) {
            let tops = tops_of_moves_down(&batch, weight, 0, halves);
            let before = &mut self.afterstates[at];
            let (turn, turned) = (self.turn, &mut self.turned);
            make_moves_down(before, &tops, turn, turned, halves, self.workers)?;
            let tops = halves.largest_first(weight, |top| tops.contains(&top));
            let visit = |worker: &mut Worker, &top: &usize| {
                let scratch = &mut *self.scratch.lock(worker.index);
                scratch.matrices[0].make(before, top, halves)?;
                if !scratch.matrices[0].has_bits {
                    return Ok(R::default());
                }
                visit(worker, halves.sides(top, weight - top), scratch)
            };
            all += self.workers.each_watched(&tops, visit, report)?;
        }
        Ok(all)
    }
}

/// Cut the pairs of boards of weight `weight` into batches, each with at most `most` bytes of moves
/// down, or with one pair. A batch is a range of weights of the lighter half, as `lighter` is. The
/// moves down are lighter than the boards by each of `back`.
///
/// Even layers begin with the lightest top halves and odd layers with the heaviest. So the next layer
/// begins with the moves down that were made last.
fn batches(
    weight: usize,
    lighter: &Range<usize>,
    back: &[usize],
    most: u64,
    halves: &Halves,
) -> Vec<Range<usize>> {
    // Bytes of the moves down that a pair adds to those of its batch.
    let (mut held, mut bytes) = (BTreeSet::new(), 0);
    let added = |held: &mut BTreeSet<_>, top: usize| -> u64 {
        let of_half = |half: usize| {
            let needs = back.iter().flat_map(move |&back| [(back, 0), (back, back)]);
            needs.filter_map(move |(back, less)| Some((back, half.checked_sub(less)?)))
        };
        let mut needs: Vec<_> = of_half(top).chain(of_half(weight - top)).collect();
        needs.retain(|&(back, top)| {
            halves.weights.has_top(weight - back, top) && held.insert((back, top))
        });
        let bytes = needs
            .iter()
            .map(|&(back, top)| most_bytes(weight - back, top, halves));
        bytes.sum()
    };
    let mut batches: Vec<Range<usize>> = Vec::new();
    let tops = halves.tops(weight);
    for top in tops.filter(|top| *top <= weight / 2 && lighter.contains(top)) {
        bytes += added(&mut held, top);
        match batches.last_mut() {
            Some(last) if bytes <= most => last.end = top + 1,
            _ => {
                held.clear();
                bytes = added(&mut held, top);
                batches.push(top..top + 1);
            }
        }
    }
    if weight % 2 == 1 {
        batches.reverse();
    }
    batches
}

/// The weights of the top halves of the moves down that a batch needs. Their boards, and one half of
/// each, are lighter than the boards of the batch by `back`.
fn tops_of_moves_down(
    batch: &Range<usize>,
    weight: usize,
    back: usize,
    halves: &Halves,
) -> Vec<usize> {
    let has = |half: usize| batch.contains(&half.min(weight - half));
    let tops = halves.tops(weight - back);
    tops.filter(|&top| has(top) || has(top + back)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    use super::super::afterstate_matrix::AfterstateMatrix;
    use super::super::counts::EXPONENTS;
    use super::super::kernels::{LINE, bit};
    use crate::engine::Plan;
    use crate::game::{Board, Exp, Moved};

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
                labeled[usize::from(self.game.max_exp(board).get())] += 1;
            }
            labeled
        }
    }

    /// All boards of the matrices that are derived from some afterstates.
    fn boards(afterstates: &mut Afterstates, halves: &Halves, workers: &Workers) -> Vec<Board> {
        let mut matrix = AfterstateMatrix::default();
        let tops: Vec<usize> = halves.tops(afterstates.weight).collect();
        make_moves_down(
            afterstates,
            &tops,
            0,
            &mut TurnScratch::default(),
            halves,
            workers,
        )
        .unwrap();
        let mut row = Vec::new();
        let mut boards = Vec::new();
        for top in tops {
            matrix.make(afterstates, top, halves).unwrap();
            if !matrix.has_bits {
                continue;
            }
            let sides = halves.sides(top, afterstates.weight - top);
            let visited = matrix.for_each_row(sides, &mut row, |_, half, row| {
                for (position, other) in sides.columns.class.halves() {
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
            ("free5-16", 14, &Plan::tiny(2)),
            // More stones than a half has cells.
            ("free3-8", u32::MAX, &large),
        ] {
            let game: Game = name.parse().unwrap();
            let last = last.min(game.sum_bound());
            let workers = Workers::start(plan).unwrap();
            let halves = Arc::new(Halves::new(&game, last as usize / 2, |_| true));
            let mut sweep = Sweep::new(&game, 4, halves, &workers, plan);
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
                let boards = boards(&mut sweep.afterstates[1], &sweep.halves, &workers);
                let found: HashSet<Board> = boards.iter().copied().collect();
                assert_eq!(found.len(), boards.len(), "{name} {layer}: each once");
                assert!(found.iter().all(|&board| game.sum(board) == layer));
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

//! A layer: all pairs of halves' weights.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

use super::afterstates::Afterstates;
use super::half::Half;
use super::halves::Halves;
use super::kernels::{BitLine, LINE};
use super::listing::Listing;
use super::pair::{Pair, PairCounts};
use super::scratch::PairScratch;
use super::slide::MovedPair;
use super::tables::Tables;
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
    /// The afterstates of the last sum, and of the one before.
    before: [Afterstates; 2],
    /// Those that the layer leads to, while it is counted.
    next: Afterstates,
    /// Half the sum of the layer.
    weight: usize,
}

impl<'a> Sweep<'a> {
    /// Begin with the layer of sum `2 * weight`, after the afterstates of the last sum and of the
    /// one before; `last` is the greatest weight that will be counted.
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

    /// Take up the afterstates of the last two sums from their files.
    pub(crate) fn take_up(&mut self, frontier: &Frontier) -> Result<()> {
        for (afterstates, back) in self.before.iter_mut().zip([1, 2]) {
            let weight = self.weight - back;
            let parts = frontier.of_sum(2 * weight as u32);
            afterstates.load(weight, &parts, &self.halves, self.workers)?;
            afterstates.complete(&self.halves, self.workers)?;
        }
        Ok(())
    }

    /// Count the layer; list its live states if there is a `listing`. Meanwhile `report` is told now
    /// and then how many live states were found since the last time.
    pub(crate) fn count(
        &mut self,
        listing: Option<&Listing>,
        report: &mut (dyn FnMut(u64) + Send),
    ) -> Result<PairCounts> {
        let weight = self.weight;
        let live = AtomicU64::new(0);
        let mut report = || report(live.swap(0, Ordering::Relaxed));
        let starts = self.starts();
        self.next.reset(weight, &self.halves)?;
        self.next.moved.make(|moved| {
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
                    upright: upright.as_deref_mut(),
                    flipped: &mut flipped,
                };
                let found = pair.sweep(&mut self.scratch.lock(worker.index), out, listing)?;
                live.fetch_add(found.named.live.iter().sum(), Ordering::Relaxed);
                Ok(found)
            };
            self.workers.each_watched(&pairs, count, &mut report)
        })
    }

    /// Go on to the layer after the one that was counted.
    pub(crate) fn advance(&mut self) -> Result<()> {
        let [last, before] = &mut self.before;
        mem::swap(last, before);
        mem::swap(last, &mut self.next);
        last.inherit(&mut self.next);
        self.weight += 1;
        last.complete(&self.halves, self.workers)
    }

    /// Whether no layer follows the one that was counted.
    pub(crate) fn ends(&self) -> bool {
        self.next.is_empty() && self.before[0].is_empty()
    }

    /// List the canonical afterstates of the last sum, or of the one before. Calls `report` now and
    /// then.
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
        let listed = self.workers.each_watched(&tops, list, report);
        listed.map(|Done| ())
    }

    /// List the canonical afterstates of which the top half has weight `top` and an empty cell, and
    /// those of which the bottom half has, and the top half is full.
    fn list(
        &self,
        afterstates: &Afterstates,
        top: usize,
        listing: &Listing,
        scratch: &mut PairScratch,
    ) -> Result<()> {
        let PairScratch {
            slabs: [slab, _],
            mirror,
            row,
            canonical,
            lister,
            flipped,
            ..
        } = scratch;
        slab.make(afterstates, top, &self.halves, mirror)?;
        if slab.empty {
            return Ok(());
        }
        let tables = &self.halves.tables;
        let (rows, columns) = (&tables[top], &tables[afterstates.weight - top]);
        let mut list = |half: Half, max: u8, row: &[BitLine], columns: &Tables| {
            canonical.find((half, max), row, None, columns, false, |max, boards| {
                lister.add(max, boards);
            });
            listing.add(half, lister)
        };
        slab.rows(rows, columns, row, |position, half, row| {
            list(half, rows.max[position as usize], row, columns)
        })?;
        for line in columns.class.full() {
            slab.flip_line(line, rows, flipped)?;
            for at in 0..LINE {
                let position = (line * LINE + at) as u32;
                let half = columns.class.half(position).filter(|half| half.full());
                if let Some(half) = half {
                    list(half, columns.max[position as usize], flipped.row(at), rows)?;
                }
            }
        }
        Ok(())
    }

    /// The starts of this layer in all orientations.
    fn starts(&self) -> Vec<(Half, Half)> {
        let starts = self.game.starts(2 * self.weight as u32).into_iter();
        let images = starts.flat_map(images::<4, 4>);
        images.map(Half::of_board).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    use super::super::census::EXPONENTS;
    use super::super::kernels::bit;
    use super::super::mirror::Mirror;
    use super::super::slab::Slab;
    use crate::engine::Plan;
    use crate::game::{Board, Exp, Moved, max_exp, sum};

    /// The slow twin: all boards of some sums in all orientations, one by one.
    struct Closed {
        game: Game,
        states: HashSet<Board>,
        /// Of the last sum, and of the one before.
        afterstates: [HashSet<Board>; 2],
    }

    impl Closed {
        fn layer(&mut self, layer: u32) {
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

    /// All boards of the slabs that are made of some afterstates.
    fn boards(afterstates: &Afterstates, halves: &Halves) -> Vec<Board> {
        let (mut slab, mut mirror, mut row) = (Slab::default(), Mirror::default(), Vec::new());
        let mut boards = Vec::new();
        for top in 0..=afterstates.weight {
            slab.make(afterstates, top, halves, &mut mirror).unwrap();
            if slab.empty {
                continue;
            }
            let (rows, columns) = (
                &halves.tables[top],
                &halves.tables[afterstates.weight - top],
            );
            let Ok(()) = slab.rows(rows, columns, &mut row, |_, half, row| {
                for (position, other) in columns.class.halves() {
                    if position as usize / LINE < row.len() && bit(row, position) {
                        boards.push(Half::board(half, other));
                    }
                }
                Ok::<_, std::convert::Infallible>(())
            });
        }
        boards
    }

    #[test]
    fn every_board_of_a_layer_is_that_of_a_naive_closed_set() {
        for (name, last) in [("4x4-8", u32::MAX), ("4x4-16", 32), ("4x4", 26)] {
            let game: Game = name.parse().unwrap();
            let last = last.min(game.sum_bound());
            let workers = Workers::start(&Plan::new(1 << 30, 2).unwrap()).unwrap();
            let mut sweep = Sweep::new(&game, 2, last as usize / 2, &workers, 2).unwrap();
            let mut closed = Closed {
                game,
                states: HashSet::new(),
                afterstates: Default::default(),
            };
            for layer in (4..=last).step_by(2) {
                closed.layer(layer);
                let found = sweep.count(None, &mut |_| ()).unwrap();
                assert_eq!(found.states.labeled, closed.labeled(), "{name} {layer}");
                let ends = closed.afterstates.iter().all(HashSet::is_empty);
                assert_eq!(sweep.ends(), ends, "{name} {layer}");
                sweep.advance().unwrap();
                let boards = boards(&sweep.before[0], &sweep.halves);
                let found: HashSet<Board> = boards.iter().copied().collect();
                assert_eq!(found.len(), boards.len(), "{name} {layer}: each once");
                assert!(found.iter().all(|&board| sum(board) == layer));
                let open = |&&board: &&Board| !Half::of_board(board).0.full();
                let expected: HashSet<Board> =
                    closed.afterstates[0].iter().filter(open).copied().collect();
                assert!(found == expected, "{name} {layer}: afterstates");
            }
        }
    }
}

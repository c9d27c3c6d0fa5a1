//! A layer: all pairs of halves' weights.

use std::cmp::Reverse;
use std::mem;
use std::sync::Mutex;

use super::afterstates::Afterstates;
use super::half::Half;
use super::halves::Halves;
use super::matrix::Matrix;
use super::names::Named;
use super::pair::{Found, MovedPair, Pair, Scratch};
use crate::engine::frontier::Frontier;
use crate::engine::lists::Listing;
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::game::{Exp, Game};
use crate::per_thread::PerThread;

/// Counts layer after layer.
pub(crate) struct Sweep<'a> {
    game: Game,
    workers: &'a Workers,
    halves: Halves,
    scratch: PerThread<Scratch>,
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
            scratch: PerThread::new(threads, |thread| Ok(Scratch::new(thread)))?,
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

    /// Count the layer, and list its live states if there is a listing. Can be done again.
    pub(crate) fn count(&mut self, listing: Option<&Listing>) -> Result<Found> {
        let weight = self.weight;
        let starts = self.starts();
        self.next.reset(weight);
        let moved = mem::take(&mut self.next.moved).into_iter().map(Mutex::new);
        let moved: Vec<Mutex<Matrix>> = moved.collect();
        let [last, before] = &self.before;
        let found = self.workers.each(&self.pairs(), |worker, &(top, bottom)| {
            let pair = Pair {
                game: &self.game,
                halves: &self.halves,
                before: [last, before],
                starts: &starts,
                top,
                bottom,
                listing,
            };
            let mut upright = (top != bottom).then(|| moved[top].lock().expect("no thread panics"));
            let mut flipped = moved[bottom].lock().expect("no thread panics");
            let out = MovedPair {
                upright: upright.as_deref_mut(),
                flipped: &mut flipped,
            };
            pair.sweep(&mut self.scratch.lock(worker.index), out)
        })?;
        let moved = moved.into_iter().map(|moved| moved.into_inner().expect("no thread panics"));
        self.next.moved = moved.collect();
        self.next.look();
        Ok(found)
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

    /// List the canonical afterstates of the last sum, or of the one before.
    pub(crate) fn list_afterstates(&self, last: bool, listing: &Listing) -> Result<Named> {
        let afterstates = &self.before[usize::from(!last)];
        let tops: Vec<usize> = (0..=afterstates.weight).collect();
        self.workers.each(&tops, |worker, &top| {
            afterstates.list(top, &self.halves, listing, &mut self.scratch.lock(worker.index))
        })
    }

    /// The pairs of weights of the layer, the largest first.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let least = self.weight.saturating_sub(self.halves.most());
        let pairs = (least..=self.weight / 2).map(|top| (top, self.weight - top));
        let mut pairs: Vec<(usize, usize)> = pairs.collect();
        let lines = |weight: usize| self.halves.tables[weight].class.lines();
        pairs.sort_by_key(|&(top, bottom)| Reverse(lines(top) * lines(bottom)));
        pairs
    }

    /// The starts of this layer in all orientations.
    fn starts(&self) -> Vec<(Half, Half)> {
        let mut starts = Vec::new();
        for first in 0..16 {
            for second in 0..first {
                for a in [Exp::TWO, Exp::FOUR] {
                    for b in [Exp::TWO, Exp::FOUR] {
                        if (a.tile() + b.tile()) as usize == 2 * self.weight {
                            let board = u64::from(a.get()) << (4 * first) | u64::from(b.get()) << (4 * second);
                            starts.push(Half::of_board(board));
                        }
                    }
                }
            }
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::super::census::Counts;
    use super::*;
    use crate::engine::Plan;
    use crate::counts::Table;

    fn compare(name: &str, until: u32) {
        let path = format!("results/{name}.csv");
        let table = Table::read_csv(std::fs::File::open(path).unwrap()).unwrap();
        let game: Game = name.parse().unwrap();
        let begun = std::time::Instant::now();
        let threads = std::env::var("THREADS").map_or(1, |text| text.parse().unwrap());
        let workers = Workers::start(&Plan::new(1 << 30, threads).unwrap()).unwrap();
        let last = game.sum_bound() as usize / 2;
        let mut sweep = Sweep::new(&game, 2, last, &workers, threads).unwrap();
        println!("tables {:?}", begun.elapsed());
        let mut sum = 2;
        let mut states = 0;
        while sum < until.min(table.last_sum()) {
            let counted = sweep.count(None).unwrap();
            sweep.advance().unwrap();
            sum += 2;
            for row in table.layer(sum) {
                let exp = usize::from(Exp::of_tile(row.max_tile).unwrap().get());
                let Counts { labeled, states, moves, wins, dead, .. } = counted.states;
                let found = [labeled[exp], (labeled[exp] + states[exp] - dead[exp]) / 8, dead[exp] / 8, moves[exp] / 8, wins[exp] / 8];
                assert_eq!(found, [row.labeled, row.live, row.dead, row.moves, row.wins], "{sum} {}", row.max_tile);
                assert_eq!(counted.named.live[exp], row.live, "{sum} {}", row.max_tile);
                assert_eq!(counted.named.fingerprints[exp], row.fingerprint, "{sum} {}", row.max_tile);
            }
            for row in table.layer(sum - 2) {
                let exp = usize::from(Exp::of_tile(row.max_tile).unwrap().get());
                let Counts { labeled, states, empty_cells, .. } = counted.afterstates;
                assert_eq!([(labeled[exp] + states[exp]) / 8, empty_cells[exp] / 8], [row.afterstates, row.empty_cells], "{sum} {}", row.max_tile);
            }
            if std::env::var("SAY").is_ok() {
                println!("{sum} {} {:?}", counted.named.live.iter().sum::<u64>(), begun.elapsed());
            }
            states += counted.named.live.iter().sum::<u64>();
        }
        let time = begun.elapsed();
        println!("{name}: {states} states in {time:?}, {:.1} ns each", time.as_nanos() as f64 / states as f64);
    }

    #[test]
    fn all_of_4x4_to_8() {
        compare("4x4-8", u32::MAX);
    }

    #[test]
    fn all_of_4x4_to_16() {
        compare("4x4-16", u32::MAX);
    }

    #[test]
    fn all_of_4x4_to_32() {
        compare("4x4-32", std::env::var("UNTIL").map_or(u32::MAX, |text| text.parse().unwrap()));
    }

    #[test]
    fn some_of_4x4_to_64() {
        compare("4x4-64", std::env::var("UNTIL").map_or(80, |text| text.parse().unwrap()));
    }
}

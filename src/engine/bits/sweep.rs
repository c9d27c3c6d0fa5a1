//! A layer: all pairs of halves' weights.

use std::cmp::Reverse;
use std::mem;
use std::sync::Mutex;

use super::afterstates::Afterstates;
use super::half::Half;
use super::halves::Halves;
use super::matrix::Matrix;
use super::pair::{Found, MovedPair, Pair, Scratch};
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::game::{Exp, Game};
use crate::per_thread::PerThread;

/// Counts a game, layer by layer.
pub(crate) struct Sweep {
    game: Game,
    halves: Halves,
    scratch: PerThread<Scratch>,
    /// The afterstates of the last sum, of the one before, and memory for those of the next.
    before: [Afterstates; 2],
    next: Afterstates,
    weight: usize,
}

impl Sweep {
    pub(crate) fn new(game: &Game, most: usize, threads: usize) -> Result<Self> {
        Ok(Self {
            game: *game,
            halves: Halves::new(game.win().get(), most, true),
            scratch: PerThread::new(threads, |_| Ok(Scratch::new()))?,
            before: Default::default(),
            next: Afterstates::default(),
            weight: 1,
        })
    }

    /// Count the next layer.
    pub(crate) fn layer(&mut self, workers: &Workers) -> Result<Found> {
        self.weight += 1;
        let weight = self.weight;
        let starts = self.starts();
        self.next.reset(weight);
        let moved = mem::take(&mut self.next.moved).into_iter().map(Mutex::new);
        let moved: Vec<Mutex<Matrix>> = moved.collect();
        let [last, before] = &self.before;
        let found = workers.each(&self.pairs(), |worker, &(top, bottom)| {
            let pair = Pair {
                game: &self.game,
                halves: &self.halves,
                before: [last, before],
                starts: &starts,
                top,
                bottom,
            };
            let mut upright = (top != bottom).then(|| moved[top].lock().expect("no thread panics"));
            let mut flipped = moved[bottom].lock().expect("no thread panics");
            let out = MovedPair {
                upright: upright.as_deref_mut(),
                flipped: &mut flipped,
            };
            Ok(pair.sweep(&mut self.scratch.lock(worker.index), out))
        })?;
        let moved = moved.into_iter().map(|moved| moved.into_inner().expect("no thread panics"));
        self.next.moved = moved.collect();
        self.next.complete(&self.halves, workers)?;
        self.before.swap(0, 1);
        mem::swap(&mut self.before[0], &mut self.next);
        Ok(found)
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
        let mut sweep = Sweep::new(&game, usize::MAX, threads).unwrap();
        println!("tables {:?}", begun.elapsed());
        let mut sum = 2;
        let mut states = 0;
        while sum < until.min(table.last_sum()) {
            let counted = sweep.layer(&workers).unwrap();
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

//! A layer: all pairs of halves' weights.

use super::afterstates::Afterstates;
use super::census::Counts;
use super::half::Half;
use super::halves::Halves;
use super::pair::{Pair, Scratch};
use crate::game::{Exp, Game};
use crate::part::Fingerprint;

/// Counts a game, layer by layer.
pub(crate) struct Sweep {
    game: Game,
    halves: Halves,
    scratch: Scratch,
    /// The afterstates of the last sum, and of the one before.
    before: [Afterstates; 2],
    weight: usize,
}

/// What was counted in a layer.
pub(crate) struct Counted {
    pub(crate) sum: u32,
    pub(crate) states: Counts,
    pub(crate) afterstates: Counts,
    pub(crate) named: [u64; 17],
    pub(crate) fingerprints: [Fingerprint; 17],
}

impl Sweep {
    pub(crate) fn new(game: &Game, most: usize) -> Self {
        Self {
            game: *game,
            halves: Halves::new(game.win().get(), most, true),
            scratch: Scratch::new(),
            before: Default::default(),
            weight: 1,
        }
    }

    /// Count the next layer.
    pub(crate) fn layer(&mut self) -> Counted {
        self.weight += 1;
        let weight = self.weight;
        let most = self.halves.most();
        let starts = self.starts();
        let mut states = Counts::default();
        let mut after = Afterstates::new(weight);
        for top in weight.saturating_sub(most)..=weight / 2 {
            let pair = Pair {
                game: &self.game,
                halves: &self.halves,
                before: [&self.before[0], &self.before[1]],
                starts: &starts,
                top,
                bottom: weight - top,
            };
            let (counts, moved) = pair.sweep(&mut self.scratch);
            states += counts;
            if top != weight - top {
                after.moved[top] = moved.upright;
            }
            after.moved[weight - top] = moved.flipped;
        }
        after.find_rare(&self.halves);
        let afterstates = std::mem::take(&mut self.scratch.afterstates);
        let (named, fingerprints) = self.scratch.names.finish();
        let [last, before] = &mut self.before;
        std::mem::swap(last, before);
        *last = after;
        Counted {
            sum: 2 * weight as u32,
            states,
            afterstates,
            named,
            fingerprints,
        }
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
    use super::*;
    use crate::counts::Table;

    fn compare(name: &str, until: u32) {
        let path = format!("results/{name}.csv");
        let table = Table::read_csv(std::fs::File::open(path).unwrap()).unwrap();
        let game: Game = name.parse().unwrap();
        let begun = std::time::Instant::now();
        let mut sweep = Sweep::new(&game, usize::MAX);
        println!("tables {:?}", begun.elapsed());
        let mut sum = 2;
        let mut states = 0;
        while sum < until.min(table.last_sum()) {
            let counted = sweep.layer();
            sum = counted.sum;
            for row in table.layer(sum) {
                let exp = usize::from(Exp::of_tile(row.max_tile).unwrap().get());
                let Counts { labeled, states, moves, wins, dead, .. } = counted.states;
                let found = [labeled[exp], (labeled[exp] + states[exp] - dead[exp]) / 8, dead[exp] / 8, moves[exp] / 8, wins[exp] / 8];
                assert_eq!(found, [row.labeled, row.live, row.dead, row.moves, row.wins], "{sum} {}", row.max_tile);
                assert_eq!(counted.named[exp], row.live, "{sum} {}", row.max_tile);
                assert_eq!(counted.fingerprints[exp], row.fingerprint, "{sum} {}", row.max_tile);
            }
            for row in table.layer(sum - 2) {
                let exp = usize::from(Exp::of_tile(row.max_tile).unwrap().get());
                let Counts { labeled, states, empty_cells, .. } = counted.afterstates;
                assert_eq!([(labeled[exp] + states[exp]) / 8, empty_cells[exp] / 8], [row.afterstates, row.empty_cells], "{sum} {}", row.max_tile);
            }
            states += counted.named.iter().sum::<u64>();
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
}


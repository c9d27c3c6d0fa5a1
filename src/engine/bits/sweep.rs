//! A layer: all pairs of halves' weights.

use super::afterstates::Afterstates;
use super::census::Counts;
use super::half::Half;
use super::halves::Halves;
use super::matrix::Matrix;
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
    pub(crate) named: [u64; 17],
    pub(crate) fingerprints: [Fingerprint; 17],
}

impl Sweep {
    pub(crate) fn new(game: &Game, most: usize) -> Self {
        Self {
            game: *game,
            halves: Halves::new(game.win().get(), most, true),
            scratch: Scratch::new(game),
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
        let (named, fingerprints) = self.scratch.names.finish();
        let [last, before] = &mut self.before;
        std::mem::swap(last, before);
        *last = after;
        Counted {
            sum: 2 * weight as u32,
            states,
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
                let found = [labeled[exp], states[exp] / 8 - dead[exp] / 8, dead[exp] / 8, moves[exp] / 8, wins[exp] / 8];
                assert_eq!(found, [row.labeled, row.live, row.dead, row.moves, row.wins], "{sum} {}", row.max_tile);
                assert_eq!(counted.named[exp], row.live, "{sum} {}", row.max_tile);
                assert_eq!(counted.fingerprints[exp], row.fingerprint, "{sum} {}", row.max_tile);
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

#[cfg(test)]
mod debug {
    use super::super::afterstates::{Mirror, Slab};
    use super::super::kernels::ones;
    use super::*;
    use crate::game::{Board, Moved};
    use std::collections::BTreeSet;

    #[test]
    fn naive() {
        let game: Game = "4x4-8".parse().unwrap();
        let mut sweep = Sweep::new(&game, usize::MAX);
        let mut before: [BTreeSet<Board>; 2] = Default::default();
        for weight in 2..=15 {
            let mut states: BTreeSet<Board> = BTreeSet::new();
            sweep.weight = weight - 1;
            sweep.layer();
            states.extend(sweep.starts().iter().map(|&(a, b)| Half::board(a, b)));
            for (from, exp) in before.iter().zip([Exp::TWO, Exp::FOUR]) {
                for &board in from {
                    states.extend(game.spawns(board, exp));
                }
            }
            let mut after: BTreeSet<Board> = BTreeSet::new();
            for &state in &states {
                for moved in game.moves(state) {
                    if let Moved::To(board) = moved {
                        after.insert(board);
                    }
                }
            }
            let mut lefts = BTreeSet::new();
            for &state in &states {
                if let Moved::To(board) = game.moves(state)[3] {
                    if !Half::of_board(board).0.full() { lefts.insert(board); }
                }
            }
            let mut kept_lefts = BTreeSet::new();
            for top in weight.saturating_sub(sweep.halves.most())..=weight.min(sweep.halves.most()) {
                let (rows, columns) = (&sweep.halves.tables[top], &sweep.halves.tables[weight - top]);
                for row in 0..rows.class.rows() {
                    let half = rows.class.half(rows.class.position_of_row(row)).unwrap();
                    for bit in ones(sweep.before[0].moved[top].row(row)) {
                        kept_lefts.insert(Half::board(half, columns.class.half(bit).unwrap()));
                    }
                }
            }
            println!("  lefts {} kept {}", lefts.len(), kept_lefts.len());
            for b in lefts.difference(&kept_lefts).take(5) { println!("  left missing {b:016x}"); }
            let mut found = BTreeSet::new();
            let mut slab = Slab::default();
            let kept = &sweep.before[0];
            let halves = &sweep.halves;
            for top in weight.saturating_sub(halves.most())..=weight.min(halves.most()) {
                slab.make(kept, top, halves, &mut Mirror::default());
                if slab.empty { continue; }
                let (rows, columns) = (&halves.tables[top], &halves.tables[weight - top]);
                for (slot, &position) in rows.open.iter().enumerate() {
                    let half = rows.class.half(position).unwrap();
                    for bit in ones(slab.rows.row(slot)).chain(slab.rest(slot as u32)) {
                        found.insert(Half::board(half, columns.class.half(bit).unwrap()));
                    }
                }
            }
            let top_open: BTreeSet<Board> = after.iter().copied().filter(|&b| !Half::of_board(b).0.full()
               && !(Half::of_board(b).0.outward() && Half::of_board(b).1.full() && false)).collect();
            println!("weight {weight}: {} states, {} after, {} top open, {} found", states.len(), after.len(), top_open.len(), found.len());
            for b in found.difference(&top_open).take(5) { println!("  false {b:016x}"); }
            if weight == 14 { for b in top_open.iter().filter(|&&b| b >> 32 == 0) { println!("  want {b:016x} {}", found.contains(b)); }
              println!("quads {:x?}", halves.quads.full(7)); println!("7: {:?} {:?}", halves.block(7, super::super::half::Quad(0)), 0);
              let m = &kept.moved[7]; for r in 0..8 { println!("row {r} {:?} {:x}", halves.tables[7].class.half(r), m.row(r as usize)[0].0[0]); } }
            for b in top_open.difference(&found).take(5) { println!("  missing {b:016x}"); }
            before = [after, std::mem::take(&mut before[0])];
        }
    }
}

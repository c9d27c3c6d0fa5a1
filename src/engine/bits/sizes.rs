//! The memory that matrices need, computed before any matrix is made, and the disk space for a
//! frontier.
//!
//! Key idea: polynomials count the halves of each weight. The coefficient of x^w counts the halves
//! of weight w, and a product combines cells, columns or rows.

use std::ops::RangeInclusive;

use super::half::Half;
use super::kernels::{BitLine, LINE};
use super::moves_down::most_packed;
use crate::engine::plan::Plan;
use crate::game::Game;
use crate::store::Store;

/// Greatest weight of a half that is considered. No memory holds the tables of heavier halves.
const HEAVIEST: usize = 1 << 12;

/// Bytes of tables per half. Measured: 72.
const TABLES: u64 = 75;

/// Bits of masks per half, for each exponent and for each pair of exponents.
const MASKS_OF_EXPONENT: u64 = 9;
const MASKS_OF_PAIR: u64 = 5;

/// How many times smaller packed matrices are, at least. Measured in 4x4 to 64: 4.5 times in the
/// largest layer, 3 times or more in all layers.
const PACKED: u64 = 3;

/// Bytes on disk to expect beside packed matrices, and for the manifest and the table.
const FILE_BYTES: u64 = 64 << 10;
const TABLE_BYTES: u64 = 192 << 10;

/// Cut the pairs of the layer of a sum into at most `groups` groups of neighbours with about equal work.
/// Returns the weight of the first lighter half of each group, but 0 for the first group.
pub(crate) fn cut_pairs(game: &Game, sum: u32, groups: u64, plan: &Plan) -> Vec<usize> {
    let sizes = Sizes::new(game, sum, plan);
    let weight = sum as usize / 2;
    let most = weight.min(sizes.heaviest);
    let pairs = weight - most..=weight / 2;
    let boards = pairs.map(|top| {
        (
            top,
            u128::from(sizes.all[top]) * u128::from(sizes.all[weight - top]),
        )
    });
    let boards: Vec<(usize, u128)> = boards.collect();
    let all: u128 = boards.iter().map(|(_, boards)| boards).sum();
    let groups = u128::from(groups);
    let (mut firsts, mut before) = (vec![0], 0);
    for (top, boards) in boards {
        if before * groups >= all * firsts.len() as u128 {
            firsts.push(top);
        }
        before += boards;
    }
    firsts
}

/// Numbers of halves of each kind, by weight.
pub(crate) struct Sizes {
    /// The sum of the last layer that has tables.
    pub(super) end: u32,
    threads: u64,
    /// Bytes of scratch memory for a turn.
    turn: u64,
    /// Most bytes of moves down of a batch.
    pub(super) moves_down: u64,
    exponents: u8,
    heaviest: usize,
    all: Vec<u64>,
    /// The halves of the range `left`, and of the range `both`.
    left: Vec<u64>,
    both: Vec<u64>,
    full: Vec<u64>,
    /// Inward halves that are not full, and fallen halves that are not full.
    inward: Vec<u64>,
    fallen: Vec<u64>,
    hollow: Vec<u64>,
    /// All halves that are not heavier.
    up_to: Vec<u64>,
}

impl Sizes {
    /// The sizes for the layers of a game with sums up to `end`. All these layers have tables.
    pub(crate) fn new(game: &Game, end: u32, plan: &Plan) -> Self {
        let win = game.win().get();
        let heaviest = 8usize << (win - 2);
        let most = heaviest.min(end as usize / 2).min(HEAVIEST);
        let one = [(0, 1)];
        let tiles: Vec<(usize, u64)> = (1..win).map(|exp| (1 << (exp - 1), 1)).collect();
        // The sum of some polynomials, to the power of `times`.
        let power = |of: &[&[(usize, u64)]], times: usize| {
            let mut one = vec![0; most + 1];
            one[0] = 1;
            (0..times).fold(one, |power, _| multiply(&power, of))
        };
        let tiles_in = |cells| terms(&power(&[&tiles], cells));
        let [pairs, fours] = [2, 4].map(tiles_in);
        let unequal: Vec<(usize, u64)> = pairs
            .iter()
            .map(|&(weight, count)| (weight, count - u64::from(weight.is_power_of_two())))
            .collect();
        let [moved, moved_whole] = moved_rows(win, most);
        let full = power(&[&tiles], 8);
        let inward = power(&[&one, &tiles, &pairs], 4);
        let without_empty_column = power(&[&tiles, &pairs], 4);
        let less = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        let all = power(&[&one, &tiles], 8);
        let sums = all.iter().scan(0u64, |sum, &count| {
            *sum = sum.saturating_add(count);
            Some(*sum)
        });
        Self {
            end,
            threads: plan.threads() as u64,
            turn: plan.turn,
            moves_down: plan.moves_down,
            exponents: win,
            heaviest,
            up_to: sums.collect(),
            left: less(&power(&[&moved], 2), &power(&[&moved_whole], 2)),
            both: power(&[&one, &fours], 2),
            hollow: less(&inward, &without_empty_column),
            inward: less(&inward, &full),
            fallen: less(&power(&[&one, &tiles, &unequal], 4), &power(&[&unequal], 4)),
            all,
            full,
        }
    }

    /// Number of parts that are collected at once.
    pub(crate) fn parts(game: &Game) -> usize {
        usize::from(game.top().get())
    }

    /// The most bytes of moves down that can be held in the layer of the last of some sums, if its
    /// matrices can take `bytes`. The process counted the layers of the other sums before it, and
    /// holds the memory of the largest.
    pub(crate) fn most_moves_down(&self, sums: RangeInclusive<u32>, bytes: u64) -> u64 {
        let others = sums
            .step_by(2)
            .map(|sum| self.others_and_moves_down(sum)[0]);
        let others = others.max().unwrap_or_default();
        let others = others.saturating_add(self.tables(self.end));
        bytes.saturating_sub(others).max(self.moves_down)
    }

    /// Bytes for the layers of some sums, counted one after another.
    pub(crate) fn bytes(&self, sums: RangeInclusive<u32>) -> u64 {
        let layers = sums.step_by(2).map(|sum| self.beside_tables(sum));
        let most = layers.max().unwrap_or_default();
        most.saturating_add(self.tables(self.end))
    }

    /// Bytes of the tables for all layers up to a sum.
    pub(super) fn tables(&self, sum: u32) -> u64 {
        let most = (sum as usize / 2).min(self.heaviest);
        let Some(halves) = self.up_to.get(most) else {
            return u64::MAX;
        };
        let exponents = u64::from(self.exponents).min(u64::from(sum.ilog2()) + 1);
        let masks = MASKS_OF_EXPONENT * exponents + MASKS_OF_PAIR * exponents * exponents;
        halves.saturating_mul(TABLES + masks / 8)
    }

    /// Bytes for the layer of a sum, without tables.
    pub(super) fn beside_tables(&self, sum: u32) -> u64 {
        let [others, moves_down] = self.others_and_moves_down(sum);
        others.saturating_add(moves_down)
    }

    /// Bytes for the layer of a sum, without tables: without the moves down of a batch, and of these
    /// moves down alone.
    pub(super) fn others_and_moves_down(&self, sum: u32) -> [u64; 2] {
        let weight = sum as usize / 2;
        let most = weight.min(self.heaviest);
        if most >= self.up_to.len() {
            return [u64::MAX, 0];
        }
        let (mut afterstates, mut spawns) = (0, 0);
        let (mut moves_down, mut largest_turned) = (0u64, 0);
        let (mut packed, mut largest_packed) = (0u64, 0);
        let (mut all_moved, mut largest_moved) = (0u64, 0);
        for top in weight - most..=most {
            let bottom = weight - top;
            let both = lines(self.both[bottom]);
            let left = lines(self.left[bottom]);
            let open = self.left[top] + self.both[top] - self.full[top];
            let moved = matrix(open, left + both);
            let on_full = matrix(self.fallen[top], both) / 2;
            let on_short = matrix(self.hollow[top], lines(self.inward[bottom]) + 4);
            all_moved = all_moved.saturating_add(moved);
            largest_moved = largest_moved.max(moved);
            moves_down = moves_down.saturating_add(on_full + on_short);
            packed = packed.saturating_add(2 * most_packed(on_full, on_short));
            largest_packed = largest_packed.max(most_packed(on_full, on_short));
            largest_turned = largest_turned.max(on_full + on_short);
            let rare = matrix(self.hollow[top], self.moved_lines(bottom))
                + matrix(self.inward[top], lines(self.hollow[bottom]) + 4);
            afterstates = afterstates.max(3 * moved + 2 * on_full + rare);
            let by_bottom = matrix(LINE as u64, lines(self.all[top]) + 5);
            let rows = self.moved_lines(top) * LINE as u64;
            spawns = spawns.max(matrix(rows, lines(self.all[bottom]) + 5) + by_bottom);
        }
        // Packed matrices of three sums.
        let mut bytes = all_moved.saturating_mul(3) / PACKED;
        // During a turn, some matrices are also held unpacked.
        bytes = bytes.saturating_add(all_moved.min(largest_moved.max(self.turn / 2)));
        bytes = bytes.saturating_add(moves_down.min(largest_turned.max(self.turn / 2)));
        let of_thread = (2 * (afterstates + largest_moved)).saturating_add(spawns);
        [
            bytes.saturating_add(self.threads.saturating_mul(of_thread)),
            // A pair needs four matrices of moves down of each of two sums.
            packed.min(self.moves_down.max(8 * largest_packed)),
        ]
    }

    /// Lines of the columns that some move leads to.
    fn moved_lines(&self, weight: usize) -> u64 {
        // Many short and hollow halves are moved, too.
        let odd = 3 * (self.inward[weight] + self.hollow[weight]) / 4;
        (2 * lines(self.left[weight]) + lines(self.both[weight]))
            .saturating_add(lines(odd))
            .min(lines(self.all[weight]) + 4)
    }
}

fn lines(bits: u64) -> u64 {
    bits.div_ceil(LINE as u64)
}

/// Bytes of a matrix.
fn matrix(rows: u64, lines: u64) -> u64 {
    rows.saturating_mul(lines)
        .saturating_mul(size_of::<BitLine>() as u64)
}

/// The product of a polynomial and the sum of others, which are given as terms. Terms beyond the
/// length of the first polynomial are dropped.
fn multiply(a: &[u64], by: &[&[(usize, u64)]]) -> Vec<u64> {
    let mut product = vec![0u64; a.len()];
    for &(weight, count) in by.iter().copied().flatten() {
        for (to, from) in product.iter_mut().skip(weight).zip(a) {
            *to = to.saturating_add(from.saturating_mul(count));
        }
    }
    product
}

/// The terms of two polynomials. They count the rows that a move to the left leads to, and among
/// these rows the full and the empty rows.
fn moved_rows(exponents: u8, most: usize) -> [Vec<(usize, u64)>; 2] {
    let mut counts = [vec![0; most + 1], vec![0; most + 1]];
    let of_exp = |places: u32| (0..u32::from(exponents)).map(move |exp| exp << places);
    let rows = of_exp(12).flat_map(|row| of_exp(8).map(move |cell| row | cell));
    let rows = rows.flat_map(|row| of_exp(4).map(move |cell| row | cell));
    let rows = rows.flat_map(|row| of_exp(0).map(move |cell| Half(row | cell)));
    for row in rows.filter(|row| row.is_moved() && row.weight() <= most) {
        counts[0][row.weight()] += 1;
        counts[1][row.weight()] += u64::from(row.has_whole_rows());
    }
    counts.map(|counts| terms(&counts))
}

/// The terms of a polynomial.
fn terms(polynomial: &[u64]) -> Vec<(usize, u64)> {
    let terms = polynomial.iter().copied().enumerate();
    terms.filter(|&(_, count)| count > 0).collect()
}

/// Whether the frontier after a layer fits the disk, but perhaps not the frontier after the next
/// layer. `packed` are the bytes of its matrices and of the matrices before it, and `states` the bytes
/// of its states.
pub(super) fn is_space_short(packed: [u64; 2], states: u64, store: &Store) -> bool {
    let frontier = packed[0] + packed[1] + FILE_BYTES;
    store.free_space().is_some_and(|free| {
        let free = free.saturating_sub(TABLE_BYTES);
        // A layer can be some times larger than the layer before it.
        frontier <= free && free < 4 * frontier + 2 * states
    })
}

#[cfg(test)]
mod tests {
    use super::super::class::{Class, ColumnRange};
    use super::super::quads::Quads;
    use super::*;

    #[test]
    fn polynomials_count_the_halves_of_each_kind() {
        for name in ["4x4-8", "4x4-32", "4x4-64", "4x4-128"] {
            let game: Game = name.parse().unwrap();
            let plan = Plan::new(1 << 30, 1).unwrap();
            let sizes = Sizes::new(&game, game.sum_bound(), &plan);
            let quads = Quads::new(game.win().get(), sizes.heaviest.min(40));
            for weight in 0..=sizes.heaviest.min(40) {
                let class = Class::new(weight, &quads);
                let number = |is: &dyn Fn(Half) -> bool| {
                    class.halves().filter(|&(_, half)| is(half)).count() as u64
                };
                assert_eq!(sizes.all[weight], number(&|_| true), "{name} {weight}");
                assert_eq!(
                    sizes.left[weight],
                    number(&|half| half.is_moved() && !half.has_whole_rows()),
                    "{name} {weight}"
                );
                assert_eq!(
                    sizes.both[weight],
                    number(&Half::has_whole_rows),
                    "{name} {weight}"
                );
                assert_eq!(
                    sizes.full[weight],
                    number(&Half::is_full),
                    "{name} {weight}"
                );
                let inward = |half: Half| half.is_inward() && !half.is_full();
                assert_eq!(sizes.inward[weight], number(&inward), "{name} {weight}");
                assert_eq!(
                    sizes.hollow[weight],
                    number(&Half::is_hollow),
                    "{name} {weight}"
                );
                let fallen = |half: Half| half.is_fallen() && !half.is_full();
                assert_eq!(sizes.fallen[weight], number(&fallen), "{name} {weight}");
                let open = |half: Half| half.is_moved() && !half.is_full();
                assert_eq!(number(&open), class.moved_rows() as u64, "{name} {weight}");
            }
            let quads = Quads::new(game.win().get(), sizes.heaviest);
            for weight in (0..=sizes.heaviest).step_by(3) {
                let class = Class::new(weight, &quads);
                let moved = class.lines_of(ColumnRange::MOVED).len() as u64;
                assert!(moved <= sizes.moved_lines(weight), "{name} {weight}");
            }
        }
    }
}

//! The memory that matrices need, computed before any matrix is made.
//!
//! Key idea: polynomials count the halves of each weight. The coefficient of x^w counts the halves
//! of weight w, and a product combines cells, columns or rows. The weight tells the stones, too.

use std::array;
use std::ops::RangeInclusive;

use super::half::{is_moved_row, is_whole_row, merge};
use super::kernels::{BitLine, LINE};
use super::moves_down::most_packed;
use super::weights::Weights;
use crate::engine::plan::Plan;
use crate::game::{Game, STONE};

/// Greatest weight of a half that is considered. No memory holds the tables of heavier halves.
const HEAVIEST: usize = 1 << 12;

/// Bytes of tables per half. Measured: 72.
const TABLES: u64 = 75;

/// Bits of masks per half, for each exponent and for each pair of exponents.
const MASKS_OF_EXPONENT: u64 = 9;
const MASKS_OF_PAIR: u64 = 5;

/// Bytes for each quad that the tables of a class have beside its halves.
const QUADS_OF_CLASS: u64 = 16;

/// How many times smaller packed matrices are, at least. Measured in 4x4 to 64: 4.5 times in the
/// largest layer, 3 times or more in all layers.
const PACKED: u64 = 3;

/// Numbers of halves of each kind, by weight.
pub(crate) struct Sizes {
    /// The sum of the last layer that has tables.
    pub(super) end: u32,
    pub(crate) plan: Plan,
    exponents: u8,
    /// The greatest weight of a half's tiles in this game.
    heaviest: usize,
    pub(super) weights: Weights,
    pub(super) all: Vec<u64>,
    /// The halves of the range `left`, and of the range `both`.
    left: Vec<u64>,
    both: Vec<u64>,
    full: Vec<u64>,
    /// Inward halves that are not full, and fallen halves that are not full.
    inward: Vec<u64>,
    fallen: Vec<u64>,
    hollow: Vec<u64>,
}

impl Sizes {
    /// The sizes for the layers of a game with sums up to `end`. All these layers have tables.
    pub(crate) fn new(game: &Game, end: u32, plan: &Plan) -> Self {
        let exponents = game.top().get() + 1;
        let heaviest = 8usize << (exponents - 2);
        let weights = Weights::new(game, heaviest.min(end as usize / 2).min(HEAVIEST));
        let less = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        let all = halves(exponents, weights, |[_]| true);
        let full = halves(exponents, weights, |[cell]| cell > 0);
        // Columns: the cell of the outer row, and the cell of the inner row.
        let columns = |keep: fn([u8; 2]) -> bool| halves(exponents, weights, keep);
        let inward = columns(|[outer, inner]| outer == 0 || inner > 0);
        let without_empty_column = columns(|[_, inner]| inner > 0);
        let fallen = columns(|[outer, inner]| outer == 0 || inner > 0 && !merge(outer, inner));
        let full_fallen = columns(|[outer, inner]| outer > 0 && inner > 0 && !merge(outer, inner));
        let rows = |keep: fn([u8; 4]) -> bool| halves(exponents, weights, keep);
        let moved = rows(|row| is_moved_row(&row));
        let moved_whole = rows(|row| is_moved_row(&row) && is_whole_row(&row));
        Self {
            end,
            plan: plan.clone(),
            exponents,
            heaviest,
            weights,
            left: less(&moved, &moved_whole),
            both: rows(|row| is_whole_row(&row)),
            hollow: less(&inward, &without_empty_column),
            inward: less(&inward, &full),
            fallen: less(&fallen, &full_fallen),
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
        bytes.saturating_sub(others).max(self.plan.moves_down)
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
        if most > self.weights.most {
            return u64::MAX;
        }
        let (mut halves, mut classes) = (0u64, 0);
        let is_under_way = |weight| self.weights.of_tiles(weight) <= most;
        for (_, &of) in (0..).zip(&self.all).filter(|&(at, _)| is_under_way(at)) {
            halves = halves.saturating_add(of);
            classes += 1;
        }
        let exponents = self.exponents.min(sum.ilog2() as u8 + 1);
        let digits = u64::from(self.weights.digits(exponents));
        let masks = MASKS_OF_EXPONENT * digits + MASKS_OF_PAIR * digits * digits;
        // With stones there are many small classes.
        let of_classes = match self.weights.has_stones() {
            true => classes * QUADS_OF_CLASS * digits.pow(4),
            false => 0,
        };
        halves
            .saturating_mul(TABLES + masks / 8)
            .saturating_add(of_classes)
    }

    /// Bytes for the layer of a sum, without tables.
    pub(super) fn beside_tables(&self, sum: u32) -> u64 {
        let [others, moves_down] = self.others_and_moves_down(sum);
        others.saturating_add(moves_down)
    }

    /// Bytes for the layer of a sum, without tables: without the moves down of a batch, and of these
    /// moves down alone.
    pub(super) fn others_and_moves_down(&self, sum: u32) -> [u64; 2] {
        if self.heaviest.min(sum as usize / 2) > self.weights.most {
            return [u64::MAX, 0];
        }
        let weight = self.weights.of_sum(sum);
        let (mut afterstates, mut spawns) = (0, 0);
        let (mut moves_down, mut largest_turned) = (0u64, 0);
        let (mut packed, mut largest_packed) = (0u64, 0);
        let (mut all_moved, mut largest_moved) = (0u64, 0);
        for top in self.weights.tops(weight) {
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
        bytes = bytes.saturating_add(all_moved.min(largest_moved.max(self.plan.turn / 2)));
        bytes = bytes.saturating_add(moves_down.min(largest_turned.max(self.plan.turn / 2)));
        let of_thread = (2 * (afterstates + largest_moved)).saturating_add(spawns);
        [
            bytes.saturating_add((self.plan.threads() as u64).saturating_mul(of_thread)),
            // A pair needs four matrices of moves down of each of two sums.
            packed.min(self.plan.moves_down.max(8 * largest_packed)),
        ]
    }

    /// Lines of the columns that some move leads to.
    fn moved_lines(&self, weight: usize) -> u64 {
        let mut odd = self.inward[weight] + self.hollow[weight];
        if !self.weights.has_stones() {
            // Many short and hollow halves are moved, too.
            odd = 3 * odd / 4;
        }
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

/// The number of halves of each weight that consist of pieces of `N` cells which `keep` selects: of
/// cells, columns or rows. All exponents of tiles are below `exponents`.
fn halves<const N: usize>(
    exponents: u8,
    weights: Weights,
    keep: impl Fn([u8; N]) -> bool,
) -> Vec<u64> {
    let base = usize::from(weights.digits(exponents));
    let mut pieces = vec![0; weights.heaviest() + 1];
    for number in 0..base.pow(N as u32) {
        let cells = array::from_fn(|cell| {
            let digit = (number / base.pow(cell as u32) % base) as u8;
            if digit < exponents { digit } else { STONE }
        });
        let weight = weights.of(&cells);
        if weights.fits(weight) && keep(cells) {
            pieces[weight] += 1;
        }
    }
    let mut halves = vec![0u64; pieces.len()];
    halves[0] = 1;
    for _ in 0..8 / N {
        let mut product = vec![0u64; pieces.len()];
        for (weight, &count) in pieces.iter().enumerate().filter(|&(_, &count)| count > 0) {
            for (to, from) in product[weight..].iter_mut().zip(&halves) {
                *to = to.saturating_add(from.saturating_mul(count));
            }
        }
        for (weight, count) in product.iter_mut().enumerate() {
            *count = if weights.fits(weight) { *count } else { 0 };
        }
        halves = product;
    }
    let with_tables = |(weight, count)| if weights.has(weight) { count } else { 0 };
    halves.into_iter().enumerate().map(with_tables).collect()
}

#[cfg(test)]
mod tests {
    use super::super::class::{Class, ColumnRange};
    use super::super::half::Half;
    use super::super::quads::Quads;
    use super::*;

    #[test]
    fn polynomials_count_the_halves_of_each_kind() {
        for name in [
            "4x4-8", "4x4-32", "4x4-64", "4x4-128", "free7-16", "free13-8",
        ] {
            let game: Game = name.parse().unwrap();
            let plan = Plan::new(1 << 30, 1).unwrap();
            let sizes = Sizes::new(&game, game.sum_bound(), &plan);
            let weights = Weights::new(&game, sizes.weights.most.min(40));
            let quads = Quads::new(game.win().get(), weights);
            for weight in (0..=weights.heaviest()).filter(|&weight| weights.has(weight)) {
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
            let quads = Quads::new(game.win().get(), sizes.weights);
            let all = (0..=sizes.weights.heaviest()).filter(|&weight| sizes.weights.has(weight));
            for weight in all.step_by(3) {
                let class = Class::new(weight, &quads);
                let moved = class.lines_of(ColumnRange::MOVED).len() as u64;
                assert!(moved <= sizes.moved_lines(weight), "{name} {weight}");
            }
        }
    }
}

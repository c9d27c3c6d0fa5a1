//! What matrices take, known before any is made.
//!
//! How many halves of a weight there are of some kind follows from polynomials: the coefficient of
//! x^w counts the halves of weight w, and a product combines cells, columns or rows.

use super::kernels::{BitLine, LINE};
use crate::engine::plan::Plan;
use crate::game::Game;

/// Heavier halves are not looked at: long before, tables of all halves fit no memory.
const HEAVIEST: usize = 1 << 12;

/// Bytes of tables for a half...
const TABLES: u64 = 96;

/// ...and bits of masks for each exponent and each pair of exponents.
const MASKS_OF_EXPONENT: u64 = 9;
const MASKS_OF_PAIR: u64 = 5;

/// Numbers of halves of each kind, by weight.
pub(crate) struct Sizes {
    threads: u64,
    exponents: u8,
    heaviest: usize,
    all: Vec<u64>,
    left: Vec<u64>,
    both: Vec<u64>,
    full: Vec<u64>,
    /// Inward, not full.
    inward: Vec<u64>,
    hollow: Vec<u64>,
    /// All up to a weight.
    up_to: Vec<u64>,
}

impl Sizes {
    /// For the layers of a game with sums up to `end`.
    pub(crate) fn new(game: &Game, end: u32, plan: &Plan) -> Self {
        let win = game.win().get();
        let heaviest = 8usize << (win - 2);
        let most = heaviest.min(end as usize / 2).min(HEAVIEST);
        let one = [(0, 1)];
        let tiles: Vec<(usize, u64)> = (1..win).map(|exp| (1 << (exp - 1), 1)).collect();
        let product = |by: &[&[(usize, u64)]], times: usize| {
            let mut product = vec![0; most + 1];
            product[0] = 1;
            for _ in 0..times {
                product = multiply(&product, by);
            }
            product
        };
        let cell: [&[_]; 2] = [&one, &tiles];
        let pairs = sparse(&product(&[&tiles], 2));
        let rows = {
            let lengths = [1, 2, 3, 4].map(|length| sparse(&product(&[&tiles], length)));
            let [a, b, c, d] = &lengths;
            product(&[&one, a, b, c, d], 2)
        };
        let fours = sparse(&product(&[&tiles], 4));
        let full = product(&[&tiles], 8);
        let inward = product(&[&one, &tiles, &pairs], 4);
        let no_gap = product(&[&tiles, &pairs], 4);
        let less = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        let all = product(&cell, 8);
        let sums = all.iter().scan(0u64, |sum, &n| {
            *sum = sum.saturating_add(n);
            Some(*sum)
        });
        Self {
            threads: plan.threads() as u64,
            exponents: win,
            heaviest,
            up_to: sums.collect(),
            left: rows,
            both: product(&[&one, &fours], 2),
            hollow: less(&inward, &no_gap),
            inward: less(&inward, &full),
            all,
            full,
        }
    }

    /// Parts whose boards are collected at once.
    pub(crate) fn parts(game: &Game) -> usize {
        usize::from(game.top().get())
    }

    /// Bytes for the layer of a sum.
    pub(crate) fn bytes(&self, sum: u32) -> u64 {
        let weight = sum as usize / 2;
        let most = weight.min(self.heaviest);
        let Some(halves) = self.up_to.get(most) else {
            return u64::MAX;
        };
        let exponents = u64::from(self.exponents).min(u64::from(sum.ilog2()) + 1);
        let masks = MASKS_OF_EXPONENT * exponents + MASKS_OF_PAIR * exponents * exponents;
        let tables = halves.saturating_mul(TABLES + masks / 8);
        let pairs = weight - most..=most;
        let tops = pairs.map(|top| (top, weight - top));
        let mut sum = tables;
        let (mut slab, mut below) = (0, 0);
        for (top, bottom) in tops {
            let open = self.left[top] - self.full[top];
            let moved = matrix(
                open,
                lines(self.left[bottom] - self.both[bottom]) + lines(self.both[bottom]),
            );
            let full = matrix(self.inward[top], lines(self.both[bottom])) / 2;
            let short = matrix(self.hollow[top], lines(self.inward[bottom]) + 4);
            let settled = self.settled(bottom);
            sum = sum.saturating_add(3 * moved + 2 * full + 2 * short);
            let rare = matrix(self.hollow[top], settled)
                + matrix(self.inward[top], lines(self.hollow[bottom]) + 4);
            slab = slab.max(2 * moved + 2 * full + rare);
            let flipped = matrix(LINE as u64, lines(self.all[top]) + 5);
            let settled = self.settled(top) * LINE as u64;
            below = below.max(matrix(settled, lines(self.all[bottom]) + 5) + flipped);
        }
        sum.saturating_add(self.threads.saturating_mul(2 * slab + below))
    }

    /// Lines of the columns that some move leads to.
    fn settled(&self, weight: usize) -> u64 {
        let left = self.left[weight] - self.both[weight];
        let odd = self.inward[weight] + self.hollow[weight];
        (2 * lines(left) + lines(self.both[weight]))
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

/// The product of a polynomial and the sum of others, given as terms; what is heavier is left out.
fn multiply(a: &[u64], by: &[&[(usize, u64)]]) -> Vec<u64> {
    let mut product = vec![0u64; a.len()];
    for &(weight, count) in by.iter().copied().flatten() {
        for (to, from) in product.iter_mut().skip(weight).zip(a) {
            *to = to.saturating_add(from.saturating_mul(count));
        }
    }
    product
}

/// The terms of a polynomial.
fn sparse(of: &[u64]) -> Vec<(usize, u64)> {
    let terms = of.iter().copied().enumerate();
    terms.filter(|&(_, count)| count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::super::class::Class;
    use super::super::half::Half;
    use super::super::quads::Quads;
    use super::*;

    #[test]
    fn polynomials_count_the_halves_that_there_are() {
        for name in ["4x4-8", "4x4-32", "4x4-64"] {
            let game: Game = name.parse().unwrap();
            let plan = Plan::new(1 << 30, 1).unwrap();
            let sizes = Sizes::new(&game, game.sum_bound(), &plan);
            let quads = Quads::new(game.win().get(), sizes.heaviest.min(40));
            for weight in 0..=sizes.heaviest.min(40) {
                let class = Class::new(weight, &quads);
                let number = |is: &dyn Fn(Half) -> bool| {
                    class.halves().filter(|&(_, half)| is(half)).count() as u64
                };
                let both = |half: Half| half.left() && half.mirrored().left();
                assert_eq!(sizes.all[weight], number(&|_| true), "{name} {weight}");
                assert_eq!(sizes.left[weight], number(&Half::left), "{name} {weight}");
                assert_eq!(sizes.both[weight], number(&both), "{name} {weight}");
                assert_eq!(sizes.full[weight], number(&Half::full), "{name} {weight}");
                let inward = |half: Half| half.inward() && !half.full();
                assert_eq!(sizes.inward[weight], number(&inward), "{name} {weight}");
                assert_eq!(
                    sizes.hollow[weight],
                    number(&Half::hollow),
                    "{name} {weight}"
                );
                let open = sizes.left[weight] - sizes.full[weight];
                assert_eq!(open, class.rows() as u64, "{name} {weight}");
            }
        }
    }
}

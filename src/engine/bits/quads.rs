//! All quads of a game, in an order that a transposition hardly changes.

use std::cmp::min;
use std::ops::Range;

use super::field::Transposer;
use super::half::Quad;
use super::weights::Weights;
use crate::game::STONE;

/// All quads of a game with tiles below some exponent, by weight.
///
/// Transposition hardly changes the order of the full quads of a weight. Quads that are less than
/// their transpose come first, then the symmetric quads, then the transposes of the first quads, in
/// the order of the first quads. So transposition swaps the first range and the last.
pub(crate) struct Quads {
    /// By weight: the full quads, then the others.
    pub(super) by_weight: Vec<Vec<Quad>>,
    transposers: Vec<Transposer>,
    /// The number of each quad among all quads, and its weight.
    ids: Vec<u16>,
    weights: Vec<u32>,
    /// The weights that quads have, in order.
    in_order: Vec<usize>,
    /// Number of all quads.
    pub(crate) count: usize,
}

impl Quads {
    /// The quads of tiles with exponents below `exponents`, and of stones, that halves can have.
    pub(crate) fn new(exponents: u8, of_halves: Weights) -> Self {
        let mut by_weight: Vec<Vec<Quad>> = vec![Vec::new(); of_halves.heaviest() + 1];
        for quad in (0..=u16::MAX).map(Quad) {
            let (cells, weight) = (quad.cells(), of_halves.of(&quad.cells()));
            let mut cells = cells.iter();
            if cells.all(|&cell| cell < exponents || cell == STONE) && of_halves.fits(weight) {
                by_weight[weight].push(quad);
            }
        }
        let (mut ids, mut weights) = (vec![u16::MAX; 1 << 16], vec![0; 1 << 16]);
        let (mut transposers, mut count) = (Vec::new(), 0);
        for (weight, quads) in by_weight.iter_mut().enumerate() {
            quads.sort_by_key(|quad| !quad.is_full());
            let full = quads.partition_point(|quad| quad.is_full());
            quads[..full].sort_by_key(|&quad| {
                let transposed = quad.transposed();
                (quad.cmp(&transposed), min(quad, transposed))
            });
            let less = quads[..full].partition_point(|&quad| quad < quad.transposed());
            transposers.push(Transposer::new(full, less));
            for quad in quads {
                ids[usize::from(quad.0)] = count;
                weights[usize::from(quad.0)] = weight as u32;
                count += 1;
            }
        }
        let used = |&weight: &usize| !by_weight[weight].is_empty();
        Self {
            in_order: (0..by_weight.len()).filter(used).collect(),
            by_weight,
            transposers,
            ids,
            weights,
            count: usize::from(count),
        }
    }

    /// The number of a quad among all quads.
    #[inline]
    pub(crate) fn id(&self, quad: Quad) -> usize {
        usize::from(self.ids[usize::from(quad.0)])
    }

    /// The weight of a quad.
    #[inline]
    pub(crate) fn weight(&self, quad: Quad) -> usize {
        self.weights[usize::from(quad.0)] as usize
    }

    /// The weights that quads have, up to `most`, in order.
    pub(crate) fn weights(&self, most: usize) -> &[usize] {
        &self.in_order[..self.in_order.partition_point(|&weight| weight <= most)]
    }

    /// All quads of a weight: the full quads, then the others.
    pub(crate) fn of_weight(&self, weight: usize) -> &[Quad] {
        self.by_weight.get(weight).map_or(&[], Vec::as_slice)
    }

    /// The full quads of a weight.
    pub(crate) fn full(&self, weight: usize) -> &[Quad] {
        let full = self.transposers.get(weight).map_or(0, |all| all.bits);
        &self.of_weight(weight)[..full as usize]
    }

    /// For each full quad of a weight the number of its transpose, as three ranges.
    #[inline]
    pub(crate) fn transposed_numbers(&self, weight: usize) -> [Range<usize>; 3] {
        let Transposer { bits, shift, .. } = self.transposers[weight];
        let (full, last) = (bits as usize, shift as usize);
        let less = full - last;
        [last..full, less..last, 0..less]
    }

    /// The transposer of fields with a bit for each full quad of a weight.
    pub(crate) fn transposer(&self, weight: usize) -> Transposer {
        self.transposers[weight]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposition_of_full_quads_swaps_the_first_and_the_last_range() {
        let quads = Quads::new(5, Weights::new(&"4x4-32".parse().unwrap(), 24));
        let mut transposed = 0;
        for weight in 0..=24 {
            let full = quads.full(weight);
            let images: Vec<Quad> = full.iter().map(|quad| quad.transposed()).collect();
            let numbers = quads.transposed_numbers(weight).into_iter().flatten();
            let by_number: Vec<Quad> = numbers.map(|number| full[number]).collect();
            assert_eq!(by_number, images, "{weight}");
            for (number, quad) in full.iter().enumerate() {
                let image = full.iter().position(|&other| other == quad.transposed());
                let field = quads.transposer(weight).transpose(1 << number);
                assert_eq!(field, 1 << image.unwrap(), "{weight} {number}");
                transposed += 1;
            }
        }
        assert!(transposed > 100, "{transposed}");
    }
}

//! All quads of a game, by weight.

use std::ops::Range;

use super::half::Quad;

/// The quads of tiles below some exponent, in order.
///
/// The order of the full ones is one that transposition hardly changes: first quads that are less
/// than their transpose, then those that equal it, then the transposes of the first, in the order
/// of these. So transposing a quad of some weight swaps the first and the last stretch.
pub(crate) struct Quads {
    /// By weight: all, the full ones first.
    all: Vec<Vec<Quad>>,
    /// By weight: how many are full...
    full: Vec<usize>,
    /// ...and how many of these are less than their transpose.
    less: Vec<usize>,
    /// The place of each full quad among those of its weight.
    places: Vec<u32>,
}

impl Quads {
    /// Of exponents below `exponents`, with weights up to `most`.
    pub(crate) fn new(exponents: u8, most: usize) -> Self {
        let mut all: Vec<Vec<Quad>> = vec![Vec::new(); most + 1];
        let mut places = vec![u32::MAX; 1 << 16];
        for code in 0..=u16::MAX {
            let quad = Quad(code);
            if quad.cells().iter().all(|&cell| cell < exponents) && quad.weight() <= most {
                all[quad.weight()].push(quad);
            }
        }
        let (mut full, mut less) = (Vec::new(), Vec::new());
        for quads in &mut all {
            let (filled, open): (Vec<Quad>, Vec<Quad>) = quads.iter().partition(|quad| quad.full());
            let first = filled
                .iter()
                .copied()
                .filter(|&quad| quad < quad.transposed());
            let first: Vec<Quad> = first.collect();
            let middle = filled
                .iter()
                .copied()
                .filter(|&quad| quad == quad.transposed());
            let last = first.iter().map(|quad| quad.transposed());
            let ordered: Vec<Quad> = first.iter().copied().chain(middle).chain(last).collect();
            for (place, quad) in ordered.iter().enumerate() {
                places[usize::from(quad.0)] = place as u32;
            }
            // A field of bits, one for each, is read as eight bytes from any bit of a byte.
            assert!(ordered.len() <= 57, "a field of {} bits", ordered.len());
            full.push(ordered.len());
            less.push(first.len());
            *quads = ordered;
            quads.extend(open);
        }
        Self {
            all,
            full,
            less,
            places,
        }
    }

    /// Greatest weight.
    pub(crate) fn most(&self) -> usize {
        self.all.len() - 1
    }

    /// All quads of a weight, the full ones first.
    pub(crate) fn of_weight(&self, weight: usize) -> &[Quad] {
        self.all.get(weight).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn full(&self, weight: usize) -> &[Quad] {
        let full = self.full.get(weight).copied().unwrap_or(0);
        &self.of_weight(weight)[..full]
    }

    /// The place of a full quad among those of its weight.
    pub(crate) fn place(&self, quad: Quad) -> usize {
        self.places[usize::from(quad.0)] as usize
    }

    /// The places of the transposes of all full quads of a weight, in order: three stretches.
    #[inline]
    pub(crate) fn transposed_places(&self, weight: usize) -> [Range<usize>; 3] {
        let (full, less) = (self.full[weight], self.less[weight]);
        [full - less..full, less..full - less, 0..less]
    }

    /// What transposes fields of all full quads of a weight.
    pub(crate) fn transposer(&self, weight: usize) -> Transposer {
        let (full, less) = (self.full[weight] as u32, self.less[weight] as u32);
        let ends = (1u64 << less) - 1;
        let shift = full - less;
        let all = (1u64 << full) - 1;
        Transposer {
            bits: full,
            shift,
            ends,
            middle: all & !ends & !(ends << shift),
        }
    }
}

/// Puts a field of bits, one for each full quad of a weight, in the order of their transposes.
#[derive(Clone, Copy)]
pub(crate) struct Transposer {
    bits: u32,
    shift: u32,
    ends: u64,
    middle: u64,
}

impl Transposer {
    /// Bits of a field.
    pub(crate) fn bits(self) -> u32 {
        self.bits
    }

    /// The field in the lowest bits of a word.
    #[inline]
    pub(crate) fn transpose(self, word: u64) -> u64 {
        word & self.middle | (word & self.ends) << self.shift | word >> self.shift & self.ends
    }
}

//! All quads of a game, by weight.

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
    /// By weight: those that equal their transpose.
    own: Vec<Vec<Quad>>,
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
            let first = filled.iter().copied().filter(|&quad| quad < quad.transposed());
            let first: Vec<Quad> = first.collect();
            let middle = filled.iter().copied().filter(|&quad| quad == quad.transposed());
            let last = first.iter().map(|quad| quad.transposed());
            let ordered: Vec<Quad> = first.iter().copied().chain(middle).chain(last).collect();
            for (place, quad) in ordered.iter().enumerate() {
                places[usize::from(quad.0)] = place as u32;
            }
            full.push(ordered.len());
            less.push(first.len());
            *quads = ordered;
            quads.extend(open);
        }
        let own = all.iter().map(|quads| {
            let own = quads.iter().filter(|quad| **quad == quad.transposed());
            own.copied().collect()
        });
        Self {
            own: own.collect(),
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

    /// The full quads of a weight.
    pub(crate) fn full(&self, weight: usize) -> &[Quad] {
        let full = self.full.get(weight).copied().unwrap_or(0);
        &self.of_weight(weight)[..full]
    }

    /// The place of a full quad among those of its weight.
    pub(crate) fn place(&self, quad: Quad) -> usize {
        self.places[usize::from(quad.0)] as usize
    }

    /// The quads of a weight that equal their transpose.
    pub(crate) fn own(&self, weight: usize) -> &[Quad] {
        self.own.get(weight).map_or(&[], Vec::as_slice)
    }

    /// The place of the transpose of the full quad at a place.
    #[inline]
    pub(crate) fn transposed_place(&self, weight: usize, place: usize) -> usize {
        let (less, shift) = (self.less[weight], self.full[weight] - self.less[weight]);
        if place < less {
            place + shift
        } else if place >= shift {
            place - shift
        } else {
            place
        }
    }

    /// Bits of a field of all full quads of a weight, in order, put in the order of their
    /// transposes.
    #[inline]
    pub(crate) fn transposed(&self, weight: usize, field: u64) -> u64 {
        let (full, less) = (self.full[weight] as u32, self.less[weight] as u32);
        let ends = (1u64 << less) - 1;
        let shift = full - less;
        let middle = field & !ends & !(ends << shift);
        middle | (field & ends) << shift | field >> shift & ends
    }
}

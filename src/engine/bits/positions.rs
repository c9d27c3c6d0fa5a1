//! The position of each half in its class, and the fields of the halves.

use std::collections::HashMap;

use rayon::prelude::*;

use super::class::{Class, NONE};
use super::field::FieldMask;
use super::half::{Half, Quad};
use super::quads::Quads;
use super::weights::Weights;

/// The positions of all halves of a game.
pub(crate) struct Positions {
    pub(crate) quads: Quads,
    /// The position of each half in its class.
    positions: Vec<u32>,
    /// By weight, and by right quad: the position of the first half of the field in `left` or `both`, and
    /// the number of its masks.
    fields: Vec<Vec<(u32, u32)>>,
    /// The masks of the halves of a field in `left` or `both`, and of the other halves.
    masks: Vec<[FieldMask; 2]>,
    /// By gap of the upper quad (see [`gap`]), and by weight: the quads that can lie under it after all
    /// tiles fell down and left a gap. The quads are transposed. Under an empty column no tile lies over a
    /// gap. Under any other column there is no gap.
    pub(super) under: [Vec<Vec<Quad>>; 4],
}

impl Positions {
    /// The halves with exponents below `exponents` and some weights. Returns their classes, too.
    pub(super) fn new(exponents: u8, weights: Weights) -> (Self, Vec<Class>) {
        let quads = Quads::new(exponents, weights);
        let class = |weight| match weights.has(weight) {
            true => Class::new(weight, &quads),
            false => Class::default(),
        };
        let classes: Vec<Class> = (0..=weights.heaviest())
            .into_par_iter()
            .map(class)
            .collect();
        let mut new = Self {
            positions: vec![NONE; quads.count * quads.count],
            fields: Vec::new(),
            masks: Vec::new(),
            under: std::array::from_fn(|empty| under(&quads, empty)),
            quads,
        };
        for (position, half) in classes.iter().flat_map(Class::halves) {
            let (left, right) = half.quads();
            let at = new.quads.id(right) * new.quads.count + new.quads.id(left);
            new.positions[at] = position;
        }
        new.make_fields(&classes);
        (new, classes)
    }

    fn make_fields(&mut self, classes: &[Class]) {
        let quads = &self.quads;
        let mut numbers = HashMap::new();
        for class in classes {
            if class.lines() == 0 {
                self.fields.push(Vec::new());
                continue;
            }
            let mut fields = vec![(0, 0); quads.count];
            let moved = class
                .halves()
                .take_while(|&(at, _)| class.is_moved_column(at));
            for (position, half) in moved {
                let (left, right) = half.quads();
                if left.is_full() {
                    let (first, bits) = &mut fields[quads.id(right)];
                    if *bits == 0 {
                        *first = position;
                    }
                    *bits |= 1 << (quads.id(left) - quads.id(quads.full(quads.weight(left))[0]));
                }
            }
            let fields = fields.into_iter().map(|(first, bits)| {
                let number = *numbers.entry(bits).or_insert_with(|| {
                    self.masks.push([bits, !bits].map(FieldMask::new));
                    self.masks.len() as u32 - 1
                });
                (first, number)
            });
            self.fields.push(fields.collect());
        }
    }

    /// The position of a half.
    #[inline]
    pub(crate) fn of(&self, half: Half) -> u32 {
        let (left, right) = half.quads();
        self.of_quads(left, right)
    }

    /// The position of the half of two quads.
    #[inline]
    pub(crate) fn of_quads(&self, left: Quad, right: Quad) -> u32 {
        self.positions[self.quads.id(right) * self.quads.count + self.quads.id(left)]
    }

    /// The position of the first half of a field in `left` or `both`, the mask of these halves, and
    /// the mask of the field's other halves. `weight` is the weight of the halves.
    #[inline]
    pub(crate) fn field(&self, weight: usize, right: Quad) -> (u32, &[FieldMask; 2]) {
        let (first, number) = self.fields[weight][self.quads.id(right)];
        (first, &self.masks[number as usize])
    }
}

/// The empty columns of a quad: bit 0 says whether the outer column is empty, bit 1 whether the middle
/// column is.
pub(super) fn gap(quad: Quad) -> usize {
    let [corner, along, inward, middle] = quad.cells();
    let (outer, inner) = (corner == 0 && inward == 0, along == 0 && middle == 0);
    usize::from(outer) + 2 * usize::from(inner)
}

/// See [`Positions::under`].
fn under(quads: &Quads, empty: usize) -> Vec<Vec<Quad>> {
    let column = |outer: u8, inner: u8, empty: bool| match empty {
        true => outer > 0 || inner == 0,
        false => outer > 0 && inner > 0,
    };
    let fits = |quad: &&Quad| {
        let [corner, along, inward, middle] = quad.cells();
        !quad.is_full()
            && column(corner, inward, empty & 1 != 0)
            && column(along, middle, empty & 2 != 0)
    };
    let fitting = |quads: &Vec<Quad>| {
        let quads = quads.iter().filter(fits);
        quads.map(|quad| quad.transposed()).collect()
    };
    quads.by_weight.iter().map(fitting).collect()
}

//! All halves of a game, by weight.

use std::cmp::Reverse;
use std::ops::Range;

use rayon::prelude::*;

use super::class::{Class, NONE};
use super::half::{Half, Quad};
use super::quads::Quads;
use super::tables::Tables;
use crate::game::Game;

/// All classes.
pub(crate) struct Halves {
    pub(crate) quads: Quads,
    pub(crate) tables: Vec<Tables>,
    /// Number of quads, and the number of each.
    count: usize,
    ids: Vec<u16>,
    weights: Vec<u16>,
    /// The position of each half in its class.
    positions: Vec<u32>,
    /// By class and right quad: the position of the first half with this and a full left quad...
    blocks: Vec<u32>,
    /// ...and its place in the windows of short halves.
    short_blocks: Vec<u32>,
    /// By class and left quad: the same place of the first half with this and a full right quad.
    short_image_blocks: Vec<u32>,
    /// By columns of a quad that are empty, the outer one and the middle one, and by weight: see
    /// [`Halves::under`].
    under: [Vec<Vec<Quad>>; 4],
}

impl Halves {
    /// Those of a game that can be part of a board of sum `2 * weight`, or of a lighter one. About a
    /// microsecond a half.
    pub(crate) fn new(game: &Game, weight: usize) -> Self {
        // A tile of exponent e has weight 2^(e-1).
        let largest = weight.ilog2() as u8 + 1;
        let exponents = game.win().get().min(largest + 1);
        let most = weight.min(8 << (exponents - 2));
        let quads = Quads::new(exponents, most);
        let mut ids = vec![u16::MAX; 1 << 16];
        let mut weights = vec![0; 1 << 16];
        let mut count = 0;
        for weight in 0..=quads.most() {
            for quad in quads.of_weight(weight) {
                ids[usize::from(quad.0)] = count;
                weights[usize::from(quad.0)] = weight as u16;
                count += 1;
            }
        }
        let count = usize::from(count);
        let classes: Vec<Class> = (0..=most)
            .into_par_iter()
            .map(|weight| Class::new(weight, &quads))
            .collect();
        let mut positions = vec![NONE; count * count];
        let mut blocks = vec![NONE; (most + 1) * count];
        let (mut short_blocks, mut short_image_blocks) = (blocks.clone(), blocks.clone());
        let id = |quad: Quad| usize::from(ids[usize::from(quad.0)]);
        let first = |quad: Quad| quad.full() && quads.place(quad) == 0;
        for (weight, class) in classes.iter().enumerate() {
            for (position, half) in class.halves() {
                let (left, right) = half.quads();
                positions[id(right) * count + id(left)] = position;
                let place = class.short.place(position).unwrap_or(NONE);
                if first(left) {
                    blocks[weight * count + id(right)] = position;
                    short_blocks[weight * count + id(right)] = place;
                }
                if first(right) {
                    short_image_blocks[weight * count + id(left)] = place;
                }
            }
        }
        let position = |half: Half| {
            let (left, right) = half.quads();
            positions[id(right) * count + id(left)]
        };
        let mut tables: Vec<Tables> = classes
            .into_par_iter()
            .map(|class| Tables::new(class, exponents, &position, &ids, count))
            .collect();
        for weight in 0..=most {
            let (before, these) = tables.split_at_mut(weight);
            these[0].remove_tiles(before, &position);
        }
        let under = std::array::from_fn(|empty| under(&quads, empty));
        Self {
            quads,
            tables,
            count,
            ids,
            weights,
            positions,
            blocks,
            short_blocks,
            short_image_blocks,
            under,
        }
    }

    /// The weight of a quad, and of a half.
    #[inline]
    pub(crate) fn quad_weight(&self, quad: Quad) -> usize {
        usize::from(self.weights[usize::from(quad.0)])
    }

    #[inline]
    pub(crate) fn weight(&self, half: Half) -> usize {
        let (left, right) = half.quads();
        self.quad_weight(left) + self.quad_weight(right)
    }

    #[inline]
    fn id(&self, quad: Quad) -> usize {
        usize::from(self.ids[usize::from(quad.0)])
    }

    /// The position of a half in the class of its weight.
    #[inline]
    pub(crate) fn position(&self, half: Half) -> u32 {
        let (left, right) = half.quads();
        self.position_of(left, right)
    }

    /// The position of a half of two quads in the class of its weight.
    #[inline]
    pub(crate) fn position_of(&self, left: Quad, right: Quad) -> u32 {
        self.positions[self.id(right) * self.count + self.id(left)]
    }

    /// The weights that a top half of a board of half a sum can have.
    pub(crate) fn tops(&self, weight: usize) -> Range<usize> {
        let most = self.most();
        weight.saturating_sub(most)..weight.min(most) + 1
    }

    /// The same, with those of the largest matrices first: so all threads end together.
    pub(crate) fn largest_first(&self, weight: usize) -> Vec<usize> {
        let mut tops: Vec<usize> = self.tops(weight).collect();
        let lines = |weight: usize| self.tables[weight].class.lines();
        tops.sort_by_key(|&top| Reverse(lines(top) * lines(weight - top)));
        tops
    }

    /// The weights that both halves of a board of half a sum can have, the lighter one first; the
    /// largest matrices first.
    pub(crate) fn pairs(&self, weight: usize) -> Vec<(usize, usize)> {
        let tops = self.largest_first(weight).into_iter();
        let lighter = tops.filter(|top| 2 * top <= weight);
        lighter.map(|top| (top, weight - top)).collect()
    }

    /// Greatest weight.
    fn most(&self) -> usize {
        self.tables.len() - 1
    }

    /// The quads, transposed and by weight, that can lie under a quad when all tiles have fallen down
    /// but leave some gap: in its empty columns no tile lies over a gap, in the others there is none.
    pub(crate) fn under(&self, quad: Quad) -> &[Vec<Quad>] {
        let [corner, along, inward, middle] = quad.cells();
        let (outer, inner) = (corner == 0 && inward == 0, along == 0 && middle == 0);
        &self.under[usize::from(outer) + 2 * usize::from(inner)]
    }

    /// The position in class `weight` of the first half with a right quad and a full left quad.
    #[inline]
    pub(crate) fn block(&self, weight: usize, right: Quad) -> u32 {
        self.blocks[weight * self.count + self.id(right)]
    }

    /// The place of that half in the windows of short halves.
    #[inline]
    pub(crate) fn short_block(&self, weight: usize, right: Quad) -> u32 {
        self.short_blocks[weight * self.count + self.id(right)]
    }

    /// The place there of the first half with a left quad and a full right quad.
    #[inline]
    pub(crate) fn short_image_block(&self, weight: usize, left: Quad) -> u32 {
        self.short_image_blocks[weight * self.count + self.id(left)]
    }
}

/// See [`Halves::under`].
fn under(quads: &Quads, empty: usize) -> Vec<Vec<Quad>> {
    let fits = |quad: &Quad| {
        let [corner, along, inward, middle] = quad.cells().map(|cell| cell > 0);
        let column = |outer: bool, inner: bool, empty| {
            if empty {
                outer || !inner
            } else {
                outer && inner
            }
        };
        !quad.full()
            && column(corner, inward, empty & 1 != 0)
            && column(along, middle, empty & 2 != 0)
    };
    let of_weight = |weight| {
        let quads = quads.of_weight(weight).iter().copied().filter(fits);
        quads.map(Quad::transposed).collect()
    };
    (0..=quads.most()).map(of_weight).collect()
}

//! All quads and halves of a game, by weight, and tables about them.

use std::cmp::{Reverse, min};
use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::afterstates::AfterstateRows;
use super::census::CensusTable;
use super::class::{Class, ColumnRange, NONE};
use super::field::{FieldMask, Transposer};
use super::half::{Half, Quad, weight};
use super::prefixes::PrefixMasks;
use super::slide::MoveTable;
use super::spawn::RemovalTable;
use super::symmetry::SymmetryTable;
use crate::game::Game;

/// All quads of a game with tiles below some exponent, by weight.
///
/// Transposition hardly changes the order of the full quads of a weight. Quads that are less than
/// their transpose come first, then the symmetric quads, then the transposes of the first quads, in
/// the order of the first quads. So transposition swaps the first range and the last.
pub(crate) struct Quads {
    /// By weight: the full quads, then the others.
    by_weight: Vec<Vec<Quad>>,
    transposers: Vec<Transposer>,
    /// The number of each quad among all quads, and its weight.
    ids: Vec<u16>,
    weights: Vec<u16>,
    /// Number of all quads.
    pub(crate) count: usize,
}

impl Quads {
    /// The quads with exponents below `exponents` and weights up to `most`.
    pub(crate) fn new(exponents: u8, most: usize) -> Self {
        let mut by_weight: Vec<Vec<Quad>> = vec![Vec::new(); most + 1];
        for quad in (0..=u16::MAX).map(Quad) {
            let (cells, weight) = (quad.cells(), weight(&quad.cells()));
            if cells.iter().all(|&cell| cell < exponents) && weight <= most {
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
                weights[usize::from(quad.0)] = weight as u16;
                count += 1;
            }
        }
        Self {
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

    /// Half the sum of a quad's tiles.
    #[inline]
    pub(crate) fn weight(&self, quad: Quad) -> usize {
        usize::from(self.weights[usize::from(quad.0)])
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

/// All halves of a game.
pub(crate) struct Halves {
    pub(crate) quads: Quads,
    /// By weight.
    pub(crate) tables: Vec<Tables>,
    /// The position of each half in its class.
    positions: Vec<u32>,
    /// By weight and right quad: the position of the first half of the field in `left` or `both`, and
    /// the number of its masks.
    fields: Vec<(u32, u32)>,
    /// The masks of the halves of a field in `left` or `both`, and of the other halves.
    masks: Vec<[FieldMask; 2]>,
    /// See [`Halves::under`]. The first index tells which columns of the upper quad are empty.
    under: [Vec<Vec<Quad>>; 4],
}

/// The halves of one weight, with a table for each step of a layer.
#[derive(Default)]
pub(crate) struct Tables {
    pub(crate) class: Class,
    pub(crate) afterstates: AfterstateRows,
    pub(crate) removals: RemovalTable,
    pub(crate) census: CensusTable,
    pub(crate) symmetry: SymmetryTable,
    pub(crate) prefixes: PrefixMasks,
    /// The digits of each half as a bottom half, by position.
    pub(crate) bottom_digits: Vec<u32>,
    pub(crate) moves: MoveTable,
}

impl Halves {
    /// The halves of the boards with sums up to `2 * weight`. Takes about a microsecond a half.
    pub(crate) fn new(game: &Game, weight: usize) -> Self {
        Self::with_tables(game, weight, |_| true)
    }

    /// Like [`Self::new`], but the halves of some weights have only their class. The other tables
    /// take most of the time and of the memory.
    pub(crate) fn with_tables(
        game: &Game,
        weight: usize,
        has_tables: impl Fn(usize) -> bool + Sync,
    ) -> Self {
        // A tile of exponent e has weight 2^(e-1).
        let largest = weight.ilog2() as u8 + 1;
        let exponents = game.win().get().min(largest + 1);
        let most = weight.min(8 << (exponents - 2));
        let quads = Quads::new(exponents, most);
        let classes: Vec<Class> = (0..=most)
            .into_par_iter()
            .map(|weight| Class::new(weight, &quads))
            .collect();
        let mut halves = Self {
            tables: Vec::new(),
            positions: vec![NONE; quads.count * quads.count],
            fields: Vec::new(),
            masks: Vec::new(),
            under: std::array::from_fn(|empty| under(&quads, empty)),
            quads,
        };
        classes.iter().for_each(|class| halves.add_positions(class));
        halves.make_fields(&classes);
        let tables = |(weight, class): (usize, Class)| {
            if !has_tables(weight) {
                return Tables {
                    class,
                    ..Tables::default()
                };
            }
            Tables {
                afterstates: AfterstateRows::new(&class, &halves),
                removals: RemovalTable::default(),
                census: CensusTable::new(&class, exponents),
                symmetry: SymmetryTable::new(&class, &halves),
                prefixes: PrefixMasks::new(&class, exponents),
                bottom_digits: class
                    .digits
                    .iter()
                    .map(|half| half.rotate_left(16))
                    .collect(),
                moves: MoveTable::new(&class, exponents, &halves),
                class,
            }
        };
        let mut tables: Vec<Tables> = classes.into_par_iter().enumerate().map(tables).collect();
        for weight in 0..=most {
            // Removals lead to the classes of two lighter weights.
            if !(weight.saturating_sub(2)..=weight).all(&has_tables) {
                continue;
            }
            tables[weight].removals = RemovalTable::new(&tables[..=weight], &halves);
        }
        halves.tables = tables;
        halves
    }

    fn add_positions(&mut self, class: &Class) {
        let quads = &self.quads;
        for (position, half) in class.halves() {
            let (left, right) = half.quads();
            self.positions[quads.id(right) * quads.count + quads.id(left)] = position;
        }
    }

    fn make_fields(&mut self, classes: &[Class]) {
        let quads = &self.quads;
        let mut numbers = HashMap::new();
        for class in classes {
            let mut fields = vec![(0, 0); quads.count];
            for position in class.positions_of(ColumnRange::MOVED_LEFT) {
                let (left, right) = class.half(position).quads();
                if left.is_full() {
                    let (first, bits) = &mut fields[quads.id(right)];
                    if *bits == 0 {
                        *first = position;
                    }
                    *bits |= 1 << (quads.id(left) - quads.id(quads.full(quads.weight(left))[0]));
                }
            }
            self.fields.extend(fields.into_iter().map(|(first, bits)| {
                let number = *numbers.entry(bits).or_insert_with(|| {
                    self.masks.push([bits, !bits].map(FieldMask::new));
                    self.masks.len() as u32 - 1
                });
                (first, number)
            }));
        }
    }

    /// Half the sum of a half's tiles.
    #[inline]
    pub(crate) fn weight(&self, half: Half) -> usize {
        let (left, right) = half.quads();
        self.quads.weight(left) + self.quads.weight(right)
    }

    /// The position of a half in its class.
    #[inline]
    pub(crate) fn position(&self, half: Half) -> u32 {
        let (left, right) = half.quads();
        self.position_of(left, right)
    }

    /// The position of the half of two quads.
    #[inline]
    pub(crate) fn position_of(&self, left: Quad, right: Quad) -> u32 {
        self.positions[self.quads.id(right) * self.quads.count + self.quads.id(left)]
    }

    /// The weights of the top halves of boards of weight `weight`.
    pub(crate) fn tops(&self, weight: usize) -> Range<usize> {
        let most = self.tables.len() - 1;
        weight.saturating_sub(most)..weight.min(most) + 1
    }

    /// The weights of the top halves, the largest matrices first, so that no thread ends late.
    pub(crate) fn largest_first(&self, weight: usize) -> Vec<usize> {
        let mut tops: Vec<usize> = self.tops(weight).collect();
        let lines = |weight: usize| self.tables[weight].class.lines();
        tops.sort_by_key(|&top| Reverse(lines(top) * lines(weight - top)));
        tops
    }

    /// The pairs of weights of the halves of a board, the lighter half first. The largest matrices
    /// come first.
    pub(crate) fn pairs(&self, weight: usize) -> Vec<(usize, usize)> {
        let tops = self.largest_first(weight).into_iter();
        let lighter = tops.filter(|top| 2 * top <= weight);
        lighter.map(|top| (top, weight - top)).collect()
    }

    /// By weight: the quads that can lie under `quad` after all tiles fell down and left a gap. The
    /// quads are transposed. Under an empty column no tile lies over a gap. Under any other column
    /// there is no gap.
    pub(crate) fn under(&self, quad: Quad) -> &[Vec<Quad>] {
        let [corner, along, inward, middle] = quad.cells();
        let (outer, inner) = (corner == 0 && inward == 0, along == 0 && middle == 0);
        &self.under[usize::from(outer) + 2 * usize::from(inner)]
    }

    /// The position of the first half of a field in `left` or `both`, the mask of these halves, and
    /// the mask of the field's other halves. `weight` is the weight of the halves.
    #[inline]
    pub(crate) fn field(&self, weight: usize, right: Quad) -> (u32, &[FieldMask; 2]) {
        let (first, number) = self.fields[weight * self.quads.count + self.quads.id(right)];
        (first, &self.masks[number as usize])
    }
}

/// See [`Halves::under`]. Bit 0 of `empty` says whether the outer column is empty, bit 1 whether
/// the middle column is.
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

/// Lists of numbers, one list for each of the keys 0, 1, ...
#[derive(Default)]
pub(crate) struct Groups {
    members: Vec<u32>,
    /// The first member of each key, and the end.
    starts: Vec<u32>,
}

impl Groups {
    /// Group pairs of a key below `keys` and a member.
    pub(crate) fn new(keys: usize, pairs: &[(u32, u32)]) -> Self {
        let mut starts = vec![0; keys + 1];
        for &(key, _) in pairs {
            starts[key as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut members = vec![0; pairs.len()];
        // Each start was the end of its group, and moves down to its beginning.
        for &(key, member) in pairs {
            let start = &mut starts[key as usize];
            *start -= 1;
            members[*start as usize] = member;
        }
        Self { members, starts }
    }

    /// The members of a key.
    #[inline]
    pub(crate) fn of(&self, key: u32) -> &[u32] {
        let key = key as usize;
        &self.members[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposition_of_full_quads_swaps_the_first_and_the_last_range() {
        let quads = Quads::new(5, 24);
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

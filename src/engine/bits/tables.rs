//! All halves of a game, with a table for each step of a layer.
//!
//! The tables are made once for all layers. A step of a row looks up what it needs by the positions
//! of halves.

use std::cmp::Reverse;
use std::ops::Range;
use std::ptr;

use rayon::prelude::*;

use super::class::{Class, ColumnRange, NONE};
use super::half::{Half, Quad, merge};
use super::kernels::BitLine;
use super::positions::Positions;
use super::prefixes::PrefixMasks;
use super::weights::Weights;
use crate::game::Game;

/// All halves of a game.
pub(crate) struct Halves {
    pub(crate) positions: Positions,
    pub(crate) weights: Weights,
    /// By weight.
    pub(crate) tables: Vec<Tables>,
}

impl Halves {
    /// The halves of the boards with sums up to `2 * weight`. Takes about a microsecond a half. The
    /// halves of some weights have only their class: the other tables take most of the time and of
    /// the memory.
    pub(crate) fn new(
        game: &Game,
        weight: usize,
        has_tables: impl Fn(usize) -> bool + Sync,
    ) -> Self {
        // A tile of exponent e has weight 2^(e-1).
        let largest = weight.ilog2() as u8 + 1;
        let exponents = game.top().get().min(largest) + 1;
        let most = weight.min(8 << (exponents - 2));
        let weights = Weights::new(game, most);
        let digits = weights.digits(exponents);
        let has_tables = |weight| weights.has(weight) && has_tables(weight);
        let (positions, classes) = Positions::new(exponents, weights);
        let tables = |(weight, class): (usize, Class)| {
            if !has_tables(weight) {
                return Tables {
                    class,
                    ..Tables::default()
                };
            }
            let mut targets = vec![NONE; class.digits.len()];
            for (at, half) in class.halves() {
                let moved = half.moved_left(exponents);
                targets[at as usize] = moved.map_or(NONE, |moved| positions.of(moved));
            }
            let mut by_target: Vec<u32> = class.halves().map(|(at, _)| at).collect();
            by_target.sort_by_key(|&at| targets[at as usize]);
            Tables {
                afterstates: AfterstateRows::new(&class, &positions),
                removals: RemovalTable::default(),
                census: CensusTable::new(&class, exponents, digits),
                symmetry: SymmetryTable::new(&class, &positions),
                prefixes: PrefixMasks::new(&class, digits),
                bottom_digits: class
                    .digits
                    .iter()
                    .map(|half| half.rotate_left(16))
                    .collect(),
                by_target,
                targets,
                class,
            }
        };
        let mut tables: Vec<Tables> = classes.into_par_iter().enumerate().map(tables).collect();
        for weight in 0..tables.len() {
            // Removals lead to the classes of two lighter weights.
            let mut needed = weight.saturating_sub(2)..=weight;
            if needed.all(|weight| !weights.has(weight) || has_tables(weight)) {
                tables[weight].removals = RemovalTable::new(&tables[..=weight], &positions);
            }
        }
        Self {
            positions,
            weights,
            tables,
        }
    }

    /// The halves of the boards of a pair, by the weights of their top and bottom halves.
    pub(crate) fn sides(&self, top: usize, bottom: usize) -> Sides<'_> {
        Sides {
            rows: &self.tables[top],
            columns: &self.tables[bottom],
        }
    }

    /// The weights of the top halves of boards of weight `weight`.
    pub(crate) fn tops(&self, weight: usize) -> impl Iterator<Item = usize> {
        self.weights.tops(weight)
    }

    /// Some weights of top halves, the largest matrices first, so that no thread ends late.
    pub(crate) fn largest_first(&self, weight: usize, keep: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut tops: Vec<usize> = self.tops(weight).filter(|&top| keep(top)).collect();
        let lines = |weight: usize| self.tables[weight].class.lines();
        tops.sort_by_key(|&top| Reverse(lines(top) * lines(weight - top)));
        tops
    }
}

/// The halves of the boards of a pair.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    /// The top halves.
    pub(crate) rows: &'a Tables,
    /// The bottom halves.
    pub(crate) columns: &'a Tables,
}

impl Sides<'_> {
    /// Whether the halves have equal weights.
    pub(crate) fn is_square(self) -> bool {
        ptr::eq(self.rows, self.columns)
    }

    /// The halves of the vertical flips.
    pub(crate) fn flipped(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
        }
    }
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
    /// The target of each position: the position after a move to the left; `NONE` if the move wins.
    pub(crate) targets: Vec<u32>,
    /// All positions in the order of their targets. Positions that win come last.
    pub(crate) by_target: Vec<u32>,
}

/// The halves of a class as rows of afterstates.
#[derive(Default)]
pub(crate) struct AfterstateRows {
    /// The columns of each slot. A slot is a row of `AfterstateMatrix`.
    pub(crate) columns: Vec<ColumnRange>,
    /// The slot of each position.
    pub(crate) slots: Vec<u32>,
    /// The slot of each moved row, and the slot of its mirror image.
    pub(crate) moved: Vec<(u32, u32)>,
    /// Top halves after a move down, with an empty cell in the right quad. Halves with one right
    /// quad come one after the other.
    pub(crate) down: Vec<DownRow>,
    /// The other top halves after a move down: the slot of the mirror image, which is in `down`, and
    /// the slot.
    pub(crate) mirrored_down: Vec<(u32, u32)>,
}

/// A top half after a move down.
pub(crate) struct DownRow {
    pub(crate) slot: u32,
    /// The left and the right quad, transposed.
    pub(crate) left: Quad,
    pub(crate) right: Quad,
}

impl AfterstateRows {
    fn new(class: &Class, positions: &Positions) -> Self {
        let mut slots = vec![NONE; class.digits.len()];
        let (mut columns, mut down, mut right_full) = (Vec::new(), Vec::new(), Vec::new());
        for (at, half) in class.halves().filter(|(_, half)| !half.is_full()) {
            let Some(range) = ColumnRange::of_top(half) else {
                continue;
            };
            let slot = columns.len() as u32;
            slots[at as usize] = slot;
            columns.push(range);
            let (left, right) = half.quads();
            if half.is_fallen() && right.is_full() {
                right_full.push((half, slot));
            } else if half.is_fallen() {
                down.push(DownRow {
                    slot,
                    left: left.transposed(),
                    right: right.transposed(),
                });
            }
        }
        down.sort_by_key(|row| row.right.transposed());
        let image = |half: Half| slots[positions.of(half.mirrored()) as usize];
        let moved = (0..class.moved_rows()).map(|row| {
            let at = class.position_of_moved_row(row);
            (slots[at as usize], image(class.half(at)))
        });
        let mirrored_down = right_full
            .into_iter()
            .map(|(half, slot)| (image(half), slot));
        Self {
            moved: moved.collect(),
            mirrored_down: mirrored_down.collect(),
            columns,
            slots,
            down,
        }
    }
}

/// The removals of the halves of a class. A *removal* is a half without one of its 2s or 4s.
#[derive(Default)]
pub(crate) struct RemovalTable {
    /// By position, the slots of the removals. The highest bit is set if the tile is a 4.
    pub(super) slots: Groups,
    /// By position, the short removals, as numbers of short halves. The highest bit tells the tile,
    /// as in `slots`.
    pub(super) shorts: Groups,
}

/// The highest bit of a removal: the tile is a 4.
const FOUR: u32 = 1 << 31;

impl RemovalTable {
    /// The removals of the last class of `tables`, which has all lighter classes.
    fn new(tables: &[Tables], positions: &Positions) -> Self {
        let (mut slots, mut shorts) = (Vec::new(), Vec::new());
        let class = &tables.last().expect("a class").class;
        for (at, half) in class.halves() {
            for shift in (0..32).step_by(4) {
                let exp = half.0 >> shift & 15;
                if exp == 1 || exp == 2 {
                    let mark = if exp == 2 { FOUR } else { 0 };
                    let removal = positions.of(Half(half.0 & !(15 << shift)));
                    let table = &tables[tables.len() - 1 - exp as usize];
                    let slot = table.afterstates.slots[removal as usize];
                    slots.extend((slot != NONE).then_some((at, mark | slot)));
                    let short = table.class.short.number(removal);
                    shorts.extend(short.map(|number| (at, mark | number)));
                }
            }
        }
        Self {
            slots: Groups::new(class.digits.len(), &slots),
            shorts: Groups::new(class.digits.len(), &shorts),
        }
    }
}

/// The tile that was removed, 0 for a 2 and 1 for a 4, and the number of the removal.
pub(super) fn unmark(removal: u32) -> (usize, u32) {
    (usize::from(removal >= FOUR), removal & !FOUR)
}

/// Masks of the halves of a class for counting.
#[derive(Default)]
pub(crate) struct CensusTable {
    /// By exponent: halves whose exponents are not greater.
    pub(crate) up_to: Vec<Vec<BitLine>>,
    /// Halves that a move to the left changes.
    pub(crate) changes: Vec<BitLine>,
    /// Halves in which a move to the left wins.
    pub(super) wins: Vec<BitLine>,
    pub(crate) full: Vec<BitLine>,
    /// Full halves without equal tiles side by side.
    pub(super) stuck: Vec<BitLine>,
    /// By column and digit: halves with another digit in this cell of the inner row, or with a stone.
    pub(super) inner_differs: [Vec<Vec<BitLine>>; 4],
}

impl CensusTable {
    fn new(class: &Class, exponents: u8, digits: u8) -> Self {
        let up_to = |exp| class.mask(|half| half.max_exp() <= exp);
        // No cell has the digit after the exponents, and no cell merges with a stone.
        let differs = |cell, exp| class.mask(|half: Half| half.cells()[cell] != exp);
        Self {
            up_to: (0..exponents).map(up_to).collect(),
            changes: class.mask(|half| half.moved_left(exponents) != Some(half)),
            wins: class.mask(|half| half.moved_left(exponents).is_none()),
            full: class.mask(Half::is_full),
            stuck: class.mask(is_stuck),
            inner_differs: [4, 5, 6, 7]
                .map(|cell| (0..digits).map(|exp| differs(cell, exp)).collect()),
        }
    }

    /// The exponents that can be the largest of a board with some half.
    pub(super) fn exponents(&self, half: Half) -> Range<u8> {
        half.max_exp()..self.up_to.len() as u8
    }
}

/// Whether no cell is empty and no neighbours are equal tiles.
fn is_stuck(half: Half) -> bool {
    let cells = half.cells();
    let (outer, inner) = cells.split_at(4);
    let stays = |row: &[u8]| row.windows(2).all(|pair| !merge(pair[0], pair[1]));
    let mut columns = outer.iter().zip(inner);
    half.is_full() && stays(outer) && stays(inner) && columns.all(|(&a, &b)| !merge(a, b))
}

/// The images of the halves of a class.
#[derive(Default)]
pub(crate) struct SymmetryTable {
    /// The mirror image of each position.
    pub(crate) images: Vec<u32>,
    /// Mask of the halves that equal their mirror image.
    pub(super) mirrored: Vec<BitLine>,
    /// For each position: the number of the right quad's transpose if the left quad is symmetric,
    /// and the number of the left quad's transpose if the right quad is symmetric.
    pub(super) diagonal: Vec<[u32; 2]>,
    /// Positions with a symmetric right quad, by number of the left quad.
    pub(super) by_left: Groups,
    /// Positions with a symmetric left quad, by number of the right quad.
    pub(super) by_right: Groups,
}

impl SymmetryTable {
    fn new(class: &Class, positions: &Positions) -> Self {
        let mut images: Vec<u32> = (0..class.digits.len() as u32).collect();
        let mut diagonal = vec![[NONE; 2]; class.digits.len()];
        let (mut by_left, mut by_right) = (Vec::new(), Vec::new());
        let id = |quad: Quad| positions.quads.id(quad) as u32;
        for (at, half) in class.halves() {
            images[at as usize] = positions.of(half.mirrored());
            let (left, right) = half.quads();
            if left == left.transposed() {
                diagonal[at as usize][0] = id(right.transposed());
                by_right.push((id(right), at));
            }
            if right == right.transposed() {
                diagonal[at as usize][1] = id(left.transposed());
                by_left.push((id(left), at));
            }
        }
        Self {
            images,
            mirrored: class.mask(|half| half.mirrored() == half),
            diagonal,
            by_left: Groups::new(positions.quads.count, &by_left),
            by_right: Groups::new(positions.quads.count, &by_right),
        }
    }
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

//! What becomes of each half of one weight: where moves lead, what spawns come from, what counts.

use super::begins::Orders;
use super::class::{Class, Extent, NONE, Windows};
use super::groups::Groups;
use super::half::{Half, Quad};
use super::kernels::{BitLine, LINE};
use crate::game::line;

/// What a class's rows and columns need for spawns, moves and counts.
pub(crate) struct Tables {
    pub(crate) class: Class,
    /// The position that each half is moved to by a move to the left; `NONE` where that wins.
    pub(crate) targets: Vec<u32>,
    /// All positions, in the order of their targets; those that win last.
    pub(crate) by_target: Vec<u32>,
    /// Rows of a slab: positions of the halves with an empty cell that have an extent, with it.
    pub(crate) open: Vec<(u32, Extent)>,
    /// The number of each position among those.
    pub(crate) slots: Vec<u32>,
    /// Positions of the halves that are short, and those that are hollow...
    pub(crate) shorts: Vec<u32>,
    pub(crate) hollows: Vec<u32>,
    /// ...and by place in the windows of either kind the number among those.
    pub(crate) short_numbers: Vec<u32>,
    pub(crate) hollow_numbers: Vec<u32>,
    /// By position: what is left when a tile is taken away. Slots, and marked with the highest bit
    /// if the tile is a 4; the same with numbers among `shorts`.
    removals: Groups,
    short_removals: Groups,
    /// The largest exponent of each position.
    pub(crate) max: Vec<u8>,
    /// Halves with exponents up to the index.
    pub(crate) up_to: Vec<Vec<BitLine>>,
    /// Halves that a move to the left changes.
    pub(crate) changes: Vec<BitLine>,
    /// Halves in which it makes the winning tile.
    pub(crate) wins: Vec<BitLine>,
    /// Full halves.
    pub(crate) full: Vec<BitLine>,
    /// Full halves in which no neighbours are equal.
    pub(crate) stuck: Vec<BitLine>,
    /// By column and exponent: halves with another one in that cell of the inner row.
    pub(crate) inner_differs: [Vec<Vec<BitLine>>; 4],
    /// Halves that equal their mirror image.
    pub(crate) mirrors: Vec<BitLine>,
    /// Halves that make canonical boards.
    pub(crate) orders: Orders,
    /// The mirror image of each position of `both`, from its first line.
    pub(crate) mirrored: Vec<u32>,
    /// The mirror image of each position.
    pub(crate) images: Vec<u32>,
    /// For each position, if its left quad is its own transpose, the number of the transpose of the
    /// right; and the other way around.
    pub(crate) diagonal: Vec<[u32; 2]>,
    /// By number of the left quad: positions of which the right quad is its own transpose; and the
    /// other way around.
    pub(crate) own_right: Groups,
    pub(crate) own_left: Groups,
    /// Digits of each position as the bottom of a board, and as its top.
    pub(crate) bottoms: Vec<u32>,
    pub(crate) tops: Vec<u32>,
    /// Rows of afterstates that can be moved down, with their right quad open: the slot, and both
    /// quads transposed; those with the same right quad one after the other.
    pub(crate) fallen: Vec<(u32, Quad, Quad)>,
    /// The others that can: the number of their mirror image among these, and their slot.
    pub(crate) fallen_mirrored: Vec<(u32, u32)>,
    /// Slots of the rows of halves that are settled to the left, and of their mirror images.
    pub(crate) settled: Vec<(u32, u32)>,
}

impl Tables {
    pub(super) fn new(
        class: Class,
        exponents: u8,
        position: &impl Fn(Half) -> u32,
        ids: &[u16],
        quads: usize,
    ) -> Self {
        let places = class.lines() * LINE;
        let mut targets = vec![NONE; places];
        let mut max = vec![0; places];
        let mut slots = vec![NONE; places];
        let mut short_numbers = vec![NONE; class.short.lines() * LINE];
        let mut hollow_numbers = vec![NONE; class.hollow.lines() * LINE];
        let (mut open, mut shorts, mut hollows) = (Vec::new(), Vec::new(), Vec::new());
        let won = |half: Half| moved_left(half).is_none_or(|half| largest(half) >= exponents);
        for (at, half) in class.halves() {
            max[at as usize] = largest(half);
            if !won(half) {
                targets[at as usize] = moved_left(half).map_or(NONE, position);
            }
            if let Some(extent) = Extent::of(half).filter(|_| !half.full()) {
                slots[at as usize] = open.len() as u32;
                open.push((at, extent));
            }
            let place = |windows: &Windows| windows.place(at).expect("a window") as usize;
            if half.short() {
                short_numbers[place(&class.short)] = shorts.len() as u32;
                shorts.push(at);
            }
            if half.hollow() {
                hollow_numbers[place(&class.hollow)] = hollows.len() as u32;
                hollows.push(at);
            }
        }
        let mut by_target: Vec<u32> = class.halves().map(|(at, _)| at).collect();
        by_target.sort_by_key(|&at| targets[at as usize]);
        let digits = 0..exponents;
        let cell = |half: Half, at: usize| half.cells()[at];
        let inner_differs = [4, 5, 6, 7].map(|at| {
            let masks = digits
                .clone()
                .map(|exp| class.mask(|half| cell(half, at) != exp));
            masks.collect()
        });
        let both = class.both();
        let first = both.start * LINE;
        let mut mirrored: Vec<u32> = (0..(both.len() * LINE) as u32).collect();
        for (place, image) in mirrored.iter_mut().enumerate() {
            if let Some(half) = class.half((first + place) as u32) {
                *image = position(half.mirrored()) - first as u32;
            }
        }
        let (mut bottoms, mut tops) = (vec![0; places], vec![0; places]);
        for (at, half) in class.halves() {
            bottoms[at as usize] = half.0.rotate_left(16);
            tops[at as usize] = half.0;
        }
        let slot_of_image = |half: Half| slots[position(half.mirrored()) as usize];
        let inward = open.iter().enumerate().filter_map(|(slot, &(at, _))| {
            let half = class.half(at).filter(|half| half.inward())?;
            Some((slot as u32, half))
        });
        let (filled, mut direct): (Vec<_>, Vec<_>) =
            inward.partition(|(_, half)| half.quads().1.full());
        direct.sort_by_key(|(_, half)| half.quads().1);
        let mut numbers = vec![NONE; open.len()];
        for (number, &(slot, _)) in direct.iter().enumerate() {
            numbers[slot as usize] = number as u32;
        }
        let fallen = direct.iter().map(|&(slot, half)| {
            let (left, right) = half.quads();
            (slot, left.transposed(), right.transposed())
        });
        let fallen = fallen.collect();
        let number = |half| numbers[slot_of_image(half) as usize];
        let fallen_mirrored = filled
            .iter()
            .map(|&(slot, half)| (number(half), slot))
            .collect();
        let settled = (0..class.rows()).map(|row| {
            let at = class.position_of_row(row);
            let half = class.half(at).expect("a row has a half");
            (slots[at as usize], slot_of_image(half))
        });
        let settled = settled.collect();
        let mut images = vec![NONE; places];
        let mut diagonal = vec![[NONE; 2]; places];
        let (mut own_right, mut own_left) = (Vec::new(), Vec::new());
        let id = |quad: Quad| u32::from(ids[usize::from(quad.0)]);
        for (at, half) in class.halves() {
            images[at as usize] = position(half.mirrored());
            let (left, right) = half.quads();
            if left == left.transposed() {
                diagonal[at as usize][0] = id(right.transposed());
                own_left.push((id(right), at));
            }
            if right == right.transposed() {
                diagonal[at as usize][1] = id(left.transposed());
                own_right.push((id(left), at));
            }
        }
        let grouped = |pairs: &[(u32, u32)]| {
            let mut groups = Groups::default();
            groups.fill(quads, pairs);
            groups
        };
        Self {
            images,
            diagonal,
            own_right: grouped(&own_right),
            own_left: grouped(&own_left),
            bottoms,
            tops,
            fallen,
            fallen_mirrored,
            settled,
            targets,
            by_target,
            open,
            slots,
            shorts,
            hollows,
            short_numbers,
            hollow_numbers,
            removals: Groups::default(),
            short_removals: Groups::default(),
            max,
            up_to: digits
                .clone()
                .map(|exp| class.mask(|half| largest(half) <= exp))
                .collect(),
            changes: class.mask(|half| moved_left(half) != Some(half)),
            wins: class.mask(won),
            full: class.mask(Half::full),
            stuck: class.mask(stuck),
            inner_differs,
            mirrors: class.mask(|half| half.mirrored() == half),
            orders: Orders::new(&class, exponents),
            mirrored,
            class,
        }
    }

    /// Note what is left of each half when a 2 or a 4 is taken away.
    pub(super) fn remove_tiles(&mut self, before: &[Self], position: &impl Fn(Half) -> u32) {
        let (mut removals, mut short_removals) = (Vec::new(), Vec::new());
        for (at, half) in self.class.halves() {
            for shift in (0..32).step_by(4) {
                let exp = half.0 >> shift & 15;
                if exp == 1 || exp == 2 {
                    let class = &before[before.len() - exp as usize];
                    let left = position(Half(half.0 & !(15 << shift)));
                    let marked = |number| (at, number | (exp - 1) << 31);
                    let slot = Some(class.slots[left as usize]).filter(|&slot| slot != NONE);
                    removals.extend(slot.map(marked));
                    short_removals.extend(class.short_number(left).map(marked));
                }
            }
        }
        let places = self.class.lines() * LINE;
        self.removals.fill(places, &removals);
        self.short_removals.fill(places, &short_removals);
    }

    /// What is left of the half at a position when a tile is taken away: which one, 0 for a 2 and 1
    /// for a 4, and the slot of the rest in the class of its weight.
    pub(crate) fn removals(&self, position: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.removals.of(position).iter().map(unmarked)
    }

    /// The same with the number of the rest among those that are short.
    pub(crate) fn short_removals(&self, position: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.short_removals.of(position).iter().map(unmarked)
    }

    /// The number of a position among those that are short.
    pub(crate) fn short_number(&self, position: u32) -> Option<u32> {
        let place = self.class.short.place(position)?;
        Some(self.short_numbers[place as usize]).filter(|&number| number != NONE)
    }
}

/// The mark, and the number without it.
fn unmarked(removal: &u32) -> (usize, u32) {
    ((removal >> 31) as usize, removal & !(1 << 31))
}

/// The largest exponent of a half.
fn largest(half: Half) -> u8 {
    half.cells().into_iter().max().unwrap_or(0)
}

/// The half after a move to the left, changed or not; none if that makes the tile 65536.
fn moved_left(half: Half) -> Option<Half> {
    let mut packed = [half.0 >> 16, half.0 & 0xffff].map(|row| {
        let mut tiles = line::unpack(row as u16, 4);
        line::slide(&mut tiles);
        line::pack(&tiles)
    });
    Some(Half(
        u32::from(packed[0].take()?) << 16 | u32::from(packed[1].take()?),
    ))
}

/// Whether no cell is empty and no neighbours are equal.
fn stuck(half: Half) -> bool {
    let cells = half.cells();
    let rows = cells
        .chunks(4)
        .all(|row| row.windows(2).all(|pair| pair[0] != pair[1]));
    half.full() && rows && (0..4).all(|column| cells[column] != cells[4 + column])
}

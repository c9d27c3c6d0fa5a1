//! Counts of the boards of a row, and their canonical forms.
//!
//! Key idea: what is counted are labeled boards, by the bits of rows under masks. How many canonical
//! boards they stand for follows by the orbit-counting lemma (Burnside): the sum over all boards of
//! the number of symmetries that leave them as they are, divided by eight. All but a few boards have
//! one such symmetry, the identity; the few are looked at one by one.

use super::class::NONE;
use super::half::Half;
use super::kernels::{BitLine, LINE, bit, count, count_masked, count_masked_twice};
use super::tables::Tables;
use crate::game::{Game, Moved, orbit};

/// Exponents there can be, and 0.
pub(crate) const EXPONENTS: usize = 17;

/// Sums over boards in all orientations, by largest exponent. All but the first count a board once
/// for each symmetry that it has; an eighth of that is the sum over canonical boards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Boards.
    pub(crate) labeled: [u64; EXPONENTS],
    /// Their symmetries besides the identity.
    pub(crate) symmetries: [u64; EXPONENTS],
    /// Their legal moves, and those of them that win.
    pub(crate) moves: [u64; EXPONENTS],
    pub(crate) wins: [u64; EXPONENTS],
    /// Boards without a legal move.
    pub(crate) dead: [u64; EXPONENTS],
    pub(crate) empty_cells: [u64; EXPONENTS],
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        let pairs = [
            (&mut self.labeled, other.labeled),
            (&mut self.symmetries, other.symmetries),
            (&mut self.moves, other.moves),
            (&mut self.wins, other.wins),
            (&mut self.dead, other.dead),
            (&mut self.empty_cells, other.empty_cells),
        ];
        for (sum, other) in pairs {
            for (sum, other) in sum.iter_mut().zip(other) {
                *sum += other;
            }
        }
    }
}

/// Positions in a row that give boards with a symmetry of their own. `square` says whether both
/// halves have the same weight.
pub(crate) fn find_symmetric(
    position: u32,
    rows: &Tables,
    columns: &Tables,
    square: bool,
    row: &[BitLine],
    found: &mut Vec<u32>,
) {
    found.clear();
    let mut look = |position: u32| {
        if (position as usize) < row.len() * LINE && bit(row, position) {
            found.push(position);
        }
    };
    let at = position as usize;
    if square {
        look(position);
        look(rows.images[at]);
    }
    // Reflected at a diagonal: two quads are swapped, and those on it are their own transposes.
    let [falling, rising] = rows.diagonal[at];
    if falling != NONE {
        columns
            .own_right
            .of(falling)
            .iter()
            .for_each(|&position| look(position));
    }
    if rising != NONE {
        columns
            .own_left
            .of(rising)
            .iter()
            .for_each(|&position| look(position));
    }
    if rows.images[at] == position {
        for (line, (row, mask)) in row.iter().zip(&columns.mirrors).enumerate() {
            for (word, (row, mask)) in row.0.iter().zip(&mask.0).enumerate() {
                let mut word_left = row & mask;
                while word_left != 0 {
                    found.push((line * LINE + word * 64) as u32 + word_left.trailing_zeros());
                    word_left &= word_left - 1;
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
}

/// The bits of a row by largest exponent of the board, for a top half with largest exponent `max`;
/// under a mask, if there is one.
pub(crate) fn by_max(
    row: &[BitLine],
    mask: Option<&[BitLine]>,
    max: u8,
    columns: &Tables,
) -> [u64; EXPONENTS] {
    let mut counts = [0; EXPONENTS];
    let mut below = 0;
    let last = columns.up_to.len() - 1;
    for (exp, up_to) in columns.up_to.iter().enumerate().skip(max.into()) {
        let here = match mask {
            None if exp == last => count(row),
            None => count_masked(row, up_to),
            Some(mask) if exp == last => count_masked(row, mask),
            Some(mask) => count_masked_twice(row, mask, up_to),
        };
        counts[exp] = here - below;
        below = here;
    }
    counts
}

/// Add `times` some counts to others.
pub(crate) fn add(counts: &mut [u64; EXPONENTS], times: u64, more: &[u64; EXPONENTS]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += times * more;
    }
}

/// Counts the states of a pair.
pub(crate) struct PairCensus<'a> {
    pub(crate) game: &'a Game,
    pub(crate) rows: &'a Tables,
    pub(crate) columns: &'a Tables,
    /// Whether both halves have the same weight. If not, the pair stands for the flipped one, too.
    pub(crate) square: bool,
}

impl PairCensus<'_> {
    /// Count the states with the top half at `position`, those that are dead by the mask that
    /// `mark_dead` made; `symmetric` is memory. Returns whether there are any states.
    pub(crate) fn add_states(
        &self,
        position: u32,
        row: &[BitLine],
        dead: &[BitLine],
        symmetric: &mut Vec<u32>,
        counts: &mut Counts,
    ) -> bool {
        let Self { rows, columns, .. } = self;
        let times = if self.square { 1 } else { 2 };
        let max = rows.max[position as usize];
        let labeled = by_max(row, None, max, columns);
        if labeled == [0; EXPONENTS] {
            return false;
        }
        let target = rows.targets[position as usize];
        let movable = if target == position {
            by_max(row, Some(&columns.changes), max, columns)
        } else {
            labeled
        };
        add(&mut counts.labeled, times, &labeled);
        add(&mut counts.moves, 4 * times, &movable);
        let wins = if target == NONE {
            count(row)
        } else {
            count_masked(row, &columns.wins)
        };
        counts.wins[columns.up_to.len() - 1] += 4 * times * wins;
        let half = rows.class.half(position).expect("a position of a half");
        if !dead.is_empty() {
            add(&mut counts.dead, times, &by_max(dead, None, max, columns));
        }
        find_symmetric(position, rows, columns, self.square, row, symmetric);
        for &bottom in symmetric.iter() {
            let board = Half::board(half, columns.class.half(bottom).expect("a half"));
            let more = times * (8 / orbit::<4, 4>(board) - 1);
            let exp = usize::from(max.max(columns.max[bottom as usize]));
            let moves = self.game.moves(board);
            let number =
                |is: fn(&Moved) -> bool| moves.iter().filter(|moved| is(moved)).count() as u64;
            let legal = number(|moved| *moved != Moved::Illegal);
            counts.symmetries[exp] += more;
            counts.moves[exp] += more * legal;
            counts.wins[exp] += more * number(|moved| *moved == Moved::Wins);
            counts.dead[exp] += more * u64::from(legal == 0);
        }
        true
    }

    /// Make a mask of the states with the top half at `position` that are dead, if some may be: both
    /// halves have no move, and where they meet no tiles are equal.
    pub(crate) fn mark_dead(&self, position: u32, row: &[BitLine], dead: &mut Vec<BitLine>) {
        dead.clear();
        if !bit(&self.rows.stuck, position) {
            return;
        }
        let half = self.rows.class.half(position);
        let cells = half.expect("a position of a half").cells();
        let differs = &self.columns.inner_differs;
        let [a, b, c, d] =
            [0, 1, 2, 3].map(|column| &differs[column][usize::from(cells[4 + column])]);
        dead.extend(row.iter().enumerate().map(|(line, row)| {
            let masks = [&self.columns.stuck, a, b, c, d].map(|mask| mask[line].0);
            let mut dead = *row;
            for (i, dead) in dead.0.iter_mut().enumerate() {
                *dead &= masks.iter().fold(u64::MAX, |all, mask| all & mask[i]);
            }
            dead
        }));
    }
}

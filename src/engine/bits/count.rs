//! Counts the states of a row, and removes the dead ones.
//!
//! Key idea: boards with a symmetry of their own are few, so they are visited one by one. All others
//! are counted as bits under masks; see `counts`.

use std::array;

use super::class::NONE;
use super::counts::{BoardCounts, EXPONENTS, add};
use super::half::Half;
use super::kernels::{BitLine, LINE, bit, count, count_masked, count_masked_twice};
use super::tables::{Sides, Tables};
use crate::game::{Game, Moved, orbit};

/// Count the bits of a row by largest exponent of the board. `max` is the largest exponent of the
/// top half. With a mask, count only the bits under it.
pub(crate) fn count_by_max(
    row: &[BitLine],
    mask: Option<&[BitLine]>,
    max: u8,
    columns: &Tables,
) -> [u64; EXPONENTS] {
    let up_to = &columns.census.up_to;
    let mut counts = [0; EXPONENTS];
    let mut below = 0;
    for (exp, up_to_exp) in up_to.iter().enumerate().skip(max.into()) {
        let last = exp + 1 == up_to.len();
        let here = match mask {
            None if last => count(row),
            None => count_masked(row, up_to_exp),
            Some(mask) if last => count_masked(row, mask),
            Some(mask) => count_masked_twice(row, mask, up_to_exp),
        };
        counts[exp] = here - below;
        below = here;
    }
    counts
}

/// Count a row of states with the top half at `position`, and remove the dead states. Returns
/// whether there were any states.
pub(crate) fn count_states(
    game: &Game,
    sides: Sides,
    position: u32,
    row: &mut [BitLine],
    counts: &mut BoardCounts,
) -> bool {
    let Sides { rows, columns } = sides;
    // A pair of different weights stands for the flipped pair, too.
    let times = if sides.is_square() { 1 } else { 2 };
    let half = rows.class.half(position);
    let max = half.max_exp();
    let labeled = count_by_max(row, None, max, columns);
    if labeled == [0; EXPONENTS] {
        return false;
    }
    let target = rows.targets[position as usize];
    let movable = if target == position {
        count_by_max(row, Some(&columns.census.changes), max, columns)
    } else {
        labeled
    };
    add(&mut counts.labeled, times, &labeled);
    add(&mut counts.moves, 4 * times, &movable);
    let wins = if target == NONE {
        count(row)
    } else {
        count_masked(row, &columns.census.wins)
    };
    counts.wins[columns.census.up_to.len() - 1] += 4 * times * wins;
    for bottom in find_symmetric(position, sides, row) {
        let bottom = columns.class.half(bottom);
        let board = Half::board(half, bottom);
        let more = times * (8 / orbit::<4, 4>(board) - 1);
        let exp = usize::from(max.max(bottom.max_exp()));
        let moves = game.moves(board);
        let number = |is: fn(&Moved) -> bool| moves.iter().filter(|moved| is(moved)).count() as u64;
        let legal = number(|moved| *moved != Moved::Illegal);
        counts.symmetries[exp] += more;
        counts.moves[exp] += more * legal;
        counts.wins[exp] += more * number(|moved| *moved == Moved::Wins);
        counts.dead[exp] += more * u64::from(legal == 0);
    }
    if remove_dead(sides, position, row) {
        let live = count_by_max(row, None, max, columns);
        let dead = array::from_fn(|exp| labeled[exp] - live[exp]);
        add(&mut counts.dead, times, &dead);
    }
    true
}

/// Remove the dead states from a row, whose top half is at `position`: neither half has a move,
/// and no tiles are equal where the halves meet. Returns whether any can be dead.
pub(crate) fn remove_dead(sides: Sides, position: u32, row: &mut [BitLine]) -> bool {
    let Sides { rows, columns } = sides;
    if !bit(&rows.census.stuck, position) {
        return false;
    }
    let cells = rows.class.half(position).cells();
    let census = &columns.census;
    let [a, b, c, d] = [0, 1, 2, 3].map(|column| {
        let differs = &census.inner_differs[column];
        &differs[usize::from(cells[4 + column]).min(differs.len() - 1)]
    });
    for (line, row) in row.iter_mut().enumerate() {
        let masks = [&census.stuck, a, b, c, d].map(|mask| mask[line].0);
        for (i, row) in row.0.iter_mut().enumerate() {
            *row &= !masks.iter().fold(u64::MAX, |all, mask| all & mask[i]);
        }
    }
    true
}

/// Find the positions of a row whose boards have a symmetry of their own; `position` is the top
/// half.
///
/// Such a board repeats a half or a quad. So few bottom halves can match a given top half. Only a top
/// half that is its own mirror image needs a mask of a whole row.
pub(crate) fn find_symmetric(position: u32, sides: Sides, row: &[BitLine]) -> Vec<u32> {
    let Sides { rows, columns } = sides;
    let mut found = Vec::new();
    let is_set = |position: &u32| (*position as usize) < row.len() * LINE && bit(row, *position);
    let image = rows.symmetry.images[position as usize];
    if sides.is_square() {
        found.extend([position, image].into_iter().filter(is_set));
    }
    // A reflection at a diagonal swaps two quads. The two quads on the diagonal are symmetric.
    let [falling, rising] = rows.symmetry.diagonal[position as usize];
    let groups = [
        (falling, &columns.symmetry.by_left),
        (rising, &columns.symmetry.by_right),
    ];
    for (quad, positions) in groups.into_iter().filter(|&(quad, _)| quad != NONE) {
        found.extend(positions.of(quad).iter().copied().filter(is_set));
    }
    if image == position {
        for (line, (row, mask)) in row.iter().zip(&columns.symmetry.mirrored).enumerate() {
            for (word, (row, mask)) in row.0.iter().zip(&mask.0).enumerate() {
                let mut left = row & mask;
                while left != 0 {
                    found.push((line * LINE + word * 64) as u32 + left.trailing_zeros());
                    left &= left - 1;
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

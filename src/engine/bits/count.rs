//! Counts the states of a row.
//!
//! Key idea: boards with a symmetry of their own are few, so they are visited one by one. All others
//! are counted as bits under masks; see `counts`.

use super::class::NONE;
use super::counts::{BoardCounts, EXPONENTS, add};
use super::half::Half;
use super::kernels::{BitLine, count, count_masked, count_masked_twice};
use super::symmetric::find_symmetric;
use super::tables::Tables;
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

/// Counts rows of states.
#[derive(Default)]
pub(crate) struct StateCounter {
    symmetric: Vec<u32>,
}

impl StateCounter {
    /// Count a row of states with the top half at `position`; `dead` is a mask of the dead states, empty
    /// if there are none. `square` says whether the halves have equal weights. Returns whether there
    /// are any states.
    pub(crate) fn count(
        &mut self,
        game: &Game,
        (rows, columns, square): (&Tables, &Tables, bool),
        position: u32,
        [row, dead]: [&[BitLine]; 2],
        counts: &mut BoardCounts,
    ) -> bool {
        // A pair of different weights stands for the flipped pair, too.
        let times = if square { 1 } else { 2 };
        let max = rows.census.max[position as usize];
        let labeled = count_by_max(row, None, max, columns);
        if labeled == [0; EXPONENTS] {
            return false;
        }
        let target = rows.moves.targets[position as usize];
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
        if !dead.is_empty() {
            let dead = count_by_max(dead, None, max, columns);
            add(&mut counts.dead, times, &dead);
        }
        let half = rows.class.half(position);
        let symmetric = &mut self.symmetric;
        find_symmetric(position, rows, columns, square, row, symmetric);
        for &bottom in symmetric.iter() {
            let board = Half::board(half, columns.class.half(bottom));
            let more = times * (8 / orbit::<4, 4>(board) - 1);
            let exp = usize::from(max.max(columns.census.max[bottom as usize]));
            let moves = game.moves(board);
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
}

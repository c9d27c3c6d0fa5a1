//! Counts of the boards of a row, and the rows of the layer's table.
//!
//! Key idea: counts are of labeled boards, the bits of rows under masks. By the orbit-counting
//! lemma (Burnside), the number of canonical boards is the sum over all boards of their symmetries,
//! divided by eight. All but a few boards have one symmetry, the identity; only the few are
//! visited.
//!
//! Likewise, let a quantity be equal for all images of a board. Its sum over all boards, each
//! weighted by the board's symmetries, is eight times its sum over the canonical boards. So a
//! weighted sum that is no multiple of eight is an error, and is found here.

use std::ops::{AddAssign, Range};
use std::slice;

use serde::{Deserialize, Serialize};

use super::class::{Class, NONE};
use super::half::Half;
use super::halves::Tables;
use super::kernels::{BitLine, bit, count, count_masked, count_masked_twice};
use super::pair::{Pair, PairCounts, PairScratch};
use super::symmetry::find_symmetric;
use crate::counts::Row;
use crate::error::Result;
use crate::game::{Game, Moved, PartKey, max_exp, orbit};
use crate::laws;

/// Number of exponents, with 0 for an empty cell.
pub(crate) const EXPONENTS: usize = 17;

/// Sums over boards in all orientations, by largest exponent. All but `labeled` and `symmetries`
/// are weighted by the number of symmetries of a board.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    bytemuck::Pod,
    bytemuck::Zeroable,
    Serialize,
    Deserialize,
)]
#[repr(C)]
pub(crate) struct BoardCounts {
    pub(crate) labeled: [u64; EXPONENTS],
    /// Symmetries of the boards besides the identity.
    pub(crate) symmetries: [u64; EXPONENTS],
    /// Legal moves.
    pub(crate) moves: [u64; EXPONENTS],
    /// Moves that win.
    pub(crate) wins: [u64; EXPONENTS],
    /// Boards without a legal move.
    pub(crate) dead: [u64; EXPONENTS],
    pub(crate) empty_cells: [u64; EXPONENTS],
}

impl AddAssign for BoardCounts {
    fn add_assign(&mut self, other: Self) {
        let sums: &mut [u64] = bytemuck::cast_slice_mut(slice::from_mut(self));
        let counts: &[u64] = bytemuck::cast_slice(slice::from_ref(&other));
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
    }
}

/// Masks of the halves of a class for counting.
#[derive(Default)]
pub(crate) struct CensusTable {
    /// The largest exponent of each position.
    pub(crate) max: Vec<u8>,
    /// By exponent: halves whose exponents are not greater.
    pub(crate) up_to: Vec<Vec<BitLine>>,
    /// Halves that a move to the left changes.
    pub(crate) changes: Vec<BitLine>,
    /// Halves in which a move to the left wins.
    wins: Vec<BitLine>,
    pub(crate) full: Vec<BitLine>,
    /// Full halves without equal neighbours.
    stuck: Vec<BitLine>,
    /// By column and exponent: halves with another exponent in this cell of the inner row.
    inner_differs: [Vec<Vec<BitLine>>; 4],
}

impl CensusTable {
    pub(super) fn new(class: &Class, exponents: u8) -> Self {
        let mut max = vec![0; class.digits.len()];
        for (at, half) in class.halves() {
            max[at as usize] = half.max_exp();
        }
        let by_exp = |mask: &dyn Fn(u8) -> Vec<BitLine>| (0..exponents).map(mask).collect();
        Self {
            max,
            up_to: by_exp(&|exp| class.mask(|half| half.max_exp() <= exp)),
            changes: class.mask(|half| half.moved_left(exponents) != Some(half)),
            wins: class.mask(|half| half.moved_left(exponents).is_none()),
            full: class.mask(Half::is_full),
            stuck: class.mask(is_stuck),
            inner_differs: [4, 5, 6, 7]
                .map(|cell| by_exp(&|exp| class.mask(|half| half.cells()[cell] != exp))),
        }
    }

    /// The exponents that can be the largest of a board with the half at `position`.
    pub(super) fn exponents(&self, position: u32) -> Range<u8> {
        self.max[position as usize]..self.up_to.len() as u8
    }
}

/// Whether no cell is empty and no neighbours are equal.
fn is_stuck(half: Half) -> bool {
    let cells = half.cells();
    let (outer, inner) = cells.split_at(4);
    let differ = |row: &[u8]| row.windows(2).all(|pair| pair[0] != pair[1]);
    half.is_full() && differ(outer) && differ(inner) && outer.iter().zip(inner).all(|(a, b)| a != b)
}

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

/// Add some counts, multiplied by `times`, to others.
pub(crate) fn add(counts: &mut [u64; EXPONENTS], times: u64, more: &[u64; EXPONENTS]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += times * more;
    }
}

impl Pair<'_> {
    /// Count the states with the top half at `position`, after `mark_dead` has marked the dead states.
    /// Returns whether there are any states.
    pub(super) fn count_states(
        &self,
        position: u32,
        scratch: &mut PairScratch,
        counts: &mut BoardCounts,
    ) -> bool {
        let (rows, columns) = (self.rows, self.columns);
        let (row, dead) = (scratch.row.as_slice(), scratch.dead.as_slice());
        // A pair of different weights stands for the flipped pair, too.
        let times = if self.is_square() { 1 } else { 2 };
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
        let symmetric = &mut scratch.symmetric;
        find_symmetric(position, rows, columns, self.is_square(), row, symmetric);
        for &bottom in symmetric.iter() {
            let board = Half::board(half, columns.class.half(bottom));
            let more = times * (8 / orbit::<4, 4>(board) - 1);
            let exp = usize::from(max.max(columns.census.max[bottom as usize]));
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

    /// Make a mask of the dead states with the top half at `position`: neither half has a move, and
    /// no tiles are equal where the halves meet. The mask is empty if no state can be dead.
    pub(super) fn mark_dead(&self, position: u32, scratch: &mut PairScratch) {
        scratch.dead.clear();
        if !bit(&self.rows.census.stuck, position) {
            return;
        }
        let cells = self.rows.class.half(position).cells();
        let census = &self.columns.census;
        let [a, b, c, d] = [0, 1, 2, 3]
            .map(|column| &census.inner_differs[column][usize::from(cells[4 + column])]);
        let row = scratch.row.iter().enumerate();
        scratch.dead.extend(row.map(|(line, row)| {
            let masks = [&census.stuck, a, b, c, d].map(|mask| mask[line].0);
            let mut dead = *row;
            for (i, dead) in dead.0.iter_mut().enumerate() {
                *dead &= masks.iter().fold(u64::MAX, |all, mask| all & mask[i]);
            }
            dead
        }));
    }
}

/// The table rows of a layer's states.
pub(crate) fn states_rows(game: &Game, sum: u32, found: &PairCounts) -> Result<Vec<Row>> {
    let keys = game.top().up_to().map(|max| PartKey { sum, max });
    keys.map(|key| states_row(key, found)).collect()
}

/// The table row of a part's states.
fn states_row(key: PartKey, found: &PairCounts) -> Result<Row> {
    let exp = usize::from(key.max.get());
    let counts = &found.states;
    let mut row = Row {
        labeled: counts.labeled[exp],
        live: found.named.live[exp],
        fingerprint: found.named.fingerprints[exp],
        ..Row::of(key)
    };
    row.dead = eighth(&row, "dead", counts.dead[exp])?;
    row.moves = eighth(&row, "moves", counts.moves[exp])?;
    row.wins = eighth(&row, "wins", counts.wins[exp])?;
    let weighted = counts.labeled[exp] + counts.symmetries[exp];
    let states = eighth(&row, "states", weighted)?;
    laws::equal(&row, "states by orbits and by name", states, row.states())?;
    Ok(row)
}

/// Set the numbers of candidates of a layer, given the rows of the sum before the last, and of the last.
/// A candidate fills an empty cell of an afterstate, or is a start.
pub(crate) fn set_candidates(game: &Game, sum: u32, rows: &mut [Row], before: &[Vec<Row>; 2]) {
    let starts = game.starts(sum);
    for row in rows {
        let key = row.key().expect("a row of the engine has a tile");
        let starts = starts.iter().filter(|&&board| max_exp(board) == key.max);
        let cells = key.spawned_from().map(|(from, _)| {
            let rows = &before[usize::from(from.sum + 2 == sum)];
            Row::among(rows, from).empty_cells
        });
        row.candidates = starts.count() as u64 + cells.sum::<u64>();
        row.duplicates = row.candidates.saturating_sub(row.states());
    }
}

/// Set the numbers of afterstates of a layer, and of their empty cells.
pub(crate) fn set_afterstates(rows: &mut [Row], counts: &BoardCounts) -> Result<()> {
    for row in rows {
        (row.afterstates, row.empty_cells) = afterstates(row, counts)?;
    }
    Ok(())
}

/// The number of afterstates of a table row's part, and the number of their empty cells.
fn afterstates(row: &Row, counts: &BoardCounts) -> Result<(u64, u64)> {
    let exp = usize::from(row.key().expect("a row of the engine has a tile").max.get());
    let weighted = counts.labeled[exp] + counts.symmetries[exp];
    let afterstates = eighth(row, "afterstates", weighted)?;
    let empty_cells = eighth(row, "empty cells", counts.empty_cells[exp])?;
    Ok((afterstates, empty_cells))
}

/// Compare the counts of afterstates with a row of the table.
pub(crate) fn compare_afterstates(row: &Row, counts: &BoardCounts) -> Result<()> {
    let (afterstates, empty_cells) = afterstates(row, counts)?;
    laws::equal(row, "afterstates", row.afterstates, afterstates)?;
    laws::equal(row, "empty cells", row.empty_cells, empty_cells)
}

/// The sum over canonical boards, given the weighted sum over all boards.
fn eighth(row: &Row, what: &str, sum: u64) -> Result<u64> {
    laws::equal(row, what, sum % 8, 0)?;
    Ok(sum / 8)
}

//! Counts of the boards of a layer, and the rows of its table that follow from them.
//!
//! Key idea: counts are of labeled boards, the bits of rows under masks. By the orbit-counting
//! lemma (Burnside), the number of canonical boards is the sum over all boards of their symmetries,
//! divided by eight. All but a few boards have one symmetry, the identity; only the few are
//! visited.
//!
//! Likewise, let a quantity be equal for all images of a board. Its sum over all boards, each
//! weighted by the board's symmetries, is eight times its sum over the canonical boards. So a
//! weighted sum that is no multiple of eight is an error, and is found here.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::counts::Row;
use crate::error::Result;
use crate::game::{Exp, Game, PartKey};
use crate::laws;
use crate::part::Fingerprint;

/// Number of exponents, with 0 for an empty cell.
pub(crate) const EXPONENTS: usize = 17;

/// Sums over boards in all orientations, by largest exponent. All but `labeled` and `symmetries`
/// are weighted by the number of symmetries of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        add(&mut self.labeled, 1, &other.labeled);
        add(&mut self.symmetries, 1, &other.symmetries);
        add(&mut self.moves, 1, &other.moves);
        add(&mut self.wins, 1, &other.wins);
        add(&mut self.dead, 1, &other.dead);
        add(&mut self.empty_cells, 1, &other.empty_cells);
    }
}

/// Add some counts, multiplied by `times`, to others.
pub(crate) fn add(counts: &mut [u64; EXPONENTS], times: u64, more: &[u64; EXPONENTS]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += times * more;
    }
}

/// Canonical live states that were visited one by one, by largest exponent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NamedBoards {
    pub(crate) live: [u64; EXPONENTS],
    pub(crate) fingerprints: [Fingerprint; EXPONENTS],
}

impl NamedBoards {
    /// Add boards of largest exponent `max`, given their number and the sum of their mixes.
    #[inline(always)]
    pub(super) fn add(&mut self, max: u8, boards: u64, sum: u64) {
        self.live[usize::from(max)] += boards;
        self.fingerprints[usize::from(max)] += Fingerprint(sum);
    }
}

impl AddAssign for NamedBoards {
    fn add_assign(&mut self, other: Self) {
        for (max, (live, sum)) in (0..).zip(other.live.into_iter().zip(other.fingerprints)) {
            self.add(max, live, sum.0);
        }
    }
}

/// The counts of pairs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PairCounts {
    pub(crate) states: BoardCounts,
    /// The afterstates of the last sum.
    pub(crate) afterstates: BoardCounts,
    pub(crate) named: NamedBoards,
}

impl AddAssign for PairCounts {
    fn add_assign(&mut self, other: Self) {
        self.states += other.states;
        self.afterstates += other.afterstates;
        self.named += other.named;
    }
}

/// The table rows of a layer's states.
pub(crate) fn states_rows(game: &Game, sum: u32, found: &PairCounts) -> Result<Vec<Row>> {
    let (counts, named) = (&found.states, &found.named);
    let row = |max: Exp| {
        let exp = usize::from(max.get());
        let mut row = Row {
            labeled: counts.labeled[exp],
            live: named.live[exp],
            fingerprint: named.fingerprints[exp],
            ..Row::of(PartKey { sum, max })
        };
        row.dead = eighth(&row, "dead", counts.dead[exp])?;
        row.moves = eighth(&row, "moves", counts.moves[exp])?;
        row.wins = eighth(&row, "wins", counts.wins[exp])?;
        let weighted = counts.labeled[exp] + counts.symmetries[exp];
        let states = eighth(&row, "states", weighted)?;
        laws::equal(&row, "states by orbits and by name", states, row.states())?;
        Ok(row)
    };
    game.top().up_to().map(row).collect()
}

/// Set the numbers of candidates of a layer, given the rows of the sum before the last, and of the last.
/// A candidate fills an empty cell of an afterstate, or is a start.
pub(crate) fn set_candidates(game: &Game, sum: u32, rows: &mut [Row], before: &[Vec<Row>; 2]) {
    let starts = game.starts(sum);
    for row in rows {
        let key = row.key().expect("a row of the engine has a tile");
        let starts = starts
            .iter()
            .filter(|&&board| game.max_exp(board) == key.max);
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

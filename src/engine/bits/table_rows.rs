//! The rows of a layer's table, from sums over boards in all orientations.
//!
//! Key idea: such a sum, of what is the same for all images of a board, is eight times that over
//! canonical boards, if a board counts once for each symmetry that leaves it as it is; see `census`.
//! So a sum that is no multiple of eight is a fault, and is found here.

use super::census::Counts;
use super::pair::PairCounts;
use crate::counts::Row;
use crate::error::Result;
use crate::game::PartKey;
use crate::laws;

/// The row of a part's states.
pub(super) fn states_row(key: PartKey, found: &PairCounts) -> Result<Row> {
    let exp = usize::from(key.max.get());
    let Counts {
        labeled,
        symmetries,
        moves,
        wins,
        dead,
        ..
    } = &found.states;
    let mut row = Row {
        labeled: labeled[exp],
        live: found.named.live[exp],
        fingerprint: found.named.fingerprints[exp],
        ..Row::of(key)
    };
    row.dead = eighth(&row, "dead", dead[exp])?;
    row.moves = eighth(&row, "moves", moves[exp])?;
    row.wins = eighth(&row, "wins", wins[exp])?;
    let states = eighth(&row, "states", labeled[exp] + symmetries[exp])?;
    laws::equal(&row, "states by orbits and by name", states, row.states())?;
    Ok(row)
}

/// The afterstates of a row's part and their empty cells.
pub(super) fn afterstates(row: &Row, counts: &Counts) -> Result<(u64, u64)> {
    let exp = usize::from(row.key().expect("a row of the engine has a tile").max.get());
    let Counts {
        labeled,
        symmetries,
        empty_cells,
        ..
    } = counts;
    let afterstates = eighth(row, "afterstates", labeled[exp] + symmetries[exp])?;
    Ok((afterstates, eighth(row, "empty cells", empty_cells[exp])?))
}

/// See that afterstates that were listed were counted, too.
pub(super) fn agree(row: &Row, counts: &Counts) -> Result<()> {
    let (afterstates, empty_cells) = afterstates(row, counts)?;
    laws::equal(row, "afterstates", row.afterstates, afterstates)?;
    laws::equal(row, "empty cells", row.empty_cells, empty_cells)
}

/// The number of canonical boards, given the sum over labeled ones of their symmetries.
fn eighth(row: &Row, what: &str, sum: u64) -> Result<u64> {
    laws::equal(row, what, sum % 8, 0)?;
    Ok(sum / 8)
}

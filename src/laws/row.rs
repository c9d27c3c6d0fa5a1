//! Laws of a single row.

use super::{JudgedRow, Laws, law};
use crate::counts::Column;
use crate::error::Result;

impl Laws {
    /// Greatest sum of a board with `cells` tiles of at most 2^k: the chain, capped at k.
    fn most(&self, k: u32, cells: u32) -> u32 {
        let chain = self.game.size().tile_cells() + 2;
        (1..=cells).map(|i| 1 << k.min(chain - i)).sum()
    }

    /// Number of boards with a sum and largest tile 2^k that hold a 2 or a 4.
    fn boards(&self, sum: u32, k: u32) -> u64 {
        let up_to = |k: u32| {
            let by_half_sum = &self.boards[k as usize];
            by_half_sum.get(sum as usize / 2).copied().unwrap_or(0)
        };
        up_to(k) - up_to(k - 1)
    }

    /// Check a row on its own by all laws that its columns allow. Missing columns are 0, so the
    /// number of states is a lower bound.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Law`], which names the part, the law and the numbers.
    pub(super) fn row(&self, judged: JudgedRow) -> Result<()> {
        use Column::{Dead, Labeled, Live};
        let JudgedRow { row, has } = judged;
        let (sum, max_tile, states) = (row.sum, row.max_tile, row.states());
        let (dead, labeled, afterstates) = (row.dead, row.labeled, row.afterstates);
        let (size, k) = (self.game.size(), max_tile.trailing_zeros());
        let cells = size.tile_cells();

        // Tiles are even, and the first board has two of them.
        law(row, sum >= 4 && sum.is_multiple_of(2), || {
            "a sum is even and at least 4".to_owned()
        })?;
        // Large tiles take many cells to make.
        let bound = self.game.sum_bound();
        law(row, sum <= bound, || {
            format!("no board of this game has a sum above {bound}")
        })?;
        // Boards with the winning tile are not counted; the chain bounds all other tiles.
        let top = self.game.top().tile();
        let tile = max_tile.is_power_of_two() && (2..=top).contains(&max_tile);
        law(row, tile, || {
            format!("the largest tile is a power of two from 2 to {top}")
        })?;
        // A state has the last spawned tile, and at least one older tile.
        law(row, states == 0 || sum >= max_tile + 2, || {
            format!("{states} states have no second tile")
        })?;
        // The chain.
        let most = self.most(k, cells);
        law(row, states == 0 || sum <= most, || {
            format!("{states} states: with this tile no sum exceeds {most}")
        })?;
        // After a move a cell is empty: a tile slid out of it, or two tiles merged.
        let most = self.most(k, cells - 1);
        let within = (max_tile..=most).contains(&sum);
        law(row, afterstates == 0 || within, || {
            format!("{afterstates} afterstates: with this tile sums are from {max_tile} to {most}")
        })?;
        // The orbit of a state has at least one board, and at most one board per symmetry.
        let images = u64::from(size.symmetries());
        let all = has.has_all(&[Live, Dead]);
        let orbits = states <= labeled && (!all || labeled <= states.saturating_mul(images));
        judged.law(&[Labeled], orbits, || {
            format!(
                "{labeled} labeled boards are not from 1 to {images} for each of {states} states"
            )
        })?;
        // A state holds the 2 or 4 that was spawned last.
        let (boards, least) = (self.boards(sum, k), labeled.max(states));
        law(row, least <= boards, || {
            format!("{least} labeled boards, but only {boards} boards hold a 2 or a 4")
        })?;
        // A dead board is full, and no neighbours are equal. Cover it with dominoes: each domino
        // has two different tiles, so at least 2 + 4. With an odd number of cells one cell remains.
        // Each stone spoils one domino, whose other cell has at least a 2. With locks, a dead board can have
        // empty cells.
        let whole = (size.cells() / 2).saturating_sub(size.stones());
        let least = match size.locks().is_none() {
            true => 6 * whole + 2 * (cells - 2 * whole),
            false => 4,
        };
        law(row, dead == 0 || sum >= least, || {
            format!("{dead} dead states: a board without a move has a sum of at least {least}")
        })?;
        // The fingerprint is a sum over the live states, so 0 without live states.
        let fingerprint = row.fingerprint;
        judged.law(&[Live], row.live > 0 || fingerprint.0 == 0, || {
            format!("no live state, but fingerprint {fingerprint}")
        })?;
        self.flow(judged)
    }

    /// Check the candidates that flow into a part, and the moves and empty cells that flow out.
    fn flow(&self, judged: JudgedRow) -> Result<()> {
        use Column::{Afterstates, Candidates, Dead, Duplicates, EmptyCells, Live, Moves, Wins};
        let row = judged.row;
        let (live, states, afterstates) = (row.live, row.states(), row.afterstates);
        let (moves, wins) = (row.moves, row.wins);
        // Each candidate is a new state or a duplicate.
        let (candidates, duplicates) = (row.candidates, row.duplicates);
        let split = candidates.checked_sub(duplicates) == Some(states);
        judged.law(&[Live, Dead, Candidates, Duplicates], split, || {
            format!("{candidates} candidates are not {states} states and {duplicates} duplicates")
        })?;
        // An afterstate has at least one empty cell (see `row`) and at least one tile.
        let (empty_cells, most) = (
            row.empty_cells,
            u64::from(self.game.size().tile_cells() - 1),
        );
        let cells = afterstates <= empty_cells && empty_cells <= afterstates.saturating_mul(most);
        judged.law(&[Afterstates, EmptyCells], cells, || {
            format!(
                "{empty_cells} empty cells are not from 1 to {most} for each of {afterstates} afterstates"
            )
        })?;
        // A live state has at least one legal move, and at most four.
        let directions = live <= moves && moves <= live.saturating_mul(4);
        judged.law(&[Live, Moves], directions, || {
            format!("{moves} moves are not from 1 to 4 for each of {live} live states")
        })?;
        // A winning move is legal, and merges two tiles of half the winning tile. Or the winning tile slides
        // into a target cell.
        let has_targets = self.game.size().locks().targets().is_some();
        let winning = match has_targets {
            false => self.game.max() == Some(2 * row.max_tile),
            true => self.game.max() <= Some(2 * row.max_tile),
        };
        let moves_win = || format!("{wins} of {moves} moves win");
        judged.law(&[Moves, Wins], wins <= moves, moves_win)?;
        judged.law(&[Wins], wins == 0 || winning, moves_win)?;
        // A state with two tiles of half the winning tile also holds the tile spawned last, unless it
        // is one of two 4s.
        let least = 2 * row.max_tile + if row.max_tile > 4 { 2 } else { 0 };
        judged.law(
            &[Wins],
            wins == 0 || has_targets || row.sum >= least,
            || {
                format!(
                    "{wins} moves win: two tiles {} need a sum of at least {least}",
                    row.max_tile
                )
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_sharp_on_known_boards() {
        let laws = |name: &str| Laws::new(&name.parse().unwrap(), u32::MAX);
        // 32 16 / 8 4 is the fullest board of 2x2; with a win at 32 it is 16 16 / 8 4.
        assert_eq!(laws("2x2").most(5, 4), 60);
        assert_eq!(laws("2x2-32").most(4, 4), 44);
        // On nine cells: two 2s, and a 2 and a 4.
        assert_eq!(laws("3x3").boards(4, 1), 36);
        assert_eq!(laws("3x3").boards(6, 2), 72);
        // One 8 and nothing else holds neither a 2 nor a 4.
        assert_eq!(laws("3x3").boards(8, 3), 0);
    }
}

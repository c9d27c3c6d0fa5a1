//! Laws of a single row.

use super::{Laws, law};
use crate::counts::{Column, Columns, Row};
use crate::error::Result;

impl Laws {
    /// Greatest sum of a board with `cells` tiles of at most 2^k: the chain, capped at k.
    fn most(&self, k: u32, cells: u32) -> u32 {
        let chain = self.game.size().cells() + 2;
        (1..=cells).map(|i| 1 << k.min(chain - i)).sum()
    }

    /// Number of boards with a sum and largest tile 2^k that hold a 2 or a 4.
    fn boards(&self, sum: u32, k: u32) -> u64 {
        let with = |k: u32| {
            let of_tile = &self.boards[k as usize];
            of_tile.get(sum as usize / 2).copied().unwrap_or(0)
        };
        with(k) - with(k - 1)
    }

    /// Check a row on its own by all laws that its columns allow. Missing columns are 0, so
    /// `states` is a lower bound of the number of states.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Law`], which names the part, the law and the numbers.
    pub(super) fn row(&self, row: &Row, has: Columns) -> Result<()> {
        let Row {
            sum,
            max_tile,
            live,
            dead,
            labeled,
            afterstates,
            ..
        } = *row;
        let states = row.states();
        let cells = self.game.size().cells();
        let k = max_tile.trailing_zeros();

        // Tiles are even, and the first board has two of them.
        law(row, sum >= 4 && sum.is_multiple_of(2), || {
            "a sum is even and at least 4".to_owned()
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
        let images = u64::from(self.game.size().symmetries());
        let all = has.has_all(&[Column::Live, Column::Dead]);
        let orbits = states <= labeled && (!all || labeled <= states.saturating_mul(images));
        law(row, orbits || !has.has(Column::Labeled), || {
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
        let least = 6 * (cells / 2) + 2 * (cells % 2);
        law(row, dead == 0 || sum >= least, || {
            format!("{dead} dead states: a board without a move has a sum of at least {least}")
        })?;
        // The fingerprint is a sum over the live states, so 0 without live states.
        let none = has.has(Column::Live) && live == 0;
        law(row, !none || row.fingerprint.0 == 0, || {
            format!("no live state, but fingerprint {}", row.fingerprint)
        })?;
        self.flow(row, has)
    }

    /// Check the candidates that flow into a part, and the moves and empty cells that flow out.
    fn flow(&self, row: &Row, has: Columns) -> Result<()> {
        let Row {
            live,
            afterstates,
            empty_cells,
            candidates,
            duplicates,
            moves,
            wins,
            ..
        } = *row;
        let states = row.states();
        let law = |needs: &[Column], holds: bool, what: &dyn Fn() -> String| {
            law(row, holds || !has.has_all(needs), what)
        };
        // Each candidate is a new state or a duplicate.
        let needs = [
            Column::Live,
            Column::Dead,
            Column::Candidates,
            Column::Duplicates,
        ];
        law(
            &needs,
            candidates.checked_sub(duplicates) == Some(states),
            &|| {
                format!(
                    "{candidates} candidates are not {states} states and {duplicates} duplicates"
                )
            },
        )?;
        // An afterstate has at least one empty cell (see `row`) and at least one tile.
        let most = u64::from(self.game.size().cells() - 1);
        let cells = afterstates <= empty_cells && empty_cells <= afterstates.saturating_mul(most);
        law(&[Column::Afterstates, Column::EmptyCells], cells, &|| {
            format!(
                "{empty_cells} empty cells are not from 1 to {most} for each of {afterstates} afterstates"
            )
        })?;
        // A live state has at least one legal move, and at most four.
        let directions = live <= moves && moves <= live.saturating_mul(4);
        law(&[Column::Live, Column::Moves], directions, &|| {
            format!("{moves} moves are not from 1 to 4 for each of {live} live states")
        })?;
        // A winning move is legal, and merges two tiles of half the winning tile.
        let winning = self.game.max() == Some(2 * row.max_tile);
        let moves_win = || format!("{wins} of {moves} moves win");
        law(&[Column::Moves, Column::Wins], wins <= moves, &moves_win)?;
        law(&[Column::Wins], wins == 0 || winning, &moves_win)
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

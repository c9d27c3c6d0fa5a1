//! Laws: what must hold between the counts of any game, whoever counted it.
//!
//! Key idea: a wrong count is seldom wrong in a way that fits. The rules of the game bound every
//! row, and what flows from one layer to the next is conserved: each candidate of a layer was spawned
//! into an empty cell of an afterstate two or four sums before. So a table can be checked from its
//! numbers alone, in no time, and a count that breaks a law while it runs seals nothing.
//!
//! Below, c is the number of cells, a board's *states* are the live and the dead ones, and a part is
//! given by its sum s and its largest tile 2^k. Two facts are used again and again:
//!
//! - *Large tiles.* A board holds at most c + 2 - q tiles of exponent q or more, for q >= 3 (and at
//!   most c for smaller q). Let n(q) be their number; starts and spawns change n(1) and n(2) only. For
//!   q >= 3, n(q) grows in a move only by merges of two tiles 2^(q-1): m such merges take 2m tiles out of
//!   the n(q-1) that were there, so afterwards n(q) <= n(q-1) - m, with the n(q-1) of before, which is
//!   at most c + 3 - q by induction (c for q = 3); and m is 1 at least. A move without such a merge
//!   does not raise n(q).
//! - *The chain.* So the i-th largest tile (i = 1 ... c) has an exponent of at most c + 2 - i, and none
//!   exceeds 2^(c+1).

use crate::counts::{Row, Table};
use crate::error::{Error, Result};
use crate::game::board::max_exponent;
use crate::game::{Game, Size};
use crate::run::fingerprint;

/// The laws of one game, with the tables that they need.
pub struct Laws {
    game: Game,
    /// For each k, the number of boards with tiles up to 2^k that hold a 2 or a 4, by half their sum.
    boards: Vec<Vec<u64>>,
}

/// See that no candidate of a part was lost: `candidates` were made, `duplicates` of them dropped as
/// repeats, at whatever stage, and `unique` remained, of which `kept` were written or found dead.
///
/// # Errors
///
/// [`Error::Law`].
pub fn conserved(
    row: &Row,
    candidates: u64,
    unique: u64,
    duplicates: u64,
    kept: u64,
) -> Result<()> {
    law(row, candidates == unique + duplicates, || {
        format!("{candidates} candidates are not {unique} unique and {duplicates} duplicates")
    })?;
    law(row, unique == kept, || {
        format!("of {unique} unique boards {kept} were kept")
    })
}

fn law(row: &Row, holds: bool, what: impl FnOnce() -> String) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(Error::Law {
        place: format!("sum {}, largest tile {}", row.sum, row.max_tile),
        law: what(),
    })
}

/// A sum over rows whose numbers may be anything.
fn total(rows: &[Row], of: impl Fn(&Row) -> u64) -> u64 {
    rows.iter().map(of).fold(0, u64::saturating_add)
}

/// The board size of a table, told by its first row: the fingerprint of two 2s on an empty board.
///
/// # Errors
///
/// [`Error::Law`] if no game begins so.
pub fn size_of(table: &Table) -> Result<Size> {
    let first = table.rows().first().copied().unwrap_or_default();
    let sides = 2..=4;
    let mut sizes = sides
        .clone()
        .flat_map(|rows| sides.clone().map(move |cols| (rows, cols)));
    let found = sizes.find_map(|(rows, cols)| {
        let size = Size::new(rows, cols).ok()?;
        let starts = Game::new(size, None).ok()?.starts(4);
        let begins = (first.sum, first.max_tile) == (4, 2);
        (begins && fingerprint(&starts) == first.fingerprint).then_some(size)
    });
    found.ok_or_else(|| Error::Law {
        place: "first row".to_owned(),
        law: format!(
            "sum {}, largest tile {}, fingerprint {}: no game begins so",
            first.sum, first.max_tile, first.fingerprint
        ),
    })
}

/// The winning tile of a table on boards of `size`: winning moves merge two tiles half as large. Of a
/// table without the columns after the fingerprint, told by its end: without a winning tile, play goes
/// on to 2^(c+1) (as far as it is known: on 2x2, 3x3 and 4x3). `None` if it shows none.
#[must_use]
pub fn win_of(table: &Table, size: Size) -> Option<u32> {
    let rows = table.rows();
    let half = if table.has_flow() {
        rows.iter().find(|row| row.wins > 0)?.max_tile
    } else {
        let largest = rows.iter().map(|row| row.max_tile).max()?;
        (ends(table) && largest < 2 << size.cells()).then_some(largest)?
    };
    half.checked_mul(2)
}

/// Whether a game ends with a table: no afterstates are left to go on from.
fn ends(table: &Table) -> bool {
    let last = table.last_sum();
    let none = |sum: u32| table.layer(sum).iter().all(|row| row.afterstates == 0);
    last >= 8 && none(last) && none(last - 2)
}

impl Laws {
    /// The laws for layers up to `last` (of any, if it is larger than the game's sums). Costs
    /// milliseconds, for large boards without a winning tile some tens.
    #[must_use]
    pub fn new(game: &Game, last: u32) -> Self {
        let half = last.min(game.sum_bound()) as usize / 2;
        let cells = game.size().cells();
        let count = |tiles: std::ops::RangeInclusive<u8>| {
            // Boards of 0, 1, 2, ... cells by half their sum: each cell is empty or holds a tile.
            let mut boards = vec![0u64; half + 1];
            boards[0] = 1;
            for _ in 0..cells {
                for sum in (0..=half).rev() {
                    let with = |e: u8| sum.checked_sub(1 << (e - 1)).map_or(0, |rest| boards[rest]);
                    boards[sum] += tiles.clone().map(with).sum::<u64>();
                }
            }
            boards
        };
        let holding = |k: u8| {
            let (all, large) = (count(1..=k), count(3..=k.max(2)));
            all.iter()
                .zip(&large)
                .map(|(all, large)| all - large)
                .collect()
        };
        Self {
            game: *game,
            boards: (0..=game.top_exponent()).map(holding).collect(),
        }
    }

    /// Greatest sum of a board of `cells` tiles whose largest is 2^k: the chain, cut at k.
    fn most(&self, k: u32, cells: u32) -> u32 {
        let chain = self.game.size().cells() + 2;
        (1..=cells).map(|i| 1 << k.min(chain - i)).sum()
    }

    /// Number of boards with the sum and the largest tile of a row that hold a 2 or a 4.
    fn boards(&self, sum: u32, k: u32) -> u64 {
        let with = |k: u32| {
            let of_tile = &self.boards[k as usize];
            of_tile.get(sum as usize / 2).copied().unwrap_or(0)
        };
        with(k) - with(k - 1)
    }

    /// What a row must be by itself; `flow` says whether it has the columns after the fingerprint.
    ///
    /// # Errors
    ///
    /// [`Error::Law`], naming the part, the law and the numbers.
    pub fn row(&self, row: &Row, flow: bool) -> Result<()> {
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
            "a sum is even, and 4 at least".to_owned()
        })?;
        // A board that holds the winning tile is not counted; the chain bounds all others.
        let top = 1 << self.game.top_exponent();
        let tile = max_tile.is_power_of_two() && (2..=top).contains(&max_tile);
        law(row, tile, || {
            format!("the largest tile is a power of two from 2 to {top}")
        })?;
        // The tile spawned last and one that was there before, at least.
        law(row, states == 0 || sum >= max_tile + 2, || {
            format!("{states} states hold no second tile")
        })?;
        // The chain.
        let most = self.most(k, cells);
        law(row, states == 0 || sum <= most, || {
            format!("{states} states: with this tile no sum exceeds {most}")
        })?;
        // After a move a cell is empty: tiles slid into one, or two became one.
        let most = self.most(k, cells - 1);
        let within = (max_tile..=most).contains(&sum);
        law(row, afterstates == 0 || within, || {
            format!("{afterstates} afterstates: with this tile sums are from {max_tile} to {most}")
        })?;
        // An orbit has at least one board and at most one for each symmetry.
        let images = u64::from(self.game.size().symmetries());
        let orbits = states <= labeled && labeled <= states.saturating_mul(images);
        law(row, orbits, || {
            format!(
                "{labeled} labeled boards are not from 1 to {images} for each of {states} states"
            )
        })?;
        // A state holds the 2 or 4 that was spawned last.
        let boards = self.boards(sum, k);
        law(row, labeled <= boards, || {
            format!("{labeled} labeled boards, but there are only {boards} such boards in all")
        })?;
        // Dead boards are full and no neighbours are equal: cut into dominoes of neighbours, each
        // holds two different tiles, 2 + 4 at least; an odd cell is left over.
        let least = 6 * (cells / 2) + 2 * (cells % 2);
        law(row, dead == 0 || sum >= least, || {
            format!("{dead} dead states: a board without a move has a sum of {least} at least")
        })?;
        // The sum over no states.
        law(row, live > 0 || row.fingerprint.0 == 0, || {
            format!("no live state, but fingerprint {}", row.fingerprint)
        })?;
        if flow { self.flow(row) } else { Ok(()) }
    }

    /// What the columns after the fingerprint must be.
    fn flow(&self, row: &Row) -> Result<()> {
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
        // Each candidate is a state that is new, or one that came before.
        law(
            row,
            candidates.checked_sub(duplicates) == Some(states),
            || {
                format!(
                    "{candidates} candidates are not {states} states and {duplicates} duplicates"
                )
            },
        )?;
        // An afterstate has an empty cell (see `row`) and a tile.
        let most = u64::from(self.game.size().cells() - 1);
        let cells = afterstates <= empty_cells && empty_cells <= afterstates.saturating_mul(most);
        law(row, cells, || {
            format!(
                "{empty_cells} empty cells are not from 1 to {most} for each of {afterstates} afterstates"
            )
        })?;
        // Live is who has a legal move; there are four directions.
        let directions = live <= moves && moves <= live.saturating_mul(4);
        law(row, directions, || {
            format!("{moves} moves are not from 1 to 4 for each of {live} live states")
        })?;
        // A winning move is a legal one, and merges two tiles half as large as the winning one.
        let winning = self.game.max() == Some(2 * row.max_tile);
        law(row, wins <= moves && (wins == 0 || winning), || {
            format!("{wins} of {moves} moves win")
        })
    }

    /// What a layer must be, given the layers of the two sums before: `layer(sum)` are the rows of a
    /// sum in order of largest tile, those without any count left out.
    ///
    /// # Errors
    ///
    /// [`Error::Law`], naming the part, the law and the numbers.
    pub fn layer<'a>(&self, sum: u32, flow: bool, layer: impl Fn(u32) -> &'a [Row]) -> Result<()> {
        let of = |sum: Option<u32>, max_tile: u32| {
            let rows = sum.map_or(&[][..], &layer);
            let found = rows.iter().find(|row| row.max_tile == max_tile);
            found.copied().unwrap_or(Row {
                sum: sum.unwrap_or(0),
                max_tile,
                ..Row::default()
            })
        };
        let mut last = 0;
        for row in layer(sum) {
            law(row, row.max_tile > last, || {
                format!(
                    "it comes after largest tile {last}: rows are in order of sum, then largest tile"
                )
            })?;
            last = row.max_tile;
            self.row(row, flow)?;
        }
        let starts = self.game.starts(sum);
        let mut below = Row::default();
        for k in 1..=self.game.top_exponent() {
            let row = of(Some(sum), 1 << k);
            // A 2 is spawned into each empty cell of the afterstates two sums before, a 4 into those
            // four sums before; the largest tile stays, unless it was a 2 and a 4 is spawned.
            let mut sources = vec![of(sum.checked_sub(2), 1 << k)];
            if k > 1 {
                sources.push(of(sum.checked_sub(4), 1 << k));
            }
            if k == 2 {
                sources.push(of(sum.checked_sub(4), 2));
            }
            let starts = starts.iter().filter(|&&board| max_exponent(board) == k);
            let starts = starts.count() as u64;
            let afterstates: u64 = total(&sources, |from| from.afterstates);
            let made = afterstates > 0 || starts > 0;
            law(&row, made == (row.states() > 0), || {
                let states = row.states();
                format!("{states} states from {afterstates} afterstates and {starts} starts")
            })?;
            if flow {
                let cells: u64 = total(&sources, |from| from.empty_cells);
                law(&row, row.candidates == cells.saturating_add(starts), || {
                    let candidates = row.candidates;
                    format!("{candidates} candidates from {cells} empty cells and {starts} starts")
                })?;
                // An afterstate comes from a move of this part's states, or of those with half the
                // tile, two of which merged.
                let (own, lower) = (row.moves - row.wins, below.moves - below.wins);
                law(&row, row.afterstates <= own + lower, || {
                    let afterstates = row.afterstates;
                    format!("{afterstates} afterstates from {own} and {lower} moves")
                })?;
            }
            below = row;
        }
        Ok(())
    }

    /// What a table must be; returns whether the game ends with it.
    ///
    /// # Errors
    ///
    /// [`Error::Law`], naming the first part that breaks one, the law and the numbers.
    pub fn table(&self, table: &Table) -> Result<bool> {
        let mut last = 0;
        for row in table.rows() {
            law(row, row.sum >= last, || {
                format!("it comes after sum {last}: rows are in order of sum, then largest tile")
            })?;
            last = row.sum;
            self.row(row, table.has_flow())?;
        }
        for sum in (4..=table.last_sum()).step_by(2) {
            self.layer(sum, table.has_flow(), |sum| table.layer(sum))?;
        }
        Ok(ends(table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2x2 to 32, whole.
    const TABLE: &str = "\
sum,max_tile,live,dead,labeled,afterstates,fingerprint,empty_cells,candidates,duplicates,moves,wins
4,2,2,0,6,1,f8b92427b13a4593,2,2,0,7,0
4,4,0,0,0,1,0000000000000000,3,0,0,0,0
6,2,1,0,4,0,95641ffe56985d44,0,2,1,4,0
6,4,2,0,12,1,8e3a6aad7f48dd89,2,5,3,5,0
8,4,4,0,18,3,13d2a78603ce2b8b,4,9,5,12,0
8,8,0,0,0,1,0000000000000000,3,0,0,0,0
10,4,3,0,16,2,8b89f18126ee2942,2,6,3,9,0
10,8,2,0,12,1,9f219d4e512a5e3b,2,3,1,5,0
12,4,2,1,10,0,4e5500ac75ba4e6e,0,6,3,6,0
12,8,4,0,24,3,09a1748c5abc525e,4,5,1,10,0
14,4,1,0,4,0,8b8da9dcf0d3dcf5,0,2,1,4,0
14,8,4,0,28,3,e4bd483988f59aa1,3,6,2,10,0
16,8,3,1,24,3,8b64e74ba77e085c,4,7,3,7,0
18,8,2,1,20,2,f2bf85de0b74a7b3,2,7,4,5,0
18,16,0,0,0,1,0000000000000000,2,0,0,0,0
20,8,3,1,18,2,0bf25aaaff5df6d2,2,6,2,9,0
20,16,2,0,12,3,02d3b5a29ff73fb2,4,2,0,5,0
22,8,1,1,12,0,46c4c5e411166da4,0,4,2,2,0
22,16,4,0,28,3,ed3953bd5b1174f1,3,6,2,10,0
24,8,1,1,6,0,40663925187603c8,0,2,0,2,0
24,16,3,1,24,3,e9909e727770df65,4,7,3,7,0
26,16,3,1,28,3,ae39ec5928fa1d9a,3,7,3,6,0
28,16,4,1,32,3,71c7cccbd038b60b,3,7,2,10,0
30,16,0,3,24,0,0000000000000000,0,6,3,0,0
32,16,1,1,12,2,25a308917a4183ee,2,3,1,2,0
34,16,1,1,12,2,b6042634525ecfc5,2,2,0,2,0
36,16,2,2,18,2,4d333a1b61ab5be1,2,4,0,4,2
38,16,1,1,12,0,2282d0f6c283a981,0,4,2,2,2
40,16,1,1,6,0,c411d19917e0275b,0,2,0,2,2";

    fn table(text: &str) -> Table {
        Table::read_csv(text.as_bytes()).unwrap()
    }

    /// What the laws of 2x2 to 32 say to a table.
    fn judge(table: &Table) -> Result<bool> {
        let game: Game = "2x2-32".parse().unwrap();
        Laws::new(&game, u32::MAX).table(table)
    }

    /// The table with one number changed.
    fn with(change: impl FnOnce(&mut Vec<Row>)) -> Table {
        let mut rows = table(TABLE).rows().to_vec();
        change(&mut rows);
        Table::new(rows)
    }

    #[test]
    fn a_true_table_obeys_and_is_seen_to_end() {
        assert!(judge(&table(TABLE)).unwrap());
        assert!(!judge(&table(TABLE).until(Some(20))).unwrap());
        assert!(!judge(&Table::new([])).unwrap());
    }

    #[test]
    fn a_true_table_of_the_first_columns_alone_obeys_too() {
        let short: String = TABLE
            .lines()
            .map(|line| line.split(',').take(7).collect::<Vec<_>>().join(",") + "\n")
            .collect();
        let short = table(&short);
        assert!(!short.has_flow());
        assert!(judge(&short).unwrap());
    }

    #[test]
    fn every_number_of_the_flow_that_is_off_by_one_breaks_a_law() {
        let rows = table(TABLE).rows().len();
        let numbers: [fn(&mut Row) -> &mut u64; 5] = [
            |row| &mut row.live,
            |row| &mut row.dead,
            |row| &mut row.candidates,
            |row| &mut row.duplicates,
            |row| &mut row.empty_cells,
        ];
        for at in 0..rows {
            for (column, number) in numbers.iter().enumerate() {
                for by in [1, u64::MAX] {
                    let changed = with(|rows| {
                        let number = number(&mut rows[at]);
                        *number = number.wrapping_add(by);
                    });
                    let broken = matches!(judge(&changed), Err(Error::Law { .. }));
                    assert!(broken, "row {at}, number {column}, by {by}");
                }
            }
        }
    }

    #[test]
    fn rows_lost_repeated_or_out_of_place_break_a_law() {
        let rows = table(TABLE).rows().len();
        for at in 0..rows {
            let lost = with(|rows| {
                rows.remove(at);
            });
            // Without its last row a table may be one that was stopped there.
            assert_eq!(judge(&lost).is_err(), at + 1 < rows, "row {at} lost");
            let twice = with(|rows| rows.insert(at, rows[at]));
            assert!(judge(&twice).is_err(), "row {at} twice");
            if at > 0 {
                assert!(judge(&with(|rows| rows.swap(at - 1, at))).is_err());
            }
            let other = |change: fn(&mut Row)| {
                assert!(
                    judge(&with(|rows| change(&mut rows[at]))).is_err(),
                    "row {at}"
                );
            };
            other(|row| row.sum += 1);
            other(|row| row.sum += 2);
            other(|row| row.max_tile *= 2);
            other(|row| row.max_tile += 1);
            other(|row| row.max_tile = 0);
            other(|row| row.labeled = row.labeled * 8 + 1);
            other(|row| row.wins += row.moves + 1);
            other(|row| row.moves = row.live * 4 + 1);
            other(|row| row.afterstates = row.empty_cells + 1);
            other(|row| {
                *row = Row {
                    sum: u32::MAX - 1,
                    max_tile: 1 << 31,
                    live: u64::MAX,
                    dead: u64::MAX,
                    ..*row
                }
            });
        }
    }

    #[test]
    fn the_bounds_are_met_by_boards_that_meet_them() {
        let laws = |name: &str| Laws::new(&name.parse().unwrap(), u32::MAX);
        // 32 16 / 8 4 is the fullest board of 2x2; with a win at 32 it is 16 16 / 8 4.
        assert_eq!(laws("2x2").most(5, 4), 60);
        assert_eq!(laws("2x2-32").most(4, 4), 44);
        // Two 2s on nine cells, and a 2 and a 4.
        assert_eq!(laws("3x3").boards(4, 1), 36);
        assert_eq!(laws("3x3").boards(6, 2), 72);
        // One 8 and nothing else holds neither a 2 nor a 4.
        assert_eq!(laws("3x3").boards(8, 3), 0);
    }

    #[test]
    fn candidates_that_vanish_or_appear_break_conservation() {
        let row = Row::default();
        assert!(conserved(&row, 10, 7, 3, 7).is_ok());
        for (candidates, unique, duplicates, kept) in [(10, 7, 2, 7), (10, 8, 3, 8), (10, 7, 3, 6)]
        {
            assert!(conserved(&row, candidates, unique, duplicates, kept).is_err());
        }
    }
}

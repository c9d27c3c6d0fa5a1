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

mod game;
mod row;

use crate::bound;
use crate::counts::{Row, Table};
use crate::error::{Error, Result};
use crate::game::board::max_exponent;

use crate::game::Game;
pub use game::{size_of, win_of};

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
        let cells = game.size().cells() as usize;
        let holding = |k: u8| {
            let count = |tiles| bound::labeled(cells, &tiles, half);
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
    const TABLE: &str = include_str!("../../tests/data/v1/2x2-32/layers.csv");

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
    fn candidates_that_vanish_or_appear_break_conservation() {
        let row = Row::default();
        assert!(conserved(&row, 10, 7, 3, 7).is_ok());
        for (candidates, unique, duplicates, kept) in [(10, 7, 2, 7), (10, 8, 3, 8), (10, 7, 3, 6)]
        {
            assert!(conserved(&row, candidates, unique, duplicates, kept).is_err());
        }
    }
}

//! Laws that the counts of a game obey, whichever program made them.
//!
//! Key idea: a wrong count is rarely consistent. The rules of the game bound every row, and the
//! flow from one layer to the next is conserved: each candidate of a layer was spawned into an
//! empty cell of an afterstate with a sum smaller by 2 or 4. So a table can be checked from its
//! numbers alone, within milliseconds, and a count that breaks a law seals no further layer.
//!
//! Below, c is the number of cells without a stone, and *states* are live and dead states together.
//! Most laws use two facts:
//!
//! - *Large tiles.* A board holds at most c + 2 - q tiles of exponent q or more, for q >= 3 (and at
//!   most c for smaller q). Proof: let n(q) be the number of these tiles. Starts and spawns change
//!   only n(1) and n(2). For q >= 3, a move increases n(q) only by merging tiles 2^(q-1). If it
//!   merges m pairs, the pairs are 2m of the n(q-1) tiles before the move, so n(q) is at most
//!   n(q-1) - m after it. By induction n(q-1) was at most c + 3 - q (at most c for q = 3), and m is
//!   at least 1.
//! - *The chain.* So the i-th largest tile (i = 1 ... c) has an exponent of at most c + 2 - i, and
//!   no exponent exceeds c + 1.
//!
//! Reading order: this file (layers and tables), `row` (one row).

mod row;

use crate::bound;
use crate::counts::{Column, Columns, Row, Table};
use crate::error::{Error, Result};
use crate::game::{Game, LAST_START, PartKey};

/// The laws of one game, with precomputed numbers of boards.
pub(crate) struct Laws {
    game: Game,
    /// `boards[k][h]` is the number of boards of sum 2h that have tiles up to 2^k and hold a 2 or a
    /// 4.
    boards: Vec<Vec<u64>>,
}

/// Check that two ways of counting `what` gave the same number.
///
/// # Errors
///
/// [`Error::Law`] if the numbers differ.
pub(crate) fn equal(row: &Row, what: &str, one: u64, other: u64) -> Result<()> {
    law(row, one == other, || {
        format!("{what}: {one} by one way of counting, {other} by the other")
    })
}

/// An [`Error::Law`] at a row, unless the law holds.
fn law(row: &Row, holds: bool, what: impl FnOnce() -> String) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(Error::Law {
        place: format!("sum {}, largest tile {}", row.sum, row.max_tile),
        law: what(),
    })
}

/// A row, with the columns that its table has.
#[derive(Clone, Copy)]
struct JudgedRow<'a> {
    row: &'a Row,
    has: Columns,
}

impl JudgedRow<'_> {
    /// Check a law that needs some columns. A table that lacks one of them obeys.
    fn law(self, needs: &[Column], holds: bool, what: impl FnOnce() -> String) -> Result<()> {
        law(self.row, holds || !self.has.has_all(needs), what)
    }
}

/// The columns that show whether a table reaches the end of its game.
pub(crate) const TELL_THE_END: [Column; 3] = [Column::Live, Column::Dead, Column::Afterstates];

impl Laws {
    /// The laws for layers with sums up to `last`. Takes milliseconds, or some tens of milliseconds
    /// for large boards without a winning tile.
    pub(crate) fn new(game: &Game, last: u32) -> Self {
        let half = last.min(game.sum_bound()) as usize / 2;
        Self {
            game: *game,
            boards: (0..=game.top().get())
                .map(|k| bound::labeled(game.size(), k, half))
                .collect(),
        }
    }

    /// Check a layer against the two layers before it. `layer(sum)` gives the nonempty rows of a
    /// sum in order of largest tile. Laws that need columns outside `has` are skipped.
    ///
    /// # Errors
    ///
    /// [`Error::Law`], which names the part, the law and the numbers.
    pub(crate) fn layer<'a>(
        &self,
        sum: u32,
        has: Columns,
        layer: impl Fn(u32) -> &'a [Row],
    ) -> Result<()> {
        self.rows(layer(sum), has)?;
        self.flow_into(sum, has, layer)
    }

    /// Check a table by all laws that its columns allow. Returns whether the table shows the end of
    /// its game.
    ///
    /// # Errors
    ///
    /// [`Error::Law`], which names the first part that breaks a law, the law and the numbers.
    pub(crate) fn table(&self, table: &Table) -> Result<bool> {
        self.rows(table.rows(), table.columns())?;
        for sum in (4..=table.last_sum()).step_by(2) {
            self.flow_into(sum, table.columns(), |sum| table.layer(sum))?;
        }
        Ok(self.ends(table))
    }

    /// Whether the table shows the end of its game: the game goes on from no afterstate of the last two
    /// layers.
    fn ends(&self, table: &Table) -> bool {
        if !table.columns().has_all(&TELL_THE_END) {
            return false;
        }
        let last = table.last_sum();
        let none = |sum: u32| {
            !self.game.goes_on(sum) || table.layer(sum).iter().all(|row| row.afterstates == 0)
        };
        last >= LAST_START && none(last) && none(last - 2)
    }

    /// Check rows one by one, and their order.
    fn rows(&self, rows: &[Row], has: Columns) -> Result<()> {
        let place = |row: &Row| (row.sum, row.max_tile);
        for (at, row) in rows.iter().enumerate() {
            if let Some(last) = at.checked_sub(1).map(|before| &rows[before]) {
                law(row, place(last) < place(row), || {
                    let (sum, tile) = place(last);
                    format!(
                        "it comes after sum {sum}, largest tile {tile}: rows are in order of sum, then largest tile"
                    )
                })?;
            }
            self.row(JudgedRow { row, has })?;
        }
        Ok(())
    }

    /// Check the flow from the two layers before a layer into its parts.
    fn flow_into<'a>(
        &self,
        sum: u32,
        has: Columns,
        layer: impl Fn(u32) -> &'a [Row],
    ) -> Result<()> {
        use Column::{Afterstates, Candidates, Dead, EmptyCells, Live, Moves, Wins};
        let starts = self.game.starts(sum);
        let mut lower = 0;
        for max in self.game.top().up_to() {
            let key = PartKey { sum, max };
            let row = &Row::among(layer(sum), key);
            let judged = JudgedRow { row, has };
            let starts = starts
                .iter()
                .filter(|&&board| self.game.max_exp(board) == max);
            let starts = starts.count() as u64;
            let (mut from, mut cells) = (0u64, 0u64);
            let sources = key.spawned_from().map(|(key, _)| key);
            for key in sources.filter(|key| self.game.goes_on(key.sum)) {
                let source = Row::among(layer(key.sum), key);
                // Rows may hold any numbers.
                from = from.saturating_add(source.afterstates);
                cells = cells.saturating_add(source.empty_cells);
            }

            // A part has states exactly if it has starts or its source parts have afterstates.
            let states = row.states();
            let follow = (states > 0) == (from > 0 || starts > 0);
            judged.law(&[Live, Dead, Afterstates], follow, || {
                format!("{states} states from {from} afterstates and {starts} starts")
            })?;
            // Each empty cell of the source afterstates gives one candidate, and so does each start.
            let (candidates, all) = (row.candidates, cells.saturating_add(starts));
            judged.law(&[EmptyCells, Candidates], candidates == all, || {
                format!("{candidates} candidates from {cells} empty cells and {starts} starts")
            })?;
            // A move that keeps the largest tile leads to an afterstate in the state's own part. A
            // move that makes the largest tile comes from the part with half that tile.
            let (afterstates, own) = (row.afterstates, row.moves.saturating_sub(row.wins));
            let led = afterstates <= own.saturating_add(lower);
            judged.law(&[Afterstates, Moves, Wins], led, || {
                format!("{afterstates} afterstates from {own} and {lower} moves")
            })?;
            lower = own;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::Fingerprint;

    /// 2x2 to 32, complete.
    const TABLE: &str = include_str!("../../tests/data/v1/2x2-32/layers.csv");

    fn table(text: &str) -> Table {
        Table::read_csv(text.as_bytes()).unwrap()
    }

    /// Check a table against the laws of 2x2 to 32.
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
    fn a_true_table_obeys_and_shows_its_end() {
        assert!(judge(&table(TABLE)).unwrap());
        assert!(!judge(&table(TABLE).until(Some(20))).unwrap());
        assert!(!judge(&Table::new([])).unwrap());
    }

    #[test]
    fn a_true_table_obeys_with_any_of_its_columns() {
        let (whole, counts): (Table, Vec<Column>) = (table(TABLE), Columns::ALL.counts().collect());
        for chosen in 1..1u32 << counts.len() {
            let chosen = counts
                .iter()
                .enumerate()
                .filter(|(at, _)| chosen >> at & 1 == 1);
            let keys = [Column::Sum, Column::MaxTile].into_iter();
            let columns: Vec<Column> = keys.chain(chosen.map(|(_, column)| *column)).collect();
            let some = whole.only(Columns::of(&columns));
            let known_to_end = judge(&some).unwrap();
            let tell = some.columns().has_all(&TELL_THE_END);
            assert_eq!(known_to_end, tell, "{columns:?}");
        }
    }

    #[test]
    fn a_sum_that_no_board_has_breaks_a_law_of_every_column() {
        let whole = with(|rows| {
            let beyond = Row {
                sum: 46,
                max_tile: 16,
                live: 1,
                dead: 1,
                labeled: 1,
                afterstates: 1,
                fingerprint: Fingerprint(1),
                empty_cells: 1,
                candidates: 1,
                duplicates: 1,
                moves: 1,
                wins: 1,
            };
            rows.push(beyond);
        });
        for column in Columns::ALL.counts() {
            let columns = Columns::of(&[Column::Sum, Column::MaxTile, column]);
            let error = judge(&whole.only(columns)).unwrap_err();
            assert!(error.to_string().contains("has a sum above 44"), "{error}");
        }
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
    fn a_part_that_wins_with_one_tile_of_half_the_winning_tile_breaks_a_law() {
        let rows = table(TABLE).rows().to_vec();
        let early = |row: &Row| row.max_tile == 16 && row.moves > 0 && row.sum < 34;
        let early: Vec<usize> = (0..rows.len()).filter(|&at| early(&rows[at])).collect();
        assert!(early.len() > 5);
        for at in early {
            let error = judge(&with(|rows| rows[at].wins = 1)).unwrap_err();
            let law = "1 moves win: two tiles 16 need a sum of at least 34";
            assert!(error.to_string().contains(law), "{error}");
        }
    }

    #[test]
    fn rows_lost_repeated_or_out_of_place_break_a_law() {
        let rows = table(TABLE).rows().len();
        for at in 0..rows {
            let lost = with(|rows| {
                rows.remove(at);
            });
            // A table without its last row may come from a count that was stopped there.
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
}

//! Lees-Miller's counts of sixteen games by sum and largest tile.
//!
//! The counts come from the repository of his article; `layer_parts.csv` names the repository and
//! its license. Like the tables of this program, they count live canonical states.

use std::collections::{BTreeMap, BTreeSet};

use super::What;
use crate::counts::{Column, Table};
use crate::game::Game;

/// Live states by sum and largest tile.
type KnownParts = BTreeMap<(u32, u32), u64>;

/// A row of `layer_parts.csv`: the side of the board, the exponent of the winning tile, the sum, the
/// exponent of the largest tile, and the live states.
type PartRecord = (u8, u8, u32, u8, u64);

/// The published parts of a game; empty for all but the sixteen games.
fn published(game: &Game) -> KnownParts {
    let file = include_bytes!("layer_parts.csv");
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(&file[..]);
    reader
        .deserialize()
        .map(|record| -> PartRecord { record.expect("a test reads the whole file") })
        .filter(|&(side, win, ..)| {
            let (rows, cols) = (game.size().rows(), game.size().cols());
            [rows, cols] == [side; 2] && game.max() == Some(1 << win)
        })
        .map(|(_, _, sum, largest, live)| ((sum, 1 << largest), live))
        .collect()
}

/// Compare a table with the published parts of its layers: the number of parts that agree, and the
/// first part that differs, each with the published and the counted number. Empty if no parts were
/// published for these layers, or if the table lacks the column `live`.
pub(super) fn compare(game: &Game, table: &Table, complete: bool) -> Vec<(What, u64, u64)> {
    let last = if complete { u32::MAX } else { table.last_sum() };
    let mut published = published(game);
    published.retain(|&(sum, _), _| sum <= last);
    if published.is_empty() || !table.columns().has(Column::Live) {
        return Vec::new();
    }
    let rows = table.rows().iter();
    let counted: KnownParts = rows
        .filter(|row| row.live > 0)
        .map(|row| ((row.sum, row.max_tile), row.live))
        .collect();
    let keys: BTreeSet<_> = published.keys().chain(counted.keys()).collect();
    let live = |parts: &KnownParts, key| parts.get(key).copied().unwrap_or(0);
    let different: Vec<_> = keys
        .iter()
        .filter(|key| live(&published, key) != live(&counted, key))
        .collect();
    let agreeing = keys.len() - different.len();
    let mut compared = vec![(What::Parts, keys.len() as u64, agreeing as u64)];
    compared.extend(different.first().map(|&&key| {
        let part = What::Part(key.0, key.1);
        (part, live(&published, key), live(&counted, key))
    }));
    compared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Columns, Row};
    use crate::known::{LEES_MILLER, all_published};

    fn table(parts: &KnownParts) -> Table {
        let row = |(&(sum, max_tile), &live): (&(u32, u32), &u64)| Row {
            sum,
            max_tile,
            live,
            ..Row::default()
        };
        Table::new(parts.iter().map(row))
    }

    #[test]
    fn the_parts_of_a_game_are_its_published_live_states() {
        let mut games = 0;
        let mut parts = 0;
        for entry in all_published().filter(|entry| entry.source == LEES_MILLER) {
            let published = published(&entry.game.parse().unwrap());
            let live = published.values().sum();
            assert_eq!(entry.number(What::Live), Some(live), "{}", entry.game);
            games += 1;
            parts += published.len();
        }
        // The rows of the file: each belongs to one of the games.
        assert_eq!((games, parts), (16, 3903));
    }

    #[test]
    fn a_table_is_compared_part_by_part_up_to_its_last_layer() {
        let game = "2x2-32".parse().unwrap();
        let judge = |table: &Table, complete| compare(&game, table, complete);
        let mut parts = published(&game);
        let all = table(&parts);
        assert_eq!(judge(&all, true), [(What::Parts, 25, 25)]);
        assert_eq!(judge(&all.until(Some(8)), false), [(What::Parts, 4, 4)]);
        // In a complete count, a missing layer has no states.
        let first = (What::Part(10, 4), 3, 0);
        assert_eq!(
            judge(&all.until(Some(8)), true),
            [(What::Parts, 25, 4), first]
        );
        parts.insert((8, 8), 1);
        let more = (What::Part(8, 8), 0, 1);
        assert_eq!(judge(&table(&parts), true), [(What::Parts, 26, 25), more]);
    }

    #[test]
    fn a_table_without_live_states_is_not_compared() {
        let game = "2x2-32".parse().unwrap();
        let all = table(&published(&game));
        let columns = Columns::of(&[Column::Sum, Column::MaxTile, Column::Dead]);
        assert!(compare(&game, &all.only(columns), true).is_empty());
    }

    #[test]
    fn other_games_have_no_published_parts() {
        for other in ["2x2", "2x3-32", "4x4-128"] {
            let game = other.parse().unwrap();
            assert!(compare(&game, &table(&KnownParts::new()), true).is_empty());
        }
    }
}

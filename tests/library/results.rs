//! Compares the tables of `results/tables/` with each other.

use std::fs::{self, File};

use enum48::Game;
use enum48::counts::{Row, Table};

/// The tables of games on boards of one size, by winning tile. The game without a winning tile
/// comes last.
fn tables(size: &str) -> Vec<(Game, Table)> {
    let mut tables = Vec::new();
    for entry in fs::read_dir("results/tables").unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let of_size = name.split('-').next() == Some(size);
        if of_size && path.extension().is_some_and(|end| end == "csv") {
            let table = Table::read_csv(File::open(&path).unwrap()).unwrap();
            tables.push((name.parse().unwrap(), table));
        }
    }
    tables.sort_by_key(|(game, _): &(Game, Table)| game.win());
    tables
}

#[test]
fn games_on_one_board_agree_below_the_winning_tile() {
    for (size, games) in [("2x2", 4), ("2x3", 6), ("2x4", 8), ("3x3", 9), ("4x4", 6)] {
        let tables = tables(size);
        assert!(tables.len() >= games, "{size}");
        for pair in tables.windows(2) {
            let [(game, short), (other, long)] = pair else {
                unreachable!("pairs")
            };
            let last = short.last_sum().min(long.last_sum());
            // A winning move in one game is an ordinary move in the other, so wins are ignored.
            let alike = |table: &Table| -> Vec<Row> {
                let mut rows = table.rows().to_vec();
                rows.retain(|row| row.sum <= last && row.max_tile < game.win().tile());
                rows.iter_mut().for_each(|row| row.wins = 0);
                rows
            };
            let (ours, theirs) = (alike(short), alike(long));
            assert!(ours.len() >= 5, "{game} and {other}");
            assert!(ours == theirs, "{game} and {other}");
        }
    }
}

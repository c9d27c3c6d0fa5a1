//! A slow exact twin: boards as vectors of cells, sets as hash sets, no layers of files, and no
//! line shared with the library. Every part of every small game must agree, fingerprints included.

use std::collections::{BTreeMap, HashSet};

use enum48::counts::{Row, Table};
use enum48::engine::{self, Engine, Plan, Silent};
use enum48::part::Fingerprint;
use enum48::store::Store;
use enum48::{Game, game::Size};

type Cells = Vec<u8>;

struct Twin {
    rows: usize,
    cols: usize,
    win: u8,
}

impl Twin {
    fn number(&self, cells: &Cells) -> u64 {
        cells.iter().fold(0, |x, &e| x * 16 + u64::from(e))
    }

    fn images(&self, cells: &Cells) -> HashSet<Cells> {
        let (rows, cols) = (self.rows, self.cols);
        let at = |r: usize, c: usize| cells[r * cols + c];
        let mut images = HashSet::new();
        for flip_r in [false, true] {
            for flip_c in [false, true] {
                let (mut plain, mut turned) = (Vec::new(), Vec::new());
                for r in 0..rows {
                    for c in 0..cols {
                        let fr = if flip_r { rows - 1 - r } else { r };
                        let fc = if flip_c { cols - 1 - c } else { c };
                        plain.push(at(fr, fc));
                        if rows == cols {
                            turned.push(at(fc, fr));
                        }
                    }
                }
                images.insert(plain);
                if rows == cols {
                    images.insert(turned);
                }
            }
        }
        images
    }

    fn canonical(&self, cells: &Cells) -> Cells {
        self.images(cells).into_iter().min().unwrap()
    }

    /// Afterstates of all legal moves; `None` for one that wins.
    fn moves(&self, cells: &Cells) -> Vec<Option<Cells>> {
        let (rows, cols) = (self.rows, self.cols);
        let row = |r: usize| (0..cols).map(move |c| r * cols + c).collect::<Vec<_>>();
        let col = |c: usize| (0..rows).map(move |r| r * cols + c).collect::<Vec<_>>();
        let mut out = Vec::new();
        for backward in [false, true] {
            for lines in [
                (0..rows).map(row).collect::<Vec<_>>(),
                (0..cols).map(col).collect(),
            ] {
                let (mut after, mut won) = (cells.clone(), false);
                for mut line in lines {
                    if backward {
                        line.reverse();
                    }
                    let mut tiles: Vec<u8> =
                        line.iter().map(|&i| cells[i]).filter(|&e| e > 0).collect();
                    let mut i = 0;
                    while i + 1 < tiles.len() {
                        if tiles[i] == tiles[i + 1] {
                            tiles[i] += 1;
                            won |= tiles[i] == self.win;
                            tiles.remove(i + 1);
                        }
                        i += 1;
                    }
                    tiles.resize(line.len(), 0);
                    line.iter().zip(tiles).for_each(|(&i, e)| after[i] = e);
                }
                if after != *cells {
                    out.push((!won).then_some(after));
                }
            }
        }
        out
    }

    fn spawns(&self, cells: &Cells, tile: u8) -> Vec<Cells> {
        let empty = (0..cells.len()).filter(|&i| cells[i] == 0);
        empty
            .map(|i| {
                let mut board = cells.clone();
                board[i] = tile;
                board
            })
            .collect()
    }

    fn count(&self, until: u32) -> Table {
        let empty = vec![0; self.rows * self.cols];
        let mut states: BTreeMap<u32, HashSet<Cells>> = BTreeMap::new();
        let mut rows: BTreeMap<(u32, u32), Row> = BTreeMap::new();
        for first in [1, 2] {
            for second in [1, 2] {
                for one in self.spawns(&empty, first) {
                    for board in self.spawns(&one, second) {
                        let layer = states.entry(sum(&board)).or_default();
                        if layer.insert(self.canonical(&board)) {
                            entry(&mut rows, sum(&board), &board).candidates += 1;
                        }
                    }
                }
            }
        }
        while let Some((s, layer)) = states.pop_first().filter(|&(s, _)| s <= until) {
            let mut afterstates = HashSet::new();
            for state in layer {
                let row = entry(&mut rows, s, &state);
                let moves = self.moves(&state);
                row.labeled += self.images(&state).len() as u64;
                row.moves += moves.len() as u64;
                row.wins += moves.iter().filter(|after| after.is_none()).count() as u64;
                if moves.is_empty() {
                    row.dead += 1;
                } else {
                    row.live += 1;
                    row.fingerprint += Fingerprint(mix(self.number(&state)));
                }
                for after in moves.into_iter().flatten() {
                    afterstates.insert(self.canonical(&after));
                }
            }
            for after in afterstates {
                let row = entry(&mut rows, s, &after);
                row.afterstates += 1;
                row.empty_cells += after.iter().filter(|&&e| e == 0).count() as u64;
                for tile in [1, 2] {
                    for state in self.spawns(&after, tile) {
                        entry(&mut rows, sum(&state), &state).candidates += 1;
                        states
                            .entry(sum(&state))
                            .or_default()
                            .insert(self.canonical(&state));
                    }
                }
            }
        }
        let rows = rows.into_values().filter(|row| row.sum <= until);
        Table::new(rows.map(|mut row| {
            row.duplicates = row.candidates - row.states();
            row
        }))
    }
}

fn sum(cells: &Cells) -> u32 {
    cells.iter().filter(|&&e| e > 0).map(|&e| 1u32 << e).sum()
}

fn entry<'a>(rows: &'a mut BTreeMap<(u32, u32), Row>, sum: u32, cells: &Cells) -> &'a mut Row {
    let max_tile = 1 << cells.iter().max().unwrap();
    rows.entry((sum, max_tile)).or_insert_with(|| {
        let mut row = Row::default();
        (row.sum, row.max_tile) = (sum, max_tile);
        row
    })
}

fn mix(x: u64) -> u64 {
    let z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn compare(rows: u8, cols: u8, max: Option<u32>, until: Option<u32>) {
    let win = max.map_or(17, |tile| tile.trailing_zeros() as u8);
    let twin = Twin {
        rows: rows.into(),
        cols: cols.into(),
        win,
    };
    let expected = twin.count(until.unwrap_or(u32::MAX));

    let game = Game::new(Size::new(rows, cols).unwrap(), max).unwrap();
    let mut engines = vec![Engine::Lists];
    engines.extend((rows == 4 && cols == 4).then_some(Engine::Bits));
    for engine in engines {
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let plan = Plan::new(64 << 20, 2).unwrap().with_engine(Some(engine));
        engine::count(&mut store, &plan, until, &mut Silent).unwrap();
        let table = store.run().table();
        for (expected, got) in expected.rows().iter().zip(table.rows()) {
            assert_eq!(got, expected, "{game} by {engine}");
        }
        assert_eq!(table, expected, "{game} by {engine}");
        assert!(!table.rows().is_empty());
    }
}

#[test]
fn every_game_up_to_2x3_agrees_with_the_twin() {
    for (rows, cols) in [(2, 2), (2, 3), (3, 2)] {
        compare(rows, cols, None, None);
        for exponent in 3..=9 {
            compare(rows, cols, Some(1 << exponent), None);
        }
        compare(rows, cols, Some(65536), None);
    }
}

#[test]
fn three_by_three_to_64_agrees_with_the_twin() {
    for tile in [8, 16, 32, 64] {
        compare(3, 3, Some(tile), None);
    }
}

#[test]
fn two_by_four_agrees_with_the_twin_either_way_up() {
    for (rows, cols) in [(2, 4), (4, 2)] {
        compare(rows, cols, Some(8), None);
        compare(rows, cols, Some(32), None);
        compare(rows, cols, None, Some(60));
    }
}

#[test]
fn the_first_layers_of_the_large_boards_agree_with_the_twin() {
    for (rows, cols) in [(3, 4), (4, 3)] {
        compare(rows, cols, Some(8), None);
        compare(rows, cols, None, Some(24));
    }
    compare(4, 4, None, Some(18));
    compare(4, 4, Some(8), Some(34));
}

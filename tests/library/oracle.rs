//! A slow exact twin of the count, with boards of plain cells, hash sets, and no files. From the
//! library, it uses only the types of the table and the names of directions. Every part of every
//! small game must be equal, including its fingerprint.

use std::collections::{BTreeMap, HashSet};

use enum48::counts::{Row, Table};
use enum48::engine::{self, Engine, Plan, Silent};
use enum48::part::Fingerprint;
use enum48::store::Store;
use enum48::{Game, game::Size};

use crate::files::in_memory;
use crate::plain::{Cells, Moved, Plain, tiles};

fn count(game: &Plain, until: u32) -> Table {
    let mut states: BTreeMap<u32, HashSet<u64>> = BTreeMap::new();
    let mut rows: BTreeMap<(u32, u32), Row> = BTreeMap::new();
    for first in [1, 2] {
        for second in [1, 2] {
            let begin = game.begin().into_iter();
            for one in begin.flat_map(|stones| game.spawns(&stones, first).collect::<Vec<_>>()) {
                for board in game.spawns(&one, second) {
                    let layer = states.entry(sum(&board)).or_default();
                    if layer.insert(game.canonical(&board)) {
                        entry(&mut rows, sum(&board), &board).candidates += 1;
                    }
                }
            }
        }
    }
    while let Some((s, layer)) = states.pop_first().filter(|&(s, _)| s <= until) {
        let mut afterstates = HashSet::new();
        for board in layer {
            let state = game.cells(board);
            let row = entry(&mut rows, s, &state);
            let moves: Vec<Moved> = game.moves(&state).collect();
            row.labeled += game.images(&state).collect::<HashSet<_>>().len() as u64;
            row.moves += moves.len() as u64;
            row.wins += moves.iter().filter(|moved| moved.won).count() as u64;
            if moves.is_empty() {
                row.dead += 1;
            } else {
                row.live += 1;
                row.fingerprint += Fingerprint(mix(board));
            }
            for moved in moves.iter().filter(|moved| !moved.won) {
                afterstates.insert(game.canonical(&moved.after));
            }
        }
        for after in afterstates {
            let after = game.cells(after);
            let row = entry(&mut rows, s, &after);
            row.afterstates += 1;
            row.empty_cells += game.empty(&after).count() as u64;
            if !game.goes_on(&after) {
                continue;
            }
            for tile in [1, 2] {
                for state in game.spawns(&after, tile) {
                    entry(&mut rows, sum(&state), &state).candidates += 1;
                    states
                        .entry(sum(&state))
                        .or_default()
                        .insert(game.canonical(&state));
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

fn sum(cells: &Cells) -> u32 {
    tiles(cells).map(|e| 1u32 << e).sum()
}

fn entry<'a>(rows: &'a mut BTreeMap<(u32, u32), Row>, sum: u32, cells: &Cells) -> &'a mut Row {
    let max_tile = 1 << tiles(cells).max().unwrap();
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
    compare_with_stones([rows, cols, 0], &[], max, until);
}

/// Compare a game with stones, and with masks, which have a bit for each cell.
fn compare_with_stones(
    [rows, cols, stones]: [u8; 3],
    masks: &[usize],
    max: Option<u32>,
    until: Option<u32>,
) {
    let twin = Plain::new(rows.into(), cols.into(), max).with_stones(stones.into());
    let twin = twin.with_masks(masks);
    let game = Game::new(size_of([rows, cols, stones], masks), max).unwrap();
    compare_games(&twin, &game, until);
}

/// A size with stones, and with masks, which have a bit for each cell.
fn size_of([rows, cols, stones]: [u8; 3], masks: &[usize]) -> Size {
    let size = Size::new(rows, cols).unwrap();
    let size = size.with_stones(stones.into()).unwrap();
    let masks: Vec<u64> = masks.iter().map(|&mask| stones_in(mask)).collect();
    match &masks[..] {
        [] => size,
        masks => size.with_masks(masks).unwrap(),
    }
}

/// A digit f for each cell of a set.
fn stones_in(set: usize) -> u64 {
    u64::from_str_radix(&format!("{set:b}").replace('1', "f"), 16).unwrap()
}

fn compare_games(twin: &Plain, game: &Game, until: Option<u32>) {
    let expected = count(twin, until.unwrap_or(u32::MAX));
    let size = game.size();
    let mut engines = vec![Engine::Lists];
    engines.extend(((size.cells(), size.stones()) == (16, 0)).then_some(Engine::Bits));
    for engine in engines {
        let place = in_memory();
        let mut store = Store::open(place.path(), game, None).unwrap();
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
fn games_with_stones_agree_with_the_twin() {
    for (rows, cols, most) in [(2, 2, 2), (2, 3, 4), (3, 2, 2)] {
        for stones in 1..=most {
            for max in [None, Some(8), Some(32)] {
                compare_with_stones([rows, cols, stones], &[], max, None);
            }
        }
    }
    for (size, max) in [
        ([3, 3, 1], Some(16)),
        ([3, 3, 4], None),
        ([2, 4, 3], Some(32)),
        ([4, 3, 7], Some(16)),
        ([4, 4, 12], Some(16)),
        ([4, 4, 14], Some(8)),
    ] {
        compare_with_stones(size, &[], max, None);
    }
}

#[test]
fn games_with_masks_agree_with_the_twin() {
    for (size, masks, max) in [
        ([2, 2, 1], &[0b0001][..], None),
        ([2, 2, 1], &[0b0001, 0b1000], None),
        ([2, 2, 2], &[0b0011], Some(8)),
        ([2, 3, 2], &[0b000_001], Some(16)),
        ([2, 3, 2], &[0b000_011, 0b011_000], None),
        ([3, 2, 3], &[0b01_01_01], None),
        ([3, 3, 3], &[0b000_000_111], Some(32)),
        ([3, 3, 4], &[0b000_011_011], Some(16)),
        (
            [3, 3, 4],
            &[0b000_000_111, 0b000_011_001, 0b001_001_001],
            None,
        ),
        ([3, 3, 4], &[0b101_000_101], Some(16)),
        ([4, 3, 6], &[0b000_000_011_111], Some(16)),
        ([4, 4, 12], &[0b0000_0111_0111_0111], Some(8)),
    ] {
        compare_with_stones(size, masks, max, None);
    }
}

#[test]
fn games_with_target_cells_agree_with_the_twin() {
    // A target beside the mask, two targets of which the symmetry keeps both, without a mask, and a mask that
    // turns into another one.
    for (size, masks, targets, max, horizon) in [
        ([2, 2, 1], &[0b0001][..], 0b0010, 8, 40),
        ([2, 3, 2], &[0b000_011], 0b000_100, 16, 60),
        ([2, 3, 1], &[0b000_001], 0b100_000, 8, 20),
        ([3, 3, 2], &[0b000_000_011], 0b000_000_100, 16, 44),
        ([3, 3, 4], &[0b000_011_011], 0b000_100_100, 16, 56),
        ([3, 3, 4], &[0b101_000_101], 0b010_101_010, 16, 60),
        ([3, 3, 5], &[], 0b111_101_111, 16, 40),
        (
            [3, 3, 4],
            &[0b000_000_111, 0b001_001_001],
            0b000_001_110,
            32,
            64,
        ),
        (
            [4, 4, 12],
            &[0b0000_0111_0111_0111],
            0b0000_1000_0000_0000,
            8,
            30,
        ),
    ] {
        let [rows, cols, stones] = size.map(usize::from);
        let twin = Plain::new(rows, cols, Some(max)).with_stones(stones);
        let twin = twin.with_masks(masks).with_targets(targets, horizon);
        let size = size_of(size, masks)
            .with_targets(stones_in(targets))
            .unwrap();
        let game = Game::new(size, Some(max)).unwrap();
        let game = game.with_horizon(horizon).unwrap();
        assert_eq!(game.to_string().parse::<Game>().unwrap(), game);
        compare_games(&twin, &game, None);
    }
    // A horizon alone.
    let twin = Plain::new(2, 3, Some(32)).with_stones(1);
    let game = Game::new(size_of([2, 3, 1], &[]), Some(32)).unwrap();
    let game = game.with_horizon(30).unwrap();
    compare_games(&twin.with_targets(0, 30), &game, None);
}

#[test]
fn three_by_three_to_64_agrees_with_the_twin() {
    for tile in [8, 16, 32, 64] {
        compare(3, 3, Some(tile), None);
    }
}

#[test]
fn two_by_four_and_four_by_two_agree_with_the_twin() {
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

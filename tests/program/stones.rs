//! Games with stones, by every command: each works, or says in a line why not.

use std::fs;

use enum48::game::Size;
use serde_json::Value;
use tempfile::TempDir;

use crate::command::{good, place, stdout};
use crate::examples::examples;
use crate::fed::fed;
use crate::json;
use crate::outcomes::{disagrees, refused};
use crate::readme;
use crate::solved::solved;

fn json(place: &TempDir, args: &str) -> Value {
    serde_json::from_str(&good(place, &format!("{args} --json"))).unwrap()
}

#[test]
fn a_game_with_stones_is_named_by_its_free_cells_or_its_stones() {
    let place = place();
    // A directory of this name changes nothing, since no path is expected.
    fs::create_dir(place.path().join("free4-16")).unwrap();
    for (args, game) in [
        ("free4-16", "free4 to 16"),
        ("--size free4 --max 16", "free4 to 16"),
        ("--stones 12 --max 16", "free4 to 16"),
        ("--size 3 --stones 4 --max 16", "3x3free5 to 16"),
        ("2x2free3", "2x2free3 without a winning tile"),
    ] {
        let said = good(&place, &format!("{args} --quiet"));
        assert!(
            said.contains(&format!("states of {game}\n")),
            "{args}: {said}"
        );
    }
    let dirs = ["free4-16", "3x3free5-16", "2x2free3"];
    assert!(
        dirs.iter()
            .all(|dir| place.path().join("enum48-data").join(dir).is_dir())
    );
    // A run of one game is not a run of another.
    let other = "--size 4x4 --max 16 --dir enum48-data/free4-16";
    refused(&place, other, "holds the game free4-16, not 4x4-16");
}

const PAGE: &str = include_str!("../../results/endgames.md");

#[test]
fn the_example_of_the_page_prints_what_is_shown() {
    let examples = examples(PAGE);
    assert_eq!(examples.len(), 3);
    readme::run(examples);
}

#[test]
fn the_names_of_the_page_are_its_stones_masks_and_target_cells() {
    let (_, table) = PAGE.split_once("```text\n").unwrap();
    let (table, _) = table.split_once("```").unwrap();
    let mut names = 0;
    for line in table.lines().skip(1) {
        // Two names of a line differ in their stones alone, and a comma follows all but the last.
        let words: Vec<&str> = line
            .split([' ', ','])
            .filter(|word| !word.is_empty())
            .collect();
        let is_number = |word: &&str| word.len() == 1 && word.parse::<u32>().is_ok();
        let at = words.iter().position(is_number).unwrap();
        let rest = &words[2 * at..];
        let (targets, masks) = rest.split_last().unwrap();
        let hexadecimal = |cells: &&str| u64::from_str_radix(cells, 16).unwrap();
        let masks: Vec<u64> = masks.iter().map(hexadecimal).collect();
        for (name, stones) in words[..at].iter().zip(&words[at..]) {
            let size = Size::new(4, 4).unwrap();
            let size = size.with_stones(stones.parse().unwrap()).unwrap();
            let mut size = size.with_masks(&masks).unwrap();
            if *targets != "any" {
                size = size.with_targets(hexadecimal(targets)).unwrap();
            }
            assert_eq!(size.to_string(), *name);
            names += 1;
        }
    }
    assert_eq!(names, 14);
}

#[test]
fn games_that_stones_do_not_allow_are_refused() {
    let place = place();
    for (args, why) in [
        (
            "--stones 15 --max 8",
            "stones 15: 4x4 has room for 14 beside two tiles",
        ),
        (
            "--size 2 --stones 3",
            "stones 3: 2x2 has room for 2 beside two tiles",
        ),
        (
            "--stones 4 --max 32768",
            "with stones the winning tile is at most 16384",
        ),
        (
            "--stones 3",
            "with stones the winning tile is at most 16384: give such a --max",
        ),
        ("free1-8", "freeN leaves N cells beside stones, at least 2"),
        ("L3-64 --engine bits", "for boards without masks, not of L3"),
        (
            "L3-64 --keep matrices",
            "for boards without masks, not of L3",
        ),
        (
            "show 0x2310 --size 2x2free3",
            "its stones (x): expected 1, got 0",
        ),
    ] {
        refused(&place, args, why);
    }
}

#[test]
fn boards_with_stones_are_explained_found_and_judged() {
    let place = solved("3x3free5-16", "score,16");
    let (rows, hex) = (". 2 4 / x x x / 2 x 2", "0x012fff1f1");
    let show = json(&place, &format!("show {hex} --dir run"));
    assert_eq!(show["canonical"], hex);
    assert_eq!((&show["sum"], &show["max_tile"]), (&10.into(), &4.into()));
    assert_eq!(
        (&show["state"], &show["reached"]),
        (&"live".into(), &true.into())
    );
    let best = json(&place, &format!("best {hex} --dir run"));
    let cells = serde_json::json!([0, 2, 4, 1, 1, 1, 2, 1, 2]);
    assert_eq!((&best["cells"], &best["reached"]), (&cells, &true.into()));
    // The rules alone solve the game of a board with its stones.
    let same = json(&place, &format!("best {rows} --max 16 --for score"));
    assert_eq!(same["values"]["score"], best["values"]["score"]);
    // The witness of a state replays to it, and its game is rated.
    let code = good(&place, &format!("witness {hex} --dir run --quiet"));
    let code = code.trim();
    assert!(good(&place, &format!("replay {code}")).contains(&format!("board      {hex}\n")));
    assert!(good(&place, &format!("rate {code} --dir run")).contains("3x3free5-16"));
    // Without a run, a search finds a game, too.
    let code = good(
        &place,
        &format!("witness {hex} --size 3x3free5 --max 16 --quiet"),
    );
    assert!(good(&place, &format!("replay {}", code.trim())).contains(hex));
    let states = good(&place, "states run --sum 10 --format csv");
    assert!(
        states
            .lines()
            .any(|line| line.starts_with("0x1111fff1f,10,2,2 2 2 2 1 1 1 2 1,"))
    );
    let graph = json::json("2x2free3-8");
    let nodes = json::list(&graph, "nodes");
    assert!(nodes.iter().any(|node| node["board"] == ". 2 / 2 x"));
}

/// With stones in all four corners a board has the highest bit, so numbers are unsigned.
#[test]
fn states_with_stones_in_all_corners_are_unsigned() {
    let place = place();
    good(&place, "free4-8 --quiet --dir run");
    let text = good(&place, "states run --sum 4");
    let states: Vec<u64> = (text.lines())
        .map(|line| u64::from_str_radix(line.trim_start_matches("0x"), 16).unwrap())
        .collect();
    assert!(states.is_sorted() && states.iter().any(|state| state >> 63 == 1));
    good(
        &place,
        "states run --sum 4 --format npy --output states.npy",
    );
    let bytes = std::fs::read(place.path().join("states.npy")).unwrap();
    let (header, data) = bytes.split_at(bytes.len() - 8 * states.len());
    assert!(String::from_utf8_lossy(header).contains("'<u8'"));
    let read = data
        .chunks(8)
        .map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap()));
    assert!(read.eq(states));
}

/// Two stones and two 2s fill 2x2, so some starts are dead.
#[test]
fn a_start_can_be_dead() {
    let place = place();
    good(&place, "2x2free2-8 --quiet --dir run");
    let table = "check run/layers.csv --size 2x2free2 --max 8";
    assert!(good(&place, table).contains("all laws hold"));
    for (start, state) in [("0x11ff", "live"), ("0x1ff1", "dead"), ("0x12ff", "dead")] {
        let show = json(&place, &format!("show {start} --dir run"));
        assert_eq!(
            (&show["state"], &show["reached"]),
            (&state.into(), &true.into())
        );
        good(&place, &format!("witness {start} --dir run --quiet"));
    }
}

#[test]
fn the_files_of_a_game_with_stones_are_verified_and_its_counts_checked() {
    let place = solved("free4-16", "16,moves");
    let said = good(&place, "verify run --deep --quiet");
    assert!(
        said.contains("rebuilt: every value, equal to the last bit"),
        "{said}"
    );
    let table = "check run/layers.csv --max 16";
    assert!(good(&place, &format!("{table} --size free4")).contains("all laws hold"));
    disagrees(&place, &format!("{table} --size free5"), "a law is broken");
    let estimate = good(&place, "free4-16 --dry-run");
    assert!(estimate.contains("canonical boards with a 2 or a 4"));
}

#[test]
fn a_game_with_masks_is_named_by_its_pattern_or_its_masks() {
    let place = place();
    for (args, game) in [
        ("L3-8 --until 20", "L3 to 8"),
        (
            "--stones ..../..../.xxx/.xxx --max 8 --until 20 --dir same",
            "L3 to 8",
        ),
        (
            "--size free9 --stones ..../..../.xxx/.xxx --max 8 --until 20",
            "free9lockfff0fff to 8",
        ),
        (
            "--stones .../.xx/... --stones .x./.x./... --max 16",
            "3x3free7lockff000_f00f0000 to 16",
        ),
        (
            "--stones ..../..xx --stones 3 --max 8",
            "2x4free5lockff to 8",
        ),
        (
            "--stones 0xfffffffff000 --max 8 --until 6",
            "free7lockfffffffff000 to 8",
        ),
    ] {
        let said = good(&place, &format!("{args} --quiet"));
        assert!(said.contains(game), "{args}: {said}");
    }
    for (args, why) in [
        (
            "--stones .../.xx/... --stones .x./.../... --max 16",
            "all masks have the same number of stones",
        ),
        (
            "--size 4 --stones .../.xx/... --max 16",
            "expected cells of 4x4, got 3x3",
        ),
        (
            "--stones .../.x2/... --max 16",
            "a mask has stones (x, or f in hexadecimal) and empty cells alone",
        ),
        (
            "442-32 --stones 3",
            "442 has 6 stones of its own: leave one of the two away",
        ),
        (
            "442-32 --stones ffff",
            "442 has 6 stones of its own: leave one of the two away",
        ),
        ("free4-16 --stones 3", "free4 has 12 stones of its own"),
        (
            "--stones ..../..xx --stones 1 --max 16",
            "a mask of 2 cells needs as many stones",
        ),
        (
            "--stones 3 --stones 4 --max 16",
            "expected one number of stones",
        ),
        (
            "--stones xxxx/xxxx/xxxx/xxxx --max 16",
            "stones 16: 4x4 has room for 14 beside two tiles",
        ),
        (
            "--stones .../.xx/... --stones ..../..xx --max 16",
            "expected cells of 3x3, got 2x4",
        ),
        (
            "--size 3x3free8 --stones .../.xx/... --max 16",
            "a mask of 2 cells needs as many stones",
        ),
        (
            "--stones seven --max 16",
            "neither cells, as in '.... / .... / .xxx / .xxx', nor a number",
        ),
        (
            "show 0x2f1 --size 2x2free3lockf",
            "expected some in all cells of 0xf: turn it to 4 . / 2 x",
        ),
    ] {
        refused(&place, args, why);
    }
}

#[test]
fn the_boards_of_a_game_with_masks_are_explained_found_and_judged() {
    let place = solved("3x3free5lockff0ff-16", "score,16");
    let said = good(&place, "verify run --deep --quiet");
    assert!(
        said.contains("rebuilt: every value, equal to the last bit"),
        "{said}"
    );
    let table = "check run/layers.csv --max 16 --size";
    let named = format!("{table} 3x3free5lockff0ff");
    assert!(good(&place, &named).contains("all laws hold"));
    let boards = good(&place, "states run --format csv");
    let boards: Vec<&str> = boards.lines().skip(1).step_by(29).collect();
    assert!(boards.len() > 10);
    for line in boards {
        let hex = line.split(',').next().unwrap();
        let best = json(&place, &format!("best {hex} --dir run"));
        let show = json(&place, &format!("show {hex} --dir run"));
        assert_eq!(
            (&best["reached"], &show["reached"]),
            (&true.into(), &true.into())
        );
        // The rules alone solve the game.
        let same = json(
            &place,
            &format!("best {hex} --size 3x3free5lockff0ff --max 16 --for score"),
        );
        assert_eq!(same["values"]["score"], best["values"]["score"], "{hex}");
        let code = good(&place, &format!("witness {hex} --dir run --quiet"));
        let code = code.trim();
        assert!(
            good(&place, &format!("replay {code}")).contains(hex),
            "{code}"
        );
        assert!(good(&place, &format!("rate {code} --dir run")).contains("3x3free5lockff0ff-16"));
    }
}

#[test]
fn boards_of_a_full_game_are_endgames() {
    let place = solved("3x3free5-16", "16");
    let plain = json(&place, "best 0x012fff1f1 --dir run");
    let tiles = json(&place, "best . 2 4 / 16 32 64 / 2 128 2 --dir run");
    let cells = serde_json::json!([0, 2, 4, 16, 32, 64, 2, 128, 2]);
    assert_eq!(tiles["cells"], cells);
    assert_eq!(
        (&tiles["moves"], &tiles["board"]),
        (&plain["moves"], &plain["board"])
    );
    assert!(good(&place, "best . 2 4 / 16 32 64 / 2 128 2 --dir run").contains("128"));
    refused(
        &place,
        "best . 2 4 / 16 32 32 / 2 128 2 --dir run",
        "two tiles 32 can merge",
    );
    let few = "expected 4, got 3: it is a board of 3x3free6-16";
    refused(&place, "best . 2 4 / 16 32 8 / 2 128 2 --dir run", few);
}

/// The board, turned by a quarter clockwise some times and then mirrored.
fn image(rows: &[[&str; 3]; 3], turns: u32, mirrored: bool) -> [[String; 3]; 3] {
    let mut rows = rows.map(|row| row.map(str::to_owned));
    for _ in 0..turns {
        rows = [0, 1, 2].map(|c| [2, 1, 0].map(|r: usize| rows[r][c].clone()));
    }
    if mirrored {
        rows.iter_mut().for_each(|row| row.reverse());
    }
    rows
}

/// A player's large tiles can be in any corner.
#[test]
fn a_board_of_a_game_with_masks_is_judged_in_every_orientation() {
    let place = solved("3x3free5lockff0ff-16", "16");
    let rows = [["4", "2", "8"], [".", "16", "32"], ["2", "64", "128"]];
    let plain = json(&place, "best 4 2 8 / . 16 32 / 2 64 128 --dir run");
    assert_eq!(plain["turned"], Value::Null);
    let mut lines = String::new();
    for (turns, mirrored) in (0..4).flat_map(|turns| [(turns, false), (turns, true)]) {
        let text = image(&rows, turns, mirrored)
            .map(|row| row.join(" "))
            .join("/");
        let best = json(&place, &format!("best {text} --dir run"));
        lines += &format!("{text}\n");
        // The mask is its own image in the diagonal.
        let keeps = [(0, false), (1, true)].contains(&(turns, mirrored));
        assert_eq!(best["turned"] == Value::Null, keeps, "{text}");
        assert_eq!(
            (&best["state"], &best["values"]),
            (&plain["state"], &plain["values"])
        );
        for number in 0..4 {
            // Mirrored columns swap right and left.
            let turned = (number + turns as usize) % 4;
            let way = if mirrored && turned % 2 == 1 {
                turned ^ 2
            } else {
                turned
            };
            let (found, expected) = (&best["moves"][way], &plain["moves"][number]);
            assert_eq!(
                (&found["legal"], &found["values"]),
                (&expected["legal"], &expected["values"])
            );
        }
        if !keeps {
            refused(&place, &format!("show {text} --dir run"), ": turn it to ");
        }
    }
    let told = fed(
        &place,
        &["best", "-", "--dir", "run", "--csv"],
        lines.as_bytes(),
    );
    let told = stdout(&told);
    assert_eq!(told.lines().count(), 9, "{told}");
    assert!(!told.contains("line "), "{told}");
    refused(
        &place,
        "best x x x / x 2 4 / . . . --dir run",
        "in all cells of 0xff0ff, even if it is turned",
    );
}

/// The winning tile wins in a target cell alone, and a board of sum 40 after a move is lost.
#[test]
fn a_game_with_target_cells_is_counted_solved_verified_and_replayed() {
    let name = "3x3free5lockff0ffatf00000-16until40";
    let place = place();
    let options =
        "--size 3 --stones '... / .xx / .xx' --target-at '... / x.. / ...' --max 16 --horizon 40";
    let words = options.replace(" / ", "/").replace('\'', "");
    let said = good(&place, &format!("{words} --quiet --dir run --keep both"));
    assert!(said.contains("live"), "{said}");
    refused(
        &place,
        "442-64 --dir run",
        &format!("holds the game {name}, not 442-64"),
    );
    let laws = "check run/layers.csv --size 3x3free5lockff0ffatf00000 --max 16";
    assert!(good(&place, &format!("{laws} --horizon 40")).contains("all laws hold"));
    disagrees(&place, laws, "another --size, --max or --horizon");
    good(&place, "solve run --for 16,score --quiet");
    let said = good(&place, "verify run --deep --quiet");
    assert!(
        said.contains("rebuilt: every value, equal to the last bit"),
        "{said}"
    );
    // The same tile elsewhere is a tile like any other.
    for (board, state) in [
        ("4 2 4 / 16 x x / . x x", "won"),
        ("2 . . / 4 x x / 16 x x", "live"),
    ] {
        let show = json(&place, &format!("show {board} --dir run"));
        assert_eq!(show["state"], state, "{board}");
    }
    let best = json(&place, "best 4 2 4 / 8 x x / 8 x x --dir run --for 16");
    assert_eq!(best["best"], "up");
    assert_eq!(best["values"]["16"], 1.0);
    // The graph, by the rules alone, has the states and the winning moves of the count.
    let graph = json::json(&format!("{name} --limit 2000"));
    let kinds = |kind: &str| {
        let nodes = json::list(&graph, "nodes").iter();
        nodes.filter(|node| node["kind"] == kind).count()
    };
    let moves = |end: &str| -> usize {
        let edges = json::list(&graph, "edges").iter();
        let edges = edges.filter(|edge| edge["target"] == end);
        edges
            .filter_map(|edge| Some(edge["moves"].as_str()?.len()))
            .sum()
    };
    let table = good(&place, &format!("{words} --quiet --dir run --csv -"));
    let total = |column: usize| -> usize {
        let rows = table.lines().skip(1).map(|row| row.split(',').nth(column));
        rows.map(|number| number.unwrap().parse::<usize>().unwrap())
            .sum()
    };
    assert_eq!((kinds("live"), kinds("dead")), (total(2), total(3)));
    assert_eq!((kinds("live"), moves("win")), (1328, total(11)));
    assert!(moves("loss") > 0);
    let code = good(&place, "witness 4 2 4 / 16 x x / . x x --dir run --quiet");
    assert!(good(&place, &format!("replay {}", code.trim())).contains("won"));
    for (words, why) in [
        ("442", "target cells need a winning tile: give a --max"),
        (
            "442-64 --horizon 7",
            "a horizon is an even sum above 8, got 7",
        ),
        (
            "442-64 --target-at f",
            "a target cell belongs to every mask",
        ),
        (
            "442-64 --target-at .x/..",
            "--target-at: expected cells of 4x4, got 2x2",
        ),
        (
            "4442-1024 --horizon 65000",
            "a tile above 16384 could be made: give a smaller --horizon or --max",
        ),
        (
            "3x3-64 --horizon 40",
            "a horizon needs stones and a winning tile",
        ),
        ("4442-16384", "give a smaller --horizon or --max"),
        ("4442-32768", "with stones the winning tile is at most"),
    ] {
        refused(&place, words, why);
    }
}

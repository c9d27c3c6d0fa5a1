//! `enum48 witness` and its library: every state has a game, and a board that is not reachable has
//! none.

use std::collections::BTreeSet;

use enum48::Game;
use enum48::game::{Board, Grid};
use enum48::graph::Graph;
use enum48::part::{Kind, Stream};
use enum48::play::{Code, Status};
use enum48::store::Run;
use enum48::witness::{Answer, Layers};

use crate::command::{PROGRAM, good, place, stderr, stdout};
use crate::outcomes::refused;
use crate::read::reader;
use crate::share::share;

const STRIPED: &str = "4 8 16 32 / 16 32 16 32 / 32 16 32 16 / 16 32 16 32";

/// Run the program for one board: its output and its exit code.
fn witness(place: &tempfile::TempDir, board: &str, args: &str) -> (String, Option<i32>) {
    let output = std::process::Command::new(PROGRAM)
        .args(["witness", board, "--quiet"])
        .args(args.split_whitespace())
        .current_dir(place)
        .output()
        .unwrap();
    let said = format!("{}{}", stdout(&output), stderr(&output));
    (said.trim_end().to_owned(), output.status.code())
}

/// The last boards of codes: live states, all different.
fn ends(codes: &str) -> BTreeSet<Board> {
    let codes = codes.lines().map(|line| line.parse::<Code>().unwrap());
    codes
        .inspect(|code| assert_eq!(code.end().status(), Status::Live, "{code}"))
        .map(|code| code.end().board().unwrap())
        .collect()
}

#[test]
fn every_state_of_2x3_has_a_game_that_replays() {
    let place = place();
    good(&place, "--size 2x3 --quiet");
    let codes = good(
        &place,
        "witness --sample 1000000 --dir enum48-data/2x3 --quiet",
    );
    let states = good(&place, "states enum48-data/2x3");
    let hex = |line: &str| Board::from_str_radix(&line[2..], 16).unwrap();
    assert_eq!(ends(&codes), states.lines().map(hex).collect());
    assert_eq!(
        codes.lines().count(),
        17_268,
        "the number of states of the count"
    );

    // No file lists the dead states. The graph does, and is made without files.
    let reader = reader(Run::open(&place.path().join("enum48-data/2x3")).unwrap());
    let mut layers = Layers::new(&reader, 64 << 20).unwrap();
    let graph = Graph::new(reader.run().game(), None, 1 << 20).unwrap();
    let dead = graph.states.iter().filter(|state| !state.live);
    let mut found = 0;
    for state in dead {
        reaches(&mut layers, state.board, Status::Dead);
        found += 1;
    }
    assert_eq!(found, 4_484);
}

/// Check that a game ends in exactly this board.
fn reaches(layers: &mut Layers, board: Board, status: Status) {
    let Answer::Reached(code) = layers.witness(board).unwrap() else {
        panic!("{board:#x}")
    };
    let end = code.end();
    assert_eq!((end.board(), end.status()), (Some(board), status));
}

#[test]
fn every_state_of_2x4_has_a_game_that_replays() {
    // The winning tile 128 keeps the number of states small.
    let place = place();
    good(&place, "--size 2x4 --max 128 --quiet");
    let reader = reader(Run::open(&place.path().join("enum48-data/2x4-128")).unwrap());
    let mut states: Vec<Board> = Vec::new();
    for key in reader.run().parts(Kind::States) {
        let part = reader.part(Kind::States, key).unwrap().unwrap();
        states.extend(Stream::new(part).unwrap().map(Result::unwrap));
    }
    assert_eq!(states.len(), 582_206, "the number of states of the count");
    let mut layers = Layers::new(&reader, 64 << 20).unwrap();
    for board in share(states) {
        reaches(&mut layers, board, Status::Live);
    }
}

/// An example of the README does so with 3x3 to 1024.
#[test]
fn a_thousand_states_of_3x3_have_a_game_that_replays() {
    let place = place();
    good(&place, "--size 3 --max 128 --quiet");
    let args = "witness --sample 1000 --dir enum48-data/3x3-128 --quiet";
    let codes = good(&place, args);
    assert_eq!(ends(&codes).len(), 1000);
    assert_eq!(good(&place, args), codes, "a second draw with this seed");
    let drawn = good(&place, "states enum48-data/3x3-128 --sample 1000");
    let hex = |line: &str| Board::from_str_radix(&line[2..], 16).unwrap();
    assert_eq!(
        ends(&codes),
        drawn.lines().map(hex).collect(),
        "the states that `states` draws"
    );
}

#[test]
fn every_image_of_a_board_has_its_own_game() {
    let place = place();
    good(&place, "--size 3 --max 64 --quiet");
    for board in [
        "2 4 8 / 16 32 2 / . . 4",
        ". 2 8 / . 32 4 / 4 2 16",
        "4 . . / 2 32 16 / 8 4 2",
    ] {
        for args in [
            "--size 3 --max 64",
            "--dir enum48-data/3x3-64",
            "--size 3 --max 64 --dir enum48-data/3x3-64",
        ] {
            let (code, exit) = witness(&place, board, args);
            assert_eq!(exit, Some(0), "{code}");
            assert_eq!(code.parse::<Code>().unwrap().end().to_string(), board);
        }
    }
}

#[test]
fn the_striped_board_is_reached() {
    let place = place();
    let (code, exit) = witness(&place, STRIPED, "--size 4 --max 64");
    assert_eq!(exit, Some(0), "{code}");
    assert_eq!(code.parse::<Code>().unwrap().end().to_string(), STRIPED);
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/results/striped.code");
    assert_eq!(std::fs::read_to_string(kept).unwrap().trim_end(), code);
}

#[test]
fn boards_of_real_games_are_reached() {
    let place = place();
    for (name, board) in [
        // The last boards of games by a simple player.
        ("4x4-2048", "0x9232567645431232"),
        ("4x4-2048", "0xa874454201010102"),
        // The last move won.
        ("4x4-128", "2 64 32 8 / 128 16 4 . / 8 2 8 4 / 2 . . ."),
    ] {
        let game: Game = name.parse().unwrap();
        let max = game.max().unwrap();
        let (code, exit) = witness(&place, board, &format!("--size 4 --max {max} --memory 8M"));
        assert_eq!(exit, Some(0), "{code}");
        let end = code.parse::<Code>().unwrap().end().board();
        assert_eq!(end, Some(Grid::parse(board, game.size()).unwrap().board()));
    }
}

#[test]
fn boards_that_are_not_reachable_are_refused_with_the_reason() {
    let place = place();
    good(&place, "--size 2 --quiet");
    for (board, args, reason) in [
        (
            "2 . / . .",
            "--size 2",
            "a game starts with two tiles, and never has fewer",
        ),
        (
            ". . . / 2 16 . / . . .",
            "--size 3",
            "no move leads to it: ",
        ),
        (
            ". . / 2 16",
            "--size 2",
            "every way back was followed, over 2 boards, and none begins with a start",
        ),
        (
            ". . / 2 16",
            "--dir enum48-data/2x2",
            "lists all live states of sum 18; this board is not one of them",
        ),
        (
            "2 32 / 32 4",
            "--dir enum48-data/2x2",
            "lists all live states up to sum 70; no move leads from one to this board",
        ),
    ] {
        let (said, exit) = witness(&place, board, args);
        assert_eq!(exit, Some(1), "{said}");
        assert!(
            said.starts_with("not reachable in ") && said.contains(reason),
            "{said}"
        );
    }
}

#[test]
fn a_bounded_search_that_finds_nothing_proves_nothing() {
    let place = place();
    let (said, exit) = witness(&place, STRIPED, "--size 4 --max 64 --memory 20K");
    assert_eq!(exit, Some(2));
    assert!(
        said.contains("not found within the bound of 20.00 KiB, which proves nothing"),
        "{said}"
    );
    good(&place, "--size 2 --until 12 --quiet");
    let (said, exit) = witness(&place, "0x0132", "--dir enum48-data/2x2");
    assert_eq!(exit, Some(2));
    assert!(
        said.contains("sum 14 is not counted yet, the last layer is 12"),
        "{said}"
    );
    good(&place, "--size 2 --max 16 --keep last --quiet");
    let (said, exit) = witness(&place, "0x0132", "--dir enum48-data/2x2-16");
    assert!(
        exit == Some(2) && said.contains("the states of sum 4 were dropped (--keep last)"),
        "{said}"
    );
    for (args, text) in [
        ("0x0132", "--size"),
        ("--size 2", "BOARD"),
        ("--sample 3 --size 2", "--dir"),
        (
            "0x0132 --size 3 --dir enum48-data/2x2",
            "holds the game 2x2, not 3x3",
        ),
        (
            "0x0132 --max 32 --dir enum48-data/2x2",
            "holds the game 2x2, not 2x2-32",
        ),
        ("0x0132 --size 2 --memory none", "memory"),
    ] {
        refused(&place, &format!("witness {args}"), text);
    }
}

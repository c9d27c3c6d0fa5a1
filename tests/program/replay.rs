//! `enum48 replay`: codes, steps, JSON and pages.

use std::fs;

use crate::command::{good, place, stderr, stdout};
use crate::fed::fed;
use crate::outcomes::{disagrees, refused};

/// A seeded game of 2x2 to 16 that is won.
const WON: &str = "s1.2x2-16.5.7.PzA.W.8619cce7";
/// A seeded game of 3x3 that is lost.
const LOST: &str = "s1.3x3.0.31.-/t/v97/7/g.1385f34a";
/// A witnessed game: its tiles are written down.
const WITNESSED: &str = "w1.2x2-8.BD.1.w..W.10f0c486";

#[test]
fn a_code_is_replayed_to_its_end() {
    let place = place();
    assert_eq!(
        good(&place, &format!("replay {WON}")),
        "  16  4\n   .  .\n\ngame       2x2-16\nmoves      7\nscore      44\nsum        20, largest tile 16\n\
         board      0x4200\nstate      won\n"
    );
    assert!(good(&place, &format!("replay {LOST}")).ends_with("state      dead\n"));
}

#[test]
fn step_shows_the_board_after_each_move() {
    let place = place();
    assert_eq!(
        good(&place, &format!("replay {WITNESSED} --step"))
            .split("game")
            .next(),
        Some("start of 1 move\n  4 4\n  . .\n\nmove 1 of 1: left, wins\n  8 .\n  . .\n\n")
    );
    let steps = good(&place, &format!("replay {WON} --step"));
    assert!(
        steps.contains("\nmove 2 of 7: left, a 2 at row 2 column 2\n  4 2\n  2 2\n"),
        "{steps}"
    );
    assert_eq!(steps.matches("\nmove ").count(), 7);
}

#[test]
fn json_has_the_end_of_the_game_and_its_steps() {
    let place = place();
    assert_eq!(
        good(&place, &format!("replay {WITNESSED} --json --step")),
        "{\"valid\":true,\"code\":\"w1.2x2-8.BD.1.w..W.10f0c486\",\"game\":\"2x2-8\",\"rows\":2,\"cols\":2,\"max\":8,\
         \"moves\":1,\"score\":8,\"sum\":8,\"max_tile\":8,\"state\":\"won\",\"board\":\"0x3000\",\"cells\":[8,0,0,0],\
         \"start\":[4,4,0,0],\"steps\":[{\"move\":1,\"direction\":\"left\",\"gained\":8,\"spawn\":null,\
         \"cells\":[8,0,0,0]}]}\n"
    );
    disagrees(
        &place,
        "replay w1.2x2-8.BD.1.A.A.00000000 --json",
        "{\"valid\":false,\"code\":\"w1.2x2-8.BD.1.A.A.00000000\",\"error\":\"code: move 1: up changes nothing\"}",
    );
}

#[test]
fn a_false_code_exits_with_1_and_a_failure_with_2() {
    let place = place();
    for (code, says) in [
        (
            "w1.2x2-8.BD.1.A.A.00000000",
            "enum48: code: move 1: up changes nothing",
        ),
        ("w1.2x2-8.BD.1.w..W.10f0c487", "it was changed or cut"),
        (
            "w1.2x2-8.BD.1.w..10f0c486",
            "after 17 characters its code has \"W.10f0c486\", not \"10f0c486\"",
        ),
        ("rubbish", "not a code"),
        (
            "s1.2x2-8.a.18446744073709551615.A.00000000",
            "expected at most 3 moves",
        ),
        (
            "s1.2x2-8.a.99999999999999999999.A.00000000",
            "expected at most 3 moves",
        ),
    ] {
        disagrees(&place, &format!("replay {code}"), says);
    }
    disagrees(
        &place,
        "replay rubbish",
        "or w1.4x4-2048.START.COUNT.MOVES.SPAWNS.CHECK",
    );
    refused(&place, "replay", "CODE");
    refused(&place, "replay - --step", "for a single code");
    refused(
        &place,
        &format!("replay {WON} --html nowhere/page.html"),
        "nowhere",
    );
}

/// An argument has room for fewer bytes than the longest codes.
#[test]
#[expect(clippy::disallowed_methods, reason = "a user writes codes to files")]
fn a_code_is_read_from_a_file() {
    let place = place();
    fs::write(place.path().join("code"), format!("\n {WON}\r\n")).unwrap();
    fs::write(place.path().join("two"), format!("{WON}\n{WON}\n")).unwrap();
    fs::write(place.path().join("none"), "\n").unwrap();
    for options in ["", "--step", "--json"] {
        assert_eq!(
            good(&place, &format!("replay @code {options}")),
            good(&place, &format!("replay {WON} {options}")),
        );
    }
    let rated = good(&place, &format!("rate {WON}"));
    assert_eq!(good(&place, "rate @code"), rated);
    for command in ["replay", "rate"] {
        disagrees(
            &place,
            &format!("{command} code"),
            "code: a file, not a code: give @code",
        );
        refused(
            &place,
            &format!("{command} @two"),
            "two: several lines: give - < two",
        );
        refused(&place, &format!("{command} @none"), "none: no code in it");
        refused(
            &place,
            &format!("{command} @nowhere"),
            "nowhere: cannot open",
        );
    }
}

#[test]
fn lines_of_stdin_are_answered_one_by_one() {
    let place = place();
    let lines = format!("{WON}\r\nrubbish\n\n  {LOST}\n\u{fffd}");
    let output = fed(&place, &["replay", "-"], lines.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let said: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(said.len(), 5);
    assert_eq!(
        said[0],
        "true game=2x2-16 moves=7 score=44 state=won board=0x4200"
    );
    assert!(said[1].starts_with("false line 2: code: \"rubbish\": not a code"));
    assert!(said[2].starts_with("false line 3: ") && said[4].starts_with("false line 5: "));
    assert!(
        said[3].ends_with("state=dead board=0x212421532"),
        "{}",
        said[3]
    );

    let output = fed(
        &place,
        &["replay", "-"],
        &[WON.as_bytes(), b"\n", b"\xff\xfe\x00", b"\n"].concat(),
    );
    assert_eq!(
        output.status.code(),
        Some(1),
        "bytes that are no text are no code"
    );
    let output = fed(&place, &["replay", "-", "--json"], WON.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).starts_with("{\"valid\":true,") && stdout(&output).lines().count() == 1
    );
    let output = fed(&place, &["replay", "-"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("stdin: no question in the input"));
}

#[test]
fn html_writes_a_complete_page() {
    let place = place();
    good(&place, &format!("replay {WON} --html game.html"));
    let page = fs::read_to_string(place.path().join("game.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains(WON));
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "it asks for nothing"
    );
}

#[test]
fn the_advice_of_a_page_needs_a_solved_run_of_the_game() {
    let place = place();
    good(&place, "--size 2 --max 16 --keep both --dir run --quiet");
    for (args, text) in [
        ("--dir run", "--html"),
        ("--html page.html --for score", "--dir"),
        ("--html page.html --dir run", "run: not solved yet"),
    ] {
        refused(&place, &format!("replay {WON} {args}"), text);
    }
    good(&place, "solve run --for score,16 --quiet");
    for (code, args, text) in [
        (WON, "--for 8", "solved for score,16, not for 8"),
        (WITNESSED, "--for 16", "holds the game 2x2-16, not 2x2-8"),
    ] {
        let args = format!("replay {code} --html page.html --dir run {args}");
        refused(&place, &args, text);
    }
    assert!(!place.path().join("page.html").exists());
    good(
        &place,
        &format!("replay {WON} --html page.html --dir run --for 16,score"),
    );
    let page = fs::read_to_string(place.path().join("page.html")).unwrap();
    assert!(page.contains(r#""objectives":["16","score"]"#));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a user writes codes to files")]
fn games_of_other_programs_are_replayed_rated_and_asked_for_the_best_move() {
    let place = place();
    // The unit tests of play/others.rs have the games.
    let certificate = "# a game\nstart 1 0 2\nstart 1 1 2\n\nL 3 1 4\n";
    fs::write(place.path().join("game"), certificate).unwrap();
    let said = good(&place, "replay @game");
    assert!(said.contains("game       4x4\nmoves      1\n"), "{said}");
    assert_eq!(
        good(&place, "replay @game --certificate"),
        "start 1 0 2\nstart 1 1 2\nL 3 1 4\n"
    );
    // The space at the end is a move and a tile: . 2 2 . goes up, and a 2 comes into the first cell.
    let verse = "replay_2x4%) \n";
    fs::write(place.path().join("verse"), verse).unwrap();
    let said = good(&place, "replay @verse");
    assert!(said.contains("moves      1\n"), "{said}");
    let rated = good(&place, "rate @verse --for moves");
    assert!(rated.contains(" 0x00000110 up "), "{rated}");
    let board = good(&place, "best @verse --for moves --csv");
    assert!(board.contains("\n0x11100000,"), "{board}");
    let output = fed(
        &place,
        &["replay", "-"],
        format!("{verse}L 1 1 2\n").as_bytes(),
    );
    let said = stdout(&output);
    assert!(said.starts_with("true game=2x4 moves=1 "), "{said}");
    assert!(said.contains("false line 2: "), "{said}");
    assert!(
        said.contains("it looks like a certificate: @FILE reads one"),
        "{said}"
    );
    let shown = good(&place, "show 0000000000000123 --size 4");
    assert!(shown.contains("0x0000000000000123"), "{shown}");
    refused(
        &place,
        "show 000000000000012f --size 4",
        "a digit f without 0x is a wall or a stone in tables of endgames, not 32768",
    );
}

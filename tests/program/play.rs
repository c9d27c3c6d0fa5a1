//! `enum48 play` without a terminal.

use crate::command::{good, place};
use crate::outcomes::refused;

#[test]
fn a_game_that_cannot_be_played_is_refused_in_one_line() {
    let place = place();
    good(&place, "--size 2 --max 16 --keep both --dir run --quiet");
    for (args, text) in [
        ("--size 3", "stdin or stderr is not a terminal"),
        ("--size 4", "give --max, 65536 at most"),
        ("--size 3 --max 100", "max 100: not a winning tile"),
        ("--size 3 --seed A", "not a seed"),
        ("--max 2048", "give --size or --dir"),
        ("--size 2 --for score", "stdin or stderr is not a terminal"),
        (
            "--size 4 --max 64 --for score",
            "4x4-64: too large to be solved at once",
        ),
        (
            "--dir nowhere",
            "nowhere: no such directory: a count makes it",
        ),
        ("--dir run", "run: not solved yet: enum48 solve run"),
    ] {
        refused(&place, &format!("play {args}"), text);
    }
    let help = good(&place, "play --help");
    assert!(help.starts_with("Play a game in the terminal"), "{help}");

    good(&place, "solve run --for score --quiet");
    for (args, text) in [
        ("--dir run --size 3", "holds the game 2x2-16, not 3x3-16"),
        (
            "--dir run --for 16",
            "solved for score, not for 16: enum48 solve run --for 16",
        ),
        ("--dir run --for best", "not something to play for"),
        ("--dir run", "stdin or stderr is not a terminal"),
    ] {
        refused(&place, &format!("play {args}"), text);
    }
}

#[test]
fn html_writes_a_page_for_a_small_solved_game() {
    let place = place();
    good(
        &place,
        "--size 2 --max 16 --keep afterstates --dir run --quiet",
    );
    good(&place, "solve run --for score,16 --quiet");
    for (game, text) in [
        (
            "3",
            "3x3 is too large for a page, which has room for games up to 2x4, 3x3 to 256",
        ),
        ("3x4 --max 32", "3x4-32 is too large for a page"),
        ("4 --max 2048", "4x4-2048 is too large for a page"),
    ] {
        refused(
            &place,
            &format!("play --size {game} --html page.html"),
            text,
        );
    }
    // A game without a run is solved at once. The page is the page of the run.
    let at_once = good(&place, "play 2x2-16 --for score,16 --html - --seed tiles");
    let page = |args: &str| good(&place, &format!("play --dir run --html - {args}"));
    let whole = page("--seed tiles");
    assert_eq!(at_once, whole);
    assert!(whole.starts_with("<!DOCTYPE html>") && whole.trim_end().ends_with("</html>"));
    assert!(whole.contains(r#""seed":"tiles""#) && whole.contains(r#""name":"16""#));
    for outside in ["://", "src=", "import", "fetch", "{{", "@font-face"] {
        assert!(!whole.contains(outside), "{outside}");
    }
    assert_eq!(page("--seed tiles"), whole, "two pages of one game differ");
    let one = page("--for score");
    assert!(!one.contains(r#""name":"16""#) && one.len() < whole.len());
}

#[test]
fn html_refuses_a_run_that_is_too_large() {
    let place = place();
    good(
        &place,
        "--size 4 --max 16 --until 8 --keep afterstates --dir run --quiet",
    );
    // Neither complete nor solved, but the size is refused first.
    refused(
        &place,
        "play --dir run --html page.html",
        "--html: 4x4-16 is too large for a page, which has room for games up to 2x4, 3x3 to 256, 4x3 to 16 \
         and 4x4 to 8: play it in the terminal",
    );
    assert!(!place.path().join("page.html").exists());
}

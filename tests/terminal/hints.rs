//! `enum48 play --dir DIR`: the hints of a solution, and the moves that the program makes.
//!
//! The expected values are from a solver in Python. It works in floating point and knows only the
//! definition of best play.

use std::sync::LazyLock;

use tempfile::TempDir;

use super::typed::Play;
use crate::command::{good, place};
use crate::tries::in_time;

/// Solved runs of 2x3 and of 2x2 to 16.
static SOLVED: LazyLock<TempDir> = LazyLock::new(|| {
    let place = place();
    for (game, dir, objectives) in [
        ("2x3", "2x3", "score,64,moves"),
        ("2 --max 16", "2x2-16", "16"),
    ] {
        good(
            &place,
            &format!("--size {game} --keep both --dir {dir} --quiet"),
        );
        good(&place, &format!("solve {dir} --for {objectives} --quiet"));
    }
    place
});

fn start(args: &str, size: (u16, u16)) -> Play {
    let (dir, args) = args.split_once(' ').unwrap();
    let dir = SOLVED.path().join(dir);
    Play::start(&format!("--dir {} {args}", dir.display()), size)
}

/// The lines of the hints, with single spaces between words.
fn hints(play: &Play) -> Vec<String> {
    let contents = play.screen().contents();
    let lines = contents.lines().skip_while(|line| !line.contains("loss"));
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    words.take(5).collect()
}

const OPENING: [&str; 5] = [
    "score loss moves 64",
    "up -",
    "right -",
    "down 477.3480 0.0048 52.2304 0.93926124",
    "left 477.3528 0 52.2308 0.93927323",
];

#[test]
fn a_key_shows_and_hides_hints() {
    let mut play = start("2x3 --seed 5", (80, 24));
    assert_eq!(play.board_after(0), ". 2 4 / . . .");
    play.until_shown("i hints   b best move   p play on");
    assert!(hints(&play).is_empty());
    play.press("i");
    play.until_shown("loss");
    assert_eq!(hints(&play), OPENING);
    play.press("a");
    assert_eq!(play.board_after(1), "2 4 . / 2 . .");
    let second = [
        OPENING[0],
        "up 477.7034 0 51.3205 0.93924025",
        "right 477.6977 0.0057 51.3201 0.93921894",
        "down 477.7034 0 51.3205 0.93924025",
        "left -",
    ];
    assert_eq!(hints(&play), second);
    play.press("ui");
    play.until("no hints", |screen| !screen.contents().contains("loss"));
    play.quit("q");
}

#[test]
fn the_objectives_of_the_hints_can_be_chosen() {
    let mut play = start("2x3 --seed 5 --for 64,score", (80, 24));
    play.press("i");
    play.until_shown("loss");
    let expected = [
        "64 loss score",
        "up -",
        "right -",
        "down 0.93926124 0.00001199 477.3480",
        "left 0.93927323 0 477.3528",
    ];
    assert_eq!(hints(&play), expected);
    play.quit("q");
}

#[test]
fn a_key_makes_the_best_move() {
    let mut play = start("2x3 --seed 5", (80, 24));
    play.press("b");
    assert_eq!(play.board_after(1), "2 4 . / 2 . .");
    play.press("b");
    play.board_after(2);
    // Left, then up, the first of two best moves.
    let left = play.quit("q");
    assert!(left.stdout.starts_with("s1.2x3.5.2.w."), "{}", left.stdout);
}

/// Lets the program play from the start of the game, presses keys after two or more moves, and waits
/// until it stops. Returns nothing if the game was over first.
fn stop_by(play: &mut Play, keys: &str) -> Option<()> {
    // More keys than a game has moves.
    play.press(&"u".repeat(200));
    play.until_shown("no move to undo");
    assert_eq!(play.board_after(0), ". 2 4 / . . .");
    play.press("p");
    play.until("two moves", |screen| {
        let contents = screen.contents();
        let (_, rest) = contents.split_once("moves ").unwrap();
        let (moves, _) = rest.split_once('\n').unwrap();
        moves.parse::<u32>().unwrap() >= 2
    });
    play.press(keys);
    play.until("a stop", |screen| !screen.contents().contains("playing"));
    let contents = play.screen().contents();
    (!contents.contains("the game is over")).then_some(())
}

#[test]
fn a_key_stops_the_program_and_is_obeyed() {
    let mut play = start("2x3 --seed 5", (80, 24));
    play.press("p");
    play.until_shown("playing: any key stops");
    for keys in ["x", "p", "uu"] {
        in_time(|| stop_by(&mut play, keys));
    }
    assert!(play.quit("pq").stdout.starts_with("s1.2x3.5."));
}

#[test]
fn the_program_stops_when_the_game_is_over() {
    let mut play = start("2x2-16 --seed 5", (80, 24));
    play.press("ip");
    play.until_shown(": the game is over (u, c or q)");
    assert_eq!(hints(&play)[1..], ["up -", "right -", "down -", "left -"]);
    play.press("bp");
    let over = play.screen().contents();
    play.press("u");
    play.until_shown("make 16 to win");
    play.press("b");
    play.until("the end again", |screen| screen.contents() == over);
    play.quit("q");
}

#[test]
fn the_smallest_window_has_room_for_hints() {
    let mut play = start("2x3 --seed 5", (38, 15));
    play.press("i");
    play.until_shown("loss");
    let contents = play.screen().contents();
    assert!(contents.contains(".        2        4"), "{contents}");
    assert!(
        contents.contains("down      477.3480      0.0048\n"),
        "{contents}"
    );
    assert!(contents.contains("+2 columns hidden: "), "{contents}");
    play.resize(60, 15);
    play.until("all columns", |screen| {
        !screen.contents().contains("hidden")
    });
    assert_eq!(hints(&play), OPENING);
    play.resize(38, 14);
    play.until_shown("make the window larger (at least 38x15)");
    play.press("i");
    play.until_shown("p play on");
    play.quit("q");
}

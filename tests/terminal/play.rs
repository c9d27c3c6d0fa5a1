//! `enum48 play` in a terminal of its own, with keys, as a person plays it.
//!
//! The expected boards and codes are from a second program. It was written from the description of the
//! codes (`enum48::play`) and shares no code with this one.

use std::fs;
use std::io::Read;
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use enum48::play::Code;
use portable_pty::{CommandBuilder, native_pty_system};
use vt100::Color;

use super::typed::{FRAME_ENDS, LIMIT, Play, board, window};
use crate::command::{PROGRAM, place};

#[test]
fn every_key_moves_in_its_direction() {
    for [left, up, right, down] in [
        ["\x1b[D", "\x1b[A", "\x1b[C", "\x1b[B"],
        ["a", "w", "d", "s"],
        ["A", "W", "D", "S"],
        ["h", "k", "l", "j"],
    ] {
        let mut play = Play::start("--size 3x4 --seed tiles", (80, 24));
        assert_eq!(play.board_after(0), ". . 2 2 / . . . . / . . . .");
        for (moves, (key, board, score)) in [
            (left, "4 . . . / . . . . / . 2 . .", 4),
            (up, "4 2 . . / . . 2 . / . . . .", 4),
            (right, ". . 4 2 / . . . 2 / 2 . . .", 4),
            (down, ". . . . / . . . 2 / 2 . 4 4", 8),
        ]
        .into_iter()
        .enumerate()
        {
            play.press(key);
            assert_eq!(play.board_after(moves + 1), board);
            play.until_shown(&format!("score {score} "));
        }
        let left = play.quit("q");
        assert!(
            left.stdout.starts_with("s1.3x4.tiles.4."),
            "{}",
            left.stdout
        );
    }
}

#[test]
fn a_key_that_changes_nothing_is_no_move() {
    let mut play = Play::start("--size 2 --max 16 --seed 5", (80, 24));
    assert_eq!(play.board_after(0), ". . / 4 2");
    play.until_shown("make 16 to win");
    play.press("s");
    play.until_shown("the move changes nothing");
    assert_eq!(play.board_after(0), ". . / 4 2");
    for key in ["i", "b", "p"] {
        play.press("s");
        play.until_shown("the move changes nothing");
        play.press(key);
        play.until_shown("hints need a solved run of the game:");
        let contents = play.screen().contents();
        assert!(
            contents.contains("start play again with --for score"),
            "{contents}"
        );
    }
    play.press("x\x1au");
    play.until_shown("no move to undo");
    assert!(play.quit("q").stdout.starts_with("s1.2x2-16.5.0.."));
}

#[test]
fn a_move_repeated_after_undo_brings_its_tile_again() {
    let mut play = Play::start("--size 2 --max 16 --seed 5", (80, 24));
    for _ in 0..2 {
        play.press("wa");
        assert_eq!(play.board_after(2), "4 2 / 2 2");
        play.press("aa");
        assert_eq!(play.board_after(4), "4 2 / 8 2");
        play.until_shown("score 12 ");
        play.press("u");
        assert_eq!(play.board_after(3), "4 2 / 4 4");
        play.until_shown("score 4 ");
        play.press("UUU");
        assert_eq!(play.board_after(0), ". . / 4 2");
        play.until_shown("score 0 ");
    }
    play.press("d");
    play.until_shown("the move changes nothing");
    play.press("wa");
    assert_eq!(play.board_after(2), "4 2 / 2 2");
    assert!(play.quit("q").stdout.starts_with("s1.2x2-16.5.2.M."));
}

#[test]
fn a_won_game_is_over_and_its_code_has_a_w() {
    let mut play = Play::start("--size 2 --max 16 --seed 5", (80, 24));
    play.press("waaawaw");
    assert_eq!(play.board_after(7), "16 4 / . .");
    play.until_shown("won: the game is over (u, c or q)");
    play.press("sdc");
    play.until_shown("s1.2x2-16.5.7.PzA.W.8619cce7");
    assert_eq!(play.board_after(7), "16 4 / . .");
    play.press("u");
    assert_eq!(play.board_after(6), "8 2 / 8 2");
    play.until_shown("make 16 to win\n");
    play.press("w");
    play.until_shown("won: the game is over");
    assert_eq!(play.quit("q").stdout, "s1.2x2-16.5.7.PzA.W.8619cce7\n");
}

#[test]
fn a_lost_game_is_over() {
    let mut play = Play::start("--size 3 --seed 0", (80, 24));
    play.press("aasaaasadaaasaaaadasaaaaasaaaas");
    assert_eq!(play.board_after(31), "4 2 4 / 16 4 2 / 32 8 4");
    play.until_shown("score 188 ");
    play.until_shown("lost: the game is over (u, c or q)");
    play.press("wu");
    assert_eq!(play.board_after(30), "8 2 4 / 8 4 2 / 32 8 4");
    play.press("s");
    play.until_shown("lost: the game is over");
    assert_eq!(play.quit("q").stdout, "s1.3x3.0.31.-/t/v97/7/g.1385f34a\n");
}

#[test]
fn every_key_that_quits_restores_the_terminal_and_prints_the_code() {
    for key in ["q", "Q", "\x1b", "\x03"] {
        let mut play = Play::start("--size 3 --seed 0", (80, 24));
        play.press("aasaaasad");
        let board = play.board_after(9);
        let left = play.quit(key);
        assert_eq!(left.code, 0);
        let code: Code = left.stdout.strip_suffix('\n').unwrap().parse().unwrap();
        assert_eq!(code.end().to_string(), board);
        assert_eq!(left.screen.trim(), "restored");
    }
}

#[test]
fn the_code_is_printed_below_the_text_from_before_the_game() {
    let mut play = Play::start_with(
        "--size 2 --max 16 --seed 5",
        (80, 24),
        &[("OUT", "/dev/tty")],
    );
    play.press("waaawaw");
    play.until_shown("won: ");
    let left = play.quit("q");
    assert_eq!(left.screen.trim(), "s1.2x2-16.5.7.PzA.W.8619cce7\nrestored");
}

/// A game of 138 moves: its keys and its code.
const LONG: (&str, &str) = (
    "aaaaawaadaaawawaaaaawadaaaaaaawawadaadaaawawaaaaadaawaaaawaaaaaawawaawaawawawawaaaaaaaaaadwadaaawawadaaawwaaawwawdawaaawaadawawaadaaaaaaaa",
    "s1.4x4-2048.tiles.138./89/M/83//M338z/3z/P/zPPMzP//9N/M38Pwxz89zPf//.32e959d1",
);

#[test]
fn a_long_code_is_one_line_that_the_terminal_wraps() {
    let mut play = Play::start("--size 4 --max 2048 --seed tiles", (40, 14));
    play.press(LONG.0);
    play.press("c");
    play.until("code", |screen| screen.contents().ends_with(LONG.1));
    assert!(play.screen().row_wrapped(9) && play.screen().rows(0, 40).count() == 14);
    play.until_shown("2       64       32        8");
    play.resize(38, 10);
    play.until_shown("...77 more, printed on quitting");
    play.resize(80, 24);
    play.until("code", |screen| screen.contents().ends_with(LONG.1));
    play.press("u");
    play.until("board alone", |screen| !screen.contents().contains("s1."));
    play.press("a");
    assert_eq!(play.quit("q").stdout.trim(), LONG.1);
}

#[test]
fn a_window_that_is_too_small_shows_a_message_until_it_grows() {
    let mut play = Play::start("--size 4 --max 2048 --seed tiles", (20, 8));
    let message = "make the window larger (at least 38x10)";
    play.until(message, |screen| screen.contents() == message);
    play.resize(38, 10);
    play.until_shown("moves 0\n");
    play.until_shown("u undo   c code   q quit");
    play.resize(37, 10);
    play.until(message, |screen| screen.contents() == message);
    play.resize(80, 24);
    assert_eq!(play.board_after(0), ". . . 2 / . . . 2 / . . . . / . . . .");
    assert_eq!(play.quit("q").code, 0);
}

#[test]
fn tiles_have_colours_on_a_terminal_with_colours() {
    let mut play = Play::start_with("--size 2 --max 16 --seed 5", (80, 24), &[]);
    play.until_shown("moves 0\n");
    let ground = |row, column| play.screen().cell(row, column).unwrap().bgcolor();
    let texts: Vec<String> = play.screen().rows(2, 18).collect();
    assert_eq!(texts[7], "    4        2    ");
    let edge = play.screen().cell(6, 6).unwrap();
    assert_eq!((edge.contents(), edge.fgcolor()), ("▄", Color::Idx(223)));
    assert_eq!(ground(7, 6), Color::Idx(223));
    assert_eq!(ground(7, 15), Color::Idx(255));
    assert_eq!(
        (ground(4, 6), ground(4, 15)),
        (Color::Idx(244), Color::Idx(244))
    );
    assert_eq!(
        (ground(4, 2), ground(7, 19)),
        (Color::Idx(240), Color::Idx(240))
    );
    assert_eq!(
        (ground(4, 1), ground(7, 20)),
        (Color::Default, Color::Default)
    );
    play.quit("q");
}

#[test]
fn tiles_have_no_colours_if_unwanted_or_unknown() {
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "vt100")] {
        let args = "--size 2 --max 16 --seed 5";
        let mut play = Play::start_with(args, (80, 24), &[variable]);
        play.press("waaawawc");
        play.until_shown("8619cce7");
        play.resize(38, 9);
        play.until("smaller board", |screen| board(screen).is_empty());
        let shown = play.quit("q").shown;
        let sequences = shown.split("\x1b[").skip(1);
        let styles = sequences.filter_map(|rest| rest.split_once('m'));
        let styles = styles.map(|(style, _)| style);
        let numbers = styles.filter(|style| style.chars().all(|c| c.is_ascii_digit() || c == ';'));
        let unlike: Vec<&str> = numbers
            .filter(|style| !matches!(*style, "0" | "1"))
            .collect();
        assert!(unlike.is_empty(), "{unlike:?}");
    }
}

#[test]
fn without_a_seed_every_game_is_different() {
    let seed = || {
        let mut play = Play::start("--size 4x3", (80, 24));
        play.until_shown("play on until no move is left");
        let screen = play.screen().contents();
        let seed = screen.lines().next().unwrap().rsplit(' ').next().unwrap();
        let left = play.quit("q");
        assert!(left.stdout.starts_with(&format!("s1.4x3.{seed}.0..")));
        seed.to_owned()
    };
    assert_ne!(seed(), seed());
}

#[test]
fn play_needs_stdin_and_stderr_on_a_terminal() {
    for variable in [("IN", "/dev/null"), ("ERR", "stderr")] {
        let left = Play::open("--size 3", (80, 24), &[variable]).quit("");
        assert_eq!((left.code, left.stdout.as_str()), (2, ""), "{variable:?}");
    }
}

#[test]
fn a_signal_ends_the_game_prints_the_code_and_ends_the_program() {
    for (name, number) in [("HUP", 1), ("INT", 2), ("QUIT", 3), ("TERM", 15)] {
        let mut play = Play::start("--size 2 --max 16 --seed 5", (80, 24));
        play.press("waaawaw");
        play.board_after(7);
        play.signal(name);
        let left = play.quit("");
        assert_eq!(left.code, 128 + number, "{name}");
        assert_eq!(left.stdout, "s1.2x2-16.5.7.PzA.W.8619cce7\n", "{name}");
    }
}

/// A solved game has temporary files, which a signal deletes.
#[test]
fn a_signal_ends_a_game_with_hints_and_deletes_its_solution() {
    for (name, number) in [("HUP", 1), ("TERM", 15)] {
        let mut play = Play::start("--size 2 --max 16 --seed 5 --for score", (80, 24));
        play.press("waaawaw");
        play.board_after(7);
        let pid = fs::read_to_string(play.place.path().join("pid")).unwrap();
        let open = fs::read_dir(format!("/proc/{}/fd", pid.trim())).unwrap();
        let mut open = open.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
        let lock = open.find(|path| path.ends_with("lock"));
        let lock = lock.expect("the solution is locked");
        play.signal(name);
        let left = play.quit("");
        assert_eq!(left.code, 128 + number, "{name}");
        assert_eq!(left.stdout, "s1.2x2-16.5.7.PzA.W.8619cce7\n", "{name}");
        assert!(!lock.parent().unwrap().exists(), "{name}: {lock:?}");
    }
}

#[test]
fn a_suspended_game_restores_the_terminal_and_continues() {
    let mut play = Play::start("--size 2 --max 16 --seed 5", (80, 24));
    play.press("waaa");
    assert_eq!(play.board_after(4), "4 2 / 8 2");
    play.press("\x1a");
    play.until_written("suspended");
    assert_eq!(play.board_after(4), "4 2 / 8 2");
    assert!(play.screen().alternate_screen() && play.screen().hide_cursor());
    play.press("u");
    assert_eq!(play.board_after(3), "4 2 / 4 4");
    // SIGSTOP cannot be handled: the program cannot restore the terminal, but draws again later.
    play.shown.clear();
    play.signal("STOP");
    play.signal("CONT");
    assert_eq!(play.board_after(3), "4 2 / 4 4");
    let left = play.quit("q");
    assert!(left.stdout.starts_with("s1.2x2-16.5.3."));
    assert!(left.screen.contains("suspended"), "{}", left.screen);
}

#[test]
fn a_terminal_that_has_gone_ends_the_game_without_a_signal() {
    let place = place();
    let pty = native_pty_system().openpty(window(80, 24)).unwrap();
    let mut command = CommandBuilder::new("sh");
    let script = r#"trap "" HUP; exec "$0" play --size 2 --max 16 --seed 5 >stdout"#;
    command.args(["-c", script, PROGRAM]);
    command.cwd(place.path());
    let mut child = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let (mut output, mut shown, mut chunk) = (
        pty.master.try_clone_reader().unwrap(),
        Vec::new(),
        [0; 4096],
    );
    while !shown.ends_with(FRAME_ENDS) {
        let length = output.read(&mut chunk).unwrap();
        shown.extend(&chunk[..length]);
    }
    drop((output, pty.master));
    let pid = child.process_id().unwrap().to_string();
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait().unwrap().exit_code()));
    let Ok(code) = ended.recv_timeout(LIMIT) else {
        Command::new("kill")
            .args(["-s", "KILL", &pid])
            .status()
            .unwrap();
        panic!("the game goes on without a terminal");
    };
    let code_of_game = fs::read_to_string(place.path().join("stdout")).unwrap();
    assert!(
        code_of_game.starts_with("s1.2x2-16.5.0.."),
        "{code_of_game}"
    );
    assert_eq!(code, 2);
}

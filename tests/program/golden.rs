//! Published and independent numbers, counted by the program.

use std::process::Command;

use crate::command::{PROGRAM, place};

/// A large part takes many rounds and blocks. A count once lost boards between two rounds, and no
/// small game showed the error.
#[test]
fn a_part_of_many_blocks_equals_an_independent_count() {
    let place = place();
    let output = Command::new(PROGRAM)
        .args("--size 4 --max 32 --until 56 --quiet --memory 1G --csv -".split(' '))
        .current_dir(&place)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // Live states, afterstates and the fingerprint come from a C++ program written from the rules.
    let row = text
        .lines()
        .find(|line| line.starts_with("56,16,"))
        .unwrap();
    let fields: Vec<&str> = row.split(',').collect();
    assert_eq!(
        (fields[2], fields[5], fields[6]),
        ("4460679", "743690", "xea7298b7cf216325")
    );
}

#[test]
fn check_agrees_with_every_published_number_of_the_short_games() {
    let output = Command::new(PROGRAM)
        .args(["check", "--quiet"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(output.stderr.is_empty(), "--quiet is quiet");
    let found = |game: &str, figure: &str, number: &str| {
        text.lines().any(|line| {
            let words: Vec<&str> = line.split_whitespace().take(5).collect();
            words == ["agrees", game, figure, number, number]
        })
    };
    // Most numbers are from Lees-Miller (2017), others from shuymst (2023) and several authors.
    for (game, figure, number) in [
        ("2x2-32", "total", "59"),
        ("2x2-32", "live", "57"),
        ("3x3-1024", "live", "25,179,012"),
        ("2x2", "states", "110"),
        ("2x2", "dead", "36"),
        ("2x2", "labeled", "662"),
        ("2x2", "afterstates", "67"),
        ("3x3-1024", "total", "25,179,014"),
        ("3x3", "states", "48,713,519"),
        ("3x3", "dead", "7,388,502"),
        ("3x3", "afterstates", "31,431,374"),
        ("2x2-64", "parts", "33"),
        ("2x2-128", "parts", "33"),
        ("3x3-8", "parts", "17"),
        ("3x3-512", "parts", "847"),
        ("3x3-1024", "parts", "1,347"),
        ("4x4-16", "live", "23,482,821"),
        ("4x4-16", "parts", "71"),
    ] {
        assert!(found(game, figure, number), "{game} {figure}:\n{text}");
    }
    // Sixteen games are published by parts. Without `--long`, `check` skips 4x4 to 32 and 4x4 to
    // 64, which take longer.
    let line = |figure: &str| text.matches(&format!(" {figure} ")).count();
    assert_eq!((line("parts"), line("live")), (14, 14), "{text}");
}

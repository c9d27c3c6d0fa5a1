//! Every command that the README shows is run, and must print what is shown.
//!
//! In a `console` block, a line after `$ ` is a command and the lines below are its output, where
//! `...` stands for anything, and alone on a line for any number of lines.

use std::process::Command;

use tempfile::TempDir;

const README: &str = include_str!("../README.md");

/// The commands of the README's console blocks, with the output shown.
fn sessions() -> Vec<(String, Vec<String>)> {
    let mut sessions: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in README.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            sessions.push((command.to_owned(), Vec::new()));
        } else if let Some((_, shown)) = sessions.last_mut().filter(|_| inside) {
            shown.push(line.to_owned());
        }
    }
    sessions
}

/// Whether `text` is `pattern`, with `...` for anything.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut pieces = pattern.split("...");
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    for (at, piece) in pieces.iter().enumerate() {
        let last = at + 1 == pieces.len();
        let found = if last {
            rest.len().checked_sub(piece.len())
        } else {
            rest.find(piece)
        };
        match found.filter(|&found| rest[found..].starts_with(piece)) {
            Some(found) => rest = &rest[found + piece.len()..],
            None => return false,
        }
    }
    rest.is_empty()
}

fn all_are_like(printed: &[&str], shown: &[String]) -> bool {
    match (printed, shown) {
        ([], []) => true,
        (_, [any, rest @ ..]) if any == "..." => {
            (0..=printed.len()).any(|skipped| all_are_like(&printed[skipped..], rest))
        }
        ([line, printed @ ..], [pattern, shown @ ..]) => {
            is_like(line, pattern) && all_are_like(printed, shown)
        }
        _ => false,
    }
}

#[test]
fn what_the_readme_shows_is_what_is_printed() {
    let place = TempDir::new().unwrap();
    let sessions = sessions();
    assert!(
        sessions.len() >= 4,
        "only {} commands found",
        sessions.len()
    );
    for (command, shown) in sessions {
        let args = command
            .strip_prefix("enum48 ")
            .unwrap_or_else(|| panic!("{command}: not ours"));
        let output = Command::new(env!("CARGO_BIN_EXE_enum48"))
            .args(args.split_whitespace())
            .current_dir(&place)
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}");
        let printed = String::from_utf8(output.stdout).unwrap();
        let printed: Vec<&str> = printed.lines().collect();
        assert!(
            all_are_like(&printed, &shown),
            "{command}\nprinted {printed:#?}\nshown {shown:#?}"
        );
    }
}

#[test]
fn patterns_match_what_they_should_and_nothing_else() {
    assert!(is_like("time   0.01 s", "time ..."));
    assert!(is_like("a b c", "a...c"));
    assert!(!is_like("a b d", "a...c"));
    assert!(!is_like("59", "5"));
    let shown = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| (*line).to_owned())
            .collect::<Vec<_>>()
    };
    assert!(all_are_like(&["a", "b", "c"], &shown(&["a", "..."])));
    assert!(!all_are_like(&["a", "b"], &shown(&["a"])));
}

#[test]
fn the_test_command_stands_where_ci_looks_for_it() {
    assert!(README.lines().any(|line| line == "cargo test"));
    assert!(README.contains("cargo run --release -- --size 3 --max 1024"));
}

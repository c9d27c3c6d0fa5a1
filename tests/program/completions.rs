//! Completions and the manual are complete.

#![expect(clippy::disallowed_methods, reason = "the test makes a file by hand")]

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use tempfile::TempDir;

use crate::command::{PROGRAM, good, place, stderr, stdout};
use crate::outcomes::{refused, unread};

/// The subcommands that the help lists, except `help`, each before its own subcommands.
fn commands() -> Vec<String> {
    let mut all = Vec::new();
    add_subcommands("", &mut all);
    assert!(all.len() >= 4, "{all:?}");
    all
}

fn add_subcommands(command: &str, all: &mut Vec<String>) {
    let help = good(&place(), &format!("{command} --help"));
    let Some((_, rest)) = help.split_once("Commands:\n") else {
        return;
    };
    let lines = rest.lines().take_while(|line| !line.is_empty());
    let named = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let words = named.filter_map(|line| line.split_whitespace().next());
    for word in words.filter(|&word| word != "help") {
        let subcommand = format!("{command} {word}").trim_start().to_owned();
        all.push(subcommand.clone());
        add_subcommands(&subcommand, all);
    }
}

/// The long options, such as `--size`, in the help of the program or of a subcommand.
fn options_of(command: &str) -> BTreeSet<String> {
    let help = good(&place(), &format!("{command} --help"));
    let lines = help.lines().map(str::trim_start);
    let options = lines.filter(|line| line.starts_with('-'));
    let words = options.flat_map(|line| line.split([' ', ',']));
    let long = words.filter(|word| word.starts_with("--"));
    long.map(str::to_owned).collect()
}

/// The completions of words, as fish asks for them. The last word may be empty.
fn completed(place: &TempDir, words: &[&str]) -> Vec<String> {
    let output = Command::new(PROGRAM)
        .env("ENUM48_COMPLETE", "fish")
        .args(["--", "enum48"])
        .args(words)
        .current_dir(place)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let value = |line: &str| line.split('\t').next().unwrap().to_owned();
    stdout(&output).lines().map(value).collect()
}

#[test]
fn all_subcommands_and_options_are_completed() {
    let place = place();
    let mut all = commands();
    all.insert(0, String::new());
    for command in all {
        let mut words: Vec<&str> = command.split_whitespace().collect();
        words.push("--");
        let found = completed(&place, &words);
        for option in options_of(&command) {
            assert!(found.contains(&option), "{command}: {option}: {found:?}");
        }
    }
    for command in commands() {
        let (before, last) = command.rsplit_once(' ').unwrap_or(("", &command));
        let words: Vec<&str> = before.split_whitespace().chain([""]).collect();
        let found = completed(&place, &words);
        assert!(
            found.iter().any(|name| name == last),
            "{command}: {found:?}"
        );
    }
}

#[test]
fn values_are_completed() {
    let place = place();
    good(&place, "--size 2 --max 8 --quiet");
    fs::create_dir(place.path().join("other")).unwrap();
    fs::write(place.path().join("file"), "").unwrap();
    let runs = ["enum48-data/2x2-8/", ".", "enum48-data/", "other/"];
    for (words, expected) in [
        (
            "--keep",
            &["all", "last", "afterstates", "both", "matrices"][..],
        ),
        ("--engine", &["lists", "bits"]),
        (
            "--size",
            &[
                "2x2", "2x3", "2x4", "3x2", "3x3", "3x4", "4x2", "4x3", "4x4",
            ],
        ),
        (
            "completions",
            &["bash", "zsh", "fish", "elvish", "powershell", "man"],
        ),
        ("verify", &runs),
        ("solve", &runs),
        ("best 0x2310 --dir", &runs),
        ("graph --format", &["dot", "graphml", "json"]),
    ] {
        let words: Vec<&str> = words.split(' ').chain([""]).collect();
        let mut found = completed(&place, &words);
        found.retain(|name| !name.starts_with('-') && name != "help");
        let (mut found, mut expected) = (found, expected.to_vec());
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected, "{words:?}");
    }
    for (words, expected) in [
        (&["--max", "51"][..], "512"),
        (&["play", "--for", "score,sure-51"], "score,sure-512"),
        (&["best", "0x2310", "--cs"], "--csv"),
        (&["witness", "0x2310", "--di"], "--dir"),
        (&["3x3-128", "--unt"], "--until"),
        (&["check", "enum48-data/2"], "enum48-data/2x2-8/"),
        (&["check", "fi"], "file"),
    ] {
        assert_eq!(completed(&place, words), [expected], "{words:?}");
    }
}

#[test]
fn the_manual_names_every_subcommand_and_option() {
    let manual = good(&place(), "completions man");
    let pages: Vec<&str> = manual.split(".TH ").skip(1).collect();
    let mut all = commands();
    all.insert(0, String::new());
    assert_eq!(pages.len(), all.len());
    for command in all {
        let title = format!("enum48 {command}").trim_end().replace(' ', "-");
        let start = format!("{title} 1 ");
        let page = pages.iter().find(|page| page.starts_with(&start));
        let page = page.unwrap_or_else(|| panic!("{title}: {manual}"));
        for option in options_of(&command) {
            // An option is on the line after `.TP`, and its description is below.
            let option = option.replace('-', "\\-");
            let mut items = page.split(".TP\n").skip(1);
            let found = items.any(|item| item.lines().next().unwrap().contains(&option));
            assert!(found, "{command} {option}: {page}");
        }
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION"] {
            assert!(page.contains(&format!("\n.SH {heading}\n")), "{heading}");
        }
    }
    assert!(manual.contains("Exit codes: 0 done"), "{manual}");
}

#[test]
fn the_help_says_where_to_put_the_files() {
    let help = good(&place(), "completions --help");
    for path in [
        "~/.local/share/bash-completion/completions/enum48\n",
        "~/.zfunc/_enum48",
        "~/.config/fish/completions/enum48.fish\n",
        "~/.local/share/man/man1/enum48.1\n",
    ] {
        assert!(help.contains(path), "{path}: {help}");
    }
    refused(&place(), "completions tcsh", "tcsh");
    refused(&place(), "completions", "<FOR>");
}

#[test]
fn a_closed_pipe_is_no_error() {
    for reader in ["bash", "zsh", "man"] {
        unread(&place(), &format!("completions {reader}"));
    }
}

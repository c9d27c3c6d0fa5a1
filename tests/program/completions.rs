//! Completions and the manual are complete.

use std::collections::BTreeSet;

use crate::command::{good, place};
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

/// All options of the program and its subcommands.
fn options() -> BTreeSet<String> {
    let mut options = options_of("");
    for command in commands() {
        options.extend(options_of(&command));
    }
    assert!(options.len() >= 15, "{options:?}");
    options
}

#[test]
fn scripts_have_all_subcommands_and_options() {
    let (place, commands, options) = (place(), commands(), options());
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = good(&place, &format!("completions {shell}"));
        for word in commands.iter().flat_map(|words| words.split(' ')) {
            assert!(script.contains(word), "{shell}: {word}");
        }
        for option in &options {
            // fish writes `-l size` for `--size`.
            let fish = format!("-l {}", &option[2..]);
            let known = script.contains(option) || script.contains(&fish);
            assert!(known, "{shell}: {option}");
        }
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

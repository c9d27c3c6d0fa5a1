//! Arguments: the parsers of numbers, and the line that refuses an argument.

use std::ffi::OsString;
use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::path::Path;
use std::str::FromStr;

use clap::{Arg, Command};

/// A parser of whole numbers in `range`.
pub(in crate::cli) fn whole<T: FromStr + PartialOrd + Display>(
    range: impl RangeBounds<T> + Clone,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let end = |bound: Bound<&T>| match bound {
            Bound::Included(end) => end.to_string(),
            _ => "2^64 - 1".to_owned(),
        };
        let (least, most) = (end(range.start_bound()), end(range.end_bound()));
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a whole number from {least} to {most}"))
    }
}

/// Parse the sum of a layer.
pub(in crate::cli) fn sum(text: &str) -> Result<u32, &'static str> {
    let sum = text.parse().ok();
    sum.filter(|sum| *sum >= 4 && sum % 2 == 0)
        .ok_or("not the sum of a layer: give an even number, 4 or more")
}

/// Parse the value of a tile. The game, or the run, tells which tiles it has.
pub(in crate::cli) fn tile(text: &str) -> Result<u32, &'static str> {
    text.parse().map_err(|_| "expected a tile, such as 64")
}

/// The words of a command, with options in the place of a game's name: 3x3-128 stands for `--size 3x3
/// --max 128` in every subcommand that has these options, except `check`, whose words are files.
pub(in crate::cli) fn with_game_options(words: Vec<OsString>, command: &Command) -> Vec<OsString> {
    let mut command = command;
    let mut written: Vec<OsString> = Vec::new();
    for word in words {
        let text = word.to_str().unwrap_or_default();
        let is_named = |arg: &Arg, word: &str| match word.strip_prefix("--") {
            Some(name) => arg.get_long() == Some(name),
            None => arg
                .get_short()
                .is_some_and(|name| word == format!("-{name}")),
        };
        let before = written.last().and_then(|word| word.to_str());
        let option =
            before.and_then(|word| command.get_arguments().find(|arg| is_named(arg, word)));
        let is_value = option.is_some_and(|option| option.get_action().takes_values());
        if let Some(subcommand) = command.find_subcommand(text).filter(|_| !is_value) {
            command = subcommand;
        }
        let has_size = command
            .get_arguments()
            .any(|arg| arg.get_long() == Some("size"));
        let can_be_game = has_size && command.get_name() != "check" && !is_value;
        match sides_and_tile(text) {
            Some((sides, tile)) if can_be_game && !Path::new(text).exists() => {
                written.extend(["--size", sides].map(OsString::from));
                let tile = tile.map(|tile| ["--max", tile]);
                written.extend(tile.iter().flatten().map(OsString::from));
            }
            _ => written.push(word),
        }
    }
    written
}

/// The sides and the winning tile in the name of a game; `None` for other words, such as boards.
fn sides_and_tile(name: &str) -> Option<(&str, Option<&str>)> {
    let (sides, tile) = match name.split_once('-') {
        Some((sides, tile)) => (sides, Some(tile)),
        None => (name, None),
    };
    let (rows, columns) = sides.split_once('x')?;
    let is_number =
        |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let numbers = [rows, columns].into_iter().chain(tile).all(is_number);
    (numbers && !rows.starts_with('0')).then_some((sides, tile))
}

/// The line that refuses an argument: the message and the suggestion of clap.
pub(in crate::cli) fn refusal(refused: &clap::Error) -> String {
    let text = refused.render().to_string();
    let (mut parts, mut help) = (Vec::new(), "--help".to_owned());
    for paragraph in text.split("\n\n") {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        match words.split_first() {
            // No argument of the program begins with a dash.
            Some((&"tip:", ["to", "pass", ..])) => {}
            Some((&("error:" | "tip:"), said)) => parts.push(said.join(" ")),
            Some((&"Usage:", usage)) => {
                let command = usage
                    .iter()
                    .take_while(|word| !word.starts_with(['[', '<', '-']));
                help = command
                    .chain([&"--help"])
                    .copied()
                    .collect::<Vec<_>>()
                    .join(" ");
            }
            _ => {}
        }
    }
    format!("{}: see {help}", parts.join(": "))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_name_of_a_game_stands_for_its_options_in_commands_that_have_them() {
        let command = Cli::command();
        for (words, expected) in [
            (
                "enum48 3x3-128 --until 40",
                "enum48 --size 3x3 --max 128 --until 40",
            ),
            ("enum48 count 2x4", "enum48 count --size 2x4"),
            (
                "enum48 show 0x2310 2x2-32",
                "enum48 show 0x2310 --size 2x2 --max 32",
            ),
            ("enum48 5x5-8 --quiet", "enum48 --size 5x5 --max 8 --quiet"),
            // The value of an option, a subcommand without options of a game, and boards.
            (
                "enum48 --size 2 --dir 3x3-128",
                "enum48 --size 2 --dir 3x3-128",
            ),
            (
                "enum48 --dir solve 2x2-32",
                "enum48 --dir solve --size 2x2 --max 32",
            ),
            (
                "enum48 graph --size 2 -o 3x3",
                "enum48 graph --size 2 -o 3x3",
            ),
            ("enum48 solve 3x3-128", "enum48 solve 3x3-128"),
            ("enum48 check run 3x3-128", "enum48 check run 3x3-128"),
            ("enum48 show 0x2310 --size 2", "enum48 show 0x2310 --size 2"),
            ("enum48 3x 3x3- x3-8", "enum48 3x 3x3- x3-8"),
        ] {
            let words = words.split(' ').map(OsString::from).collect();
            let found = with_game_options(words, &command).join(&OsString::from(" "));
            assert_eq!(found.to_str(), Some(expected));
        }
    }
}

//! The command line: parses arguments, prints, and picks an exit code. The library does the work.
//!
//! `enum48` without a subcommand counts, like `enum48 count`. Every subcommand has a file or folder of
//! its own.

mod args;
mod ask;
mod best;
mod check;
mod cluster;
mod completions;
mod count;
mod graph;
mod job;
mod out;
mod page;
mod play;
mod rate;
mod replay;
mod show;
mod solve;
mod states;
mod verify;
mod witness;

use std::ffi::OsString;
use std::process::ExitCode;
use std::{env, io};

use clap::error::ErrorKind;
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};

use self::args::{refusal, with_game_options};
use self::job::signals;
use self::out::{Outcome, talk};
use crate::{machine, store, temporary};

/// The exit code of a job that failed: bad arguments, no space, damaged input.
const FAILED: u8 = 2;

const AFTER_HELP: &str = include_str!("help.txt").trim_ascii_end();

/// Enumerates every reachable state of 2048 on a small board, exactly.
///
/// Counts the canonical states (one for each board and its rotations and reflections) layer by
/// layer, where a layer is all states of one tile sum, and writes them to sorted, compressed files
/// in the directory of the run.
#[derive(Parser)]
#[command(
    name = "enum48",
    version,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = AFTER_HELP,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    count: count::Args,
}

#[derive(Subcommand)]
enum Command {
    Count(count::Args),
    Check(check::Args),
    Cluster(cluster::Args),
    Completions(completions::Args),
    Graph(graph::Args),
    Verify(verify::Args),
    Solve(solve::Args),
    Best(best::Args),
    Rate(rate::Args),
    States(states::Args),
    Show(show::Args),
    Witness(witness::Args),
    Replay(replay::Args),
    Play(play::Args),
}

/// Parse a command, whose first word is the program.
fn parse(words: impl IntoIterator<Item: Into<OsString> + Clone>) -> Result<Cli, clap::Error> {
    let mut command = negatable(Cli::command());
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    let unnamed = words.iter().find(|word| word.to_str().is_none());
    if let Some(name) = unnamed.filter(|_| words.iter().any(|word| word == "--json")) {
        let name = name.display();
        let refused = format!(
            "--json: {name}: not UTF-8, which JSON cannot name: give another name, or no --json"
        );
        return Err(command.error(ErrorKind::InvalidUtf8, refused));
    }
    let words = with_game_options(words, &command);
    let matches = command.try_get_matches_from(words)?;
    Cli::from_arg_matches(&matches)
}

/// Accept negative numbers as values, so that the parser of a value refuses them.
fn negatable(command: clap::Command) -> clap::Command {
    let negatable_value = |arg: Arg| {
        let takes_values = arg.get_action().takes_values();
        arg.allow_negative_numbers(takes_values)
    };
    command.mut_args(negatable_value).mut_subcommands(negatable)
}

/// Run the program on the arguments of the process.
pub fn run() -> ExitCode {
    completions::answer(Cli::command);
    machine::save_address_space();
    signals::handle_file_size_limit();
    signals::listen();
    machine::raise_open_files();
    let cli = match parse(env::args_os()) {
        Ok(cli) => cli,
        Err(refused) => return refuse(&refused),
    };
    let outcome = match (cli.command, cli.count) {
        (Some(Command::Count(args)), _) | (None, args) => count::run(&args),
        (Some(Command::Check(args)), _) => check::run(&args),
        (Some(Command::Cluster(args)), _) => cluster::run(&args),
        (Some(Command::Completions(args)), _) => completions::run(&args, Cli::command()),
        (Some(Command::Graph(args)), _) => graph::run(&args),
        (Some(Command::Verify(args)), _) => verify::run(&args),
        (Some(Command::Solve(args)), _) => solve::run(&args),
        (Some(Command::Best(args)), _) => best::run(&args),
        (Some(Command::Rate(args)), _) => rate::run(&args),
        (Some(Command::States(args)), _) => states::run(&args),
        (Some(Command::Show(args)), _) => show::run(&args),
        (Some(Command::Witness(args)), _) => witness::run(&args),
        (Some(Command::Replay(args)), _) => replay::run(&args),
        (Some(Command::Play(args)), _) => play::run(&args),
    };
    match outcome {
        Ok(outcome) => ExitCode::from(outcome as u8),
        Err(error) => {
            talk::say(format_args!("{error:#}"));
            let law = matches!(error.downcast_ref(), Some(crate::Error::Law { .. }));
            ExitCode::from(if law {
                Outcome::Disagreed as u8
            } else {
                FAILED
            })
        }
    }
}

/// Say that memory has run out, restore the terminal, and delete the temporary files.
pub fn clean_up_without_memory(bytes: usize) {
    play::restore();
    talk::line(format_args!(
        "enum48: memory: cannot allocate {bytes} bytes: give less --memory or fewer --threads, \
         then give the same command again"
    ));
    // A thread, perhaps this one, may be making or deleting one.
    let all = temporary::ALL.try_lock();
    for path in all.iter().flat_map(|all| all.iter()) {
        store::clear(path);
    }
}

/// Print help and version unchanged. Print any other error of the arguments in one line.
fn refuse(refused: &clap::Error) -> ExitCode {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    match refused.kind() {
        DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand => {
            match refused.print() {
                // A closed pipe is not an error.
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    talk::say(format_args!("stdout: cannot write: {error}"));
                    return ExitCode::from(FAILED);
                }
                _ => {}
            }
        }
        _ => talk::say(refusal(refused)),
    }
    ExitCode::from(refused.exit_code() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_accepts_the_declared_arguments() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_help_has_examples_that_parse() {
        let mut program = Cli::command();
        program.build();
        let commands = program.get_subcommands().filter(|c| c.get_name() != "help");
        for command in commands.chain([&program]) {
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let lines = help.lines().filter(|line| line.starts_with("  enum48 "));
            let mut examples = 0;
            for line in lines {
                let line = line.trim_start();
                let end = ["  ", " < ", " > ", " | "]
                    .iter()
                    .filter_map(|end| line.find(end))
                    .min();
                let words = line[..end.unwrap_or(line.len())].split(' ');
                let parsed = parse(words);
                assert!(parsed.is_ok(), "{line}: {}", parsed.err().unwrap());
                examples += 1;
            }
            assert!(examples >= 2, "{}", command.get_name());
        }
    }
}

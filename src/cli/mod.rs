//! The command line: parses, prints, and picks an exit code. The work is the library's.
//!
//! `enum48` alone counts (`count.rs`); other jobs are subcommands, one file each.

mod check;
mod completions;
mod count;
mod estimate;
mod gauge;
mod graph;
mod machine;
mod manual;
mod output;
mod play;
mod position;
mod progress;
mod replay;
mod resources;
mod sample;
mod show;
mod states;
mod summary;
mod verify;
mod witness;

use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

/// Exit codes, which are answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Done, or agreed.
    Done = 0,
    /// The data or the counts disagree.
    Disagreed = 1,
}

/// Exit code if it could not be done: bad arguments, no space, damaged input.
const FAILED: u8 = 2;

const AFTER_HELP: &str = "\
Examples:
  enum48 --size 2 --max 32                count 2x2 to 32, in no time: 59
  enum48 --size 3 --max 1024              3x3 to 1024, some seconds: 25,179,014
  enum48 --size 4 --max 32 --memory 4G    4x4 to 32 in at most 4 GiB
  enum48 --size 4x3 --until 128           4 rows, 3 columns, layers up to sum 128; a later run with
                                          a higher --until, or without, goes on from there
  enum48 --size 3 --json --quiet          one JSON object on stdout, nothing on stderr
  enum48 verify enum48-data/3x3-1024      read all files again: is anything damaged?
  enum48 check                            count the games with published numbers and compare
  enum48 check layers.csv                 a table against the published numbers and the laws
  enum48 check layers.csv OTHER           two tables, part by part
  enum48 graph --size 2 --max 32          draw the states of a small game
  enum48 states enum48-data/3x3-1024      write the states, for other programs
  enum48 show 0x2310 --size 2             a board, its moves, and what follows
  enum48 witness 0x0132 --size 2          a game that ends in this board, as a code
  enum48 replay CODE                      play a code again: is it true?
  enum48 play --size 4 --max 2048         the game itself, in the terminal

A count can be stopped at any moment; the same command goes on where it was. The result is the same
whatever --threads and --memory are, byte for byte.

Exit codes: 0 done or agreed, 1 the data or the counts disagree, 2 it could not be done.";

/// Lists every reachable state of a game of 2048 on a small board, exactly.
///
/// Counts the canonical states (one for each board and its rotations and reflections) layer by layer,
/// a layer being all states of one tile sum, and writes them to sorted, compressed files in a
/// directory of the game's own.
#[derive(Parser)]
#[command(
    name = "enum48",
    version,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
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
    Check(check::Args),
    Completions(completions::Args),
    Graph(graph::Args),
    Verify(verify::Args),
    States(states::Args),
    Show(show::Args),
    Witness(witness::Args),
    Replay(replay::Args),
    Play(play::Args),
}

/// Run the program on the process's arguments.
pub fn run() -> ExitCode {
    machine::take_file_limit_as_error();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(refused) => return refuse(&refused),
    };
    let outcome = match (cli.command, cli.count) {
        (Some(Command::Check(args)), _) => check::run(&args),
        (Some(Command::Completions(args)), _) => completions::run(&args),
        (Some(Command::Graph(args)), _) => graph::run(&args),
        (Some(Command::Verify(args)), _) => verify::run(&args),
        (Some(Command::States(args)), _) => states::run(&args),
        (Some(Command::Show(args)), _) => show::run(&args),
        (Some(Command::Witness(args)), _) => witness::run(&args),
        (Some(Command::Replay(args)), _) => replay::run(&args),
        (Some(Command::Play(args)), _) => play::run(&args),
        (None, args) => count::run(&args),
    };
    match outcome {
        Ok(outcome) => ExitCode::from(outcome as u8),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("enum48: {error:#}");
            let law = matches!(error.downcast_ref(), Some(crate::Error::Law { .. }));
            ExitCode::from(if law {
                Outcome::Disagreed as u8
            } else {
                FAILED
            })
        }
    }
}

/// Help and version are printed as they are; what was wrong with the arguments is said in one line.
fn refuse(refused: &clap::Error) -> ExitCode {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    let kind = refused.kind();
    if matches!(
        kind,
        DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        // A closed pipe is not an error.
        let _ = refused.print();
        let failed = kind == DisplayHelpOnMissingArgumentOrSubcommand;
        return ExitCode::from(if failed { FAILED } else { 0 });
    }
    let text = refused.render().to_string();
    let text = text.split("Usage:").next().unwrap_or_default();
    let text = text
        .split("For more information")
        .next()
        .unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    eprintln!(
        "enum48: {}: see --help",
        line.strip_prefix("error: ").unwrap_or(&line)
    );
    ExitCode::from(FAILED)
}

/// Whether a reader of our output went away.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let own = cause.downcast_ref::<crate::Error>();
        io.or(match own {
            Some(crate::Error::Io { cause, .. }) => Some(cause.kind()),
            _ => None,
        })
    };
    error
        .chain()
        .any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_declared_soundly() {
        Cli::command().debug_assert();
    }
}

//! `enum48 completions`: shell completions, and the manual pages.
//!
//! Key idea: the script for a shell is short. At each completion it calls the program, which knows its
//! arguments and the runs in the current directory.

use std::ffi::OsStr;
use std::io::{self, Write};

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::{CompleteEnv, Shells};
use clap_mangen::Man;

use crate::cli::out::Outcome;
use crate::cli::out::output;

/// The shells that `clap_complete` knows, and the manual pages.
const READERS: [&str; 6] = ["bash", "zsh", "fish", "elvish", "powershell", "man"];

/// The variable of the environment by which the script of a shell asks for completions.
const ASKS: &str = "ENUM48_COMPLETE";

const SIZES: &str = "2x2 2x3 2x4 3x2 3x3 3x4 4x2 4x3 4x4";
const TILES: &str = "8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536";

/// Print completions for a shell, or the manual pages
///
/// Redirect the output to a file:
///
///   bash   ~/.local/share/bash-completion/completions/enum48
///   zsh    ~/.zfunc/_enum48, with ~/.zfunc in $fpath before compinit
///   fish   ~/.config/fish/completions/enum48.fish
///   man    ~/.local/share/man/man1/enum48.1
///
/// It takes effect in new shells, and calls the enum48 of the PATH. For elvish and
/// powershell, run the output from rc.elv or $PROFILE.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  enum48 completions fish > ~/.config/fish/completions/enum48.fish
  enum48 completions man | man -l -    the manual page, without installing it"
)]
pub(super) struct Args {
    /// A shell, or man for the manual pages
    #[arg(value_name = "FOR", value_parser = PossibleValuesParser::new(READERS))]
    reader: String,
}

/// If the script of a shell asks, print the completions of its words, and exit.
pub(super) fn answer(program: fn() -> Command) {
    let factory = || with_values(program());
    CompleteEnv::with_factory(factory).var(ASKS).complete();
}

/// Add the values that clap does not know: sizes, tiles, objectives, and directories of runs.
fn with_values(command: Command) -> Command {
    let hinted = |arg: Arg| {
        let names = arg.get_value_names().unwrap_or_default();
        let words = match names.first().map_or("", |name| name.as_str()) {
            "DIR" => return arg.add(runs_or(PathCompleter::dir())),
            "TABLE" | "OTHER" => return arg.add(runs_or(PathCompleter::any())),
            "N|RxC" => SIZES.to_owned(),
            "TILE" => TILES.to_owned(),
            "OBJECTIVE" | "OBJECTIVES" => {
                let sure = TILES.replace(' ', " sure-");
                format!("score moves {TILES} sure-{sure}")
            }
            _ => return arg,
        };
        let candidates = move || words.split(' ').map(CompletionCandidate::new).collect();
        arg.add(ArgValueCandidates::new(candidates))
    };
    command.mut_args(hinted).mut_subcommands(with_values)
}

/// Completes paths, and before them the directories in the folder of runs.
fn runs_or(paths: PathCompleter) -> ArgValueCompleter {
    const RUNS: &str = "enum48-data/";
    ArgValueCompleter::new(move |typed: &OsStr| {
        let mut found = Vec::new();
        if typed != RUNS && RUNS.starts_with(&*typed.to_string_lossy()) {
            found = PathCompleter::dir().complete(OsStr::new(RUNS));
        }
        found.extend(paths.complete(typed));
        found
    })
}

pub(super) fn run(args: &Args, mut program: Command) -> Result<Outcome> {
    let mut text = Vec::new();
    match Shells::builtins().completer(&args.reader) {
        Some(shell) => {
            shell.write_registration(ASKS, "enum48", "enum48", "enum48", &mut text)?;
            // Where zsh loads the file at the first completion, the file must answer it, too.
            if args.reader == "zsh" {
                let answer = "[[ $funcstack[1] != _enum48 ]] || _clap_dynamic_completer_enum48";
                writeln!(text, "{answer}")?;
            }
        }
        None => {
            // `help` is for a terminal.
            program = program.disable_help_subcommand(true);
            program.build();
            write_pages(&program, &mut text)?;
        }
    }
    output::print(|out| Ok(out.write_all(&text)?))?;
    Ok(Outcome::Done)
}

/// Write the page of a command, and then the pages of its subcommands.
fn write_pages(command: &Command, out: &mut Vec<u8>) -> io::Result<()> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    // The columns of the examples stay if the lines are not stretched.
    let page = String::from_utf8_lossy(&page).replace(".SH EXTRA\n", ".SH EXAMPLES\n.na\n");
    out.extend(page.bytes());
    let mut subcommands = command.get_subcommands();
    subcommands.try_for_each(|subcommand| write_pages(subcommand, out))
}

//! `enum48 completions`: shell completions and the manual page.

use std::io::{self, Write};

use anyhow::Result;
use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;

use super::{Cli, Outcome, manual};

/// Print completions for a shell, or the manual page
///
/// Redirect the output to a file:
///
///   bash   ~/.local/share/bash-completion/completions/enum48
///   zsh    ~/.zfunc/_enum48, with ~/.zfunc in $fpath before compinit
///   fish   ~/.config/fish/completions/enum48.fish
///   man    ~/.local/share/man/man1/enum48.1
///
/// It takes effect in new shells. For elvish and powershell, run the output from
/// rc.elv or $PROFILE.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  enum48 completions fish > ~/.config/fish/completions/enum48.fish
  enum48 completions man | man -l -    the manual page, without installing it"
)]
pub(super) struct Args {
    /// A shell, or man for the manual page
    #[arg(value_name = "FOR")]
    reader: CompletionReader,
}

/// Who reads the output.
#[derive(Clone, Copy, ValueEnum)]
enum CompletionReader {
    Bash,
    Zsh,
    Fish,
    Elvish,
    Powershell,
    Man,
}

/// Print what the reader understands.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let mut program = Cli::command();
    let shell = match args.reader {
        CompletionReader::Bash => Some(Shell::Bash),
        CompletionReader::Zsh => Some(Shell::Zsh),
        CompletionReader::Fish => Some(Shell::Fish),
        CompletionReader::Elvish => Some(Shell::Elvish),
        CompletionReader::Powershell => Some(Shell::PowerShell),
        CompletionReader::Man => None,
    };
    let mut text = Vec::new();
    match shell {
        // To memory first, because `generate` panics if it cannot write.
        Some(shell) => clap_complete::generate(shell, &mut program, "enum48", &mut text),
        None => manual::write(program, &mut text)?,
    }
    io::stdout().write_all(&text)?;
    Ok(Outcome::Done)
}

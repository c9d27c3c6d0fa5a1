//! `enum48 completions`: shell completions, and the manual pages.

use std::io;

use anyhow::Result;
use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::out::Outcome;
use crate::cli::out::output;

/// The shells that `clap_complete` knows, and the manual pages.
const READERS: [&str; 6] = ["bash", "zsh", "fish", "elvish", "powershell", "man"];

/// Print completions for a shell, or the manual pages
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
    /// A shell, or man for the manual pages
    #[arg(value_name = "FOR", value_parser = PossibleValuesParser::new(READERS))]
    reader: String,
}

pub(super) fn run(args: &Args, mut program: Command) -> Result<Outcome> {
    let mut text = Vec::new();
    match args.reader.parse::<Shell>() {
        // To memory first, because `generate` panics if it cannot write.
        Ok(shell) => clap_complete::generate(shell, &mut program, "enum48", &mut text),
        Err(_) => {
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

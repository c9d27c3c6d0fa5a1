//! `enum48 completions`: shell completions, and one manual page for the program and all its
//! subcommands.
//!
//! `clap_mangen` makes a page for each command from its synopsis, description and options. Here
//! these become sections of a single page, one for each subcommand. The examples, which
//! `clap_mangen` would join into paragraphs, become a list.

use std::io::{self, Write};

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::cli::Cli;
use crate::cli::out::Outcome;
use crate::cli::out::stdout::Stdout;

/// The shells that `clap_complete` knows, and the manual page.
const READERS: [&str; 6] = ["bash", "zsh", "fish", "elvish", "powershell", "man"];

/// A line of fish's completions takes the first word for a subcommand, and then offers no options.
/// The line in its place excepts the name of a game, which stands for options.
const HAS_WORD: &str = "    if set -q argv[1]\n";
const HAS_SUBCOMMAND: &str =
    "    if set -q argv[1]; and not string match -qr '^[2-4]x[2-4](-[0-9]+)?$' -- $argv[1]\n";

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
    #[arg(value_name = "FOR", value_parser = PossibleValuesParser::new(READERS))]
    reader: String,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let mut program = Cli::command();
    let mut text = Vec::new();
    match args.reader.parse::<Shell>() {
        // To memory first, because `generate` panics if it cannot write.
        Ok(shell) => {
            clap_complete::generate(shell, &mut program, "enum48", &mut text);
            if shell == Shell::Fish {
                let script = String::from_utf8_lossy(&text);
                text = script.replacen(HAS_WORD, HAS_SUBCOMMAND, 1).into_bytes();
            }
        }
        Err(_) => write_manual(program, &mut text)?,
    }
    Stdout.write_all(&text)?;
    Ok(Outcome::Done)
}

fn write_manual(program: Command, out: &mut dyn Write) -> io::Result<()> {
    // `help` is for a terminal. Here everything is on one page.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let after = program.get_after_help().map(ToString::to_string);
    let mut commands = Vec::new();
    add_subcommands(&program, &mut commands);
    let mut usages = vec![usage(&mut program)];
    usages.extend(commands.iter_mut().map(usage));
    let man = Man::new(program);
    man.render_title(out)?;
    man.render_name_section(out)?;
    synopsis(&usages).to_writer(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    for command in commands {
        section(command, out)?;
    }
    closing(&after.unwrap_or_default()).to_writer(out)
}

/// Append the subcommands of a command, each before its own subcommands.
fn add_subcommands(command: &Command, to: &mut Vec<Command>) {
    let named = command.get_subcommands();
    for subcommand in named.filter(|subcommand| subcommand.get_name() != "help") {
        to.push(subcommand.clone());
        add_subcommands(subcommand, to);
    }
}

/// Write a subcommand's page as a section. Its headings become subheadings. The synopsis and the
/// description need no heading.
fn section(mut command: Command, out: &mut dyn Write) -> io::Result<()> {
    let name = command.get_bin_name().unwrap_or_default().to_uppercase();
    let after = command.get_after_help().map(ToString::to_string);
    let synopsis = synopsis(&[usage(&mut command)]);
    let man = Man::new(command.mut_args(values_in_line));
    let mut page = Vec::new();
    synopsis.to_writer(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    closing(&after.unwrap_or_default()).to_writer(&mut page)?;
    writeln!(out, ".SH \"{name}\"")?;
    for line in String::from_utf8_lossy(&page).lines() {
        match line.strip_prefix(".SH ") {
            Some("SYNOPSIS" | "DESCRIPTION") => writeln!(out, ".PP")?,
            Some(title) => writeln!(out, ".SS {title}")?,
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// The usage of a command from its help: the first line. Further lines stand for subcommands.
fn usage(command: &mut Command) -> String {
    let usage = command.render_usage().to_string();
    let first = usage.lines().next().unwrap_or_default();
    first.trim_start_matches("Usage: ").to_owned()
}

/// The synopsis: a line for each usage, with the words before its arguments in bold.
fn synopsis(usages: &[String]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    for (at, usage) in usages.iter().enumerate() {
        if at > 0 {
            roff.control("br", []);
        }
        let arguments = usage.find(['[', '<', '-']).unwrap_or(usage.len());
        let (command, arguments) = usage.split_at(arguments);
        roff.text([bold(command), roman(arguments)]);
    }
    roff
}

/// Move the possible values of an argument into its help. `clap_mangen` would list one per line.
fn values_in_line(arg: Arg) -> Arg {
    let values = arg.get_possible_values();
    let shown = values.iter().filter(|value| !value.is_hide_set());
    let names: Vec<&str> = shown.map(PossibleValue::get_name).collect();
    let switch = !arg.get_action().takes_values();
    if names.is_empty() || switch || arg.is_hide_possible_values_set() {
        return arg;
    }
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let help = format!("{help}: {}", names.join(", "));
    arg.help(help).hide_possible_values(true)
}

/// Format the text after the help. Two of its paragraphs get a heading. A line indented by two spaces
/// holds a command and perhaps, after two spaces or more, a description. A line with more indentation
/// continues the line above.
fn closing(text: &str) -> Roff {
    let mut roff = Roff::new();
    for paragraph in text.split("\n\n") {
        let (heading, paragraph) = match paragraph.split_once(':') {
            Some(("Examples", rest)) => (Some("EXAMPLES"), rest),
            Some(("Exit codes", rest)) => (Some("EXIT STATUS"), rest),
            _ => (None, paragraph),
        };
        match heading {
            Some(heading) => roff.control("SH", [heading]),
            None => roff.control("PP", []),
        };
        let mut before = 0;
        for line in paragraph.lines().filter(|line| !line.is_empty()) {
            let text = line.trim_start();
            let indent = line.len() - text.len();
            if indent == 0 && before > 0 {
                roff.control("PP", []);
            }
            before = indent;
            match text.split_once("  ") {
                Some((command, description)) if indent == 2 => {
                    roff.control("TP", []);
                    roff.text([bold(command)]);
                    roff.text([roman(description.trim_start())]);
                }
                None if indent == 2 => {
                    roff.control("PP", []);
                    roff.text([bold(text)]);
                }
                _ => {
                    roff.text([roman(text)]);
                }
            }
        }
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_become_a_list_and_the_exit_codes_a_section() {
        let text = "Examples:\n  a --b    does c\n           and d\n  e --f\n\nOf more:\n  g\nthen\n\nExit codes: 0 done.";
        let page = closing(text).to_roff();
        let wanted = ".SH EXAMPLES\n.TP\n\\fBa \\-\\-b\\fR\ndoes c\nand d\n.PP\n\\fBe \\-\\-f\\fR\n.PP\nOf more:\n.PP\n\\fBg\\fR\n.PP\nthen\n.SH \"EXIT STATUS\"\n0 done.\n";
        assert_eq!(page.split_once(".SH").unwrap().1, &wanted[3..]);
    }
}

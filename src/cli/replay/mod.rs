//! `enum48 replay`: is a code true, and where does its game end?

mod answer;
mod page;

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::Serialize;

use super::Outcome;
use super::output::Output;
use crate::error::{self, Error};
use crate::game::{Game, Size};
use crate::play::{Code, Seed};
use answer::{Played, Refused};

/// Play a game again from its code: verify each move, and print where it ends
///
/// Tiles are moved by the rules alone, on a plain array, with nothing of what counts states. Exit code 1 if
/// the code is not true, with the number of the move and the reason.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 replay w1.2x2-8.BD.1.w..W.10f0c486
  enum48 replay s1.2x2-16.5.7.PzA.W.8619cce7 --step
  enum48 replay --size 2 --max 16 --seed 5 PzA     a bare move string, played from a seed
  enum48 replay - < codes                          one code a line, one answer a line
  enum48 replay s1.2x2-16.5.7.PzA.W.8619cce7 --html game.html

A bare move string has no count: what follows the end of its game is left out, and of the
last character up to two moves up that change nothing. The README says how codes are
read and written.")]
pub(super) struct Args {
    /// The code, or - to read codes from stdin, one a line; with --seed bare move strings
    #[arg(value_name = "CODE", allow_hyphen_values = true)]
    code: String,

    /// Print every board on the way
    #[arg(long)]
    step: bool,

    /// One JSON object, for each code
    #[arg(long)]
    json: bool,

    /// Write a page that plays the game, for a browser, - for stdout
    #[arg(long, value_name = "FILE", conflicts_with_all = ["step", "json"])]
    html: Option<PathBuf>,

    /// The seed of a bare move string, in base 36
    #[arg(long, value_name = "S", requires = "size")]
    seed: Option<Seed>,

    /// Size of the board of a bare move string
    #[arg(long, value_name = "N|RxC", requires = "seed")]
    size: Option<Size>,

    /// The winning tile of a bare move string [default: none]
    #[arg(long, value_name = "TILE", requires = "seed")]
    max: Option<u32>,
}

/// Replay one code, or as many as there are on stdin.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let classic = match (args.size, args.seed) {
        (Some(size), Some(seed)) => Some((Game::new(size, args.max)?, seed)),
        _ => None,
    };
    let read = |text: &str| match classic {
        Some((game, seed)) => Code::classic(game, seed, text),
        None => text.parse(),
    };
    if args.code == "-" {
        return lines(args, &read);
    }
    let code = match read(args.code.trim()) {
        Ok(code) => code,
        Err(error) if args.json => {
            writeln!(io::stdout(), "{}", json(&Refused::new(&args.code, &error))?)?;
            return Ok(Outcome::Disagreed);
        }
        Err(error) => {
            eprintln!("enum48: {error}");
            return Ok(Outcome::Disagreed);
        }
    };
    match &args.html {
        Some(path) => Output::new(path)?.write(|to| Ok(page::write(&code, to)?))?,
        None if args.json => Output::Stdout
            .write(|to| Ok(writeln!(to, "{}", json(&Played::new(&code, args.step))?)?))?,
        None => Output::Stdout.write(|to| Ok(print(&code, args, classic.is_some(), to)?))?,
    }
    Ok(Outcome::Done)
}

/// Answer each line of stdin with a line.
fn lines(args: &Args, read: &dyn Fn(&str) -> error::Result<Code>) -> Result<Outcome> {
    if args.step || args.html.is_some() {
        bail!("--step and --html: for a single code: give it in place of -");
    }
    let mut outcome = Outcome::Done;
    let (mut input, mut line, mut number) = (BufReader::new(io::stdin()), Vec::new(), 0);
    Output::Stdout.write(|out| {
        while read_line(&mut input, &mut line)? > 0 {
            number += 1;
            let text = String::from_utf8_lossy(&line);
            let text = text.trim();
            match read(text) {
                Ok(code) if args.json => writeln!(out, "{}", json(&Played::new(&code, false))?)?,
                Ok(code) => writeln!(out, "true {}", Played::new(&code, false))?,
                Err(error) => {
                    outcome = Outcome::Disagreed;
                    if args.json {
                        writeln!(out, "{}", json(&Refused::new(text, &error))?)?;
                    } else {
                        writeln!(out, "false line {number}: {error}")?;
                    }
                }
            }
            // Whoever waits for an answer before the next code gets it.
            if input.buffer().is_empty() {
                out.flush()?;
            }
        }
        Ok(())
    })?;
    Ok(outcome)
}

/// Read the next line, or none at the end: its length.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> error::Result<usize> {
    line.clear();
    let length = input.read_until(b'\n', line);
    length.map_err(Error::io(Path::new("stdin"), "read"))
}

/// As JSON, in one line.
fn json(answer: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(answer)
}

/// The game for a person to read.
fn print(code: &Code, args: &Args, classic: bool, out: &mut dyn Write) -> io::Result<()> {
    let board = |out: &mut dyn Write, position: String| -> io::Result<()> {
        position
            .lines()
            .try_for_each(|line| writeln!(out, "  {line}"))?;
        writeln!(out)
    };
    if args.step {
        let (moves, replay) = (code.moves().len(), code.replay());
        let plural = if moves == 1 { "" } else { "s" };
        writeln!(out, "start of {moves} move{plural}")?;
        board(out, format!("{:#}", replay.position()))?;
        for turn in replay.map_while(error::Result::ok) {
            writeln!(out, "move {} of {moves}: {turn}", turn.number)?;
            board(out, format!("{:#}", turn.position))?;
        }
    } else {
        board(out, format!("{:#}", code.end()))?;
    }
    Played::new(code, false).print(out)?;
    if classic {
        writeln!(out, "code       {code}")?;
    }
    Ok(())
}

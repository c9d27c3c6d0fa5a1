//! `enum48 replay`: is a code true, and where does its game end?

mod answer;
mod page;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::Serialize;

use super::Outcome;
use super::adviser::Adviser;
use super::objectives::Objectives;
use super::output::Output;
use super::stdin::Questions;
use super::{open, talk, units};
use crate::error::{self, Error};
use crate::game::{Game, Size};
use crate::play::{Code, LONGEST, Seed};
use answer::{Played, Refused};

/// Replay a game from its code: verify each move, and print where it ends
///
/// Moves tiles by the rules alone, on a plain array, with none of the code that counts states. The
/// exit code is 1 if the code is false, with the number of the move and the reason.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 replay w1.2x2-8.BD.1.w..W.10f0c486
  enum48 replay s1.2x2-16.5.7.PzA.W.8619cce7 --step
  enum48 replay - < codes                       a code a line, an answer a line
  enum48 replay s1.2x2-16.5.7.PzA.W.8619cce7 --html game.html
  enum48 replay s1.2x3.5.2.w.808bb89a --html game.html --dir enum48-data/2x3
  enum48 replay --size 2 --max 16 --seed 5 PzA  a bare move string and its seed

A bare move string does not say how many moves it has. Moves after the end of
the game are ignored, and so are up to two that fill the last character, if they
go up and change nothing. The documentation of the module play describes codes.")]
pub(super) struct Args {
    /// The code, or - to read codes from stdin, one a line; with --seed, a bare move string
    #[arg(value_name = "CODE", allow_hyphen_values = true)]
    code: String,

    /// Print every board on the way
    #[arg(long)]
    step: bool,

    /// Print a JSON object for each code
    #[arg(long)]
    json: bool,

    /// Write a page that plays the game in a browser to FILE, - for stdout; ask the browser for FILE#42
    /// to begin at move 42
    #[arg(long, value_name = "FILE", conflicts_with_all = ["step", "json"])]
    html: Option<PathBuf>,

    /// Directory of a solved run of the game: the page shows what each position is worth, the best
    /// move, and what the move that was made lost
    #[arg(long, value_name = "DIR", requires = "html")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    objectives: Objectives,

    /// Seed of a bare move string, in base 36
    #[arg(long, value_name = "S", requires = "size")]
    seed: Option<Seed>,

    /// Size of the board of a bare move string
    #[arg(long, value_name = "N|RxC", requires = "seed")]
    size: Option<Size>,

    /// Winning tile of a bare move string [default: none]
    #[arg(long, value_name = "TILE", requires = "seed")]
    max: Option<u32>,
}

/// Replay one code, or all codes on stdin.
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
            talk::say(error);
            return Ok(Outcome::Disagreed);
        }
    };
    match &args.html {
        Some(path) => page(args, &code, path)?,
        None if args.json => Output::Stdout
            .write(|to| Ok(writeln!(to, "{}", json(&Played::new(&code, args.step))?)?))?,
        None => Output::Stdout.write(|to| Ok(print(&code, args, classic.is_some(), to)?))?,
    }
    Ok(Outcome::Done)
}

/// Write the page of a game.
fn page(args: &Args, code: &Code, path: &Path) -> Result<()> {
    let solution = args.dir.as_deref().map(open::solution).transpose()?;
    let mut adviser = None;
    if let Some(solution) = &solution {
        let run = solution.run();
        if *run.game() != code.game() {
            return Err(Error::OtherGame {
                path: run.dir().to_owned(),
                found: run.game().to_string(),
                wanted: code.game().to_string(),
            }
            .into());
        }
        adviser = Some(Adviser::new(solution, args.objectives.goals(solution)?)?);
    }
    Output::new(path)?.write(|to| page::write(code, adviser.as_mut(), to))
}

/// Answer each line of stdin with a line.
fn lines(args: &Args, read: &dyn Fn(&str) -> error::Result<Code>) -> Result<Outcome> {
    if args.step || args.html.is_some() {
        bail!("--step and --html: for a single code: give it instead of -");
    }
    let mut outcome = Outcome::Done;
    let mut input = Questions::new(LONGEST);
    Output::Stdout.write(|out| {
        loop {
            let batch = input.batch(|text, line| Some((text.to_owned(), line)))?;
            if batch.is_empty() {
                return Ok(());
            }
            for (text, line) in batch {
                match read(&text) {
                    Ok(code) if args.json => {
                        writeln!(out, "{}", json(&Played::new(&code, false))?)?;
                    }
                    Ok(code) => writeln!(out, "true {}", Played::new(&code, false))?,
                    Err(error) => {
                        outcome = Outcome::Disagreed;
                        if args.json {
                            writeln!(out, "{}", json(&Refused::new(&text, &error))?)?;
                        } else {
                            writeln!(out, "false line {line}: {error}")?;
                        }
                    }
                }
            }
            out.flush()?;
        }
    })?;
    Ok(outcome)
}

/// One line of JSON.
fn json(answer: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(answer)
}

/// Print the game for people.
fn print(code: &Code, args: &Args, classic: bool, out: &mut dyn Write) -> io::Result<()> {
    let board = |out: &mut dyn Write, position: String| -> io::Result<()> {
        position
            .lines()
            .try_for_each(|line| writeln!(out, "  {line}"))?;
        writeln!(out)
    };
    if args.step {
        let (moves, replay) = (code.moves().len(), code.replay());
        writeln!(out, "start of {}", units::things(moves as u64, "move"))?;
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

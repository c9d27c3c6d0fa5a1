//! `enum48 rate`: what the moves of a game gave away.

mod answer;

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde::Serialize;

use self::answer::{Rated, Refused};
use super::objectives::goals;
use super::output::Output;
use super::resources::Resources;
use super::stdin::Questions;
use super::{Outcome, open, talk};
use crate::game::Objective;
use crate::play::{Code, LONGEST};
use crate::solve::Values;
use crate::store::{Goal, Sink};

/// Rate the moves of a game: what each gave away, by a solved run
///
/// A move's loss is how much less is to be expected after it than after the best one, with the best
/// play from there on; luck has no part in it. A move that is as good as the best loses exactly 0,
/// and a game of such moves too. The exit code is 1 if the code is false.
///
/// Takes up to eight blocks of the run's files for each move: part of a second for a game of 3x3.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 rate w1.2x2-8.BD.1.w..W.10f0c486 --dir enum48-data/2x2-8
  enum48 rate s1.3x3.0.31.-/t/v97/7/g.1385f34a --dir enum48-data/3x3 --for 512
  enum48 rate - --dir enum48-data/3x3 < codes     a code a line, an answer a line

Keys of --json: code; moves, each with move, best (the move itself if it is as
good as any), loss, number, board (before it), ties (all best moves), value and
best_value (of the move, and of the best); loss, of all moves; game; objective;
best_moves, how many lost nothing; worst, the numbers of the worst moves. Of a
code that is false, or of another game: code and error.")]
pub(super) struct Args {
    /// The code of a game, as play and replay print it, or - to read codes from stdin, one a line
    #[arg(value_name = "CODE", allow_hyphen_values = true)]
    code: String,

    /// Directory of a solved run of the game, such as enum48-data/3x3
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,

    /// What the game was played for: score, moves or a tile that the run is solved for [default: the
    /// first of these]
    #[arg(long = "for", value_name = "OBJECTIVE")]
    objective: Option<Objective>,

    /// How many of the worst moves are named
    #[arg(long, value_name = "N", default_value_t = 5)]
    worst: usize,

    /// Print a JSON object for each code
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    resources: Resources,
}

/// Rate one game, or all games on stdin.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let plan = args.resources.plan()?;
    let solution = open::solution(&args.dir)?;
    let goal = goals(&solution, args.objective.as_slice())?[0];
    let mut rater = Rater {
        values: Values::new(&solution, &[goal], plan.memory())?,
        goal,
        args,
    };
    if args.code == "-" {
        return rater.lines();
    }
    let code: Code = match args.code.trim().parse() {
        Ok(code) => code,
        Err(error) => {
            if args.json {
                let refused = Refused::new(&args.code, &error);
                Output::Stdout.write(|out| json(&refused, out))?;
            } else {
                talk::say(error);
            }
            return Ok(Outcome::Disagreed);
        }
    };
    rater.check(&code)?;
    let rated = rater.rate(&code)?;
    Output::Stdout.write(|out| match args.json {
        true => json(&rated, out),
        false => Ok(write!(out, "{rated:#}")?),
    })?;
    Ok(Outcome::Done)
}

/// Rates games for a goal.
struct Rater<'a> {
    values: Values<'a>,
    goal: Goal,
    args: &'a Args,
}

impl Rater<'_> {
    /// Answer each line of stdin with a line.
    fn lines(&mut self) -> Result<Outcome> {
        let mut outcome = Outcome::Done;
        let mut input = Questions::new(LONGEST);
        Output::Stdout.write(|out| {
            while let Some(text) = input.next()? {
                let code = text.parse().map_err(anyhow::Error::new);
                match code.and_then(|code| self.check(&code).map(|()| code)) {
                    Ok(code) => {
                        let rated = self.rate(&code)?;
                        if self.args.json {
                            json(&rated, out)?;
                        } else {
                            writeln!(out, "{rated}")?;
                        }
                    }
                    Err(error) => {
                        outcome = Outcome::Disagreed;
                        if self.args.json {
                            json(&Refused::new(&text, &error), out)?;
                        } else {
                            writeln!(out, "line {}: {error}", input.number())?;
                        }
                    }
                }
                if input.waits() {
                    out.flush()?;
                }
            }
            Ok(())
        })?;
        Ok(outcome)
    }

    /// Refuse the code of another game than the run's.
    fn check(&self, code: &Code) -> Result<()> {
        let (found, game) = (self.values.game(), code.game());
        if code.game() != *found {
            let dir = self.args.dir.display();
            bail!(
                "{dir}: holds the game {found}, not {game}, of which the code is: give another --dir"
            );
        }
        Ok(())
    }

    /// Rate a game of the run.
    fn rate(&mut self, code: &Code) -> Result<Rated> {
        Ok(Rated::new(
            code,
            &mut self.values,
            self.goal,
            self.args.worst,
        )?)
    }
}

/// Print one line of JSON.
fn json(answer: &impl Serialize, out: &mut Sink) -> Result<()> {
    Ok(writeln!(out, "{}", serde_json::to_string(answer)?)?)
}

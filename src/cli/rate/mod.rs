//! `enum48 rate`: what the moves of a game gave away.

mod answer;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use serde::Serialize;

use self::answer::{Rated, Refused};
use super::objectives::objective;
use super::output::Output;
use super::resources::{LOOKUP_MEMORY, Resources};
use super::stdin::Questions;
use super::{Outcome, open, talk};
use crate::engine;
use crate::game::Objective;
use crate::play::{Code, LONGEST};
use crate::solve::{self, BatchValues, Values};
use crate::store::{Goal, Run, Sink, Solution};

/// Rate the moves of a game: what each gave away, by a solved run
///
/// A move's loss is how much less is to be expected after it than after the best one, with the best
/// play from there on; luck has no part in it. A move that is as good as the best loses exactly 0,
/// and a game of such moves too. The exit code is 1 if the code is false.
///
/// Takes up to eight blocks of the run's files for each move: part of a second for a game of 3x3.
#[derive(clap::Args)]
#[command(mut_arg("memory", |memory| memory.long_help(LOOKUP_MEMORY)), after_help = "\
Examples:
  enum48 rate w1.2x2-8.BD.1.w..W.10f0c486 --dir enum48-data/2x2-8
  enum48 rate s1.3x3.0.31.-/t/v97/7/g.1385f34a --dir enum48-data/3x3 --for 512
  enum48 rate - --dir enum48-data/3x3 < codes     a code a line, an answer a line

Keys of --json: code; moves, each with move, best (the move itself if it is as
good as any), loss, number, board (before it), ties (all best moves), value and
best_value (of the move, and of the best); loss, of all moves; game; objective;
best_moves, how many lost nothing; worst, the numbers of the worst moves; error,
the most by which a value can be off: what a move loses, by at most twice that.
Of a line that is no code, or one of another game: code, error and line.")]
pub(super) struct Args {
    /// The code of a game, as play and replay print it, or - to read codes from stdin, one a line
    #[arg(value_name = "CODE", allow_hyphen_values = true)]
    code: String,

    /// Directory of a solved run of the game, such as enum48-data/3x3
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,

    /// What the game was played for: score, moves or a tile that the run is solved for [default: the
    /// first of these that it is solved for, the smallest tile of several]
    #[arg(long = "for", value_name = "OBJECTIVE", value_parser = objective)]
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
    let goal = solve::goals(&solution, args.objective.as_slice())?[0];
    if args.code == "-" {
        let pool = Arc::new(engine::pool(plan.threads())?);
        let values = BatchValues::new(&solution, &[goal], plan.memory(), pool)?;
        return lines(args, &solution, goal, values);
    }
    let code: Code = match args.code.trim().parse() {
        Ok(code) => code,
        Err(error) => {
            if args.json {
                let refused = Refused::new(&args.code, 1, &error);
                Output::Stdout.write(|out| json(&refused, out))?;
            } else {
                talk::say(error);
            }
            return Ok(Outcome::Disagreed);
        }
    };
    check(&code, solution.run())?;
    let mut values = Values::new(&solution, &[goal], plan.memory())?;
    let error = solution.error(goal);
    let rated = Rated::new(&code, &mut values, goal, error, args.worst)?;
    Output::Stdout.write(|out| match args.json {
        true => json(&rated, out),
        false => Ok(write!(out, "{rated:#}")?),
    })?;
    Ok(Outcome::Done)
}

/// Refuse the code of another game than the run's.
fn check(code: &Code, run: &Run) -> Result<()> {
    let (found, game) = (run.game(), code.game());
    if game != *found {
        let dir = run.dir().display();
        bail!(
            "{dir}: holds the game {found}, not {game}, of which the code is: give another --dir"
        );
    }
    Ok(())
}

/// Answer each line of stdin with a line.
fn lines(args: &Args, solution: &Solution, goal: Goal, mut values: BatchValues) -> Result<Outcome> {
    let read = |text: &str, line: u64| {
        let code: Result<Code> = text.parse().map_err(anyhow::Error::new);
        let code = code.and_then(|code| check(&code, solution.run()).map(|()| code));
        Some(code.map_err(|error| Refused::new(text, line, &error)))
    };
    let error = solution.error(goal);
    let mut outcome = Outcome::Done;
    let mut input = Questions::new(LONGEST);
    Output::Stdout.write(|out| {
        loop {
            let batch = input.batch(read)?;
            if batch.is_empty() {
                return Ok(());
            }
            let rate = |values: &mut Values, code| match code {
                Ok(code) => Rated::new(code, values, goal, error, args.worst).map(Ok),
                Err(refused) => Ok(Err(refused)),
            };
            for rated in values.each(&batch, |_| (), |values, code| rate(values, code.as_ref()))? {
                outcome = outcome.max(rated.as_ref().map_or(Outcome::Disagreed, |_| Outcome::Done));
                match rated {
                    Ok(rated) if args.json => json(&rated, out)?,
                    Ok(rated) => writeln!(out, "{rated}")?,
                    Err(refused) if args.json => json(refused, out)?,
                    Err(refused) => writeln!(out, "{refused}")?,
                }
            }
            out.flush()?;
        }
    })?;
    Ok(outcome)
}

/// Print one line of JSON.
fn json(answer: &impl Serialize, out: &mut Sink) -> Result<()> {
    Ok(writeln!(out, "{}", serde_json::to_string(answer)?)?)
}

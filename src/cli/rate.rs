//! `enum48 rate`: the loss of each move of a game.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::cli::args::objectives::{bound, loss, number, objective, rate_in_json};
use crate::cli::args::{AskedGame, LOOKUP_MEMORY, Resources, whole};
use crate::cli::ask::solved::FourArgs;
use crate::cli::ask::{self, Questions};
use crate::cli::out::Outcome;
use crate::cli::out::board::JudgedMoves;
use crate::cli::out::output::{self, print_json};
use crate::error;
use crate::game::{FourRate, Grid, Objective};
use crate::play::Code;
use crate::solve::Values;
use crate::store::{Goal, Run};

/// Rate the moves of a game: the loss of each move, by a solved run
///
/// The loss of a move is the expectation after the best move minus the expectation after this move,
/// with the best play from then on. It does not depend on luck. The loss of a best move is exactly 0,
/// and so is the loss of a game of best moves. A move is a best move if its value is within twice the
/// error of the greatest. The exit code is 1 if the code is false.
///
/// Takes up to eight blocks of the run's files for each move: part of a second for a game of 3x3.
#[derive(clap::Args)]
#[command(mut_arg("memory", |memory| memory.long_help(LOOKUP_MEMORY)), after_help = "\
Examples:
  enum48 rate w1.2x2-8.BD.1.w..W.10f0c486 --dir enum48-data/2x2-8
  enum48 rate s1.3x3.0.31.-/t/v97/7/g.1385f34a --dir enum48-data/3x3 --for 512
  enum48 rate - --dir enum48-data/3x3 < codes     one code per line, one answer per line

Keys of --json: code; moves, each with move, best (the move itself if it is a
best move), loss, number, board (before the move), ties (all best moves), value
(of the move) and best_value (of a best move); loss, of all moves; game;
objective; best_moves, their number; worst, the numbers of the worst moves;
error, the maximum error of a value (of a loss, twice that);
four, the rate of spawned 4s that the values expect.
For a line that is no code, or a code of another game: code, error and line.")]
pub(super) struct Args {
    /// The code of a game, as play and replay print it, or @FILE for the code in a file; - to read
    /// codes from stdin, one per line. Codes of 2048verse and certificates are read, too
    #[arg(value_name = "CODE")]
    code: String,

    /// Directory of a solved run of the game, such as enum48-data/3x3 [default: a game up to 3x3 is
    /// solved at once, in memory]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    four: FourArgs,

    /// The objective of the game: score, moves or a tile that the run is solved for [default: the first
    /// of these that it is solved for, the smallest tile of several]
    #[arg(long = "for", value_name = "OBJECTIVE", value_parser = objective)]
    objective: Option<Objective>,

    /// Number of the worst moves to name
    #[arg(long, value_name = "N", value_parser = whole(0, usize::MAX), default_value_t = 5)]
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
    let questions = Questions::on_games(&["code", "error", "line"], args.json);
    let text = ask::code(&args.code)?;
    let code = (text != "-").then(|| text.parse());
    let code: Option<Code> = match code.transpose() {
        Ok(code) => code,
        Err(error) => return questions.refuse(&text, &error),
    };
    let asked = code.as_ref().map(|code| AskedGame::Implied(code.game()));
    let asked = asked.context("the codes of stdin need a game: give --dir");
    let wanted = args.objective.as_slice();
    let mut solved = args.four.open(args.dir.as_deref(), asked, wanted, &plan)?;
    solved.goals.truncate(1);
    let (run, goal) = (solved.solution.run(), solved.goals[0]);
    let mut values = solved.values(&plan)?;
    let mut rate = |codes: &[Code]| {
        let rated = |values: &mut Values, code| RatedGame::new(code, values, goal, args.worst);
        values.each(codes, |_| (), rated)
    };
    let Some(code) = code else {
        let read = |text: &str| {
            let code: Result<Code> = text.parse().map_err(anyhow::Error::new);
            Some(code.and_then(|code| check(&code, run).map(|()| code)))
        };
        return questions.answer(read, rate, |rated, out| {
            match args.json {
                true => print_json(out, rated)?,
                false => writeln!(out, "{rated}")?,
            }
            Ok(Outcome::Done)
        });
    };
    check(&code, run)?;
    let rated = rate(&[code])?;
    output::print(|out| match args.json {
        true => print_json(out, &rated[0]),
        false => Ok(write!(out, "{:#}", rated[0])?),
    })?;
    Ok(Outcome::Done)
}

/// Refuse a code whose game is not the game of the run.
pub(super) fn check(code: &Code, run: &Run) -> Result<()> {
    let (found, game) = (run.game(), code.game());
    if game != *found {
        let dir = run.dir().display();
        bail!(
            "{dir}: holds the game {found}, not {game}, the game of the code: give another --dir"
        );
    }
    Ok(())
}

/// A game with its moves rated. The fields are the keys of `--json`, in order. Users rely on the order:
/// add new keys at the end.
#[derive(Serialize)]
struct RatedGame {
    code: String,
    moves: Vec<RatedMove>,
    loss: f64,
    game: String,
    objective: Objective,
    best_moves: usize,
    /// Numbers of the moves with the greatest losses, the worst first.
    worst: Vec<u64>,
    /// The maximum error of a value; the error of a loss is at most twice that.
    error: f64,
    /// The rate of spawned 4s that the values expect, if one depends on it.
    #[serde(serialize_with = "rate_in_json")]
    four: Option<FourRate>,
}

#[derive(Serialize)]
struct RatedMove {
    r#move: &'static str,
    /// The move itself if it is a best move.
    best: &'static str,
    loss: f64,
    number: u64,
    /// The board before the move.
    board: Grid,
    /// All best moves.
    ties: Vec<&'static str>,
    value: f64,
    best_value: f64,
}

impl RatedGame {
    /// Rate a game for one goal, the goal of `values`. Name at most `worst` of the worst moves.
    fn new(code: &Code, values: &mut Values, goal: Goal, worst: usize) -> error::Result<Self> {
        let mut replay = code.replay();
        let mut moves: Vec<RatedMove> = Vec::with_capacity(code.moves().len());
        let mut board = replay.position().board();
        while let (Some(before), Some(turn)) = (board, replay.next()) {
            let turn = turn?;
            let judged = JudgedMoves::new(values, before)?;
            let played = judged.get(turn.direction);
            let played = played.expect("a move of a game is legal");
            let (loss, ties) = (judged.loss(0, played), judged.best_names(0));
            let name = turn.direction.name();
            moves.push(RatedMove {
                r#move: name,
                best: if loss == 0.0 { name } else { ties[0] },
                loss,
                number: turn.number,
                board: Grid::new(before, code.game().size())?,
                ties,
                value: played.numbers[0],
                best_value: judged.worth[0],
            });
            board = turn.position.board();
        }
        let mut order: Vec<&RatedMove> = moves.iter().filter(|of| of.loss > 0.0).collect();
        let best_moves = moves.len() - order.len();
        // A sum of no losses would be -0.0.
        let loss = order.iter().fold(0.0, |sum, of| sum + of.loss);
        // The sort is stable: among equal losses, the first in the game stays first.
        order.sort_by(|a, b| b.loss.total_cmp(&a.loss));
        Ok(Self {
            code: code.to_string(),
            loss,
            game: code.game().to_string(),
            objective: goal.objective,
            best_moves,
            worst: order.iter().take(worst).map(|of| of.number).collect(),
            moves,
            error: values.solution().error(goal),
            four: values.solution().four(),
        })
    }

    /// The moves with the greatest losses.
    fn worst(&self) -> impl Iterator<Item = &RatedMove> {
        self.worst
            .iter()
            .map(|&number| &self.moves[number as usize - 1])
    }
}

/// One line, for scripts; with `#` a table, for people.
impl fmt::Display for RatedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.table(f);
        }
        let (moves, best) = (self.moves.len(), self.best_moves);
        let lost = loss(self.objective, self.loss);
        write!(f, "moves={moves} best={best} loss={lost} worst=")?;
        match self.worst().next() {
            Some(worst) => write!(f, "{}:{}", worst.number, loss(self.objective, worst.loss)),
            None => f.write_str("-"),
        }
    }
}

impl RatedGame {
    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lost = |lost| loss(self.objective, lost);
        let first = self.moves.first();
        let width = first.map_or(0, |of| format!("{:#x}", of.board).len());
        writeln!(
            f,
            "{:>6} {:width$} {:<5} {:>11} {:>11} best",
            "", "board", "move", "value", "loss"
        )?;
        for of in &self.moves {
            let (value, lost) = (number(self.objective, of.value), lost(of.loss));
            let (at, board, name, ties) = (of.number, of.board, of.r#move, of.ties.join(", "));
            writeln!(
                f,
                "{at:>6} {board:#x} {name:<5} {value:>11} {lost:>11} {ties}"
            )?;
        }
        writeln!(
            f,
            "\n\
             game       {}\n\
             objective  {}\n\
             moves      {}, best {}\n\
             loss       {}\n\
             values     off by at most {}, the loss of a move by at most twice that",
            self.game,
            self.objective,
            self.moves.len(),
            self.best_moves,
            lost(self.loss),
            bound(self.error)
        )?;
        if let Some(four) = self.four {
            writeln!(f, "4s         {four} of spawned tiles")?;
        }
        for (at, of) in self.worst().enumerate() {
            let head = if at == 0 { "worst" } else { "" };
            let (number, name, board) = (of.number, of.r#move, of.board);
            let (lost, ties) = (lost(of.loss), of.ties.join(", "));
            writeln!(
                f,
                "{head:<10} move {number}, {name} at {board}: loses {lost} against {ties}"
            )?;
        }
        Ok(())
    }
}

//! `enum48 best`: the values of the moves of a board.

mod answer;
mod batch;

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use self::answer::{AnswerForm, JudgedBoard};
use crate::cli::args::game::board;
use crate::cli::args::objectives::Objectives;
use crate::cli::args::resources::{LOOKUP_MEMORY, Resources};
use crate::cli::ask::solved::{FourArgs, SolvedGame};
use crate::cli::job::open::GameOrRun;
use crate::cli::out::Outcome;
use crate::cli::out::output;
use crate::engine;
use crate::game::Objective;
use crate::solve::{BatchValues, Values};

/// The best move of a board, and the value of each move, by a solved run or a small game
///
/// The board may lie in any orientation. The value of a move is an expectation, with the best play for
/// the objective after the move: of the score or the moves from this board on, or of reaching a tile.
/// The loss of a move is its difference from the best move for the first objective. The error is the
/// maximum error of a value before it is rounded for print; the error of a loss is at most twice that. A
/// move whose loss is within this error is also a best move. The exit code is 1 if the run does not
/// reach the board: then there are no values.
///
/// Without --dir, a game up to 3x3 is counted and solved at once, in some seconds and in memory, and
/// nothing is left behind. If --size names the game, a --dir that does not exist is made and keeps the
/// solution, and an interrupted one is finished. A spawned tile is a 4 one time in ten, unless the game
/// is solved with --four.
///
/// A board needs some blocks of the run's files, about a millisecond. Blocks stay in memory, so
/// batches are faster: tens of thousands of boards a second on 3x3.
#[derive(clap::Args)]
#[command(mut_arg("memory", |memory| memory.long_help(LOOKUP_MEMORY)), after_help = "\
Examples:
  enum48 best '2 4 8 / 16 . 2 / . . .'         solves 3x3 at once
  enum48 best '2 . / 4 8' --for sure-16,score --four 0.2
  enum48 best 0x012233544 --dir enum48-data/3x3
  enum48 best '2 . / 4 8' --dir enum48-data/2x2 --for 32,score
  enum48 best - --dir enum48-data/3x3 < boards     one board per line, one answer per line
  enum48 states DIR --format csv | enum48 best - --dir DIR --csv

With -, lines are boards, as on the command line, or a CSV whose first line names
a column board or state. A line that is no board, or a board that the run does
not reach, is answered in its place, and the exit code is 1.

Columns of --csv: board; best, the first move of the greatest value; up, right, down and
left, the value of each for the first objective; a column for each objective,
the value of the board; note: dead, won, not reached, or the fault of the line.

Keys of --json: board; cells, row by row, 0 where empty; best; moves, each with
move, legal, afterstate (not turned), values, loss, and losses for every
objective; state: live, dead, won, empty or impossible; reached; values of the
board under the best play for each objective; error, the maximum error of a
value; four, the rate of spawned 4s that the values expect.
For a line that is no board: line and error.")]
pub(super) struct Args {
    /// The board: as in 0x2310, where leading zeros may be left out, or row by row as in '4 8 / 2 .';
    /// - to read boards from stdin
    #[arg(value_name = "BOARD", required = true, num_args = 1..)]
    board: Vec<String>,

    #[command(flatten)]
    game: GameOrRun,

    #[command(flatten)]
    objectives: Objectives,

    #[command(flatten)]
    four: FourArgs,

    /// Print a JSON object for each board
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Print a row of CSV for each board, below a row of names
    #[arg(long)]
    csv: bool,

    #[command(flatten)]
    resources: Resources,
}

impl Args {
    /// The form of the answers: for people if there is only one board.
    fn form(&self) -> AnswerForm {
        match (self.json, self.csv) {
            (true, _) => AnswerForm::Json,
            (_, true) => AnswerForm::Csv,
            _ if self.board == ["-"] => AnswerForm::Line,
            _ => AnswerForm::Table,
        }
    }
}

/// Answer for one board, or for all boards on stdin.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let plan = args.resources.plan()?;
    let (dir, wanted) = (args.game.dir.as_deref(), args.objectives.wanted());
    let asked = args.game.of_board(&args.board);
    if let Ok(asked) = &asked
        && !dir.is_some_and(Path::exists)
        && args.board != ["-"]
    {
        // Before the game is solved.
        board(&args.board, &asked.game())?;
    }
    let solved = args.four.open(dir, asked, wanted, &plan)?;
    let SolvedGame {
        solution,
        reader,
        goals,
        memory,
        ..
    } = &solved;
    let game = args.game.game(Some(solution.run()))?;
    let form = args.form();
    if args.board == ["-"] {
        let pool = Arc::new(engine::pool(plan.threads())?);
        let values = BatchValues::new(solution, reader, goals, *memory, pool)?;
        return batch::answer(values, goals, game.size(), form);
    }
    let grid = board(&args.board, &game)?;
    let mut values = Values::new(solution, reader, goals, *memory)?;
    let answer = JudgedBoard::new(&mut values, goals, grid)?;
    let objectives: Vec<Objective> = goals.iter().map(|goal| goal.objective).collect();
    output::print(|out| {
        if form == AnswerForm::Csv {
            write!(out, "{}", answer::heading(&objectives))?;
        }
        answer.write(form, &objectives, out)
    })?;
    Ok(answer.outcome())
}

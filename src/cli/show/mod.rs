//! `enum48 show`: one board, and what the rules and a run say of it.

mod answer;

use std::io::{self, Write};

use anyhow::{Context, Result};

use self::answer::{Answer, Place};
use super::Outcome;
use super::game::{GameOrRun, board};
use crate::game::{Grid, PartKey};
use crate::part::Kind;
use crate::store::{Run, Solution};
use crate::witness::Layers;

/// Show a board: its canonical form, its moves, and the states that follow
///
/// With --dir, also says whether that run reached the board, from the index and one block of its
/// part; the exit code is 0 if it did, 1 if not. Parts list live states: a dead or won board is
/// reached if a move leads to it from a live state that is. A run that kept only afterstates tells by
/// these. What its moves are worth is told by best, if the run is solved.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 show 0x2310 --size 2
  enum48 show '4 8 / 2 .' --size 2 --max 16
  enum48 show 0x0132 --dir enum48-data/2x2-32

Keys of --json: game; board, canonical; orbit, the number of different images;
sum, max_tile; state: live, dead, won or empty; moves, each with direction,
legal, wins and, unless it wins, board, afterstate, and the canonical states
with_2 and with_4; reached: true, false, or null without --dir; and file and
block, if the board is listed there. Boards are text such as 0x2310.")]
pub(super) struct Args {
    /// The board: as in 0x2310, or row by row as in '4 8 / 2 .'
    #[arg(value_name = "BOARD", required = true, num_args = 1..)]
    board: Vec<String>,

    #[command(flatten)]
    game: GameOrRun,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Show the board.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let (game, run) = args.game.open()?;
    let board = board(&args.board, &game)?;
    let mut answer = Answer::new(game, board)?;
    if let Some(run) = &run
        && Solution::open(run.dir()).is_ok_and(|solution| solution.goals().next().is_some())
    {
        answer.solved = Some(run.dir().to_owned());
    }
    // What the rules say is shown even if the run cannot tell.
    let asked = run.map_or(Ok(()), |run| ask(&run, board, &mut answer));
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
    } else {
        write!(out, "{answer}")?;
    }
    asked?;
    Ok(match answer.reached {
        Some(false) => Outcome::Disagreed,
        _ => Outcome::Done,
    })
}

/// Ask a run whether it has a board, or a state from which a move leads to it.
fn ask(run: &Run, board: Grid, answer: &mut Answer) -> Result<()> {
    let reached = Layers::new(run, 0)?.reached(board.board())?;
    answer.reached = Some(reached);
    let part = run.part(Kind::States, PartKey::of(board.board()))?;
    if let Some(part) = part.filter(|_| reached && answer.is_live())
        && let Some(block) = part.block_of(answer.canonical())
    {
        let name = part.path().file_name().context("a part has a name")?;
        let file = name.display().to_string();
        answer.place = Some(Place { file, block });
    }
    Ok(())
}

//! `enum48 show`: one board, and what the rules say of it.

use std::io::{self, Write};

use anyhow::{Context, Result};

use super::Outcome;
use super::game::{GameOrRun, board};
use crate::game::{Board, Direction, Exp, Game, Grid, Moved, PartKey};
use crate::part::Kind;
use crate::play::{Position, Status};
use crate::store::Run;
use crate::witness::Layers;

/// Show a board: its canonical form, its moves, and the states that follow
///
/// With --dir, also says whether that run reached the board, from the index and one block of its
/// part; the exit code is 0 if it did, 1 if not. Parts list live states: a dead or won board is
/// reached if a move leads to it from a live state that is.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 show 0x2310 --size 2
  enum48 show '4 8 / 2 .' --size 2 --max 16
  enum48 show 0x0132 --dir enum48-data/2x2-32")]
pub(super) struct Args {
    /// The board: as in 0x2310, or row by row as in '4 8 / 2 .'
    #[arg(value_name = "BOARD", required = true, num_args = 1..)]
    board: Vec<String>,

    #[command(flatten)]
    game: GameOrRun,
}

/// Show the board.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let (game, run) = args.game.open()?;
    let view = View::new(game, board(&args.board, &game)?);
    let mut out = io::stdout();
    view.write(&mut out)?;
    run.map_or(Ok(Outcome::Done), |run| view.write_reached(&run, &mut out))
}

/// A board in a game.
struct View {
    game: Game,
    grid: Grid,
    position: Position,
}

impl View {
    fn new(game: Game, grid: Grid) -> Self {
        let position = Position::on(game, grid.board());
        Self {
            game,
            grid,
            position,
        }
    }

    /// A board of the game, to print.
    fn grid(&self, board: Board) -> Result<Grid> {
        Ok(Grid::new(board, self.game.size())?)
    }

    fn canonical(&self, board: Board) -> Board {
        self.game.canonical(board).0
    }

    /// Number of different images.
    fn orbit(&self) -> u64 {
        let mut one = vec![self.canonical(self.grid.board())];
        self.game.rules().census(&mut one).labeled
    }

    fn write(&self, out: &mut impl Write) -> Result<()> {
        let grid = self.grid;
        for line in format!("{grid:#}").lines() {
            writeln!(out, "  {line}")?;
        }
        let canonical = self.grid(self.canonical(grid.board()))?;
        let PartKey { sum, max } = PartKey::of(grid.board());
        let state = match self.position.status() {
            _ if grid.board() == 0 => "empty: not a board of any game",
            Status::Won => "won",
            Status::Dead => "dead: no legal move",
            Status::Live => "live",
        };
        writeln!(out)?;
        writeln!(out, "board      {grid:#x}")?;
        writeln!(out, "canonical  {canonical:#x}  {canonical}")?;
        writeln!(out, "orbit      {} boards, including itself", self.orbit())?;
        writeln!(out, "sum        {sum}, largest tile {}", max.tile())?;
        writeln!(out, "state      {state}")?;
        if self.position.status() == Status::Won {
            return Ok(());
        }
        let moves = self.game.moves(grid.board());
        for (direction, moved) in Direction::ALL.into_iter().zip(moves) {
            self.write_move(direction, moved, out)?;
        }
        Ok(())
    }

    fn write_move(&self, direction: Direction, moved: Moved, out: &mut impl Write) -> Result<()> {
        let name = direction.name();
        match moved {
            Moved::Illegal => writeln!(out, "{name:<9}  not legal")?,
            Moved::Wins if self.game.max().is_some() => writeln!(out, "{name:<9}  wins")?,
            Moved::Wins => {
                let mut after = self.position.clone();
                after.slide(direction);
                writeln!(
                    out,
                    "{name:<9}  {after}: 65536 has no digit, so what follows is not shown"
                )?;
            }
            Moved::To(after) => {
                let (grid, canonical) = (self.grid(after)?, self.grid(self.canonical(after))?);
                writeln!(
                    out,
                    "{name:<9}  {grid:#x}  {grid}  afterstate {canonical:#x}"
                )?;
                for tile in [Exp::TWO, Exp::FOUR] {
                    let states = self.spawned(after, tile)?.join(" ");
                    writeln!(out, "     + {}    {states}", tile.tile())?;
                }
            }
        }
        Ok(())
    }

    /// The canonical states that follow an afterstate when `tile` comes up.
    fn spawned(&self, afterstate: Board, tile: Exp) -> Result<Vec<String>> {
        let mut states: Vec<Board> = self.game.spawns(afterstate, tile).collect();
        self.game.canonicalise(&mut states);
        states.sort_unstable();
        states.dedup();
        let hex = |state| Ok(format!("{:#x}", self.grid(state)?));
        states.into_iter().map(hex).collect()
    }

    /// Say whether the run has the board, or a state from which a move leads to it.
    fn write_reached(&self, run: &Run, out: &mut impl Write) -> Result<Outcome> {
        let (board, game) = (self.grid.board(), self.game);
        if !Layers::new(run, 0)?.reached(board)? {
            writeln!(out, "reached    no: {game} has no such state")?;
            return Ok(Outcome::Disagreed);
        }
        let part = run.part(Kind::States, PartKey::of(board))?;
        let canonical = self.canonical(board);
        let block = part.as_ref().and_then(|part| part.block_of(canonical));
        let listed = board != 0 && self.position.status() == Status::Live;
        match (part, block) {
            (Some(part), Some(block)) if listed => {
                let name = part.path().file_name().context("a part has a name")?;
                writeln!(out, "reached    yes: {}, block {block}", name.display())?;
            }
            _ => writeln!(
                out,
                "reached    yes: a move leads to it from a state of the run"
            )?,
        }
        Ok(Outcome::Done)
    }
}

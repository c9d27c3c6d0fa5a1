//! `enum48 show`: one board, and what the rules say of it.

use std::io::{self, Write};

use anyhow::{Context, Result};

use super::Outcome;
use super::position::{Named, board};
use crate::game::board::sum;
use crate::game::{Direction, Game, Grid};
use crate::play::{Position, Status};
use crate::run::Kind;
use crate::store::Archive;
use crate::witness::Layers;

/// Show a board: its canonical form, its moves, and the states that follow
///
/// With --dir also says whether it was reached in that run, from the index and one block of its part, and
/// the exit code is 0 if it was, 1 if not. Parts list live states: a dead or won board is reached if a state from
/// which a move leads to it was.
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
    game: Named,
}

/// Show the board.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let (game, archive) = args.game.open()?;
    let view = View::new(game, board(&args.board, &game)?);
    let mut out = io::stdout();
    view.write(&mut out)?;
    archive.map_or(Ok(Outcome::Done), |archive| {
        view.reached(&archive, &mut out)
    })
}

/// A board in a game.
struct View {
    game: Game,
    grid: Grid,
    canonical: u64,
    position: Position,
}

impl View {
    fn new(game: Game, grid: Grid) -> Self {
        let mut canonical = [grid.board()];
        game.rules().canonicalise(&mut canonical);
        Self {
            game,
            grid,
            canonical: canonical[0],
            position: Position::on(game, grid.board()),
        }
    }

    fn canonical(&self, mut boards: Vec<u64>) -> Vec<u64> {
        self.game.rules().canonicalise(&mut boards);
        boards.sort_unstable();
        boards.dedup();
        boards
    }

    fn hex(&self, board: u64) -> String {
        format!(
            "{board:#0width$x}",
            width = 2 + self.game.size().cells() as usize
        )
    }

    fn rows(&self, board: u64) -> Result<String> {
        Ok(Grid::new(board, self.game.size())?.to_string())
    }

    /// Exponent of the largest tile.
    fn largest(&self) -> u8 {
        crate::game::board::max_exponent(self.grid.board())
    }

    fn kind(&self) -> &'static str {
        match self.position.status() {
            _ if self.grid.board() == 0 => "empty: no board of a game",
            Status::Won => "won",
            Status::Dead => "dead: no legal move",
            Status::Live => "live",
        }
    }

    fn write(&self, out: &mut impl Write) -> Result<()> {
        let board = self.grid.board();
        for line in format!("{:#}", self.grid).lines() {
            writeln!(out, "  {line}")?;
        }
        let sum = sum(board);
        let largest = if board == 0 {
            0
        } else {
            1u32 << self.largest()
        };
        let images = self.orbit();
        writeln!(out)?;
        writeln!(out, "board      {}", self.hex(board))?;
        writeln!(
            out,
            "canonical  {}  {}",
            self.hex(self.canonical),
            self.rows(self.canonical)?
        )?;
        writeln!(out, "orbit      {images} boards, itself among them")?;
        writeln!(out, "sum        {sum}, largest tile {largest}")?;
        writeln!(out, "state      {}", self.kind())?;
        if self.kind() == "won" {
            return Ok(());
        }
        for direction in Direction::ALL {
            let name = direction.name();
            let mut after = self.position.clone();
            if !after.slide(direction) {
                writeln!(out, "{name:<9}  not legal")?;
            } else if after.status() == Status::Won {
                writeln!(out, "{name:<9}  wins")?;
            } else if let Some(after) = after.board() {
                let canonical = self.canonical(vec![after])[0];
                writeln!(
                    out,
                    "{name:<9}  {}  {}  afterstate {}",
                    self.hex(after),
                    self.rows(after)?,
                    self.hex(canonical)
                )?;
                for tile in [1, 2] {
                    let mut spawned = Vec::new();
                    self.game.rules().spawn(&[after], tile, &mut spawned);
                    let states = self.canonical(spawned);
                    let states: Vec<String> = states.iter().map(|&state| self.hex(state)).collect();
                    writeln!(out, "     + {}    {}", 1 << tile, states.join(" "))?;
                }
            } else {
                writeln!(
                    out,
                    "{name:<9}  {after}: 65536 has no digit, so what follows is not shown"
                )?;
            }
        }
        Ok(())
    }

    /// Number of different images.
    fn orbit(&self) -> u64 {
        let mut one = vec![self.canonical];
        self.game.rules().census(&mut one).labeled
    }

    /// Say whether the run has the board, or a state from which a move leads to it.
    fn reached(&self, archive: &Archive, out: &mut impl Write) -> Result<Outcome> {
        let (board, game) = (self.grid.board(), self.game);
        if !Layers::new(archive, 0)?.reached(board)? {
            writeln!(out, "reached    no: {game} has no such state")?;
            return Ok(Outcome::Disagreed);
        }
        let (sum, max) = (sum(board), 1 << self.largest());
        let part = archive.part(Kind::States, sum, max)?;
        let block = part.as_ref().and_then(|part| part.block_of(self.canonical));
        match (part, block) {
            (Some(part), Some(block)) if self.kind() == "live" => {
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

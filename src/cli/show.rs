//! `enum48 show`: one board, and the verdicts of the rules and of a run on it.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::cli::args::board;
use crate::cli::job::open::GameOrRun;
use crate::cli::out::Outcome;
use crate::cli::out::board::{BoardState, picture};
use crate::cli::out::output;
use crate::cli::out::talk;
use crate::cli::out::units;
use crate::game::{Board, Direction, Exp, Game, Grid, Moved, PartKey};
use crate::part::Kind;
use crate::play::{Position, Status};
use crate::read::Reader;
use crate::store::Solution;
use crate::witness::Layers;

/// Show a board: its canonical form, its moves, and the states that follow
///
/// With --dir, also says whether that run reached the board, from the index and one block of its
/// part; the exit code is 0 if it did, 1 if not. Parts list live states: a dead or won board is
/// reached if a move leads to it from a live state that is reached. For a run that kept only
/// afterstates, the afterstates before the board decide. If the run is solved, best prints the value of
/// each move.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 show 0x2310 --size 2
  enum48 show '4 8 / 2 .' --size 2 --max 16
  enum48 show 0x0132 --dir enum48-data/2x2-32

Keys of --json: game; board, canonical; orbit, the number of different images;
sum, max_tile; state: live, dead, won, empty or impossible; moves, each with
direction, legal, wins and, if it is legal and neither wins nor makes a 65536,
board, afterstate, and the canonical states with_2 and with_4; reached: true,
false, or null without --dir; and the file and block that list the board, if
any. Boards are text such as 0x2310.")]
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

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let (game, reader) = args.game.open()?;
    let board = board(&args.board, &game)?;
    let mut shown = ShownBoard::new(game, board)?;
    if let Some(dir) = &args.game.dir
        && Solution::open(dir).is_ok_and(|solution| solution.goals().next().is_some())
    {
        shown.solved = Some(dir.clone());
    }
    // The verdict of the rules is shown even if the run cannot tell.
    let asked = reader.map_or(Ok(()), |reader| ask(&reader, board, &mut shown));
    output::answer(args.json, &shown)?;
    asked?;
    Ok(match shown.reached {
        Some(false) => Outcome::Disagreed,
        _ => Outcome::Done,
    })
}

/// Ask a run whether it has a board, or a state from which a move leads to it.
fn ask(reader: &Reader, board: Grid, shown: &mut ShownBoard) -> Result<()> {
    let reached = Layers::new(reader, 0)?.reached(board.board())?;
    shown.reached = Some(reached);
    if reader.run().keep().matrices() {
        // To unpack a layer for the place of one board would take too long.
        return Ok(());
    }
    let part = reader.part(Kind::States, PartKey::of(board.board()))?;
    if let Some(part) = part.filter(|_| reached && shown.state == BoardState::Live)
        && let Some(block) = part.block_of(shown.canonical.board())
    {
        let name = part.path().file_name().context("a part has a name")?;
        let file = name.display().to_string();
        shown.place = Some(ShownPlace { file, block });
    }
    Ok(())
}

/// The verdict of the rules on a board, and whether a run reached it. The fields are the keys of
/// `--json`, in order. Users rely on the order: add new keys at the end.
#[derive(Serialize)]
struct ShownBoard {
    game: String,
    board: Grid,
    canonical: Grid,
    orbit: u64,
    sum: u32,
    max_tile: u32,
    state: BoardState,
    moves: Vec<ShownMove>,
    /// `None` if no run was asked, or if the run cannot tell.
    reached: Option<bool>,
    /// The place among the files of the run, if the board is listed in one.
    #[serde(flatten)]
    place: Option<ShownPlace>,
    /// The directory of the run, if it is solved.
    #[serde(skip)]
    solved: Option<PathBuf>,
}

#[derive(Serialize)]
struct ShownPlace {
    file: String,
    block: usize,
}

/// A move. The boards are missing if the move is not legal, wins, or makes a tile without a digit.
#[derive(Serialize)]
struct ShownMove {
    direction: &'static str,
    legal: bool,
    wins: bool,
    #[serde(flatten)]
    after: Option<Followers>,
}

/// The boards that follow a move.
#[derive(Serialize)]
struct Followers {
    board: Grid,
    afterstate: Grid,
    /// The canonical states after a spawned 2, and after a 4.
    with_2: Vec<Grid>,
    with_4: Vec<Grid>,
}

impl ShownBoard {
    fn new(game: Game, board: Grid) -> Result<Self> {
        let canonical = game.canonical(board.board());
        let PartKey { sum, max } = PartKey::of(board.board());
        let position = Position::on(game, board.board());
        let state = BoardState::of(game, board.board());
        let mut moves = Vec::new();
        if position.status() != Status::Won {
            let moved = game.moves(board.board());
            for (direction, moved) in Direction::ALL.into_iter().zip(moved) {
                let after = match moved {
                    Moved::To(after) => Some(Followers::new(game, after)?),
                    Moved::Illegal | Moved::Wins => None,
                };
                moves.push(ShownMove {
                    direction: direction.name(),
                    legal: moved != Moved::Illegal,
                    wins: moved == Moved::Wins && game.max().is_some(),
                    after,
                });
            }
        }
        Ok(Self {
            game: game.to_string(),
            board,
            canonical: Grid::new(canonical, game.size())?,
            orbit: game.rules().census(&mut vec![canonical]).labeled,
            sum,
            max_tile: max.tile(),
            state,
            moves,
            reached: None,
            place: None,
            solved: None,
        })
    }
}

impl Followers {
    fn new(game: Game, board: Board) -> Result<Self> {
        let grid = |board| Grid::new(board, game.size());
        let spawned = |tile| -> Result<Vec<Grid>> {
            let mut states: Vec<Board> = game.spawns(board, tile).collect();
            game.canonicalise(&mut states);
            states.sort_unstable();
            states.dedup();
            Ok(states.into_iter().map(grid).collect::<Result<_, _>>()?)
        };
        Ok(Self {
            board: grid(board)?,
            afterstate: grid(game.canonical(board))?,
            with_2: spawned(Exp::TWO)?,
            with_4: spawned(Exp::FOUR)?,
        })
    }
}

impl fmt::Display for ShownBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            board, canonical, ..
        } = self;
        let why = match self.state {
            BoardState::Live | BoardState::Won => "",
            BoardState::Dead => ": no legal move",
            BoardState::Empty => ": not a board of any game",
            BoardState::Impossible => " in this game: it never makes the largest tile",
        };
        writeln!(
            f,
            "{}\
             board      {board:#x}\n\
             canonical  {canonical:#x}  {canonical}\n\
             orbit      {}, including itself\n\
             sum        {}, largest tile {}\n\
             state      {}{why}",
            picture(board),
            units::things(self.orbit, "board"),
            self.sum,
            self.max_tile,
            self.state,
        )?;
        self.moves.iter().try_for_each(|moved| moved.fmt(f))?;
        let Some(reached) = self.reached else {
            return Ok(());
        };
        let verdict = match &self.place {
            _ if !reached => format!("no: {} has no such state", self.game),
            Some(ShownPlace { file, block }) => format!("yes: {file}, block {block}"),
            None if self.state == BoardState::Live => {
                "yes, by the afterstates: the run does not list the states of this sum".to_owned()
            }
            None => "yes: a move leads to it from a state of the run".to_owned(),
        };
        writeln!(f, "reached    {verdict}")?;
        if let Some(dir) = self.solved.as_ref().filter(|_| reached) {
            let dir = talk::plain(dir.display());
            writeln!(f, "values     enum48 best {board:#x} --dir {dir}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ShownMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<9}  ", self.direction)?;
        let Some(after) = &self.after else {
            let verdict = match (self.legal, self.wins) {
                (false, _) => "not legal",
                (true, true) => "wins",
                (true, false) => "makes a 65536, which has no digit",
            };
            return writeln!(f, "{verdict}");
        };
        let (board, afterstate) = (after.board, after.afterstate);
        writeln!(f, "{board:#x}  {board}  afterstate {afterstate:#x}")?;
        for (tile, states) in [(2, &after.with_2), (4, &after.with_4)] {
            let states: Vec<String> = states.iter().map(|state| format!("{state:#x}")).collect();
            writeln!(f, "     + {tile}    {}", states.join(" "))?;
        }
        Ok(())
    }
}

//! `enum48 show`: one board, and the verdict of the rules and of a run on it.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::{Serialize, Serializer};

use super::Outcome;
use super::board::{BoardState, picture};
use super::game::{GameOrRun, board};
use super::output::print_json;
use super::units;
use crate::game::{Board, Direction, Exp, Game, Grid, Moved, PartKey};
use crate::part::Kind;
use crate::play::Position;
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
    let mut shown = ShownBoard::new(game, board)?;
    if let Some(run) = &run
        && Solution::open(run.dir()).is_ok_and(|solution| solution.goals().next().is_some())
    {
        shown.solved = Some(run.dir().to_owned());
    }
    // What the rules say is shown even if the run cannot tell.
    let asked = run.map_or(Ok(()), |run| ask(&run, board, &mut shown));
    let mut out = io::stdout();
    if args.json {
        print_json(&mut out, &shown)?;
    } else {
        write!(out, "{shown}")?;
    }
    asked?;
    Ok(match shown.reached {
        Some(false) => Outcome::Disagreed,
        _ => Outcome::Done,
    })
}

/// Ask a run whether it has a board, or a state from which a move leads to it.
fn ask(run: &Run, board: Grid, shown: &mut ShownBoard) -> Result<()> {
    let reached = Layers::new(run, 0)?.reached(board.board())?;
    shown.reached = Some(reached);
    let part = run.part(Kind::States, PartKey::of(board.board()))?;
    if let Some(part) = part.filter(|_| reached && shown.is_live())
        && let Some(block) = part.block_of(shown.canonical())
    {
        let name = part.path().file_name().context("a part has a name")?;
        let file = name.display().to_string();
        shown.place = Some(ShownPlace { file, block });
    }
    Ok(())
}

/// What the rules say of a board, and whether a run reached it. The fields are the keys of `--json`,
/// in their order. They are a contract: new ones go to the end.
#[derive(Serialize)]
struct ShownBoard {
    #[serde(serialize_with = "name")]
    game: Game,
    board: Grid,
    canonical: Grid,
    orbit: u64,
    sum: u32,
    max_tile: u32,
    state: BoardState,
    moves: Vec<ShownMove>,
    /// `None` if no run was asked, or it cannot tell.
    reached: Option<bool>,
    /// The place among the files of the run, if the board is listed in one.
    #[serde(flatten)]
    place: Option<ShownPlace>,
    /// The directory of the run, if it is solved.
    #[serde(skip)]
    solved: Option<PathBuf>,
}

/// A block of a file.
#[derive(Serialize)]
struct ShownPlace {
    file: String,
    block: usize,
}

/// A move; the boards are missing if it is not legal, wins, or makes a tile that has no digit.
#[derive(Serialize)]
struct ShownMove {
    direction: &'static str,
    legal: bool,
    wins: bool,
    #[serde(flatten)]
    after: Option<Followers>,
    /// The board after a move that makes the tile 65536, as text.
    #[serde(skip)]
    beyond: Option<String>,
}

/// What follows a move.
#[derive(Serialize)]
struct Followers {
    board: Grid,
    afterstate: Grid,
    /// The canonical states that follow when a 2 comes up, and a 4.
    with_2: Vec<Grid>,
    with_4: Vec<Grid>,
}

fn name<S: Serializer>(game: &Game, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(game)
}

impl ShownBoard {
    /// What the rules say.
    fn new(game: Game, board: Grid) -> Result<Self> {
        let (canonical, _) = game.canonical(board.board());
        let PartKey { sum, max } = PartKey::of(board.board());
        let position = Position::on(game, board.board());
        let state = BoardState::of(game, board.board());
        let mut moves = Vec::new();
        if state != BoardState::Won {
            let moved = game.moves(board.board());
            for (direction, moved) in Direction::ALL.into_iter().zip(moved) {
                moves.push(ShownMove::new(game, &position, direction, moved)?);
            }
        }
        Ok(Self {
            game,
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

    /// Whether parts list such a board: states are live.
    fn is_live(&self) -> bool {
        self.state == BoardState::Live
    }

    pub(super) fn canonical(&self) -> Board {
        self.canonical.board()
    }
}

impl ShownMove {
    fn new(game: Game, position: &Position, direction: Direction, moved: Moved) -> Result<Self> {
        let wins = moved == Moved::Wins && game.max().is_some();
        let beyond = (moved == Moved::Wins && !wins).then(|| {
            let mut after = position.clone();
            after.slide(direction);
            after.to_string()
        });
        let after = match moved {
            Moved::To(after) => Some(Followers::new(game, after)?),
            Moved::Illegal | Moved::Wins => None,
        };
        Ok(Self {
            direction: direction.name(),
            legal: moved != Moved::Illegal,
            wins,
            after,
            beyond,
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
            afterstate: grid(game.canonical(board).0)?,
            with_2: spawned(Exp::TWO)?,
            with_4: spawned(Exp::FOUR)?,
        })
    }
}

impl fmt::Display for ShownBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (board, canonical) = (self.board, self.canonical);
        write!(f, "{}", picture(&board))?;
        let why = match self.state {
            BoardState::Live | BoardState::Won => "",
            BoardState::Dead => ": no legal move",
            BoardState::Empty => ": not a board of any game",
        };
        writeln!(f, "board      {board:#x}")?;
        writeln!(f, "canonical  {canonical:#x}  {canonical}")?;
        writeln!(
            f,
            "orbit      {}, including itself",
            units::things(self.orbit, "board")
        )?;
        writeln!(f, "sum        {}, largest tile {}", self.sum, self.max_tile)?;
        writeln!(f, "state      {}{why}", self.state)?;
        self.moves.iter().try_for_each(|moved| moved.fmt(f))?;
        match (self.reached, &self.place) {
            (None, _) => {}
            (Some(false), _) => writeln!(f, "reached    no: {} has no such state", self.game)?,
            (Some(true), Some(ShownPlace { file, block })) => {
                writeln!(f, "reached    yes: {file}, block {block}")?;
            }
            (Some(true), None) if self.is_live() => writeln!(
                f,
                "reached    yes, by the afterstates: the states of this sum were dropped"
            )?,
            (Some(true), None) => writeln!(
                f,
                "reached    yes: a move leads to it from a state of the run"
            )?,
        }
        match &self.solved {
            Some(dir) if self.reached == Some(true) => writeln!(
                f,
                "values     enum48 best {board:#x} --dir {}",
                dir.display()
            ),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for ShownMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<9}  ", self.direction)?;
        if let Some(board) = &self.beyond {
            return writeln!(
                f,
                "{board}: 65536 has no digit, so what follows is not shown"
            );
        }
        let Some(Followers {
            board,
            afterstate,
            with_2,
            with_4,
        }) = &self.after
        else {
            return writeln!(f, "{}", if self.wins { "wins" } else { "not legal" });
        };
        writeln!(f, "{board:#x}  {board}  afterstate {afterstate:#x}")?;
        for (tile, states) in [(2, with_2), (4, with_4)] {
            let states: Vec<String> = states.iter().map(|state| format!("{state:#x}")).collect();
            writeln!(f, "     + {tile}    {}", states.join(" "))?;
        }
        Ok(())
    }
}

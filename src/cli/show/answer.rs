//! What `show` says of a board, as text or as JSON.

use std::fmt;
use std::path::PathBuf;

use anyhow::Result;
use serde::{Serialize, Serializer};

use crate::cli::state::State;
use crate::cli::units;
use crate::game::{Board, Direction, Exp, Game, Grid, Moved, PartKey};
use crate::play::Position;

/// What the rules say of a board, and whether a run reached it. The fields are the keys of `--json`,
/// in their order. They are a contract: new ones go to the end.
#[derive(Serialize)]
pub(super) struct Answer {
    #[serde(serialize_with = "name")]
    game: Game,
    board: Grid,
    canonical: Grid,
    orbit: u64,
    sum: u32,
    max_tile: u32,
    state: State,
    moves: Vec<Move>,
    /// `None` if no run was asked, or it cannot tell.
    pub(super) reached: Option<bool>,
    /// The place among the files of the run, if the board is listed in one.
    #[serde(flatten)]
    pub(super) place: Option<Place>,
    /// The directory of the run, if it is solved.
    #[serde(skip)]
    pub(super) solved: Option<PathBuf>,
}

/// A block of a file.
#[derive(Serialize)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) block: usize,
}

/// A move; the boards are missing if it is not legal, wins, or makes a tile that has no digit.
#[derive(Serialize)]
struct Move {
    direction: &'static str,
    legal: bool,
    wins: bool,
    #[serde(flatten)]
    after: Option<After>,
    /// The board after a move that makes the tile 65536, as text.
    #[serde(skip)]
    beyond: Option<String>,
}

/// What follows a move.
#[derive(Serialize)]
struct After {
    board: Grid,
    afterstate: Grid,
    /// The canonical states that follow when a 2 comes up, and a 4.
    with_2: Vec<Grid>,
    with_4: Vec<Grid>,
}

fn name<S: Serializer>(game: &Game, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(game)
}

impl Answer {
    /// What the rules say.
    pub(super) fn new(game: Game, board: Grid) -> Result<Self> {
        let (canonical, _) = game.canonical(board.board());
        let PartKey { sum, max } = PartKey::of(board.board());
        let position = Position::on(game, board.board());
        let state = State::of(game, board.board());
        let mut moves = Vec::new();
        if state != State::Won {
            let moved = game.moves(board.board());
            for (direction, moved) in Direction::ALL.into_iter().zip(moved) {
                moves.push(Move::new(game, &position, direction, moved)?);
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
    pub(super) fn is_live(&self) -> bool {
        self.state == State::Live
    }

    pub(super) fn canonical(&self) -> Board {
        self.canonical.board()
    }
}

impl Move {
    fn new(game: Game, position: &Position, direction: Direction, moved: Moved) -> Result<Self> {
        let wins = moved == Moved::Wins && game.max().is_some();
        let beyond = (moved == Moved::Wins && !wins).then(|| {
            let mut after = position.clone();
            after.slide(direction);
            after.to_string()
        });
        let after = match moved {
            Moved::To(after) => Some(After::new(game, after)?),
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

impl After {
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

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (board, canonical) = (self.board, self.canonical);
        for line in format!("{board:#}").lines() {
            writeln!(f, "  {line}")?;
        }
        let why = match self.state {
            State::Live | State::Won => "",
            State::Dead => ": no legal move",
            State::Empty => ": not a board of any game",
        };
        writeln!(f)?;
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
            (Some(true), Some(Place { file, block })) => {
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

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<9}  ", self.direction)?;
        if let Some(board) = &self.beyond {
            return writeln!(
                f,
                "{board}: 65536 has no digit, so what follows is not shown"
            );
        }
        let Some(After {
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

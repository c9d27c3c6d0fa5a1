//! `enum48 show`: one board, and the verdicts of the rules and of a run on it.

use std::fmt::Write;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::cli::args::board;
use crate::cli::job::open::GameOrRun;
use crate::cli::out::Outcome;
use crate::cli::out::board::{BoardState, picture};
use crate::cli::out::output::Reply;
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
    /// The board: as in 0x2310, or row by row as in '4 8 / 2 .'; a stone is f or x
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
    let board = board(&args.board, &game, Grid::of_game)?;
    let state = BoardState::of(game, board.board());
    // The verdict of the rules is shown even if the run cannot tell.
    let ask = |reader: &Reader| Layers::new(reader, 0)?.reached(board.board());
    let told = reader.as_ref().map(ask).transpose();
    let reached = *told.as_ref().unwrap_or(&None);
    let place = match &reader {
        Some(reader) if reached == Some(true) && state == BoardState::Live => place(reader, board),
        _ => Ok(None),
    };
    let solution = args.game.dir.as_deref().map(Solution::open);
    let solved = solution.is_some_and(|opened| opened.is_ok_and(|of| of.goals().next().is_some()));

    let mut reply = by_rules(game, board, state)?;
    reply.json["reached"] = reached.into();
    if let Ok(Some((file, block))) = &place {
        reply.json["file"] = file.as_str().into();
        reply.json["block"] = (*block).into();
    }
    if let Some(reached) = reached {
        let verdict = match &place {
            _ if !reached => format!("no: {game} has no such state"),
            Ok(Some((file, block))) => format!("yes: {file}, block {block}"),
            _ if state == BoardState::Live => {
                "yes, by the afterstates: the run does not list the states of this sum".to_owned()
            }
            _ => "yes: a move leads to it from a state of the run".to_owned(),
        };
        writeln!(reply.text, "reached    {verdict}")?;
        if let Some(dir) = args.game.dir.as_ref().filter(|_| reached && solved) {
            let dir = talk::plain(dir.display());
            writeln!(reply.text, "values     enum48 best {board:#x} --dir {dir}")?;
        }
    }
    reply.print(args.json)?;
    told?;
    place?;
    Ok(Outcome::of(reached != Some(false)))
}

/// The file and the block of the run that list a live state, if any.
fn place(reader: &Reader, board: Grid) -> Result<Option<(String, usize)>> {
    if reader.run().keep().matrices() {
        // To unpack a layer for the place of one board would take too long.
        return Ok(None);
    }
    let game = reader.run().game();
    let (key, canonical) = (game.part_of(board.board()), game.canonical(board.board()));
    let Some(part) = reader.part(Kind::States, key)? else {
        return Ok(None);
    };
    let name = part.path().file_name().context("a part has a name")?;
    let block = part.block_of(canonical);
    Ok(block.map(|block| (name.display().to_string(), block)))
}

/// The verdict of the rules on a board. Users rely on the order of the keys: add new keys at the end.
fn by_rules(game: Game, board: Grid, state: BoardState) -> Result<Reply> {
    let canonical = game.canonical(board.board());
    let PartKey { sum, max } = game.part_of(board.board());
    let orbit = game.rules().census(&mut vec![canonical]).labeled;
    let canonical = Grid::new(canonical, game.size())?;
    let why = match state {
        BoardState::Live | BoardState::Won => "",
        BoardState::Dead => ": no legal move",
        BoardState::Empty => ": not a board of any game",
        BoardState::Impossible => " in this game: it never makes the largest tile",
    };
    let mut text = format!(
        "{}\
         board      {board:#x}\n\
         canonical  {canonical:#x}  {canonical}\n\
         orbit      {}, including itself\n\
         sum        {sum}, largest tile {}\n\
         state      {state}{why}\n",
        picture(&board),
        units::things(orbit, "board"),
        max.tile(),
    );
    let mut moves = Vec::new();
    if Position::on(game, board.board()).status() != Status::Won {
        for (direction, moved) in Direction::ALL.into_iter().zip(game.moves(board.board())) {
            moves.push(show_move(game, direction, moved, &mut text)?);
        }
    }
    let json = json!({
        "game": game,
        "board": board,
        "canonical": canonical,
        "orbit": orbit,
        "sum": sum,
        "max_tile": max.tile(),
        "state": state,
        "moves": moves,
    });
    Ok(Reply { text, json })
}

/// A move in JSON. Its lines are added to `text`. There are no boards if the move is not legal, wins,
/// or makes a tile without a digit.
fn show_move(game: Game, direction: Direction, moved: Moved, text: &mut String) -> Result<Value> {
    let (name, grid) = (direction.name(), |board| Grid::new(board, game.size()));
    let (legal, wins) = (
        moved != Moved::Illegal,
        moved == Moved::Wins && game.max().is_some(),
    );
    let mut json = json!({ "direction": name, "legal": legal, "wins": wins });
    let Moved::To(after) = moved else {
        let verdict = match (legal, wins) {
            (false, _) => "not legal",
            (true, true) => "wins",
            (true, false) => "makes a 65536, which has no digit",
        };
        writeln!(text, "{name:<9}  {verdict}")?;
        return Ok(json);
    };
    let (board, afterstate) = (grid(after)?, grid(game.canonical(after))?);
    json["board"] = json!(board);
    json["afterstate"] = json!(afterstate);
    writeln!(
        text,
        "{name:<9}  {board:#x}  {board}  afterstate {afterstate:#x}"
    )?;
    for tile in [Exp::TWO, Exp::FOUR] {
        // The canonical states after the spawn of the tile.
        let mut states: Vec<Board> = game.spawns(after, tile).collect();
        game.canonicalise(&mut states);
        states.sort_unstable();
        states.dedup();
        let states = states
            .into_iter()
            .map(|state| Ok(format!("{:#x}", grid(state)?)));
        let (states, tile) = (states.collect::<Result<Vec<String>>>()?, tile.tile());
        writeln!(text, "     + {tile}    {}", states.join(" "))?;
        json[format!("with_{tile}")] = json!(states);
    }
    Ok(json)
}

//! `enum48 best`: the values of the moves of a board.

mod answer;

use std::path::Path;

use anyhow::{Context, Result};

use self::answer::JudgedBoard;
use crate::cli::args::objectives::Objectives;
use crate::cli::args::{LOOKUP_MEMORY, Resources, board};
use crate::cli::ask::solved::FourArgs;
use crate::cli::ask::{self, Questions};
use crate::cli::job::open::GameOrRun;
use crate::cli::out::Outcome;
use crate::cli::out::output::{self, print_json};
use crate::cli::out::units;
use crate::game::{Game, Grid};
use crate::lines::fields;
use crate::play::{Code, OtherForm};
use crate::store::Sink;

/// The best move of a board, and the value of each move, by a solved run or a small game
///
/// The board may lie in any orientation. If the game has masks, the board is turned or mirrored to keep
/// one; of several ways, in one that has a legal move, with the greatest value for the first objective. The
/// moves are told for the board as it lies. In a game with stones, tiles of at least the winning tile are stones; with target
/// cells, the largest of them. The value of a move is an expectation, with the best play for the objective
/// after the move: of the score or the moves from this board on, or of reaching a tile. The loss of a move
/// is its difference from the best move for the first objective. The error is the maximum error of a value
/// before it is rounded for print; the error of a loss is at most twice that. A move whose loss is within
/// this error is also a best move. The exit code is 1 if the run does not reach the board: then there are
/// no values.
///
/// Without --dir, a game up to 3x3 is counted and solved at once, in some seconds and in memory, and
/// nothing is left behind. If --size names the game, a --dir that does not exist is made and keeps the
/// solution, and an interrupted one is finished. A spawned tile is a 4 one time in ten, unless the game
/// is solved with --four.
///
/// A board needs some blocks of the run's files, about a millisecond. Blocks stay in memory, so
/// batches are faster: tens of thousands of boards a second on 3x3.
#[derive(clap::Args)]
#[command(mut_arg("memory", |memory| memory.long_help(LOOKUP_MEMORY)), after_help = include_str!("help.txt").trim_ascii_end())]
pub(super) struct Args {
    /// The board: as in 0x2310, where leading zeros may be left out, or row by row as in '4 8 / 2 .' (a
    /// stone is f or x); or the code of a game, or @FILE for a code in a file, for its last board; - to
    /// read boards from stdin
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

/// Answer for one board, or for all boards on stdin.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let plan = args.resources.plan()?;
    let (dir, wanted) = (args.game.dir.as_deref(), &args.objectives.wanted[..]);
    let words = match &args.board[..] {
        [code] => vec![end_of(&ask::code(code)?)?],
        words => words.to_vec(),
    };
    let (asked, single) = (args.game.of_board(&words), words != ["-"]);
    if let Ok(asked) = &asked
        && !dir.is_some_and(Path::exists)
        && single
    {
        // Before the game is solved.
        board(&words, &asked.game(), Grid::to_turn)?;
    }
    let solved = args.four.open(dir, asked, wanted, &plan)?;
    let goals = &solved.goals;
    let game = args.game.game(Some(solved.solution.run()))?;
    let heading = match args.csv {
        true => answer::heading(goals),
        false => String::new(),
    };
    let print = |answer: &JudgedBoard, out: &mut Sink| {
        match (args.json, args.csv) {
            (true, _) => print_json(out, answer)?,
            (_, true) => writeln!(out, "{}", answer.row())?,
            _ if single => write!(out, "{answer:#}")?,
            _ => writeln!(out, "{answer}")?,
        }
        Ok(Outcome::of(answer.reached))
    };
    let mut values = solved.values(&plan)?;
    // Boards are looked up in the order of their parts, so each block of a file is decoded once for a
    // batch, even if little memory is left for blocks.
    let key = |board: &Grid| (game.part_of(board.board()), board.board());
    let mut judge = |boards: &[Grid]| {
        values.each(boards, key, |values, board| {
            JudgedBoard::new(values, *board)
        })
    };
    if single {
        let answer = judge(&[board(&words, &game, Grid::to_turn)?])?;
        output::print(|out| {
            write!(out, "{heading}")?;
            print(&answer[0], out).map(drop)
        })?;
        return Ok(Outcome::of(answer[0].reached));
    }
    // The first line may name the columns of a CSV, and is then no question.
    let mut column = None;
    let read = |text: &str| {
        let is_first = column.is_none();
        let column = *column.get_or_insert_with(|| column_of_boards(text));
        let is_heading = is_first && column.is_some();
        (!is_heading).then(|| board_of_line(text, column, &game))
    };
    let questions = Questions {
        // A larger batch would be faster only on much larger games than 3x3.
        enough: 1 << 20,
        keys: &["line", "error"],
        prefix: "",
        json: args.json,
        heading,
    };
    questions.answer(read, judge, print)
}

/// Columns of a CSV that can hold the boards, as `best --csv` and `states --format csv` name them.
const COLUMNS: [&str; 2] = ["board", "state"];

/// The columns of the boards and of their cells, counted from 0; `None` if the first line does not name
/// boards, so that each line is a board.
fn column_of_boards(first: &str) -> Option<(usize, Option<usize>)> {
    let names = fields(first.as_bytes()).unwrap_or_default();
    let column = |wanted| names.iter().position(|name| name.trim() == wanted);
    let boards = COLUMNS.into_iter().find_map(column)?;
    Some((boards, column("cells")))
}

/// A text, or the last board of the game whose code it is. No board begins with a letter.
fn end_of(text: &str) -> Result<String> {
    let is_own = text.starts_with(['s', 'w']) && text.contains('.');
    if !is_own && OtherForm::of(text).is_none() {
        return Ok(text.to_owned());
    }
    Ok(text.parse::<Code>()?.end().to_string())
}

/// The board of a line, or of a column of it.
fn board_of_line(line: &str, columns: Option<(usize, Option<usize>)>, game: &Game) -> Result<Grid> {
    let Some((column, cells)) = columns else {
        return Ok(Grid::to_turn(&end_of(line)?, game)?);
    };
    let fields = fields(line.as_bytes()).map_err(anyhow::Error::msg)?;
    let field = fields.get(column).with_context(|| {
        let got = units::things(fields.len() as u64, "column");
        format!("expected a board in column {}, got {got}", column + 1)
    })?;
    if field.parse::<f64>().is_err() || field.starts_with('0') {
        return Ok(Grid::to_turn(field, game)?);
    }
    // Programs that read 0x0132 as a number write 306. R also rounds it, so the cells are read instead.
    let cells = cells.and_then(|cells| fields.get(cells)).with_context(|| {
        let advice = "keep that column as text, or keep the column cells";
        format!("{field}: a program has turned 0x into a decimal number: {advice}")
    })?;
    // `states` and `cells()` of Python write 1 for a stone.
    let tile = |tile| match tile {
        "1" if game.size().stones() > 0 => "x",
        tile => tile,
    };
    let tiles = cells.split(|c: char| !c.is_ascii_alphanumeric());
    let tiles: Vec<&str> = tiles.filter(|tile| !tile.is_empty()).map(tile).collect();
    let rows = tiles
        .chunks(game.size().cols().into())
        .map(|row| row.join(" "));
    let rows: Vec<String> = rows.collect();
    Ok(Grid::to_turn(&rows.join("/"), game)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_that_names_the_column_of_the_boards_makes_a_csv() {
        let game: Game = "2x2".parse().unwrap();
        for (first, line, expected) in [
            ("0x2310", "0x2310", 0x2310),
            ("4 8 / 2 .", "4,8 / 2,.", 0x2310),
            ("state,sum", "0x0132,14", 0x0132),
            ("sum,board", "14,\"4,8 / 2,.\"", 0x2310),
            ("state,sum, board ", "live,14,0x2310", 0x2310),
            ("\"state\",\"cells\"", "306,\"0 2 8 4\"", 0x0132),
            ("state,cells", "4e+03,\"[0, 32768, 1024, 0]\"", 0x0fa0),
        ] {
            let found = board_of_line(line, column_of_boards(first), &game).unwrap();
            assert_eq!(found.board(), expected, "{first}");
        }
    }

    #[test]
    fn a_column_of_cells_has_stones_as_1_or_as_tiles_from_the_winning_tile_on() {
        let game: Game = "2x2free2-16".parse().unwrap();
        let columns = column_of_boards("state,cells");
        for cells in ["1 1 2 0", "[1, 16, 2, 0]", "x x 2 0"] {
            let found = board_of_line(&format!("65296,\"{cells}\""), columns, &game).unwrap();
            assert_eq!(found.board(), 0xff10, "{cells}");
        }
        let plain = board_of_line("4112,1 0 2 0", columns, &"2x2-16".parse().unwrap());
        assert!(plain.unwrap_err().to_string().contains("\"1\" is neither"));
    }

    #[test]
    fn a_row_without_a_board_is_refused_with_the_reason() {
        let game: Game = "2x2".parse().unwrap();
        let column = column_of_boards("sum,state");
        let error = |line| board_of_line(line, column, &game).unwrap_err().to_string();
        assert_eq!(error("14"), "expected a board in column 2, got 1 column");
        assert_eq!(error(""), "expected a board in column 2, got 0 columns");
        assert!(error("14,0x12345").contains("more digits"));
        for line in ["14,306", "14,1234567890123456", "14,1e+05"] {
            let error = error(line);
            assert!(
                error.contains("has turned 0x into a decimal number"),
                "{error}"
            );
        }
    }
}

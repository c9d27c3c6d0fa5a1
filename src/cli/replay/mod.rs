//! `enum48 replay`: verify the code of a game, and print the end of the game.

mod page;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::args::objectives::Objectives;
use crate::cli::ask::{self, Questions};
use crate::cli::job::open;
use crate::cli::out::Outcome;
use crate::cli::out::board::{MEMORY, picture};
use crate::cli::out::output::{self, Output, print_json};
use crate::cli::out::units;
use crate::cli::rate;
use crate::game::Grid;
use crate::machine;
use crate::play::{Code, Turn};
use crate::read::Reader;
use crate::solve::{Values, goals};
use crate::store::Sink;

/// Replay a game from its code: verify each move, and print the last board
///
/// Moves tiles by the rules alone, on a plain array, with none of the code that counts states. The
/// exit code is 1 if the code is false, with the number of the move and the reason.
#[derive(clap::Args)]
#[command(mut_arg("wanted", |wanted| wanted.requires("dir")), after_help = include_str!("help.txt").trim_ascii_end())]
pub(super) struct Args {
    /// The code, or @FILE for the code in a file; - to read codes from stdin, one per line, with an
    /// answer per line
    #[arg(value_name = "CODE")]
    code: String,

    /// Print the board after each move
    #[arg(long)]
    step: bool,

    /// Print a JSON object for each code
    #[arg(long)]
    json: bool,

    /// Write to FILE, - for stdout, a page that shows the game in a browser; the address FILE#42 begins
    /// at move 42
    #[arg(long, value_name = "FILE", conflicts_with_all = ["step", "json"])]
    html: Option<PathBuf>,

    /// Directory of a solved run of the game: the page shows the value of each position, the best move,
    /// and the loss of the move that was made
    #[arg(long, value_name = "DIR", requires = "html")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    objectives: Objectives,
}

/// Replay one code, or all codes on stdin.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let questions = Questions {
        prefix: "false ",
        ..Questions::on_games(&["valid", "code", "error"], args.json)
    };
    if args.code == "-" {
        if args.step || args.html.is_some() {
            bail!("--step and --html: for a single code: give it, or @FILE, instead of -");
        }
        let replay = |codes: &[Code]| {
            let games = codes.iter().map(|code| ReplayedGame::new(code, false));
            Ok(games.collect())
        };
        let read = |text: &str| Some(text.parse().map_err(anyhow::Error::new));
        return questions.answer(read, replay, |game, out| ask::print(out, args.json, game));
    }
    let text = ask::code(&args.code)?;
    let code = match text.parse() {
        Ok(code) => code,
        Err(error) => return questions.refuse(&text, &error),
    };
    if let Some(path) = &args.html {
        page(args, &code, path)?;
    } else {
        output::print(|to| print(&code, args, to))?;
    }
    Ok(Outcome::Done)
}

fn page(args: &Args, code: &Code, path: &Path) -> Result<()> {
    let solution = args.dir.as_deref().map(open::solution).transpose()?;
    let mut values = None;
    if let Some(solution) = &solution {
        rate::check(code, solution.run())?;
        let reader = Reader::new(solution.run().clone(), &machine::plan()?);
        let goals = goals(solution, &args.objectives.wanted)?;
        values = Some(Values::new(solution, &reader, &goals, MEMORY)?);
    }
    Output::new(path)?.write(|to| page::write(code, values.as_mut(), to))
}

/// Print the game, as JSON or for people.
fn print(code: &Code, args: &Args, out: &mut Sink) -> Result<()> {
    let game = ReplayedGame::new(code, args.step && args.json);
    if args.json {
        return print_json(out, &game);
    }
    if args.step {
        let (moves, replay) = (code.moves().len(), code.replay());
        writeln!(out, "start of {}", units::things(moves as u64, "move"))?;
        write!(out, "{}", picture(replay.position()))?;
        for turn in replay.map_while(Result::ok) {
            writeln!(out, "move {} of {moves}: {turn}", turn.number)?;
            write!(out, "{}", picture(&turn.position))?;
        }
    } else {
        write!(out, "{}", picture(code.end()))?;
    }
    Ok(write!(out, "{game:#}")?)
}

/// A true code, and the end of its game. Users rely on the keys of its JSON.
#[derive(Serialize)]
struct ReplayedGame {
    valid: bool,
    code: String,
    game: String,
    rows: u8,
    cols: u8,
    max: Option<u32>,
    moves: usize,
    score: u64,
    sum: u32,
    max_tile: u32,
    state: String,
    /// In hexadecimal; null if the board has the tile 65536, which has no digit.
    board: Option<String>,
    cells: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<Value>>,
}

impl ReplayedGame {
    /// Replay a code; with `steps`, keep every move.
    fn new(code: &Code, steps: bool) -> Self {
        let (game, end) = (code.game(), code.end());
        let size = game.size();
        let cells: Vec<u32> = end.tiles().collect();
        let grid = |board| Grid::new(board, size).expect("a position fits its board");
        let replay = code.replay();
        let step = |turn: Turn| {
            let spawn = turn.spawn.map(|spawn| {
                let (row, column) = spawn.row_and_column(size);
                json!({ "row": row, "column": column, "tile": spawn.tile })
            });
            json!({
                "move": turn.number,
                "direction": turn.direction.name(),
                "gained": turn.gained,
                "spawn": spawn,
                "cells": turn.position.tiles().collect::<Vec<u32>>(),
            })
        };
        Self {
            valid: true,
            code: code.to_string(),
            game: game.to_string(),
            rows: size.rows(),
            cols: size.cols(),
            max: game.max(),
            moves: code.moves().len(),
            score: end.score(),
            sum: cells.iter().sum(),
            max_tile: cells.iter().copied().max().unwrap_or(0),
            state: end.status().to_string(),
            board: end.board().map(|board| format!("{:#x}", grid(board))),
            cells,
            start: steps.then(|| replay.position().tiles().collect()),
            steps: steps.then(|| replay.map_while(Result::ok).map(step).collect()),
        }
    }
}

/// One line, for scripts; with `#` a table, for people.
impl fmt::Display for ReplayedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (game, moves, score, state) = (&self.game, self.moves, self.score, &self.state);
        if !f.alternate() {
            let board = self.board.as_deref().unwrap_or("-");
            return write!(
                f,
                "true game={game} moves={moves} score={score} state={state} board={board}"
            );
        }
        writeln!(
            f,
            "game       {game}\nmoves      {moves}\nscore      {score}"
        )?;
        writeln!(f, "sum        {}, largest tile {}", self.sum, self.max_tile)?;
        if let Some(board) = &self.board {
            writeln!(f, "board      {board}")?;
        }
        writeln!(f, "state      {state}")
    }
}

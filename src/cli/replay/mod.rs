//! `enum48 replay`: verify the code of a game, and print the end of the game.

mod page;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
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
use crate::play::{Code, Position, Turn};
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
    /// answer per line. Codes of 2048verse and certificates are read, too
    #[arg(value_name = "CODE")]
    code: String,

    /// Print the board after each move
    #[arg(long)]
    step: bool,

    /// Print a JSON object for each code
    #[arg(long)]
    json: bool,

    /// Print the game as a certificate of 4x4, a line for each tile: start ROW COL VALUE, then such as
    /// L 1 1 2
    #[arg(long, conflicts_with_all = ["step", "json", "html"])]
    certificate: bool,

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
        if args.step || args.html.is_some() || args.certificate {
            bail!(
                "--step, --html and --certificate: for a single code: give it, or @FILE, instead of -"
            );
        }
        let line = |code: &Code| match args.json {
            true => in_json(code, false).to_string(),
            false => line(code),
        };
        let replay = |codes: &[Code]| Ok(codes.iter().map(line).collect());
        let read = |text: &str| Some(text.parse().map_err(anyhow::Error::new));
        return questions.answer(read, replay, |line: &String, out| {
            writeln!(out, "{line}")?;
            Ok(Outcome::Done)
        });
    }
    let text = ask::code(&args.code)?;
    let code = match text.parse() {
        Ok(code) => code,
        Err(error) => return questions.refuse(&text, &error),
    };
    if let Some(path) = &args.html {
        page(args, &code, path)?;
    } else if args.certificate {
        let certificate = code.certificate()?;
        output::print(|to| Ok(write!(to, "{certificate}")?))?;
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
    if args.json {
        return print_json(out, &in_json(code, args.step));
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
    let (game, moves, end) = (code.game(), code.moves().len(), code.end());
    let (score, state, [sum, max]) = (end.score(), end.status(), sum_and_max(end));
    writeln!(
        out,
        "game       {game}\nmoves      {moves}\nscore      {score}"
    )?;
    writeln!(out, "sum        {sum}, largest tile {max}")?;
    if let Some(board) = hexadecimal(end) {
        writeln!(out, "board      {board}")?;
    }
    Ok(writeln!(out, "state      {state}")?)
}

/// A true code, and the end of its game, in a line for scripts.
fn line(code: &Code) -> String {
    let (game, moves, end) = (code.game(), code.moves().len(), code.end());
    let (score, state) = (end.score(), end.status());
    let board = hexadecimal(end).unwrap_or("-".to_owned());
    format!("true game={game} moves={moves} score={score} state={state} board={board}")
}

/// A true code, and the end of its game; with `steps`, every move. Users rely on the keys.
fn in_json(code: &Code, steps: bool) -> Value {
    let (game, end, replay) = (code.game(), code.end(), code.replay());
    let (size, [sum, max]) = (game.size(), sum_and_max(end));
    let tiles = |position: &Position| position.tiles().collect::<Vec<u32>>();
    let mut json = json!({
        "valid": true,
        "code": code.to_string(),
        "game": game,
        "rows": size.rows(),
        "cols": size.cols(),
        "max": game.max(),
        "moves": code.moves().len(),
        "score": end.score(),
        "sum": sum,
        "max_tile": max,
        "state": end.status(),
        "board": hexadecimal(end),
        "cells": tiles(end),
    });
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
            "cells": tiles(&turn.position),
        })
    };
    if steps {
        json["start"] = json!(tiles(replay.position()));
        json["steps"] = replay.map_while(Result::ok).map(step).collect();
    }
    json
}

fn sum_and_max(position: &Position) -> [u32; 2] {
    // A stone adds nothing.
    let tiles = || position.tiles().filter(|&tile| tile > 1);
    [tiles().sum(), tiles().max().unwrap_or(0)]
}

/// The board in hexadecimal; `None` if it has the tile 65536, which has no digit.
fn hexadecimal(position: &Position) -> Option<String> {
    let grid = Grid::new(position.board()?, position.game().size());
    Some(format!("{:#x}", grid.expect("a position fits its board")))
}

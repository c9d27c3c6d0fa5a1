//! The page on which a solved game is played in a browser.
//!
//! Key idea: whoever plays needs only what the four afterstates of a board are worth, to as many
//! digits as people read. So the page has the rules, a table of all canonical afterstates, and finds
//! a move by sliding, turning the board and searching.
//!
//! # The table
//!
//! The page has the data of the game as JSON, and the table as base64 of a gzip stream of bytes:
//!
//! ```text
//!   first byte of every number,  second byte of every number, ...     as many bytes as the greatest needs,
//!   first byte of every value,   second byte of every value, ...      the least significant first
//!   the same for every other objective
//! ```
//!
//! - The *number* of an afterstate is its digits, row by row, read in base `base`, as an exponent has
//!   no more values in the game. The afterstates are in order of sum, then of number; each number but the
//!   first of a sum is the difference from the one before.
//! - A *value* is what the objective brings from the afterstate on, times `unit` and rounded: scores
//!   and moves to hundredths, chances to hundredths of a percent, as they are shown. Moves that are
//!   closer than that are equally good to the page. Games of at most 500,000 afterstates, where it
//!   costs little, have values a thousand times as fine.
//!
//! 2x4, all of its 3.4 million afterstates and their scores, takes 10 MB, and some 2 MB more for the
//! chance of a tile.
//!
//! Reading order: `table` (what the files of a solution have of that), this file.

mod table;

use std::io::Write;

use anyhow::{Result, bail};
use base64::prelude::{BASE64_STANDARD, Engine};
use indicatif::HumanCount;
use serde::Serialize;

use self::table::PageTable;
use crate::cli::page::Page;
use crate::play::Seed;
use crate::store::{Goal, Solution};

const PAGE: Page = Page {
    title: "A solved game of 2048",
    style: include_str!("play.css"),
    body: include_str!("play.html"),
    script: include_str!("play.js"),
};

/// The most afterstates of a game: 2x4 has 3.4 million. A telephone still loads the page.
const MOST: u64 = 4_000_000;

/// The game, as the page reads it.
#[derive(Serialize)]
struct PageGame {
    name: String,
    rows: u8,
    columns: u8,
    max: Option<u32>,
    /// The seed of the first game; `None` for a random one.
    seed: Option<String>,
    base: u64,
    /// Of each layer its sum and the number of afterstates.
    layers: Vec<(u32, usize)>,
    /// Bytes of a number.
    width: usize,
    objectives: Vec<PageObjective>,
}

/// What is played for.
#[derive(Serialize)]
struct PageObjective {
    name: String,
    unit: u64,
    /// Bytes of a value.
    width: usize,
}

/// Refuse a game that is too large for a page.
pub(super) fn check(solution: &Solution) -> Result<()> {
    let run = solution.run();
    let afterstates = run.table().totals().afterstates;
    if afterstates > MOST {
        bail!(
            "{}: {} is too large for a page: it has {} afterstates, and a page has room for {}: \
             play it in the terminal",
            run.dir().display(),
            run.game(),
            HumanCount(afterstates),
            HumanCount(MOST)
        );
    }
    Ok(())
}

/// Write the page for these goals of a solution, at least one.
pub(super) fn write(
    solution: &Solution,
    goals: &[Goal],
    seed: Option<Seed>,
    to: &mut dyn Write,
) -> Result<()> {
    let game = solution.run().game();
    let size = game.size();
    let table = PageTable::read(solution, goals)?;
    let objectives = goals.iter().zip(&table.columns);
    let objectives = objectives.map(|(goal, column)| PageObjective {
        name: goal.objective.to_string(),
        unit: column.unit,
        width: table::width(&column.values),
    });
    let game = PageGame {
        name: game.to_string(),
        rows: size.rows(),
        columns: size.cols(),
        max: game.max(),
        seed: seed.map(|seed| seed.to_string()),
        base: table.base,
        width: table::width(&table.numbers),
        objectives: objectives.collect(),
        layers: table.layers.clone(),
    };
    let packed = BASE64_STANDARD.encode(table.pack()?);
    Ok(PAGE.write(&[("table", &packed)], &game, to)?)
}

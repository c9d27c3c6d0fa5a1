//! The page on which a solved game is played in a browser.
//!
//! Key idea: to play, a page needs only the values of the four afterstates of a board, to as many
//! digits as people read. So the page has the rules and a table of all canonical afterstates. It finds
//! a move by sliding, turning the board and searching.
//!
//! # The table
//!
//! The page has the data of the game as JSON, and the table as base64 of a gzip stream of bytes:
//!
//! ```text
//!   first byte of every number,  second byte of every number, ...     as many bytes as the greatest needs,
//!   first byte of every value,   second byte of every value, ...      the least significant first
//!   first byte of every value for the next objective, ...
//! ```
//!
//! - The *number* of an afterstate has its exponents as digits, row by row. Its base is one more than
//!   the largest exponent of the game; with stones two more, and the greatest digit is a stone. The afterstates are in order of sum, then of number. Each
//!   number except the first of a sum is the difference from the number before it.
//! - A *value* is the expectation of the objective from the afterstate on, times `unit` and
//!   rounded: scores and moves to hundredths, as they are shown, chances to multiples of 1/50,000,
//!   which fit in two bytes. Only chances of exactly 0 or 1 round to 0 or 1. In games with at most
//!   500,000 afterstates, chances are 200 times as fine, scores and moves 1,000 times.
//!
//! The page takes moves as equally good if their values round to one number, or if errors of values
//! can explain the difference.
//!
//! The page of 2x4, with 3.4 million afterstates and their scores, takes 10 MB. The chance of a tile
//! takes some 2 MB more.

use std::io::{self, Write};

use anyhow::{Result, bail};
use base64::prelude::{BASE64_STANDARD, Engine};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::cli::page::Page;
use crate::error;
use crate::game::{Board, Exp, Game, Objective, Size};
use crate::part::{Kind, Part};
use crate::play::Seed;
use crate::read::Reader;
use crate::solve::{Payoff, SolvedBlock, SolvedPart};
use crate::store::{Goal, Solution};

const PAGE: Page = Page {
    title: "A solved game of 2048",
    style: include_str!("play.css"),
    body: include_str!("play.html"),
    script: include_str!("play.js"),
};

/// The most afterstates of a game with stones.
const MOST: u64 = 3_500_000;

/// The greatest number that a page can tell from the next.
const EXACT: u64 = 1 << 53;

/// The most afterstates of a game whose values are a thousand times as fine as people read them.
const FINE: u64 = 500_000;

/// The table of the page, while it is made.
struct PageTable {
    /// One more than the largest exponent.
    base: u64,
    /// The sum and the number of afterstates of each layer.
    layers: Vec<(u32, usize)>,
    /// The number of each afterstate, as the difference from the number before it in its layer.
    numbers: TableNumbers,
    objectives: Vec<PageObjective>,
}

/// An objective that the game is played for.
struct PageObjective {
    name: Objective,
    /// The table has values as multiples of 1/`unit`.
    unit: u64,
    /// The value of each afterstate.
    values: TableNumbers,
}

impl PageObjective {
    fn in_json(&self) -> Value {
        json!({ "name": self.name, "unit": self.unit, "width": self.values.width() })
    }

    fn in_units(&self, number: f64) -> u64 {
        let units = (number * self.unit as f64).round() as u64;
        match self.name {
            Objective::Tile(_) if number > 0.0 && number < 1.0 => units.clamp(1, self.unit - 1),
            _ => units,
        }
    }
}

/// Numbers of the table.
#[derive(Default)]
struct TableNumbers(Vec<u64>);

impl TableNumbers {
    /// Bytes that the greatest number takes, at least one.
    fn width(&self) -> usize {
        let most = self.0.iter().max().copied().unwrap_or(0);
        (u64::BITS - most.leading_zeros()).div_ceil(8).max(1) as usize
    }

    /// Write the first byte of every number, then the second, and so on.
    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        for byte in 0..self.width() {
            let plane = self.0.iter().map(|number| number.to_le_bytes()[byte]);
            to.write_all(&plane.collect::<Vec<u8>>())?;
        }
        Ok(())
    }
}

/// Refuse a game that is too large for a page. The largest that fits, 2x4, has 3.4 million afterstates,
/// and a telephone still loads its page. How many a game with stones has is known when it is counted.
pub(super) fn check(game: Game) -> Result<()> {
    if game.size().stones() > 0 {
        return Ok(());
    }
    let largest = match game.size().cells() {
        ..=8 => u32::MAX,
        9 => 256,
        12 => 16,
        _ => 8,
    };
    if largest < u32::MAX && game.max().is_none_or(|max| max > largest) {
        bail!(
            "--html: {game} is too large for a page, which has room for games up to 2x4, 3x3 to 256, 4x3 to \
             16 and 4x4 to 8: play it in the terminal"
        );
    }
    Ok(())
}

/// The largest exponent of the afterstates.
fn largest(solution: &Solution) -> Exp {
    let keys = solution.run().parts(Kind::Afterstates);
    keys.map(|key| key.max).max().unwrap_or(Exp::TWO)
}

/// The base of the numbers of the table.
fn base(solution: &Solution) -> u64 {
    let digits = match solution.run().game().size().stones() {
        0 => 1,
        _ => 2,
    };
    u64::from(largest(solution).get()) + digits
}

/// Refuse a counted game with stones that is too large for a page.
pub(super) fn check_counted(solution: &Solution) -> Result<()> {
    let game = solution.run().game();
    let afterstates = solution.run().table().totals().afterstates;
    let numbers = base(solution).checked_pow(game.size().cells());
    let fits = afterstates <= MOST && numbers.is_some_and(|all| all <= EXACT);
    if game.size().stones() > 0 && !fits {
        bail!(
            "--html: {game} is too large for a page, with {afterstates} afterstates and tiles up to {}: a page \
             has room for {MOST}, and on 4x4 for tiles up to 128: play it in the terminal",
            largest(solution).tile()
        );
    }
    Ok(())
}

/// Write the page for these goals of a solution, at least one. Takes about 40 bytes for each
/// afterstate.
pub(super) fn write(
    (solution, reader): (&Solution, &Reader),
    goals: &[Goal],
    seed: Option<Seed>,
    to: &mut dyn Write,
) -> Result<()> {
    let game = solution.run().game();
    let size = game.size();
    let fine = solution.run().table().totals().afterstates <= FINE;
    let objectives = goals.iter().map(|goal| PageObjective {
        name: goal.objective,
        unit: match goal.objective {
            Objective::Tile(_) if fine => 10_000_000,
            Objective::Tile(_) => 50_000,
            Objective::Sure(_) => 1,
            Objective::Score | Objective::Moves if fine => 100_000,
            Objective::Score | Objective::Moves => 100,
        },
        values: TableNumbers::default(),
    });
    let mut table = PageTable {
        base: base(solution),
        layers: Vec::new(),
        numbers: TableNumbers::default(),
        objectives: objectives.collect(),
    };
    let payoffs = Payoff::all(goals, game);
    for sum in (4..=solution.last_sum()).step_by(2) {
        let mut rows = Vec::new();
        for part in reader.parts_of(Kind::Afterstates, sum)? {
            table.read_part(solution, &payoffs, part, &mut rows)?;
        }
        rows.sort_unstable_by_key(|(board, _)| *board);
        table.push(size.cells(), sum, &rows);
    }
    let page = json!({
        "name": game,
        "rows": size.rows(),
        "columns": size.cols(),
        "max": game.max(),
        "stones": size.stones(),
        // The cells of each mask, and the target cells; null if the winning tile wins in any cell.
        "masks": size.locks().masks().iter().map(|&mask| cells_of(mask, size)).collect::<Value>(),
        "targets": size.locks().targets().map(|cells| cells_of(cells, size)),
        "horizon": game.horizon(),
        // Of the first game; null for a random one.
        "seed": seed.map(|seed| seed.to_string()),
        "base": table.base,
        "layers": table.layers,
        "width": table.numbers.width(),
        "objectives": table.objectives.iter().map(PageObjective::in_json).collect::<Value>(),
        // The rate of spawned 4s that the values expect.
        "four": solution.four().unwrap_or_default(),
        // The largest difference that errors can make, in units of the first objective.
        "margin": 2.0 * solution.error(goals[0]) * table.objectives[0].unit as f64,
    });
    let table = BASE64_STANDARD.encode(table.pack()?);
    Ok(PAGE.write(&[("table", &table)], &page, to)?)
}

/// The cells with the digit f.
fn cells_of(board: Board, size: Size) -> Vec<u32> {
    let last = size.cells() - 1;
    let is_there = |cell: &u32| board >> (4 * (last - cell)) & 15 == 15;
    (0..=last).filter(is_there).collect()
}

impl PageTable {
    /// Append the afterstates of a part, with their values for each goal.
    fn read_part(
        &self,
        solution: &Solution,
        payoffs: &[Payoff],
        part: Part,
        rows: &mut Vec<(Board, Vec<u64>)>,
    ) -> error::Result<()> {
        let part = SolvedPart::open(solution, payoffs, part)?;
        let part = part.expect("a goal that is reached has values for every part");
        let mut block = SolvedBlock::new(payoffs.len())?;
        for number in 0..part.afterstates.blocks() {
            block.read(&part, number)?;
            for (at, &board) in block.afterstates.iter().enumerate() {
                let columns = self.objectives.iter().zip(payoffs).zip(&block.values);
                let units = columns.map(|((objective, payoff), values)| {
                    objective.in_units(payoff.number(board, values[at]))
                });
                rows.push((board, units.collect()));
            }
        }
        Ok(())
    }

    /// Append a layer to the table.
    fn push(&mut self, cells: u32, sum: u32, rows: &[(Board, Vec<u64>)]) {
        let mut before = 0;
        for (board, values) in rows {
            let digits = (0..cells).rev().map(|cell| board >> (4 * cell) & 0xf);
            let digits = digits.map(|digit| digit.min(self.base - 1));
            let number = digits.fold(0, |number, digit| number * self.base + digit);
            self.numbers.0.push(number - before);
            before = number;
            for (objective, &value) in self.objectives.iter_mut().zip(values) {
                objective.values.0.push(value);
            }
        }
        if !rows.is_empty() {
            self.layers.push((sum, rows.len()));
        }
    }

    /// The bytes of the table, compressed.
    fn pack(&self) -> io::Result<Vec<u8>> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        self.numbers.write(&mut gzip)?;
        for objective in &self.objectives {
            objective.values.write(&mut gzip)?;
        }
        gzip.finish()
    }
}

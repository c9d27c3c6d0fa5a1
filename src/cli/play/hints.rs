//! What a solution says of the moves of a board.

use crossterm::style::Stylize;

use crate::error::Result;
use crate::game::{Direction, Objective};
use crate::play::{Position, Status};
use crate::solve::{MoveValue, Values};
use crate::store::{Goal, Solution};

/// Lines of a table of hints: a heading and the four directions.
pub(super) const ROWS: u16 = 1 + Direction::ALL.len() as u16;

/// Width of a direction, and of a column of numbers.
const NAME: usize = 6;
const COLUMN: usize = 10;

/// Memory for decoded blocks.
const MEMORY: u64 = 64 << 20;

/// Looks up moves in a solution. What is best is best for the first goal.
pub(super) struct Hints<'a> {
    goals: Vec<Goal>,
    values: Values<'a>,
}

impl<'a> Hints<'a> {
    /// Hints for some goals of a solution, at least one.
    pub(super) fn new(solution: &'a Solution, goals: Vec<Goal>) -> Result<Self> {
        Ok(Self {
            values: Values::new(solution, &goals, MEMORY)?,
            goals,
        })
    }

    /// The best move of a position; `None` if the game is over.
    pub(super) fn best(&mut self, position: &Position) -> Result<Option<Direction>> {
        let moves = self.moves(position)?;
        // Of several the first, whatever its direction.
        let best = moves.iter().rev().max_by_key(|of| of.units[0]);
        Ok(best.map(|best| best.direction))
    }

    /// A table of the moves of a position, for a window of so many columns: what each is worth, what
    /// it loses against the best, and what it is worth to other goals as far as there is room.
    pub(super) fn lines(&mut self, position: &Position, columns: u16) -> Result<Vec<String>> {
        let moves = self.moves(position)?;
        let room = usize::from(columns).saturating_sub(NAME + 2) / COLUMN;
        let line = |name: &str, cells: Vec<String>| {
            let cells = cells.into_iter().take(room);
            let cells: String = cells.map(|cell| format!("{cell:>COLUMN$}")).collect();
            format!("{name:<NAME$}{cells}")
        };
        let mut names = self.goals.iter().map(|goal| goal.objective.to_string());
        let first = names.next().expect("there is a goal");
        let heading = [first, "loss".to_owned()].into_iter().chain(names);
        let mut lines = vec![line("", heading.collect())];
        let best = moves.iter().max_by_key(|of| of.units[0]);
        for direction in Direction::ALL {
            let of = moves.iter().find(|of| of.direction == direction);
            lines.push(match of.zip(best) {
                None => line(direction.name(), vec!["-".to_owned()]),
                Some((of, best)) => {
                    let cells = line(direction.name(), self.cells(of, best));
                    let is_best = of.units[0] == best.units[0];
                    if is_best {
                        cells.bold().to_string()
                    } else {
                        cells
                    }
                }
            });
        }
        Ok(lines)
    }

    /// A line of the table.
    fn cells(&self, of: &MoveValue, best: &MoveValue) -> Vec<String> {
        let goals = self.goals.iter().zip(&of.numbers);
        let mut cells: Vec<String> = goals
            .map(|(goal, &of)| number(goal.objective, of))
            .collect();
        let loss = number(self.goals[0].objective, best.numbers[0] - of.numbers[0]);
        cells.insert(
            1,
            match loss.as_str() {
                _ if of.units[0] == best.units[0] => "best".to_owned(),
                "0.00" | "0.00 %" => "-<0.01".to_owned(),
                _ => format!("-{loss}"),
            },
        );
        cells
    }

    /// The legal moves of a position and what they are worth; none if the game is over.
    fn moves(&mut self, position: &Position) -> Result<Vec<MoveValue>> {
        match position
            .board()
            .filter(|_| position.status() == Status::Live)
        {
            Some(board) => self.values.moves(board),
            None => Ok(Vec::new()),
        }
    }
}

/// A value as people read it: a chance in percent.
fn number(objective: Objective, value: f64) -> String {
    match objective {
        Objective::Tile(_) => format!("{:.2} %", 100.0 * value),
        Objective::Score | Objective::Moves => format!("{value:.2}"),
    }
}

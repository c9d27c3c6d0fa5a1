//! A table of what the moves of a board are worth.

use crossterm::style::Stylize;

use crate::cli::board::{Adviser, JudgedMoves};
use crate::cli::objectives::{loss, number};
use crate::error::Result;
use crate::game::Direction;
use crate::play::Position;
use crate::solve::MoveValue;

/// Lines of the table: a heading and the four directions.
pub(super) const ROWS: u16 = 1 + Direction::ALL.len() as u16;

/// Width of a direction, and of a column of numbers.
const NAME: usize = 6;
const COLUMN: usize = 11;

/// The table for a position, in a window of so many columns: what each move is worth, what it loses
/// against the best, and what it is worth to other goals as far as there is room.
pub(super) fn lines(
    adviser: &mut Adviser,
    position: &Position,
    columns: u16,
) -> Result<Vec<String>> {
    let judged = adviser.advise(position)?;
    let goals = judged.goals().iter();
    let room = usize::from(columns).saturating_sub(NAME + 2) / COLUMN;
    let line = |name: &str, cells: Vec<String>| {
        let cells = cells.into_iter().take(room);
        let cells: String = cells.map(|cell| format!("{cell:>COLUMN$}")).collect();
        format!("{name:<NAME$}{cells}")
    };
    let mut heading: Vec<String> = goals.map(|goal| goal.objective.to_string()).collect();
    heading.insert(1, "loss".to_owned());
    let mut lines = vec![line("", heading)];
    for direction in Direction::ALL {
        let (name, of) = (direction.name(), judged.get(direction));
        let text = line(
            name,
            of.map_or(vec!["-".to_owned()], |of| cells(&judged, of)),
        );
        let is_best = of.is_some_and(|of| judged.loss(0, of) == 0.0);
        lines.push(if is_best {
            text.bold().to_string()
        } else {
            text
        });
    }
    Ok(lines)
}

/// The numbers of a move.
fn cells(judged: &JudgedMoves, of: &MoveValue) -> Vec<String> {
    let numbers = judged.goals().iter().zip(&of.numbers);
    let mut cells: Vec<String> = numbers
        .map(|(goal, &value)| number(goal.objective, value))
        .collect();
    let lost = loss(judged.goals()[0].objective, judged.loss(0, of));
    cells.insert(1, lost);
    cells
}

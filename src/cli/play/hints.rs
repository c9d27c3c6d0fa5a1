//! A table of what the moves of a board are worth.

use crossterm::style::Stylize;

use crate::cli::adviser::{Advice, Adviser};
use crate::cli::objectives::{loss, number};
use crate::error::Result;
use crate::game::{Direction, Objective};
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
    let advice = adviser.advise(position)?;
    let objectives: Vec<Objective> = adviser.objectives().collect();
    let room = usize::from(columns).saturating_sub(NAME + 2) / COLUMN;
    let line = |name: &str, cells: Vec<String>| {
        let cells = cells.into_iter().take(room);
        let cells: String = cells.map(|cell| format!("{cell:>COLUMN$}")).collect();
        format!("{name:<NAME$}{cells}")
    };
    let mut heading: Vec<String> = objectives.iter().map(ToString::to_string).collect();
    heading.insert(1, "loss".to_owned());
    let mut lines = vec![line("", heading)];
    for direction in Direction::ALL {
        let of = advice.moves.iter().find(|of| of.direction == direction);
        lines.push(match of {
            None => line(direction.name(), vec!["-".to_owned()]),
            Some(of) => {
                let text = line(direction.name(), cells(&objectives, &advice, of));
                if is_best(&advice, of) {
                    text.bold().to_string()
                } else {
                    text
                }
            }
        });
    }
    Ok(lines)
}

/// The numbers of a move.
fn cells(objectives: &[Objective], advice: &Advice, of: &MoveValue) -> Vec<String> {
    let numbers = objectives.iter().zip(&of.numbers);
    let mut cells: Vec<String> = numbers
        .map(|(&objective, &value)| number(objective, value))
        .collect();
    let loss = loss(objectives[0], advice.loss(of));
    cells.insert(1, loss);
    cells
}

fn is_best(advice: &Advice, of: &MoveValue) -> bool {
    advice.best().any(|best| best == of)
}

//! What a solution says of a board, for people.

use std::fmt;
use std::ops::Range;

use super::answer::{Answer, Move, Numbers};
use crate::cli::objectives::{bound, loss, number};

/// Most columns of a terminal that a table takes.
const WIDTH: usize = 80;

/// Width of the name of a move, and of a column of numbers.
const NAME: usize = 6;
const COLUMN: usize = 12;

impl Answer {
    /// The board, what it is worth, and its moves.
    pub(super) fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in format!("{:#}", self.board).lines() {
            writeln!(f, "  {line}")?;
        }
        writeln!(f, "\nboard      {:#x}", self.board)?;
        writeln!(f, "state      {}", self.state)?;
        let Some(Numbers(values)) = &self.values else {
            return writeln!(f, "reached    no: the run has no such state");
        };
        if self.best.is_none() {
            for &(objective, value) in values {
                let (name, value) = (objective.to_string(), number(objective, value));
                writeln!(f, "{name:<10} {value}")?;
            }
            return Ok(());
        }
        writeln!(f, "\n{:<10} {:<12} {:<8} best", "", "value", "error")?;
        let of_objectives = values.iter().zip(&self.error.0).enumerate();
        for (at, (&(objective, value), (_, error))) in of_objectives {
            let (name, value) = (objective.to_string(), number(objective, value));
            let (error, best) = (bound(*error), self.best_for(at).join(", "));
            writeln!(f, "{name:<10} {value:<12} {error:<8} {best}")?;
        }
        let width = format!("{:#x}", self.board).len();
        let columns = (WIDTH - NAME - 1 - width) / COLUMN;
        // The column of losses follows that of the first objective.
        let first = 0..values.len().min(columns - 1);
        self.of_moves(first.clone(), width, f)?;
        for from in (first.end..values.len()).step_by(columns) {
            self.of_moves(from..values.len().min(from + columns), width, f)?;
        }
        Ok(())
    }

    /// A table of the moves, for some of the objectives; with the losses for the first one.
    fn of_moves(
        &self,
        objectives: Range<usize>,
        width: usize,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        write!(f, "\n{:<NAME$} {:width$}", "move", "after")?;
        for (objective, _) in &self.error.0[objectives.clone()] {
            write!(f, "{:>COLUMN$}", objective.to_string())?;
        }
        let heading = if objectives.start == 0 { "loss" } else { "" };
        writeln!(f, "{}", format!("{heading:>COLUMN$}").trim_end())?;
        let mut moves = self.moves.iter();
        moves.try_for_each(|of| of.row(objectives.clone(), width, f))
    }
}

impl Move {
    /// A row of the table; a `*` is behind what is best for an objective.
    fn row(
        &self,
        objectives: Range<usize>,
        width: usize,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        write!(f, "{:<NAME$} ", self.r#move)?;
        let (Some(after), Some(Numbers(values))) = (self.afterstate, &self.values) else {
            return writeln!(f, "not legal");
        };
        let mut row = format!("{:width$}", format!("{after:#x}"));
        for at in objectives.clone() {
            let (objective, value) = values[at];
            let best = self.loses(at) == Some(0.0);
            let mark = if best { '*' } else { ' ' };
            row += &format!("{:>11}{mark}", number(objective, value));
        }
        if objectives.start == 0 {
            let lost = loss(values[0].0, self.loss.unwrap_or_default());
            row += &format!("{lost:>COLUMN$}");
        }
        writeln!(f, "{}", row.trim_end())
    }
}

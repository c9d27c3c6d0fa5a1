//! The ratings of a game: for people, for scripts, as JSON.

use std::fmt;

use serde::Serialize;

use crate::cli::objectives::{bound, loss, number};
use crate::error::Result;
use crate::game::{Grid, Objective};
use crate::play::{Code, Turn};
use crate::solve::{MoveValue, Values};
use crate::store::Goal;

/// A game with its moves rated. The fields are the keys of `--json`, in their order. They are a
/// contract: new ones go to the end.
#[derive(Serialize)]
pub(super) struct Rated {
    code: String,
    moves: Vec<Move>,
    loss: f64,
    game: String,
    #[serde(serialize_with = "name")]
    objective: Objective,
    best_moves: usize,
    /// Numbers of the moves that lost most, the worst first.
    worst: Vec<u64>,
    /// The most by which a value can be off; a loss, by twice that.
    error: f64,
}

#[derive(Serialize)]
struct Move {
    r#move: &'static str,
    /// The move itself if it is as good as any.
    best: &'static str,
    loss: f64,
    number: u64,
    /// Before the move.
    board: Grid,
    /// All best moves.
    ties: Vec<&'static str>,
    value: f64,
    best_value: f64,
    /// The loss, in units of the goal.
    #[serde(skip)]
    units: u32,
}

/// A line of stdin that is no code, or one of another game. The fields are the keys of `--json`.
#[derive(Serialize)]
pub(super) struct Refused {
    code: String,
    error: String,
    line: u64,
}

fn name<S: serde::Serializer>(objective: &Objective, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(objective)
}

impl Rated {
    /// Rate a game of the solved run for the one goal that `values` are of, which are off by no more
    /// than `error`, and name so many of the worst moves.
    pub(super) fn new(
        code: &Code,
        values: &mut Values,
        goal: Goal,
        error: f64,
        worst: usize,
    ) -> Result<Self> {
        let mut replay = code.replay();
        let mut moves: Vec<Move> = Vec::with_capacity(code.moves().len());
        let mut board = replay.position().board();
        while let (Some(before), Some(turn)) = (board, replay.next()) {
            let turn = turn?;
            let before = Grid::new(before, code.game().size())?;
            moves.push(Move::new(
                before,
                &turn,
                &values.moves(before.board())?,
                goal,
            ));
            board = turn.position.board();
        }
        let mut order: Vec<&Move> = moves.iter().filter(|of| of.units > 0).collect();
        let best_moves = moves.len() - order.len();
        let units: u64 = order.iter().map(|of| u64::from(of.units)).sum();
        // Of equal losses, the first in the game.
        order.sort_by_key(|of| std::cmp::Reverse(of.units));
        Ok(Self {
            code: code.to_string(),
            loss: units as f64 / (1u64 << goal.fraction) as f64,
            game: code.game().to_string(),
            objective: goal.objective,
            best_moves,
            worst: order.iter().take(worst).map(|of| of.number).collect(),
            moves,
            error,
        })
    }

    /// The moves that lost most.
    fn worst(&self) -> impl Iterator<Item = &Move> {
        self.worst
            .iter()
            .map(|&number| &self.moves[number as usize - 1])
    }
}

impl Move {
    fn new(board: Grid, turn: &Turn, moves: &[MoveValue], goal: Goal) -> Self {
        let played = moves.iter().find(|of| of.direction == turn.direction);
        let played = played.expect("a move of a game is legal");
        let best = moves.iter().max_by_key(|of| of.units[0]).unwrap_or(played);
        let ties = moves.iter().filter(|of| of.units == best.units);
        let ties: Vec<&str> = ties.map(|of| of.direction.name()).collect();
        let units = best.units[0] - played.units[0];
        let name = turn.direction.name();
        Self {
            r#move: name,
            best: if units == 0 { name } else { ties[0] },
            loss: goal.number(units),
            number: turn.number,
            board,
            ties,
            value: played.numbers[0],
            best_value: best.numbers[0],
            units,
        }
    }
}

impl Refused {
    /// A line, and what is wrong with it.
    pub(super) fn new(code: &str, line: u64, error: &impl ToString) -> Self {
        Self {
            code: code.to_owned(),
            error: error.to_string(),
            line,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.error)
    }
}

/// One line, for scripts; with `#` a table, for people.
impl fmt::Display for Rated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.table(f);
        }
        let (moves, best, lost) = (
            self.moves.len(),
            self.best_moves,
            loss(self.objective, self.loss),
        );
        write!(f, "moves={moves} best={best} loss={lost} worst=")?;
        match self.worst().next() {
            Some(worst) => write!(f, "{}:{}", worst.number, loss(self.objective, worst.loss)),
            None => f.write_str("-"),
        }
    }
}

impl Rated {
    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { objective, .. } = *self;
        let width = self
            .moves
            .first()
            .map_or(0, |of| format!("{:#x}", of.board).len());
        writeln!(
            f,
            "{:>6} {:width$} {:<5} {:>11} {:>11} best",
            "", "board", "move", "value", "loss"
        )?;
        for of in &self.moves {
            let board = format!("{:#x}", of.board);
            let (value, lost) = (number(objective, of.value), loss(objective, of.loss));
            let (name, ties) = (of.r#move, of.ties.join(", "));
            writeln!(
                f,
                "{:>6} {board} {name:<5} {value:>11} {lost:>11} {ties}",
                of.number
            )?;
        }
        writeln!(f)?;
        writeln!(f, "game       {}", self.game)?;
        writeln!(f, "objective  {objective}")?;
        writeln!(
            f,
            "moves      {}, best {}",
            self.moves.len(),
            self.best_moves
        )?;
        writeln!(f, "loss       {}", loss(objective, self.loss))?;
        writeln!(
            f,
            "values     off by at most {}, the loss of a move by at most twice that",
            bound(self.error)
        )?;
        for (at, of) in self.worst().enumerate() {
            let head = if at == 0 { "worst" } else { "" };
            let (board, ties) = (of.board, of.ties.join(", "));
            writeln!(
                f,
                "{head:<10} move {}, {} at {board}: loses {} against {ties}",
                of.number,
                of.r#move,
                loss(objective, of.loss)
            )?;
        }
        Ok(())
    }
}

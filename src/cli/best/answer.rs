//! The answer of `best` for a board: for scripts, as JSON and as CSV, and as a table for people.

use std::fmt;
use std::ops::Range;

use serde::{Serialize, Serializer};

use crate::cli::args::objectives::{bound, loss, number, rate_in_json};
use crate::cli::out::board::{BoardState, COLUMN, JudgedMoves, NAME, picture};
use crate::error::Result;
use crate::game::{Direction, Exp, FourRate, Grid, Moved, Objective};
use crate::solve::Values;
use crate::store::Goal;

/// The judgement of a solution on a board. The fields are the keys of `--json`, in order. Users rely
/// on the order: add new keys at the end.
#[derive(Serialize)]
pub(super) struct JudgedBoard {
    board: Grid,
    cells: Vec<u32>,
    best: Option<&'static str>,
    moves: [JudgedMove; 4],
    state: BoardState,
    pub(super) reached: bool,
    /// The value of the board for each objective under the best play; `None` if it is not reached.
    values: Option<Numbers>,
    /// The maximum error of a value, for each objective; the error of a loss is at most twice that.
    error: Numbers,
    /// The rate of spawned 4s that the values expect, if one depends on it.
    #[serde(serialize_with = "rate_in_json")]
    four: Option<FourRate>,
    /// The board as it was turned to keep a mask, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    turned: Option<Grid>,
}

/// A move. It has no values if the board is not reached.
#[derive(Default, Serialize)]
struct JudgedMove {
    r#move: &'static str,
    legal: bool,
    /// The board after the move, not canonical.
    afterstate: Option<Grid>,
    values: Option<Numbers>,
    /// The loss for the first objective.
    loss: Option<f64>,
    losses: Option<Numbers>,
}

/// A number for each objective; in JSON an object.
struct Numbers(Vec<(Objective, f64)>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let numbers = self.0.iter();
        to.collect_map(numbers.map(|(objective, number)| (objective.to_string(), number)))
    }
}

impl Numbers {
    fn of(goals: &[Goal], numbers: impl IntoIterator<Item = f64>) -> Self {
        let objectives = goals.iter().map(|goal| goal.objective);
        Self(objectives.zip(numbers).collect())
    }
}

impl JudgedBoard {
    /// Judge a board.
    pub(super) fn new(values: &mut Values, board: Grid) -> Result<Self> {
        let game = *values.game();
        let goals: &[Goal] = &values.goals().collect::<Vec<_>>();
        let found = JudgedMoves::turned(values, board.board())?;
        let (turned, judged) = match found {
            Some((turned, judged)) => (turned, Some(judged)),
            None => {
                let turned = game.turned(board.board()).next();
                (turned.expect("it was read as a board of the game"), None)
            }
        };
        let state = BoardState::of(game, turned.board);
        let mut moves = Direction::ALL.map(|direction| JudgedMove {
            r#move: direction.name(),
            ..JudgedMove::default()
        });
        if state == BoardState::Live {
            let moved = game.rules().moves(turned.board, Exp::LAST);
            for (direction, moved) in Direction::ALL.into_iter().zip(moved) {
                let of = &mut moves[turned.direction_back(direction) as usize];
                of.legal = moved != Moved::Illegal;
                if let Moved::To(after) = moved {
                    of.afterstate = Some(board.with_board(turned.board_back(after)));
                }
            }
        }
        if let Some(judged) = &judged {
            for of in &judged.moves {
                let losses = (0..goals.len()).map(|goal| judged.loss(goal, of));
                let entry = &mut moves[of.direction as usize];
                entry.loss = Some(judged.loss(0, of));
                entry.losses = Some(Numbers::of(goals, losses));
                entry.values = Some(Numbers::of(goals, of.numbers.iter().copied()));
            }
        }
        let best = judged.as_ref().and_then(|judged| judged.best(0).next());
        let solution = values.solution();
        Ok(Self {
            board,
            cells: board.tiles().collect(),
            best: best.map(Direction::name),
            moves,
            state,
            reached: judged.is_some(),
            values: judged.map(|judged| Numbers::of(goals, judged.worth)),
            error: Numbers::of(goals, goals.iter().map(|&goal| solution.error(goal))),
            four: solution.four(),
            turned: Some(board.with_board(turned.board)).filter(|_| turned.board != board.board()),
        })
    }

    /// The best moves for an objective, given by its index; none if the values are not known.
    fn best_for(&self, objective: usize) -> Vec<&'static str> {
        let best = |of: &&JudgedMove| of.loses(objective) == Some(0.0);
        self.moves.iter().filter(best).map(|of| of.r#move).collect()
    }

    /// The reason why there is no best move; empty if there is one.
    fn note(&self) -> String {
        match self.state {
            _ if !self.reached => "not reached".to_owned(),
            BoardState::Live => String::new(),
            ended => ended.to_string(),
        }
    }

    /// The answer as a row of CSV, in the columns of [`heading`].
    pub(super) fn row(&self) -> String {
        let number = |values: &Option<Numbers>, at: usize| {
            let number = values.as_ref().map(|of| of.0[at].1.to_string());
            number.unwrap_or_default()
        };
        let best = self.best.unwrap_or_default().to_owned();
        let mut fields = vec![format!("{:#x}", self.board), best];
        fields.extend(self.moves.iter().map(|of| number(&of.values, 0)));
        fields.extend((0..self.error.0.len()).map(|at| number(&self.values, at)));
        fields.push(self.note());
        fields.join(",")
    }
}

impl JudgedMove {
    /// The loss for an objective, given by its index.
    fn loses(&self, objective: usize) -> Option<f64> {
        Some(self.losses.as_ref()?.0[objective].1)
    }
}

/// The names of the columns of CSV.
pub(super) fn heading(goals: &[Goal]) -> String {
    let directions = Direction::ALL.map(|direction| format!("after_{}", direction.name()));
    let objectives = goals.iter().map(|goal| goal.objective.column());
    let names: Vec<String> = directions.into_iter().chain(objectives).collect();
    format!("board,best,{},note\n", names.join(","))
}

/// One line, for scripts; with `#` a table, for people.
impl fmt::Display for JudgedBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.table(f);
        }
        let found = self.best.map_or_else(|| self.note(), str::to_owned);
        write!(f, "{:#x} {found}", self.board)?;
        for (objective, value) in self.values.iter().flat_map(|Numbers(values)| values) {
            write!(f, " {objective}={}", number(*objective, *value))?;
        }
        Ok(())
    }
}

/// The most columns of a terminal that a table takes.
const WIDTH: usize = 80;

impl JudgedBoard {
    /// The board, its values, and its moves.
    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", picture(&self.board))?;
        writeln!(f, "board      {:#x}", self.board)?;
        if let Some(turned) = self.turned {
            writeln!(f, "turned     {turned:#x}, to keep a mask of the game")?;
        }
        writeln!(f, "state      {}", self.state)?;
        if let Some(four) = self.four {
            writeln!(f, "4s         {four} of spawned tiles")?;
        }
        let Some(Numbers(values)) = &self.values else {
            return writeln!(f, "reached    no: the game has no such state");
        };
        if self.best.is_some() {
            writeln!(f, "\n{:<10} {:<12} {:<8} best", "", "value", "error")?;
        }
        for (at, &(objective, value)) in values.iter().enumerate() {
            let (name, value) = (objective.to_string(), number(objective, value));
            if self.best.is_none() {
                writeln!(f, "{name:<10} {value}")?;
                continue;
            }
            let (error, best) = (bound(self.error.0[at].1), self.best_for(at).join(", "));
            writeln!(f, "{name:<10} {value:<12} {error:<8} {best}")?;
        }
        if self.best.is_none() {
            return Ok(());
        }
        let width = format!("{:#x}", self.board).len();
        let columns = (WIDTH - NAME - 1 - width) / COLUMN;
        // The column of losses follows the column of the first objective.
        let first = values.len().min(columns - 1);
        self.of_moves(0..first, width, f)?;
        for from in (first..values.len()).step_by(columns) {
            self.of_moves(from..values.len().min(from + columns), width, f)?;
        }
        Ok(())
    }

    /// A table of the moves for some of the objectives, with the losses for the first one. A `*`
    /// follows the value of a best move.
    fn of_moves(
        &self,
        objectives: Range<usize>,
        width: usize,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let has_losses = objectives.start == 0;
        write!(f, "\n{:<NAME$} {:width$}", "move", "after")?;
        for (objective, _) in &self.error.0[objectives.clone()] {
            write!(f, "{:>COLUMN$}", objective.to_string())?;
        }
        let heading = if has_losses {
            format!("{:>COLUMN$}", "loss")
        } else {
            String::new()
        };
        writeln!(f, "{heading}")?;
        for of in &self.moves {
            let (Some(after), Some(Numbers(values))) = (of.afterstate, &of.values) else {
                writeln!(f, "{:<NAME$} not legal", of.r#move)?;
                continue;
            };
            let mut row = format!("{:<NAME$} {:width$}", of.r#move, format!("{after:#x}"));
            for at in objectives.clone() {
                let (objective, value) = values[at];
                let mark = if of.loses(at) == Some(0.0) { '*' } else { ' ' };
                row += &format!("{:>11}{mark}", number(objective, value));
            }
            if has_losses {
                let lost = loss(values[0].0, of.loss.unwrap_or_default());
                row += &format!("{lost:>COLUMN$}");
            }
            writeln!(f, "{}", row.trim_end())?;
        }
        Ok(())
    }
}

//! The answer of `best` for a board: for scripts, as JSON and as CSV, and as a table for people.

use std::fmt;
use std::ops::Range;

use anyhow::Result;
use serde::{Serialize, Serializer};

use super::AnswerForm;
use crate::cli::Outcome;
use crate::cli::board::{BoardState, JudgedMoves, picture};
use crate::cli::objectives::{bound, loss, number};
use crate::cli::output::print_json;
use crate::error;
use crate::game::{Direction, Exp, Game, Grid, Moved, Objective};
use crate::solve::Values;
use crate::store::{Goal, Sink};

/// What a solution says of a board. The fields are the keys of `--json`, in their order. They are a
/// contract: new ones go to the end.
#[derive(Serialize)]
pub(super) struct JudgedBoard {
    board: Grid,
    cells: Vec<u32>,
    best: Option<&'static str>,
    moves: [JudgedMove; 4],
    state: BoardState,
    reached: bool,
    /// What the board is worth under the best play for each objective; `None` if it is not reached.
    values: Option<Numbers>,
    /// The most by which a value of each objective can be off; a loss, by twice that.
    error: Numbers,
}

/// A move. If the board is not reached there is no value.
#[derive(Default, Serialize)]
struct JudgedMove {
    r#move: &'static str,
    legal: bool,
    /// The board after it, as it lies.
    afterstate: Option<Grid>,
    values: Option<Numbers>,
    /// That for the first objective.
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

impl JudgedBoard {
    /// Ask for the goals of a solution, at least one.
    pub(super) fn new(values: &mut Values, goals: &[Goal], board: Grid) -> error::Result<Self> {
        let game = *values.game();
        let state = BoardState::of(game, board.board());
        let solution = values.solution();
        let mut answer = Self {
            board,
            cells: board.tiles().collect(),
            best: None,
            moves: moves(&game, board, state)?,
            state,
            reached: values.reached(board.board())?,
            values: None,
            error: Numbers::of(goals, goals.iter().map(|&goal| solution.error(goal))),
        };
        if answer.reached && state == BoardState::Live {
            answer.judge(&JudgedMoves::new(values, goals, board.board())?);
        } else if answer.reached {
            answer.values = Some(Numbers::of(goals, values.ended(board.board())));
        }
        Ok(answer)
    }

    /// Enter the values of the legal moves.
    fn judge(&mut self, judged: &JudgedMoves) {
        let goals = judged.goals();
        for of in judged.iter() {
            let losses = (0..goals.len()).map(|goal| judged.loss(goal, of));
            let entry = &mut self.moves[of.direction as usize];
            entry.loss = Some(judged.loss(0, of));
            entry.losses = Some(Numbers::of(goals, losses));
            entry.values = Some(Numbers::of(goals, of.numbers.iter().copied()));
        }
        let most = (0..goals.len()).filter_map(|goal| {
            let best = judged.best(goal).next()?;
            Some(best.numbers[goal])
        });
        self.values = Some(Numbers::of(goals, most));
        self.best = judged.best_names(0).first().copied();
    }

    /// The best moves for an objective, given by its place; none if that is not known.
    fn best_for(&self, objective: usize) -> Vec<&'static str> {
        let moves = self.moves.iter();
        let best = moves.filter(|of| of.loses(objective) == Some(0.0));
        best.map(|of| of.r#move).collect()
    }

    /// How the program ends that was asked for this board.
    pub(super) fn outcome(&self) -> Outcome {
        if self.reached {
            Outcome::Done
        } else {
            Outcome::Disagreed
        }
    }

    /// Why there is no best move, if there is none.
    fn note(&self) -> Option<&'static str> {
        match self.state {
            _ if !self.reached => Some("not reached"),
            BoardState::Live => None,
            BoardState::Dead => Some("dead"),
            BoardState::Won => Some("won"),
            BoardState::Empty => Some("empty"),
        }
    }

    /// Print it.
    pub(super) fn write(
        &self,
        form: AnswerForm,
        objectives: &[Objective],
        to: &mut Sink,
    ) -> Result<()> {
        match form {
            AnswerForm::Table => write!(to, "{self:#}")?,
            AnswerForm::Line => writeln!(to, "{self}")?,
            AnswerForm::Json => print_json(to, self)?,
            AnswerForm::Csv => {
                write!(to, "{:#x},{}", self.board, self.best.unwrap_or_default())?;
                let of_moves = self.moves.iter().map(|of| of.values.as_ref());
                let of_moves = of_moves.map(|values| Some(values?.0[0].1));
                let of_board = (0..objectives.len()).map(|at| Some(self.values.as_ref()?.0[at].1));
                for value in of_moves.chain(of_board) {
                    write!(to, ",")?;
                    value.map_or(Ok(()), |value| write!(to, "{value}"))?;
                }
                writeln!(to, ",{}", self.note().unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

impl Numbers {
    fn of(goals: &[Goal], numbers: impl IntoIterator<Item = f64>) -> Self {
        let objectives = goals.iter().map(|goal| goal.objective);
        Self(objectives.zip(numbers).collect())
    }
}

impl JudgedMove {
    /// What it gives away for an objective, given by its place.
    fn loses(&self, objective: usize) -> Option<f64> {
        let Numbers(losses) = self.losses.as_ref()?;
        Some(losses[objective].1)
    }
}

/// What the rules say of the moves of a board.
fn moves(game: &Game, board: Grid, state: BoardState) -> error::Result<[JudgedMove; 4]> {
    let mut moves = Direction::ALL.map(|direction| JudgedMove {
        r#move: direction.name(),
        ..JudgedMove::default()
    });
    if state == BoardState::Live {
        let moved = game.rules().moves(board.board(), Exp::LAST);
        for (of, moved) in moves.iter_mut().zip(moved) {
            of.legal = moved != Moved::Illegal;
            if let Moved::To(after) = moved {
                of.afterstate = Some(Grid::new(after, game.size())?);
            }
        }
    }
    Ok(moves)
}

/// The names of the columns of CSV.
pub(super) fn heading(objectives: &[Objective]) -> String {
    let directions = Direction::ALL.into_iter().map(Direction::name);
    let objectives = objectives.iter().map(ToString::to_string);
    let names: Vec<String> = directions.map(str::to_owned).chain(objectives).collect();
    format!("board,best,{},note\n", names.join(","))
}

/// A line that is no board. The fields are the keys of `--json`.
#[derive(Serialize)]
pub(super) struct RefusedLine {
    pub(super) line: u64,
    pub(super) error: String,
}

impl RefusedLine {
    /// Print it in the place of an answer.
    pub(super) fn write(
        &self,
        form: AnswerForm,
        objectives: &[Objective],
        to: &mut Sink,
    ) -> Result<()> {
        let Self { line, error } = self;
        match form {
            AnswerForm::Table | AnswerForm::Line => writeln!(to, "line {line}: {error}")?,
            AnswerForm::Json => print_json(to, self)?,
            AnswerForm::Csv => {
                let empty = ",".repeat(1 + Direction::ALL.len() + objectives.len());
                let note = format!("line {line}: {error}").replace('"', "\"\"");
                writeln!(to, "{empty},\"{note}\"")?;
            }
        }
        Ok(())
    }
}

/// One line, for scripts; with `#` a table, for people.
impl fmt::Display for JudgedBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.table(f);
        }
        let found = self.best.or(self.note()).unwrap_or_default();
        write!(f, "{:#x} {found}", self.board)?;
        for (objective, value) in self.values.iter().flat_map(|Numbers(values)| values) {
            write!(f, " {objective}={}", number(*objective, *value))?;
        }
        Ok(())
    }
}

/// Most columns of a terminal that a table takes.
const WIDTH: usize = 80;

/// Width of the name of a move, and of a column of numbers.
const NAME: usize = 6;
const COLUMN: usize = 12;

impl JudgedBoard {
    /// The board, what it is worth, and its moves.
    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", picture(&self.board))?;
        writeln!(f, "board      {:#x}", self.board)?;
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

impl JudgedMove {
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

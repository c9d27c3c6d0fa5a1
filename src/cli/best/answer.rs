//! What a solution says of a board: for scripts, as JSON and as CSV; for people see `table`.

use std::fmt;

use anyhow::Result;
use serde::{Serialize, Serializer};

use super::Form;
use crate::cli::Outcome;
use crate::cli::objectives::number;
use crate::cli::state::State;
use crate::error;
use crate::game::{Direction, Exp, Game, Grid, Moved, Objective};
use crate::solve::{MoveValue, Values};
use crate::store::{Goal, Sink};

/// What a solution says of a board. The fields are the keys of `--json`, in their order. They are a
/// contract: new ones go to the end.
#[derive(Serialize)]
pub(super) struct Answer {
    pub(super) board: Grid,
    cells: Vec<u32>,
    pub(super) best: Option<&'static str>,
    pub(super) moves: [Move; 4],
    pub(super) state: State,
    reached: bool,
    /// What the board is worth under the best play for each objective; `None` if it is not reached.
    pub(super) values: Option<Numbers>,
    /// The most by which a value of each objective can be off; a loss, by twice that.
    pub(super) error: Numbers,
}

/// A move. If the board is not reached there is no value.
#[derive(Default, Serialize)]
pub(super) struct Move {
    pub(super) r#move: &'static str,
    legal: bool,
    /// The board after it, as it lies.
    pub(super) afterstate: Option<Grid>,
    pub(super) values: Option<Numbers>,
    /// That for the first objective.
    pub(super) loss: Option<f64>,
    losses: Option<Numbers>,
}

/// A number for each objective; in JSON an object.
pub(super) struct Numbers(pub(super) Vec<(Objective, f64)>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let numbers = self.0.iter();
        to.collect_map(numbers.map(|(objective, number)| (objective.to_string(), number)))
    }
}

impl Answer {
    /// Ask for the goals of a solution, at least one.
    pub(super) fn new(values: &mut Values, goals: &[Goal], board: Grid) -> error::Result<Self> {
        let game = *values.game();
        let state = State::of(game, board.board());
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
        if answer.reached && state == State::Live {
            answer.judge(&values.moves(board.board())?, goals);
        } else if answer.reached {
            answer.values = Some(Numbers::of(goals, values.ended(board.board())));
        }
        Ok(answer)
    }

    /// Enter what the legal moves of a board are worth.
    fn judge(&mut self, judged: &[MoveValue], goals: &[Goal]) {
        let best: Vec<u32> = (0..goals.len())
            .filter_map(|goal| judged.iter().map(|of| of.units[goal]).max())
            .collect();
        for of in judged {
            let losses = goals.iter().zip(best.iter().zip(&of.units));
            let losses = losses.map(|(goal, (best, units))| goal.number(best - units));
            let losses: Vec<f64> = losses.collect();
            let entry = &mut self.moves[of.direction as usize];
            entry.loss = Some(losses[0]);
            entry.losses = Some(Numbers::of(goals, losses));
            entry.values = Some(Numbers::of(goals, of.numbers.iter().copied()));
        }
        let most = (0..goals.len()).filter_map(|goal| {
            let of = judged.iter().find(|of| of.units[goal] == best[goal])?;
            Some(of.numbers[goal])
        });
        self.values = Some(Numbers::of(goals, most));
        self.best = self.best_for(0).first().copied();
    }

    /// The best moves for an objective, given by its place; none if that is not known.
    pub(super) fn best_for(&self, objective: usize) -> Vec<&'static str> {
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
            State::Live => None,
            State::Dead => Some("dead"),
            State::Won => Some("won"),
            State::Empty => Some("empty"),
        }
    }

    /// Print it.
    pub(super) fn write(&self, form: Form, objectives: &[Objective], to: &mut Sink) -> Result<()> {
        match form {
            Form::Table => write!(to, "{self:#}")?,
            Form::Line => writeln!(to, "{self}")?,
            Form::Json => {
                serde_json::to_writer(&mut *to, self)?;
                writeln!(to)?;
            }
            Form::Csv => {
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

impl Move {
    /// What it gives away for an objective, given by its place.
    pub(super) fn loses(&self, objective: usize) -> Option<f64> {
        let Numbers(losses) = self.losses.as_ref()?;
        Some(losses[objective].1)
    }
}

/// What the rules say of the moves of a board.
fn moves(game: &Game, board: Grid, state: State) -> error::Result<[Move; 4]> {
    let mut moves = Direction::ALL.map(|direction| Move {
        r#move: direction.name(),
        ..Move::default()
    });
    if state == State::Live {
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
pub(super) fn heading(objectives: &[Objective], to: &mut Sink) -> Result<()> {
    write!(to, "board,best")?;
    let directions = Direction::ALL.into_iter().map(Direction::name);
    let objectives = objectives.iter().map(ToString::to_string);
    for name in directions.map(str::to_owned).chain(objectives) {
        write!(to, ",{name}")?;
    }
    Ok(writeln!(to, ",note")?)
}

/// A line that is no board. The fields are the keys of `--json`.
#[derive(Serialize)]
pub(super) struct Refused {
    pub(super) line: u64,
    pub(super) error: String,
}

impl Refused {
    /// Print it in the place of an answer.
    pub(super) fn write(&self, form: Form, objectives: &[Objective], to: &mut Sink) -> Result<()> {
        let Self { line, error } = self;
        match form {
            Form::Table | Form::Line => writeln!(to, "line {line}: {error}")?,
            Form::Json => writeln!(to, "{}", serde_json::to_string(self)?)?,
            Form::Csv => {
                let empty = ",".repeat(1 + Direction::ALL.len() + objectives.len());
                let note = format!("line {line}: {error}").replace('"', "\"\"");
                writeln!(to, "{empty},\"{note}\"")?;
            }
        }
        Ok(())
    }
}

/// One line, for scripts; with `#` a table, for people.
impl fmt::Display for Answer {
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

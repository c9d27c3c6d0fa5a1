//! Answers for many boards.
//!
//! Key idea: the lines that have come in are a batch, and its boards are looked up in the order of
//! their parts. So each block of a file is decoded once for a batch, even if little memory is left
//! for blocks. Answers are printed in the order of the lines.

use anyhow::{Context, Result};
use csv::{ReaderBuilder, StringRecord};

use super::AnswerForm;
use super::answer::{self, JudgedBoard, RefusedLine};
use crate::cli::{Outcome, stdin, units};
use crate::game::{Grid, Objective, PartKey, Size};
use crate::solve::BatchValues;
use crate::store::Goal;

/// Answer all lines of stdin on stdout. `values` are the values for `goals`.
pub(super) fn answer(
    mut values: BatchValues,
    goals: &[Goal],
    size: Size,
    form: AnswerForm,
) -> Result<Outcome> {
    let objectives: Vec<Objective> = goals.iter().map(|goal| goal.objective).collect();
    let heading = match form {
        AnswerForm::Csv => answer::heading(&objectives),
        _ => String::new(),
    };
    // The first line tells whether the lines are boards or rows of a CSV.
    let mut lines = None;
    let read = |text: &str, line| {
        let is_first = lines.is_none();
        let kind = *lines.get_or_insert_with(|| LineKind::of(text));
        let names = is_first && matches!(kind, LineKind::Csv(_));
        (!names).then(|| {
            kind.board(text, size).map_err(|error| RefusedLine {
                line,
                error: format!("{error:#}"),
            })
        })
    };
    let key = |line: &Result<Grid, _>| {
        let board = line.as_ref().ok()?.board();
        Some((PartKey::of(board), board))
    };
    stdin::answer(LONGEST, &heading, read, |lines, out| {
        let mut outcome = Outcome::Done;
        let answers = values.each(&lines, key, |values, line| match line {
            Ok(board) => JudgedBoard::new(values, goals, *board).map(Ok),
            Err(refused) => Ok(Err(refused)),
        })?;
        for answer in answers {
            match answer {
                Ok(answer) => {
                    outcome = outcome.max(answer.outcome());
                    answer.write(form, &objectives, out)?;
                }
                Err(refused) => {
                    outcome = Outcome::Disagreed;
                    refused.write(form, &objectives, out)?;
                }
            }
        }
        Ok(outcome)
    })
}

/// Columns of a CSV that can hold the boards, as `best --csv` and `states --format csv` name them.
const COLUMNS: [&str; 2] = ["board", "state"];

/// Longest line that is read, in bytes.
const LONGEST: usize = 1 << 16;

/// The kind of all lines.
#[derive(Clone, Copy)]
enum LineKind {
    Boards,
    /// Rows of a CSV with the board in this column, counted from 0.
    Csv(usize),
}

impl LineKind {
    /// The kind of the lines, by the first line, which may name the columns of a CSV.
    fn of(first: &str) -> Self {
        let names = fields(first).unwrap_or_default();
        let column = |wanted| names.iter().position(|name| name.trim() == wanted);
        match COLUMNS.into_iter().find_map(column) {
            Some(column) => Self::Csv(column),
            None => Self::Boards,
        }
    }

    /// The board of a line.
    fn board(self, line: &str, size: Size) -> Result<Grid> {
        let Self::Csv(column) = self else {
            return Ok(Grid::parse(line, size)?);
        };
        let fields = fields(line)?;
        let field = fields.get(column);
        let field = field.with_context(|| {
            let got = units::things(fields.len() as u64, "column");
            format!("expected a board in column {}, got {got}", column + 1)
        })?;
        Ok(Grid::parse(field, size)?)
    }
}

/// The fields of a row.
fn fields(line: &str) -> Result<StringRecord> {
    let mut row = StringRecord::new();
    ReaderBuilder::new()
        .has_headers(false)
        .buffer_capacity(line.len() + 1)
        .from_reader(line.as_bytes())
        .read_record(&mut row)?;
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_that_names_the_column_of_the_boards_makes_a_csv() {
        let size = Size::new(2, 2).unwrap();
        for (first, line, board) in [
            ("0x2310", "0x2310", 0x2310),
            ("4 8 / 2 .", "4,8 / 2,.", 0x2310),
            ("state,sum", "0x0132,14", 0x0132),
            ("sum,board", "14,\"4,8 / 2,.\"", 0x2310),
            ("state,sum, board ", "live,14,0x2310", 0x2310),
        ] {
            let lines = LineKind::of(first);
            assert_eq!(lines.board(line, size).unwrap().board(), board, "{first}");
        }
    }

    #[test]
    fn a_row_without_a_board_is_refused_with_the_reason() {
        let size = Size::new(2, 2).unwrap();
        let lines = LineKind::of("sum,state");
        let error = |line| lines.board(line, size).unwrap_err().to_string();
        assert_eq!(error("14"), "expected a board in column 2, got 1 column");
        assert_eq!(error(""), "expected a board in column 2, got 0 columns");
        assert!(error("14,0x12345").contains("more digits"));
    }
}

//! Answers for many boards.
//!
//! Key idea: the lines that have come in are a batch, and its boards are looked up in the order of
//! their parts. So each block of a file is decoded once for a batch, even if little memory is left
//! for blocks. Answers are printed in the order of the lines.

use anyhow::{Context, Result};
use csv::{ReaderBuilder, StringRecord};

use super::answer::{self, AnswerForm, JudgedBoard, RefusedLine};
use crate::cli::ask::stdin;
use crate::cli::out::Outcome;
use crate::cli::out::units;
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
    // The first line may name the columns of a CSV, and is then no question.
    let mut column = None;
    let read = |text: &str, line| {
        let is_first = column.is_none();
        let column = *column.get_or_insert_with(|| column_of_boards(text));
        let is_heading = is_first && column.is_some();
        (!is_heading).then(|| {
            board(text, column, size).map_err(|error| RefusedLine {
                line,
                error: format!("{error:#}"),
            })
        })
    };
    let key = |line: &Result<Grid, _>| {
        let board = line.as_ref().ok()?.board();
        Some((PartKey::of(board), board))
    };
    stdin::answer("board", LONGEST, ENOUGH, &heading, read, |lines, out| {
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

/// Bytes of the lines of a batch. A larger batch would be faster only on much larger games than 3x3.
const ENOUGH: usize = 1 << 20;

/// The column of the boards, counted from 0; `None` if the first line does not name it, so that each
/// line is a board.
fn column_of_boards(first: &str) -> Option<usize> {
    let names = fields(first).unwrap_or_default();
    let column = |wanted| names.iter().position(|name| name.trim() == wanted);
    COLUMNS.into_iter().find_map(column)
}

/// The board of a line, or of a column of it.
fn board(line: &str, column: Option<usize>, size: Size) -> Result<Grid> {
    let Some(column) = column else {
        return Ok(Grid::parse(line, size)?);
    };
    let fields = fields(line)?;
    let field = fields.get(column).with_context(|| {
        let got = units::things(fields.len() as u64, "column");
        format!("expected a board in column {}, got {got}", column + 1)
    })?;
    Ok(Grid::parse(field, size)?)
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
        for (first, line, expected) in [
            ("0x2310", "0x2310", 0x2310),
            ("4 8 / 2 .", "4,8 / 2,.", 0x2310),
            ("state,sum", "0x0132,14", 0x0132),
            ("sum,board", "14,\"4,8 / 2,.\"", 0x2310),
            ("state,sum, board ", "live,14,0x2310", 0x2310),
        ] {
            let found = board(line, column_of_boards(first), size).unwrap();
            assert_eq!(found.board(), expected, "{first}");
        }
    }

    #[test]
    fn a_row_without_a_board_is_refused_with_the_reason() {
        let size = Size::new(2, 2).unwrap();
        let column = column_of_boards("sum,state");
        let error = |line| board(line, column, size).unwrap_err().to_string();
        assert_eq!(error("14"), "expected a board in column 2, got 1 column");
        assert_eq!(error(""), "expected a board in column 2, got 0 columns");
        assert!(error("14,0x12345").contains("more digits"));
    }
}

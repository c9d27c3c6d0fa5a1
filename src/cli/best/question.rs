//! Boards as they come in on stdin: one a line, or in a column of a CSV.

use anyhow::{Context, Result};
use csv::{ReaderBuilder, StringRecord};

use crate::cli::units;
use crate::game::{Grid, Size};

/// Columns of a CSV that can hold the boards: those of `best --csv` and of `states --format csv`.
const COLUMNS: [&str; 2] = ["board", "state"];

/// Longest line that is read, in bytes.
pub(super) const LONGEST: usize = 1 << 16;

/// What lines are.
#[derive(Clone, Copy)]
pub(super) enum Lines {
    Boards,
    /// Rows of a CSV with the board in this column, counted from 0.
    Csv(usize),
}

impl Lines {
    /// What the lines are, by the first of them; it is no question if it names the columns of a CSV.
    pub(super) fn of(first: &str) -> Self {
        let names = fields(first).unwrap_or_default();
        let column = |wanted| names.iter().position(|name| name.trim() == wanted);
        match COLUMNS.into_iter().find_map(column) {
            Some(column) => Self::Csv(column),
            None => Self::Boards,
        }
    }

    pub(super) fn board(self, line: &str, size: Size) -> Result<Grid> {
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
            let lines = Lines::of(first);
            assert_eq!(lines.board(line, size).unwrap().board(), board, "{first}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_row_is_said() {
        let size = Size::new(2, 2).unwrap();
        let lines = Lines::of("sum,state");
        let error = |line| lines.board(line, size).unwrap_err().to_string();
        assert_eq!(error("14"), "expected a board in column 2, got 1 column");
        assert_eq!(error(""), "expected a board in column 2, got 0 columns");
        assert!(error("14,0x12345").contains("more digits"));
    }
}

//! What a check found: said in lines as it is found, or in one JSON object at the end.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

use super::Args;
use crate::cli::Outcome;
use crate::cli::output::print_json;
use crate::counts::{Column, Difference, Differs, Table};
use crate::game::Game;
use crate::known::Verdict;

/// What a check found. The fields are the keys of `--json`, in their order. They are a contract: new
/// ones go to the end.
#[derive(Default, Serialize)]
pub(super) struct CheckReport {
    #[serde(skip)]
    json: bool,
    agrees: bool,
    tables: Vec<String>,
    pub(super) games: Vec<Option<String>>,
    parts: Option<usize>,
    last_sum: Option<u32>,
    pub(super) complete: Option<bool>,
    pub(super) law: Option<String>,
    figures: Vec<CheckedFigure>,
    columns: Vec<&'static str>,
    difference: Option<DifferingColumn>,
}

/// A published figure beside the counted one.
#[derive(Serialize)]
struct CheckedFigure {
    game: String,
    figure: String,
    expected: u64,
    got: u64,
    agrees: bool,
    source: &'static str,
}

/// Where two tables differ: a column with what each has there, or `None` if one lacks the part.
#[derive(Serialize)]
struct DifferingColumn {
    sum: u32,
    max_tile: u32,
    column: Option<&'static str>,
    values: [Value; 2],
}

impl CheckReport {
    /// A report on these tables.
    pub(super) fn new(args: &Args, tables: &[&Path]) -> Self {
        let tables = tables.iter().map(|path| path.display().to_string());
        Self {
            json: args.json,
            tables: tables.collect(),
            ..Self::default()
        }
    }

    /// Print a line, unless JSON is asked for.
    pub(super) fn say(&self, line: impl Display) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        writeln!(io::stdout(), "{line}")
    }

    /// Note how much is compared.
    pub(super) fn on(&mut self, table: &Table) {
        self.parts = Some(table.rows().len());
        self.last_sum = Some(table.last_sum());
        let columns = table.columns();
        self.columns = columns.counts().map(Column::name).collect();
    }

    /// Note what was published of a game.
    pub(super) fn published(&mut self, game: &Game, verdicts: &[Verdict]) {
        self.figures
            .extend(verdicts.iter().map(|verdict| CheckedFigure {
                game: game.to_string(),
                figure: verdict.figure.what.to_string(),
                expected: verdict.figure.expected,
                got: verdict.got,
                agrees: verdict.agrees(),
                source: verdict.source,
            }));
    }

    /// Note where two tables differ.
    pub(super) fn differs(&mut self, difference: &Difference) {
        // A fingerprint is text, even if it has no letter.
        let value = |column: &str, text: &str| match text.parse::<u64>() {
            Ok(number) if column != Column::Fingerprint.name() => number.into(),
            _ => text.into(),
        };
        let (column, values) = match &difference.kind {
            Differs::In(column, ours, theirs) => {
                (Some(*column), [value(column, ours), value(column, theirs)])
            }
            Differs::OnlyFirst | Differs::OnlySecond => (None, [Value::Null, Value::Null]),
        };
        self.difference = Some(DifferingColumn {
            sum: difference.sum,
            max_tile: difference.max_tile,
            column,
            values,
        });
    }

    /// End with this outcome, and print JSON if it is asked for.
    pub(super) fn end(mut self, outcome: Outcome) -> Result<Outcome> {
        self.agrees = outcome == Outcome::Done;
        if self.json {
            print_json(&mut io::stdout(), &self)?;
        }
        Ok(outcome)
    }
}

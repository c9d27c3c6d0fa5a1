//! The findings of a check: lines as they are found, or one JSON object at the end.

use std::fmt::Display;
use std::path::Path;

use anyhow::Result;
use indicatif::HumanCount;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::out::Outcome;
use crate::cli::out::output::{self, print_json};
use crate::cli::out::talk;
use crate::counts::{Column, Difference, Differs, Table};
use crate::game::Game;
use crate::known::Verdict;

/// The findings of a check. The fields are the keys of `--json`, in order. Users rely on the order:
/// add new keys at the end.
#[derive(Default, Serialize)]
pub(super) struct CheckReport {
    #[serde(skip)]
    json: bool,
    agrees: bool,
    tables: Vec<String>,
    games: Vec<Option<Game>>,
    parts: Option<usize>,
    last_sum: Option<u32>,
    pub(super) complete: Option<bool>,
    pub(super) law: Option<String>,
    figures: Vec<Verdict>,
    columns: Vec<&'static str>,
    /// The first difference of two tables: a column with its two values, or null if one table lacks the
    /// part.
    difference: Option<Value>,
}

impl CheckReport {
    /// A report on tables, with their games if they are known.
    pub(super) fn new(json: bool, tables: &[(&Path, Option<Game>)]) -> Self {
        let path = |(path, _): &(&Path, _)| path.display().to_string();
        Self {
            json,
            tables: tables.iter().map(path).collect(),
            games: tables.iter().map(|(_, game)| *game).collect(),
            ..Self::default()
        }
    }

    /// Print a line, unless the user asked for JSON.
    pub(super) fn say(&self, line: impl Display) -> Result<()> {
        if self.json {
            return Ok(());
        }
        output::print(|out| Ok(writeln!(out, "{}", talk::plain(line))?))
    }

    /// Note how much of a table is compared.
    pub(super) fn on(&mut self, table: &Table) {
        self.parts = Some(table.rows().len());
        self.last_sum = Some(table.last_sum());
        self.columns = table.columns().counts().map(Column::name).collect();
    }

    /// Print a line for each verdict, under a heading. The outcome tells whether all agree.
    pub(super) fn verdicts(&mut self, verdicts: Vec<Verdict>) -> Result<Outcome> {
        let numbers = verdicts.iter().flat_map(|one| [one.expected, one.got]);
        let lengths = numbers.map(|number| HumanCount(number).to_string().len());
        let width = lengths.max().unwrap_or(0).max(15);
        if self.figures.is_empty() && !verdicts.is_empty() {
            self.say(format_args!(
                "verdict   game      figure       {:>width$}  {:>width$}  source",
                "expected", "got"
            ))?;
        }
        let mut outcome = Outcome::Done;
        for verdict in verdicts {
            let mut word = "agrees";
            if !verdict.agrees {
                (word, outcome) = ("DIFFERS", Outcome::Disagreed);
            }
            self.say(format_args!(
                "{word:<8}  {:<8}  {:<12} {:>width$}  {:>width$}  {}",
                verdict.game.to_string(),
                verdict.figure,
                HumanCount(verdict.expected).to_string(),
                HumanCount(verdict.got).to_string(),
                verdict.source
            ))?;
            self.figures.push(verdict);
        }
        Ok(outcome)
    }

    /// Note where two tables differ.
    pub(super) fn differs(&mut self, difference: &Difference) {
        // A fingerprint is text, even if all of its digits are decimal.
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
        self.difference = Some(json!({
            "sum": difference.sum,
            "max_tile": difference.max_tile,
            "column": column,
            "values": values,
        }));
    }

    /// End with an outcome, and print the JSON object if the user asked for it.
    pub(super) fn end(mut self, outcome: Outcome) -> Result<Outcome> {
        self.agrees = outcome == Outcome::Done;
        if self.json {
            output::print(|out| print_json(out, &self))?;
        }
        Ok(outcome)
    }
}

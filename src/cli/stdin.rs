//! Answers to questions that come in on stdin, one a line, and to a single question.

use std::fmt::Display;
use std::io::{self, Stdin};
use std::mem;
use std::path::Path;

use anyhow::bail;
use serde::Serialize;

use super::output::{self, print_json};
use super::{Outcome, stdout, talk};
use crate::error::{Error, Result};
use crate::lines::LineReader;
use crate::store::Sink;

/// Answer the questions on stdin, each of at most `longest` bytes, on stdout below a `heading`. An
/// input without a question is an error, which names the `noun` of a question. `read` makes a question
/// of a line and its number, or none; `answer` prints the answers to the questions that have come in.
pub(super) fn answer<Q>(
    noun: &str,
    longest: usize,
    mut heading: &str,
    mut read: impl FnMut(&str, u64) -> Option<Q>,
    mut answer: impl FnMut(Vec<Q>, &mut Sink) -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Done;
    let mut is_empty = true;
    let mut lines = LineReader::new(io::stdin(), longest);
    output::print(|out| {
        loop {
            let batch = batch(&mut lines, &mut read)?;
            if batch.is_empty() {
                return Ok(());
            }
            is_empty = false;
            write!(out, "{}", mem::take(&mut heading))?;
            outcome = outcome.max(answer(batch, out)?);
            out.flush()?;
            if outcome == Outcome::Disagreed && stdout::is_closed() {
                return Ok(());
            }
        }
    })?;
    if is_empty {
        bail!("stdin: no {noun} in the input: give one a line");
    }
    Ok(outcome)
}

/// The questions that have come in. Waits for the first question; none at the end.
fn batch<Q>(
    lines: &mut LineReader<Stdin>,
    mut read: impl FnMut(&str, u64) -> Option<Q>,
) -> Result<Vec<Q>> {
    let mut questions = Vec::new();
    while let Some(line) = next(lines)? {
        questions.extend(read(&line, lines.number()));
        // Another program may wait for these answers before it sends more.
        if lines.waits() && !questions.is_empty() {
            break;
        }
    }
    Ok(questions)
}

/// The next line, without the space around it; `None` at the end.
fn next(lines: &mut LineReader<Stdin>) -> Result<Option<String>> {
    let text = |line| String::from_utf8_lossy(line).trim().to_owned();
    let read = lines.next().map(|line| line.map(text));
    read.map_err(|error| {
        let what = format!("line {}: {error}", lines.number());
        let cause = io::Error::new(error.kind(), what);
        Error::io(Path::new("stdin"), "read")(cause)
    })
}

/// Print an answer as a line, of JSON or of text.
pub(super) fn print(
    to: &mut Sink,
    json: bool,
    answer: &(impl Serialize + Display),
) -> anyhow::Result<()> {
    match json {
        true => print_json(to, answer),
        false => Ok(writeln!(to, "{answer}")?),
    }
}

/// Report a refused single question: with `json` on stdout, else on stderr.
pub(super) fn refuse(
    json: bool,
    refused: &impl Serialize,
    error: impl Display,
) -> anyhow::Result<Outcome> {
    if json {
        output::print(|to| print_json(to, refused))?;
    } else {
        talk::say(error);
    }
    Ok(Outcome::Disagreed)
}

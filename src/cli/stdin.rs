//! Questions that come in on stdin, one a line.

use std::io::{self, Stdin};
use std::path::Path;

use super::Outcome;
use super::output::Output;
use crate::error::{Error, Result};
use crate::lines::LineReader;
use crate::store::Sink;

/// Answer the questions on stdin, each of at most `longest` bytes, on stdout below a `heading`.
/// `read` makes a question of a line and its number, or none; `answer` prints the answers to the
/// questions that have come in.
pub(super) fn answer<Q>(
    longest: usize,
    heading: &str,
    mut read: impl FnMut(&str, u64) -> Option<Q>,
    mut answer: impl FnMut(Vec<Q>, &mut Sink) -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Done;
    let mut input = Questions::new(longest);
    Output::Stdout.write(|out| {
        write!(out, "{heading}")?;
        loop {
            let batch = input.batch(&mut read)?;
            if batch.is_empty() {
                return Ok(());
            }
            outcome = outcome.max(answer(batch, out)?);
            out.flush()?;
        }
    })?;
    Ok(outcome)
}

/// Reads questions.
struct Questions {
    lines: LineReader<Stdin>,
}

impl Questions {
    fn new(longest: usize) -> Self {
        let lines = LineReader::new(io::stdin(), longest);
        Self { lines }
    }

    /// The questions that have come in. Waits for the first question; none at the end.
    fn batch<Q>(&mut self, mut read: impl FnMut(&str, u64) -> Option<Q>) -> Result<Vec<Q>> {
        let mut questions = Vec::new();
        while let Some(line) = self.next()? {
            questions.extend(read(&line, self.lines.number()));
            // Whoever sends more may be waiting for the answers to these.
            if self.lines.waits() && !questions.is_empty() {
                break;
            }
        }
        Ok(questions)
    }

    /// The next line, without the space around it; `None` at the end.
    fn next(&mut self) -> Result<Option<String>> {
        let text = |line| String::from_utf8_lossy(line).trim().to_owned();
        let read = self.lines.next().map(|line| line.map(text));
        read.map_err(|error| {
            let what = format!("line {}: {error}", self.lines.number());
            let cause = io::Error::new(error.kind(), what);
            Error::io(Path::new("stdin"), "read")(cause)
        })
    }
}

//! Answers to questions that come in on stdin, one per line, and to a single question.

use std::fmt::Display;
use std::io::{self, Read};
use std::mem;
use std::path::Path;

use anyhow::bail;
use serde::Serialize;

use crate::cli::out::Outcome;
use crate::cli::out::output::{self, print_json};
use crate::cli::out::talk;
use crate::error::{Error, Result};
use crate::lines::LineReader;
use crate::store::Sink;

/// Bytes of the lines of a batch of games, which take up to a thousand times as much memory.
pub(in crate::cli) const GAMES: usize = 1 << 16;

/// Answer the questions on stdin, each of at most `longest` bytes, on stdout below a `heading`. An
/// input without a question is an error, which names the `noun` of a question. `read` makes a question
/// of a line and its number, or none; `answer` prints the answers to a batch of questions. A batch ends
/// when its lines have `enough` bytes, or when the next line must be awaited.
pub(in crate::cli) fn answer<Q>(
    noun: &str,
    longest: usize,
    enough: usize,
    mut heading: &str,
    mut read: impl FnMut(&str, u64) -> Option<Q>,
    mut answer: impl FnMut(Vec<Q>, &mut Sink) -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Done;
    let mut is_empty = true;
    let mut lines = LineReader::new(io::stdin(), longest);
    output::print(|out| {
        loop {
            let (batch, ended) = batch(&mut lines, enough, &mut read);
            if batch.is_empty() {
                return Ok(ended?);
            }
            is_empty = false;
            write!(out, "{}", mem::take(&mut heading))?;
            outcome = outcome.max(answer(batch, out)?);
            out.flush()?;
            ended?;
            if outcome == Outcome::Disagreed && output::is_closed() {
                return Ok(());
            }
        }
    })?;
    if is_empty {
        bail!("stdin: no {noun} in the input: give one per line");
    }
    Ok(outcome)
}

/// The questions that have come in, of about `enough` bytes at most, and the error of the line after
/// them. Waits for the first question; none at the end.
fn batch<Q>(
    lines: &mut LineReader<impl Read>,
    enough: usize,
    mut read: impl FnMut(&str, u64) -> Option<Q>,
) -> (Vec<Q>, Result<()>) {
    let (mut questions, mut bytes) = (Vec::new(), 0);
    loop {
        let line = match next(lines) {
            Ok(Some(line)) => line,
            Ok(None) => return (questions, Ok(())),
            Err(error) => return (questions, Err(error)),
        };
        bytes += line.len();
        questions.extend(read(&line, lines.number()));
        // Another program may wait for these answers before it sends more.
        if (lines.waits() || bytes >= enough) && !questions.is_empty() {
            return (questions, Ok(()));
        }
    }
}

/// The next line, without the space around it; `None` at the end.
fn next(lines: &mut LineReader<impl Read>) -> Result<Option<String>> {
    let text = |line| String::from_utf8_lossy(line).trim().to_owned();
    let read = lines.next().map(|line| line.map(text));
    read.map_err(|error| {
        let what = format!("line {}: {error}", lines.number());
        let cause = io::Error::new(error.kind(), what);
        Error::io(Path::new("stdin"), "read")(cause)
    })
}

/// Print an answer as a line, of JSON or of text.
pub(in crate::cli) fn print(
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
pub(in crate::cli) fn refuse(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_of_an_endless_input_ends() {
        let mut lines = LineReader::new("2x2\n".as_bytes().chain(io::repeat(b'\n')), 100);
        let question = |line: &str, _| (!line.is_empty()).then(|| line.to_owned());
        // Lines end in the middle of the buffer, so only the number of bytes ends the batch.
        let (questions, ended) = batch(&mut lines, 3, question);
        assert_eq!(
            (questions.as_slice(), ended.is_ok()),
            (&["2x2".to_owned()][..], true)
        );
    }

    #[test]
    fn lines_before_a_line_that_is_too_long_are_answered() {
        let mut lines = LineReader::new("one\ntwo\ntoo long\nthree\n".as_bytes(), 4);
        let (questions, ended) = batch(&mut lines, 100, |line, number| {
            Some((line.to_owned(), number))
        });
        assert_eq!(questions, [("one".to_owned(), 1), ("two".to_owned(), 2)]);
        let said = ended.unwrap_err().to_string();
        assert!(said.contains("line 3: more than 4 bytes"), "{said}");
    }
}

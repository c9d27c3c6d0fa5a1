//! Questions: about a solved game, or one per line of stdin, with their answers.

pub(super) mod solved;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::bail;
use serde_json::{Value, json};

use crate::cli::out::Outcome;
use crate::cli::out::output;
use crate::cli::out::talk;
use crate::error::{Error, Result};
use crate::lines::LineReader;
use crate::play::{LONGEST, OtherForm};
use crate::store::Sink;

/// The questions of a command, and the form of the answers.
pub(in crate::cli) struct Questions {
    /// Bytes of the lines of a batch.
    pub(in crate::cli) enough: usize,
    /// The keys of a refused line in JSON, in order.
    pub(in crate::cli) keys: &'static [&'static str],
    /// The text before a refused line.
    pub(in crate::cli) prefix: &'static str,
    pub(in crate::cli) json: bool,
    /// The CSV line of column names. The last column is for faults. Other forms have no such line.
    pub(in crate::cli) heading: String,
}

impl Questions {
    /// Codes of games, without `keys`. The games of a batch take up to a thousand times as much memory
    /// as their lines.
    pub(in crate::cli) fn on_games(keys: &'static [&'static str], json: bool) -> Self {
        Self {
            enough: 1 << 16,
            keys,
            prefix: "",
            json,
            heading: String::new(),
        }
    }

    /// Answer the questions on stdin, on stdout. An input without a question is an error. `read` makes
    /// a question of a line, or nothing of a heading. `answer` answers a batch of questions, and
    /// `print` prints an answer. A batch ends when the next line must be awaited, too.
    pub(in crate::cli) fn answer<Q, A>(
        &self,
        mut read: impl FnMut(&str) -> Option<anyhow::Result<Q>>,
        mut answer: impl FnMut(&[Q]) -> Result<Vec<A>>,
        print: impl Fn(&A, &mut Sink) -> anyhow::Result<Outcome>,
    ) -> anyhow::Result<Outcome> {
        let mut outcome = None;
        let mut lines = LineReader::new(io::stdin(), LONGEST);
        let mut read = |text: &str, line| {
            let refuse = |error: anyhow::Error| self.refused(text, line, &error);
            read(text).map(|question| question.map_err(refuse))
        };
        output::print(|out| {
            loop {
                let (batch, ended) = batch(&mut lines, self.enough, &mut read);
                if batch.is_empty() {
                    return Ok(ended?);
                }
                if outcome.is_none() {
                    write!(out, "{}", self.heading)?;
                }
                let (mut questions, mut refused) = (Vec::new(), Vec::new());
                for line in batch {
                    refused.push(line.map(|question| questions.push(question)).err());
                }
                let mut answers = answer(&questions)?.into_iter();
                for refused in refused {
                    let one = if let Some(refused) = refused {
                        writeln!(out, "{refused}")?;
                        Outcome::Disagreed
                    } else {
                        print(&answers.next().expect("an answer each"), out)?
                    };
                    outcome = outcome.max(Some(one));
                }
                out.flush()?;
                ended?;
                if outcome == Some(Outcome::Disagreed) && output::is_closed() {
                    return Ok(());
                }
            }
        })?;
        let Some(outcome) = outcome else {
            bail!("stdin: no question in the input: give one per line");
        };
        Ok(outcome)
    }

    /// Refuse a code that is asked alone: in JSON on stdout, else on stderr.
    pub(in crate::cli) fn refuse(&self, text: &str, error: &Error) -> anyhow::Result<Outcome> {
        let error = match Path::new(text).is_file() {
            true => format!("{text}: a file, not a code: give @{text} for the code in it"),
            false => error.to_string(),
        };
        if self.json {
            let refused = self.refused(text, 1, &error);
            output::print(|out| Ok(writeln!(out, "{refused}")?))?;
        } else {
            talk::say(error);
        }
        Ok(Outcome::Disagreed)
    }

    /// A line that is no question, and its fault, in the form of the answers.
    fn refused(&self, text: &str, line: u64, error: &impl fmt::Display) -> String {
        let error = format!("{error:#}");
        if self.json {
            let value = |key: &str| match key {
                "code" => json!(text),
                "line" => json!(line),
                "valid" => json!(false),
                _ => json!(error),
            };
            let fields = self.keys.iter().map(|key| (key.to_string(), value(key)));
            return fields.collect::<Value>().to_string();
        }
        match self.heading.matches(',').count() {
            0 => format!("{}line {line}: {error}", self.prefix),
            columns => {
                let note = error.replace('"', "\"\"");
                format!("{}\"line {line}: {note}\"", ",".repeat(columns))
            }
        }
    }
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
        let line = match next(lines, Path::new("stdin")) {
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

/// The most bytes of a certificate, with many comments. A line for each move is a quarter of that.
const MOST: usize = 16 * LONGEST;

/// The text of a code: the argument, or the contents of the file that `@FILE` names: a line, or the
/// lines of a certificate. The system refuses an argument as long as the longest codes.
pub(in crate::cli) fn code(argument: &str) -> anyhow::Result<String> {
    let Some(file) = argument.strip_prefix('@') else {
        return Ok(OtherForm::trimmed(argument).to_owned());
    };
    let (path, mut bytes) = (Path::new(file), Vec::new());
    let opened = File::open(path).map_err(Error::io(path, "open"))?;
    let read = opened.take(MOST as u64 + 1).read_to_end(&mut bytes);
    read.map_err(Error::io(path, "read"))?;
    if bytes.len() > MOST {
        bail!("{file}: more than {MOST} bytes: no code or certificate is as long");
    }
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    let mut codes = text
        .lines()
        .map(OtherForm::trimmed)
        .filter(|line| !line.is_empty());
    match (codes.next(), codes.next()) {
        (Some(code), None) => Ok(code.to_owned()),
        (None, _) => bail!("{file}: no code in it"),
        _ if OtherForm::of(text) == Some(OtherForm::Certificate) => Ok(text.to_owned()),
        _ => bail!("{file}: several lines: give - < {file} for one answer per line"),
    }
}

/// The next line, without the space around it; `None` at the end.
fn next(lines: &mut LineReader<impl Read>, name: &Path) -> Result<Option<String>> {
    let text = |line| OtherForm::trimmed(&String::from_utf8_lossy(line)).to_owned();
    let read = lines.next().map(|line| line.map(text));
    read.map_err(|error| {
        let what = format!("line {}: {error}", lines.number());
        let cause = io::Error::new(error.kind(), what);
        Error::io(name, "read")(cause)
    })
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

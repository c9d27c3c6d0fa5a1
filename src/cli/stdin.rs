//! Questions that come in on stdin, one a line.

use std::io::{self, Stdin};
use std::path::Path;

use crate::error::{Error, Result};
use crate::lines::Lines;

/// Reads questions.
pub(super) struct Questions {
    lines: Lines<Stdin>,
}

impl Questions {
    /// Questions of at most `longest` bytes.
    pub(super) fn new(longest: usize) -> Self {
        let lines = Lines::new(io::stdin(), longest);
        Self { lines }
    }

    /// The questions that have come in, as `read` makes of each line and its number; of some lines it
    /// makes none. Waits for the first question; none at the end.
    pub(super) fn batch<Q>(
        &mut self,
        mut read: impl FnMut(&str, u64) -> Option<Q>,
    ) -> Result<Vec<Q>> {
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

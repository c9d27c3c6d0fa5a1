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

    /// The next question, without the space around it; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<String>> {
        let text = |line| String::from_utf8_lossy(line).trim().to_owned();
        let read = self.lines.next().map(|line| line.map(text));
        read.map_err(|error| {
            let what = format!("line {}: {error}", self.number());
            let cause = io::Error::new(error.kind(), what);
            Error::io(Path::new("stdin"), "read")(cause)
        })
    }

    /// The number of the line that was read last.
    pub(super) fn number(&self) -> u64 {
        self.lines.number()
    }

    /// Whether no more questions have come in yet: whoever sends them may be waiting for answers.
    pub(super) fn waits(&self) -> bool {
        self.lines.waits()
    }
}

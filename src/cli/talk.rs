//! Talk: what is said on stderr beside the data.
//!
//! Talk is never worth a job. If stderr cannot be written, because the disk with the log is full or
//! whoever read it has gone, nobody hears it, and the job goes on to the same end.

use std::fmt::Display;
use std::io::{self, Write};

/// Say something about the job, in a line under the program's name.
pub(super) fn say(text: impl Display) {
    line(format_args!("enum48: {text}"));
}

/// Write a line as it is, such as one of `key=value` pairs for scripts.
pub(super) fn line(text: impl Display) {
    write(format_args!("{text}\n"));
}

/// Write a text as it is, in one write, so that a log of several processes has whole lines.
pub(super) fn write(text: impl Display) {
    let _ = io::stderr().write_all(text.to_string().as_bytes());
}

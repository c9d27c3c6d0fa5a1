//! Talk: messages on stderr beside the data.
//!
//! A job does not fail for a message. If stderr cannot be written, because the disk with the log is
//! full or the reader has gone, the message is lost and the job goes on.

use std::fmt::Display;
use std::io::{self, Write};

/// Write a line about the job that begins with the program's name.
pub(in crate::cli) fn say(text: impl Display) {
    line(format_args!("enum48: {}", plain(text)));
}

/// The text in one line. Control characters are escaped, because a name could steer the terminal.
pub(in crate::cli) fn plain(text: impl Display) -> String {
    let mut plain = String::new();
    for letter in text.to_string().chars() {
        match letter.is_control() {
            true => plain.extend(letter.escape_default()),
            false => plain.push(letter),
        }
    }
    plain
}

/// Write a line unchanged, such as a line of `key=value` pairs for scripts.
pub(in crate::cli) fn line(text: impl Display) {
    write(format_args!("{text}\n"));
}

/// Write a text in one write, so that a log of several processes has whole lines.
pub(in crate::cli) fn write(text: impl Display) {
    let _ = io::stderr().write_all(text.to_string().as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_other_letters_stay() {
        let said = plain("a\u{1b}[2J\n\u{9b}b: \u{e9} \"\\");
        assert_eq!(said, "a\\u{1b}[2J\\n\\u{9b}b: \u{e9} \"\\");
    }
}

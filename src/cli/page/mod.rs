//! Pages for a browser: each is one file that loads nothing.
//!
//! A page is a template with its own markup, style and script. What pages share, their colours and
//! the board with its tiles, is put into it when it is written.

use std::io::{self, Write};

use serde::Serialize;

/// What pages say of themselves: they load nothing, and fit a phone.
const HEAD: &str = include_str!("head.html");

/// The board, with what is said of it.
const BOARD: &str = include_str!("board.html");

/// What pages look like.
const STYLE: &str = include_str!("style.css");

/// What their scripts share.
const SCRIPT: &str = include_str!("page.js");

/// Write a page: a template in which `{{head}}`, `{{style}}`, `{{board}}` and `{{script}}` stand for
/// what pages share, `{{game}}` for the data, and the names of `texts` for these.
///
/// # Panics
///
/// If the template has another name.
pub(super) fn write(
    template: &str,
    texts: &[(&str, &str)],
    game: &impl Serialize,
    to: &mut dyn Write,
) -> io::Result<()> {
    // No text in the data can close the element around it.
    let game = serde_json::to_string(game)?.replace('<', "\\u003c");
    let shared = [
        ("head", HEAD),
        ("style", STYLE),
        ("board", BOARD),
        ("script", SCRIPT),
        ("game", &game),
    ];
    let mut pieces = template.split("{{");
    to.write_all(pieces.next().unwrap_or_default().as_bytes())?;
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").expect("the template closes it");
        let text = shared.iter().chain(texts).find(|text| text.0 == name);
        let (_, text) = text.expect("the template has only these names");
        to.write_all(text.trim_end().as_bytes())?;
        to.write_all(rest.as_bytes())?;
    }
    Ok(())
}

//! Pages for a browser: each is one file that loads nothing.
//!
//! All pages are one template, with their colours, the board with its tiles and the scripts that
//! draw it. A page adds its own markup, style and script, and its data when it is written.

use std::io::{self, Write};

use serde::Serialize;

const TEMPLATE: &str = include_str!("page.html");
const BOARD: &str = include_str!("board.html");
const STYLE: &str = include_str!("style.css");
/// The places of the board and the controls in wide windows. They overrule the style of a page.
const LAYOUT: &str = include_str!("layout.css");
const SCRIPT: &str = include_str!("page.js");

/// The text that a page adds to the template.
pub(super) struct Page {
    pub(super) title: &'static str,
    pub(super) style: &'static str,
    /// Has a place for the `board`, and may have places for data.
    pub(super) body: &'static str,
    pub(super) script: &'static str,
}

impl Page {
    /// Write the page with the data of a `game`, and with each of `texts` in the place of its name.
    ///
    /// # Panics
    ///
    /// If the page has a place for another name.
    pub(super) fn write(
        &self,
        texts: &[(&str, &str)],
        game: &impl Serialize,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        let mut page = TEMPLATE.to_owned();
        for (name, text) in [
            ("title", self.title),
            ("style", STYLE),
            ("own style", self.style),
            ("layout", LAYOUT),
            ("body", self.body),
            ("board", BOARD),
            ("script", SCRIPT),
            ("own script", self.script),
        ] {
            page = page.replace(&format!("{{{{{name}}}}}"), text.trim_end());
        }
        // No text in the data can close the element around it.
        let game = serde_json::to_string(game)?.replace('<', "\\u003c");
        let mut pieces = page.split("{{");
        to.write_all(pieces.next().unwrap_or_default().as_bytes())?;
        for piece in pieces {
            let (name, rest) = piece.split_once("}}").expect("the template closes it");
            let text = texts.iter().find(|text| text.0 == name);
            let text = text.map_or(("game", game.as_str()), |&text| text);
            assert_eq!(text.0, name, "a place without a text");
            to.write_all(text.1.as_bytes())?;
            to.write_all(rest.as_bytes())?;
        }
        Ok(())
    }
}

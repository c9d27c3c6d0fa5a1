//! Pages for a browser: each is one file that loads nothing.
//!
//! All pages share a template: the colours, the board with its tiles, and the script that draws it.
//! A page adds its own markup, style and script, and its data when it is written.

use std::io::{self, Write};

use serde::Serialize;

const TEMPLATE: &str = include_str!("page.html");
const BOARD: &str = include_str!("board.html");
const STYLE: &str = include_str!("style.css");
/// The layout of the board and the controls in wide windows. It overrules the style of a page.
const LAYOUT: &str = include_str!("layout.css");
const SCRIPT: &str = include_str!("page.js");

/// The parts that a page adds to the template.
pub(super) struct Page {
    pub(super) title: &'static str,
    pub(super) style: &'static str,
    /// It has a place for the `board`, and perhaps places for data.
    pub(super) body: &'static str,
    pub(super) script: &'static str,
}

impl Page {
    /// Write the page with the data of a `game`. Each of `texts` goes to the place with its name.
    ///
    /// # Panics
    ///
    /// If the page has a place with another name.
    pub(super) fn write(
        &self,
        texts: &[(&str, &str)],
        game: &impl Serialize,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        // No text in the data can close the element around it.
        let game = serde_json::to_string(game)?.replace('<', "\\u003c");
        let own = [
            ("title", self.title),
            ("style", STYLE),
            ("own style", self.style),
            ("layout", LAYOUT),
            ("body", self.body),
            ("board", BOARD),
            ("script", SCRIPT),
            ("own script", self.script),
        ];
        let data = texts.iter().copied().chain([("game", game.as_str())]);
        let mut page = TEMPLATE.to_owned();
        for (name, text) in own.into_iter().chain(data) {
            page = page.replace(&format!("{{{{{name}}}}}"), text.trim_end());
        }
        assert!(!page.contains("{{"), "the page has a place without a text");
        to.write_all(page.as_bytes())
    }
}

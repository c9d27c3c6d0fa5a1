//! Chromium, driven by `browser.py`. A browser starts slowly, so it runs many trials, each in its
//! own tab.

use std::path::Path;

use serde_json::{Value, json};

use crate::script::Servers;

/// Runs a trial: calls the function `trial` of a script in this directory. `game` is the expected
/// content of the page. Returns the function's result.
pub(crate) fn try_out(script: &str, trial: &str, page: &Path, game: &Value) -> Value {
    const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/outside/browser.py");
    static BROWSERS: Servers = Servers::of(SCRIPT);
    let job = json!({"script": script, "trial": trial, "page": page, "game": game});
    let answer = BROWSERS.ask(&job);
    let failure = answer["failure"].as_str();
    assert_eq!(failure, None, "{trial} of {}", page.display());
    answer["result"].clone()
}

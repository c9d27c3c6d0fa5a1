//! Chromium, driven by `browser.py`. A browser starts slowly, so it runs many trials, each in its
//! own tab.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use serde_json::{Value, json};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/outside/browser.py");

/// Runs a trial: calls the function `trial` of a script in this directory. `game` is the expected
/// content of the page. Returns the function's result.
pub(crate) fn try_out(script: &str, trial: &str, page: &Path, game: &Value) -> Value {
    /// Idle browsers. They end when this process closes their input.
    static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());
    let idle = IDLE.lock().unwrap().pop();
    let mut browser = idle.unwrap_or_else(Browser::start);
    let job = json!({"script": script, "trial": trial, "page": page, "game": game});
    let answer = browser.ask(&job);
    let failure = answer["failure"].as_str();
    assert_eq!(failure, None, "{trial} of {}", page.display());
    IDLE.lock().unwrap().push(browser);
    answer["result"].clone()
}

struct Browser {
    _process: Child,
    jobs: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Browser {
    fn start() -> Self {
        let mut process = Command::new("python3")
            .arg(SCRIPT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            jobs: process.stdin.take().unwrap(),
            answers: BufReader::new(process.stdout.take().unwrap()),
            _process: process,
        }
    }

    fn ask(&mut self, job: &Value) -> Value {
        writeln!(self.jobs, "{job}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }
}

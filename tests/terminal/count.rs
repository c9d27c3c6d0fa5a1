//! A count in a terminal: what its display shows, and what Ctrl-C leaves.

use std::fs;
use std::sync::mpsc::Receiver;

use portable_pty::{CommandBuilder, native_pty_system};
use serde_json::Value;
use vt100::Parser;

use crate::terminal::{LIMIT, chunks, side, window};

const COLUMNS: u16 = 80;
const ROWS: u16 = 24;

/// Runs the program; says the exit code as shells say it, 128 more than a signal. The shell itself
/// survives Ctrl-C.
const SHELL: &str = r#"trap : INT; "$0" "$@"; echo "ended with $?""#;

/// A screen on which somebody else writes.
struct Shown {
    chunks: Receiver<Vec<u8>>,
    parser: Parser,
}

impl Shown {
    fn until(&mut self, text: &str) {
        while !self.contents().contains(text) {
            let chunk = self.chunks.recv_timeout(LIMIT);
            let chunk = chunk.unwrap_or_else(|_| panic!("no {text:?}:\n{}", self.contents()));
            self.parser.process(&chunk);
        }
    }

    fn contents(&self) -> String {
        self.parser.screen().contents()
    }
}

#[test]
fn ctrl_c_hides_the_display_and_says_what_stays() {
    let place = tempfile::tempdir().unwrap();
    let pty = native_pty_system().openpty(window(COLUMNS, ROWS)).unwrap();
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", SHELL, env!("CARGO_BIN_EXE_enum48")]);
    // It would take minutes.
    command.args("--size 4 --max 64 --engine lists --dir run --memory 64M".split_whitespace());
    command.cwd(place.path());
    command.env("TERM", "xterm-256color");
    let mut child = pty.slave.spawn_command(command).unwrap();
    let mut shown = Shown {
        chunks: chunks(pty.master.as_ref()),
        parser: Parser::new(side(ROWS), side(COLUMNS), 0),
    };
    // By then some layers are durable, and it is said how long it will take.
    shown.until(" left");
    let display = shown.contents();
    assert!(
        display.contains("%, about ") && display.contains(" states/s, "),
        "{display}"
    );
    let mut keys = pty.master.take_writer().unwrap();
    keys.write_all(b"\x03").unwrap();
    shown.until("ended with 130");
    child.wait().unwrap();

    let left = shown.contents();
    assert!(
        !left.contains(" left") && !left.contains("in the layer"),
        "{left}"
    );
    let (_, said) = left.split_once("stopped after sum ").expect(&left);
    let (sum, rest) = said.split_once("; the same command goes on").expect(&left);
    assert_eq!(rest.trim(), "ended with 130", "{left}");
    let manifest = fs::read(place.path().join("run/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    // A layer may have been sealed while that was said.
    let sealed = manifest["sealed_sum"].as_u64().unwrap();
    assert!(
        (4..=sealed).contains(&sum.parse().unwrap()),
        "{left} {sealed}"
    );
}

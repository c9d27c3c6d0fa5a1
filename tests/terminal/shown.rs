//! A terminal on which the program writes.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError};

use portable_pty::{Child, CommandBuilder, MasterPty, native_pty_system};
use vt100::Parser;

use super::typed::{LIMIT, chunks, side, window};
use crate::command::PROGRAM;

const COLUMNS: u16 = 80;
const ROWS: u16 = 24;

/// Runs the program and prints its exit code; after a signal, shells give 128 more than its number.
/// The shell itself survives Ctrl-C.
const SHELL: &str = r#"trap : INT; "$0" "$@"; echo "ended with $?""#;

/// The program in a terminal of 80 columns, and the contents of the terminal.
pub(crate) struct Shown {
    chunks: Receiver<Vec<u8>>,
    written: Vec<u8>,
    parser: Parser,
    // When it is dropped, it types the end of the input.
    keys: Box<dyn Write + Send>,
    _terminal: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
}

impl Shown {
    /// Starts the program in `place`, with arguments split at spaces.
    pub(crate) fn start(place: &Path, args: &str) -> Self {
        Self::start_on("xterm-256color", place, args)
    }

    /// Starts the program on a kind of terminal.
    pub(crate) fn start_on(kind: &str, place: &Path, args: &str) -> Self {
        let mut shell = CommandBuilder::new("sh");
        shell.args(["-c", SHELL, PROGRAM]);
        shell.env("TERM", kind);
        Self::spawn(shell, place, args)
    }

    /// Starts the program without a shell.
    pub(crate) fn start_alone(place: &Path, args: &str) -> Self {
        let mut program = CommandBuilder::new(PROGRAM);
        program.env("TERM", "xterm-256color");
        Self::spawn(program, place, args)
    }

    fn spawn(mut command: CommandBuilder, place: &Path, args: &str) -> Self {
        let pty = native_pty_system().openpty(window(COLUMNS, ROWS)).unwrap();
        command.args(args.split_whitespace());
        command.cwd(place);
        Self {
            child: pty.slave.spawn_command(command).unwrap(),
            chunks: chunks(pty.master.as_ref()),
            written: Vec::new(),
            parser: Parser::new(side(ROWS), side(COLUMNS), 0),
            keys: pty.master.take_writer().unwrap(),
            _terminal: pty.master,
        }
    }

    /// Wait until a text is shown; returns the contents of the screen, line by line.
    pub(crate) fn until(&mut self, text: &str) -> String {
        self.until_it(text, |contents| contents.contains(text))
    }

    /// Wait until the contents of the screen pass a test, and return them. A frame may be shown in
    /// pieces.
    pub(crate) fn until_it(&mut self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        loop {
            let contents = self.contents();
            if holds(&contents) {
                return contents;
            }
            self.take(what);
        }
    }

    /// Wait until a text was written, even if it was shown only for a moment.
    pub(crate) fn until_written(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.written).contains(text) {
            self.take(text);
        }
    }

    fn take(&mut self, awaited: &str) {
        let chunk = self.chunks.recv_timeout(LIMIT);
        let chunk = chunk.unwrap_or_else(|_| panic!("no {awaited:?}:\n{}", self.contents()));
        self.parser.process(&chunk);
        self.written.extend(chunk);
    }

    /// Wait for the end of the program and check the shown exit code; returns the last contents.
    pub(crate) fn end(mut self, code: u8) -> String {
        let left = self.until(&format!("ended with {code}"));
        self.child.wait().unwrap();
        left
    }

    /// Presses Ctrl-C.
    pub(crate) fn interrupt(&mut self) {
        self.keys.write_all(b"\x03").unwrap();
    }

    /// Presses Ctrl-S, which blocks each write to the terminal.
    pub(crate) fn stop_output(&mut self) {
        self.keys.write_all(b"\x13").unwrap();
    }

    /// Sends signals, by name, to a program without a shell. Waits for its end, and returns the
    /// signal that ended it, as the system calls it.
    pub(crate) fn end_by(mut self, signals: &[&str]) -> String {
        let pid = self.child.process_id().unwrap();
        for signal in signals {
            let kill = Command::new("kill")
                .args(["-s", signal, &pid.to_string()])
                .status();
            assert!(kill.unwrap().success());
        }
        loop {
            match self.chunks.recv_timeout(LIMIT) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("{signals:?} do not end the program"),
            }
        }
        let status = self.child.wait().unwrap();
        status.signal().unwrap_or_default().to_owned()
    }

    fn contents(&self) -> String {
        let rows = self.parser.screen().rows(0, COLUMNS);
        let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
        rows.join("\n")
    }
}

//! A terminal with the program in it, and keys that tests press.

use std::fs;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::Command;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;
use vt100::{Parser, Screen};

use crate::command::{PROGRAM, place};

/// The time that a test waits before it fails.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

pub(crate) const FRAME_ENDS: &[u8] = b"\x1b[?2026l";

/// Runs the program as a job, and continues it when it is suspended. Variables say where its streams
/// go; by default stdout goes to a file and the others to the terminal. Prints a word whenever the
/// modes of the terminal are as before.
pub(crate) const SHELL: &str = r#"set -m; ulimit -c 0
before=$(stty -g)
sh -c 'trap : INT; sh -c "$PLAY" "$0" "$@"; exit $?' "$0" "$@" <"$IN" >"$OUT" 2>"$ERR"
left=$?
while [ -n "$(jobs -s)" ]; do
    [ "$before" = "$(stty -g)" ] && echo suspended
    fg >/dev/null
    left=$?
done
[ "$before" = "$(stty -g)" ] && echo restored
exit $left"#;

/// A game in a terminal.
pub(crate) struct Play {
    pub(crate) terminal: Box<dyn MasterPty + Send>,
    pub(crate) keys: Box<dyn Write + Send>,
    pub(crate) child: Box<dyn Child + Send + Sync>,
    pub(crate) chunks: Receiver<Vec<u8>>,
    pub(crate) shown: Vec<u8>,
    pub(crate) parser: Parser,
    pub(crate) place: TempDir,
}

/// The exit code of a game, its output, and the contents of the terminal.
pub(crate) struct Left {
    pub(crate) code: u32,
    pub(crate) stdout: String,
    pub(crate) shown: String,
    pub(crate) screen: String,
}

pub(crate) fn window(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

pub(crate) fn side(length: u16) -> NonZeroU16 {
    NonZeroU16::new(length).unwrap()
}

/// The chunks that are written to a terminal.
pub(crate) fn chunks(terminal: &dyn MasterPty) -> Receiver<Vec<u8>> {
    let mut output = terminal.try_clone_reader().unwrap();
    let (sender, chunks) = mpsc::channel();
    thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(length @ 1..) = output.read(&mut chunk) {
            if sender.send(chunk[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    chunks
}

impl Play {
    /// A game without colours. Lines separate the tiles.
    pub(crate) fn start(args: &str, size: (u16, u16)) -> Self {
        Self::start_with(args, size, &[("NO_COLOR", "1")])
    }

    /// A game whose first frame is shown. The shell would echo keys that are pressed earlier.
    pub(crate) fn start_with(args: &str, size: (u16, u16), variables: &[(&str, &str)]) -> Self {
        let mut play = Self::open(args, size, variables);
        play.until("frame", |_| true);
        play
    }

    pub(crate) fn open(
        args: &str,
        (columns, rows): (u16, u16),
        variables: &[(&str, &str)],
    ) -> Self {
        let place = place();
        let pty = native_pty_system().openpty(window(columns, rows)).unwrap();
        let mut command = CommandBuilder::new("bash");
        command.args(["-c", SHELL, PROGRAM]);
        command.args(args.split_whitespace());
        command.cwd(place.path());
        command.env("IN", "/dev/tty");
        command.env("OUT", "stdout");
        command.env("ERR", "/dev/tty");
        command.env("PLAY", r#"echo $$ >pid; exec "$0" play "$@""#);
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pty.slave.spawn_command(command).unwrap();
        let chunks = chunks(pty.master.as_ref());
        Self {
            keys: pty.master.take_writer().unwrap(),
            terminal: pty.master,
            child,
            chunks,
            shown: Vec::new(),
            parser: Parser::new(side(rows), side(columns), 0),
            place,
        }
    }

    pub(crate) fn screen(&self) -> &Screen {
        self.parser.screen()
    }

    /// Wait until a complete frame passes the test `holds`.
    pub(crate) fn until(&mut self, what: &str, holds: impl Fn(&Screen) -> bool) {
        while !(self.shown.ends_with(FRAME_ENDS) && holds(self.screen())) {
            let chunk = self.chunks.recv_timeout(LIMIT);
            let chunk =
                chunk.unwrap_or_else(|_| panic!("no {what}:\n{}", self.screen().contents()));
            self.take(chunk);
        }
    }

    pub(crate) fn take(&mut self, chunk: Vec<u8>) {
        self.parser.process(&chunk);
        self.shown.extend(chunk);
    }

    /// Wait until a text was written, on either screen of the terminal.
    pub(crate) fn until_written(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.shown).contains(text) {
            let chunk = self.chunks.recv_timeout(LIMIT);
            self.take(chunk.unwrap_or_else(|_| panic!("no {text}")));
        }
    }

    /// Sends the program a signal, by name.
    pub(crate) fn signal(&self, name: &str) {
        let pid = fs::read_to_string(self.place.path().join("pid")).unwrap();
        let sent = Command::new("kill").args(["-s", name, pid.trim()]).status();
        assert!(sent.unwrap().success());
    }

    pub(crate) fn until_shown(&mut self, text: &str) {
        self.until(text, |screen| screen.contents().contains(text));
    }

    /// Wait until the board after this number of moves is shown, and return it.
    pub(crate) fn board_after(&mut self, moves: usize) -> String {
        self.until_shown(&format!("moves {moves}\n"));
        board(self.screen())
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.parser.set_size(side(rows), side(columns));
        self.terminal.resize(window(columns, rows)).unwrap();
    }

    /// Press keys that quit, wait for the end, and check that the terminal is restored.
    pub(crate) fn quit(mut self, keys: &str) -> Left {
        self.press(keys);
        loop {
            match self.chunks.recv_timeout(LIMIT) {
                Ok(chunk) => self.take(chunk),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("{keys:?} does not quit"),
            }
        }
        let code = self.child.wait().unwrap().exit_code();
        let screen = self.screen().contents();
        assert!(!self.screen().alternate_screen() && !self.screen().hide_cursor());
        assert!(screen.contains("restored"), "{screen}");
        let stdout = fs::read_to_string(self.place.path().join("stdout")).unwrap_or_default();
        let shown = String::from_utf8(self.shown).unwrap();
        Left {
            code,
            stdout,
            shown,
            screen,
        }
    }
}

/// The board on the screen, as `4 2 / . .`.
pub(crate) fn board(screen: &Screen) -> String {
    let contents = screen.contents();
    let lines = contents.lines().map(str::trim);
    let rows = lines.filter_map(|line| line.strip_prefix('│')?.strip_suffix('│'));
    let cell = |cell: &str| match cell.trim() {
        "" => ".".to_owned(),
        tile => tile.to_owned(),
    };
    let row = |row: &str| row.split('│').map(cell).collect::<Vec<_>>().join(" ");
    rows.map(row).collect::<Vec<_>>().join(" / ")
}

//! The terminal while a game is on it, and how it is left.

use std::env;
use std::io::{self, Write};
use std::panic;
use std::thread;
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event;
use crossterm::style::{Colored, Print};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen,
};
use crossterm::{execute, queue};

use super::screen::Frame;

/// The terminal in raw mode and on its other screen; dropped, it is as before.
pub(super) struct Terminal(());

impl Terminal {
    /// Take the terminal over.
    pub(super) fn open() -> io::Result<Self> {
        leave_before_a_panic_is_told();
        terminal::enable_raw_mode()?;
        let terminal = Self(());
        execute!(io::stderr(), EnterAlternateScreen, Hide)?;
        // From here on it is heard when the window changes, which it may do before the first key.
        event::poll(Duration::ZERO)?;
        Ok(terminal)
    }

    /// Show a frame, written at once so that no half of it is seen.
    pub(super) fn show(&self, frame: &Frame) -> io::Result<()> {
        let mut bytes = Vec::new();
        queue!(bytes, BeginSynchronizedUpdate)?;
        for (row, line) in (0..).zip(&frame.lines) {
            queue!(
                bytes,
                MoveTo(0, row),
                Clear(ClearType::UntilNewLine),
                Print(line)
            )?;
        }
        queue!(
            bytes,
            MoveTo(0, frame.lines.len() as u16),
            Clear(ClearType::FromCursorDown),
            Print(&frame.rest),
            EndSynchronizedUpdate
        )?;
        io::stderr().write_all(&bytes)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if !thread::panicking() {
            leave();
        }
    }
}

/// Leave the terminal as it was. What fails here has nowhere to be said.
fn leave() {
    let _ = execute!(io::stderr(), Show, LeaveAlternateScreen);
    let _ = terminal::disable_raw_mode();
}

/// What a panic says would be lost with the screen that it is written on.
fn leave_before_a_panic_is_told() {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        leave();
        tell(panic);
    }));
}

/// Whether colours are wanted, and known to the terminal: nearly all know 256, whatever they are called.
pub(super) fn has_colours() -> bool {
    let name = env::var("TERM").unwrap_or_default();
    let without = ["", "dumb", "vt52", "vt100", "vt102", "vt220", "xterm-mono"];
    !Colored::ansi_color_disabled() && !without.contains(&name.as_str())
}

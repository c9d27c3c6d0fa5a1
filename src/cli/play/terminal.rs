//! The terminal during a game, and how it is restored.

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

use super::screen::Screen;

/// The terminal in raw mode and on its alternate screen, until this is dropped.
pub(super) struct Terminal(());

impl Terminal {
    /// Enter raw mode and the alternate screen.
    pub(super) fn open() -> io::Result<Self> {
        restore_before_panic_message();
        let terminal = Self(());
        terminal.enter()?;
        // Start listening for changes of the window's size, which may come before the first key.
        event::poll(Duration::ZERO)?;
        Ok(terminal)
    }

    fn enter(&self) -> io::Result<()> {
        terminal::enable_raw_mode()?;
        execute!(io::stderr(), EnterAlternateScreen, Hide)
    }

    /// Leave the terminal to others, as after the game.
    pub(super) fn leave(&self) {
        restore();
    }

    /// Enter again, whatever others have made of the terminal.
    pub(super) fn enter_again(&self) -> io::Result<()> {
        // Or it is taken to be in raw mode still.
        terminal::disable_raw_mode()?;
        self.enter()
    }

    /// Draw a frame, in one write so that nobody sees half of it.
    pub(super) fn show(&self, frame: &Screen) -> io::Result<()> {
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
            restore();
        }
    }
}

/// Restore the terminal. Errors are ignored, as there is nowhere to print them.
fn restore() {
    let _ = execute!(io::stderr(), Show, LeaveAlternateScreen);
    let _ = terminal::disable_raw_mode();
}

/// Restore the terminal before a panic prints its message, which the alternate screen would take
/// with it.
fn restore_before_panic_message() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        restore();
        print(panic);
    }));
}

/// Whether the user wants colours and the terminal has them. Nearly all terminals have 256,
/// whatever they are called.
pub(super) fn has_colours() -> bool {
    let name = env::var("TERM").unwrap_or_default();
    let without = ["", "dumb", "vt52", "vt100", "vt102", "vt220", "xterm-mono"];
    !Colored::ansi_color_disabled() && !without.contains(&name.as_str())
}

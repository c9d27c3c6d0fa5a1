//! The terminal during a game: its settings, their restoration, and what happens while the program is
//! suspended.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, panic, thread};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event;
use crossterm::style::{Colored, Print};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen,
};
use crossterm::{execute, queue};
#[cfg(unix)]
use rustix::process::{Signal, kill_current_process_group};
#[cfg(unix)]
use signal_hook::{consts::SIGCONT, flag};

use super::screen::Screen;

/// The terminal in raw mode and on its alternate screen, until this is dropped.
pub(super) struct Terminal(());

impl Terminal {
    /// Enter raw mode and the alternate screen.
    pub(super) fn open() -> io::Result<Self> {
        // On the alternate screen, the message of a panic would vanish with the screen.
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            restore();
            print(panic);
        }));
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

    /// Enter again, after other programs may have changed the terminal.
    pub(super) fn enter_again(&self) -> io::Result<()> {
        // Otherwise crossterm believes that the terminal is still in raw mode.
        terminal::disable_raw_mode()?;
        self.enter()
    }

    /// Draw a frame, in one write so that no half of it is seen.
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

/// Restore the terminal, unless it is restored. Errors are ignored, because there is nowhere to print
/// them.
pub(in crate::cli) fn restore() {
    if terminal::is_raw_mode_enabled().unwrap_or_default() {
        let _ = execute!(io::stderr(), Show, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Whether the user wants colours and the terminal has them. Nearly all terminals have 256 colours,
/// even if their names do not say so.
pub(super) fn has_colours() -> bool {
    let name = env::var("TERM").unwrap_or_default();
    let without = ["", "dumb", "vt52", "vt100", "vt102", "vt220", "xterm-mono"];
    !Colored::ansi_color_disabled() && !without.contains(&name.as_str())
}

/// Whether the program was stopped and continued. Other programs may have used the terminal
/// meanwhile.
pub(super) struct Continued(Arc<AtomicBool>);

impl Continued {
    /// Note it from now on.
    pub(super) fn listen() -> io::Result<Self> {
        let continued = Self(Arc::default());
        #[cfg(unix)]
        flag::register(SIGCONT, continued.0.clone())?;
        Ok(continued)
    }

    /// Whether it was continued since the last call.
    pub(super) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }

    /// Whether the next call of [`Continued::take`] will return true.
    pub(super) fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Suspend this program and all of its job, until the shell continues it. The system does not
    /// suspend a program that no shell could continue.
    pub(super) fn suspend(&self) -> io::Result<()> {
        #[cfg(unix)]
        kill_current_process_group(Signal::TSTP)?;
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }
}

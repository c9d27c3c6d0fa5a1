//! Signals during a game. They are noted when they come, and obeyed between two keys.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::flag;

use crate::cli::signals;

/// The signals that have come.
pub(super) struct Signals {
    /// The one that ends the game; 0 if there was none.
    ending: Arc<AtomicUsize>,
    continued: Arc<AtomicBool>,
}

impl Signals {
    /// Note signals from now on.
    pub(super) fn listen() -> io::Result<Self> {
        let signals = Self {
            ending: Arc::default(),
            continued: Arc::default(),
        };
        for signal in signals::ending() {
            flag::register_usize(signal, signals.ending.clone(), signal as usize)?;
        }
        signals::note_continued(signals.continued.clone())?;
        Ok(signals)
    }

    /// The signal that ends the game.
    pub(super) fn ending(&self) -> Option<i32> {
        let signal = self.ending.load(Ordering::Relaxed);
        (signal > 0).then_some(signal as i32)
    }

    /// Whether the program was stopped and continued since this was last asked. Others may have
    /// used the terminal meanwhile.
    pub(super) fn continued(&self) -> bool {
        self.continued.swap(false, Ordering::Relaxed)
    }

    /// Whether there is anything to obey.
    pub(super) fn came(&self) -> bool {
        self.ending().is_some() || self.continued.load(Ordering::Relaxed)
    }

    /// Suspend this program and all of its job, until the shell continues it. Where nobody could,
    /// it is continued at once.
    pub(super) fn suspend(&self) -> io::Result<()> {
        signals::suspend()?;
        self.continued.store(true, Ordering::Relaxed);
        Ok(())
    }
}

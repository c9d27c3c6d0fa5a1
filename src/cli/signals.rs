//! The last acts of the program before a signal ends it.
//!
//! A count needs none: it may be killed at any moment, and the same command resumes it. But after
//! Ctrl-C its display says so, and temporary files are deleted, because nobody can use them. The
//! process then ends by the signal, as it would without this module.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use anyhow::{Context, Result};
use signal_hook::consts::SIGINT;
use signal_hook::low_level::emulate_default_handler;
use tempfile::TempDir;

pub(super) use self::system::{handle_file_size_limit, note_continued, suspend};
use crate::machine;
use crate::store;

/// On Unix, a thread can wait for signals, and there are jobs.
#[cfg(unix)]
mod system {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use rustix::process::{Signal, kill_current_process_group};
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::flag;
    use signal_hook::iterator::Signals;

    /// The signals by which people and systems end a program.
    pub(super) const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

    /// Handle SIGXFSZ, so that a write beyond the limit on file sizes (`ulimit -f`) returns an error
    /// instead of killing the process.
    pub(in crate::cli) fn handle_file_size_limit() {
        // If this fails, such a write kills the process, and the same command resumes the work.
        let _ = flag::register(SIGXFSZ, Arc::default());
    }

    /// Wait for the first of the signals in a new thread, and call `act` there.
    pub(super) fn on_signal(
        signals: impl Iterator<Item = i32>,
        act: impl FnOnce(i32) + Send + 'static,
    ) -> io::Result<()> {
        let mut signals = Signals::new(signals)?;
        let wait = move || signals.forever().next().map(act);
        thread::Builder::new().spawn(wait).map(drop)
    }

    /// Set a flag whenever the program is continued after a stop.
    pub(in crate::cli) fn note_continued(flag: Arc<AtomicBool>) -> io::Result<()> {
        flag::register(SIGCONT, flag).map(drop)
    }

    /// Suspend this program and all other programs of its job.
    pub(in crate::cli) fn suspend() -> io::Result<()> {
        Ok(kill_current_process_group(Signal::TSTP)?)
    }
}

/// On other systems a signal ends the process at once, and there are no jobs.
#[cfg(not(unix))]
mod system {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGINT, SIGTERM};

    pub(super) const ENDING: [i32; 2] = [SIGINT, SIGTERM];

    pub(in crate::cli) fn handle_file_size_limit() {}

    /// Temporary files stay.
    pub(super) fn on_signal(
        _: impl Iterator<Item = i32>,
        _: impl FnOnce(i32) + Send + 'static,
    ) -> io::Result<()> {
        Ok(())
    }

    pub(in crate::cli) fn note_continued(_: Arc<AtomicBool>) -> io::Result<()> {
        Ok(())
    }

    pub(in crate::cli) fn suspend() -> io::Result<()> {
        Ok(())
    }
}

/// The signals by which people and systems end a program, except the ignored signals: `nohup` and
/// shells without job control start programs that ignore some of them.
pub(super) fn ending() -> impl Iterator<Item = i32> {
    // Bit n - 1 stands for signal n. Only Linux tells.
    let mask = machine::status("SigIgn:").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    let ignored = mask.unwrap_or(0);
    let all = system::ENDING.into_iter();
    all.filter(move |signal| ignored >> (signal - 1) & 1 == 0)
}

/// End the process by a signal that it has handled.
pub(super) fn end_by(signal: i32) -> io::Result<()> {
    emulate_default_handler(signal)
}

/// A temporary directory, deleted when it is dropped or when a signal ends the process.
pub(super) struct TemporaryDir {
    // The fields are dropped in this order.
    dir: TempDir,
    _deleted: Option<DeletedOnSignal>,
}

impl TemporaryDir {
    /// Make a directory among the system's temporary files.
    pub(super) fn new() -> Result<Self> {
        Self::make(tempfile::tempdir)
    }

    /// Make a directory in `dir`, or among the system's temporary files if `dir` is not writable.
    pub(super) fn beside(dir: &Path) -> Result<Self> {
        let mut named = tempfile::Builder::new();
        named.prefix(".enum48-");
        Self::make(|| named.tempdir_in(dir).or_else(|_| named.tempdir()))
    }

    fn make(make: impl FnOnce() -> io::Result<TempDir>) -> Result<Self> {
        let made = DeletedOnSignal::make(make, |dir| Some(dir.path()));
        let (dir, _deleted) = made.context("temporary directory: cannot create")?;
        Ok(Self { dir, _deleted })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// The work to be done when a signal comes.
struct LastActs {
    /// Files and directories to delete.
    temporary: Vec<PathBuf>,
    /// Called on Ctrl-C.
    say: Option<Box<dyn Fn() + Send>>,
}

static LAST_ACTS: Mutex<LastActs> = Mutex::new(LastActs {
    temporary: Vec::new(),
    say: None,
});

fn last_acts() -> MutexGuard<'static, LastActs> {
    LAST_ACTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Before Ctrl-C ends the process, call `say`.
pub(super) fn on_interrupt(say: impl Fn() + Send + 'static) {
    listen();
    last_acts().say = Some(Box::new(say));
}

/// A file or a directory that a signal deletes before it ends the process. Dropping this keeps it.
pub(super) struct DeletedOnSignal(PathBuf);

impl DeletedOnSignal {
    /// Make a file or a directory; `path` tells its path, or `None` if it has no temporary path.
    pub(super) fn make<T, E>(
        make: impl FnOnce() -> Result<T, E>,
        path: impl FnOnce(&T) -> Option<&Path>,
    ) -> Result<(T, Option<Self>), E> {
        listen();
        // While this is locked, a signal waits until the path is known.
        let mut acts = last_acts();
        let made = make()?;
        let path = path(&made).map(Path::to_owned);
        acts.temporary.extend(path.clone());
        Ok((made, path.map(Self)))
    }
}

impl Drop for DeletedOnSignal {
    fn drop(&mut self) {
        last_acts().temporary.retain(|path| *path != self.0);
    }
}

/// Wait for a signal in a new thread. If no thread can start, a signal ends the process at once: it
/// says nothing, and temporary files stay.
fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| drop(system::on_signal(ending(), end)));
}

/// Do the last acts, and end the process by the signal.
fn end(signal: i32) {
    // While this is locked, no thread makes another temporary file.
    let acts = last_acts();
    if let Some(say) = acts.say.as_ref().filter(|_| signal == SIGINT) {
        say();
    }
    // Other threads must not report that the deleted files are missing.
    let _silence = io::stderr().lock();
    for path in &acts.temporary {
        store::clear(path);
    }
    let _ = end_by(signal);
}

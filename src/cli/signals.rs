//! What the program does before a signal ends it, where it has anything to do.
//!
//! A count does nothing: it may be killed at any moment, and the same command goes on. But after
//! Ctrl-C its display says so, and what is temporary is of no use to anybody and is deleted. The
//! process then ends by the signal, as it would have without this module.

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

/// Unix: signals can be waited for, and there are jobs.
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
        // Without the handler such a write kills the process, and the next one resumes its work.
        let _ = flag::register(SIGXFSZ, Arc::default());
    }

    /// Call `act` when the first of the signals comes, in a thread of its own.
    pub(super) fn on_signal(
        signals: impl Iterator<Item = i32>,
        act: impl FnOnce(i32) + Send + 'static,
    ) -> io::Result<()> {
        let mut signals = Signals::new(signals)?;
        let wait = move || signals.forever().next().map(act);
        thread::Builder::new().spawn(wait).map(drop)
    }

    /// Note in a flag that the program was stopped and continued.
    pub(in crate::cli) fn note_continued(flag: Arc<AtomicBool>) -> io::Result<()> {
        flag::register(SIGCONT, flag).map(drop)
    }

    /// Suspend this program and all of its job.
    pub(in crate::cli) fn suspend() -> io::Result<()> {
        Ok(kill_current_process_group(Signal::TSTP)?)
    }
}

/// Other systems: a signal ends the process at once, and there are no jobs.
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

/// The signals by which people and systems end a program, without the ignored ones: `nohup` and
/// shells without job control start programs that ignore some.
pub(super) fn ending() -> impl Iterator<Item = i32> {
    // Bit n - 1 for signal n; only Linux tells.
    let mask = machine::status("SigIgn:").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    let ignored = mask.unwrap_or(0);
    let is_ignored = move |signal| ignored >> (signal - 1) & 1 == 1;
    system::ENDING
        .into_iter()
        .filter(move |&signal| !is_ignored(signal))
}

/// End the process by a signal that it has handled.
pub(super) fn end_by(signal: i32) -> io::Result<()> {
    emulate_default_handler(signal)
}

/// A temporary directory, deleted when it is dropped or when a signal ends the process.
pub(super) struct TemporaryDir {
    // They are dropped in this order.
    dir: TempDir,
    _deleted: Option<DeletedOnSignal>,
}

impl TemporaryDir {
    /// One in the system's directory of temporary files.
    pub(super) fn new() -> Result<Self> {
        Self::make(tempfile::tempdir)
    }

    /// One in a directory, or in the system's if nothing may be written there.
    pub(super) fn beside(dir: &Path) -> Result<Self> {
        let mut named = tempfile::Builder::new();
        let named = named.prefix(".enum48-");
        Self::make(|| named.tempdir_in(dir).or_else(|_| named.tempdir()))
    }

    fn make(make: impl FnOnce() -> io::Result<TempDir>) -> Result<Self> {
        let made = DeletedOnSignal::make(make, |dir| Some(dir.path()));
        let (dir, deleted) = made.context("temporary directory: cannot create")?;
        Ok(Self {
            dir,
            _deleted: deleted,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Until it is dropped, a signal that ends the process deletes a file or a directory first.
pub(super) struct DeletedOnSignal(PathBuf);

/// What a signal deletes.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporary() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What Ctrl-C has said.
static LAST_WORDS: Mutex<Option<Box<dyn Fn() + Send>>> = Mutex::new(None);

/// Before Ctrl-C ends the process, `say` something.
pub(super) fn on_interrupt(say: impl Fn() + Send + 'static) {
    listen();
    let mut words = LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    *words = Some(Box::new(say));
}

fn say_last_words() {
    let words = LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(say) = words.as_ref() {
        say();
    }
}

impl DeletedOnSignal {
    /// Make something that is temporary at a path, if it is.
    pub(super) fn make<T, E>(
        make: impl FnOnce() -> Result<T, E>,
        path: impl FnOnce(&T) -> Option<&Path>,
    ) -> Result<(T, Option<Self>), E> {
        listen();
        // A signal waits until it is known what there is to delete.
        let mut temporary = temporary();
        let made = make()?;
        let path = path(&made).map(Path::to_owned);
        temporary.extend(path.clone());
        Ok((made, path.map(Self)))
    }
}

impl Drop for DeletedOnSignal {
    fn drop(&mut self) {
        temporary().retain(|path| *path != self.0);
    }
}

/// Wait for a signal in a thread of its own. If that fails, a signal ends the process at once: it
/// says nothing, and leaves what is temporary.
fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| drop(system::on_signal(ending(), end)));
}

/// Say the last words, delete what is temporary, and end the process by the signal.
fn end(signal: i32) {
    if signal == SIGINT {
        say_last_words();
    }
    // Nobody is to hear that what is being deleted is missing.
    let _silence = io::stderr().lock();
    // And nothing is made any more.
    let temporary = temporary();
    for path in temporary.iter() {
        store::clear(path);
    }
    let _ = end_by(signal);
}

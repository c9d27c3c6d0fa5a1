//! What only Unix has: signals that can be waited for, and limits on a process. `elsewhere.rs` has
//! the same functions for other systems.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use rlimit::Resource;
use rustix::process::{Signal, kill_current_process_group};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;

/// The signals by which people and systems end a program.
pub(super) const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Handle SIGXFSZ, so that a write beyond the limit on file sizes (`ulimit -f`) returns an error
/// instead of killing the process.
pub(super) fn handle_file_size_limit() {
    // If that fails, such a write kills the process, and the same command resumes, as after any
    // other kill.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Bytes of memory that the process may map (`ulimit -v`).
pub(super) fn address_space() -> Option<u64> {
    Resource::AS.get_soft().ok()
}

/// Do this when the first of the signals comes, in a thread of its own.
pub(super) fn on_signal(
    signals: impl Iterator<Item = i32>,
    act: impl FnOnce(i32) + Send + 'static,
) -> io::Result<()> {
    let mut signals = Signals::new(signals)?;
    let wait = move || signals.forever().next().map(act);
    thread::Builder::new().spawn(wait).map(drop)
}

/// Note in a flag that the program was stopped and continued.
pub(super) fn note_continued(flag: Arc<AtomicBool>) -> io::Result<()> {
    flag::register(SIGCONT, flag).map(drop)
}

/// Suspend this program and all of its job.
pub(super) fn suspend() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::TSTP)?)
}

//! The last acts of the program before a signal ends it.
//!
//! A count needs none: it may be killed at any moment, and the same command resumes it. But the
//! first signal asks a count or a solver to stop and keep its finished layers. The program prints
//! which layers are kept. The second signal ends the process at once. Temporary files are deleted,
//! because nobody can use them. The process then ends by the signal, as it would without this
//! module.
//!
//! A terminal that is stopped (Ctrl-S, a stalled connection) blocks each thread that writes to it.
//! So the thread that receives signals never writes, and waits at most [`LAST_WORDS`] for the
//! thread that does.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::low_level::emulate_default_handler;

pub(in crate::cli) use self::system::{handle_file_size_limit, note_continued, suspend};
use crate::error::{self, Error};
use crate::machine;
use crate::progress::Stop;
use crate::store;
use crate::temporary;

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
    pub(in crate::cli) const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

    /// The signal that always ends the process at once.
    pub(in crate::cli) const AT_ONCE: i32 = SIGQUIT;

    /// Handle SIGXFSZ, so that a write beyond the limit on file sizes (`ulimit -f`) returns an error
    /// instead of killing the process.
    pub(in crate::cli) fn handle_file_size_limit() {
        // If this fails, such a write kills the process, and the same command resumes the work.
        let _ = flag::register(SIGXFSZ, Arc::default());
    }

    /// Wait for the signals in a new thread, and call `act` there.
    pub(in crate::cli) fn on_signal(
        signals: impl Iterator<Item = i32>,
        act: impl Fn(i32) + Send + 'static,
    ) -> io::Result<()> {
        let mut signals = Signals::new(signals)?;
        let wait = move || signals.forever().for_each(act);
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

    pub(in crate::cli) const ENDING: [i32; 2] = [SIGINT, SIGTERM];

    pub(in crate::cli) const AT_ONCE: i32 = 0;

    pub(in crate::cli) fn handle_file_size_limit() {}

    /// Temporary files stay.
    pub(in crate::cli) fn on_signal(
        _: impl Iterator<Item = i32>,
        _: impl Fn(i32) + Send + 'static,
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
pub(in crate::cli) fn ending() -> impl Iterator<Item = i32> {
    // Bit n - 1 stands for signal n. Only Linux tells.
    let mask = machine::status("SigIgn:").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    let ignored = mask.unwrap_or(0);
    let all = system::ENDING.into_iter();
    all.filter(move |signal| ignored >> (signal - 1) & 1 == 0)
}

/// Stop handling signals here. The caller has handlers of its own, and calls [`end_by`].
pub(in crate::cli) fn take_over() {
    last_acts().taken_over = true;
}

/// Delete the temporary files, and end the process by a signal that it has handled.
pub(in crate::cli) fn end_by(signal: i32) -> io::Result<()> {
    last_acts().end_by(signal)
}

/// Within this time after a signal, its repeat is an echo: terminals and `timeout` send a signal to
/// the process and to its group.
const ECHO: Duration = Duration::from_millis(250);

/// The time to print the last message. On a stopped terminal the message is lost.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The work to be done when a signal comes.
struct LastActs {
    /// Files to delete.
    temporary: Vec<PathBuf>,
    job: Option<StoppableJob>,
    /// The signal that asked the job to stop, and its time.
    asked: Option<(i32, Instant)>,
    /// Whether `play` handles signals itself, because it has a terminal to restore.
    taken_over: bool,
}

/// A job that keeps its finished layers when it is asked to stop.
struct StoppableJob {
    stop: Stop,
    /// Says that the job was asked to stop; `None` once it was called.
    begin: Option<Box<dyn FnOnce() + Send>>,
    /// The text that says which layers are kept. It is read from files, which may take long.
    text: Box<dyn FnOnce() -> String + Send>,
    /// Says the text.
    end: Box<dyn FnOnce(String) + Send>,
}

/// Act on a new thread, which a stopped terminal may block. If no thread can start, `act` is dropped.
fn aside(act: impl FnOnce() + Send + 'static) {
    let _ = thread::Builder::new().spawn(act);
}

impl LastActs {
    /// Whether a signal ends the process at once. The first signal asks the job to stop.
    fn at_once(&mut self, signal: i32, now: Instant) -> bool {
        match (&mut self.job, self.asked) {
            (None, _) => true,
            _ if signal == system::AT_ONCE => true,
            (Some(job), None) => {
                job.stop.ask();
                self.asked = Some((signal, now));
                if let Some(begin) = job.begin.take() {
                    aside(begin);
                }
                false
            }
            (_, Some((first, at))) => signal != first || now.duration_since(at) >= ECHO,
        }
    }

    /// Do the last acts, and end the process by the signal.
    fn end(&mut self, signal: i32) {
        let end = self.job.take().map(|job| (job.end, (job.text)()));
        let (silenced, is_silent) = mpsc::channel();
        aside(move || {
            if let Some((end, text)) = end {
                end(text);
            }
            // Other threads must not report that the deleted files are missing.
            let _silence = io::stderr().lock();
            let _ = silenced.send(());
            loop {
                thread::park();
            }
        });
        // A stopped terminal blocks the reports of other threads, too.
        let _ = is_silent.recv_timeout(LAST_WORDS);
        let _ = self.end_by(signal);
    }

    /// Delete the temporary files, and end the process by the signal.
    fn end_by(&self, signal: i32) -> io::Result<()> {
        let dirs = temporary::all();
        for path in self.temporary.iter().chain(&*dirs) {
            store::clear(path);
        }
        emulate_default_handler(signal)
    }
}

static LAST_ACTS: Mutex<LastActs> = Mutex::new(LastActs {
    temporary: Vec::new(),
    job: None,
    asked: None,
    taken_over: false,
});

fn last_acts() -> MutexGuard<'static, LastActs> {
    LAST_ACTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While this exists, the first signal asks a job to stop. Afterwards a signal ends the process.
pub(in crate::cli) struct Stoppable(());

impl Stoppable {
    /// The first signal asks `stop` and calls `begin`. `end` is called with the `text` before the
    /// process ends.
    pub(in crate::cli) fn new(
        stop: &Stop,
        begin: impl FnOnce() + Send + 'static,
        text: impl FnOnce() -> String + Send + 'static,
        end: impl FnOnce(String) + Send + 'static,
    ) -> Self {
        listen();
        last_acts().job = Some(StoppableJob {
            stop: stop.clone(),
            begin: Some(Box::new(begin)),
            text: Box::new(text),
            end: Box::new(end),
        });
        Self(())
    }

    /// End the process if a signal asked the job to stop, and the job did not fail.
    pub(in crate::cli) fn end_after<T>(self, outcome: &error::Result<T>) {
        let mut acts = last_acts();
        if let (Some((signal, _)), Ok(_) | Err(Error::Stopped)) = (acts.asked, outcome) {
            acts.end(signal);
        }
        // A later signal has no job to ask.
        acts.job = None;
    }
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        last_acts().job = None;
    }
}

/// A file or a directory that a signal deletes before it ends the process. Dropping this keeps it.
pub(in crate::cli) struct DeletedOnSignal(PathBuf);

impl DeletedOnSignal {
    /// Make a file; `path` tells its path, or `None` if it has no temporary path.
    pub(in crate::cli) fn make<T, E>(
        make: impl FnOnce() -> Result<T, E>,
        path: impl FnOnce(&T) -> Option<&Path>,
    ) -> Result<(T, Option<Self>), E> {
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
pub(in crate::cli) fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| drop(system::on_signal(ending(), receive)));
}

/// Act on a signal.
fn receive(signal: i32) {
    // While this is locked, no thread makes another temporary file.
    let mut acts = last_acts();
    if !acts.taken_over && acts.at_once(signal, Instant::now()) {
        acts.end(signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signal_hook::consts::{SIGINT, SIGTERM};

    #[test]
    fn the_first_signal_asks_its_echo_is_ignored_and_the_second_one_ends() {
        let stop = Stop::default();
        let mut acts = LastActs {
            temporary: Vec::new(),
            job: None,
            asked: None,
            taken_over: false,
        };
        let now = Instant::now();
        assert!(acts.at_once(SIGTERM, now), "no job");
        acts.job = Some(StoppableJob {
            stop: stop.clone(),
            begin: Some(Box::new(|| ())),
            text: Box::new(String::new),
            end: Box::new(drop),
        });
        assert!(acts.at_once(system::AT_ONCE, now) && stop.check().is_ok());
        assert!(!acts.at_once(SIGTERM, now) && stop.check().is_err());
        for (signal, milliseconds, at_once) in [
            (SIGTERM, 0, false),
            (SIGTERM, 249, false),
            (SIGTERM, 250, true),
            (SIGINT, 0, true),
            (system::AT_ONCE, 0, true),
        ] {
            let now = now + Duration::from_millis(milliseconds);
            let found = acts.at_once(signal, now);
            assert_eq!(found, at_once, "{signal} after {milliseconds} ms");
        }
    }
}

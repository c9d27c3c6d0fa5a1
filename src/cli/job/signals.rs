//! The last acts of the program before a signal ends it.
//!
//! A count needs none: it may be killed at any moment, and the same command resumes it. But the
//! first signal asks a count or a solver to stop and keep its finished layers. The program prints
//! which layers are kept. A game ends between two keys, and its code is printed. The second signal
//! ends the process at once. Temporary files are deleted, because nobody can use them. The process
//! then ends by the signal, as it would without this module.
//!
//! A terminal that is stopped (Ctrl-S, a stalled connection) blocks each thread that writes to it.
//! So the thread that receives signals never writes, and waits at most [`LAST_WORDS`] for a thread
//! that does.

use std::process;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use signal_hook::low_level::{emulate_default_handler, exit};
#[cfg(unix)]
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ},
    flag,
    iterator::Signals,
};

use crate::error::{Error, Result};
#[cfg(unix)]
use crate::machine;
use crate::progress::Stop;
use crate::store;
use crate::temporary;

/// The signals by which people and systems end a program.
#[cfg(unix)]
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Handle SIGXFSZ, so that a write beyond the limit on file sizes (`ulimit -f`) returns an error
/// instead of killing the process.
pub(in crate::cli) fn handle_file_size_limit() {
    // If this fails, such a write kills the process, and the same command resumes the work.
    #[cfg(unix)]
    let _ = flag::register(SIGXFSZ, std::sync::Arc::default());
}

/// The signals by which people and systems end a program, except the ignored signals: `nohup` and
/// shells without job control start programs that ignore some of them.
#[cfg(unix)]
fn ending() -> impl Iterator<Item = i32> {
    // Bit n - 1 stands for signal n. Only Linux tells.
    let mask = machine::status("SigIgn:").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    let ignored = mask.unwrap_or(0);
    let is_heard = move |signal: &i32| ignored >> (signal - 1) & 1 == 0;
    ENDING.into_iter().filter(is_heard)
}

/// The time to print the last message, enough for a busy machine to start threads. On a stopped terminal
/// the message is lost, and the process ends after this time. Systems often kill it after ten seconds.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// A job that keeps its finished layers when it is asked to stop.
#[cfg_attr(not(unix), expect(dead_code, reason = "only Unix asks"))]
struct StoppableJob {
    stop: Stop,
    /// The signal that asked it to stop.
    asked: Option<i32>,
    /// Says that it was asked; `None` once it is asked.
    begin: Option<Box<dyn FnOnce() + Send>>,
    /// Ends when that is said.
    begun: Option<Receiver<()>>,
    /// Says which layers are kept.
    end: Box<dyn FnOnce() + Send>,
}

/// Ask the job to stop, if this is the first signal. Otherwise the signal ends the process.
#[cfg(unix)]
fn asks(job: Option<&mut StoppableJob>, signal: i32) -> bool {
    let Some(job) = job.filter(|job| job.asked.is_none()) else {
        return false;
    };
    job.stop.ask();
    job.asked = Some(signal);
    job.begun = job.begin.take().map(aside);
    true
}

/// Let the job say its last words, delete the temporary files, and end the process by the signal. No
/// signal ends process 1, as which a container starts a program: it exits as a shell would say.
fn end_process(job: Option<StoppableJob>, signal: i32) {
    if let Some(StoppableJob { begun, end, .. }) = job {
        let say = move || {
            let _ = begun.map(|begun| begun.recv());
            end();
        };
        let _ = aside(say).recv_timeout(LAST_WORDS);
    }
    // While these are locked, no thread makes another one.
    let all = temporary::ALL.lock().expect("the program does not fork");
    for path in all.iter() {
        store::clear(path);
    }
    if process::id() == 1 {
        exit(128 + signal);
    }
    let _ = emulate_default_handler(signal);
}

/// Act on a new thread, which a stopped terminal may block. The receiver ends with the act.
fn aside(act: impl FnOnce() + Send + 'static) -> Receiver<()> {
    let (acting, ended) = mpsc::channel();
    // If no thread can start, nothing is said.
    let _ = thread::Builder::new().spawn(move || {
        act();
        drop(acting);
    });
    ended
}

/// The job that a signal asks to stop.
static JOB: Mutex<Option<StoppableJob>> = Mutex::new(None);

fn current_job() -> MutexGuard<'static, Option<StoppableJob>> {
    JOB.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Do a job that a signal stops. The first signal asks `stop` and calls `begin`. `end` is called before
/// the process ends: after the job, unless it fails, or by the second signal.
pub(in crate::cli) fn stoppable<T>(
    stop: &Stop,
    begin: impl FnOnce() + Send + 'static,
    end: impl FnOnce() + Send + 'static,
    job: impl FnOnce() -> Result<T>,
) -> Result<T> {
    *current_job() = Some(StoppableJob {
        stop: stop.clone(),
        asked: None,
        begin: Some(Box::new(begin)),
        begun: None,
        end: Box::new(end),
    });
    let outcome = job();
    let mut current = current_job();
    // A later signal has no job to ask.
    let job = current.take();
    let asked = job.as_ref().and_then(|job| job.asked);
    if let (Some(signal), Ok(_) | Err(Error::Stopped)) = (asked, &outcome) {
        end_process(job, signal);
    }
    outcome
}

/// Wait for the ending signals in a new thread. If no thread can start, and on other systems than
/// Unix, a signal ends the process at once: it says nothing, and temporary files stay.
pub(in crate::cli) fn listen() {
    #[cfg(unix)]
    if let Ok(mut signals) = Signals::new(ending()) {
        let act = |signal| {
            let mut job = current_job();
            if !asks(job.as_mut(), signal) {
                end_process(job.take(), signal);
            }
        };
        let (beginning, begun) = mpsc::channel::<()>();
        let wait = move || {
            drop(beginning);
            signals.forever().for_each(act);
        };
        let _ = thread::Builder::new().spawn(wait);
        // It begins before the work takes memory: without memory to begin, a thread ends the process.
        let _ = begun.recv();
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn the_first_signal_asks_and_the_second_one_ends() {
        assert!(!asks(None, SIGTERM), "no job");
        let stop = Stop::default();
        let mut job = StoppableJob {
            stop: stop.clone(),
            asked: None,
            begin: Some(Box::new(|| ())),
            begun: None,
            end: Box::new(|| ()),
        };
        assert!(asks(Some(&mut job), SIGTERM) && stop.check().is_err());
        assert!(!asks(Some(&mut job), SIGTERM) && !asks(Some(&mut job), SIGINT));
    }
}

//! The arguments that say how much a job may use.

use std::num::NonZeroUsize;
use std::thread;

use anyhow::Result;
use clap::Args;
use parse_size::Config;

use super::machine;
use super::talk;
use crate::engine::Plan;

/// Memory bound if the user gives none and the system does not tell how much there is.
const MEMORY: u64 = 1 << 30;

/// Most threads that can be asked for: more than any machine has.
const MOST_THREADS: usize = 1024;

/// Most threads for each core. More do nothing but wait for one another, at every step of every
/// layer.
const THREADS_PER_CORE: usize = 8;

/// What a job may use.
#[derive(Args)]
pub(super) struct Resources {
    /// Number of threads, up to 8 for each core [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,

    /// Memory for data, such as 512M or 8G, in powers of 1024 [default: half of the machine's]
    ///
    /// The program itself takes up to 200M more. What does not fit goes to temporary files in the
    /// run's directory; the result is the same.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<u64>,
}

impl Resources {
    /// The plan for these arguments on this machine.
    pub(super) fn plan(&self) -> Result<Plan> {
        let memory = self.memory.unwrap_or_else(default_memory);
        Ok(Plan::new(memory, threads_or_cores(self.threads))?)
    }
}

/// Half of the machine's memory.
pub(crate) fn default_memory() -> u64 {
    machine::memory().map_or(MEMORY, |all| all / 2)
}

/// As many threads as asked for, if the machine can use them, or as it has cores.
pub(super) fn threads_or_cores(asked: Option<usize>) -> usize {
    let (threads, most) = (asked.unwrap_or_else(cores), most_threads());
    if threads > most {
        talk::say(format_args!(
            "--threads {threads}: {most} are used: more than {THREADS_PER_CORE} for each of {} \
             cores only wait for one another",
            cores()
        ));
    }
    threads.min(most)
}

/// Most threads that a job is given, however many are asked for.
pub(crate) fn most_threads() -> usize {
    THREADS_PER_CORE * cores()
}

/// The cores that this process may use.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Parse a number of threads.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=MOST_THREADS) => Ok(threads),
        _ => Err(format!("expected a number from 1 to {MOST_THREADS}")),
    }
}

/// Parse a number of bytes.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    Config::new()
        .with_binary()
        .parse_size(text)
        .map_err(|_| "expected a number of bytes, such as 512M or 8G".to_owned())
}

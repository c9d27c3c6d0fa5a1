//! The arguments that say how much a job may use.

use anyhow::Result;
use clap::Args;

use super::talk;
use crate::engine::Plan;
use crate::machine::{self, THREADS_PER_CORE};

/// The help of `--memory` where values are looked up.
pub(super) const LOOKUP_MEMORY: &str = "\
Memory for blocks of files, such as 512M or 8G, in powers of 1024 [default: half of the machine's]";

/// What a job may use.
#[derive(Args)]
pub(super) struct Resources {
    /// Number of threads, up to 8 for each core [default: all cores]
    #[arg(long, value_name = "N", value_parser = machine::parse_threads)]
    threads: Option<usize>,

    /// Memory for data, such as 512M or 8G, in powers of 1024 [default: half of the machine's]
    ///
    /// The program itself takes up to 200M more. What does not fit goes to temporary files in the
    /// run's directory; the result is the same.
    #[arg(long, value_name = "SIZE", value_parser = machine::parse_size)]
    memory: Option<u64>,
}

impl Resources {
    /// The plan for these arguments on this machine.
    pub(super) fn plan(&self) -> Result<Plan> {
        let memory = self.memory.unwrap_or_else(machine::default_memory);
        Ok(Plan::new(memory, threads_or_cores(self.threads))?)
    }
}

/// As many threads as asked for, if the machine can use them, or as it has cores.
pub(super) fn threads_or_cores(asked: Option<usize>) -> usize {
    let (cores, most) = (machine::cores(), machine::most_threads());
    let threads = asked.unwrap_or(cores);
    if threads > most {
        talk::say(format_args!(
            "--threads {threads}: {most} are used: more than {THREADS_PER_CORE} for each of {cores} \
             cores only wait for one another"
        ));
    }
    threads.min(most)
}

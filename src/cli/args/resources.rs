//! The arguments that limit the threads and the memory of a job.

use anyhow::Result;
use clap::Args;

use crate::cli::out::talk;
use crate::engine::Plan;
use crate::machine::{self, THREADS_PER_CORE};

/// The help of `--memory` for subcommands that look values up.
pub(in crate::cli) const LOOKUP_MEMORY: &str = "\
Memory for blocks of files and for listing layers in matrices, such as 512M or 8G, in powers of 1024 \
[default: half of the machine's]";

/// The threads and the memory of a job.
#[derive(Args)]
pub(in crate::cli) struct Resources {
    /// Number of threads, up to 8 for each core [default: all cores]
    #[arg(long, value_name = "N", value_parser = machine::parse_threads)]
    threads: Option<usize>,

    /// Memory for data, such as 512M or 8G, in powers of 1024 [default: half of the machine's]
    ///
    /// The program itself takes up to 400M more. Data beyond the limit goes to temporary files in the
    /// run's directory; the result does not change.
    #[arg(long, value_name = "SIZE", value_parser = machine::parse_size)]
    memory: Option<u64>,
}

impl Resources {
    /// The plan for these arguments on this machine.
    pub(in crate::cli) fn plan(&self) -> Result<Plan> {
        let memory = self.memory.unwrap_or_else(machine::default_memory);
        Ok(Plan::new(memory, threads_or_cores(self.threads))?)
    }
}

/// The requested number of threads, at most the number that the machine can use; or its cores.
pub(in crate::cli) fn threads_or_cores(asked: Option<usize>) -> usize {
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

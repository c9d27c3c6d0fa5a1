//! `enum48 cluster`: count on several machines, task by task.

mod tasks;

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use super::Outcome;
use super::open;
use super::resources::Resources;
use super::talk;
use crate::cluster;
use crate::store::Run;

/// Count a game on several machines, task by task, in a directory that they share
///
/// A large layer is cut into tasks, in four stages: map, reduce, gather, write. The tasks of a stage
/// can be done at once, by any processes on any machines that see the directory. When all of them are
/// done, those of the next stage can be, and after the last stage the layer is sealed. A task can be
/// done twice, at once or late, and be killed at any moment. The files are those of one machine, byte
/// for byte.
///
/// Who runs the tasks, and runs again what was lost, is up to you: `scripts/enum48_ray.py` does so
/// with Ray, or with processes on one machine; `results/cluster.md` says what it takes.
#[derive(clap::Args)]
#[command(after_help = "\
Until the game is counted, again and again:
  enum48 cluster tasks --size 4 --max 64 --dir run --quiet > tasks.txt
  xargs -r -n 1 enum48 cluster run --dir run < tasks.txt
and when no task is printed:
  enum48 cluster seal --dir run")]
pub(super) struct Args {
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Subcommand)]
enum ClusterCommand {
    Tasks(tasks::Args),
    Run(RunArgs),
    Seal(SealArgs),
}

/// Do a task that enum48 cluster tasks has printed
///
/// A task that is done is not done again. If a file that it reads turns out to be damaged or gone,
/// the task that made the file counts as not done: enum48 cluster tasks prints it again.
#[derive(clap::Args)]
struct RunArgs {
    /// The task, such as tasks-00164-1a2b3c4d/map-00032-0007
    #[arg(value_name = "TASK")]
    task: String,

    /// Directory of the run, as this machine sees it
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,

    #[command(flatten)]
    resources: Resources,
}

/// Seal the layer whose tasks are all done
///
/// Checks what they counted against the laws that any count obeys, makes their files part of the run,
/// and deletes what they handed to each other.
#[derive(clap::Args)]
struct SealArgs {
    /// Directory of the run
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
}

/// Do what is asked for.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    match &args.command {
        ClusterCommand::Tasks(args) => tasks::run(args)?,
        ClusterCommand::Run(args) => cluster::run(&args.dir, &args.task, &args.resources.plan()?)?,
        ClusterCommand::Seal(args) => {
            let game = *Run::peek(&args.dir)?.game();
            let mut store = open::store(&args.dir, &game, None, None, open::LONG)?;
            let sum = cluster::seal(&mut store)?;
            talk::say(format_args!("layer {sum} is sealed"));
        }
    }
    Ok(Outcome::Done)
}

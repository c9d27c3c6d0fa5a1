//! `enum48 cluster`: count on several machines, task by task.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use crate::cli::args::{Resources, whole};
use crate::cli::job::open::{LONG, WantedRun, when_free};
use crate::cli::job::progress::Reporter;
use crate::cli::out::Outcome;
use crate::cli::out::output::{self, print_json};
use crate::cli::out::talk;
use crate::cluster::{self, Next};
use crate::engine::{self, Choice};
use crate::estimate::Forecast;
use crate::store::{Run, Store};

/// Count a game on several machines, task by task, in a directory that they share
///
/// A large layer is cut into tasks. A layer of 4x4 with --keep last or --keep matrices has one
/// stage, sweep; any other layer has four stages: map, reduce, gather, write. The tasks of a stage
/// can be done at once, by any processes on any machines that see the directory. When all of them
/// are done, the next stage can begin, and after the last stage the layer is sealed. A layer of
/// sweeps waits until the sweeps of the next layer have counted its afterstates. A task can be done
/// twice, at once or late, and be killed at any moment. The files equal the files of one machine,
/// byte for byte.
///
/// Run the tasks, and run lost tasks again, with any scheduler. `scripts/enum48_ray.py` does so with
/// Ray, or with processes on one machine; `results/cluster.md` tells the cost.
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
    Tasks(TasksArgs),
    Run(RunArgs),
    Seal(SealArgs),
}

/// Print the tasks of a run that can be done now
///
/// First counts the layers that are too small to cut, with --threads and --memory. Cuts the next layer
/// into tasks, and prints the missing tasks of its first unfinished stage, one per line. Prints none
/// if the layer is ready to be sealed, or if the run reaches --until; stderr and --json tell which.
#[derive(clap::Args)]
#[command(after_help = "\
Keys of --json: game; dir; sum and stage (sweep, map, reduce, gather, write;
seal, if the layer of this sum is ready to be sealed; none, if nothing is left to
do); tasks; of, the number of all tasks of the stage; complete, whether the last
layer of the game is sealed; sealed, the sum of the last sealed layer; states, of
all sealed layers, live and dead; done, their expected share of all states up
to --until.")]
struct TasksArgs {
    #[command(flatten)]
    wanted: WantedRun,

    /// Approximate number of candidates of a task; a sweep has 64 times as many. A layer with fewer
    /// candidates is not cut; a layer that is cut already keeps its tasks
    #[arg(long, value_name = "CANDIDATES", default_value_t = cluster::TASK,
          value_parser = whole(1, u64::MAX))]
    task: u64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Print no progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

/// Do a task that enum48 cluster tasks has printed
///
/// A finished task is not done again. If an input file of the task is damaged or gone, the task that
/// made the file counts as not done: enum48 cluster tasks prints it again.
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
/// Checks the counts of the tasks against the laws that any count obeys, makes their files part of the
/// run, and deletes the files that the tasks handed to each other.
#[derive(clap::Args)]
struct SealArgs {
    /// Directory of the run
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    match &args.command {
        ClusterCommand::Tasks(args) => print_tasks(args)?,
        ClusterCommand::Run(args) => cluster::run(&args.dir, &args.task, &args.resources.plan()?)?,
        ClusterCommand::Seal(args) => {
            let game = *Run::peek(&args.dir)?.game();
            let open = |dir: &Path| Store::open(dir, &game, None);
            let mut store = when_free(&args.dir, LONG, open)?;
            let sum = cluster::seal(&mut store)?;
            talk::say(format_args!("layer {sum} is sealed"));
        }
    }
    Ok(Outcome::Done)
}

/// Count the small layers, and print the tasks of the next large layer.
fn print_tasks(args: &TasksArgs) -> Result<()> {
    let (wanted, until) = (&args.wanted, args.wanted.until);
    let game = wanted.game()?;
    let plan = wanted.plan()?;
    engine::last_sum(&game, until)?;
    let mut store = wanted.open(&game, LONG)?;
    let choice = Choice::of_cluster(store.run(), &plan, until)?;
    let reporter = Reporter::of_count(&plan, &store, &choice, args.quiet);
    if !args.quiet && cluster::counts_first(store.run(), args.task, until)? {
        talk::say(
            "the next layers are too small for tasks: counted here first, which can take minutes",
        );
    }
    let next =
        reporter.during(|progress| cluster::next(&mut store, &plan, args.task, until, progress))?;
    let run = store.run();
    let (sum, stage, tasks, of) = match next {
        Next::Nothing => (run.sealed_sum(), "none".to_owned(), Vec::new(), 0),
        Next::Seal(sum) => (sum, "seal".to_owned(), Vec::new(), 0),
        Next::Tasks(left) => (left.sum, left.stage.to_string(), left.tasks, left.of),
    };
    if args.json {
        let states = run.table().totals().states();
        let left = Forecast::new(run, &choice, run.keep()).left();
        let left: f64 = left.iter().map(|layer| layer.boards).sum();
        let answer = json!({
            "game": run.game(),
            "dir": run.dir(),
            "sum": sum,
            "stage": stage,
            "tasks": tasks,
            "of": of,
            "complete": run.complete(),
            "sealed": run.sealed_sum(),
            "states": states,
            "done": states as f64 / (states as f64 + left).max(1.0),
        });
        return output::print(|out| print_json(out, &answer));
    }
    output::print(|out| Ok(tasks.iter().try_for_each(|task| writeln!(out, "{task}"))?))?;
    if !args.quiet {
        let left = tasks.len();
        talk::say(match stage.as_str() {
            "none" => format!("{}: nothing is left to do", run.dir().display()),
            "seal" => format!("layer {sum}: every task is done: seal it"),
            stage => format!("layer {sum}: {stage}: {left} of {of} tasks are left to do"),
        });
    }
    Ok(())
}

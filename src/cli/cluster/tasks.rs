//! `enum48 cluster tasks`: what there is to be done.

use std::io::{self, Write};

use anyhow::Result;
use serde::Serialize;

use crate::cli::progress::Reporter;
use crate::cli::wanted::WantedRun;
use crate::cli::{open, output, talk};
use crate::cluster::{self, Missing, Next};
use crate::engine::{Choice, Engine};
use crate::store::Run;

/// Print the tasks of a run that can be done now
///
/// First it counts what is small: layers that are not worth cutting, with --threads and --memory.
/// The next layer is cut into tasks, and of its first stage that is not done it prints those that are
/// missing, one a line. It prints none if the layer is to be sealed, or if the run is counted as far
/// as was asked for; stderr and --json say which.
#[derive(clap::Args)]
#[command(after_help = "\
Keys of --json: game; dir; sum and stage (map, reduce, gather, write; seal, if
the layer of this sum is to be sealed; none, if nothing is to be done); tasks;
of, the tasks of the stage, those that are done among them; complete, whether
the last layer of the game is sealed.")]
pub(super) struct Args {
    #[command(flatten)]
    wanted: WantedRun,

    /// Candidates of a task, about: a layer of fewer is small, and one that is cut stays as it is
    #[arg(long, value_name = "CANDIDATES", default_value_t = cluster::TASK,
          value_parser = clap::value_parser!(u64).range(1..))]
    task: u64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Print no progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct PrintedTasks {
    game: String,
    dir: String,
    sum: u32,
    stage: String,
    tasks: Vec<String>,
    of: usize,
    complete: bool,
}

impl PrintedTasks {
    fn new(run: &Run, next: Next) -> Self {
        let nothing = |stage: &str| (stage.to_owned(), Vec::new(), 0);
        let (sum, (stage, tasks, of)) = match next {
            Next::Nothing => (run.sealed_sum(), nothing("none")),
            Next::Seal(sum) => (sum, nothing("seal")),
            Next::Tasks(Missing {
                sum,
                stage,
                tasks,
                of,
            }) => (sum, (stage.to_string(), tasks, of)),
        };
        Self {
            game: run.game().to_string(),
            dir: run.dir().display().to_string(),
            sum,
            stage,
            tasks,
            of,
            complete: run.complete(),
        }
    }

    /// What there is to be done, in a line.
    fn summary(&self) -> String {
        let Self { sum, stage, of, .. } = self;
        match stage.as_str() {
            "none" => format!("{}: nothing is to be done", self.dir),
            "seal" => format!("layer {sum}: every task is done: seal it"),
            _ => format!(
                "layer {sum}: {stage}: {} of {of} tasks are to be done",
                self.tasks.len()
            ),
        }
    }
}

/// Count what is small, and print what there is to be done.
pub(super) fn run(args: &Args) -> Result<()> {
    let game = args.wanted.game()?;
    let plan = args.wanted.plan()?.with_engine(Some(Engine::Lists));
    if args.json {
        output::json_names(&args.wanted.dir(&game))?;
    }
    let mut store = args.wanted.open(&game, open::LONG)?;
    let until = args.wanted.until;
    let choice = Choice::new(store.run(), &plan, until)?;
    let mut reporter = Reporter::of_count(&plan, &store, &choice, args.quiet);
    let next = cluster::next(&mut store, &plan, args.task, until, &mut reporter);
    reporter.finish();
    let answer = PrintedTasks::new(store.run(), next?);
    let mut out = io::stdout().lock();
    if args.json {
        return output::print_json(&mut out, &answer);
    }
    for task in &answer.tasks {
        writeln!(out, "{task}")?;
    }
    if !args.quiet {
        talk::say(answer.summary());
    }
    Ok(())
}

//! A solved game to ask: the run of --dir, or a small game that is counted and solved at once.
//!
//! Key idea: a game of 3x3 counts and solves in seconds. So a question about a small game needs no
//! run: the game is solved in a temporary directory, which is in memory if there is room.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use indicatif::HumanCount;

use crate::bound;
use crate::cli::args::AskedGame;
use crate::cli::args::objectives::{check_rate, goal};
use crate::cli::job;
use crate::cli::job::open::{self, SHORT, when_free};
use crate::cli::job::progress::Reporter;
use crate::engine::{self, Plan, last_sum};
use crate::error::{Error, InputError};
use crate::game::{FourRate, Game, Objective};
use crate::read::Reader;
use crate::solve::{self, BatchValues, goals};
use crate::store::{self, Goal, Keep, Run, Solution, SolutionStore, Store};
use crate::temporary::TemporaryDir;

/// Most boards, by the upper bound, of a game that is solved at once: 3x3 has fewer.
const MOST: u64 = 200_000_000;

/// Free space for all files of such a game.
const ROOM: u64 = 2 << 30;

/// The place of files in memory, on Linux.
const MEMORY: &str = "/dev/shm";

/// The rate of 4s of a game that is solved at once.
#[derive(Args)]
pub(in crate::cli) struct FourArgs {
    /// How often a spawned tile is a 4, for a game that is solved now: a ratio such as 0.2 or 1/5
    /// [default: 1/10]
    #[arg(long, value_name = "RATE")]
    pub(in crate::cli) four: Option<FourRate>,
}

/// A solved game, and the goals to ask it for.
pub(in crate::cli) struct SolvedGame {
    pub(in crate::cli) solution: Solution,
    pub(in crate::cli) reader: Reader,
    pub(in crate::cli) goals: Vec<Goal>,
    /// Bytes for decoded blocks.
    memory: u64,
    /// Deleted after the solution is closed.
    _place: Option<TemporaryDir>,
}

impl SolvedGame {
    /// The values of the goals, for questions on all threads.
    pub(in crate::cli) fn values(&self, plan: &Plan) -> Result<BatchValues<'_>> {
        let pool = Arc::new(engine::pool(plan.threads())?);
        let (solution, reader) = (&self.solution, &self.reader);
        let values = BatchValues::new(solution, reader, &self.goals, self.memory, pool)?;
        Ok(values)
    }
}

impl FourArgs {
    /// Open the solution in `dir`. Without a directory, or if it is to be made or finished for a named
    /// game, solve the game now for the `wanted` objectives, or for the score.
    pub(in crate::cli) fn open(
        &self,
        dir: Option<&Path>,
        asked: Result<AskedGame>,
        wanted: &[Objective],
        plan: &Plan,
    ) -> Result<SolvedGame> {
        check_rate(self.four, wanted.iter().copied())?;
        let (place, new) = match (dir, asked) {
            (None, asked) => (Some(place()?), Some(asked?.game())),
            (Some(dir), Ok(AskedGame::Named(game))) => {
                (None, is_begun_or_new(dir, game, wanted).then_some(game))
            }
            _ => (None, None),
        };
        let dir = dir.or(place.as_ref().map(TemporaryDir::path));
        let dir = dir.expect("without a directory there is a place");
        if let Some(game) = new {
            refuse_large(game)?;
            self.make(dir, game, wanted, plan)?;
        }
        let solution = open::solution(dir)?;
        let goals = goals(&solution, wanted)?;
        check_rate(self.four, goals.iter().map(|goal| goal.objective))?;
        if let (Some(asked), Some(found)) = (self.four, solution.four())
            && asked != found
        {
            let dir = solution.run().dir().display();
            bail!(
                "--four {asked}: {dir} is solved for 4s at a rate of {found}: give another --dir"
            );
        }
        // If the run keeps matrices, its layers are unpacked in one half of the memory.
        let half = plan.memory() / 2;
        let memory = match solution.run().keep().matrices() {
            true => half,
            false => plan.memory(),
        };
        let reader = Reader::new(solution.run().clone(), &plan.without(half));
        Ok(SolvedGame {
            solution,
            reader,
            memory,
            goals,
            _place: place,
        })
    }

    /// Count a game in a directory, and solve it.
    fn make(&self, dir: &Path, game: Game, wanted: &[Objective], plan: &Plan) -> Result<()> {
        let keep = Run::open(dir).map_or(Keep::Afterstates, |run| run.keep());
        let open = |dir: &Path| Store::open(dir, &game, Some(keep));
        let mut store = when_free(dir, SHORT, open)?;
        let quiet = !io::stderr().is_terminal();
        job::count(&mut store, plan, quiet)?;
        drop(store);

        let mut store = when_free(dir, SHORT, SolutionStore::open)?;
        let wanted = match wanted {
            [] => &[Objective::Score],
            wanted => wanted,
        };
        let (solution, notes) = (store.solution(), store.notes());
        let four = self.four.or(solution.four()).unwrap_or_default();
        let goal = |&objective: &Objective| goal(solution, objective, None, four);
        let goals: Vec<Goal> = wanted.iter().map(goal).collect::<Result<_, Error>>()?;
        let reporter = Reporter::of_solver(plan, solution, notes, &goals, quiet)?;
        Ok(reporter.during(|progress| solve::solve(&mut store, &goals, plan, progress))?)
    }
}

/// A place for the files of a game: in memory if there is room.
fn place() -> Result<TemporaryDir, Error> {
    let in_memory = Path::new(MEMORY);
    match store::free_space(in_memory) {
        Some(free) if free >= ROOM => TemporaryDir::beside(in_memory),
        _ => TemporaryDir::new(),
    }
}

/// Whether a directory is still to be made, or is left from an interrupted question: it keeps
/// afterstates, and has no solution, or only a part of a wanted one.
fn is_begun_or_new(dir: &Path, game: Game, wanted: &[Objective]) -> bool {
    match open::run(dir) {
        Ok(run) if is_small(game) && run.keep().afterstates() => {
            Solution::peek(dir).map_or(!run.complete(), |solution| {
                let is_left = |&one| solution.solved_sum(one).is_some_and(|sum| sum > 4);
                solution.goals().next().is_none() || wanted.iter().any(is_left)
            })
        }
        // A process that died at once leaves a directory without a manifest.
        found => matches!(found, Err(Error::NoDirectory(_) | Error::NotARun(_))),
    }
}

/// Whether a game counts and solves in seconds.
pub(in crate::cli) fn is_small(game: Game) -> bool {
    boards(game) <= MOST
}

/// An upper bound on the boards of a game.
fn boards(game: Game) -> u64 {
    bound::canonical(&game, u32::MAX).iter().sum()
}

/// Refuse a game that takes more than seconds. The error names the commands that solve it.
fn refuse_large(game: Game) -> Result<()> {
    if is_small(game) {
        return Ok(());
    }
    if let Err(Error::Input(InputError::Endless)) = last_sum(&game, None) {
        bail!("{game} without a winning tile: too large to be solved: give --max");
    }
    bail!(
        "{game}: too large to be solved at once, with up to {} boards: {}",
        HumanCount(boards(game)),
        steps(game)
    );
}

/// The commands that solve a game in a directory.
pub(in crate::cli) fn steps(game: Game) -> String {
    format!(
        "run enum48 {} --keep afterstates, then enum48 solve enum48-data/{game} (--dry-run tells the cost of \
         either), and give --dir enum48-data/{game}",
        game.options()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{FinishedLayer, Progress, Silent};
    use crate::store::{Rounding, SolutionStore, Store};

    /// Stops a solver after its first pass.
    #[derive(Default)]
    struct OnePass(bool);

    impl Progress for OnePass {
        fn end(&mut self, layer: &FinishedLayer) {
            self.0 = layer.sum == 4;
        }
        fn stop(&mut self) -> bool {
            self.0
        }
    }

    #[test]
    fn a_question_finishes_the_passes_that_are_left() {
        let place = tempfile::tempdir().unwrap();
        let (dir, game) = (place.path(), "2x2-32".parse().unwrap());
        let plan = Plan::new(64 << 20, 1).unwrap();
        let mut store = Store::open(dir, &game, Some(Keep::Afterstates)).unwrap();
        engine::count(&mut store, &plan, None, &mut Silent).unwrap();
        drop(store);
        // A pass solves four goals at most.
        let wanted: [Objective; 5] =
            ["score", "moves", "8", "16", "32"].map(|name| name.parse().unwrap());
        let mut store = SolutionStore::open(dir).unwrap();
        let run = store.solution().run();
        let goals = wanted.map(|one| solve::goal(run, one, None, Rounding::Nearest).unwrap());
        solve::solve(&mut store, &goals, &plan, &mut OnePass::default()).unwrap();
        assert_eq!(store.solution().goals().count(), 4);
        drop(store);
        let (four, asked) = (FourArgs { four: None }, Ok(AskedGame::Named(game)));
        let solved = four.open(Some(dir), asked, &wanted, &plan).unwrap();
        assert_eq!(solved.goals, goals);
    }

    #[test]
    fn games_up_to_3x3_are_small() {
        for (game, small) in [
            ("2x4", true),
            ("3x3", true),
            ("3x3-1024", true),
            ("4x3-16", true),
            ("4x4-8", true),
            ("4x4-16", false),
            ("4x3", false),
            ("4x4", false),
        ] {
            let game = game.parse().unwrap();
            assert_eq!(is_small(game), small, "{game}: {}", boards(game));
        }
    }
}

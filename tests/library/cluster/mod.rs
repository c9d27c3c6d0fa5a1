//! Counting task by task: in any order, twice, at once, or late, tasks make the files that one
//! machine makes.

mod damage;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use enum48::cluster::{self, Missing, Next, Stage};
use enum48::engine::{self, Choice, Plan, Silent};
use enum48::internals::open_in_segments;
use enum48::store::{Keep, Run, Store};
use enum48::verify::verify;
use enum48::{Error, Game, TaskError};
use rayon::prelude::*;
use tempfile::TempDir;

use crate::files::{files, in_memory};
use crate::read::reader;
use crate::share::share;

type Files = BTreeMap<String, Vec<u8>>;

/// Boards of a segment, the fewest allowed. 4x4 to 16 has parts of a million boards.
pub(crate) const SEGMENT: u64 = 1 << 17;

/// A count of a game up to a sum, task by task.
pub(crate) struct Count {
    pub(crate) place: TempDir,
    pub(crate) game: Game,
    pub(crate) keep: Keep,
    /// Number of candidates of a task.
    pub(crate) task: u64,
    pub(crate) until: Option<u32>,
}

impl Count {
    pub(crate) fn new(game: &str, keep: Keep, task: u64, until: Option<u32>) -> Self {
        Self {
            place: in_memory(),
            game: game.parse().unwrap(),
            keep,
            task,
            until,
        }
    }

    pub(crate) fn dir(&self) -> &Path {
        self.place.path()
    }

    /// A count whose large layers are cut into sweeps.
    pub(crate) fn swept(keep: Keep, until: Option<u32>) -> Self {
        Self::new("4x4-16", keep, 1_000, until)
    }

    fn open(&self) -> Store {
        open_in_segments(self.dir(), &self.game, self.keep, SEGMENT).unwrap()
    }

    pub(crate) fn next(&self) -> Result<Next, Error> {
        cluster::next(
            &mut self.open(),
            &ample(),
            self.task,
            self.until,
            &mut Silent,
        )
    }

    pub(crate) fn run(&self, task: &str) -> Result<(), Error> {
        cluster::run(self.dir(), task, &ample())
    }

    pub(crate) fn run_all(&self, tasks: &[String]) {
        tasks.iter().for_each(|task| self.run(task).unwrap());
    }

    pub(crate) fn seal(&self) -> Result<u32, Error> {
        cluster::seal(&mut self.open())
    }

    /// Seals layers until tasks are missing. `None` if the count is done.
    pub(crate) fn missing(&self) -> Option<Missing> {
        loop {
            match self.next().unwrap() {
                Next::Nothing => return None,
                Next::Seal(sum) => assert_eq!(self.seal().unwrap(), sum),
                Next::Tasks(missing) => return Some(missing),
            }
        }
    }

    /// Counts to the end.
    pub(crate) fn finish(&self) {
        while let Some(missing) = self.missing() {
            self.run_all(&missing.tasks);
        }
    }

    /// Checks that the files equal the files of one machine, which counts each game once.
    pub(crate) fn expect_the_files_of_one_machine(&self) {
        static COUNTED: Mutex<BTreeMap<String, Arc<Files>>> = Mutex::new(BTreeMap::new());
        let game = format!("{} {} {:?}", self.game, self.keep, self.until);
        let counted = COUNTED.lock().unwrap().get(&game).cloned();
        let expected = counted.unwrap_or_else(|| {
            let place = in_memory();
            let mut store = open_in_segments(place.path(), &self.game, self.keep, SEGMENT).unwrap();
            engine::count(&mut store, &ample(), self.until, &mut Silent).unwrap();
            drop(store);
            let files = Arc::new(files(place.path()));
            COUNTED.lock().unwrap().insert(game, files.clone());
            files
        });
        assert!(files(self.dir()) == *expected, "{}", self.keep);
    }
}

fn ample() -> Plan {
    Plan::new(256 << 20, 2).unwrap()
}

#[test]
fn tasks_in_any_order_make_the_same_files() {
    let lists = [Keep::All, Keep::Afterstates, Keep::Both]
        .map(|keep| Count::new("4x4-16", keep, 150_000, Some(46)));
    let swept = [
        Count::swept(Keep::Matrices, Some(46)),
        // The last layer is counted as lists.
        Count::swept(Keep::Last, Some(40)),
        // The last layer of the game is counted without tasks.
        Count::new("4x4-8", Keep::Last, 10, None),
        Count::new("4x4-8", Keep::Matrices, 10, None),
    ];
    for count in share(lists).into_iter().chain(share(swept)) {
        let keep = count.keep;
        let (mut layers, mut most, mut turn) = (0, 0, 0);
        let least = match keep {
            Keep::Last | Keep::Matrices => 96,
            _ => 24,
        };
        while let Some(Missing { tasks, of, .. }) = count.missing() {
            assert_eq!(tasks.len(), of);
            let plans = [(least << 20, 1), (1 << 30, 3)]
                .map(|(memory, threads)| Plan::new(memory, threads));
            // The tasks alternate between two plans, like two machines. Every second stage runs
            // backward.
            let order: Vec<&String> = if turn % 2 == 0 {
                tasks.iter().collect()
            } else {
                tasks.iter().rev().collect()
            };
            for (at, task) in order.into_iter().enumerate() {
                cluster::run(count.dir(), task, plans[at % 2].as_ref().unwrap()).unwrap();
            }
            turn += 1;
            layers += usize::from(tasks[0].contains("/map-") || tasks[0].contains("/sweep-"));
            let is_swept = tasks[0].contains("/sweep-");
            assert!(!is_swept || matches!(keep, Keep::Last | Keep::Matrices));
            most = most.max(of);
        }
        assert!(
            layers > 5 && most > 2,
            "{keep}: {layers} layers of up to {most} tasks"
        );
        count.expect_the_files_of_one_machine();
        let run = reader(Run::open(count.dir()).unwrap());
        let report = verify(&run, &engine::pool(2).unwrap(), &mut Silent).unwrap();
        assert!(report.findings.is_empty() && report.remarks.is_empty());
    }
}

#[test]
fn every_layer_can_be_cut_into_tasks() {
    let with_stones = [
        "3x3free5-16",
        "3x3free5lockff0ff-16",
        "3x3free5lockff0ffatf00000-16until40",
    ];
    let games = ["2x2-32", "2x3", "3x2-64", "3x3-16"];
    for game in share(games.into_iter().chain(with_stones)) {
        let count = Count::new(game, Keep::Both, 1, None);
        let first = count.missing().unwrap();
        // Sum 4 has only starts, so its layer needs no tasks.
        assert_eq!(first.sum, 6);
        count.finish();
        count.expect_the_files_of_one_machine();
        assert!(Run::open(count.dir()).unwrap().complete());
    }
}

#[test]
fn one_task_can_run_several_times_at_once() {
    for count in share([
        Count::new("4x4-16", Keep::All, 300_000, Some(42)),
        Count::swept(Keep::Matrices, Some(42)),
    ]) {
        while let Some(Missing { tasks, .. }) = count.missing() {
            let thrice: Vec<&String> = tasks.iter().flat_map(|task| [task; 3]).collect();
            let pool = engine::pool(6).unwrap();
            pool.install(|| {
                thrice
                    .par_iter()
                    .with_max_len(1)
                    .for_each(|task| count.run(task).unwrap());
            });
        }
        count.expect_the_files_of_one_machine();
    }
}

#[test]
fn a_late_task_changes_nothing() {
    for count in share([
        Count::new("4x4-16", Keep::All, 300_000, Some(40)),
        Count::swept(Keep::Last, Some(38)),
    ]) {
        let mut late: Vec<String> = Vec::new();
        while let Some(Missing { tasks, .. }) = count.missing() {
            for task in tasks {
                count.run(&task).unwrap();
                late.push(task);
            }
            // Tasks of layers that are not sealed have no effect when run again.
            let (done, sealed): (Vec<&String>, Vec<&String>) = late
                .iter()
                .partition(|task| count.dir().join(task.split_once('/').unwrap().0).exists());
            done.into_iter().for_each(|task| count.run(task).unwrap());
            sealed
                .into_iter()
                .for_each(|task| expect_stale(&count, task));
        }
        late.iter().for_each(|task| expect_stale(&count, task));
        count.expect_the_files_of_one_machine();
    }
}

fn expect_stale(count: &Count, task: &str) {
    let refused = count.run(task);
    assert!(
        matches!(refused, Err(Error::Task(TaskError::Stale(_)))),
        "{task}: {refused:?}"
    );
}

#[test]
fn a_layer_keeps_its_plan() {
    let mut count = Count::new("4x4-16", Keep::All, 300_000, Some(42));
    let planned = count.missing().unwrap();
    count.run(&planned.tasks[0]).unwrap();
    count.task = 1 << 40;
    let left = count.missing().unwrap();
    assert_eq!(left.tasks, planned.tasks[1..]);
    assert_eq!(
        (left.sum, left.stage, left.of),
        (planned.sum, planned.stage, planned.of)
    );
    // With the larger task size, all later layers are small and need no tasks.
    let layer = planned.tasks[0].split_once('/').unwrap().0.to_owned();
    while let Some(missing) = count.missing() {
        assert!(missing.tasks.iter().all(|task| task.starts_with(&layer)));
        count.run_all(&missing.tasks);
    }
    count.expect_the_files_of_one_machine();
}

#[test]
fn a_layer_is_planned_again_after_keep_changes() {
    for (mut count, keep) in share([
        (
            Count::new("4x4-16", Keep::Both, 300_000, Some(42)),
            Keep::Afterstates,
        ),
        (Count::swept(Keep::Last, Some(30)), Keep::Last),
    ]) {
        let old = count.missing().unwrap();
        count.run(&old.tasks[0]).unwrap();
        if keep == Keep::Last {
            // Lists are needed of the layer that is the last now.
            count.until = Some(old.sum);
        }
        count.keep = keep;
        let new = count.missing().unwrap();
        assert_eq!(new.sum, old.sum);
        let late = count.run(&old.tasks[1]);
        assert!(matches!(late, Err(Error::Task(TaskError::Stale(_)))));
        count.finish();
        count.expect_the_files_of_one_machine();
    }
}

/// `cluster tasks` once ignored another choice on a complete run.
#[test]
fn afterstates_of_a_complete_run_are_made_when_the_choice_asks_for_them() {
    let mut count = Count::new("2x2-32", Keep::All, 1 << 20, None);
    assert_eq!(count.next().unwrap(), Next::Nothing);
    count.keep = Keep::Both;
    assert_eq!(count.next().unwrap(), Next::Nothing);
    assert_eq!(Run::open(count.dir()).unwrap().keep(), Keep::Both);
    count.expect_the_files_of_one_machine();
}

#[test]
fn a_planned_layer_waits_while_a_count_ends_before_it() {
    let mut count = Count::new("4x4-16", Keep::All, 300_000, Some(46));
    let planned = count.missing().unwrap();
    count.run(&planned.tasks[0]).unwrap();
    count.until = Some(planned.sum - 2);
    assert_eq!(count.next().unwrap(), Next::Nothing);
    count.until = Some(planned.sum);
    assert_eq!(count.missing().unwrap().tasks, planned.tasks[1..]);
}

#[test]
fn one_machine_can_finish_a_count_begun_as_tasks() {
    for count in share([
        Count::new("4x4-16", Keep::All, 300_000, Some(42)),
        Count::swept(Keep::Matrices, Some(42)),
        Count::swept(Keep::Last, Some(42)),
    ]) {
        let missing = count.missing().unwrap();
        count.run_all(&missing.tasks);
        let run = reader(Run::peek(count.dir()).unwrap());
        let report = verify(&run, &engine::pool(2).unwrap(), &mut Silent).unwrap();
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        let said = |remark: &String| remark.contains("tasks of layer");
        assert!(report.remarks.iter().any(said));
        drop(run);
        engine::count(&mut count.open(), &ample(), count.until, &mut Silent).unwrap();
        expect_stale(&count, &missing.tasks[0]);
        count.expect_the_files_of_one_machine();
    }
}

/// A layer of sweeps is sealed when the sweeps of the layer after it have counted its afterstates.
#[test]
fn a_layer_of_sweeps_is_sealed_one_layer_late() {
    let count = Count::swept(Keep::Last, None);
    let first = count.missing().unwrap();
    count.run_all(&first.tasks);
    assert!(matches!(
        count.seal(),
        Err(Error::Task(TaskError::Unplanned(_)))
    ));
    let second = count.missing().unwrap();
    assert_eq!((second.sum, second.stage), (first.sum + 2, Stage::Sweep));
    let early = count.seal();
    assert!(
        matches!(early, Err(Error::Task(TaskError::Undone(_)))),
        "{early:?}"
    );
    count.run_all(&second.tasks);
    assert_eq!(count.next().unwrap(), Next::Seal(first.sum));
    assert_eq!(count.seal().unwrap(), first.sum);
    let third = count.missing().unwrap();
    assert_eq!(third.sum, second.sum + 2);
}

/// Finished sweeps once were dropped if a later call asked for larger tasks.
#[test]
fn finished_sweeps_stay_if_later_tasks_are_larger() {
    let mut count = Count::swept(Keep::Matrices, None);
    let first = count.missing().unwrap();
    count.run_all(&first.tasks);
    count.task = 1 << 40;
    let second = count.missing().unwrap();
    assert_eq!((second.sum, second.of), (first.sum + 2, 1));
}

/// The driver once asked for the memory of the largest layer, which it does not count.
#[test]
fn only_small_layers_must_fit_the_memory_of_the_driver() {
    let plan = Plan::new(26 << 20, 1).unwrap();
    let next = |dir: &Path, task| {
        let game = "4x4-64".parse().unwrap();
        let mut store = Store::open(dir, &game, Some(Keep::Matrices)).unwrap();
        let next = cluster::next(&mut store, &plan, task, None, &mut Silent);
        (next, store.run().sealed_sum())
    };
    let place = in_memory();
    let (tasks, sealed) = next(place.path(), 1);
    assert!(matches!(tasks, Ok(Next::Tasks(_))), "{tasks:?}");
    assert!(sealed > 2);
    let place = in_memory();
    for _ in 0..2 {
        let (refused, sealed) = next(place.path(), 1 << 40);
        assert!(matches!(refused, Err(Error::Keep(_))), "{refused:?}");
        assert_eq!(sealed, 12);
    }
}

/// Beyond the largest layer, a layer may fit the memory alone, but not beside matrices of the largest
/// layer. The driver once took this for the end of the run.
#[test]
fn the_driver_counts_a_layer_that_fits_alone() {
    let (game, place) = ("4x4-16".parse().unwrap(), in_memory());
    let open = || Store::open(place.path(), &game, Some(Keep::Matrices)).unwrap();
    let plan = |memory| Plan::new(memory, 1).unwrap();
    // The least memory in which all layers fit beside each other.
    let (mut too_little, mut enough) = (24 << 20, 256 << 20);
    while enough - too_little > 1 {
        let memory = (too_little + enough) / 2;
        match Choice::new(open().run(), &plan(memory), None) {
            Ok(_) => enough = memory,
            Err(_) => too_little = memory,
        }
    }
    let mut store = open();
    let next = cluster::next(&mut store, &plan(too_little), 1 << 40, None, &mut Silent);
    assert_eq!(next.unwrap(), Next::Nothing);
    assert!(store.run().complete());
}

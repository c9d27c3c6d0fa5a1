//! A layer that is counted as tasks: its plan, its directory, and the receipts of its tasks.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::plan::LayerPlan;
use super::task::{Missing, Stage, Task};
use crate::error::{Error, Result, TaskError};
use crate::game::{Exp, PartKey, Tally};
use crate::part::{Fingerprint, Kind, Label, Part, Sealed};
use crate::store::{PROGRAM, Run, TaskDir};

/// The name of the plan, in the directory of the layer.
const PLAN: &str = "plan.json";

/// The result of a task. It depends only on the plan.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Receipt {
    pub(super) tally: Tally,
    /// The fingerprint of the boards that were counted.
    pub(super) boards: Fingerprint,
    /// The files of the task that are not empty.
    pub(super) files: BTreeMap<String, Sealed>,
}

/// A layer that is counted as tasks.
pub(super) struct PlannedLayer<'a> {
    pub(super) run: &'a Run,
    pub(super) name: String,
    pub(super) plan: LayerPlan,
    pub(super) dir: TaskDir,
    /// Receipts that were read. The file system may be slow.
    receipts: Mutex<HashMap<Task, Receipt>>,
}

impl<'a> PlannedLayer<'a> {
    /// The next layer of a run, if it is planned. Directories without a plan, or with an outdated
    /// plan, are deleted.
    pub(super) fn find(run: &'a Run) -> Result<Option<Self>> {
        for name in TaskDir::names(run, run.sealed_sum() + 2)? {
            match Self::look(run, &name)? {
                Some(layer) => return Ok(Some(layer)),
                None => TaskDir::new(run, &name).delete(),
            }
        }
        Ok(None)
    }

    /// The layer in the directory `name`; `None` if it is not the next layer of the run.
    ///
    /// # Errors
    ///
    /// [`TaskError::OtherProgram`] if another version of the program made the plan; a damaged plan.
    fn look(run: &'a Run, name: &str) -> Result<Option<Self>> {
        let dir = TaskDir::new(run, name);
        let plan: Option<LayerPlan> = dir.load(PLAN)?;
        let Some(plan) = plan.filter(|plan| plan.follows(run)) else {
            return Ok(None);
        };
        let path = dir.path(PLAN);
        if plan.program != PROGRAM {
            let found = plan.program;
            return Err(TaskError::OtherProgram { path, found }.into());
        }
        if name != TaskDir::name(plan.sum, &plan) {
            let what = "its directory has the name of another plan".to_owned();
            return Err(Error::Damaged { path, what });
        }
        if let Err(what) = plan.audit(run) {
            return Err(Error::Damaged { path, what });
        }
        Ok(Some(Self::new(run, name.to_owned(), plan, dir)))
    }

    fn new(run: &'a Run, name: String, plan: LayerPlan, dir: TaskDir) -> Self {
        Self {
            run,
            name,
            plan,
            dir,
            receipts: Mutex::default(),
        }
    }

    pub(super) fn plan(run: &'a Run, task: u64, level: i32) -> Result<Self> {
        let plan = LayerPlan::new(run, task, level)?;
        let name = TaskDir::name(plan.sum, &plan);
        let dir = TaskDir::create(run, &name)?;
        dir.begin("plan")?.save(PLAN, &plan)?;
        Ok(Self::new(run, name, plan, dir))
    }

    /// The layer in the directory `name`.
    ///
    /// # Errors
    ///
    /// [`TaskError::Stale`] if the layer is sealed; [`TaskError::OtherProgram`] if another version
    /// made the plan.
    pub(super) fn open(run: &'a Run, name: &str) -> Result<Self> {
        let stale = || TaskError::Stale(TaskDir::new(run, name).path(PLAN)).into();
        Self::look(run, name)?.ok_or_else(stale)
    }

    /// The error for a layer that has been sealed.
    pub(super) fn stale(&self) -> Error {
        TaskError::Stale(self.dir.path(PLAN)).into()
    }

    /// The receipt of a task.
    ///
    /// # Errors
    ///
    /// [`TaskError::Undone`] if the task is not done. A damaged receipt is withdrawn.
    pub(super) fn receipt(&self, task: Task) -> Result<Receipt> {
        let mut receipts = self.receipts.lock().expect("no thread panics");
        if let Some(receipt) = receipts.get(&task) {
            return Ok(receipt.clone());
        }
        let loaded: Option<Receipt> = match self.dir.load(&task.receipt()) {
            Err(error) if error.is_damage() => {
                self.retract(task)?;
                None
            }
            loaded => loaded?,
        };
        let receipt = loaded.ok_or_else(|| TaskError::Undone(self.full_name(task)))?;
        receipts.insert(task, receipt.clone());
        Ok(receipt)
    }

    /// The tasks of the first stage that are not done; `None` if all tasks of all stages are done.
    pub(super) fn missing(&self) -> Result<Option<Missing>> {
        let files = self.dir.files()?;
        for stage in Stage::ALL {
            let tasks = match self.tasks(stage) {
                // The receipt of a task of an earlier stage is damaged.
                Err(Error::Task(TaskError::Undone(name))) => return self.missing_again(name),
                tasks => tasks?,
            };
            let of = tasks.len();
            let undone = |task: &Task| !files.contains(&task.receipt());
            let undone = tasks.into_iter().filter(undone);
            let tasks: Vec<String> = undone.map(|task| self.full_name(task)).collect();
            if !tasks.is_empty() {
                let sum = self.plan.sum;
                return Ok(Some(Missing {
                    sum,
                    stage,
                    tasks,
                    of,
                }));
            }
        }
        Ok(None)
    }

    /// Like [`Self::missing`], for one task, given by its full name.
    fn missing_again(&self, name: String) -> Result<Option<Missing>> {
        let (_, task) = name.split_once('/').unwrap_or_default();
        let stage = task.parse::<Task>()?.stage;
        Ok(Some(Missing {
            sum: self.plan.sum,
            stage,
            of: self.tasks(stage)?.len(),
            tasks: vec![name],
        }))
    }

    /// The tasks of a stage; all earlier stages must be done.
    fn tasks(&self, stage: Stage) -> Result<Vec<Task>> {
        let mut tasks = Vec::new();
        for max in self.plan.largest() {
            match stage {
                Stage::Map => tasks.extend(self.plan.maps(max)),
                Stage::Reduce => tasks.extend(self.plan.reduces(max)),
                Stage::Gather => tasks.extend(self.plan.gathers(max)),
                Stage::Write => {
                    for kind in [Kind::States, Kind::Afterstates] {
                        tasks.extend(self.writes(kind, max, total(&self.made(kind, max)?)));
                    }
                }
            }
        }
        Ok(tasks)
    }

    /// The tasks that write the `boards` boards of a part into files of the run.
    pub(super) fn writes(
        &self,
        kind: Kind,
        max: Exp,
        boards: u64,
    ) -> impl Iterator<Item = Task> + use<> {
        let files = boards.div_ceil(self.run.segment()) as usize;
        Task::all(Stage::Write, kind, max, files)
    }

    /// The files of a part's boards, in order: states from reduces, afterstates from gathers.
    pub(super) fn made(&self, kind: Kind, max: Exp) -> Result<Vec<(String, Sealed)>> {
        let file = |task: Task| (task, task.boards(kind));
        match kind {
            Kind::States => self.files(self.plan.reduces(max).map(file)),
            Kind::Afterstates => self.files(self.plan.gathers(max).map(file)),
        }
    }

    /// The files among `names` that are not empty, as the receipts list them.
    pub(super) fn files(
        &self,
        names: impl IntoIterator<Item = (Task, String)>,
    ) -> Result<Vec<(String, Sealed)>> {
        let mut files = Vec::new();
        for (task, name) in names {
            if let Some(&sealed) = self.receipt(task)?.files.get(&name) {
                files.push((name, sealed));
            }
        }
        Ok(files)
    }

    /// Open files of boards of a part.
    pub(super) fn open_all(
        &self,
        kind: Kind,
        max: Exp,
        files: Vec<(String, Sealed)>,
    ) -> Result<Vec<Part>> {
        let label = self.label(kind, max);
        let open = |(name, sealed): (String, Sealed)| self.dir.part(&name, label, sealed);
        files.into_iter().map(open).collect()
    }

    /// The label of a file with boards of a part.
    pub(super) fn label(&self, kind: Kind, max: Exp) -> Label {
        Label::new(self.run.game(), kind, self.key(max))
    }

    pub(super) fn key(&self, max: Exp) -> PartKey {
        let sum = self.plan.sum;
        PartKey { sum, max }
    }

    /// Withdraw the receipt of a task, so that the task is done again.
    pub(super) fn retract(&self, task: Task) -> Result<()> {
        let files = task.files();
        self.dir.retract(files.iter().map(String::as_str))
    }

    /// If an error is about a damaged file of a task, withdraw its receipt, and name the task in
    /// the error.
    pub(super) fn blame(&self, error: Error) -> Error {
        let task = error.damaged_file().and_then(|path| self.maker(path));
        let Some(task) = task else { return error };
        match self.retract(task) {
            Ok(()) => TaskError::Retracted {
                task: self.full_name(task),
                cause: Box::new(error),
            }
            .into(),
            Err(error) => error,
        }
    }

    /// The name of a task, with the name of its layer.
    pub(super) fn full_name(&self, task: Task) -> String {
        format!("{}/{task}", self.name)
    }

    /// The task that makes the file at `path`.
    fn maker(&self, path: &Path) -> Option<Task> {
        let name = path.file_name()?.to_str()?;
        let task = name.split('.').next()?.parse().ok()?;
        (self.dir.path(name) == path).then_some(task)
    }
}

/// Number of boards in some files.
pub(super) fn total(files: &[(String, Sealed)]) -> u64 {
    files
        .iter()
        .fold(0, |total, (_, sealed)| total.saturating_add(sealed.states))
}

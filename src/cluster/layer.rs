//! A layer that is counted as tasks: its plan, its directory, and what is done of it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::plan::LayerPlan;
use super::task::{Stage, Task};
use crate::engine::Tally;
use crate::error::{Error, Result, TaskError};
use crate::game::{Exp, PartKey};
use crate::part::{Fingerprint, Kind, Label, Part, Sealed};
use crate::store::{Run, TaskDir};

/// The name of the plan, in the directory of the layer.
const PLAN: &str = "plan.json";

/// What a task says when it is done. It depends on nothing but the plan.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Receipt {
    /// What was counted.
    pub(super) tally: Tally,
    /// The fingerprint of the boards that were counted.
    pub(super) boards: Fingerprint,
    /// The files that it made, of those that are not empty.
    pub(super) files: BTreeMap<String, Sealed>,
}

/// See the module.
pub(super) struct PlannedLayer<'a> {
    pub(super) run: &'a Run,
    pub(super) name: String,
    pub(super) plan: LayerPlan,
    pub(super) dir: TaskDir,
    /// Those that were read: the file system may be far away.
    receipts: Mutex<HashMap<Task, Receipt>>,
}

impl<'a> PlannedLayer<'a> {
    /// The next layer of a run, if it is planned. Directories without a plan, or with one of another
    /// program or of what the run is no more, are deleted.
    pub(super) fn find(run: &'a Run) -> Result<Option<Self>> {
        for name in TaskDir::names(run, run.sealed_sum() + 2)? {
            let dir = TaskDir::new(run, &name);
            let plan: Option<LayerPlan> = dir.load(PLAN)?;
            match plan.filter(|plan| plan.follows(run)) {
                Some(plan) => return Ok(Some(Self::new(run, name, plan, dir))),
                None => dir.delete(),
            }
        }
        Ok(None)
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

    /// Plan it.
    pub(super) fn plan(run: &'a Run, task: u64, level: i32) -> Result<Self> {
        let plan = LayerPlan::new(run, task, level)?;
        let (name, dir) = TaskDir::create(run, plan.sum, &plan)?;
        dir.begin("plan")?.save(PLAN, &plan)?;
        Ok(Self::new(run, name, plan, dir))
    }

    /// The layer whose directory has a name.
    ///
    /// # Errors
    ///
    /// [`TaskError::Stale`] if the run has gone on.
    pub(super) fn open(run: &'a Run, name: &str) -> Result<Self> {
        let dir = TaskDir::new(run, name);
        let plan: Option<LayerPlan> = dir.load(PLAN)?;
        match plan.filter(|plan| plan.follows(run)) {
            Some(plan) => Ok(Self::new(run, name.to_owned(), plan, dir)),
            None => Err(TaskError::Stale(dir.path(PLAN)).into()),
        }
    }

    /// The error that the layer is sealed by now.
    pub(super) fn stale(&self) -> Error {
        TaskError::Stale(self.dir.path(PLAN)).into()
    }

    /// What a task said.
    ///
    /// # Errors
    ///
    /// [`TaskError::Undone`] if it is not done. A damaged receipt is deleted: its task is done again.
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

    /// The tasks of a stage that are not done, in a directory that holds some files.
    pub(super) fn missing(
        &self,
        stage: Stage,
        files: &HashSet<String>,
    ) -> Result<(Vec<Task>, usize)> {
        let tasks = self.tasks(stage)?;
        let of = tasks.len();
        let missing = tasks.into_iter();
        let missing = missing.filter(|task| !files.contains(&task.receipt()));
        Ok((missing.collect(), of))
    }

    /// The tasks of a stage; those of a stage before it must be done.
    pub(super) fn tasks(&self, stage: Stage) -> Result<Vec<Task>> {
        self.plan.tasks(stage, self.run.segment(), |kind, max| {
            self.made(kind, max).map(|files| total(&files))
        })
    }

    /// The boards of a part, in the files that reduces or gathers made, in order.
    pub(super) fn made(&self, kind: Kind, max: Exp) -> Result<Vec<(String, Sealed)>> {
        let tasks: Vec<Task> = match kind {
            Kind::States => self.plan.reduces(max).collect(),
            Kind::Afterstates => self.plan.gathers(max).collect(),
        };
        self.files(tasks.into_iter().map(|task| (task, task.boards(kind))))
    }

    /// Those of some names that their tasks made.
    pub(super) fn files(
        &self,
        names: impl Iterator<Item = (Task, String)>,
    ) -> Result<Vec<(String, Sealed)>> {
        let mut files = Vec::new();
        for (task, name) in names {
            if let Some(&sealed) = self.receipt(task)?.files.get(&name) {
                files.push((name, sealed));
            }
        }
        Ok(files)
    }

    /// Open some files of boards of a part.
    pub(super) fn open_all(
        &self,
        kind: Kind,
        max: Exp,
        files: Vec<(String, Sealed)>,
    ) -> Result<Vec<Part>> {
        let label = self.label(kind, max);
        let parts = files.into_iter();
        let parts = parts.map(|(name, sealed)| self.dir.part(&name, label, sealed));
        parts.collect()
    }

    /// What is in a file of boards of a part.
    pub(super) fn label(&self, kind: Kind, max: Exp) -> Label {
        Label::new(self.run.game(), kind, self.key(max))
    }

    /// A part of it.
    pub(super) fn key(&self, max: Exp) -> PartKey {
        let sum = self.plan.sum;
        PartKey { sum, max }
    }

    /// Have a task done again.
    pub(super) fn retract(&self, task: Task) -> Result<()> {
        let files = task.files();
        self.dir.retract(files.iter().map(String::as_str))
    }

    /// If an error says that a file is damaged which a task made, have that task done again, and say
    /// so.
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

    /// The name of a task, with that of its layer.
    pub(super) fn full_name(&self, task: Task) -> String {
        format!("{}/{task}", self.name)
    }

    /// The task that makes a file.
    fn maker(&self, path: &Path) -> Option<Task> {
        let name = path.file_name()?.to_str()?;
        let task = name.split('.').next()?.parse().ok()?;
        (self.dir.path(name) == path).then_some(task)
    }
}

/// Boards in all of some files.
pub(super) fn total(files: &[(String, Sealed)]) -> u64 {
    files.iter().map(|(_, sealed)| sealed.states).sum()
}

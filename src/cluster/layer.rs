//! A layer that is counted as tasks: its plan, its directory, and the receipts of its tasks.

use std::collections::{BTreeMap, HashMap};
use std::iter;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::plan::LayerPlan;
use super::task::{Missing, Stage, Task};
use crate::engine::PairCounts;
use crate::error::{Error, Result, TaskError};
use crate::game::{Exp, PartKey, Tally};
use crate::part::{
    FileContents, Fingerprint, Kind, Label, LayerLabel, MatrixFile, Sealed, Segments,
};
use crate::store::{PROGRAM, Run, TaskDir};

/// The name of the plan, in the directory of the layer.
const PLAN: &str = "plan.json";

/// The result of a task. It depends only on the plan.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Receipt {
    pub(super) tally: Tally,
    /// The fingerprint of the boards that were counted.
    pub(super) boards: Fingerprint,
    /// The counts of a sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pairs: Option<PairCounts>,
    /// The files of the task that are not empty.
    pub(super) files: BTreeMap<String, Sealed>,
}

/// A layer that is counted as tasks.
pub(super) struct PlannedLayer<'a> {
    pub(super) run: &'a Run,
    pub(super) name: String,
    pub(super) plan: LayerPlan,
    pub(super) dir: TaskDir,
    /// The layer before, if it is not sealed. Its sweeps are done; the sweeps of this layer count its
    /// afterstates.
    pub(super) before: Option<Arc<PlannedLayer<'a>>>,
    /// Receipts that were read. The file system may be slow.
    receipts: Mutex<HashMap<Task, Receipt>>,
}

impl<'a> PlannedLayer<'a> {
    /// The next layer of a run, if it is planned; or the layer after it, if both are planned and all
    /// tasks of the next layer are done. Directories without a plan, or with an outdated plan, are
    /// deleted.
    pub(super) fn find(run: &'a Run) -> Result<Option<Arc<Self>>> {
        let first = Self::find_after(run, None)?;
        if let Some(first) = &first
            && first.plan.is_swept()
            && first.missing()?.is_none()
            && let Some(second) = Self::find_after(run, Some(first))?
        {
            return Ok(Some(second));
        }
        Ok(first)
    }

    /// The planned layer after the last sealed layer, or after the layer `before`.
    fn find_after(run: &'a Run, before: Option<&Arc<Self>>) -> Result<Option<Arc<Self>>> {
        let after = before.map_or(run.sealed_sum(), |before| before.plan.sum);
        for name in TaskDir::names(run, after + 2)? {
            match Self::look(run, &name, before)? {
                Some(layer) => return Ok(Some(layer)),
                None => TaskDir::new(run, &name).delete(),
            }
        }
        Ok(None)
    }

    /// The layer in the directory `name`; `None` unless it is the next layer of the run or, if `before`
    /// is given, the layer after `before`.
    ///
    /// # Errors
    ///
    /// [`TaskError::OtherProgram`] if another version of the program made the plan; a damaged plan;
    /// [`TaskError::Undone`] if a task of the layer `before` is not done.
    fn look(run: &'a Run, name: &str, before: Option<&Arc<Self>>) -> Result<Option<Arc<Self>>> {
        let dir = TaskDir::new(run, name);
        let after = before.map_or(run.sealed_sum(), |before| before.plan.sum);
        let plan: Option<LayerPlan> = dir.load(PLAN)?;
        let Some(plan) = plan.filter(|plan| plan.sum == after + 2) else {
            return Ok(None);
        };
        let unsealed = before.map(|before| before.fingerprint()).transpose()?;
        if !plan.has_input_of(run, unsealed) {
            return Ok(None);
        }
        let path = dir.path(PLAN);
        if plan.program != PROGRAM {
            let found = plan.program;
            return Err(TaskError::OtherProgram { path, found }.into());
        }
        let named = match name == TaskDir::name(plan.sum, &plan) {
            true => plan.audit(run),
            false => Err("its directory has the name of another plan".to_owned()),
        };
        named.map_err(|what| Error::Damaged { path, what })?;
        dir.refresh();
        Ok(Some(Arc::new(Self {
            run,
            name: name.to_owned(),
            plan,
            dir,
            before: before.cloned(),
            receipts: Mutex::default(),
        })))
    }

    /// Begin to count a layer as tasks.
    pub(super) fn create(run: &'a Run, plan: &LayerPlan) -> Result<Arc<Self>> {
        let name = TaskDir::name(plan.sum, plan);
        let dir = TaskDir::create(run, &name)?;
        dir.begin("plan")?.save(PLAN, plan)?;
        Self::open(run, &name)
    }

    /// The layer in the directory `name`.
    ///
    /// # Errors
    ///
    /// [`TaskError::Stale`] if the layer is sealed; [`TaskError::OtherProgram`] if another version
    /// made the plan; [`TaskError::Undone`] if a task of the layer before it is not done.
    pub(super) fn open(run: &'a Run, name: &str) -> Result<Arc<Self>> {
        if let Some(layer) = Self::look(run, name, None)? {
            return Ok(layer);
        }
        for first in TaskDir::names(run, run.sealed_sum() + 2)? {
            let first = Self::look(run, &first, None)?;
            let Some(first) = first.filter(|first| first.plan.is_swept()) else {
                continue;
            };
            if let Some(layer) = Self::look(run, name, Some(&first))? {
                return Ok(layer);
            }
        }
        Err(TaskError::Stale(TaskDir::new(run, name).path(PLAN)).into())
    }

    /// The layer, and the layer before it unless that layer is sealed.
    fn unsealed(&self) -> impl Iterator<Item = &Self> {
        iter::successors(Some(self), |layer| layer.before.as_deref())
    }

    /// Delete the directories of the unsealed layers.
    pub(super) fn delete(&self) {
        for layer in self.unsealed() {
            layer.dir.delete();
        }
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

    /// The tasks of the first stage that are not done; `None` if all tasks of all stages are done. Reads
    /// the receipts of all earlier stages, so that a damaged receipt is found and its task is done again.
    pub(super) fn missing(&self) -> Result<Option<Missing>> {
        use Stage::{Gather, Map, Reduce, Sweep, Write};
        for stage in [Sweep, Map, Reduce, Gather, Write] {
            let (all, mut tasks) = (self.tasks(stage)?, Vec::new());
            for &task in &all {
                match self.receipt(task) {
                    Err(Error::Task(TaskError::Undone(name))) => tasks.push(name),
                    receipt => drop(receipt?),
                }
            }
            if !tasks.is_empty() {
                return Ok(Some(Missing {
                    sum: self.plan.sum,
                    stage,
                    tasks,
                    of: all.len(),
                }));
            }
        }
        Ok(None)
    }

    /// Whether the layer is the last of the game, given that all of its sweeps are done: no
    /// afterstate is left.
    pub(super) fn is_last(&self) -> Result<bool> {
        let before = self.pairs()?.afterstates;
        let none = before.labeled.iter().all(|&labeled| labeled == 0);
        Ok(self.plan.is_swept() && none && self.swept()?.is_empty())
    }

    /// The sum of the layer that can be sealed once all tasks are done. A layer of sweeps waits for the
    /// sweeps of the layer after it, unless there is none.
    pub(super) fn seals(&self) -> Result<Option<u32>> {
        let sum = self.plan.sum;
        Ok(match &self.before {
            Some(before) => Some(before.plan.sum),
            None if !self.plan.is_swept() => Some(sum),
            None => (self.run.keep().matrices() && self.is_last()?).then_some(sum),
        })
    }

    /// The tasks of a stage; all earlier stages must be done.
    fn tasks(&self, stage: Stage) -> Result<Vec<Task>> {
        let largest = match stage {
            Stage::Sweep => vec![Exp::LAST],
            _ => self.plan.largest().collect(),
        };
        let tasks = largest.into_iter().map(|max| self.tasks_of(stage, max));
        Ok(tasks.collect::<Result<Vec<_>>>()?.concat())
    }

    /// The tasks of a stage for a part; all earlier stages must be done.
    pub(super) fn tasks_of(&self, stage: Stage, max: Exp) -> Result<Vec<Task>> {
        if stage != Stage::Write {
            return Ok(self.plan.tasks(stage, max).collect());
        }
        let mut tasks = Vec::new();
        for kind in [Kind::States, Kind::Afterstates] {
            let files = total(&self.made(kind, max)?).div_ceil(self.run.segment());
            tasks.extend(Task::all(stage, kind, max, files as usize));
        }
        Ok(tasks)
    }

    /// The files of a part's boards, in order: states from reduces, afterstates from gathers.
    pub(super) fn made(&self, kind: Kind, max: Exp) -> Result<Vec<(String, Sealed)>> {
        let stage = match kind {
            Kind::States => Stage::Reduce,
            Kind::Afterstates => Stage::Gather,
        };
        self.files_of(self.plan.tasks(stage, max), kind)
    }

    /// The boards of a kind that tasks have made, without empty files.
    pub(super) fn files_of(
        &self,
        tasks: impl Iterator<Item = Task>,
        kind: Kind,
    ) -> Result<Vec<(String, Sealed)>> {
        self.files(tasks.map(|task| (task, task.boards(kind))))
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

    /// Open files that tasks have made.
    pub(super) fn open_all<C: FileContents + Copy>(
        &self,
        contents: C,
        files: Vec<(String, Sealed)>,
    ) -> Result<Vec<Segments<C>>> {
        let open = |(name, sealed): (String, Sealed)| self.dir.open(&name, contents, sealed);
        files.into_iter().map(open).collect()
    }

    /// The counts of all sweeps.
    pub(super) fn pairs(&self) -> Result<PairCounts> {
        let mut all = PairCounts::default();
        for task in self.plan.tasks(Stage::Sweep, Exp::LAST) {
            all += self.receipt(task)?.pairs.unwrap_or_default();
        }
        Ok(all)
    }

    /// The files of all sweeps that are not empty.
    fn swept(&self) -> Result<Vec<(String, Sealed)>> {
        let tasks = self.plan.tasks(Stage::Sweep, Exp::LAST);
        self.files(tasks.map(|task| (task, task.matrices())))
    }

    /// The fingerprint of the matrices of all sweeps.
    pub(super) fn fingerprint(&self) -> Result<Fingerprint> {
        let files = self.swept()?;
        Ok(files.iter().map(|(_, sealed)| sealed.fingerprint).sum())
    }

    /// Open the matrices of all sweeps.
    pub(super) fn open_matrices(&self) -> Result<Vec<MatrixFile>> {
        self.open_all(self.matrix_label(), self.swept()?)
    }

    /// The label of the files of matrices.
    pub(super) fn matrix_label(&self) -> LayerLabel {
        LayerLabel::new(self.run.game(), self.plan.sum)
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
        let mut layers = self.unsealed();
        let made = error
            .damaged_file()
            .and_then(|path| layers.find_map(|layer| Some((layer, layer.maker(path)?))));
        let Some((layer, task)) = made else {
            return error;
        };
        if let Err(error) = layer.retract(task) {
            return error;
        }
        let (task, cause) = (layer.full_name(task), Box::new(error));
        TaskError::Retracted { task, cause }.into()
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

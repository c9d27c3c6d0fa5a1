//! The work of each task.

use std::sync::Arc;

use super::layer::{PlannedLayer, Receipt};
use super::sources::{BLOCK, BoardRange, PositionRange};
use super::task::{Stage, Task};
use crate::engine::{
    Candidates, CountAfterstates, ExpandStates, Frontier, Lists, OnlyList, PartJob, Pipeline, Plan,
    Source, Visit, Workers, sweep_pairs,
};
use crate::error::{Error, Result, TaskError};
use crate::game::rank::Ranking;
use crate::game::{Exp, PartKey, Tally};
use crate::part::{Block, Kind, Sealed};
use crate::store::{Attempt, Files, Writer};

/// zstd level of the files between stages. Each is read only once, but they all pass through a network.
const LEVEL: i32 = 1;

/// Does a task of a layer, and publishes its files.
struct Work<'a> {
    layer: &'a PlannedLayer<'a>,
    task: Task,
    plan: Plan,
    workers: &'a Workers,
    attempt: Attempt<'a>,
    receipt: Receipt,
}

/// Do a task, unless it is done.
pub(super) fn work(layer: &PlannedLayer, task: Task, plan: &Plan) -> Result<()> {
    match layer.receipt(task) {
        Err(Error::Task(TaskError::Undone(_))) => {}
        done => return done.map(drop),
    }
    if !layer.tasks_of(task.stage, task.max)?.contains(&task) {
        return Err(TaskError::Unknown(task.to_string()).into());
    }
    let level = match task.stage {
        Stage::Sweep | Stage::Write => layer.plan.level,
        _ => LEVEL,
    };
    let mut plan = plan.clone().with_short_batches();
    plan.level = level;
    let workers = Workers::start(&plan)?;
    let work = Work {
        layer,
        task,
        plan,
        workers: &workers,
        attempt: layer.dir.begin(&task.to_string())?,
        receipt: Receipt::default(),
    };
    workers.install(|| work.carry_out())
}

impl Work<'_> {
    fn carry_out(mut self) -> Result<()> {
        match self.task.stage {
            Stage::Sweep => self.sweep(),
            Stage::Map => self.map(),
            Stage::Reduce => self.reduce(),
            Stage::Gather => self.gather(),
            Stage::Write => self.write(),
        }?;
        self.attempt.save(&self.task.receipt(), &self.receipt)
    }

    /// Sweep some pairs of matrices.
    fn sweep(&mut self) -> Result<()> {
        let layer = self.layer;
        let before = layer.before.as_ref();
        let unsealed = before.map(|before| before.open_matrices()).transpose()?;
        let name = self.task.matrices();
        let mut writer = self.attempt.create(&name, layer.matrix_label(), 1)?;
        let append = &mut |block: &Block| writer.append(block);
        let found = sweep_pairs(
            (layer.run, layer.plan.sum),
            layer.plan.lighter(self.task.number),
            unsealed.as_deref(),
            &self.plan,
            self.workers,
            append,
        )?;
        self.receipt.pairs = Some(found);
        self.publish(name, writer)?;
        Ok(())
    }

    /// Spawn into some of the afterstates from which the states of a part come.
    fn map(&mut self) -> Result<()> {
        let maps = self.layer.plan.tasks(Stage::Map, self.task.max).count();
        let frontier = Frontier::open(self.layer.run)?;
        let origins = frontier.origins(self.layer.key(self.task.max));
        let origins = origins.of_task(self.task.number, maps);
        let candidates = self.lists(maps)?.spawn(&origins, self.workers)?;
        self.receipt.tally = self.build_candidates(Kind::States, self.task.max, candidates)?;
        Ok(())
    }

    /// Merge a range of the states of a part, and move them.
    fn reduce(&mut self) -> Result<()> {
        let max = self.task.max;
        let maps = self.layer.plan.tasks(Stage::Map, max);
        let files = maps.map(|task| (task, task.boards(Kind::States)));
        let source = self.key_range(files)?;
        let mut lists = self.lists(self.layer.plan.ranges(Kind::States, max))?;
        let [own, above] = [max, max.next()].map(|max| lists.collect(Kind::Afterstates, max));
        let visit = ExpandStates::new(&own, &above);
        self.build_boards(source, visit)?;
        self.build_candidates(Kind::Afterstates, max, own)?;
        if max < self.layer.run.game().top() {
            self.build_candidates(Kind::Afterstates, max.next(), above)?;
        }
        Ok(())
    }

    /// Merge a range of the afterstates of a part.
    fn gather(&mut self) -> Result<()> {
        let max = self.task.max;
        let source = self.key_range(self.layer.plan.reduced(max))?;
        let visit = CountAfterstates {
            rules: self.layer.run.game().rules(),
            ranking: self.ranking(max),
        };
        self.build_boards(source, visit)
    }

    /// Write a file of a part for the run.
    fn write(&mut self) -> Result<()> {
        let Task { kind, max, .. } = self.task;
        let segment = self.layer.run.segment();
        let from = segment.saturating_mul(self.task.number as u64);
        let to = from.saturating_add(segment);
        let (mut files, mut ranges, mut begin) = (Vec::new(), Vec::new(), 0);
        for file in self.layer.made(kind, max)? {
            let end = begin + file.1.states;
            if from < end && begin < to {
                ranges.push(from.max(begin) - begin..to.min(end) - begin);
                files.push(file);
            }
            begin = end;
        }
        let files = self.layer.open_all(self.layer.label(kind, max), files)?;
        let source = PositionRange::new(files.into_iter().zip(ranges));
        let ranking = self.ranking(max);
        self.build(kind, max, source, OnlyList { ranking })?;
        Ok(())
    }

    /// The boards of earlier tasks' files in the range of the task.
    fn key_range(&self, files: impl IntoIterator<Item = (Task, String)>) -> Result<BoardRange> {
        let Task { kind, max, .. } = self.task;
        let range = self.layer.plan.range(self.task);
        let files = self.layer.files(files)?;
        let files = self.layer.open_all(self.layer.label(kind, max), files)?;
        Ok(BoardRange::new(files, range, self.plan.sort))
    }

    /// The lists for one of the `tasks` tasks of a part.
    fn lists(&self, tasks: usize) -> Result<Lists> {
        let mut lists = Lists::new(self.layer.run, &self.plan)?.for_one_of(tasks);
        lists.begin(self.layer.plan.sum);
        Ok(lists)
    }

    fn build_candidates(&mut self, kind: Kind, max: Exp, candidates: Candidates) -> Result<Tally> {
        let ranking = Arc::clone(&candidates.ranking);
        let (tally, _) = self.build(kind, max, candidates.into_source(), OnlyList { ranking })?;
        Ok(tally)
    }

    fn ranking(&self, max: Exp) -> Arc<Ranking> {
        Arc::new(Ranking::of_part(
            self.layer.run.game().size(),
            self.layer.key(max),
        ))
    }

    /// Build the task's file, and count its boards.
    fn build_boards(&mut self, source: BoardRange, visit: impl Visit<Found = ()>) -> Result<()> {
        let Task { kind, max, .. } = self.task;
        let (tally, sealed) = self.build(kind, max, source, visit)?;
        self.receipt.tally = tally;
        self.receipt.boards = sealed.fingerprint;
        Ok(())
    }

    fn build(
        &mut self,
        kind: Kind,
        max: Exp,
        source: impl Source,
        visit: impl Visit<Found = ()>,
    ) -> Result<(Tally, Sealed)> {
        let key = self.layer.key(max);
        let mut parts = Pipeline::new(self.plan.batch, self.workers);
        let job = PartJob::new(key, source, visit);
        let (job, sealed) = parts.build_file(kind, job, self, |_| ())?;
        Ok((job.tally, sealed))
    }

    fn name(&self, kind: Kind, max: Exp) -> String {
        match kind {
            Kind::States => self.task.boards(kind),
            Kind::Afterstates => self.task.afterstates(max == self.task.max),
        }
    }

    /// Finish a file, and name it in the receipt unless it is empty.
    fn publish(&mut self, name: String, writer: Writer) -> Result<Sealed> {
        let sealed = self.attempt.publish(&name, writer)?;
        if sealed.states > 0 {
            self.receipt.files.insert(name, sealed);
        }
        Ok(sealed)
    }
}

impl Files for Work<'_> {
    fn create(&self, kind: Kind, key: PartKey) -> Result<Writer> {
        let block = match self.task.stage {
            Stage::Write => kind.block(),
            _ => BLOCK,
        };
        let label = self.layer.label(kind, key.max);
        self.attempt.create(&self.name(kind, key.max), label, block)
    }

    fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed> {
        self.publish(self.name(kind, key.max), writer)
    }
}

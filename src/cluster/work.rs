//! The work of each task.

use std::sync::atomic::AtomicU64;

use super::layer::{PlannedLayer, Receipt, total};
use super::sources::{BLOCK, KeyRange, PositionRange};
use super::task::{Task, TaskStep};
use crate::engine::{
    AsKeys, Candidates, CountAfterstates, ExpandStates, Files, Frontier, KeySource, Lists,
    MoveSink, OnlyList, PartOrder, Parts, Plan, Source, Visit, Workers, codec,
};
use crate::error::{Error, Result, TaskError};
use crate::game::key::KeyCodec;
use crate::game::{Exp, PartKey, Tally};
use crate::part::{Fingerprint, Kind, Part, Sealed};
use crate::store::{Attempt, Writer};

/// zstd level of the files that tasks hand to each other: no compression, because each file is read
/// once.
const LEVEL: i32 = 0;

/// Does a task of a layer.
struct Work<'a> {
    layer: &'a PlannedLayer<'a>,
    task: Task,
    plan: Plan,
    parts: Parts<'a>,
    output: TaskOutput<'a>,
}

/// The destination of a task's files.
struct TaskOutput<'a> {
    layer: &'a PlannedLayer<'a>,
    task: Task,
    attempt: Attempt<'a>,
    receipt: Receipt,
}

/// Do a task, unless it is done.
pub(super) fn work(layer: &PlannedLayer, task: Task, plan: &Plan) -> Result<()> {
    match layer.receipt(task) {
        Err(Error::Task(TaskError::Undone(_))) => {}
        done => return done.map(drop),
    }
    let level = match task.step {
        TaskStep::Write(_) => layer.plan.level,
        _ => LEVEL,
    };
    let plan = plan.clone().with_level(level).with_short_batches();
    let workers = Workers::start(&plan)?;
    let work = Work {
        layer,
        task,
        parts: Parts::new(&plan, &workers),
        plan,
        output: TaskOutput {
            layer,
            task,
            attempt: layer.dir.begin(&task.to_string())?,
            receipt: Receipt::default(),
        },
    };
    workers.install(|| work.carry_out())
}

impl Work<'_> {
    fn carry_out(mut self) -> Result<()> {
        match self.task.step {
            TaskStep::Map => self.map(),
            TaskStep::Reduce => self.reduce(),
            TaskStep::Gather => self.gather(),
            TaskStep::Write(kind) => self.write(kind),
        }?;
        let TaskOutput {
            attempt, receipt, ..
        } = self.output;
        attempt.save(&self.task.receipt(), &receipt)
    }

    /// Spawn into some of the afterstates that the states of a part come from.
    fn map(&mut self) -> Result<()> {
        let shares = self.layer.plan.maps(self.task.max).count();
        self.expect(self.task.number < shares)?;
        let frontier = Frontier::open(self.layer.run)?;
        let origins = frontier.origins(self.layer.key(self.task.max));
        let origins = origins.share(self.task.number, shares);
        let lists = self.lists(shares)?;
        for candidates in lists.spawn(&[origins], self.parts.workers)? {
            self.output.receipt.tally =
                self.build_candidates(Kind::States, self.task.max, candidates)?;
        }
        Ok(())
    }

    /// Merge a range of the states of a part, and move them.
    fn reduce(&mut self) -> Result<()> {
        let max = self.task.max;
        let maps = self.layer.plan.maps(max);
        let files = self
            .layer
            .files(maps.map(|task| (task, task.boards(Kind::States))))?;
        let files = self.layer.open_all(Kind::States, max, files)?;
        let source = self.key_range(Kind::States, files)?;
        let lists = self.lists(self.layer.plan.ranges(Kind::States, max))?;
        let [own, above] = [max, max.next()].map(|max| lists.collect(Kind::Afterstates, max));
        let visit = ExpandStates::new(self.layer.run.game(), MoveSink::new(max, &own, &above));
        self.build_keys(Kind::States, max, source, visit)?;
        self.build_candidates(Kind::Afterstates, max, own)?;
        if max < self.layer.run.game().top() {
            self.build_candidates(Kind::Afterstates, max.next(), above)?;
        }
        Ok(())
    }

    /// Merge a range of the afterstates of a part.
    fn gather(&mut self) -> Result<()> {
        let max = self.task.max;
        self.expect(self.task.number < self.layer.plan.gathers(max).count())?;
        let files = self.layer.files(self.layer.plan.reduced(max).into_iter())?;
        let files = self.layer.open_all(Kind::Afterstates, max, files)?;
        let source = self.key_range(Kind::Afterstates, files)?;
        let visit = CountAfterstates::new(self.layer.run.game());
        self.build_keys(Kind::Afterstates, max, source, visit)
    }

    /// Write a file of a part for the run.
    fn write(&mut self, kind: Kind) -> Result<()> {
        let max = self.task.max;
        let files = self.layer.made(kind, max)?;
        let segment = self.layer.run.segment();
        let from = segment.saturating_mul(self.task.number as u64);
        let to = from.saturating_add(segment);
        self.expect(from < total(&files))?;
        let (files, before) = within(files, from, to);
        let files = self.layer.open_all(kind, max, files)?;
        let source = PositionRange::new(files, from - before, to - before, self.codec());
        self.build(kind, max, source, OnlyList)?;
        Ok(())
    }

    /// The keys of the files in the task's range.
    fn key_range(&self, kind: Kind, files: Vec<Part>) -> Result<KeyRange> {
        let Task { max, number, .. } = self.task;
        let range = self.layer.plan.range(kind, max, number);
        let range = range.filter(|_| number < self.layer.plan.ranges(kind, max));
        let range = range.ok_or_else(|| TaskError::Unknown(self.task.to_string()))?;
        let codec = self.codec();
        let (most, workers) = (self.plan.sort, self.parts.workers);
        Ok(KeyRange::new(files, range, codec, most, workers))
    }

    fn codec(&self) -> KeyCodec {
        codec(self.layer.run.game(), self.layer.plan.sum)
    }

    /// Lists for one of `tasks` tasks that a part is cut into.
    fn lists(&self, tasks: usize) -> Result<Lists> {
        let mut lists = Lists::new(self.layer.run, &self.plan)?.for_one_of(tasks);
        lists.begin(self.layer.plan.sum);
        Ok(lists)
    }

    /// Check that the task is one of the layer's.
    fn expect(&self, planned: bool) -> Result<()> {
        if planned {
            return Ok(());
        }
        Err(TaskError::Unknown(self.task.to_string()).into())
    }

    fn build_candidates(&mut self, kind: Kind, max: Exp, candidates: Candidates) -> Result<Tally> {
        self.build(kind, max, KeySource(candidates.into_source()?), OnlyList)
    }

    /// Build a file of keys, and count their boards.
    fn build_keys<S: Source, V: Visit<Found = ()>>(
        &mut self,
        kind: Kind,
        max: Exp,
        source: S,
        visit: V,
    ) -> Result<()> {
        let fingerprint = AtomicU64::new(0);
        let visit = AsKeys {
            visit,
            codec: self.codec(),
            fingerprint: &fingerprint,
        };
        self.output.receipt.tally = self.build(kind, max, source, visit)?;
        self.output.receipt.boards = Fingerprint(fingerprint.into_inner());
        Ok(())
    }

    fn build<S: Source, V: Visit<Found = ()>>(
        &mut self,
        kind: Kind,
        max: Exp,
        source: S,
        visit: V,
    ) -> Result<Tally> {
        let key = self.layer.key(max);
        let order = PartOrder { key, source, visit };
        let built = self
            .parts
            .build_files(kind, vec![order], &mut self.output, |_| ())?;
        Ok(built[0].tally)
    }
}

/// The files that overlap the positions `from..to`, and the number of boards before them.
fn within(files: Vec<(String, Sealed)>, from: u64, to: u64) -> (Vec<(String, Sealed)>, u64) {
    let (mut end, mut before) = (0, 0);
    let within = files.into_iter().filter(|(_, sealed)| {
        let begin = end;
        end += sealed.states;
        if end <= from {
            before = end;
        }
        from < end && begin < to
    });
    (within.collect(), before)
}

impl TaskOutput<'_> {
    fn name(&self, kind: Kind, max: Exp) -> String {
        if max == self.task.max {
            self.task.boards(kind)
        } else {
            self.task.merged()
        }
    }
}

impl Files for TaskOutput<'_> {
    fn create(&self, kind: Kind, key: PartKey) -> Result<Writer> {
        let block = match self.task.step {
            TaskStep::Write(kind) => kind.block(),
            _ => BLOCK,
        };
        let label = self.layer.label(kind, key.max);
        self.attempt.create(&self.name(kind, key.max), label, block)
    }

    fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed> {
        let name = self.name(kind, key.max);
        let sealed = self.attempt.publish(&name, writer)?;
        if sealed.states > 0 {
            self.receipt.files.insert(name, sealed);
        }
        Ok(sealed)
    }
}

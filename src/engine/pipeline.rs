//! The pipeline: parts from any source, through blocks, into files.
//!
//! A source gives the boards of a part in *tasks*. Any thread can do a task, which gives a range of
//! sorted boards. The ranges of all tasks, in order, are the part. They are cut into blocks of a
//! fixed number of boards, regardless of tasks, so the files do not depend on the division into
//! tasks. Counting writes a block of boards into one file; solving writes a block of values into a
//! file for each goal.
//!
//! Key idea: tasks run in batches, each as large as memory allows, and three batches are under way
//! at once. In one [`Round`], the threads produce the boards of a batch, visit and
//! encode the boards of the batch before it, and write the blocks of the batch before that. A
//! thread waits only at the end of a round, and the last tasks of a round are small. A batch holds
//! some tasks of one large part, or all tasks of many small parts, as one small part would not keep
//! all threads busy.
//!
//! ```text
//! round       n            n + 1              n + 2
//! batch n     Produce ---> Visit, Encode ---> Write
//! batch n+1                Produce ---------> Visit, Encode
//! batch n+2                                   Produce
//! ```

use std::cmp::Reverse;
use std::mem;
use std::ops::Range;
use std::sync::Mutex;

use super::batch::{DoubleBuffer, ReadyShare, Share, batches};
use super::job::{PartJob, SLICE, Source, Visit};
use super::workers::{PerThread, Worker, Workers};
use crate::error::Result;
use crate::game::{Board, Tally};
use crate::part::{Block, Kind, Sealed};
use crate::store::Files;

/// Builds parts. `F` are the findings of a block's visits. The buffers are reused for all parts.
pub(crate) struct Pipeline<'a, F = ()> {
    pub(crate) workers: &'a Workers,
    /// Most candidates of a batch.
    batch: usize,
    /// The boards of each task of a batch.
    produced: DoubleBuffer<Vec<Board>>,
    /// The findings of each block's visits.
    found: Vec<Mutex<F>>,
    /// The blocks of a batch, one for each file.
    encoded: DoubleBuffer<Vec<Block>>,
}

impl<'a, F: Default + Send> Pipeline<'a, F> {
    /// A pipeline for batches of up to `batch` candidates.
    pub(crate) fn new(batch: usize, workers: &'a Workers) -> Self {
        Self {
            workers,
            batch,
            produced: DoubleBuffer::default(),
            found: Vec::new(),
            encoded: DoubleBuffer::default(),
        }
    }

    /// Do jobs: build their parts into their writers, and visit the boards. `report` gets the
    /// counts of each round.
    pub(crate) fn build<S: Source, V: Visit<Found = F>>(
        &mut self,
        jobs: &mut [PartJob<S, V>],
        mut report: impl FnMut(Tally),
    ) -> Result<()> {
        let workers = self.workers;
        let sizes: Vec<Vec<usize>> = jobs.iter().map(|job| job.source.tasks()).collect();
        let batches = batches(&sizes, self.batch);
        let none = |_| vec![Tally::default(); jobs.len()];
        let tallies = PerThread::of((0..workers.threads()).map(none));
        let (mut produced, mut writes): (&[Share], _) = (&[], Vec::new());
        // Boards that do not fill a block yet. The boards of the next batch follow them.
        let mut rest = Vec::new();
        // The last batch takes two more rounds, one to be encoded and one to be written.
        for round in 0..batches.len() + 2 {
            let batch = batches.get(round).map_or(&[][..], Vec::as_slice);
            let tasks = batch.last().map_or(0, |share| share.slots().end);
            self.produced.prepare(tasks);
            let (mut ready, mut blocks) = (Vec::<ReadyShare>::new(), 0);
            for share in produced {
                // A job without a writer ends here.
                let Some(block) = jobs[share.job].block() else {
                    continue;
                };
                let boards = self.produced.filled();
                ready.push(ReadyShare::new(share, &rest, boards, block, blocks));
                blocks = ready[ready.len() - 1].slots.end;
            }
            self.encoded.prepare(blocks);
            let found = self.found.len().max(blocks);
            self.found.resize_with(found, Mutex::default);
            let round = Round {
                jobs,
                ready,
                produced: &self.produced,
                found: &self.found,
                encoded: &self.encoded,
                tallies: &tallies,
            };
            let all = round.tasks(batch, mem::take(&mut writes));
            report(workers.each(&all, |worker, task| round.perform(task, worker))?);

            writes = round.writes();
            rest = round.ready.last().map_or(Vec::new(), ReadyShare::rest);
            self.produced.swap(tasks);
            self.encoded.swap(blocks);
            self.produced.shrink_to(2 * self.batch / tasks.max(1));
            for share in batch {
                let boards = &self.produced.filled()[share.slots()];
                let source = &mut jobs[share.job].source;
                source.release(share.tasks.clone(), boards);
            }
            produced = batch;
        }
        for tallies in tallies.into_values() {
            for (job, counted) in jobs.iter_mut().zip(tallies) {
                job.tally += counted;
            }
        }
        Ok(())
    }
}

/// A task of a round.
enum RoundTask {
    /// Write the blocks of a job that were encoded in the round before.
    Write { job: usize, slots: Range<usize> },
    /// Encode a block of a share that is ready.
    Encode { ready: usize, block: usize },
    /// Do a task of a job: produce boards into a slot of the batch.
    Produce {
        job: usize,
        task: usize,
        slot: usize,
    },
    /// Visit a slice of a block of a share that is ready.
    Visit {
        ready: usize,
        block: usize,
        slice: Range<usize>,
    },
}

/// The data that the threads share in a round.
struct Round<'a, S, V: Visit> {
    jobs: &'a [PartJob<S, V>],
    ready: Vec<ReadyShare<'a>>,
    /// The boards of each task of the batch.
    produced: &'a DoubleBuffer<Vec<Board>>,
    /// The findings of each block's visits.
    found: &'a [Mutex<V::Found>],
    encoded: &'a DoubleBuffer<Vec<Block>>,
    tallies: &'a PerThread<Vec<Tally>>,
}

impl<S: Source, V: Visit> Round<'_, S, V> {
    /// The tasks of the next round that write the blocks of this round.
    fn writes(&self) -> Vec<RoundTask> {
        let ready = self.ready.iter().filter(|share| !share.slots.is_empty());
        let write = |ready: &ReadyShare| RoundTask::Write {
            job: ready.job,
            slots: ready.slots.clone(),
        };
        ready.map(write).collect()
    }

    /// All tasks of the round: `writes`, and the tasks that produce `batch`. Large tasks are first
    /// and small tasks last, so that all threads end together.
    fn tasks(&self, batch: &[Share], writes: Vec<RoundTask>) -> Vec<RoundTask> {
        let mut tasks = writes;
        let mut blocks = Vec::new();
        for (ready, share) in self.ready.iter().enumerate() {
            blocks.extend((0..share.slots.len()).map(|block| (ready, block)));
        }
        blocks.sort_by_key(|&(ready, block)| Reverse(self.ready[ready].range(block).len()));
        for share in batch {
            for (task, slot) in share.tasks.clone().zip(share.slots()) {
                let job = share.job;
                tasks.push(RoundTask::Produce { job, task, slot });
            }
        }
        for (ready, block) in blocks {
            if !V::ENCODES_WHAT_IT_FOUND {
                tasks.push(RoundTask::Encode { ready, block });
                continue;
            }
            let Range { start, end } = self.ready[ready].range(block);
            for from in (start..end).step_by(SLICE) {
                tasks.push(RoundTask::Visit {
                    ready,
                    block,
                    slice: from..end.min(from + SLICE),
                });
            }
        }
        tasks
    }

    fn perform(&self, task: &RoundTask, worker: &mut Worker) -> Result<Tally> {
        let (job, counted) = match *task {
            RoundTask::Write { job, ref slots } => {
                let mut writers = self.jobs[job].writers();
                for blocks in &self.encoded.filled()[slots.clone()] {
                    for (writer, block) in writers.iter_mut().zip(blocks) {
                        writer.append(block)?;
                    }
                }
                return Ok(Tally::default());
            }
            RoundTask::Encode { ready, block } => {
                self.encode(&self.ready[ready], block, worker)?;
                return Ok(Tally::default());
            }
            RoundTask::Produce { job, task, slot } => {
                let PartJob { source, visit, .. } = &self.jobs[job];
                let mut boards = self.produced.slot(slot);
                let mut tally = source.produce(task, worker, &mut boards)?;
                tally += visit.count_and_filter(&mut boards, worker)?;
                (job, tally)
            }
            RoundTask::Visit {
                ready,
                block,
                ref slice,
            } => {
                let ready = &self.ready[ready];
                let found = &self.found[ready.slots.start + block];
                let at = slice.start - ready.range(block).start;
                let visit = &self.jobs[ready.job].visit;
                let tally = ready.with_boards(slice.clone(), worker, |boards, worker| {
                    visit.visit(boards, at, found, worker)
                })?;
                // The last visit of a block encodes the findings of all its visits.
                if ready.visited(block, slice.len()) {
                    self.encode(ready, block, worker)?;
                }
                (ready.job, tally)
            }
        };
        self.tallies.lock(worker.index)[job] += counted;
        Ok(counted)
    }

    fn encode(&self, ready: &ReadyShare, block: usize, worker: &mut Worker) -> Result<()> {
        let slot = ready.slots.start + block;
        let found = &mut self.found[slot].lock().expect("no thread panics");
        let blocks = &mut self.encoded.slot(slot);
        let visit = &self.jobs[ready.job].visit;
        ready.with_boards(ready.range(block), worker, |boards, worker| {
            visit.encode(boards, found, worker, blocks)
        })
    }
}

/// A job, and the files that it built.
type Built<S, V> = (PartJob<S, V>, Sealed);

impl Pipeline<'_> {
    /// Build the files of a part, and check that no board was lost.
    pub(crate) fn build_file<S: Source, V: Visit<Found = ()>>(
        &mut self,
        kind: Kind,
        job: PartJob<S, V>,
        files: &mut impl Files,
        report: impl FnMut(Tally),
    ) -> Result<Built<S, V>> {
        let mut built = self.build_files(kind, vec![job], files, report)?;
        Ok(built.pop().expect("one job was built"))
    }

    /// Build the files of parts, and check that no board was lost.
    pub(crate) fn build_files<S: Source, V: Visit<Found = ()>>(
        &mut self,
        kind: Kind,
        mut jobs: Vec<PartJob<S, V>>,
        files: &mut impl Files,
        report: impl FnMut(Tally),
    ) -> Result<Vec<Built<S, V>>> {
        for job in &mut jobs {
            job.write_to(vec![files.create(kind, job.key)?]);
        }
        self.build(&mut jobs, report)?;
        let built = jobs.into_iter().map(|job| {
            let writer = job.take_writers().pop();
            let writer = writer.expect("a part of boards has one writer");
            let sealed = files.finish(kind, job.key, writer)?;
            job.check_conserved(sealed.states)?;
            Ok((job, sealed))
        });
        built.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Plan;
    use crate::engine::job::CountBoards;
    use crate::engine::job::tests::ListSource;
    use crate::engine::workers::Worker;
    use crate::game::rank::Ranking;
    use crate::game::{Exp, Game, PartKey};
    use crate::part::{Label, some_boards};
    use crate::store::Store;

    /// Counts every board, and adds up the boards.
    struct AddUp(Ranking);

    impl CountBoards for AddUp {
        fn count_and_filter(&self, states: &mut Vec<Board>, _: &mut Worker) -> Result<Tally> {
            Ok(Tally {
                labeled: states.len() as u64,
                moves: states.iter().fold(0, |sum, &state| sum.wrapping_add(state)),
                ..Tally::default()
            })
        }

        fn ranking(&self) -> &Ranking {
            &self.0
        }
    }

    #[test]
    fn building_together_or_alone_gives_equal_parts() {
        // A block of afterstates holds 2^14 boards. Some parts are empty, some end with a full
        // block, and some have several blocks. Batches of 5000 end anywhere.
        let sizes = [3, 0, 1 << 14, 40_000, 1, 4999, (1 << 14) + 1, 0, 70_000, 2];
        let game: Game = "4x4".parse().unwrap();
        let (sum, max) = (400, Exp::of_tile(256).unwrap());
        let label = Label::new(&game, Kind::Afterstates, PartKey { sum, max });
        let lists = sizes.map(|size| some_boards(label, 0.., size));
        let job = |exp, list| {
            let max = Exp::new(exp).unwrap();
            let visit = AddUp(Ranking::of_part(label.size, label.key));
            PartJob::new(PartKey { sum: 100, max }, ListSource(list), visit)
        };
        let jobs = || (1..).zip(&lists).map(|(exp, list)| job(exp, list));
        let (ample, tiny) = (Plan::new(1 << 30, 3).unwrap(), Plan::tiny(3));
        let workers = Workers::start(&ample).unwrap();
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let mut files = |plan: &Plan, jobs: Vec<_>| {
            let mut parts = Pipeline::new(plan.batch, &workers);
            let mut reported = 0;
            let report = |counted: Tally| reported += counted.unique;
            let built = parts
                .build_files(Kind::Afterstates, jobs, store.outbox(), report)
                .unwrap();
            let built = built.iter().map(|(job, sealed)| (*sealed, job.tally));
            (built.collect::<Vec<_>>(), reported)
        };
        let (together, reported) = files(&tiny, jobs().collect());
        assert_eq!(reported, sizes.iter().sum::<usize>() as u64);
        let alone = jobs().flat_map(|job| files(&ample, vec![job]).0);
        assert!(alone.eq(together.iter().copied()));
        for (list, (sealed, tally)) in lists.iter().zip(&together) {
            let sum = list
                .iter()
                .fold(0, |sum: u64, &state| sum.wrapping_add(state));
            let length = list.len() as u64;
            assert_eq!(
                (sealed.states, tally.labeled, tally.moves),
                (length, length, sum)
            );
        }
    }
}

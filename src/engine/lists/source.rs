//! The candidates of one part, as a source of its states.

use std::ops::Range;
use std::sync::Arc;

use super::buckets::Buckets;
use super::candidates::CandidateScratch;
use super::merge::reduce;
use super::sort_task::{self, SortTask};
use super::splitters::Sample;
use crate::engine::pipeline::Source;
use crate::engine::workers::Worker;
use crate::error::Result;
use crate::game::Board;
use crate::game::Tally;
use crate::game::key::KeyCodec;
use crate::per_thread::PerThread;
use crate::progress::Cuts;

/// Gives the states of a part, range by range.
pub(crate) struct CandidateSource {
    /// The buckets of each thread.
    buckets: Vec<Buckets>,
    codec: KeyCodec,
    scratch: Arc<PerThread<CandidateScratch>>,
    tasks: Vec<SortTask>,
    sample: Sample,
}

impl CandidateSource {
    /// The source of the candidates in the threads' buckets; at most `most` candidates are sorted
    /// at once.
    pub(super) fn new(
        buckets: Vec<Buckets>,
        codec: KeyCodec,
        scratch: Arc<PerThread<CandidateScratch>>,
        most: usize,
    ) -> Result<Self> {
        let tasks = sort_task::tasks(&buckets, most)?;
        let candidates = tasks.iter().map(|task| task.candidates as u64).sum();
        Ok(Self {
            buckets,
            codec,
            scratch,
            tasks,
            sample: Sample::expecting(candidates),
        })
    }

    /// Return all chunks to the pools; returns a sample of the produced states.
    pub(crate) fn retire(self) -> Sample {
        for (thread, buckets) in self.buckets.into_iter().enumerate() {
            buckets.retire(&mut self.scratch.lock(thread).pool);
        }
        self.sample
    }
}

impl CandidateSource {
    /// The keys of the states of a task.
    fn keys(&self, task: usize, worker: &Worker, keys: &mut Vec<u64>) -> Result<Tally> {
        let CandidateScratch { sorter, runs, .. } = &mut *self.scratch.lock(worker.index);
        let task = self.tasks[task];
        let duplicates = task.sorted_runs(&self.buckets, sorter, runs)?;
        let span = self.buckets[0].span(task.range);
        let mut tally = reduce(span, runs, keys);
        tally.duplicates += duplicates;
        Ok(tally)
    }
}

/// Like [`CandidateSource`], but gives the keys of the states, which take fewer bits.
pub(crate) struct KeySource(pub(crate) CandidateSource);

impl Source for KeySource {
    fn tasks(&self) -> Vec<usize> {
        self.0.tasks()
    }

    fn tally(&self) -> Tally {
        self.0.tally()
    }

    fn cuts(&self) -> Cuts {
        self.0.cuts()
    }

    fn produce(&self, task: usize, worker: &mut Worker, keys: &mut Vec<u64>) -> Result<Tally> {
        self.0.keys(task, worker, keys)
    }

    fn release(&mut self, tasks: Range<usize>, keys: &[Vec<u64>]) {
        self.0.release(tasks, keys);
    }
}

impl Source for CandidateSource {
    fn tasks(&self) -> Vec<usize> {
        self.tasks.iter().map(|task| task.candidates).collect()
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for buckets in &self.buckets {
            tally.candidates += buckets.produced();
            tally.duplicates += buckets.repeats();
        }
        tally
    }

    fn cuts(&self) -> Cuts {
        let ranges = self.buckets[0].ranges() as u64;
        let whole = self.tasks.iter().filter(|task| task.is_whole()).count() as u64;
        Cuts {
            ranges,
            splits: ranges - whole,
            spilled: self
                .buckets
                .iter()
                .map(|buckets| buckets.spill.bytes())
                .sum(),
        }
    }

    fn produce(&self, task: usize, worker: &mut Worker, states: &mut Vec<Board>) -> Result<Tally> {
        let tally = self.keys(task, worker, states)?;
        self.codec.decode_all(states);
        Ok(tally)
    }

    fn release(&mut self, tasks: Range<usize>, states: &[Vec<Board>]) {
        states.iter().for_each(|states| self.sample.add(states));
        let ended = self.tasks[tasks].iter().filter(|task| task.ends_range());
        for (thread, buckets) in self.buckets.iter_mut().enumerate() {
            let pool = &mut self.scratch.lock(thread).pool;
            ended
                .clone()
                .for_each(|task| buckets.release(task.range, pool));
        }
    }
}

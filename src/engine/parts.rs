//! Builds the parts of a layer for both engines, in files or in memory.

use std::sync::Mutex;

use super::job::{PartJob, Source, Visit};
use super::pipeline::Pipeline;
use super::plan::Plan;
use super::workers::{Done, Workers};
use crate::error::Result;
use crate::game::{Board, Tally};
use crate::part::{Kind, Sealed};
use crate::store::Files;

/// Builds parts, and reuses its buffers.
pub(crate) struct Parts<'a> {
    pub(crate) workers: &'a Workers,
    pipeline: Pipeline<()>,
}

/// A job, and the files or the list that it built.
type Built<S, V, T> = (PartJob<S, V>, T);

impl<'a> Parts<'a> {
    pub(crate) fn new(plan: &Plan, workers: &'a Workers) -> Self {
        Self {
            workers,
            pipeline: Pipeline::new(plan.batch),
        }
    }

    /// Build the files of parts, and check that no board was lost.
    pub(crate) fn build_files<S: Source, V: Visit<Found = ()>>(
        &mut self,
        kind: Kind,
        mut jobs: Vec<PartJob<S, V>>,
        files: &mut impl Files,
        report: impl FnMut(Tally),
    ) -> Result<Vec<Built<S, V, Sealed>>> {
        for job in &mut jobs {
            job.write_to(vec![files.create(kind, job.key)?]);
        }
        self.pipeline.build(&mut jobs, self.workers, report)?;
        let built = jobs.into_iter().map(|job| {
            let writer = job.take_writers().pop();
            let writer = writer.expect("a part of boards has one writer");
            let sealed = files.finish(kind, job.key, writer)?;
            job.check_conserved(sealed.states)?;
            Ok((job, sealed))
        });
        built.collect()
    }

    /// Build small parts in memory.
    pub(crate) fn build_lists<S: Source, V: Visit>(
        &self,
        mut jobs: Vec<PartJob<S, V>>,
    ) -> Result<Vec<Built<S, V, Vec<Board>>>> {
        let mut tasks = Vec::new();
        for (number, job) in jobs.iter().enumerate() {
            for task in 0..job.source.tasks().len() {
                tasks.push((number, task, Mutex::default()));
            }
        }
        self.workers.each(&tasks, |worker, (number, task, done)| {
            let PartJob { source, visit, .. } = &jobs[*number];
            let mut boards = Vec::new();
            let mut tally = source.produce(*task, worker, &mut boards)?;
            tally += visit.count_and_filter(&mut boards);
            *done.lock().expect("no thread panics") = (boards, tally);
            Ok(Done)
        })?;
        let mut lists: Vec<Vec<Vec<Board>>> = jobs.iter().map(|_| Vec::new()).collect();
        for (number, _, done) in tasks {
            let (boards, counted) = done.into_inner().expect("no thread panics");
            jobs[number].tally += counted;
            lists[number].push(boards);
        }
        let built = jobs.into_iter().zip(lists).map(|(mut job, lists)| {
            job.source.release(0..lists.len(), &lists);
            let list = lists.concat();
            job.check_conserved(list.len() as u64)?;
            Ok((job, list))
        });
        built.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::frontier::ListSource;
    use crate::engine::workers::Worker;
    use crate::game::{Exp, Game, PartKey};
    use crate::store::Store;

    /// Counts every board when it is produced, and again when it is visited.
    struct Twice;

    impl Visit for Twice {
        type Found = ();

        fn count_and_filter(&self, states: &mut Vec<Board>) -> Tally {
            Tally {
                labeled: states.len() as u64,
                ..Tally::default()
            }
        }

        fn visit(
            &self,
            states: &[Board],
            _: usize,
            _: &Mutex<()>,
            _: &mut Worker,
        ) -> Result<Tally> {
            Ok(Tally {
                moves: states.iter().fold(0, |sum, &state| sum.wrapping_add(state)),
                ..Tally::default()
            })
        }
    }

    /// The job for a part with largest exponent `exp`, made of the boards of `list`.
    fn job(exp: u8, list: &[Board]) -> PartJob<ListSource<'_>, Twice> {
        let max = Exp::new(exp).unwrap();
        PartJob::new(PartKey { sum: 100, max }, ListSource(list), Twice)
    }

    #[test]
    fn building_together_alone_or_in_memory_gives_equal_parts() {
        // A block of afterstates holds 2^14 boards. Some parts are empty, some end with a full
        // block, and some have several blocks. Batches of 5000 end anywhere.
        let sizes = [3, 0, 1 << 14, 40_000, 1, 4999, (1 << 14) + 1, 0, 70_000, 2];
        let lists: Vec<Vec<Board>> = (1..)
            .zip(sizes)
            .map(|(step, size)| (0..size).map(|i| i * step + 7).collect())
            .collect();
        let jobs = || (1..).zip(&lists).map(|(exp, list)| job(exp, list));
        let game: Game = "4x4".parse().unwrap();
        let (ample, tiny) = (Plan::new(1 << 30, 3).unwrap(), Plan::tiny(3));
        let workers = Workers::start(&ample).unwrap();
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let mut files = |plan: &Plan, jobs: Vec<_>| {
            let mut parts = Parts::new(plan, &workers);
            let mut reported = 0;
            let report = |counted: Tally| reported += counted.unique;
            let built = parts
                .build_files(Kind::Afterstates, jobs, &mut store, report)
                .unwrap();
            let built = built.iter().map(|(job, sealed)| (*sealed, job.tally));
            (built.collect::<Vec<_>>(), reported)
        };
        let (together, reported) = files(&tiny, jobs().collect());
        assert_eq!(reported, sizes.iter().sum::<u64>());
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
        let parts = Parts::new(&tiny, &workers);
        let built = parts.build_lists(jobs().collect()).unwrap();
        for ((job, built), list) in built.iter().zip(&lists) {
            assert!(built == list);
            assert_eq!(job.tally.labeled, list.len() as u64);
        }
    }
}

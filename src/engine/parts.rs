//! Builds the parts of a layer for both engines, in files or in memory.

use std::sync::Mutex;

use super::pipeline::{PartBuild, Pipeline, Source};
use super::plan::Plan;
use super::visit::Visit;
use super::workers::{Done, Workers};
use crate::counts::Row;
use crate::error::Result;
use crate::game::{Board, PartKey, Tally};
use crate::laws;
use crate::part::{Kind, Sealed};
use crate::store::Files;

/// Builds parts, and reuses its buffers.
pub(crate) struct Parts<'a> {
    pub(crate) workers: &'a Workers,
    pipeline: Pipeline<()>,
}

/// A part to build.
pub(crate) struct PartOrder<S, V> {
    pub(crate) key: PartKey,
    pub(crate) source: S,
    pub(crate) visit: V,
}

/// A part that is built in files or in memory, and its counts.
pub(crate) struct BuiltPart<S, T> {
    pub(crate) key: PartKey,
    pub(crate) part: T,
    pub(crate) tally: Tally,
    pub(crate) source: S,
}

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
        orders: Vec<PartOrder<S, V>>,
        files: &mut impl Files,
        report: impl FnMut(Tally),
    ) -> Result<Vec<BuiltPart<S, Sealed>>> {
        let (mut keys, mut parts) = (Vec::new(), Vec::new());
        for PartOrder { key, source, visit } in orders {
            let writers = vec![files.create(kind, key)?];
            keys.push(key);
            parts.push(PartBuild::new(source, visit, writers));
        }
        self.pipeline.build(&mut parts, self.workers, report)?;
        let mut built = Vec::new();
        for (key, part) in keys.into_iter().zip(parts) {
            let tally = part.tally;
            let (source, mut writers) = part.into_built();
            let writer = writers.pop().expect("a part of boards has one writer");
            let part = files.finish(kind, key, writer)?;
            conserved(key, &tally, part.states)?;
            built.push(BuiltPart {
                key,
                part,
                tally,
                source,
            });
        }
        Ok(built)
    }

    /// Build small parts in memory.
    pub(crate) fn build_lists<S: Source, V: Visit>(
        &self,
        orders: Vec<PartOrder<S, V>>,
    ) -> Result<Vec<BuiltPart<S, Vec<Board>>>> {
        let mut tasks = Vec::new();
        for (order, PartOrder { source, .. }) in orders.iter().enumerate() {
            for task in 0..source.tasks().len() {
                tasks.push((order, task, Mutex::default()));
            }
        }
        self.workers.each(&tasks, |worker, (order, task, done)| {
            let PartOrder { source, visit, .. } = &orders[*order];
            let mut boards = Vec::new();
            let mut tally = source.produce(*task, worker, &mut boards)?;
            tally += visit.retain_listed(&mut boards);
            *done.lock().expect("no thread panics") = (boards, tally);
            Ok(Done)
        })?;
        let done = tasks.into_iter().map(|(.., done)| done.into_inner());
        let mut done = done.map(|done| done.expect("no thread panics"));
        let mut built = Vec::new();
        for PartOrder {
            key, mut source, ..
        } in orders
        {
            let mut tally = source.tally();
            let tasks = source.tasks().len();
            let mut lists = Vec::with_capacity(tasks);
            for (boards, counted) in done.by_ref().take(tasks) {
                tally += counted;
                lists.push(boards);
            }
            source.release(0..tasks, &lists);
            let part = lists.concat();
            conserved(key, &tally, part.len() as u64)?;
            built.push(BuiltPart {
                key,
                part,
                tally,
                source,
            });
        }
        Ok(built)
    }
}

/// Check that every candidate of a part was listed, dead or a duplicate.
fn conserved(key: PartKey, tally: &Tally, listed: u64) -> Result<()> {
    let (row, kept) = (Row::of(key), listed + tally.dead);
    laws::conserved(&row, tally.candidates, tally.unique, tally.duplicates, kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::frontier::ListSource;
    use crate::engine::workers::Worker;
    use crate::game::{Exp, Game};
    use crate::store::Store;

    /// Counts every board when it is produced, and again when it is visited.
    struct Twice;

    impl Visit for Twice {
        type Found = ();

        fn retain_listed(&self, states: &mut Vec<Board>) -> Tally {
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

    /// The order for a part with largest exponent `exp`, made of the boards of `list`.
    fn order(exp: u8, list: &[Board]) -> PartOrder<ListSource<'_>, Twice> {
        let max = Exp::new(exp).unwrap();
        PartOrder {
            key: PartKey { sum: 100, max },
            source: ListSource(list),
            visit: Twice,
        }
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
        let orders = || (1..).zip(&lists).map(|(exp, list)| order(exp, list));
        let game: Game = "4x4".parse().unwrap();
        let (ample, tiny) = (Plan::new(1 << 30, 3).unwrap(), Plan::tiny(3));
        let workers = Workers::start(&ample).unwrap();
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let mut files = |plan: &Plan, orders: Vec<_>| {
            let mut parts = Parts::new(plan, &workers);
            let mut reported = 0;
            let report = |counted: Tally| reported += counted.unique;
            let built = parts
                .build_files(Kind::Afterstates, orders, &mut store, report)
                .unwrap();
            let built = built.iter().map(|built| (built.part, built.tally));
            (built.collect::<Vec<_>>(), reported)
        };
        let (together, reported) = files(&tiny, orders().collect());
        assert_eq!(reported, sizes.iter().sum::<u64>());
        let alone = orders().flat_map(|order| files(&ample, vec![order]).0);
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
        let built = parts.build_lists(orders().collect()).unwrap();
        for (built, list) in built.iter().zip(&lists) {
            assert!(built.part == *list);
            assert_eq!(built.tally.labeled, list.len() as u64);
        }
    }
}

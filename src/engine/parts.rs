//! Parts in files, or in memory; both ways to hold a layer end here.

use std::sync::Mutex;

use super::build::{Builder, Job, Source};
use super::plan::Plan;
use super::tally::Tally;
use super::visit::Visit;
use super::workers::Workers;
use crate::counts::Row;
use crate::error::Result;
use crate::game::{Board, PartKey};
use crate::laws;
use crate::part::{Kind, Sealed};
use crate::store::{Store, Writer};

/// Where the files of parts go.
pub(crate) trait Files {
    /// Begin the files of a part.
    fn create(&self, kind: Kind, key: PartKey) -> Result<Writer>;

    /// Finish them; returns what they are together.
    fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed>;
}

impl Files for Store {
    fn create(&self, kind: Kind, key: PartKey) -> Result<Writer> {
        Self::create(self, kind, key)
    }

    fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed> {
        Self::finish(self, kind, key, writer)
    }
}

/// Builds parts.
pub(crate) struct Parts<'a> {
    pub(crate) workers: &'a Workers,
    builder: Builder,
}

/// A part to build: where its states come from, and what is done with them.
pub(crate) struct Order<S, V> {
    pub(crate) key: PartKey,
    pub(crate) source: S,
    pub(crate) visit: V,
}

/// A part that is built: what there is of it, and what was counted on the way.
pub(crate) struct Built<S, T> {
    pub(crate) key: PartKey,
    pub(crate) part: T,
    pub(crate) tally: Tally,
    pub(crate) source: S,
}

impl<'a> Parts<'a> {
    /// Make ready to build in the memory of a plan.
    pub(crate) fn new(plan: &Plan, workers: &'a Workers) -> Self {
        Self {
            workers,
            builder: Builder::new(plan.batch),
        }
    }

    /// Build the files of parts, and see that none of their states was lost on the way.
    pub(crate) fn build_files<S: Source, V: Visit>(
        &mut self,
        kind: Kind,
        orders: Vec<Order<S, V>>,
        files: &mut impl Files,
        report: impl FnMut(Tally),
    ) -> Result<Vec<Built<S, Sealed>>> {
        let keys: Vec<PartKey> = orders.iter().map(|order| order.key).collect();
        let jobs = orders.into_iter().map(|order| {
            Ok(Job {
                writer: files.create(kind, order.key)?,
                tally: order.source.tally(),
                source: order.source,
                visit: order.visit,
            })
        });
        let mut jobs: Vec<Job<S, V>> = jobs.collect::<Result<_>>()?;
        self.builder.build(&mut jobs, self.workers, report)?;
        let built = keys.into_iter().zip(jobs).map(|(key, job)| {
            let part = files.finish(kind, key, job.writer)?;
            conserved(key, &job.tally, part.states)?;
            let Job { tally, source, .. } = job;
            Ok(Built {
                key,
                part,
                tally,
                source,
            })
        });
        built.collect()
    }

    /// Build parts in memory, for those that are small enough.
    pub(crate) fn build_lists<S: Source, V: Visit>(
        &self,
        orders: Vec<Order<S, V>>,
    ) -> Result<Vec<Built<S, Vec<Board>>>> {
        let mut tasks = Vec::new();
        for (order, Order { source, .. }) in orders.iter().enumerate() {
            tasks.extend((0..source.tasks().len()).map(|task| (order, task)));
        }
        let done: Vec<Mutex<(Vec<Board>, Tally)>> =
            tasks.iter().map(|_| Mutex::default()).collect();
        let numbers: Vec<usize> = (0..tasks.len()).collect();
        self.workers.each(&numbers, |worker, &number| {
            let (order, task) = tasks[number];
            let Order { source, visit, .. } = &orders[order];
            let (states, tally) = &mut *done[number].lock().expect("no thread panics");
            *tally = source.sort(task, worker, states)?;
            *tally += visit.count(states);
            Ok(Tally::default())
        })?;
        let done = done.into_iter().map(Mutex::into_inner);
        let mut done = done.map(|done| done.expect("no thread panics"));
        let lists = orders.into_iter().map(|order| {
            let Order {
                key, mut source, ..
            } = order;
            let tasks = source.tasks().len();
            let mut tally = source.tally();
            let mut pieces = Vec::with_capacity(tasks);
            for (states, counted) in done.by_ref().take(tasks) {
                tally += counted;
                pieces.push(states);
            }
            source.sorted(0..tasks, &pieces);
            let part = pieces.concat();
            conserved(key, &tally, part.len() as u64)?;
            Ok(Built {
                key,
                part,
                tally,
                source,
            })
        });
        lists.collect()
    }
}

/// See that every candidate of a part was kept, or counted and left out.
fn conserved(key: PartKey, tally: &Tally, listed: u64) -> Result<()> {
    let kept = listed + tally.dead;
    laws::conserved(
        &Row::of(key),
        tally.candidates,
        tally.unique,
        tally.duplicates,
        kept,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::frontier::ListSource;
    use crate::engine::workers::Worker;
    use crate::game::{Exp, Game};
    use crate::store::Store;

    /// Counts every state when it is counted, and again when it is expanded.
    struct Twice;

    impl Visit for Twice {
        fn count(&self, states: &mut Vec<Board>) -> Tally {
            Tally {
                labeled: states.len() as u64,
                ..Tally::default()
            }
        }

        fn expand(&self, states: &[Board], _: &mut Worker) -> Result<Tally> {
            Ok(Tally {
                moves: states.iter().fold(0, |sum, &state| sum.wrapping_add(state)),
                ..Tally::default()
            })
        }
    }

    /// The part with largest exponent `exp` that a list makes.
    fn order(exp: u8, list: &[Board]) -> Order<ListSource<'_>, Twice> {
        let max = Exp::new(exp).unwrap();
        Order {
            key: PartKey { sum: 100, max },
            source: ListSource::new(list),
            visit: Twice,
        }
    }

    #[test]
    fn parts_are_the_same_built_together_alone_or_in_memory() {
        // Blocks of afterstates hold 2^14. Some parts are empty, some end with a block, some have
        // several, and batches of 5000 end anywhere.
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

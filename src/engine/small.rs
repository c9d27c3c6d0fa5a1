//! Counts a small layer in memory, in one parallel step.
//!
//! Key idea: a small layer takes about a millisecond. Threads that waited for each other after each
//! stage of it would lose much of that. So all its tasks are one list: blocks of the layer before to
//! encode, afterstates to spawn into, states to list and move, afterstates to list. A task waits
//! until the tasks that it needs have ended. They are tasks of the same part or of the part below,
//! far ahead in the list, so threads seldom wait.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::frontier::{Frontier, FrontierBlock, Origins, Slices};
use super::job::{CountAfterstates, SLICE, Visit, check_conserved};
use super::lists::{Candidates, ExpandStates, Lists};
use super::unwritten::Unwritten;
use super::workers::{Done, Worker, Workers};
use crate::counts::Row;
use crate::error::Result;
use crate::game::{Exp, Game, PartKey, Tally};
use crate::part::Kind;
use crate::store::CountedLayer;

/// Tasks for each thread that list the boards of a part.
const TASKS: usize = 4;

/// A small layer, with all its boards.
pub(super) struct SmallLayer {
    pub(super) counted: CountedLayer,
    pub(super) states: Vec<(PartKey, Slices)>,
    pub(super) afterstates: Vec<(PartKey, Slices)>,
}

/// The parts of a small layer.
struct SmallParts<'a> {
    states: Vec<SmallPart<'a, ExpandStates<'a>>>,
    afterstates: BTreeMap<Exp, SmallPart<'a, CountAfterstates>>,
}

/// A part that is being built.
struct SmallPart<'a, V> {
    candidates: &'a Candidates,
    visit: V,
    /// Tasks that must end before its boards can be listed.
    needs: AtomicUsize,
    /// The number of tasks that list its boards, and the next range that one of them claims.
    tasks: usize,
    next: AtomicUsize,
    /// The boards of each range.
    ranges: Vec<Mutex<(Slices, Tally)>>,
}

#[derive(Clone, Copy)]
enum SmallTask<'a> {
    /// Encode a block of the layer before.
    Encode(usize),
    /// Spawn into a block of afterstates.
    Spawn(&'a SmallPart<'a, ExpandStates<'a>>, &'a FrontierBlock<'a>),
    /// List a share of a part's states, and move them.
    States(&'a SmallPart<'a, ExpandStates<'a>>),
    /// List a share of a part's afterstates.
    Afterstates(&'a SmallPart<'a, CountAfterstates>),
}

/// Count the layer that follows from a frontier, and encode the unwritten blocks. A stop waits for the end.
pub(super) fn count(
    lists: &mut Lists,
    frontier: &Frontier,
    game: &Game,
    unwritten: &Unwritten,
    workers: &Workers,
) -> Result<SmallLayer> {
    let sum = frontier.sum();
    lists.begin(sum);
    let keys = game.top().up_to().map(|max| PartKey { sum, max });
    let mut layer = SmallLayer {
        counted: CountedLayer::new(sum),
        states: Vec::new(),
        afterstates: Vec::new(),
    };
    layer.counted.rows.extend(keys.clone().map(Row::of));
    let origins = keys.map(|key| frontier.origins(key));
    let origins: Vec<Origins> = origins.filter(|from| !from.is_empty()).collect();
    let (mut states, mut afterstates) = (Vec::new(), BTreeMap::<Exp, Candidates>::new());
    for origins in &origins {
        states.push(lists.collect_states(origins)?);
        for max in [origins.key.max, origins.key.max.next()] {
            let collect = || lists.collect(Kind::Afterstates, max);
            afterstates.entry(max).or_insert_with(collect);
        }
    }

    let parts = SmallParts::new(&origins, &states, &afterstates, game, workers);
    let failed = AtomicBool::new(false);
    let perform = |worker: &mut Worker, task: &SmallTask| {
        let done = parts.perform(*task, unwritten, worker, &failed);
        done.inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
        Ok(Done)
    };
    // The layers before are only in memory. Also, the tasks wait for each other.
    workers.finish(|| workers.each(&parts.tasks(&origins, unwritten), perform))?;
    parts.end(&mut layer)?;

    for candidates in states.into_iter().chain(afterstates.into_values()) {
        layer.counted.spilled += candidates.spilled();
        lists.retire(candidates);
    }
    Ok(layer)
}

impl<'a> SmallParts<'a> {
    fn new(
        origins: &[Origins],
        states: &'a [Candidates],
        afterstates: &'a BTreeMap<Exp, Candidates>,
        game: &Game,
        workers: &Workers,
    ) -> Self {
        let states = states.iter().zip(origins).map(|(candidates, origins)| {
            let [own, above] = [origins.key.max, origins.key.max.next()];
            let visit = ExpandStates::new(&afterstates[&own], &afterstates[&above]);
            SmallPart::new(candidates, visit, origins.blocks.len(), workers)
        });
        let states: Vec<SmallPart<_>> = states.collect();
        let mut needs = BTreeMap::new();
        for part in &states {
            for max in part.feeds() {
                *needs.entry(max).or_default() += part.tasks;
            }
        }
        // No afterstate holds the winning tile.
        let afterstates = afterstates.range(..=game.top());
        let afterstates = afterstates.map(|(&max, candidates)| {
            let visit = candidates.count_afterstates();
            (max, SmallPart::new(candidates, visit, needs[&max], workers))
        });
        Self {
            afterstates: afterstates.collect(),
            states,
        }
    }

    /// All tasks, in an order in which each needs only earlier ones. Parts with large tiles have most
    /// boards as a rule; they are first, so that the others fill the time until their tasks end.
    fn tasks<'b>(&'b self, origins: &'b [Origins], unwritten: &Unwritten) -> Vec<SmallTask<'b>> {
        let mut tasks: Vec<SmallTask> = (0..unwritten.blocks()).map(SmallTask::Encode).collect();
        for (part, origins) in self.states.iter().zip(origins).rev() {
            tasks.extend(
                origins
                    .blocks
                    .iter()
                    .map(|block| SmallTask::Spawn(part, block)),
            );
        }
        for part in self.states.iter().rev() {
            tasks.extend([SmallTask::States(part)].repeat(part.tasks));
        }
        for part in self.afterstates.values().rev() {
            tasks.extend([SmallTask::Afterstates(part)].repeat(part.tasks));
        }
        tasks
    }

    fn perform(
        &self,
        task: SmallTask,
        unwritten: &Unwritten,
        worker: &mut Worker,
        failed: &AtomicBool,
    ) -> Result<()> {
        match task {
            SmallTask::Encode(block) => unwritten.encode(block, worker),
            SmallTask::Spawn(part, block) => {
                part.candidates.spawn(block, worker)?;
                part.need_one_less();
                Ok(())
            }
            SmallTask::States(part) => {
                part.list(worker, failed)?;
                let feeds = part.feeds().into_iter();
                let fed = feeds.filter_map(|max| self.afterstates.get(&max));
                fed.for_each(SmallPart::need_one_less);
                Ok(())
            }
            SmallTask::Afterstates(part) => part.list(worker, failed),
        }
    }

    /// Add the boards and their counts to a layer.
    fn end(self, layer: &mut SmallLayer) -> Result<()> {
        for part in self.states {
            let key = part.candidates.key;
            let (slices, tally, visit) = part.end()?;
            let live = tally.unique - tally.dead;
            layer
                .counted
                .row(key)
                .set_states(live, visit.fingerprint(), &tally);
            layer.states.push((key, slices));
        }
        for part in self.afterstates.into_values() {
            let key = part.candidates.key;
            let (slices, tally, _) = part.end()?;
            let row = layer.counted.row(key);
            row.afterstates = tally.unique;
            row.empty_cells = tally.empty_cells;
            layer.afterstates.push((key, slices));
        }
        Ok(())
    }
}

impl SmallPart<'_, ExpandStates<'_>> {
    /// The largest tiles of the afterstates that come from its states.
    fn feeds(&self) -> [Exp; 2] {
        let max = self.candidates.key.max;
        [max, max.next()]
    }
}

impl<'a, V: Visit> SmallPart<'a, V> {
    fn new(candidates: &'a Candidates, visit: V, needs: usize, workers: &Workers) -> Self {
        let ranges = candidates.ranges();
        Self {
            candidates,
            visit,
            needs: AtomicUsize::new(needs),
            tasks: ranges.min(TASKS * workers.threads()),
            next: AtomicUsize::new(0),
            ranges: (0..ranges).map(|_| Mutex::default()).collect(),
        }
    }

    /// Note that one of the tasks has ended that the part needs.
    fn need_one_less(&self) {
        self.needs.fetch_sub(1, Ordering::Release);
    }

    /// List a share of the boards as soon as the part needs no further task. Returns early after an
    /// error of another thread.
    fn list(&self, worker: &mut Worker, failed: &AtomicBool) -> Result<()> {
        while self.needs.load(Ordering::Acquire) > 0 {
            if failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            thread::yield_now();
        }
        let tally = self.candidates.tally();
        let share = ((tally.candidates - tally.duplicates) as usize).div_ceil(self.tasks);
        let mut boards = mem::take(&mut worker.boards);
        for range in self.candidates.claim(&self.next, share) {
            let mut tally = self.candidates.list(range, worker, &mut boards)?;
            tally += self.visit.count_and_filter(&mut boards, worker)?;
            let slices = boards.chunks(SLICE).map(<[_]>::to_vec).collect();
            *self.ranges[range].lock().expect("no thread panics") = (slices, tally);
        }
        worker.boards = boards;
        Ok(())
    }

    /// The boards of all ranges, and their counts.
    fn end(self) -> Result<(Slices, Tally, V)> {
        let (mut all, mut tally) = (Slices::new(), self.candidates.tally());
        for range in self.ranges {
            let (slices, counted) = range.into_inner().expect("no thread panics");
            all.extend(slices);
            tally += counted;
        }
        let listed = all.iter().map(Vec::len).sum::<usize>() as u64;
        check_conserved(self.candidates.key, &tally, listed)?;
        Ok((all, tally, self.visit))
    }
}

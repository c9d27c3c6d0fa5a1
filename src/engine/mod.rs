//! The engine: a layered breadth-first search in external memory.
//!
//! A move keeps the sum of the tiles and a spawn adds 2 or 4, so the search goes sum by sum, and no
//! state belongs to two layers. With S(s) the states and A(s) the afterstates of sum s, in
//! canonical form:
//!
//! ```text
//! S(s) = starts(s)  +  spawn 2 into A(s-2)  +  spawn 4 into A(s-4)
//! A(s) = all legal moves of S(s), winning ones dropped but noted
//! ```
//!
//! So the *frontier* consists of the afterstates of the last two sums. States are listed and
//! counted, and never read again. Going through afterstates keeps the work small. A state has about
//! 3.5 legal moves, but there are only about 0.4 different afterstates for each state. Each
//! afterstate is read twice, once to spawn 2s and once to spawn 4s.
//!
//! A layer is held in one of two ways ([`Choice`]), and each engine can go on where the other
//! stopped:
//!
//! - *bits* (`bits`): a bit for every board of the sum, for 4x4, where they fit in memory;
//! - *lists* (`lists`, `layer`): sorted lists of states, for any board, in external memory. The
//!   rest of this page is about lists.
//!
//! Candidates are produced with repeats, which are dropped only when the whole layer is there:
//! *delayed duplicate detection* (Korf 2004, 2008). As no state belongs to two layers, a layer is
//! never compared with older layers. A board has a *rank* among all boards of its sum. Ranks are cut
//! into ranges, and the candidates of each range set bits in a bitmap, in a core's cache. So they are
//! in order without a sort. (On clusters and disks: Kunkle and Cooperman 2009.)
//!
//! The parts of a layer are counted in order of largest tile (`layer`); in a small layer, all together
//! (`small`). A part goes through these types and functions:
//!
//! ```text
//!   Frontier: afterstates of sums s-2 and s-4, in blocks on disk, or lists in memory
//!      |
//!      | Candidates::spawn   spawn, canonical form, rank                         all threads
//!      v
//!   Candidates           Buckets by range of ranks, for each thread
//!      |
//!      | Bitmap, Ranking::decode   drop repeats: a Source of states              pipeline, batch n
//!      v
//!   ExpandStates::count_and_filter   counts dead and labeled, keeps the live, and
//!      |       |                    collects their afterstates
//!      |       |                    (filter, canonical form, rank)
//!      |       +-> Encoder   Blocks, if the run keeps the states                 pipeline, batch n-1
//!      |           +-------> Writer: sum-S-max-M.states                          pipeline, batch n-2
//!      v
//!   Candidates   of afterstates: with this largest tile, and with the next
//!      |
//!      | built like the states, with CountAfterstates as Visit
//!      v
//!   Writer: sum-S-max-M.afterstates, the frontier of s+2 and s+4; or a list
//! ```
//!
//! One state's way, on 2x2. The start `. . / 2 2`, 0x0011, is canonical and has sum 4. Layer 4 gets
//! it from `Frontier::origins`, and `Candidates::add` puts its rank into a bucket. Then the part of
//! sum 4 and largest tile 2 is built. Its candidates set two bits of a `Bitmap`, which are the ranks
//! of 0x0011 and of the other start, 0x0110. `ExpandStates::count_and_filter` finds both live
//! and moves them. Up, 0x0011 becomes 0x1100, an image of 0x0011 itself, which is
//! collected for the part's own afterstates. Left and right, the two tiles merge, and 0x0002 goes to
//! the afterstates with the next larger tile. The layer is small, so all become lists in memory, and
//! the states are encoded into `sum-00004-max-00002.states`. For layer 6, `Candidates::spawn` spawns
//! a 2 into each empty cell of the afterstates.
//!
//! Reading order: this file (the loop over layers), `choice` (of an engine), `layer` (a layer as
//! lists), `small` with `unwritten` (a small one), `frontier`, `lists` (candidates), `job`, `rankings`,
//! `pipeline` and `batch` (parts from any source, also for solving); `bits`; `chunks` (of memory),
//! `workers` and `plan` serve all of them.
//!
//! Memory is bounded by [`Plan`]. The written bytes do not depend on it, on the number of threads,
//! or on where a count was stopped, if it then goes on to a later sum.
//!
//! - R. E. Korf, *Best-First Frontier Search with Delayed Duplicate Detection*, AAAI 2004.
//! - R. E. Korf, *Linear-Time Disk-Based Implicit Graph Search*, Journal of the ACM 55(6), 2008.
//! - D. Kunkle and G. Cooperman, *Harnessing Parallel Disks to Solve Rubik's Cube*, Journal of
//!   Symbolic Computation 44(7), 2009.

mod batch;
pub(crate) mod bits;
mod choice;
mod chunks;
mod frontier;
mod job;
mod layer;
pub(crate) mod lists;
mod pipeline;
mod plan;
mod rankings;
mod small;
mod unwritten;
mod workers;

use crate::counts::Columns;
use crate::error::Result;
use crate::laws::Laws;
pub use crate::progress::{FinishedLayer, Progress, Silent, Stop};
use crate::store::{CountedLayer, Run, Store};

use bits::{Bits, unpack_frontier};
pub(crate) use bits::{
    Finder, PairCounts, Unpacker, compare_afterstates, cut_pairs, for_layer, least_bound,
    set_afterstates, set_candidates, states_rows, sweep_pairs,
};
use choice::EngineStage;
pub use choice::{Choice, last_sum};
pub(crate) use frontier::Frontier;
pub(crate) use job::{CountAfterstates, OnlyList, PartJob, Source, Visit};
use layer::ListCounter;
pub(crate) use lists::{Candidates, ExpandStates, Lists};
pub(crate) use pipeline::Pipeline;
pub use plan::{Engine, LEVEL, Plan};
pub use workers::pool;
pub(crate) use workers::{Done, PerThread, Worker, Workers};

/// Count a game in its store, from the last sealed layer to the last layer of the game, or to sum
/// `until`. First it checks every block in the directory, and every board of the frontier, so that
/// no count builds on damaged or forged files. Sealed layers are durable when the function returns,
/// even with an error. After the plan's [`Stop`] was asked, the layer under way is dropped, unless
/// it is small, and the layers before it are sealed.
///
/// # Errors
///
/// Errors of the system; a second call resumes the count. The errors of [`Choice::new`].
/// [`Error::MatrixMemory`](crate::Error::MatrixMemory) if a frontier in matrices cannot be listed.
/// [`Error::Stopped`](crate::Error::Stopped) after the plan's [`Stop`] was asked.
/// [`Error::Law`](crate::Error::Law) if the counts of a layer cannot be right; it is not sealed.
pub fn count(
    store: &mut Store,
    plan: &Plan,
    until: Option<u32>,
    progress: &mut dyn Progress,
) -> Result<()> {
    let choice = Choice::new(store.run(), plan, until)?;
    count_while(store, plan, &choice, progress, |_| true)
}

/// Like [`count`], but counts as `choice` says, and ends when `go_on` returns false. It is called
/// at the start, after each seal and at the end. If it ends the count, a frontier in matrices
/// stays.
pub(crate) fn count_while(
    store: &mut Store,
    plan: &Plan,
    choice: &Choice,
    progress: &mut dyn Progress,
    go_on: impl Fn(&Run) -> bool + Sync,
) -> Result<()> {
    let laws = Laws::new(store.run().game(), choice.last());
    let workers = Workers::start(plan)?;
    // The count runs on a thread of the pool, because small layers then take less time to start
    // their tasks.
    workers.install(|| {
        store.check_blocks(&plan.stop)?;
        let mut stages = choice.stages().iter();
        let counted = stages
            .try_for_each(|stage| stage.count_all(store, &workers, &laws, progress, &go_on))
            .and_then(|()| {
                let run = store.run();
                // A run beyond the last layer stays as it is.
                match go_on(run) && run.sealed_sum() <= choice.last() {
                    true => unpack_frontier(store, plan, &workers, progress),
                    false => Ok(()),
                }
            });
        store.end(counted)
    })
}

/// Write a frontier in matrices as lists, from which lists or a cluster can go on.
///
/// # Errors
///
/// [`Error::MatrixMemory`](crate::Error::MatrixMemory); errors of the system.
pub(crate) fn leave_matrices(
    store: &mut Store,
    plan: &Plan,
    progress: &mut dyn Progress,
) -> Result<()> {
    if store.run().sums_in_matrices().next().is_none() {
        return Ok(());
    }
    let workers = Workers::start(plan)?;
    let listed = workers.install(|| unpack_frontier(store, plan, &workers, progress));
    store.end(listed)
}

impl EngineStage {
    /// Count the layers of the stage. The game may end earlier.
    fn count_all(
        &self,
        store: &mut Store,
        workers: &Workers,
        laws: &Laws,
        progress: &mut dyn Progress,
        go_on: &dyn Fn(&Run) -> bool,
    ) -> Result<()> {
        let ended = |store: &Store| {
            let run = store.run();
            run.complete() || run.sealed_sum() >= self.last || !go_on(run)
        };
        if ended(store) {
            return Ok(());
        }
        store.check_frontier(&self.plan.stop)?;
        if self.engine == Engine::Lists {
            unpack_frontier(store, &self.plan, workers, progress)?;
        }
        let plan = &self.plan;
        let mut counter = match self.engine {
            Engine::Lists => Counter::Lists(Box::new(ListCounter::new(store, plan, workers)?)),
            Engine::Bits => Counter::Bits(Box::new(Bits::new(store, plan, self.last, workers)?)),
        };
        while !ended(store) && (counter.is_ahead() || !progress.stop()) {
            let mut layers = counter.next(self.last, store, progress)?;
            obey(laws, store, &mut layers)?;
            store.seal(&layers)?;
        }
        match counter.is_ahead() {
            // The files of the layer ahead.
            true => {
                let next = store.run().sealed_sum() + 2;
                store.outbox().drop_from(next)
            }
            false => Ok(()),
        }
    }
}

/// Counts layers.
enum Counter<'a> {
    Lists(Box<ListCounter<'a>>),
    Bits(Box<Bits<'a>>),
}

impl Counter<'_> {
    /// Whether a layer is counted that is not sealed yet.
    fn is_ahead(&self) -> bool {
        matches!(self, Self::Bits(bits) if bits.is_ahead())
    }

    /// Count one or more layers after the last sealed layer, up to sum `last`, and write their
    /// files. The files of the last layer include a frontier from which a count can go on.
    fn next(
        &mut self,
        last: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<Vec<CountedLayer>> {
        match self {
            Self::Lists(lists) => lists.next(last, store, progress),
            Self::Bits(bits) => bits.next(last, store, progress),
        }
    }
}

/// Check that the counts of new layers and of the sealed layers before them obey the laws. Removes
/// rows without any count.
pub(crate) fn obey(laws: &Laws, store: &Store, layers: &mut [CountedLayer]) -> Result<()> {
    for layer in layers.iter_mut() {
        layer.rows.retain(|row| !row.is_empty());
    }
    let first = layers[0].sum;
    let before = [first - 4, first - 2].map(|sum| store.run().rows(sum));
    for layer in layers.iter() {
        laws.layer(layer.sum, Columns::ALL, |sum| {
            match sum.checked_sub(first) {
                Some(above) => &layers[above as usize / 2].rows,
                None => &before[usize::from(sum + 2 == first)],
            }
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::time::Duration;
    use std::{fs, io};

    use super::*;
    use crate::game::Game;
    use crate::store::Keep;

    /// Names and bytes of all files of a directory.
    type DirFiles = BTreeMap<String, Vec<u8>>;

    fn files(dir: &Path) -> DirFiles {
        let file = |entry: io::Result<fs::DirEntry>| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            (name.to_owned(), fs::read(&path).unwrap())
        };
        fs::read_dir(dir).unwrap().map(file).collect()
    }

    fn game(size: &str, max: u32) -> Game {
        Game::new(size.parse().unwrap(), Some(max)).unwrap()
    }

    fn plan(memory: u64, threads: usize) -> Plan {
        Plan::new(memory, threads).unwrap()
    }

    /// The files after a count up to sum `until`.
    fn counted(
        game: &Game,
        plan: &Plan,
        until: Option<u32>,
        keep: Keep,
        progress: &mut dyn Progress,
    ) -> DirFiles {
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), game, Some(keep)).unwrap();
        count(&mut store, plan, until, progress).unwrap();
        drop(store);
        files(place.path())
    }

    /// Adds up the bytes of all layers that did not fit in memory.
    #[derive(Default)]
    struct Spilled(u64);

    impl Progress for Spilled {
        fn end(&mut self, layer: &FinishedLayer) {
            self.0 += layer.spilled;
        }
    }

    #[test]
    fn threads_and_memory_change_no_byte() {
        // The largest layer of 3x3 to 128 has 33,000 states. On 4x4, sum 46 has 893,000, in seven
        // blocks. With more threads, most candidates would fit in memory.
        for (game, until, keep, large, tiny) in [
            (
                game("3", 128),
                None,
                Keep::Both,
                [(1 << 30, 1), (1 << 30, 7)],
                &[1, 3][..],
            ),
            (
                game("4", 16),
                Some(46),
                Keep::All,
                [(4 << 30, 2), (32 << 20, 2)],
                &[3],
            ),
        ] {
            let [expected, other] = large.map(|(memory, threads)| {
                let plan = plan(memory, threads);
                counted(&game, &plan, until, keep, &mut Silent)
            });
            assert!(expected.len() > 50, "{} files", expected.len());
            assert!(other == expected, "{game}");
            for &threads in tiny {
                let mut spilled = Spilled::default();
                let found = counted(&game, &Plan::tiny(threads), until, keep, &mut spilled);
                assert!(found == expected, "{game} on {threads} threads");
                assert!(spilled.0 > 100_000, "{}", spilled.0);
            }
        }
    }

    #[test]
    fn states_that_the_run_does_not_keep_change_no_file() {
        let game = game("3", 32);
        for (keep, until) in [
            (Keep::Last, None),
            (Keep::Last, Some(40)),
            (Keep::Afterstates, None),
            (Keep::Afterstates, Some(40)),
        ] {
            // The tiny plan never holds a layer in memory, so it does not write most states.
            let [ample, tiny] = [plan(1 << 30, 2), Plan::tiny(2)];
            let expected = counted(&game, &ample, until, keep, &mut Silent);
            let states = |name: &&String| name.ends_with(".states");
            assert!(
                expected.keys().any(|name| states(&name)),
                "{keep} {until:?}"
            );
            let found = counted(&game, &tiny, until, keep, &mut Silent);
            assert!(found == expected, "{keep} {until:?}");
        }
    }

    /// Stops when the layer of a sum begins, and records the sums of the layers.
    struct StopIn(u32, Vec<u32>);

    impl Progress for StopIn {
        fn begin(&mut self, sum: u32) {
            self.1.push(sum);
        }

        fn stop(&mut self) -> bool {
            self.1.last() == Some(&self.0)
        }
    }

    #[test]
    fn bits_that_write_a_frontier_after_each_layer_are_one_layer_ahead() {
        let game = game("4", 16);
        let mut plan = plan(1 << 30, 2).with_engine(Some(Engine::Bits));
        plan.frontier_after = Duration::ZERO;
        let expected = counted(&game, &plan, Some(30), Keep::Last, &mut Silent);
        let place = tempfile::tempdir().unwrap();
        let open = || Store::open(place.path(), &game, Some(Keep::Last)).unwrap();
        let mut seals = Vec::new();
        // The layer ahead is lost, as by a kill.
        for least in [2, 14, 20] {
            let go_on = |run: &Run| run.sealed_sum() <= least;
            let mut store = open();
            let choice = Choice::new(store.run(), &plan, Some(30)).unwrap();
            count_while(&mut store, &plan, &choice, &mut Silent, go_on).unwrap();
            seals.push(store.run().sealed_sum());
        }
        assert_eq!(seals, [4, 16, 22]);
        // A stop at the end of a layer seals the layer.
        let mut progress = StopIn(26, Vec::new());
        let mut store = open();
        count(&mut store, &plan, Some(30), &mut progress).unwrap();
        assert_eq!((store.run().sealed_sum(), progress.1), (26, vec![24, 26]));
        drop(store);
        count(&mut open(), &plan, Some(30), &mut Silent).unwrap();
        assert!(files(place.path()) == expected);
    }

    #[test]
    fn a_count_with_nothing_to_count_changes_no_file() {
        let game = game("4", 16);
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Last)).unwrap();
        let ample = plan(256 << 20, 1);
        let choice = Choice::new(store.run(), &ample, Some(40)).unwrap();
        let mut progress = StopIn(32, Vec::new());
        let go_on = |run: &Run| run.sealed_sum() < 32;
        count_while(&mut store, &ample, &choice, &mut progress, go_on).unwrap();
        let before = files(place.path());
        assert!(before.contains_key("sum-00032.matrices"));
        // In so little memory the matrices cannot be listed.
        count(&mut store, &plan(24 << 20, 1), Some(20), &mut Silent).unwrap();
        drop(store);
        assert!(files(place.path()) == before);
    }
}

//! The engine: a layered breadth-first search in external memory.
//!
//! A move keeps the sum of the tiles and a spawn adds 2 or 4, so the search goes sum by sum, and no
//! state is met in two layers. With S(s) the states and A(s) the afterstates of sum s, in canonical
//! form:
//!
//! ```text
//! S(s) = starts(s)  +  spawn 2 into A(s-2)  +  spawn 4 into A(s-4)
//! A(s) = all legal moves of S(s), winning ones dropped but noted
//! ```
//!
//! So the *frontier* is the afterstates of the last two sums; states are listed, counted and never
//! read again. Going through afterstates keeps the work small: a state has about 3.5 legal moves,
//! but there are only about 0.3 different afterstates for each state, and each is spawned into once
//! for a 2 and once for a 4.
//!
//! A layer is held in one of two ways ([`Choice`]), and either goes on where the other stopped:
//!
//! - *bits* (`bits`): a bit for every board of the sum, for 4x4, where they fit in memory;
//! - *lists* (`lists`, `layer`): sorted lists of states, for any board, in external memory. The rest
//!   of this page is about these.
//!
//! Candidates for a layer are produced with repeats, which are found only when a whole layer has
//! been produced and is sorted: *delayed duplicate detection* (Korf 2004, 2008). As no state
//! belongs to two layers, a layer is never compared with older ones. The sort is a parallel *sample
//! sort*: splitters from a sample cut the candidates into ranges that are sorted on their own, in a
//! core's cache, and laid end to end. (On clusters and disks: Kunkle and Cooperman 2009.)
//!
//! Within a layer the parts go in order of largest tile; in a small layer, all at once (`layer`).
//! This is the way of a part, with the names that the code has:
//!
//! ```text
//!   Frontier: afterstates of sums s-2 and s-4, in blocks on disk, or lists in memory
//!      |
//!      | lists::expand   spawn, canonical form, key                              all threads
//!      v
//!   Candidates           Buckets by range of keys, for each thread
//!      |
//!      | SortTask, lists::reduce   sort, drop repeats: a Source of states        pipeline, batch n
//!      v
//!   ExpandStates::retain_listed    counts dead and labeled, keeps the live
//!      |
//!      +--> Encoder      Blocks                                                  pipeline, batch n-1
//!      |       +-------> Writer: sum-S-max-M.states                              pipeline, batch n-2
//!      |
//!      +--> ExpandStates::visit    moves them into a MoveSink                    pipeline, batch n-1
//!              |                   (filter, canonical form, key)
//!              v
//!           Candidates   of afterstates: with this largest tile, and with the next
//!              |
//!              | built in the same way, with CountAfterstates as Visit
//!              v
//!           Writer: sum-S-max-M.afterstates, the frontier of s+2 and s+4; or a list
//! ```
//!
//! One state's way, on 2x2. The start `. . / 2 2`, 0x0011, is canonical and has sum 4: layer 4 gets
//! it from `Frontier::starts`, and `Candidates::add` puts its key into a bucket. The part of sum 4
//! and largest tile 2 is built: a `SortTask` sorts the bucket, `reduce` gives 0x0011 and the other
//! start, 0x0110, `ExpandStates::retain_listed` finds both live, and they are encoded into
//! `sum-00004-max-00002.states`. `ExpandStates::visit` moves them. Up, 0x0011 becomes 0x1100, an
//! image of 0x0011 itself, which `MoveSink` collects for the part's own afterstates; left and
//! right, its tiles merge, and 0x0002 goes to those of the next largest tile. Both are built into
//! lists of afterstates, as the layer is small, and for layer 6 `expand` spawns a 2 into each empty
//! cell of them.
//!
//! Reading order: this file (the loop over layers), `choice` (which engine), `layer` and `group` (a
//! layer as lists), `frontier`, `lists` (candidates), `parts`, `pipeline` with `batches` and
//! `buffers` (parts from any source, for solving, too), `visit` (what is done with the boards);
//! `bits`; `packed` and `chunk` (sorted runs in memory, or on disk), `workers` and `plan` serve them
//! all.
//!
//! Memory is bounded by [`Plan`]. Nothing that is written depends on it, on the number of threads,
//! or on where a count was stopped.
//!
//! - R. E. Korf, *Best-First Frontier Search with Delayed Duplicate Detection*, AAAI 2004.
//! - R. E. Korf, *Linear-Time Disk-Based Implicit Graph Search*, Journal of the ACM 55(6), 2008.
//! - D. Kunkle and G. Cooperman, *Harnessing Parallel Disks to Solve Rubik's Cube*, Journal of
//!   Symbolic Computation 44(7), 2009.

mod batches;
pub(crate) mod bits;
mod buffers;
mod choice;
mod chunk;
mod frontier;
mod group;
mod layer;
pub(crate) mod lists;
mod packed;
mod parts;
mod pipeline;
mod plan;
#[cfg(test)]
mod tests;
mod visit;
mod workers;

use crate::counts::Columns;
use crate::error::Result;
use crate::laws::Laws;
pub use crate::progress::{Cuts, FinishedLayer, Progress, Silent, Stop};
use crate::store::{Layer, Run, Store};

use bits::Bits;
#[cfg(feature = "cli")]
pub(crate) use bits::FRONTIER_AFTER;
use choice::Stage;
pub use choice::{Choice, last_sum};
pub(crate) use frontier::Frontier;
use layer::Layers;
pub(crate) use lists::merge::union_all;
pub(crate) use lists::{Candidates, KeySource, Lists, MoveSink, codec};
pub(crate) use packed::Bounds;
pub(crate) use parts::{Files, PartOrder, Parts};
pub(crate) use pipeline::{PartBuild, Pipeline, Source};
pub use plan::{Engine, LEVEL, Plan};
pub(crate) use visit::{AsKeys, CountAfterstates, ExpandStates, OnlyList, Visit};
pub use workers::pool;
pub(crate) use workers::{Done, Worker, Workers};

/// Count a game in its store: from the last sealed layer on, to the last layer of the game or to
/// the one of sum `until`. Before that, every block that is in the directory is checked, so that no
/// count is built on damaged files or ends beside them. What is sealed is durable when this
/// returns, also if it returns an error.
///
/// # Errors
///
/// Whatever the system refuses; the directory then holds all sealed layers, and the same call goes
/// on from there. [`Error::Engine`](crate::Error::Engine) if the plan names an engine that cannot
/// count the game. [`Error::Law`](crate::Error::Law) if the counts of a layer cannot be right; it
/// is not sealed then.
pub fn count(
    store: &mut Store,
    plan: &Plan,
    until: Option<u32>,
    progress: &mut dyn Progress,
) -> Result<()> {
    count_while(store, plan, until, progress, |_| true)
}

/// The same as long as the next layer is to be counted: `go_on` is asked when others are sealed.
pub(crate) fn count_while(
    store: &mut Store,
    plan: &Plan,
    until: Option<u32>,
    progress: &mut dyn Progress,
    go_on: impl Fn(&Run) -> bool + Sync,
) -> Result<()> {
    let choice = Choice::new(store.run(), plan, until)?;
    let laws = Laws::new(store.run().game(), choice.last());
    let workers = Workers::start(plan)?;
    // The thread that counts is one of those that it shares the work with: it waits for them where
    // they wait, which costs small layers less.
    workers.install(|| {
        store.check_blocks()?;
        for stage in choice.stages() {
            let counted = stage.count(store, &workers, &laws, progress, &go_on);
            if let Err(error) = counted {
                // The error that ended the count is the one to report.
                let _ = store.abandon();
                return Err(error);
            }
        }
        store.close()
    })
}

/// Counts layers, as lists or as bits.
pub(crate) trait Counter {
    /// Count the layers after the last sealed one, at least one, none after that of sum `last`, and
    /// write their files. With the last of them there is a frontier to go on from.
    fn next(
        &mut self,
        last: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<Vec<Layer>>;
}

impl Stage {
    /// Count its layers, as far as the game goes.
    fn count(
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
        let mut counter: Box<dyn Counter> = match self.engine {
            Engine::Lists => Box::new(Layers::new(store, &self.plan, workers)?),
            Engine::Bits => Box::new(Bits::new(store, &self.plan, self.last, workers)?),
        };
        while !ended(store) && !progress.stop() {
            let mut layers = counter.next(self.last, store, progress)?;
            obey(laws, store, &mut layers)?;
            store.seal(&layers)?;
        }
        Ok(())
    }
}

/// See that the counts of new layers obey the laws, given those that are sealed. Leaves out rows
/// without any count.
pub(crate) fn obey(laws: &Laws, store: &Store, layers: &mut [Layer]) -> Result<()> {
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

//! From candidates to a sorted part.
//!
//! The ranges are taken in waves, as many at a time as memory allows. In a wave, each range is sorted
//! and freed of duplicates on its own, in parallel; laid end to end, the ranges are the next stretch
//! of the part. That stretch is cut into blocks of a fixed number of states, wherever the ranges ended,
//! and the blocks are encoded in parallel; so the file does not depend on how the part was cut.
//!
//! Three waves are under way at once: while one is sorted, the one before it is encoded and expanded,
//! and the blocks of the one before that are written. No thread waits but at the end of a wave, and
//! there the tasks are small.

use std::mem;
use std::ops::AddAssign;
use std::sync::Mutex;

use super::candidates::Candidates;
use super::crew::{Crew, Worker};
use super::lot::Lot;
use super::plan::Plan;
use super::sketch::Sketch;
use super::stretch::Stretch;
use super::turns::Turns;
use super::unit::{Unit, units, waves};
use crate::error::Result;
use crate::game::rank::Ranking;
use crate::run::Block;
use crate::store::Writer;

/// States that are handed out for expansion at once.
pub(super) const SLICE: usize = 1 << 12;

/// What the candidates of a part came down to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reduced {
    /// Candidates, repeats included.
    pub(crate) candidates: u64,
    /// Repeats.
    pub(crate) duplicates: u64,
    /// Different states or afterstates.
    pub(crate) unique: u64,
    /// States without a legal move.
    pub(crate) dead: u64,
    /// Boards that the states stand for.
    pub(crate) labeled: u64,
    /// Empty cells of the afterstates.
    pub(crate) empty_cells: u64,
    /// Bytes that went through temporary files.
    pub(crate) spilled: u64,
}

impl AddAssign for Reduced {
    fn add_assign(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.duplicates += other.duplicates;
        self.unique += other.unique;
        self.dead += other.dead;
        self.labeled += other.labeled;
        self.empty_cells += other.empty_cells;
        self.spilled += other.spilled;
    }
}

/// What is done with the sorted states of a part, besides writing them.
pub(crate) trait Stage: Sync {
    /// See a sorted piece, once: add what it holds to `tally`, and thin it out.
    fn inspect(&self, states: &mut Vec<u64>, tally: &mut Reduced);

    /// See what remains, in slices, while it is in the cache.
    fn expand(&self, worker: &mut Worker, states: &[u64]) -> Result<()>;
}

/// Buffers that live as long as the sweep.
#[derive(Default)]
pub(crate) struct Reducer {
    /// The sorted states of each unit of a wave.
    sorted: Turns<Vec<u64>>,
    /// The states that did not fill a block yet, and those before them.
    rest: [Vec<u64>; 2],
    /// The blocks of the wave before.
    encoded: Turns<Block>,
}

impl Reducer {
    /// Reduce `candidates` into `writer`. After each wave, `report` is told how many states were found
    /// and how many of the inspected were dead.
    pub(crate) fn reduce(
        &mut self,
        mut candidates: Candidates,
        crew: &mut Crew,
        plan: &Plan,
        writer: &mut Writer,
        stage: &impl Stage,
        mut report: impl FnMut(u64, u64),
    ) -> Result<(Reduced, Sketch)> {
        let ranking = candidates.ranking.clone();
        let units = units(&candidates.lots(), plan.unit)?;
        let waves = waves(&units, plan.wave);
        let mut sketch = Sketch::expecting(units.iter().map(|unit| unit.size as u64).sum());
        let mut tally = Reduced::default();
        for lot in candidates.lots() {
            tally.candidates += lot.made();
            tally.duplicates += lot.dropped();
            tally.spilled += lot.spilled();
        }
        self.rest[0].clear();
        // The last wave takes two more steps: to be encoded, and to be written.
        for step in 0..waves.len() + 2 {
            let wave = waves.get(step).copied().unwrap_or_default();
            let last = step >= waves.len();
            let lots = &candidates.lots();
            let found = self.advance(wave, lots, &ranking, last, crew, writer, stage)?;
            tally += found;
            let mut live = 0;
            for states in self.sorted.made() {
                sketch.add(states);
                live += states.len() as u64;
            }
            report(live, found.dead);
            self.sorted.shrink_to(2 * plan.wave / wave.len().max(1));
            for (worker, lot) in crew.workers().zip(&mut candidates.lots()) {
                for unit in wave.iter().filter(|unit| unit.ends_range()) {
                    lot.release(unit.range, &mut worker.supplies);
                }
            }
        }
        candidates.retire(crew);
        Ok((tally, sketch))
    }

    /// Sort `wave`, encode and expand what is sorted, write what is encoded: full blocks, and with the
    /// last states of the part the last one too.
    #[expect(clippy::too_many_arguments, reason = "three stages have their needs")]
    fn advance(
        &mut self,
        wave: &[Unit],
        lots: &[&mut Lot],
        ranking: &Ranking,
        last: bool,
        crew: &Crew,
        writer: &mut Writer,
        stage: &impl Stage,
    ) -> Result<Reduced> {
        self.sorted.begin(wave.len());
        let [rest, next_rest] = &mut self.rest;
        let pieces = [&rest[..]].into_iter();
        let stretch = Stretch::new(pieces.chain(self.sorted.made().iter().map(Vec::as_slice)));
        let full = writer.block();
        let blocks = if last {
            stretch.len().div_ceil(full)
        } else {
            stretch.len() / full
        };
        let end = stretch.len().min(blocks * full);
        let slices = end.div_ceil(SLICE);
        self.encoded.begin(blocks);
        let writes = usize::from(!self.encoded.made().is_empty());
        let writer = Mutex::new(writer);
        let total = Mutex::new(Reduced::default());

        // The large tasks first, then the small ones, so that all threads end together.
        crew.each(writes + blocks + wave.len() + slices, |worker, task| {
            let Some(task) = task.checked_sub(writes) else {
                let mut writer = writer.lock().expect("no thread panics");
                let mut encoded = self.encoded.made().iter();
                return encoded.try_for_each(|block| writer.append(block));
            };
            let mut copy = mem::take(&mut worker.boards);
            if task < blocks {
                let states = stretch.slice(task * full, end.min((task + 1) * full), &mut copy);
                let block = &mut self.encoded.place(task);
                worker.encoder.encode(states, block)?;
            } else if let Some(unit) = wave.get(task - blocks) {
                let states = &mut self.sorted.place(task - blocks);
                let duplicates = unit.collect(lots, ranking, worker, states)?;
                let unique = states.len() as u64;
                let mut found = Reduced {
                    duplicates,
                    unique,
                    ..Reduced::default()
                };
                stage.inspect(states, &mut found);
                *total.lock().expect("no thread panics") += found;
            } else {
                let from = (task - blocks - wave.len()) * SLICE;
                let states = stretch.slice(from, end.min(from + SLICE), &mut copy);
                stage.expand(worker, states)?;
            }
            worker.boards = copy;
            Ok(())
        })?;

        next_rest.clear();
        stretch.copy(end, stretch.len(), next_rest);
        self.rest.swap(0, 1);
        self.sorted.turn(wave.len());
        self.encoded.turn(blocks);
        Ok(total.into_inner().expect("no thread panics"))
    }
}

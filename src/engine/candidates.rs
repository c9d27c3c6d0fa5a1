//! The candidates of one part, by rank: what the map makes and the reduce takes.

use std::sync::{Mutex, MutexGuard};

use super::crew::{Crew, Worker};
use super::lot::Lot;
use super::ranges::Ranges;
use super::supplies::Supplies;
use crate::error::Result;
use crate::game::rank::Ranking;
use crate::store::Store;

/// States or afterstates of one part, unsorted and with repeats, cut by range; each thread fills a
/// lot of its own.
pub(crate) struct Candidates {
    pub(crate) ranking: Ranking,
    ranges: Ranges,
    lots: Vec<Mutex<Lot>>,
}

impl Candidates {
    /// No candidates yet; each thread is granted `granted` bytes for full chunks.
    pub(crate) fn new(
        ranking: Ranking,
        ranges: Ranges,
        granted: usize,
        crew: &mut Crew,
        store: &Store,
    ) -> Self {
        let lot =
            |worker: &mut Worker| Lot::new(&ranges, granted, store.spill(), &mut worker.supplies);
        let lots = crew
            .workers()
            .map(|worker| Mutex::new(lot(worker)))
            .collect();
        Self {
            ranking,
            ranges,
            lots,
        }
    }

    /// A thread's lot, for it to fill.
    pub(crate) fn filler(&self, index: usize) -> Filler<'_> {
        let lot = self.lots[index].lock().expect("no thread panics");
        Filler {
            ranges: &self.ranges,
            lot,
        }
    }

    /// The lots, once they are filled.
    pub(crate) fn lots(&mut self) -> Vec<&mut Lot> {
        self.lots
            .iter_mut()
            .map(|lot| lot.get_mut().expect("no thread panics"))
            .collect()
    }

    /// Give all memory back.
    pub(crate) fn retire(self, crew: &mut Crew) {
        for (lot, worker) in self.lots.into_iter().zip(crew.workers()) {
            lot.into_inner()
                .expect("no thread panics")
                .retire(&mut worker.supplies);
        }
    }
}

/// A lot being filled.
pub(crate) struct Filler<'a> {
    ranges: &'a Ranges,
    lot: MutexGuard<'a, Lot>,
}

impl Filler<'_> {
    /// Note how many candidates are made, apart from adding them: that they are as many at the end is a
    /// law.
    pub(crate) fn announce(&mut self, candidates: usize) {
        self.lot.announce(candidates as u64);
    }

    /// Add a candidate, by its rank.
    #[inline]
    pub(crate) fn push(&mut self, rank: u64, supplies: &mut Supplies) -> Result<()> {
        self.lot.push(self.ranges.of(rank), rank, supplies)
    }
}

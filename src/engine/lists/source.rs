//! The candidates of one part, as a source of its sorted states.
//!
//! Each range goes through a [`Bitmap`]. A range with too many candidates for one task is cut into
//! several, which decode different bits of it.

use std::ops::Range;
use std::sync::Arc;

use super::bitmap::Bitmap;
use super::buckets::Buckets;
use super::candidates::{CandidateScratch, Candidates};
use crate::engine::PerThread;
use crate::engine::job::Source;
use crate::engine::workers::Worker;
use crate::error::Result;
use crate::game::rank::Ranking;
use crate::game::{Board, PartKey, Tally};
use crate::part::Kind;

/// The source of a part's boards, range by range.
pub(crate) struct CandidateSource {
    kind: Kind,
    key: PartKey,
    ranking: Arc<Ranking>,
    bits: u32,
    /// The buckets of each thread.
    buckets: Vec<Buckets>,
    scratch: Arc<PerThread<CandidateScratch>>,
    tasks: Vec<RangeTask>,
}

/// A range of a part, or some offsets of it.
struct RangeTask {
    range: usize,
    offsets: Range<usize>,
    /// Number of candidates, repeats included: an estimate, if the range has several tasks.
    candidates: usize,
}

impl Candidates {
    /// Turn the collected candidates into a source of boards.
    pub(crate) fn into_source(self) -> CandidateSource {
        let buckets = self.buckets.into_values();
        let length = 1 << self.bits;
        let mut tasks = Vec::new();
        for (range, candidates) in candidates(&buckets).enumerate() {
            // A task has a power of two of offsets, and at most `most` or all.
            let offsets = match candidates <= self.most {
                true => length,
                false => (1 << self.most.ilog2()).clamp(64, length),
            };
            if candidates > 0 {
                tasks.extend((0..length / offsets).map(|number| RangeTask {
                    range,
                    offsets: number * offsets..(number + 1) * offsets,
                    candidates: candidates / (length / offsets),
                }));
            }
        }
        CandidateSource {
            kind: self.kind,
            key: self.key,
            ranking: self.ranking,
            bits: self.bits,
            buckets,
            scratch: self.scratch,
            tasks,
        }
    }
}

/// The number of candidates of each range.
fn candidates(buckets: &[Buckets]) -> impl Iterator<Item = usize> {
    let ranges = 0..buckets[0].ranges();
    ranges.map(|range| buckets.iter().map(|own| own.candidates(range)).sum())
}

impl CandidateSource {
    /// Return all chunks to the pools. Returns the number of candidates.
    pub(crate) fn retire(self) -> u64 {
        let candidates = self.tally().candidates;
        for (thread, buckets) in self.buckets.into_iter().enumerate() {
            buckets.retire(&mut self.scratch.lock(thread).pool);
        }
        candidates
    }

    /// Take the candidates of a range into the thread's bitmap. Returns the number of repeats.
    fn take(&self, range: usize, bitmap: &mut Bitmap) -> Result<u64> {
        let mut spilled = Vec::new();
        for own in &self.buckets {
            spilled.extend(own.spilled(range)?);
        }
        let unsorted = self.buckets.iter().flat_map(|own| own.unsorted(range));
        let slices: Vec<&[u32]> = unsorted.chain(spilled.iter().map(Vec::as_slice)).collect();
        Ok(bitmap.take(self.bits, &slices))
    }
}

impl Source for CandidateSource {
    fn tasks(&self) -> Vec<usize> {
        self.tasks.iter().map(|task| task.candidates).collect()
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for buckets in &self.buckets {
            tally.candidates += buckets.produced;
            tally.duplicates += buckets.repeats;
        }
        tally
    }

    fn spilled(&self) -> u64 {
        let spilled = self.buckets.iter().map(|buckets| buckets.spill.bytes());
        spilled.sum()
    }

    fn produce(&self, task: usize, worker: &mut Worker, boards: &mut Vec<Board>) -> Result<Tally> {
        let bitmap = &mut self.scratch.lock(worker.index).bitmap;
        let RangeTask { range, offsets, .. } = &self.tasks[task];
        let mut tally = Tally::default();
        let of = Some((self.kind, self.key, *range));
        // The first task of a range counts its repeats.
        if offsets.start == 0 || bitmap.of != of {
            let repeats = self.take(*range, bitmap)?;
            bitmap.of = of;
            if offsets.start == 0 {
                tally.duplicates = repeats;
            }
        }
        boards.clear();
        let first = (*range as u64) << self.bits;
        bitmap.ranks(offsets.clone(), first, boards);
        self.ranking.decode(boards);
        tally.unique = boards.len() as u64;
        Ok(tally)
    }

    fn release(&mut self, tasks: Range<usize>, _: &[Vec<Board>]) {
        for (thread, buckets) in self.buckets.iter_mut().enumerate() {
            let pool = &mut self.scratch.lock(thread).pool;
            for task in &self.tasks[tasks.clone()] {
                if task.offsets.end == 1 << self.bits {
                    buckets.release(task.range, pool);
                }
            }
        }
    }
}

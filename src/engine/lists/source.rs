//! The candidates of one part, as a source of its sorted states.
//!
//! Each range goes through a [`Bitmap`]. A range with too many candidates for one task is cut into
//! several, which decode different bits of it.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::bitmap::Bitmap;
use super::candidates::Candidates;
use crate::engine::job::Source;
use crate::engine::workers::Worker;
use crate::error::Result;
use crate::game::{Board, Tally};

/// The source of a part's boards, range by range.
pub(crate) struct CandidateSource {
    candidates: Candidates,
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
        let length = 1 << self.ranges.bits;
        let mut tasks = Vec::new();
        let buckets = self.buckets.read();
        for range in 0..self.ranges.number {
            let candidates: usize = buckets.iter().map(|own| own.candidates(range)).sum();
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
        drop(buckets);
        CandidateSource {
            candidates: self,
            tasks,
        }
    }

    /// Number of ranges.
    pub(crate) fn ranges(&self) -> usize {
        self.ranges.number
    }

    /// Number of candidates, and of repeats that are already dropped.
    pub(crate) fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for buckets in self.buckets.read() {
            tally.candidates += buckets.produced;
            tally.duplicates += buckets.repeats;
        }
        tally
    }

    /// Claim ranges from `next` on until they have `share` candidates, or no range is left. Ranges without
    /// candidates are left out.
    pub(crate) fn claim(&self, next: &AtomicUsize, share: usize) -> Vec<usize> {
        let (buckets, mut claimed, mut held) = (self.buckets.read(), Vec::new(), 0);
        while held < share {
            let range = next.fetch_add(1, Ordering::Relaxed);
            if range >= self.ranges.number {
                break;
            }
            let candidates: usize = buckets.iter().map(|own| own.candidates(range)).sum();
            if candidates > 0 {
                claimed.push(range);
                held += candidates;
            }
        }
        claimed
    }

    /// Bytes that went through temporary files, because they did not fit in memory.
    pub(crate) fn spilled(&self) -> u64 {
        let buckets = self.buckets.read();
        buckets.iter().map(|own| own.spill.bytes()).sum()
    }

    /// Put the boards of a range into `boards`. Counts the different boards and the repeats.
    pub(crate) fn list(
        &self,
        range: usize,
        worker: &mut Worker,
        boards: &mut Vec<Board>,
    ) -> Result<Tally> {
        self.list_some(range, 0..1 << self.ranges.bits, worker, boards)
    }

    /// Put the boards of some offsets of a range into `boards`.
    fn list_some(
        &self,
        range: usize,
        offsets: Range<usize>,
        worker: &mut Worker,
        boards: &mut Vec<Board>,
    ) -> Result<Tally> {
        let bitmap = &mut self.scratch.lock(worker.index).bitmap;
        let mut tally = Tally::default();
        let of = Some((self.kind, self.key, range));
        // The first task of a range counts its repeats.
        if offsets.start == 0 || bitmap.of != of {
            let repeats = self.take(range, bitmap)?;
            bitmap.of = of;
            if offsets.start == 0 {
                tally.duplicates = repeats;
            }
        }
        boards.clear();
        bitmap.ranks(offsets, (range as u64) << self.ranges.bits, boards);
        self.ranking.decode(boards);
        tally.unique = boards.len() as u64;
        Ok(tally)
    }

    /// Take the candidates of a range into the thread's bitmap. Returns the number of repeats.
    fn take(&self, range: usize, bitmap: &mut Bitmap) -> Result<u64> {
        let (buckets, mut spilled) = (self.buckets.read(), Vec::new());
        if self.ranges.dense {
            let words = buckets.iter().filter_map(|own| own.words(range));
            return Ok(bitmap.join(self.ranges.bits, words));
        }
        for own in &buckets {
            spilled.extend(own.spilled(range)?);
        }
        let unsorted = buckets.iter().flat_map(|own| own.unsorted(range));
        let slices: Vec<&[u32]> = unsorted.chain(spilled.iter().map(Vec::as_slice)).collect();
        Ok(bitmap.take(self.ranges.bits, &slices))
    }

    /// Return all chunks to the pools.
    pub(super) fn retire(self) {
        for (thread, buckets) in self.buckets.into_values().into_iter().enumerate() {
            buckets.retire(&mut self.scratch.lock(thread).pool);
        }
    }
}

impl CandidateSource {
    /// The candidates, once all their boards are built.
    pub(crate) fn into_candidates(self) -> Candidates {
        self.candidates
    }
}

impl Source for CandidateSource {
    fn tasks(&self) -> Vec<usize> {
        self.tasks.iter().map(|task| task.candidates).collect()
    }

    fn tally(&self) -> Tally {
        self.candidates.tally()
    }

    fn spilled(&self) -> u64 {
        self.candidates.spilled()
    }

    fn produce(&self, task: usize, worker: &mut Worker, boards: &mut Vec<Board>) -> Result<Tally> {
        let RangeTask { range, offsets, .. } = &self.tasks[task];
        self.candidates
            .list_some(*range, offsets.clone(), worker, boards)
    }

    fn release(&mut self, tasks: Range<usize>, _: &[Vec<Board>]) {
        let Candidates {
            ranges,
            buckets,
            scratch,
            ..
        } = &self.candidates;
        let threads = buckets.read().len();
        for thread in 0..threads {
            let (mut buckets, scratch) = (buckets.lock(thread), &mut scratch.lock(thread));
            for task in &self.tasks[tasks.clone()] {
                if task.offsets.end == 1 << ranges.bits {
                    buckets.release(task.range, &mut scratch.pool);
                }
            }
        }
    }
}

//! The candidates of one part, as a source of its sorted states.
//!
//! The source sorts range by range. A range that is too large to sort at once is split into several
//! sort tasks.

use std::ops::Range;
use std::sync::Arc;

use super::buckets::Buckets;
use super::candidates::{CandidateScratch, Candidates};
use super::sort::{KeySorter, reduce};
use super::splitters::Sample;
use crate::engine::PerThread;
use crate::engine::job::Source;
use crate::engine::workers::Worker;
use crate::error::Result;
use crate::game::key::KeyCodec;
use crate::game::{Board, Tally};
use crate::progress::Cuts;

/// The source of a part's boards or keys, range by range.
pub(crate) struct CandidateSource {
    /// The buckets of each thread.
    buckets: Vec<Buckets>,
    /// Decodes keys to boards; `None` if the source gives keys.
    codec: Option<KeyCodec>,
    scratch: Arc<PerThread<CandidateScratch>>,
    tasks: Vec<SortTask>,
    sample: Sample,
}

impl Candidates {
    /// Turn the collected candidates into a source of boards.
    pub(crate) fn into_source(self) -> Result<CandidateSource> {
        let buckets = self.buckets.into_values();
        let tasks = tasks(&buckets, self.sort)?;
        let candidates = tasks.iter().map(|task| task.candidates as u64).sum();
        Ok(CandidateSource {
            buckets,
            codec: Some(self.codec),
            scratch: self.scratch,
            tasks,
            sample: Sample::expecting(candidates),
        })
    }

    /// Turn the collected candidates into a source of keys, which take fewer bits than boards.
    pub(crate) fn into_key_source(self) -> Result<CandidateSource> {
        let source = self.into_source()?;
        Ok(CandidateSource {
            codec: None,
            ..source
        })
    }
}

impl CandidateSource {
    /// Return all chunks to the pools. Returns a sample of the produced boards.
    pub(crate) fn retire(self) -> Sample {
        for (thread, buckets) in self.buckets.into_iter().enumerate() {
            buckets.retire(&mut self.scratch.lock(thread).pool);
        }
        self.sample
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

    fn cuts(&self) -> Cuts {
        let ranges = self.buckets[0].limits.len() as u64;
        let whole = self.tasks.iter().filter(|task| task.is_whole()).count() as u64;
        let spilled = self.buckets.iter().map(|buckets| buckets.spill.bytes());
        Cuts {
            ranges,
            splits: ranges - whole,
            spilled: spilled.sum(),
        }
    }

    fn produce(&self, task: usize, worker: &mut Worker, boards: &mut Vec<Board>) -> Result<Tally> {
        let CandidateScratch { sorter, runs, .. } = &mut *self.scratch.lock(worker.index);
        let task = &self.tasks[task];
        let duplicates = task.sorted_runs(&self.buckets, sorter, runs)?;
        let mut tally = reduce(self.buckets[0].limits[task.range], runs, boards);
        tally.duplicates += duplicates;
        if let Some(codec) = &self.codec {
            codec.decode_all(boards);
        }
        Ok(tally)
    }

    fn release(&mut self, tasks: Range<usize>, boards: &[Vec<Board>]) {
        boards.iter().for_each(|boards| self.sample.add(boards));
        for (thread, buckets) in self.buckets.iter_mut().enumerate() {
            let pool = &mut self.scratch.lock(thread).pool;
            for task in &self.tasks[tasks.clone()] {
                if task.bounds.end == ALL.end {
                    buckets.release(task.range, pool);
                }
            }
        }
    }
}

/// All keys: no key is as great as `u64::MAX`.
const ALL: Range<u64> = 0..u64::MAX;

/// A range of a part, or a smaller range within a range that is too large to sort at once.
#[derive(Clone)]
struct SortTask {
    range: usize,
    bounds: Range<u64>,
    /// Number of candidates, repeats included. It is an estimate if the range is split.
    candidates: usize,
}

impl SortTask {
    /// Whether it is a whole range.
    fn is_whole(&self) -> bool {
        self.bounds == ALL
    }

    /// Put the sorted runs of the task into `runs`. The first run, in a reused buffer, has the
    /// unpacked candidates of all threads; the others are packed runs. Returns the number of
    /// repeats dropped.
    fn sorted_runs(
        &self,
        buckets: &[Buckets],
        sorter: &mut KeySorter,
        runs: &mut Vec<Vec<u64>>,
    ) -> Result<u64> {
        let (range, bounds) = (self.range, &self.bounds);
        let limits = buckets[0].limits[range];
        let slices: Vec<&[u32]> = buckets.iter().flat_map(|own| own.unsorted(range)).collect();
        let mut keys = runs.pop().unwrap_or_default();
        runs.clear();
        keys.clear();
        let candidates = if self.is_whole() {
            sorter.sort(limits, &slices, &mut keys)
        } else {
            let all = slices.iter().flat_map(|slice| limits.keys(slice));
            let within: Vec<u64> = all.filter(|&key| bounds.contains(&key)).collect();
            sorter.sort_keys(&within, &mut keys)
        };
        let repeats = candidates - keys.len();
        runs.push(keys);
        let mut bytes = Vec::new();
        for own in buckets {
            for packed in &own.runs {
                let mut run = Vec::new();
                packed.read(range, &own.spill, &mut bytes, &mut run)?;
                if !self.is_whole() {
                    run.retain(|&key| bounds.contains(&key));
                    run.shrink_to_fit();
                }
                runs.push(run);
            }
        }
        Ok(repeats as u64)
    }
}

/// The tasks of a part: its ranges in order, split if they have more than `most` candidates.
fn tasks(buckets: &[Buckets], most: usize) -> Result<Vec<SortTask>> {
    let mut tasks = Vec::new();
    for range in 0..buckets[0].limits.len() {
        let whole = SortTask {
            range,
            bounds: ALL,
            candidates: buckets.iter().map(|own| own.candidates(range)).sum(),
        };
        if whole.candidates <= most {
            tasks.push(whole);
        } else {
            split(buckets, &whole, most, &mut tasks)?;
        }
    }
    Ok(tasks)
}

/// Split a range that is too large to sort at once, evenly by a sample of its candidates. Each task
/// then reads the whole range and keeps the keys within its bounds. This is slow, but it happens
/// only to a part that has many times the size of the part in the layer before.
fn split(
    buckets: &[Buckets],
    whole: &SortTask,
    most: usize,
    tasks: &mut Vec<SortTask>,
) -> Result<()> {
    let (range, candidates, stride) = (whole.range, whole.candidates, most / 64);
    let mut sample = Vec::with_capacity(candidates / stride);
    let (mut keys, mut bytes) = (Vec::new(), Vec::new());
    for own in buckets {
        let limits = own.limits[range];
        let unsorted = own.unsorted(range).flat_map(|slice| limits.keys(slice));
        sample.extend(unsorted.step_by(stride));
        for packed in &own.runs {
            keys.clear();
            packed.read(range, &own.spill, &mut bytes, &mut keys)?;
            sample.extend(keys.iter().step_by(stride));
        }
    }
    sample.sort_unstable();
    let slices = candidates.div_ceil(most / 2);
    let mut low = 0;
    for slice in 1..=slices {
        let high = sample.get(sample.len() * slice / slices);
        let high = *high.unwrap_or(&ALL.end);
        if high > low {
            tasks.push(SortTask {
                range,
                bounds: low..high,
                candidates: candidates / slices,
            });
            low = high;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::splitters::Splitters;
    use super::*;
    use crate::engine::packed::ChunkPool;
    use crate::engine::plan::Plan;
    use crate::store::Spill;

    #[test]
    fn tasks_cover_every_candidate_once_whether_ranges_are_split_or_not() {
        let place = tempfile::tempdir().unwrap();
        let mix = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
        let keys: Vec<u64> = (0..30_000).map(|i| mix(i % 20_000)).collect();
        let expected: BTreeSet<u64> = keys.iter().copied().collect();
        // The splitters are uneven: the last of the three ranges has nearly all keys.
        let splitters = Splitters::new(&[0, 1000, 2000], 3, 20);
        for (chunks, most) in [(1000, 100_000), (1000, 3000), (8, 3000)] {
            let (mut pool, mut sorter) = (ChunkPool::new(chunks), KeySorter::default());
            let plan = Plan::tiny(1);
            let buckets = |_| Buckets::new(&splitters, &plan, Spill::new(place.path()), &mut pool);
            let mut buckets: Vec<Buckets> = (0..2).map(buckets).collect();
            for (at, &key) in keys.iter().enumerate() {
                let range = splitters.range(key);
                buckets[at % 2]
                    .push(range, key, &mut pool, &mut sorter)
                    .unwrap();
            }
            let tasks = tasks(&buckets, most).unwrap();
            assert_eq!(tasks.len() > splitters.ranges(), most < 30_000);
            assert_eq!(
                tasks
                    .iter()
                    .filter(|task| task.bounds.end == ALL.end)
                    .count(),
                splitters.ranges()
            );

            let (mut found, mut runs, mut count) = (Vec::new(), Vec::new(), 0);
            for task in &tasks {
                let repeats = task.sorted_runs(&buckets, &mut sorter, &mut runs).unwrap();
                assert!(runs.iter().all(|run| run.is_sorted_by(|a, b| a < b)));
                let sorted = repeats as usize + runs.iter().map(Vec::len).sum::<usize>();
                assert!(sorted <= most);
                count += sorted;
                let keys: BTreeSet<u64> = runs.iter().flatten().copied().collect();
                assert!(
                    keys.first() > found.last(),
                    "tasks are in order of their keys"
                );
                found.extend(keys);
            }
            assert!(found.iter().eq(&expected));
            let packed: u64 = buckets.iter().map(|buckets| buckets.repeats).sum();
            assert_eq!(count + packed as usize, keys.len());
        }
    }

    #[test]
    fn no_key_is_as_great_as_the_end_of_all_keys() {
        let codec = KeyCodec::new(65534, crate::game::Exp::LAST);
        assert!(codec.bits(16) < 64);
        assert_eq!(ALL.end, u64::MAX);
    }
}

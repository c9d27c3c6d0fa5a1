//! Sort tasks: the ranges of a part that are sorted at once.

use super::buckets::Buckets;
use super::sort::KeySorter;
use crate::engine::packed::Bounds;
use crate::error::Result;

/// A range of a part, or a smaller range within one that is too large to sort at once.
#[derive(Clone, Copy)]
pub(super) struct SortTask {
    pub(super) range: usize,
    bounds: Bounds,
    /// Candidates, repeats included; an estimate if the range is split.
    pub(super) candidates: usize,
}

impl SortTask {
    fn whole(range: usize, candidates: usize) -> Self {
        Self {
            range,
            bounds: Bounds::ALL,
            candidates,
        }
    }

    /// Whether it is a whole range.
    pub(super) fn is_whole(&self) -> bool {
        self.bounds == Bounds::ALL
    }

    /// Whether it is the last task of its range.
    pub(super) fn ends_range(&self) -> bool {
        self.bounds.is_last()
    }

    /// Put the sorted runs of the task into `runs`, whose buffers are reused. The first run has the
    /// unsorted candidates of all threads; the others are packed runs. Returns the number of
    /// repeats dropped.
    pub(super) fn sorted_runs(
        self,
        buckets: &[Buckets],
        sorter: &mut KeySorter,
        runs: &mut Vec<Vec<u64>>,
    ) -> Result<u64> {
        let Self { range, bounds, .. } = self;
        let span = buckets[0].span(range);
        let pieces: Vec<&[u32]> = buckets.iter().flat_map(|own| own.unsorted(range)).collect();
        let mut keys = runs.pop().unwrap_or_default();
        runs.clear();
        keys.clear();
        let candidates = if self.is_whole() {
            sorter.sort(span, &pieces, &mut keys)
        } else {
            let all = pieces.iter().flat_map(|piece| span.keys(piece));
            let within: Vec<u64> = all.filter(|&key| bounds.contain(key)).collect();
            sorter.sort_keys(&within, &mut keys)
        };
        let repeats = candidates - keys.len();
        runs.push(keys);
        let mut bytes = Vec::new();
        for own in buckets {
            for packed in &own.runs {
                let mut run = Vec::new();
                packed.read(range, bounds, &own.spill, &mut bytes, &mut run)?;
                runs.push(run);
            }
        }
        Ok(repeats as u64)
    }
}

/// The tasks of a part: its ranges in order, split if they have more than `most` candidates.
pub(super) fn tasks(buckets: &[Buckets], most: usize) -> Result<Vec<SortTask>> {
    let mut tasks = Vec::new();
    for range in 0..buckets[0].ranges() {
        let candidates = buckets.iter().map(|own| own.candidates(range)).sum();
        if candidates <= most {
            tasks.push(SortTask::whole(range, candidates));
        } else {
            split(buckets, range, candidates, most, &mut tasks)?;
        }
    }
    Ok(tasks)
}

/// Split a range that is too large to sort at once, evenly by a sample of its candidates. Each task
/// then reads the whole range and keeps the keys within its bounds. This is slow, but rare: the
/// part must have grown to many times its size in the layer before.
fn split(
    buckets: &[Buckets],
    range: usize,
    candidates: usize,
    most: usize,
    tasks: &mut Vec<SortTask>,
) -> Result<()> {
    let stride = most / 64;
    let mut sample = Vec::with_capacity(candidates / stride);
    let mut bytes = Vec::new();
    for own in buckets {
        let unsorted = own
            .unsorted(range)
            .flat_map(|piece| own.span(range).keys(piece));
        sample.extend(unsorted.step_by(stride));
        for packed in &own.runs {
            packed.sample(range, stride, &own.spill, &mut bytes, &mut sample)?;
        }
    }
    sample.sort_unstable();
    let pieces = candidates.div_ceil(most / 2);
    let mut low = 0;
    for piece in 1..=pieces {
        let high = if piece == pieces {
            u64::MAX
        } else {
            sample[sample.len() * piece / pieces]
        };
        if high > low {
            tasks.push(SortTask {
                range,
                bounds: Bounds { low, high },
                candidates: candidates / pieces,
            });
            low = high;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::splitters::Splitters;
    use super::*;
    use crate::engine::chunk::ChunkPool;
    use crate::engine::plan::Plan;
    use crate::store::Spill;
    use std::collections::BTreeSet;

    #[test]
    fn tasks_cover_every_candidate_once_whether_ranges_are_split_or_not() {
        let place = tempfile::tempdir().unwrap();
        let mix = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
        let keys: Vec<u64> = (0..30_000).map(|i| mix(i % 20_000)).collect();
        let expected: BTreeSet<u64> = keys.iter().copied().collect();
        // A skewed cut: the last of the three ranges has nearly all keys.
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
            assert!(tasks.iter().all(|task| task.candidates <= most));
            assert_eq!(
                tasks.iter().filter(|task| task.ends_range()).count(),
                splitters.ranges()
            );

            let (mut found, mut runs, mut count) = (Vec::new(), Vec::new(), 0);
            for task in &tasks {
                let repeats = task.sorted_runs(&buckets, &mut sorter, &mut runs).unwrap();
                assert!(runs.iter().all(|run| run.is_sorted_by(|a, b| a < b)));
                count += repeats as usize + runs.iter().map(Vec::len).sum::<usize>();
                let keys: BTreeSet<u64> = runs.iter().flatten().copied().collect();
                assert!(
                    keys.first() > found.last(),
                    "tasks are in order of their keys"
                );
                found.extend(keys);
            }
            assert!(found.iter().eq(&expected));
            let packed: u64 = buckets.iter().map(Buckets::repeats).sum();
            assert_eq!(count + packed as usize, keys.len());
        }
    }
}

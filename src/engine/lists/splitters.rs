//! Splitters cut a part by key into ranges. A task sorts each range alone.
//!
//! Key idea: the distribution of a part hardly changes from layer to layer. So quantiles of a
//! sample of the part in the layer before cut it evenly (sample sort; Frazer and `McKellar`, 1970).
//! Splitters change only the division of the work, not its result.

use crate::engine::packed::CHUNK_BYTES;
use crate::engine::plan::{PARTS, Plan};
use crate::game::Board;
use crate::part::Part;

/// Most values of a sample: 16 for each of 8,192 ranges.
const SAMPLE: usize = 1 << 17;

/// Candidates of a range. With its scratch space a range fits a core's cache.
const RANGE: usize = 1 << 16;

/// Candidates of a range of a small part. Smaller ranges give all threads work.
const SMALL_RANGE: usize = 1 << 12;

/// An even sample of a part's boards, in order, and the number of candidates of the part.
pub(crate) struct Sample {
    pub(super) values: Vec<Board>,
    pub(super) candidates: u64,
    /// Boards to skip before the next board of the sample.
    skip: usize,
}

impl Sample {
    /// An empty sample of a part of `candidates` candidates. [`Sample::add`] fills it.
    pub(super) fn expecting(candidates: u64) -> Self {
        Self {
            values: Vec::new(),
            candidates,
            skip: 0,
        }
    }

    /// Sample the next boards of the part. The sample stays even across calls.
    pub(super) fn add(&mut self, boards: &[Board]) {
        let stride = (self.candidates as usize / SAMPLE).max(64);
        let taken = boards.iter().skip(self.skip).step_by(stride);
        self.values.extend(taken.clone());
        self.skip = self.skip + taken.len() * stride - boards.len();
    }

    /// A sample of a part on disk: the first board of each block.
    pub(super) fn of(part: &Part) -> Self {
        Self {
            values: part.firsts().collect(),
            candidates: part.states() * 2,
            skip: 0,
        }
    }
}

/// The number of ranges into which to cut a part of about `candidates` candidates.
pub(super) fn ranges(candidates: u64, plan: &Plan) -> usize {
    let candidates = candidates as usize;
    let for_cache = candidates / RANGE.min(plan.sort / 2);
    let for_threads = (candidates / SMALL_RANGE).min(8 * plan.threads());
    // Each range has a partly filled chunk in the buckets of each part. These chunks may take a
    // quarter of the memory.
    let most = plan.chunks / CHUNK_BYTES / (4 * PARTS);
    for_cache.max(for_threads).clamp(1, most.clamp(1, 8192))
}

/// Cuts all keys into consecutive ranges.
pub(super) struct Splitters {
    /// The first key of every range except the first, increasing.
    splitters: Vec<u64>,
    bits: u32,
    shift: u32,
    /// For each value of a key's leading bits, the number of splitters below all keys with this
    /// value.
    table: Vec<u16>,
}

impl Splitters {
    /// Cut keys of `bits` bits into about `ranges` ranges that hold equal numbers of `sample`,
    /// which is sorted. Without a sample, or for one range, all keys are one range.
    pub(super) fn new(sample: &[u64], ranges: usize, bits: u32) -> Self {
        let mut splitters: Vec<u64> = Vec::new();
        if !sample.is_empty() {
            splitters.extend((1..ranges).map(|range| sample[sample.len() * range / ranges]));
            splitters.retain(|&splitter| splitter > 0);
            splitters.dedup();
        }
        let leading = match splitters.len() {
            0 => 1,
            1..64 => bits.min(12),
            _ => bits.min(20),
        };
        let shift = bits - leading;
        let mut table = Vec::with_capacity((1 << leading) + 1);
        for prefix in 0..=1 << leading {
            let mut before = table.last().map_or(0, |&before| usize::from(before));
            while splitters
                .get(before)
                .is_some_and(|splitter| (splitter >> shift) < prefix)
            {
                before += 1;
            }
            table.push(before as u16);
        }
        Self {
            splitters,
            bits,
            shift,
            table,
        }
    }

    /// The range of a key: one look-up in a table that fits a core's cache. A binary search follows
    /// only where splitters lie among the keys with equal leading bits.
    #[inline(always)]
    pub(super) fn range(&self, key: u64) -> usize {
        let prefix = (key >> self.shift) as usize;
        let (from, to) = (
            usize::from(self.table[prefix]),
            usize::from(self.table[prefix + 1]),
        );
        if from == to {
            from
        } else {
            from + self.splitters[from..to].partition_point(|&splitter| splitter <= key)
        }
    }

    /// The keys that a range can hold.
    pub(super) fn limits(&self, range: usize) -> KeyLimits {
        let end = u64::MAX >> (64 - self.bits);
        let last = self.splitters.get(range).map_or(end, |next| next - 1);
        let first = range.checked_sub(1).map_or(0, |at| self.splitters[at]);
        KeyLimits { first, last }
    }

    /// Number of ranges.
    pub(super) fn ranges(&self) -> usize {
        self.splitters.len() + 1
    }
}

/// The first and the last key that a range can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyLimits {
    pub(super) first: u64,
    pub(super) last: u64,
}

impl KeyLimits {
    /// Whether a key's offset from the first key takes two words, the low word first.
    pub(super) fn wide(self) -> bool {
        self.last - self.first > u64::from(u32::MAX)
    }

    /// Number of words of an offset.
    pub(super) fn words(self) -> usize {
        if self.wide() { 2 } else { 1 }
    }

    /// Decode a slice of a bucket.
    pub(super) fn keys(self, slice: &[u32]) -> impl Iterator<Item = u64> {
        slice.chunks_exact(self.words()).map(move |words| {
            let high = words.get(1).copied().unwrap_or(0);
            self.first + (u64::from(high) << 32 | u64::from(words[0]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_keep_the_order_of_keys_and_hold_about_equal_numbers() {
        let sample: Vec<u64> = (0..10_000u64).map(|i| i * i * 600).collect();
        for slices in [1, 2, 16, 100, 1000] {
            let splitters = Splitters::new(&sample, slices, 36);
            assert!(
                sample
                    .windows(2)
                    .all(|pair| splitters.range(pair[0]) <= splitters.range(pair[1]))
            );
            let mut sizes = vec![0; splitters.ranges()];
            sample
                .iter()
                .for_each(|&key| sizes[splitters.range(key)] += 1);
            assert!(
                sizes.len() <= slices && sizes.len() * 2 >= slices.min(100),
                "{}",
                sizes.len()
            );
            assert!(
                *sizes.iter().max().unwrap() <= 10_000usize.div_ceil(slices),
                "{sizes:?}"
            );
            assert_eq!(splitters.range(0), 0);
            assert_eq!(splitters.range((1 << 36) - 1), splitters.ranges() - 1);
            for range in 0..splitters.ranges() {
                let KeyLimits { first, last } = splitters.limits(range);
                assert_eq!([first, last].map(|key| splitters.range(key)), [range; 2]);
            }
            assert_eq!(splitters.limits(splitters.ranges() - 1).last, (1 << 36) - 1);
        }
    }

    #[test]
    fn without_a_sample_all_keys_are_one_range() {
        let splitters = Splitters::new(&[], 100, 64);
        assert_eq!(
            (
                splitters.ranges(),
                splitters.range(0),
                splitters.range(u64::MAX)
            ),
            (1, 0, 0)
        );
    }

    #[test]
    fn a_sample_does_not_depend_on_the_calls_that_fill_it() {
        let values: Vec<u64> = (0..10_000).collect();
        let expected: Vec<u64> = (0..10_000).step_by(64).collect();
        for slice in [1, 31, 63, 64, 65, 1000, 10_000] {
            let mut sample = Sample::expecting(20_000);
            values.chunks(slice).for_each(|slice| sample.add(slice));
            assert_eq!(sample.values, expected, "{slice} at a time");
        }
    }

    #[test]
    fn every_part_is_cut_into_a_possible_number_of_ranges() {
        for memory in [24u64 << 20, 64 << 20, 4 << 30, 1 << 40] {
            for threads in [1, 2, 7, 64] {
                if let Ok(plan) = Plan::new(memory, threads) {
                    assert_eq!(ranges(0, &plan), 1);
                    let most = ranges(u64::MAX >> 1, &plan);
                    assert!((16..=8192).contains(&most), "{most} under {plan:?}");
                }
            }
        }
    }
}

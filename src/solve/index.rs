//! Finds the place of a board in a layer by its rank.
//!
//! Key idea: a sparse bitmap of all ranks, in two levels. A group covers 4,096 ranks and has a bit
//! for each 64 of them. If this bit is set, a *record* has a bit for each of the 64 ranks. Groups
//! and records hold the number of set bits before them. So finding a place takes two look-ups and
//! two counts of bits, for a layer of any size.
//!
//! All threads build the index together, in two passes over the ranks: the first finds the records,
//! and the second fills them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytemuck::Zeroable;

use crate::error::Result;
use crate::pages::Pages;
use crate::wide::{prefetch, wide};

/// Log2 of the ranks of a record, and of the records of a group.
const BITS: u32 = 6;

/// The place of an absent rank, beyond all places.
const ABSENT: u32 = u32::MAX;

/// The most boards of a layer: each has a place below [`ABSENT`].
pub(crate) const MOST_BOARDS: u64 = ABSENT as u64;

/// Boards for each record of a layer, at least, in an estimate; and in an index that has all records.
pub(crate) const BOARDS_OF_RECORD: u64 = 2;

/// Bytes of a group, and of a record.
pub(crate) const BYTES: u64 = size_of::<CountedBits>() as u64;

/// Bits, and the number of set bits before them.
#[derive(Zeroable)]
struct CountedBits {
    bits: AtomicU64,
    before: u32,
}

/// The places of the boards of a layer.
#[derive(Default)]
pub struct Index {
    groups: Pages<CountedBits>,
    records: Pages<CountedBits>,
}

impl CountedBits {
    /// Set the bits of ranks. A rank consists of a key and the number of a bit. Neighbouring ranks
    /// often have equal keys, and `bits_of` is called once for them.
    fn set_runs<'a>(ranks: &[u64], mut bits_of: impl FnMut(u64) -> &'a Self, shift: u32) {
        let mut ranks = ranks.iter().peekable();
        while let Some(&rank) = ranks.next() {
            let key = rank >> (shift + BITS);
            let bit = |rank: u64| 1 << (rank >> shift & 63);
            let mut bits = bit(rank);
            while let Some(&rank) = ranks.next_if(|&&rank| rank >> (shift + BITS) == key) {
                bits |= bit(rank);
            }
            bits_of(key).bits.fetch_or(bits, Relaxed);
        }
    }

    /// Store the number of set bits before each item, and return their total.
    fn sum_up(all: &mut [Self]) -> u64 {
        let mut before = 0;
        for bits in all {
            bits.before = before as u32;
            before += u64::from(bits.bits.get_mut().count_ones());
        }
        before
    }

    /// The number of set bits before a bit; `None` if the bit is not set.
    #[inline(always)]
    fn place(&self, bit: u64) -> Option<u32> {
        let bits = self.bits.load(Relaxed);
        let below = (1u64 << bit) - 1;
        let before = self.before + (bits & below).count_ones();
        (bits >> bit & 1 != 0).then_some(before)
    }
}

impl Index {
    /// Number of groups for the ranks below `ranks`.
    pub(crate) fn groups(ranks: u64) -> u64 {
        (ranks >> (2 * BITS)) + 1
    }

    /// An empty index for `boards` ranks below `ranks`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) if the system has no more memory.
    pub fn new(ranks: u64, boards: u64) -> Result<Self> {
        let records = (ranks >> BITS) + 1;
        if records <= boards / BOARDS_OF_RECORD {
            return Ok(Self {
                records: Pages::new(records as usize)?,
                ..Self::default()
            });
        }
        Ok(Self {
            groups: Pages::new(Self::groups(ranks) as usize)?,
            ..Self::default()
        })
    }

    /// Whether all records are kept, and no groups.
    fn is_dense(&self) -> bool {
        self.groups.is_empty()
    }

    /// The first pass: announce ranks that will be inserted.
    pub fn announce(&self, ranks: &[u64]) {
        if self.is_dense() {
            return;
        }
        CountedBits::set_runs(ranks, |key| &self.groups[key as usize], BITS);
    }

    /// Between the passes: make the records for the announced ranks.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) if the system has no more memory.
    pub fn make_records(&mut self) -> Result<()> {
        if self.is_dense() {
            return Ok(());
        }
        let records = CountedBits::sum_up(&mut self.groups);
        self.records = Pages::new(records as usize)?;
        Ok(())
    }

    /// The second pass: insert the announced ranks.
    pub fn insert(&self, ranks: &[u64]) {
        let record = |key: u64| {
            if self.is_dense() {
                return &self.records[key as usize];
            }
            let place = self.groups[(key >> BITS) as usize].place(key & 63);
            &self.records[place.expect("ranks are announced before they are inserted") as usize]
        };
        CountedBits::set_runs(ranks, record, 0);
    }

    /// After both passes: number the places. Returns the number of places.
    pub fn number(&mut self) -> u64 {
        CountedBits::sum_up(&mut self.records)
    }

    /// Replace `places` by the places of ranks, `u32::MAX` for an absent rank. About 5 ns a rank if
    /// the index is in cache.
    pub fn places(&self, ranks: &[u64], places: &mut Vec<u32>) {
        places.clear();
        places_of(self, ranks, places);
    }
}

wide! {
    /// Uses three loops, so that the look-ups of a loop do not wait for one another. Each loop
    /// prefetches the memory that the next loop reads.
    fn places_of(index: &Index, ranks: &[u64], places: &mut Vec<u32>) {
        let (groups, records) = (&*index.groups, &*index.records);
        if index.is_dense() {
            for &rank in ranks {
                prefetch(records, (rank >> BITS) as usize);
            }
            places.extend(ranks.iter().map(|&rank| {
                records[(rank >> BITS) as usize].place(rank & 63).unwrap_or(ABSENT)
            }));
            return;
        }
        let group_of = |rank: u64| (rank >> (2 * BITS)) as usize;
        for &rank in ranks {
            prefetch(groups, group_of(rank));
        }
        places.extend(ranks.iter().map(|&rank| {
            let place = groups[group_of(rank)].place(rank >> BITS & 63).unwrap_or(ABSENT);
            prefetch(records, place as usize);
            place
        }));
        for (place, &rank) in places.iter_mut().zip(ranks) {
            if *place != ABSENT {
                *place = records[*place as usize].place(rank & 63).unwrap_or(ABSENT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Build an index, with a thread for each slice of ranks.
    fn index_of(universe: u64, slices: &[Vec<u64>]) -> (Index, u64) {
        let all: usize = slices.iter().map(Vec::len).sum();
        let mut index = Index::new(universe, all as u64).unwrap();
        let by_all = |act: fn(&Index, &[u64]), index: &Index| {
            std::thread::scope(|scope| {
                for slice in slices {
                    scope.spawn(move || act(index, slice));
                }
            });
        };
        by_all(Index::announce, &index);
        index.make_records().unwrap();
        by_all(Index::insert, &index);
        let boards = index.number();
        (index, boards)
    }

    proptest! {
        #[test]
        fn places_follow_the_order_of_the_inserted_ranks(
            ranks in prop::collection::btree_set(0u64..100_000, 0..600),
            dense in 0u64..90_000,
            threads in 1usize..5,
        ) {
            let mut ranks: Vec<u64> = ranks.into_iter().chain(dense..dense + 300).collect();
            ranks.sort_unstable();
            ranks.dedup();
            let mut slices = vec![Vec::new(); threads];
            for (at, &rank) in ranks.iter().enumerate() {
                slices[at % threads].push(rank);
            }
            let (index, boards) = index_of(100_000, &slices);
            prop_assert_eq!(boards as usize, ranks.len());
            let probes: Vec<u64> = (0..100_000).collect();
            let mut places = Vec::new();
            index.places(&probes, &mut places);
            for (probe, place) in probes.into_iter().zip(places) {
                let expected = ranks.binary_search(&probe).map_or(ABSENT, |at| at as u32);
                prop_assert_eq!(place, expected, "{}", probe);
            }
        }
    }

    #[test]
    fn an_empty_index_holds_nothing() {
        let (index, _) = index_of(5000, &[vec![]]);
        let mut places = Vec::new();
        index.places(&[0, 4095, 4096, 4999], &mut places);
        assert_eq!(places, [ABSENT; 4]);
    }
}

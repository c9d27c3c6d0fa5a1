//! Ranges: a part cut by rank into pieces that are sorted and merged on their own.

/// A cut of all ranks into consecutive ranges.
pub(crate) struct Ranges {
    /// First ranks of all ranges but the first, increasing.
    cuts: Vec<u64>,
    bits: u32,
    shift: u32,
    /// For each value of a rank's leading bits, the number of cuts before all ranks that begin so.
    table: Vec<u16>,
}

impl Ranges {
    /// Cut ranks of `bits` bits into about `pieces` ranges that each hold as much of `sample`, which
    /// is sorted. Without a sample, or for one piece, all ranks are one range.
    pub(crate) fn cut(sample: &[u64], pieces: usize, bits: u32) -> Self {
        let mut cuts: Vec<u64> = Vec::new();
        if !sample.is_empty() {
            cuts.extend((1..pieces).map(|piece| sample[sample.len() * piece / pieces]));
            cuts.retain(|&cut| cut > 0);
            cuts.dedup();
        }
        let leading = match cuts.len() {
            0 => 1,
            1..64 => bits.min(12),
            _ => bits.min(20),
        };
        let shift = bits - leading;
        let mut table = Vec::with_capacity((1 << leading) + 1);
        for prefix in 0..=1 << leading {
            let mut before = table.last().map_or(0, |&before| usize::from(before));
            while cuts.get(before).is_some_and(|cut| (cut >> shift) < prefix) {
                before += 1;
            }
            table.push(before as u16);
        }
        Self {
            cuts,
            bits,
            shift,
            table,
        }
    }

    /// The range of a rank: one look into a table that fits a core's cache, and where a cut lies
    /// within the ranks that begin alike, a search among those.
    #[inline(always)]
    pub(crate) fn of(&self, rank: u64) -> usize {
        let prefix = (rank >> self.shift) as usize;
        let (from, to) = (
            usize::from(self.table[prefix]),
            usize::from(self.table[prefix + 1]),
        );
        if from == to {
            from
        } else {
            from + self.cuts[from..to].partition_point(|&cut| cut <= rank)
        }
    }

    /// The ranks that a range could hold.
    pub(crate) fn span(&self, range: usize) -> Span {
        let end = u64::MAX >> (64 - self.bits);
        let last = self.cuts.get(range).map_or(end, |cut| cut - 1);
        let first = range.checked_sub(1).map_or(0, |before| self.cuts[before]);
        Span { first, last }
    }

    /// Number of ranges.
    pub(crate) fn count(&self) -> usize {
        self.cuts.len() + 1
    }
}

/// The ranks that a range could hold, from the first to the last.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl Span {
    /// Whether offsets take two words, the low one first.
    pub(crate) fn wide(self) -> bool {
        self.last - self.first > u64::from(u32::MAX)
    }

    /// Words of a candidate.
    pub(crate) fn words(self) -> usize {
        if self.wide() { 2 } else { 1 }
    }

    /// The ranks that a piece of a bucket holds, as they came.
    pub(crate) fn ranks(self, piece: &[u32]) -> impl Iterator<Item = u64> {
        piece.chunks_exact(self.words()).map(move |words| {
            let high = words.get(1).copied().unwrap_or(0);
            self.first + (u64::from(high) << 32 | u64::from(words[0]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_keep_the_order_of_ranks_and_share_them_evenly() {
        let sample: Vec<u64> = (0..10_000u64).map(|i| i * i * 600).collect();
        for pieces in [1, 2, 16, 100, 1000] {
            let ranges = Ranges::cut(&sample, pieces, 36);
            assert!(
                sample
                    .windows(2)
                    .all(|pair| ranges.of(pair[0]) <= ranges.of(pair[1]))
            );
            let mut sizes = vec![0; ranges.count()];
            sample.iter().for_each(|&key| sizes[ranges.of(key)] += 1);
            assert!(
                sizes.len() <= pieces && sizes.len() * 2 >= pieces.min(100),
                "{}",
                sizes.len()
            );
            assert!(
                *sizes.iter().max().unwrap() <= 10_000usize.div_ceil(pieces),
                "{sizes:?}"
            );
            assert_eq!(ranges.of(0), 0);
            assert_eq!(ranges.of((1 << 36) - 1), ranges.count() - 1);
            for range in 0..ranges.count() {
                let Span { first, last } = ranges.span(range);
                assert_eq!([first, last].map(|rank| ranges.of(rank)), [range; 2]);
            }
            assert_eq!(ranges.span(ranges.count() - 1).last, (1 << 36) - 1);
        }
    }

    #[test]
    fn without_a_sample_there_is_one_range_for_every_rank() {
        let ranges = Ranges::cut(&[], 100, 64);
        assert_eq!(
            (ranges.count(), ranges.of(0), ranges.of(u64::MAX)),
            (1, 0, 0)
        );
    }
}

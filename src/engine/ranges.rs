//! Key ranges: a part cut into pieces that are sorted and merged on their own.

/// A cut of all keys into consecutive ranges, by a table over their leading bits.
pub(crate) struct Ranges {
    shift: u32,
    table: Vec<u16>,
    count: usize,
}

impl Ranges {
    /// Cut keys of `bits` bits into about `pieces` ranges that each hold as much of `sample`, which
    /// is sorted. Without a sample, or for one piece, all keys are one range.
    ///
    /// Cuts lie between leading bits only, so that [`Ranges::of`] is one look into a table that fits
    /// a core's cache; a prefix that many keys share stays one large range.
    pub(crate) fn cut(sample: &[u64], pieces: usize, bits: u32) -> Self {
        if pieces <= 1 || sample.len() <= 1 {
            return Self {
                shift: 63,
                table: vec![0; 2],
                count: 1,
            };
        }
        let leading = bits.min(if pieces <= 64 { 16 } else { 20 });
        let shift = bits - leading;
        let mut table = vec![0; 1 << leading];
        let (mut from, mut count) = (0, 0);
        for piece in 1..pieces {
            let prefix = (sample[sample.len() * piece / pieces] >> shift) as usize;
            if prefix > from {
                table[from..prefix].fill(count);
                from = prefix;
                count += 1;
            }
        }
        table[from..].fill(count);
        Self {
            shift,
            table,
            count: usize::from(count) + 1,
        }
    }

    /// The range of a key.
    #[inline(always)]
    pub(crate) fn of(&self, key: u64) -> usize {
        usize::from(self.table[(key >> self.shift) as usize])
    }

    /// Number of ranges.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_keep_the_order_of_keys_and_share_them_evenly() {
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
                *sizes.iter().max().unwrap() <= 3 * (10_000 / pieces).max(20),
                "{sizes:?}"
            );
            assert_eq!(ranges.of(0), 0);
            assert_eq!(ranges.of((1 << 36) - 1), ranges.count() - 1);
        }
    }

    #[test]
    fn without_a_sample_there_is_one_range_for_every_key() {
        let ranges = Ranges::cut(&[], 100, 64);
        assert_eq!(
            (ranges.count(), ranges.of(0), ranges.of(u64::MAX)),
            (1, 0, 0)
        );
    }
}

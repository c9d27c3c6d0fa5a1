//! A uniform sample of the states of a run.

use std::collections::HashSet;

use super::Reader;
use super::lookup::Lookup;
use super::questions::room;
use crate::counts::Row;
use crate::error::{Error, Result};
use crate::game::{Board, PartKey};
use crate::part::Kind;
use crate::random::Random;

impl Reader {
    /// Draw `count` live states from some parts, or all if there are fewer. Every set of `count`
    /// states is equally likely. Returns the parts from which states are drawn, with their states
    /// in order. A seed draws equal states on every machine and in every version. The draw takes
    /// about 50 bytes of memory for each state, and reads only the blocks that hold them.
    ///
    /// # Errors
    ///
    /// [`Error::NoMemory`]; for each part, as for [`Lookup::boards_at`].
    pub fn sample(
        &self,
        parts: &[Row],
        count: u64,
        seed: u64,
    ) -> Result<impl Iterator<Item = Result<(PartKey, Vec<Board>)>>> {
        let total = parts.iter().map(|row| row.live).sum();
        let positions = positions(total, count.min(total), seed)?;
        let mut drawn = Vec::new();
        let (mut before, mut begin) = (0, 0);
        for row in parts {
            let behind = before + row.live;
            let end = begin + positions[begin..].partition_point(|&position| position < behind);
            let key = row.key().filter(|_| begin < end);
            drawn.extend(key.map(|key| (key, before, begin..end)));
            (before, begin) = (behind, end);
        }
        let mut lookup = Lookup::new(self, 0)?;
        Ok(drawn.into_iter().map(move |(key, before, range)| {
            let mut states = room(range.len(), SAMPLED)?;
            let mut inside = room(range.len(), SAMPLED)?;
            inside.extend(positions[range].iter().map(|position| position - before));
            // The positions are in order, so the states come in order.
            let tell = |_, state| states.extend(state);
            lookup.boards_at(Kind::States, key, &inside, self.stop(), tell)?;
            Ok((key, states))
        }))
    }
}

/// The items in the message of [`Error::NoMemory`].
const SAMPLED: &str = "states of a sample";

/// Draw a uniform set of `count` distinct numbers below `total`, sorted, by Floyd's algorithm
/// (Bentley and Floyd, 1987), in memory for `count` numbers.
fn positions(total: u64, count: u64, seed: u64) -> Result<Vec<u64>> {
    let mut random = Random::new(seed);
    let mut chosen = HashSet::new();
    let size = usize::try_from(count).unwrap_or(usize::MAX);
    let reserved = chosen.try_reserve(size);
    reserved.map_err(|_| Error::NoMemory {
        count: size,
        what: SAMPLED,
    })?;
    for last in total - count..total {
        let position = random.below(last + 1);
        if !chosen.insert(position) {
            chosen.insert(last);
        }
    }
    let mut positions = room(size, SAMPLED)?;
    positions.extend(chosen);
    positions.sort_unstable();
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_distinct_and_sorted_and_the_seed_determines_them() {
        for (total, count) in [(0, 0), (1, 1), (10, 0), (10, 3), (10, 10), (1 << 40, 1000)] {
            let drawn = positions(total, count, 7).unwrap();
            assert_eq!(drawn.len() as u64, count);
            assert!(drawn.is_sorted_by(|a, b| a < b));
            assert!(drawn.iter().all(|&position| position < total));
            assert_eq!(drawn, positions(total, count, 7).unwrap());
        }
        assert_ne!(
            positions(1 << 40, 9, 1).unwrap(),
            positions(1 << 40, 9, 2).unwrap()
        );
        assert!(matches!(
            positions(1 << 50, 1 << 50, 1),
            Err(Error::NoMemory { .. })
        ));
    }

    #[test]
    fn a_seed_draws_the_known_positions() {
        // Computed in Python from the descriptions here and in `random.rs`.
        let drawn = |total, count, seed| positions(total, count, seed).unwrap();
        assert_eq!(drawn(12, 4, 7), [1, 6, 7, 10]);
        assert_eq!(drawn(57, 8, 5), [1, 5, 17, 19, 29, 31, 34, 37]);
        let far = [60_949_068_390, 78_739_627_431, 368_956_988_966];
        assert_eq!(drawn(1 << 40, 5, 7)[..3], far);
    }

    #[test]
    fn all_positions_are_drawn_equally_often() {
        let mut times = [0u32; 12];
        for seed in 0..6000 {
            for position in positions(12, 4, seed).unwrap() {
                times[position as usize] += 1;
            }
        }
        // Expected: 2000 draws of each position, with a standard deviation of 37.
        assert!(
            times.iter().all(|&times| (1800..2200).contains(&times)),
            "{times:?}"
        );
    }
}

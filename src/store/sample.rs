//! A uniform sample of the states of a run.

use std::collections::BTreeSet;
use std::iter::{self, Peekable};

use super::run::Run;
use crate::counts::Row;
use crate::error::Result;
use crate::game::{Board, PartKey};
use crate::part::{Kind, Lookup, Part};
use crate::random::Random;

impl Run {
    /// Draw `count` of the live states of some parts, every set of so many equally likely, or all
    /// if there are not so many: for each part that has some, those drawn of it, in order. The same
    /// seed draws the same states, on every machine and in every version. Takes some 20 bytes of
    /// memory for each, and reads only the blocks that hold them.
    pub fn sample(
        &self,
        parts: &[Row],
        count: u64,
        seed: u64,
    ) -> impl Iterator<Item = Result<(PartKey, Vec<Board>)>> {
        let total = parts.iter().map(|row| row.live).sum();
        let mut positions = positions(total, count.min(total), seed);
        let mut before = 0;
        parts.iter().filter_map(move |row| {
            let (begin, end) = (before, before + row.live);
            before = end;
            let drawn = iter::from_fn(|| positions.next_if(|&position| position < end));
            let drawn: Vec<u64> = drawn.map(|position| position - begin).collect();
            let key = row.key().filter(|_| !drawn.is_empty())?;
            let part = self.part(Kind::States, key).transpose()?;
            let picked = part.and_then(|part| pick(&part, &drawn));
            Some(picked.map(|states| (key, states)))
        })
    }
}

/// `count` different numbers below `total`, each set equally likely, in order: Floyd's algorithm
/// (Bentley and Floyd, 1987). Takes memory for `count` numbers.
fn positions(total: u64, count: u64, seed: u64) -> Peekable<impl Iterator<Item = u64>> {
    let mut random = Random::new(seed);
    let mut chosen = BTreeSet::new();
    for last in total - count..total {
        let position = random.below(last + 1);
        if !chosen.insert(position) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().peekable()
}

/// The states of a part at increasing positions.
fn pick(part: &Part, positions: &[u64]) -> Result<Vec<Board>> {
    let mut lookup = Lookup::new(part)?;
    let states = positions.iter().map(|&position| lookup.state_at(position));
    states.filter_map(Result::transpose).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_different_in_order_and_the_same_for_a_seed() {
        for (total, count) in [(0, 0), (1, 1), (10, 0), (10, 3), (10, 10), (1 << 40, 1000)] {
            let drawn: Vec<u64> = positions(total, count, 7).collect();
            assert_eq!(drawn.len() as u64, count);
            assert!(drawn.is_sorted_by(|a, b| a < b));
            assert!(drawn.iter().all(|&position| position < total));
            assert_eq!(drawn, positions(total, count, 7).collect::<Vec<_>>());
        }
        assert!(positions(1 << 40, 9, 1).ne(positions(1 << 40, 9, 2)));
    }

    #[test]
    fn the_draw_of_a_seed_never_changes() {
        // Computed in Python from the descriptions here and in `random.rs`.
        let drawn = |total, count, seed| positions(total, count, seed).collect::<Vec<_>>();
        assert_eq!(drawn(12, 4, 7), [1, 6, 7, 10]);
        assert_eq!(drawn(57, 8, 5), [1, 5, 17, 19, 29, 31, 34, 37]);
        let far = [60_949_068_390, 78_739_627_431, 368_956_988_966];
        assert_eq!(drawn(1 << 40, 5, 7)[..3], far);
    }

    #[test]
    fn every_position_is_drawn_as_often_as_any_other() {
        let mut times = [0u32; 12];
        for seed in 0..6000 {
            positions(12, 4, seed).for_each(|position| times[position as usize] += 1);
        }
        // 2000 expected for each, with a standard deviation of 37.
        assert!(
            times.iter().all(|&times| (1800..2200).contains(&times)),
            "{times:?}"
        );
    }
}

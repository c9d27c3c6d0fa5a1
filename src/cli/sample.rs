//! A uniform sample of sorted states, by their ranks.

use std::collections::BTreeSet;
use std::iter::{self, Peekable};

use fastrand::Rng;

use anyhow::Result;

use crate::counts::Row;
use crate::error;
use crate::run::{Kind, Part};
use crate::store::Archive;

/// Draw `count` of the live states of some parts, or all if there are not so many; `each` gets those of a part, in
/// order.
pub(super) fn draw(
    archive: &Archive,
    parts: &[Row],
    count: u64,
    seed: u64,
    mut each: impl FnMut(&Row, &[u64]) -> Result<()>,
) -> Result<()> {
    let total = parts.iter().map(|row| row.live).sum();
    let mut ranks = ranks(total, count.min(total), seed);
    let mut before = 0;
    for row in parts {
        let end = before + row.live;
        let here: Vec<u64> = iter::from_fn(|| ranks.next_if(|&rank| rank < end)).collect();
        let part = archive.part(Kind::States, row.sum, row.max_tile);
        if let Some(part) = part?.filter(|_| !here.is_empty()) {
            let places = here.iter().map(|rank| rank - before);
            each(row, &pick(&part, places)?)?;
        }
        before = end;
    }
    Ok(())
}

/// `count` different numbers below `total`, each set equally likely, in order: Floyd's algorithm
/// (Bentley and Floyd, 1987). Takes memory for `count` numbers.
fn ranks(total: u64, count: u64, seed: u64) -> Peekable<impl Iterator<Item = u64>> {
    let mut random = Rng::with_seed(seed);
    let mut chosen = BTreeSet::new();
    for last in total - count..total {
        let rank = random.u64(0..=last);
        if !chosen.insert(rank) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().peekable()
}

/// The states of a part at increasing places; reads only the blocks that hold them.
fn pick(part: &Part, places: impl Iterator<Item = u64>) -> error::Result<Vec<u64>> {
    let mut stream = part.stream()?;
    let (mut picked, mut block, mut states) = (Vec::new(), None, Vec::new());
    for place in places {
        let wanted = (place / part.block_size()) as usize;
        if block != Some(wanted) {
            states.clear();
            states.extend_from_slice(stream.seek(wanted)?);
            block = Some(wanted);
        }
        picked.push(states[(place % part.block_size()) as usize]);
    }
    Ok(picked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_different_in_order_and_the_same_for_a_seed() {
        for (total, count) in [(0, 0), (1, 1), (10, 0), (10, 3), (10, 10), (1 << 40, 1000)] {
            let drawn: Vec<u64> = ranks(total, count, 7).collect();
            assert_eq!(drawn.len() as u64, count);
            assert!(drawn.is_sorted_by(|a, b| a < b));
            assert!(drawn.iter().all(|&rank| rank < total));
            assert_eq!(drawn, ranks(total, count, 7).collect::<Vec<_>>());
        }
        assert!(ranks(1 << 40, 9, 1).ne(ranks(1 << 40, 9, 2)));
    }

    #[test]
    fn every_rank_is_drawn_as_often_as_any_other() {
        let mut times = [0u32; 12];
        for seed in 0..6000 {
            ranks(12, 4, seed).for_each(|rank| times[rank as usize] += 1);
        }
        // 2000 expected for each, with a standard deviation of 37.
        assert!(
            times.iter().all(|&times| (1800..2200).contains(&times)),
            "{times:?}"
        );
    }
}

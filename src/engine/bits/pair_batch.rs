//! The pairs of a layer in batches.
//!
//! Key idea: pairs of neighbouring weights need nearly the same moves down. So a batch of neighbours
//! needs few moves down, which fit the memory, and many of them are there from the batch before.

use std::collections::BTreeSet;
use std::mem;

use super::moves_down::MovesDown;
use super::tables::Halves;

/// Pairs that are swept with the same moves down.
pub(crate) struct PairBatch<const N: usize> {
    /// The largest matrices come first.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// For each layer of moves down the weights of their top halves.
    pub(crate) tops: [BTreeSet<usize>; N],
}

impl<const N: usize> PairBatch<N> {
    /// Cut `pairs` of boards of weight `weight` into batches, each with at most `most` bytes of
    /// moves down or with one pair. The moves down are lighter than the boards by `back`. Even
    /// layers begin with the lightest top halves and odd layers with the heaviest. So the next layer
    /// begins with the moves down that were made last.
    pub(crate) fn cut(
        weight: usize,
        pairs: &[(usize, usize)],
        back: [usize; N],
        most: u64,
        halves: &Halves,
    ) -> Vec<Self> {
        let of_pairs = |pairs: &[(usize, usize)]| Self {
            pairs: pairs.to_vec(),
            tops: back.map(|back| {
                let all = halves.tops(weight - back);
                let halves = pairs.iter().flat_map(|&(top, bottom)| [top, bottom]);
                let tops = halves.flat_map(|top| [top.checked_sub(back), Some(top)]);
                tops.flatten().filter(|top| all.contains(top)).collect()
            }),
        };
        let bytes = |batch: &Self| {
            let layers = batch.tops.iter().zip(back);
            let bytes = layers.flat_map(|(tops, back)| {
                tops.iter()
                    .map(move |&top| MovesDown::most_bytes(weight - back, top, halves))
            });
            bytes.sum::<u64>()
        };
        let mut by_top = pairs.to_vec();
        by_top.sort_unstable();
        let mut batches: Vec<Self> = Vec::new();
        for pair in by_top {
            let last = batches.last().map_or(&[][..], |last| &last.pairs);
            let joined = of_pairs(&[last, &[pair]].concat());
            if !last.is_empty() && bytes(&joined) <= most {
                batches.pop();
                batches.push(joined);
            } else {
                batches.push(of_pairs(&[pair]));
            }
        }
        for batch in &mut batches {
            let swept = mem::take(&mut batch.pairs);
            batch.pairs = pairs
                .iter()
                .copied()
                .filter(|pair| swept.contains(pair))
                .collect();
        }
        if weight % 2 == 1 {
            batches.reverse();
        }
        batches
    }
}

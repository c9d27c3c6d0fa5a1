//! What is remembered of a part's shape, to cut the same part of the next layer evenly.

use crate::run::Part;

/// Values that a sketch holds at most: enough for 8,192 ranges of sixteen values each.
const SAMPLE: usize = 1 << 17;

/// An even sample of a part's states, in order, and the number of candidates it was made from.
///
/// A sketch decides only how work is cut up, never what comes out.
#[derive(Default)]
pub(crate) struct Sketch {
    pub(crate) sample: Vec<u64>,
    pub(crate) candidates: u64,
    /// Values to go by before the next is taken.
    skip: usize,
}

impl Sketch {
    /// A sketch of what is about to be made from `candidates`; feed it with [`Sketch::add`].
    pub(crate) fn expecting(candidates: u64) -> Self {
        Self {
            sample: Vec::new(),
            candidates,
            skip: 0,
        }
    }

    /// Take a sample of the next values, in order: even over all of them, however they are cut.
    pub(crate) fn add(&mut self, values: &[u64]) {
        let stride = (self.candidates as usize / SAMPLE).max(64);
        let taken = values.iter().skip(self.skip).step_by(stride);
        self.sample.extend(taken.clone());
        self.skip = self.skip + taken.len() * stride - values.len();
    }

    /// The sketch of a part on disk, from its index.
    pub(crate) fn of(part: &Part) -> Self {
        Self {
            sample: part.firsts().collect(),
            candidates: part.states() * 2,
            skip: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_even_however_the_values_are_cut() {
        let values: Vec<u64> = (0..10_000).collect();
        let expected: Vec<u64> = (0..10_000).step_by(64).collect();
        for piece in [1, 31, 63, 64, 65, 1000, 10_000] {
            let mut sketch = Sketch::expecting(20_000);
            values.chunks(piece).for_each(|piece| sketch.add(piece));
            assert_eq!(sketch.sample, expected, "{piece} at a time");
        }
    }
}

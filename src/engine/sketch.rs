//! What is remembered of a part's shape, to cut the same part of the next layer evenly.

use crate::run::Part;

/// Values that a sketch holds at most: enough for 4,096 ranges of four values each.
const SAMPLE: usize = 1 << 14;

/// An even sample of a part's states, in order, and the number of candidates it was made from.
///
/// A sketch decides only how work is cut up, never what comes out.
#[derive(Default)]
pub(crate) struct Sketch {
    pub(crate) sample: Vec<u64>,
    pub(crate) candidates: u64,
}

impl Sketch {
    /// A sketch of what is about to be made from `candidates`; feed it with [`Sketch::add`].
    pub(crate) fn expecting(candidates: u64) -> Self {
        Self {
            sample: Vec::new(),
            candidates,
        }
    }

    /// Take a sample of the next values, in order.
    pub(crate) fn add(&mut self, values: &[u64]) {
        let stride = (self.candidates as usize / SAMPLE).max(64);
        self.sample
            .extend(values.iter().skip(stride / 2).step_by(stride));
    }

    /// The sketch of a part on disk, from its index.
    pub(crate) fn of(part: &Part) -> Self {
        Self {
            sample: part.firsts().collect(),
            candidates: part.states() * 2,
        }
    }
}

//! What every format of states can do.

use anyhow::Result;

use crate::game::PartKey;

/// A file of states being written.
pub(super) trait StateWriter {
    /// Append states of one part, with their values: those of the first state, one for each
    /// objective, then of the next; none if they are not asked for.
    fn write(&mut self, key: PartKey, states: &[u64], values: &[f64]) -> Result<()>;

    /// Write what ends the file.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Each of some states with its own values.
pub(super) fn rows<'a>(
    states: &'a [u64],
    values: &'a [f64],
) -> impl Iterator<Item = (u64, &'a [f64])> {
    let each = values.len() / states.len().max(1);
    let own = move |at: usize| &values[at * each..][..each];
    states
        .iter()
        .enumerate()
        .map(move |(at, &state)| (state, own(at)))
}

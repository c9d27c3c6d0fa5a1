//! What every format of states can do.

use anyhow::Result;

use crate::game::PartKey;

/// A file of states being written.
pub(super) trait Writer {
    /// Append states of one part.
    fn write(&mut self, states: &[u64], key: PartKey) -> Result<()>;

    /// Write what ends the file.
    fn finish(self: Box<Self>) -> Result<()>;
}

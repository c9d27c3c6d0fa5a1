//! What both ways to hold a layer have in common.

use super::progress::Progress;
use crate::error::Result;
use crate::store::{Layer, Store};

/// Counts layers, one way or another.
pub(crate) trait Counter {
    /// Count the layers after the last sealed one, at least one, none after that of sum `last`, and
    /// write their files. With the last of them there is a frontier to go on from.
    fn next(
        &mut self,
        last: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<Vec<Layer>>;
}

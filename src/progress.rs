//! Reports on the progress of long work, and a way to stop it. Long work is counting, solving,
//! verifying, or a search for a witness.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// Receives reports on long work, from one thread at a time. Every method has a default that does
/// nothing.
pub trait Progress: Send {
    /// Work on the layer of this sum begins.
    fn begin(&mut self, _sum: u32) {}

    /// Called with the number of boards that were done since the last call, which can be 0. A board
    /// is done when it is found as a state, when its value is computed, or when it is read.
    fn advance(&mut self, _boards: u64) {}

    /// A layer is counted or solved. It may be sealed later.
    fn end(&mut self, _layer: &FinishedLayer) {}

    /// Whether to stop after this layer; called after each layer. A count with a last sum stops
    /// this way.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// Asks long work to end soon. A count then drops the layer under way, unless it is small, and
/// seals the layers before it; [`Progress::stop`] ends it between two layers. All clones share one
/// state.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ask the work to end.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Check that the work may go on.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] after [`Stop::ask`].
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        Ok(())
    }
}

/// A layer that is counted or solved.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FinishedLayer {
    /// Sum of its tiles.
    pub sum: u32,
    /// Number of states, live and dead, or of afterstates with values.
    pub boards: u64,
    /// States without a legal move.
    pub dead: u64,
    /// Whether this is the last layer.
    pub last: bool,
    /// Bytes of the files that stay in the directory.
    pub bytes: u64,
    /// Bytes that went through temporary files, because they did not fit in memory.
    pub spilled: u64,
}

//! Long work, such as counting, solving, verifying, or searching for a witness: how far it has come, and
//! how it is stopped.

use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// Hears how far long work has come, from one thread at a time. Every method may be left out.
pub trait Progress: Send {
    /// Work on the layer of this sum begins.
    fn begin(&mut self, _sum: u32) {}

    /// Boards are done: states are found, values are made, or boards are read. The number is of the
    /// boards since the last call, and can be 0.
    fn advance(&mut self, _boards: u64) {}

    /// A layer is counted or solved. It may be sealed later.
    fn end(&mut self, _layer: &FinishedLayer) {}

    /// Asked after each layer: whether to stop there, as a count does after the layer of `until`.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// Asks long work to end at once. A count loses what is not sealed; to end it between two layers there
/// is [`Progress::stop`]. All clones are one.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ask.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// See whether to go on.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] if it was asked to end.
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
    /// States, live and dead; or afterstates with values.
    pub boards: u64,
    /// States without a legal move.
    pub dead: u64,
    /// Whether no other layer follows.
    pub last: bool,
    /// Bytes of the files that stay in the directory.
    pub bytes: u64,
    /// Bytes that the layer took on disk at most, temporary files included.
    pub disk: u64,
    /// How the work was cut up to fit in memory.
    pub cuts: Cuts,
}

/// How work was cut up to fit in memory. Nothing that is written depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cuts {
    /// Ranges that candidates were sorted in.
    pub ranges: u64,
    /// Ranges that had too many candidates to sort at once, and were split.
    pub splits: u64,
    /// Bytes that did not fit in memory and went through temporary files.
    pub spilled: u64,
}

impl AddAssign for Cuts {
    fn add_assign(&mut self, other: Self) {
        self.ranges += other.ranges;
        self.splits += other.splits;
        self.spilled += other.spilled;
    }
}

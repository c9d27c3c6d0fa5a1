//! Asking long work to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// Asks long work to end, wherever it is: a count stops within the layer, and loses what is not
/// sealed. To end a count between two layers there is `engine::Progress::stop`. All clones are one.
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

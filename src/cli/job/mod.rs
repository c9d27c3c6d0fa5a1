//! A long job on a run: opening it, estimates, progress, signals.

pub(super) mod estimate;
pub(super) mod open;
pub(super) mod progress;
pub(super) mod signals;

use self::progress::Reporter;
use crate::engine::{self, Choice, Plan};
use crate::error::Result;
use crate::store::Store;

/// Count a whole game, which a signal ends at once.
pub(super) fn count(store: &mut Store, plan: &Plan, quiet: bool) -> Result<()> {
    let choice = Choice::new(store.run(), plan, None)?;
    let reporter = Reporter::of_count(plan, store, &choice, quiet);
    reporter.during(|progress| engine::count(store, plan, None, progress).map(drop))
}

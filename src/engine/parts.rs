//! Files of parts; both ways to hold a layer end here.

use super::build::{Builder, Source};
use super::plan::Plan;
use super::tally::Tally;
use super::visit::Visit;
use super::workers::Workers;
use crate::counts::Row;
use crate::error::Result;
use crate::laws;
use crate::part::{Kind, Sealed};
use crate::store::Store;

/// Builds the files of parts.
pub(crate) struct Parts<'a> {
    pub(crate) workers: &'a Workers,
    builder: Builder,
}

/// A part that is built: its file, and what was counted on the way.
pub(crate) struct Built {
    pub(crate) sealed: Sealed,
    pub(crate) tally: Tally,
}

impl<'a> Parts<'a> {
    /// Make ready to build in the memory of a plan.
    pub(crate) fn new(plan: &Plan, workers: &'a Workers) -> Self {
        Self {
            workers,
            builder: Builder::new(plan.batch),
        }
    }

    /// Build the file of a row's part from a source, and see that none of its states was lost on
    /// the way.
    pub(crate) fn build(
        &mut self,
        kind: Kind,
        row: &Row,
        source: &mut impl Source,
        visit: &impl Visit,
        store: &mut Store,
        report: impl FnMut(Tally),
    ) -> Result<Built> {
        let key = row.key().expect("a row of the engine has a tile");
        let mut writer = store.create(kind, key)?;
        let tally = self
            .builder
            .build(source, visit, &mut writer, self.workers, report)?;
        let sealed = store.finish(kind, key, writer)?;
        let kept = sealed.states + tally.dead;
        laws::conserved(row, tally.candidates, tally.unique, tally.duplicates, kept)?;
        Ok(Built { sealed, tally })
    }
}

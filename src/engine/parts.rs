//! Files of parts, made from candidates; both ways to hold a layer end here.

use super::build::Builder;
use super::lists::{Candidates, Lists};
use super::plan::Plan;
use super::tally::Tally;
use super::visit::Visit;
use super::workers::Workers;
use crate::counts::Row;
use crate::error::Result;
use crate::laws;
use crate::part::{Kind, Sealed};
use crate::store::{Run, Store};

/// Collects candidates and builds files of them.
pub(crate) struct Parts<'a> {
    pub(crate) workers: &'a Workers,
    pub(crate) lists: Lists,
    builder: Builder,
}

/// A part that is built: its file, and what was counted on the way.
pub(crate) struct Built {
    pub(crate) sealed: Sealed,
    pub(crate) tally: Tally,
}

impl<'a> Parts<'a> {
    /// Make ready to go on after the last sealed layer of `run`.
    pub(crate) fn new(run: &Run, plan: &Plan, workers: &'a Workers) -> Result<Self> {
        Ok(Self {
            workers,
            lists: Lists::new(run, plan)?,
            builder: Builder::new(plan.batch),
        })
    }

    /// Build the file of a row's part from its candidates, and see that none of them was lost on
    /// the way.
    pub(crate) fn build(
        &mut self,
        kind: Kind,
        row: &Row,
        candidates: Candidates,
        visit: &impl Visit,
        store: &mut Store,
        report: impl FnMut(Tally),
    ) -> Result<Built> {
        let key = row.key().expect("a row of the engine has a tile");
        let mut writer = store.create(kind, key)?;
        let mut source = candidates.into_source()?;
        let tally = self
            .builder
            .build(&mut source, visit, &mut writer, self.workers, report)?;
        self.lists.remember(kind, key.max, source.retire());
        let sealed = store.finish(kind, key, writer)?;
        let kept = sealed.states + tally.dead;
        laws::conserved(row, tally.candidates, tally.unique, tally.duplicates, kept)?;
        Ok(Built { sealed, tally })
    }
}

//! Makes the afterstates of a complete run that kept only its states.
//!
//! Key idea: the afterstates of a layer follow from its states alone, so layers can be made in any
//! order. They are made from the last to the first, so the sums with afterstates are always one
//! range. After a stop, the next start extends this range.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Mutex;

use super::job::{CountAfterstates, PartJob, SLICE, Visit};
use super::lists::{Candidates, ExpandStates, Lists};
use super::parts::Parts;
use super::plan::Plan;
use super::workers::{Done, Workers};
use crate::counts::Row;
use crate::error::Result;
use crate::game::{Exp, PartKey};
use crate::laws;
use crate::part::{Kind, Part};
use crate::progress::Progress;
use crate::store::Store;

/// Make the afterstates that `store` wants, layer by layer, and then drop the states that it no
/// longer keeps.
pub(super) fn make_afterstates(
    store: &mut Store,
    plan: &Plan,
    workers: &Workers,
    progress: &mut dyn Progress,
) -> Result<()> {
    let mut making = Making {
        lists: Lists::new(store.run(), plan)?,
        parts: Parts::new(plan, workers),
    };
    while let Some(sum) = store.lacks_afterstates() {
        progress.begin(sum);
        making.layer(sum, store, progress)?;
        store.seal_afterstates(sum)?;
        if progress.stop() {
            return Ok(());
        }
    }
    store.keep_made_afterstates()
}

struct Making<'a> {
    lists: Lists,
    parts: Parts<'a>,
}

impl Making<'_> {
    fn layer(&mut self, sum: u32, store: &mut Store, progress: &mut dyn Progress) -> Result<()> {
        self.lists.begin(sum);
        let mut collected = BTreeMap::new();
        for states in store.run().parts_of(Kind::States, sum)? {
            let max = states.label().key.max;
            for max in [max, max.next()] {
                let collect = || self.lists.collect(Kind::Afterstates, max);
                collected.entry(max).or_insert_with(collect);
            }
            self.move_all(&states, &collected, store)?;
            progress.advance(states.states());
            // All afterstates with this largest tile are known now; see `layer`.
            let above = collected.split_off(&max.next());
            self.build(sum, mem::replace(&mut collected, above), store)?;
        }
        self.build(sum, collected, store)
    }

    /// Collect the afterstates of a part of states.
    fn move_all(
        &self,
        states: &Part,
        collected: &BTreeMap<Exp, Candidates>,
        store: &Store,
    ) -> Result<()> {
        let max = states.label().key.max;
        let [own, above] = [max, max.next()].map(|max| &collected[&max]);
        let visit = ExpandStates::new(store.run().game(), max, own, above);
        let blocks: Vec<usize> = (0..states.blocks()).collect();
        self.parts.workers.each(&blocks, |worker, &block| {
            let mut boards = mem::take(&mut worker.boards);
            boards.clear();
            states.read_block(block, &mut worker.decoder, &mut boards)?;
            for slice in boards.chunks(SLICE) {
                visit.visit(slice, 0, &Mutex::default(), worker)?;
            }
            worker.boards = boards;
            Ok(Done)
        })?;
        Ok(())
    }

    /// Build the files of afterstates, and check their counts against the table.
    fn build(
        &mut self,
        sum: u32,
        collected: BTreeMap<Exp, Candidates>,
        store: &mut Store,
    ) -> Result<()> {
        let rows = store.run().rows(sum);
        let mut jobs = Vec::new();
        for (max, candidates) in collected {
            let visit = CountAfterstates(store.run().game().rules());
            let source = candidates.into_source()?;
            jobs.push(PartJob::new(PartKey { sum, max }, source, visit));
        }
        let kind = Kind::Afterstates;
        for (job, sealed) in self.parts.build_files(kind, jobs, store, |_| ())? {
            let row = rows.iter().find(|row| row.key() == Some(job.key));
            let row = row.copied().unwrap_or(Row::of(job.key));
            laws::equal(&row, "afterstates", row.afterstates, sealed.states)?;
            laws::equal(&row, "empty cells", row.empty_cells, job.tally.empty_cells)?;
            self.lists.remember(kind, job.key.max, job.source.retire());
        }
        Ok(())
    }
}

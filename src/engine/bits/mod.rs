//! A layer as bit matrices: the second way to hold it, for boards of 4x4.
//!
//! A layer of 4x4 is dense: of all boards of its sum, in all orientations, one in eight is reached.
//! So a bit for each takes less memory than a list of the canonical ones, and a whole row of boards
//! is moved or spawned into at once, 512 bits a step, without a sort and without a repeat.
//!
//! **Halves.** A board is a top half P and a bottom half Q, the bottom one read upside down: a
//! vertical flip swaps them, and the same tables serve both. For each pair of weights (half the sums
//! of the tiles) a layer has a bit matrix, rows by P, columns by Q.
//!
//! **A move to the left** works on P and Q apart. The row of P goes by OR into that of P moved;
//! the result is transposed, and the same is done with Q. Something must have changed: the row of a P
//! that stays is masked by those Q that do not.
//!
//! **A spawn** in the top half makes P of the halves that lack one of its 2s or 4s: the OR of
//! their rows of afterstates. In the bottom half it is the same, transposed.
//!
//! **Symmetry.** All eight images of a board have bits. So moves to the left are enough: what other
//! moves lead to are their images, a mirror image of the right one, quarter turns of those up and
//! down. Of a layer only what moves to the left lead to is kept, with an empty cell in the top half:
//! every afterstate or its flip has one. What moves down lead to is made of that once (`turn`).
//! States are never kept: a row of them is made, counted, named, moved and forgotten.
//!
//! ```text
//!   Afterstates of sums s-2 and s-4: moved to the left
//!      |
//!      | turn         those moved down, by fields of bits                    once a layer
//!      v
//!   Slab              all afterstates with a top half of one weight
//!      |
//!      | spawn        a row of states: one top half, all bottom halves            Pair
//!      +--> census    labeled boards, moves, wins, dead ones: counts of bits under masks
//!      +--> canonical boards one by one: how many, and their fingerprint             NamedBoards
//!      |
//!      | slide        OR into the row of the moved top half, transpose, OR again
//!      v
//!   Afterstates of sum s
//! ```
//!
//! **Counts** are of labeled boards; how many canonical ones they stand for follows by Burnside's
//! lemma from the few boards that have a symmetry of their own. The canonical ones are also named,
//! one by one, and both numbers must agree for every part.
//!
//! **Layers on disk.** After 45 seconds, or later where that would take more than a quarter of the
//! time, the afterstates of the last two sums are written as sorted lists, the frontier that the
//! list engine leaves after every layer, and what was counted since is sealed; where a run keeps the
//! afterstates of every layer, each is written and sealed. So either engine goes on where the other
//! stopped. Boards are listed row by row (`listing`), each with its own top half. States that are not
//! listed need only half the rows: those of a flipped pair are named with their flips. Candidates
//! need not be counted: each fills an empty cell of an afterstate, or is a start.
//!
//! Reading order: `half`, `quads`, `groups`, `class` (which bits there are), `tables`, `halves`, `kernels`,
//! `lines`, `matrix`; `afterstates`, `turn`, `mirror`, `slab`; `pair` (the loop over rows; its
//! memory is `scratch`), `spawn`, `census`, `canonical` (`begins`, `boards`), `named`, `slide`;
//! `sweep` (a layer), `listing` (`rows`), this file (layers, and their files), `table_rows`, `sizes`.

mod afterstates;
mod begins;
pub(crate) mod boards;
mod canonical;
mod census;
mod class;
mod groups;
mod half;
mod halves;
pub(crate) mod kernels;
mod lines;
mod listing;
mod matrix;
mod mirror;
mod named;
mod pair;
mod quads;
mod rows;
mod scratch;
mod sizes;
mod slab;
mod slide;
mod spawn;
mod sweep;
mod table_rows;
mod tables;
mod turn;

use std::time::{Duration, Instant};

use super::Counter;
use super::frontier::Frontier;
use super::parts::{PartOrder, Parts};
use super::plan::Plan;
use super::visit::{CountAfterstates, OnlyList};
use super::workers::Workers;
use crate::counts::Row;
use crate::error::Result;
use crate::game::{Game, PartKey, max_exp};
use crate::laws;
use crate::part::Kind;
use crate::progress::{Progress, Silent};
use crate::store::{CountedLayer, Store};

use listing::{Listing, RowSource};
use pair::PairCounts;
pub(crate) use sizes::Sizes;
use sweep::Sweep;
use table_rows::{afterstates, agree, states_row};

/// When so much time has passed, a frontier is written and what was counted is sealed...
pub(crate) const FRONTIER_AFTER: Duration = Duration::from_secs(45);

/// ...but it takes no more than a part of the time: not before counting took so many times as long
/// as the last frontier did.
const TIMES_FRONTIER: u32 = 3;

/// Counts layers as matrices. Between layers the afterstates of two sums are in memory; they are
/// written as lists, for either engine to go on from, when some layers are to be sealed.
pub(crate) struct Bits<'a> {
    game: Game,
    sweep: Sweep<'a>,
    parts: Parts<'a>,
    /// For what is not matrices.
    plan: Plan,
    /// How long the last frontier took to write.
    frontier_took: Duration,
}

impl Counter for Bits<'_> {
    fn next(
        &mut self,
        last: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<Vec<CountedLayer>> {
        let begun = Instant::now();
        let sealed = store.run().sealed_sum();
        let mut before = [sealed - 2, sealed].map(|sum| store.run().rows(sum));
        let mut layers: Vec<CountedLayer> = Vec::new();
        loop {
            let mut layer = CountedLayer::new(sealed + 2 * (layers.len() as u32 + 1));
            progress.begin(layer.sum);
            let keep = store.run().keep();
            let listed = layer.sum == last || keep.states();
            let found = self.count(&mut layer, listed.then_some(&mut *store), progress)?;
            layer.last = layer.sum >= 8 && self.sweep.ends();
            if layer.last && !listed {
                // That it is the last one is known only now.
                self.count(&mut layer, Some(store), &mut Silent)?;
            }
            if let Some(last) = layers.last_mut() {
                for row in &mut last.rows {
                    (row.afterstates, row.empty_cells) = afterstates(row, &found.afterstates)?;
                }
                before.swap(0, 1);
                before[1].clone_from(&last.rows);
            } else {
                // They were counted when they were written.
                for row in &before[1] {
                    agree(row, &found.afterstates)?;
                }
            }
            self.add_candidates(&mut layer, &before);
            self.sweep.advance()?;
            let interval = FRONTIER_AFTER.max(TIMES_FRONTIER * self.frontier_took);
            let enough = begun.elapsed() >= interval || layer.sum == last || progress.stop();
            let (ends, seals) = (layer.last, enough || keep.afterstates());
            layers.push(layer);
            if seals && !ends {
                let begun = Instant::now();
                self.write_frontier(&mut layers, store, progress)?;
                self.frontier_took = begun.elapsed();
            }
            let layer = layers.last().expect("one was pushed");
            progress.end(&layer.finished(keep));
            if seals || ends {
                return Ok(layers);
            }
        }
    }
}

impl<'a> Bits<'a> {
    /// Make ready to count the layers after the last sealed one of `store`, none after that of sum
    /// `last`; `plan` is for what is not matrices.
    pub(crate) fn new(store: &Store, plan: &Plan, last: u32, workers: &'a Workers) -> Result<Self> {
        let run = store.run();
        let game = *run.game();
        let sum = run.sealed_sum() + 2;
        let end = last.min(game.sum_bound());
        let mut sweep = Sweep::new(
            &game,
            sum as usize / 2,
            end as usize / 2,
            workers,
            plan.threads(),
        )?;
        sweep.take_up(&Frontier::open(run)?)?;
        Ok(Self {
            game,
            sweep,
            parts: Parts::new(plan, workers),
            plan: plan.clone(),
            frontier_took: Duration::ZERO,
        })
    }

    /// Count the states of a layer; write their files if they are to be kept in a `store`.
    fn count(
        &mut self,
        layer: &mut CountedLayer,
        store: Option<&mut Store>,
        progress: &mut dyn Progress,
    ) -> Result<PairCounts> {
        let top = self.game.top();
        let listing = store
            .as_ref()
            .map(|store| Listing::new(top, &self.plan, store));
        let found = self
            .sweep
            .count(listing.as_ref(), &mut |live| progress.advance(live))?;
        let keys = top.up_to().map(|max| PartKey {
            sum: layer.sum,
            max,
        });
        let rows = keys.map(|key| states_row(key, &found));
        layer.rows = rows.collect::<Result<_>>()?;
        if let (Some(listing), Some(store)) = (listing, store) {
            self.write_states(layer, listing, store, &mut || progress.advance(0))?;
        }
        Ok(found)
    }

    /// Write the files of the live states of a layer.
    fn write_states(
        &mut self,
        layer: &mut CountedLayer,
        listing: Listing,
        store: &mut Store,
        report: &mut dyn FnMut(),
    ) -> Result<()> {
        let orders = orders(&layer.rows, listing, || OnlyList);
        let built = self
            .parts
            .build_files(Kind::States, orders, store, |_| report())?;
        for (at, built) in built.into_iter().enumerate() {
            let (row, sealed) = (layer.rows[at], built.part);
            laws::equal(&row, "live states", row.live, sealed.states)?;
            laws::equal(&row, "fingerprint", row.fingerprint.0, sealed.fingerprint.0)?;
            layer.wrote(Kind::States, sealed.bytes, built.cuts);
        }
        Ok(())
    }

    /// Each candidate fills an empty cell of an afterstate, or is a start.
    fn add_candidates(&self, layer: &mut CountedLayer, before: &[Vec<Row>; 2]) {
        let starts = self.game.starts(layer.sum);
        for row in &mut layer.rows {
            let key = row.key().expect("a row of the engine has a tile");
            let starts = starts.iter().filter(|&&board| max_exp(board) == key.max);
            let cells = key.spawned_from().map(|(from, _)| {
                let rows = &before[usize::from(from.sum + 2 == layer.sum)];
                Row::among(rows, from).empty_cells
            });
            row.candidates = starts.count() as u64 + cells.sum::<u64>();
            row.duplicates = row.candidates.saturating_sub(row.states());
        }
    }

    /// Write the afterstates of the last two layers, as far as they are not sealed. To those who
    /// watch, it is the end of the last one.
    fn write_frontier(
        &mut self,
        layers: &mut [CountedLayer],
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let last = layers.len() - 1;
        for at in last.saturating_sub(1)..=last {
            let listing = Listing::new(self.game.top(), &self.plan, store);
            self.sweep
                .list_afterstates(at == last, &listing, &mut || progress.advance(0))?;
            let visit = || CountAfterstates::new(&self.game);
            let orders = orders(&layers[at].rows, listing, visit);
            let report = |_| progress.advance(0);
            let built = self
                .parts
                .build_files(Kind::Afterstates, orders, store, report)?;
            for (number, built) in built.into_iter().enumerate() {
                let (sealed, tally) = (built.part, built.tally);
                let row = &mut layers[at].rows[number];
                if at < last {
                    laws::equal(row, "afterstates", row.afterstates, sealed.states)?;
                    laws::equal(row, "empty cells", row.empty_cells, tally.empty_cells)?;
                }
                (row.afterstates, row.empty_cells) = (sealed.states, tally.empty_cells);
                layers[last].wrote(Kind::Afterstates, sealed.bytes, built.cuts);
            }
        }
        Ok(())
    }
}

/// What is to be built of a layer's rows.
fn orders<V>(
    rows: &[Row],
    listing: Listing,
    visit: impl Fn() -> V,
) -> Vec<PartOrder<RowSource, V>> {
    let orders = rows.iter().zip(listing.into_sources());
    let orders = orders.map(|(row, source)| PartOrder {
        key: row.key().expect("a row of the engine has a tile"),
        source,
        visit: visit(),
    });
    orders.collect()
}

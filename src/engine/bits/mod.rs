//! A layer as bit matrices: the second way to hold it, for boards of 4x4.
//!
//! Key idea: a layer of 4x4 is dense. Of all boards of its sum, in all orientations, one in eight
//! is reached. So a bit for each board takes less memory than a list of the canonical boards. One
//! instruction of AVX-512 moves or spawns 512 boards, and no sort must drop repeats.
//!
//! # A board as a bit
//!
//! ```text
//!     a board          P, its top half       Q, its bottom half, upside down
//!
//!     1 . . . outer    1 . . .               . . 3 5   outer row, at the edge
//!     2 1 . . inner    2 1 . .               4 . . .   inner row, in the middle
//!     - - - -
//!     4 . . . inner    weight 1+2+1 = 4      weight 4+16+8 = 28
//!     . . 3 5 outer    position of P among   position of Q among
//!                      halves of weight 4:   halves of weight 28:
//!                      the row number        the column number
//!
//!     The bit at (P, Q) of matrix (4, 28) says whether the board is reached.
//!
//!     A move left      1 . . .               3 5 . .   Each row keeps its weight:
//!     changes P and    2 1 . .               4 . . .   the bit stays in (4, 28).
//!     Q separately:
//!
//!     A move up        1 1 3 5               . . . .   Tiles change halves:
//!     mixes P and Q:   2 . . .               4 . . .   the bit goes to (24, 8).
//! ```
//!
//! Digits are exponents; the weight of exponent e is 2^(e-1). A stone, of digit 15, weighs more than all
//! tiles of a board, so a weight also tells the number of stones (`weights`). A vertical flip of a board
//! swaps P and Q, because Q is read upside down. So one set of tables serves rows and columns. A stored
//! matrix has only the rows and columns that can have bits.
//!
//! # A layer
//!
//! **A move to the left** works on P and Q separately. The row of P goes by OR into the row of P
//! moved. The result is transposed, and Q moves in the same way. Something must change: if P stays,
//! a mask removes each Q that stays, too.
//!
//! **A spawn** in the top half makes P from the halves that lack one of its 2s or 4s: the OR of
//! their rows of afterstates. A spawn in the bottom half works on the transposed rows.
//!
//! **Symmetry.** All eight images of a board have bits, so moves to the left are enough. Moves to
//! the right lead to mirror images of their results, and moves up and down to quarter turns. Of a
//! layer, only the results of moves to the left with an empty cell in the top half are stored: every
//! afterstate or its flip has such a cell. A quarter turn derives the moves down. A row of states
//! is made, counted, named, moved and dropped.
//!
//! ```text
//!   Afterstates of sums s-2 and s-4: moved to the left, packed
//!      |
//!      | moves_down   by a quarter turn: copies fields of bits                make_moves_down
//!      v
//!   AfterstateMatrix  all afterstates with a top half of one weight
//!      |
//!      | spawn        a row of states: one top half, all bottom halves            Pair
//!      +--> count     labeled boards, moves, wins, dead states: bits under masks
//!      +--> canonical boards one by one: their number and fingerprint             NamedBoards
//!      |
//!      | slide        OR into the row of the moved top half, transpose, OR again
//!      v
//!   Afterstates of sum s, packed
//! ```
//!
//! **Counts** are of labeled boards. The number of canonical boards follows by Burnside's lemma
//! from the few boards with a symmetry of their own. The canonical boards are also named one by
//! one, and both numbers must agree for every part.
//!
//! **Layers on disk.** From time to time, and after a stop, the packed matrices of two sums are
//! written. Then the layers up to these sums are sealed. Their afterstates were counted, so a resumed
//! count compares the matrices that it reads with the table. The sweep of the next layer counts the
//! afterstates of a layer, so the last layer waits for it, unless a stop is asked. When a count ends,
//! or when lists take over, the matrices are replaced by lists, the frontier that the list engine
//! leaves. So either engine resumes where the other stopped. A run that keeps matrices keeps them all.
//!
//! **Lists.** Boards are listed row by row (`listing`), each with its own top half. Without a
//! listing half the rows are enough: a pair names the flipped boards, too. Candidates are not
//! counted: each fills an empty cell of an afterstate, or is a start.
//!
//! # Words
//!
//! | noun | meaning |
//! |---|---|
//! | half, quad | two rows of a board; four cells, half of a half ([`Half`](half::Half)) |
//! | weight | half the sum of the tiles, and the number of stones ([`Weights`](weights::Weights)) |
//! | class | all halves of one weight, in order ([`Class`](class::Class)) |
//! | position | the number of a half in its class |
//! | row, column | the bits of all boards with one top half; with one bottom half |
//! | line | 512 bits of a row ([`BitLine`](kernels::BitLine)) |
//! | padding | positions without a half at the end of a range, up to a whole line |
//! | mask | a row of bits that selects columns |
//! | compact row | a row of those lines that have short halves, or hollow halves |
//! | pair | a top weight and a bottom weight ([`Pair`](pair::Pair)); it stands for its flip, too |
//! | sweep | the count of a layer, pair by pair ([`Sweep`]) |
//! | turn | a quarter turn of boards: moves to the left become moves down |
//! | moves down | the afterstates of moves down, made by a turn ([`make_moves_down`](moves_down::make_moves_down)) |
//! | moved half | a half that a move to the left leads to; a moved row has an empty cell, too |
//! | fallen half | a half that a move down onto a full half can leave |
//! | slot | a row of an [`AfterstateMatrix`](afterstate_matrix::AfterstateMatrix) |
//! | target | the position after a move to the left |
//! | image | the mirror image of a half, or one of the eight images of a board |
//! | full half | a half without an empty cell |
//! | hollow half | a half that can lie over a gap after a move down; a column is empty |
//! | short half | a half that can lie under a gap after a move down |
//! | field | the bits of the halves with one right quad and any full left quad of one weight |
//! | removal | a half without one of its 2s or 4s |
//! | prefix | the first two cells of an image of a board |
//! | named board | a canonical board that was visited, not only counted |
//!
//! Reading order: `half`, `weights`, `quads`, `class`, `positions` (the bits); `counts`; `tables` (what
//! each step looks up); `kernels`, `transpose`, `matrix`, `packed_matrix`, `field` (they know no board);
//! `afterstates`, `moves_down` with `turn`, `afterstate_matrix`; `pair` (the loop over rows), and its
//! steps in order: `spawn`, `count`, `canonical` with `prefixes`, `slide`; `sweep` (a layer),
//! `listing`, `unpack`; this file (layers and their files); `sizes`, `memory`; `task` (some pairs, for a
//! cluster); `find` (single boards).

mod afterstate_matrix;
mod afterstates;
pub(crate) mod canonical;
mod class;
mod count;
mod counts;
mod field;
mod find;
mod half;
pub(crate) mod kernels;
mod listing;
mod matrix;
mod memory;
mod moves_down;
mod packed_matrix;
mod pair;
mod positions;
mod prefixes;
mod quads;
mod sizes;
mod slide;
mod spawn;
mod sweep;
mod tables;
mod task;
pub(crate) mod transpose;
mod turn;
mod unpack;
mod weights;

use std::mem;
use std::sync::Arc;
use std::time::Instant;

use super::plan::Plan;
use super::workers::Workers;
use crate::error::Result;
use crate::game::LAST_START;
use crate::part::Kind;
use crate::progress::{Progress, Silent};
use crate::store::{CountedLayer, Store};

pub(crate) use counts::{
    PairCounts, compare_afterstates, set_afterstates, set_candidates, states_rows,
};
pub(crate) use find::Finder;
use listing::Listing;
pub(crate) use memory::{fit, for_layer, least_bound};
pub(crate) use sizes::Sizes;
use sweep::Sweep;
use tables::Halves;
pub(crate) use task::{cut_pairs, sweep_pairs};
use unpack::ListWriter;
pub(crate) use unpack::{Unpacker, unpack_frontier};

/// Counts layers as matrices. Between layers the afterstates of two sums are in memory. To seal
/// layers, they are written to files.
pub(crate) struct Bits<'a> {
    sweep: Sweep<'a>,
    lists: ListWriter<'a>,
    /// The plan for everything but matrices.
    plan: Plan,
    sizes: Sizes,
    /// Sum of the first layer that this process counts.
    first: u32,
    /// A layer that is not sealed yet.
    ahead: Option<CountedLayer>,
    /// Whether the next layer begins with a commit, because the disk was full.
    commits: bool,
}

impl<'a> Bits<'a> {
    /// Prepare to count from the last sealed layer of `store` to the layer of sum `last`. `plan` is
    /// for everything but matrices.
    pub(crate) fn new(store: &Store, plan: &Plan, last: u32, workers: &'a Workers) -> Result<Self> {
        let run = store.run();
        let game = *run.game();
        let sum = run.sealed_sum() + 2;
        let end = last.min(game.sum_bound());
        let most = end as usize / 2;
        let halves = Arc::new(workers.install(|| Halves::new(&game, most, |_| true)));
        let mut sweep = Sweep::new(&game, sum, halves, workers, plan);
        for sum in [sum - 2, sum - 4] {
            sweep.load_compared(sum, run)?;
        }
        Ok(Self {
            sweep,
            lists: ListWriter::new(&game, plan, workers),
            plan: plan.clone(),
            sizes: Sizes::new(&game, end, plan),
            first: sum,
            ahead: None,
            commits: false,
        })
    }

    /// Whether a layer is counted that is not sealed yet.
    pub(crate) fn is_ahead(&self) -> bool {
        self.ahead.is_some()
    }

    /// Count one or more layers after the last sealed layer, up to sum `last`, and write their files.
    pub(crate) fn next(
        &mut self,
        last: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<Vec<CountedLayer>> {
        if mem::take(&mut self.commits) {
            store.commit()?;
        }
        let begun = Instant::now();
        let sealed = store.run().sealed_sum();
        let mut before = [sealed - 2, sealed].map(|sum| store.run().rows(sum));
        let mut layers: Vec<CountedLayer> = self.ahead.take().into_iter().collect();
        loop {
            let mut layer = CountedLayer::new(sealed + 2 * (layers.len() as u32 + 1));
            progress.begin(layer.sum);
            let keep = store.run().keep();
            let found = match self.count_whole(&mut layer, last, store, progress) {
                Err(error) if error.is_stop_or_lack_of_space() && !layers.is_empty() => {
                    self.lists = ListWriter::new(&self.sweep.game, &self.plan, self.sweep.workers);
                    self.commits = true;
                    store.outbox().drop_from(layer.sum)?;
                    self.write_frontier(&mut layers, false, store, progress)?;
                    return Ok(layers);
                }
                found => found?,
            };
            if let Some(last) = layers.last_mut() {
                set_afterstates(&mut last.rows, &found.afterstates)?;
                before.swap(0, 1);
                before[1].clone_from(&last.rows);
            } else {
                // The afterstates were counted before they were written.
                for row in &before[1] {
                    compare_afterstates(row, &found.afterstates)?;
                }
            }
            set_candidates(&self.sweep.game, layer.sum, &mut layer.rows, &before);
            let (ends, is_last) = (layer.last, layer.sum == last);
            let seals = is_last || progress.stop() || keep.lists_of_afterstates();
            if begun.elapsed() >= self.plan.frontier_after && !(seals || ends || layers.is_empty())
            {
                // The afterstates of this layer are not counted yet.
                let workers = self.sweep.workers;
                let bytes = workers.finish(|| self.write_last_two(&layers, store))?;
                layer.wrote(Kind::Afterstates, bytes);
                self.sweep.advance();
                progress.end(&layer.finished(keep));
                self.ahead = Some(layer);
                return Ok(layers);
            }
            self.sweep.advance();
            layers.push(layer);
            if seals && !ends {
                self.write_frontier(&mut layers, is_last, store, progress)?;
            }
            let layer = layers.last().expect("a layer was pushed");
            progress.end(&layer.finished(keep));
            if seals || ends {
                return Ok(layers);
            }
        }
    }

    /// Count the states of a layer. The states are also listed if the run keeps them, or if the
    /// layer is the layer of sum `last`, or the last of the game. A run that keeps matrices lists
    /// nothing.
    fn count_whole(
        &mut self,
        layer: &mut CountedLayer,
        last: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<PairCounts> {
        let keep = store.run().keep();
        let listed = keep.states() || layer.sum == last && !keep.matrices();
        let found = self.count(layer, listed.then_some(&mut *store), progress)?;
        layer.last = layer.sum >= LAST_START && self.sweep.ends();
        if layer.last && !listed && !keep.matrices() {
            // Only the first count tells that this layer is the last, whose states are listed.
            self.count(layer, Some(store), &mut Silent)?;
        }
        if keep.matrices() {
            let bytes = self.sweep.write(layer.sum, self.plan.level, store)?;
            layer.wrote(Kind::Afterstates, bytes);
        }
        Ok(found)
    }

    /// Count the states of a layer. With a `store`, also write their files.
    fn count(
        &mut self,
        layer: &mut CountedLayer,
        store: Option<&mut Store>,
        progress: &mut dyn Progress,
    ) -> Result<PairCounts> {
        let top = self.sweep.game.top();
        let listing = store
            .as_ref()
            .map(|store| Listing::new(top, &self.plan, store.run().dir()));
        // Lists need the memory of the plan.
        let free = match store {
            Some(_) => self.plan.matrices,
            None => self.plan.all_memory(),
        };
        self.sweep.most_moves_down = self.sizes.most_moves_down(self.first..=layer.sum, free);
        let found = self
            .sweep
            .count(listing.as_ref(), &mut |live| progress.advance(live))?;
        layer.rows = states_rows(&self.sweep.game, layer.sum, &found)?;
        if let (Some(listing), Some(store)) = (listing, store) {
            let (rows, files) = (&mut layer.rows, store.outbox());
            let (bytes, spilled) = self.lists.write_states(rows, listing, files, progress)?;
            layer.wrote(Kind::States, bytes);
            layer.spilled += spilled;
        }
        Ok(found)
    }

    /// Write the frontier after the last of `layers`, even after a stop: as lists if the run keeps
    /// lists, or if the count ends with this layer. Progress reports this time as the end of the
    /// last layer.
    fn write_frontier(
        &mut self,
        layers: &mut [CountedLayer],
        is_last: bool,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let (keep, last) = (store.run().keep(), layers.len() - 1);
        let workers = self.sweep.workers;
        workers.finish(|| {
            if keep.lists_of_afterstates() || is_last && !keep.matrices() {
                return self.list_frontier(layers, store, progress);
            }
            let counts = self.sweep.count_afterstates(layers[last].sum)?;
            set_afterstates(&mut layers[last].rows, &counts)?;
            let bytes = self.write_last_two(layers, store)?;
            layers[last].wrote(Kind::Afterstates, bytes);
            Ok(())
        })
    }

    /// Write the afterstates of the last two of `layers` as matrices. Returns the bytes of the files.
    fn write_last_two(&self, layers: &[CountedLayer], store: &mut Store) -> Result<u64> {
        let last_two = layers.iter().skip(layers.len().saturating_sub(2));
        let level = self.plan.level;
        last_two
            .map(|layer| self.sweep.write(layer.sum, level, store))
            .sum()
    }

    /// List the afterstates of the last of `layers`, and of the layer before it unless they are
    /// listed.
    fn list_frontier(
        &mut self,
        layers: &mut [CountedLayer],
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let last = layers.len() - 1;
        let last_sum = layers[last].sum;
        // The lists take memory that the sweep could use, if it listed no states.
        let sums = self.first..=last_sum;
        let moves_down = self.sizes.most_moves_down(sums, self.plan.matrices);
        self.sweep.shrink_moves_down(moves_down);
        for sum in [last_sum - 2, last_sum] {
            if store.run().has_lists(sum) {
                continue;
            }
            let mut sealed = store.run().all_rows(sum);
            let rows = match layers.iter_mut().find(|layer| layer.sum == sum) {
                Some(layer) => &mut layer.rows,
                None => &mut sealed,
            };
            let dir = store.run().dir().to_owned();
            let (layer, place) = ((sum, &mut rows[..], sum != last_sum), (&self.plan, &*dir));
            let (sweep, lists, files) = (&mut self.sweep, &mut self.lists, store.outbox());
            let (bytes, spilled) = lists.write_afterstates(sweep, layer, place, files, progress)?;
            layers[last].wrote(Kind::Afterstates, bytes);
            layers[last].spilled += spilled;
        }
        Ok(())
    }
}

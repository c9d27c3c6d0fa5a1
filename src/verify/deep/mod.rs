//! Make every layer again from the layers before it, in another way than the engine, and compare.
//!
//! The engine goes from states to afterstates to states, through a lossy filter, buckets that may
//! be compacted and spilled, and a radix sort. Here each state leads directly to the states that
//! follow it: every move (`line_moves`), a 2 or a 4 in every empty cell, the canonical image. That
//! makes more than twenty candidates per state, so it takes about ten times as long. The two ways
//! share only the canonical form and the reader of part files.
//!
//! Key idea: the layer to be checked says how to divide the work. Each of its blocks is a bucket,
//! which collects the candidates from that block's range; repeats are dropped whenever a bucket
//! fills up. At the end each bucket must hold exactly the states of its block. When the buckets of
//! a layer do not all fit in memory, they are filled in several passes over the layers before.
//!
//! Reading order: this file (the passes), `buckets`, `layer` (the layer to be checked).

mod buckets;
mod layer;

use std::ops::Range;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::Watch;
use super::line_moves::{Legal, LineMoves};
use crate::error::{Error, Result};
use crate::game::board::exps;
use crate::game::{Board, Census, Exp};
use crate::part::Decoder;
use crate::store::Run;
use buckets::{BUCKET_BYTES, Buckets};
use layer::{Layer, LayerPart, Totals};

/// Number of states whose candidates are sorted together, so that they stay in a core's cache.
const SLICE: usize = 1 << 11;

/// Make every layer again, and compare live states one by one, and the numbers of dead states,
/// labeled boards, moves and wins with the table. `watch` gets the number of states followed.
/// Returns what is wrong, at most one finding for each part. Takes about `memory` bytes, but at
/// least one bucket.
///
/// # Errors
///
/// [`Error::Dropped`] if some layers are gone (`--keep last`); errors in reading a file.
pub fn verify(run: &Run, pool: &ThreadPool, memory: u64, watch: Watch) -> Result<Vec<Error>> {
    if run.first_sum() > 4 {
        return Err(Error::Dropped {
            path: run.dir().to_owned(),
            below: run.first_sum(),
        });
    }
    let buckets = usize::try_from(memory / BUCKET_BYTES).unwrap_or(usize::MAX);
    let recount = Recount {
        run,
        moves: LineMoves::new(run.game()),
        buckets_at_once: buckets.max(1),
        watch,
    };
    // Nothing follows the last layer of a complete game: check that the next two layers are empty.
    let end = run.sealed_sum() + if run.complete() { 4 } else { 0 };
    let mut findings = Vec::new();
    for sum in (4..=end).step_by(2) {
        findings.extend(pool.install(|| recount.check_layer(sum))?);
    }
    Ok(findings)
}

/// A second count of a run.
struct Recount<'a> {
    run: &'a Run,
    moves: LineMoves,
    /// Number of buckets that fit in memory.
    buckets_at_once: usize,
    watch: Watch<'a>,
}

impl Recount<'_> {
    /// Make the layer of a sum again, and compare; returns at most one finding for each part.
    fn check_layer(&self, sum: u32) -> Result<Vec<Error>> {
        let layer = Layer::open(self.run, sum)?;
        let sources = [
            (Layer::open(self.run, sum - 2)?, Exp::TWO),
            (Layer::open(self.run, sum.saturating_sub(4))?, Exp::FOUR),
        ];
        let mut outcomes: Vec<Result<Totals>> = layer
            .parts()
            .iter()
            .map(|_| Ok(Totals::default()))
            .collect();
        for first in (0..layer.buckets()).step_by(self.buckets_at_once) {
            let pass = first..layer.buckets().min(first + self.buckets_at_once);
            for (part, outcome) in self.check_pass(&layer, &sources, pass)? {
                // The first finding of a part stays.
                let so_far = &mut outcomes[part];
                if let Ok(totals) = so_far {
                    match outcome {
                        Ok(more) => *totals += more,
                        Err(error) => *so_far = Err(error),
                    }
                }
            }
        }
        let outcomes = layer.parts().iter().zip(outcomes);
        let findings = outcomes.filter_map(|(part, outcome)| {
            outcome
                .and_then(|totals| self.check_row(part, totals))
                .err()
        });
        Ok(findings.collect())
    }

    /// Fill the buckets of a pass, and compare each with its block; the part of each is returned
    /// with the outcome.
    fn check_pass(
        &self,
        layer: &Layer,
        sources: &[(Layer, Exp)],
        pass: Range<usize>,
    ) -> Result<Vec<(usize, Result<Totals>)>> {
        let buckets = Buckets::new(layer, pass.clone());
        buckets.add(&mut self.run.game().starts(layer.sum()));
        self.fill(&buckets, sources, pass.start == 0)?;
        let outcomes = buckets.into_states().zip(pass).map(|(states, bucket)| {
            let (part, block) = layer.place(bucket);
            (part, self.check_bucket(&layer.parts()[part], block, states))
        });
        Ok(outcomes.collect())
    }

    /// Put all candidates that the layers before lead to into `buckets`.
    fn fill(&self, buckets: &Buckets, sources: &[(Layer, Exp)], first_pass: bool) -> Result<()> {
        let blocks = sources.iter().flat_map(|(layer, tile)| {
            let parts = layer.parts().iter().filter_map(|part| part.file.as_ref());
            parts.flat_map(move |part| (0..part.blocks()).map(move |block| (part, block, *tile)))
        });
        let blocks: Vec<_> = blocks.collect();
        blocks.par_iter().try_for_each(|&(part, block, tile)| {
            let mut decoder = Decoder::new()?;
            let (mut states, mut candidates) = (Vec::new(), Vec::new());
            part.read_block(block, &mut decoder, &mut states)?;
            if first_pass && tile == Exp::TWO {
                (self.watch)(states.len() as u64);
            }
            for states in states.chunks(SLICE) {
                candidates.clear();
                self.follow(states, tile, &mut candidates);
                buckets.add(&mut candidates);
            }
            Ok(())
        })
    }

    /// Append the canonical states that follow `states` when `tile` is spawned.
    fn follow(&self, states: &[Board], tile: Exp, candidates: &mut Vec<Board>) {
        let cells = self.run.game().size().cells();
        let mut afterstates = Vec::with_capacity(4);
        for &state in states {
            afterstates.clear();
            self.moves.moves(state, &mut afterstates);
            for &board in &afterstates {
                for (cell, exp) in (0..cells).zip(exps(board)) {
                    if exp == Exp::EMPTY {
                        candidates.push(board | u64::from(tile.get()) << (4 * cell));
                    }
                }
            }
        }
        self.run.game().rules().canonicalise(candidates);
    }

    /// Check that the live ones of a bucket's states are those of its block.
    fn check_bucket(
        &self,
        part: &LayerPart,
        block: usize,
        mut states: Vec<Board>,
    ) -> Result<Totals> {
        let Census { dead, labeled } = self.run.game().rules().census(&mut states.clone());
        let mut afterstates = Vec::new();
        states.retain(|&state| {
            afterstates.clear();
            self.moves.moves(state, &mut afterstates).moves > 0
        });
        let stored = part.read_block(block)?;
        if let Some(state) = first_difference(&states, &stored) {
            let what = if stored.binary_search(&state).is_ok() {
                "follows from no state before it"
            } else {
                "is not there, but follows from a state before it"
            };
            return Err(self.wrong(part, format!("block {block}: {state:#x} {what}")));
        }
        Ok(Totals {
            live: states.len() as u64,
            dead,
            labeled,
        })
    }

    /// Check that the counts of a part are those of its row.
    fn check_row(&self, part: &LayerPart, totals: Totals) -> Result<()> {
        let legal = self.count_moves(part)?;
        let row = part.row;
        for (what, expected, got) in [
            ("live", row.live, totals.live),
            ("dead", row.dead, totals.dead),
            ("labeled", row.labeled, totals.labeled),
            ("moves", row.moves, legal.moves),
            ("wins", row.wins, legal.wins),
        ] {
            if expected != got {
                let (sum, max) = (row.sum, row.max_tile);
                return Err(self.wrong(
                    part,
                    format!("sum {sum}, largest tile {max}: the manifest says {what} {expected}, made again {got}"),
                ));
            }
        }
        Ok(())
    }

    /// Legal and winning moves of all states of a part.
    fn count_moves(&self, part: &LayerPart) -> Result<Legal> {
        let blocks = (0..part.blocks()).into_par_iter().map(|block| {
            let (mut legal, mut afterstates) = (Legal::default(), Vec::new());
            for state in part.read_block(block)? {
                afterstates.clear();
                legal += self.moves.moves(state, &mut afterstates);
            }
            Ok(legal)
        });
        blocks.try_reduce(Legal::default, |mut legal, more| {
            legal += more;
            Ok(legal)
        })
    }

    fn wrong(&self, part: &LayerPart, what: String) -> Error {
        let file = part.file.as_ref().map(|part| part.path());
        Error::Damaged {
            path: file.unwrap_or(self.run.dir()).to_owned(),
            what,
        }
    }
}

/// The least state that only one of two sorted lists holds.
fn first_difference(a: &[Board], b: &[Board]) -> Option<Board> {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    match (a.get(same), b.get(same)) {
        (Some(a), Some(b)) => Some(*a.min(b)),
        (a, b) => a.or(b).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_the_least_state_that_one_list_lacks() {
        for (a, b, difference) in [
            (&[1, 2, 3][..], &[1, 2, 3][..], None),
            (&[1, 2, 3], &[1, 3], Some(2)),
            (&[1, 2], &[1, 2, 3], Some(3)),
            (&[4], &[], Some(4)),
        ] {
            assert_eq!(first_difference(a, b), difference);
            assert_eq!(first_difference(b, a), difference);
        }
    }
}

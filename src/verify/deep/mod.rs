//! Makes every layer again from the layers before it, in another way than the engine, and compares.
//!
//! The engine goes from states to afterstates to states, through a lossy filter, buckets that may
//! be compacted and spilled, and a radix sort. Here each state leads directly to the states that
//! follow it: every move (`line_moves`), a 2 or a 4 in every empty cell, the canonical image. That
//! makes more than twenty candidates per state, so it takes about ten times as long. The two ways
//! share only the canonical form and the reader of part files. Kept afterstates are made again,
//! too: from the states, or from other afterstates if the states were dropped.
//!
//! Key idea: the layer to be checked determines how to divide the work. Each of its blocks is a
//! bucket, which collects the candidates from that block's range; repeats are dropped whenever a
//! bucket fills up. At the end each bucket must hold exactly the states of its block. When the
//! buckets of a layer do not all fit in memory, they are filled in several passes over the layers
//! before.
//!
//! Reading order: `follow` (boards that follow from others), this file (the passes), `buckets`,
//! `layer` (the layer to be checked); `values` checks a solution likewise.

mod buckets;
mod follow;
mod layer;
pub mod values;

use std::ops::Range;
use std::sync::Mutex;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::{Watch, advance};
use crate::error::{Error, Result};
use crate::game::{Board, Exp, Tally};
use crate::part::{Decoder, Kind};
use crate::progress::Progress;
use crate::store::Run;
use buckets::{BlockBuckets, bucket_bytes};
use follow::{Follow, TargetLayer};
use layer::{LayerFiles, LayerPart};

/// Number of states whose candidates are sorted together, so that they stay in a core's cache.
const SLICE: usize = 1 << 11;

/// Make every layer again, and compare live states and afterstates one by one, as far as they were
/// kept, and the numbers of dead states, labeled boards, moves, wins and empty cells with the table.
/// `progress` hears of the boards that are followed. Returns what is wrong, at most one finding for each
/// file. Takes about `memory` bytes, but at least one bucket.
///
/// # Errors
///
/// [`Error::Gone`] if neither the states of every layer were kept nor the afterstates; errors in
/// reading a file.
pub fn verify(
    run: &Run,
    pool: &ThreadPool,
    memory: u64,
    progress: &mut dyn Progress,
) -> Result<Vec<Error>> {
    let recount = Recount {
        run,
        follow: Follow::new(run.game()),
        memory,
        watch: &Mutex::new(progress),
    };
    let mut findings = Vec::new();
    for target in TargetLayer::all(run)? {
        findings.extend(pool.install(|| recount.check_layer(target))?);
    }
    Ok(findings)
}

/// Number of boards that [`verify`] follows.
///
/// # Errors
///
/// [`Error::Gone`], as for [`verify`].
pub fn work(run: &Run) -> Result<u64> {
    let targets = TargetLayer::all(run)?.into_iter();
    let boards = targets.map(|target| {
        let (sum, _) = target.sources()[0];
        let rows = run.rows(sum).into_iter();
        let boards = rows.map(|row| match target.from {
            Kind::States => row.live,
            Kind::Afterstates => row.afterstates,
        });
        boards.sum::<u64>()
    });
    Ok(boards.sum())
}

/// A layer from which others follow, with the spawned tile, if there is one.
type SourceLayer = (LayerFiles, Option<Exp>);

/// A second count of a run.
struct Recount<'a, 'p> {
    run: &'a Run,
    follow: Follow,
    /// Bytes for buckets.
    memory: u64,
    watch: Watch<'a, 'p>,
}

impl Recount<'_, '_> {
    /// Make a layer again, and compare; returns at most one finding for each part.
    fn check_layer(&self, target: TargetLayer) -> Result<Vec<Error>> {
        let layer = LayerFiles::open(self.run, target.kind, target.sum)?;
        let sources = target.sources().into_iter();
        let sources = sources.map(|(sum, tile)| {
            let layer = LayerFiles::open(self.run, target.from, sum)?;
            Ok((layer, tile))
        });
        let sources = sources.collect::<Result<Vec<_>>>()?;
        let at_once = usize::try_from(self.memory / bucket_bytes(target.kind));
        let at_once = at_once.unwrap_or(usize::MAX).max(1);
        let mut outcomes: Vec<Result<Tally>> =
            layer.parts().iter().map(|_| Ok(Tally::default())).collect();
        for first in (0..layer.buckets()).step_by(at_once) {
            let pass = first..layer.buckets().min(first.saturating_add(at_once));
            for (part, outcome) in self.check_pass(target, &layer, &sources, pass)? {
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
                .and_then(|totals| self.check_row(target.kind, part, totals))
                .err()
        });
        Ok(findings.collect())
    }

    /// Fill the buckets of a pass, and compare each with its block. Returns the part and the
    /// outcome of each bucket.
    fn check_pass(
        &self,
        target: TargetLayer,
        layer: &LayerFiles,
        sources: &[SourceLayer],
        pass: Range<usize>,
    ) -> Result<Vec<(usize, Result<Tally>)>> {
        let buckets = BlockBuckets::new(layer, pass.clone());
        buckets.add(&mut self.follow.starts(target));
        self.fill(target, &buckets, sources, pass.start == 0)?;
        let outcomes = buckets.into_boards().zip(pass).map(|(boards, bucket)| {
            let (part, block) = layer.place(bucket);
            let part_of_bucket = &layer.parts()[part];
            (
                part,
                self.check_bucket(target, part_of_bucket, block, boards),
            )
        });
        Ok(outcomes.collect())
    }

    /// Put all candidates that the sources lead to into `buckets`.
    fn fill(
        &self,
        target: TargetLayer,
        buckets: &BlockBuckets,
        sources: &[SourceLayer],
        first_pass: bool,
    ) -> Result<()> {
        let blocks = sources.iter().flat_map(|(layer, tile)| {
            let parts = layer.parts().iter().filter_map(|part| part.file.as_ref());
            parts.flat_map(move |part| (0..part.blocks()).map(move |block| (part, block, *tile)))
        });
        let blocks: Vec<_> = blocks.collect();
        blocks.par_iter().try_for_each(|&(part, block, tile)| {
            let mut decoder = Decoder::new()?;
            let mut boards = Vec::new();
            part.read_block(block, &mut decoder, &mut boards)?;
            if first_pass && tile != Some(Exp::FOUR) {
                advance(self.watch, boards.len() as u64);
            }
            for boards in boards.chunks(SLICE) {
                buckets.add(&mut self.follow.boards(target, boards, tile));
            }
            Ok(())
        })
    }

    /// Check that a bucket's boards, without dead states, equal the boards of its block.
    fn check_bucket(
        &self,
        target: TargetLayer,
        part: &LayerPart,
        block: usize,
        mut boards: Vec<Board>,
    ) -> Result<Tally> {
        let rules = self.run.game().rules();
        let mut totals = Tally::default();
        match target.kind {
            Kind::States => {
                totals = rules.census(&mut boards.clone());
                let mut afterstates = Vec::new();
                boards.retain(|&state| {
                    afterstates.clear();
                    self.follow.moves.moves(state, &mut afterstates).moves > 0
                });
            }
            Kind::Afterstates => totals.empty_cells = rules.empty_cells(&boards),
        }
        totals.unique = boards.len() as u64;
        let stored = part.read_block(block)?;
        if let Some(board) = first_difference(&boards, &stored) {
            let what = if stored.binary_search(&board).is_ok() {
                "follows from no state before it"
            } else {
                "is missing, but follows from a state before it"
            };
            return Err(self.wrong(part, format!("block {block}: {board:#x} {what}")));
        }
        Ok(totals)
    }

    /// Check the counts of a part against its row.
    fn check_row(&self, kind: Kind, part: &LayerPart, totals: Tally) -> Result<()> {
        let row = part.row;
        let counts = match kind {
            Kind::States => {
                let legal = self.count_moves(part)?;
                vec![
                    ("live", row.live, totals.unique),
                    ("dead", row.dead, totals.dead),
                    ("labeled", row.labeled, totals.labeled),
                    ("moves", row.moves, legal.moves),
                    ("wins", row.wins, legal.wins),
                ]
            }
            Kind::Afterstates => vec![
                ("afterstates", row.afterstates, totals.unique),
                ("empty cells", row.empty_cells, totals.empty_cells),
            ],
        };
        for (what, expected, got) in counts {
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

    /// The numbers of legal and of winning moves of a part's states.
    fn count_moves(&self, part: &LayerPart) -> Result<Tally> {
        let blocks = (0..part.blocks()).into_par_iter().map(|block| {
            let (mut legal, mut afterstates) = (Tally::default(), Vec::new());
            for state in part.read_block(block)? {
                afterstates.clear();
                legal += self.follow.moves.moves(state, &mut afterstates);
            }
            Ok(legal)
        });
        blocks.try_reduce(Tally::default, |mut legal, more| {
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

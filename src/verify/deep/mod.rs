//! Makes every layer again from the layers before it, by another algorithm than the engine's, and
//! compares.
//!
//! The engine goes from states to afterstates to states: as lists, through a lossy filter, buckets
//! and a radix sort; as bits, in matrices. Here each state leads directly to the states that
//! follow it: every move (`follow`), a 2 or a 4 in every empty cell, the canonical image. This
//! makes more than twenty candidates per state, so it takes about ten times as long. The algorithms
//! share only the starts, the canonical form, the counts of dead states, of labeled boards and of
//! empty cells, and the readers of files. Kept afterstates are also made again: from the states, or
//! from other afterstates if the states were dropped.
//!
//! Key idea: the blocks of the layer to be checked divide the work. Each block has a bucket, which
//! collects the candidates in the range of the block. Repeats are dropped whenever a bucket fills up.
//! At the end each bucket must hold exactly the states of its block. If the buckets of a layer do not
//! all fit in memory, several passes over the layers before fill them.
//!
//! Reading order: `follow` (boards that follow from others), this file (the passes), `layer` (the
//! layer to be checked, and its buckets). `values` checks a solution in a similar way.

mod follow;
mod layer;
pub mod values;

use std::ops::Range;
use std::sync::Mutex;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::{Watch, advance, drop_repeats};
use crate::error::{Error, Result};
use crate::game::{Board, Exp, Tally};
use crate::part::{Decoder, Kind, Part};
use crate::progress::Progress;
use crate::read::Reader;
use crate::store::Run;
use follow::{LineMoves, TargetLayer};
use layer::{BlockBuckets, LayerFiles, LayerPart, bucket_bytes};

/// Number of states whose candidates are sorted together, so that they stay in a core's cache.
const SLICE: usize = 1 << 11;

/// Make every layer again. Compare the live states and afterstates that were kept one by one, and the
/// numbers of dead states, labeled boards, moves, wins and empty cells with the table.
///
/// `progress` receives the number of boards from which others were made. Returns at most one
/// finding for each file. Takes about `memory` bytes, but at least one bucket.
///
/// # Errors
///
/// [`Error::Gone`] if the run kept neither the states of every layer nor the afterstates; a file
/// that cannot be read.
pub fn verify(
    reader: &Reader,
    pool: &ThreadPool,
    memory: u64,
    progress: &mut dyn Progress,
) -> Result<Vec<Error>> {
    let run = reader.run();
    let recount = Recount {
        reader,
        moves: LineMoves::new(run.game()),
        memory,
        watch: &Mutex::new(progress),
    };
    let mut findings = Vec::new();
    for target in TargetLayer::all(run)? {
        match pool.install(|| recount.check_layer(target)) {
            // A layer cannot be made again from a damaged file, but other layers can.
            Err(error) if error.is_damage() => findings.push(error),
            found => findings.extend(found?),
        }
    }
    drop_repeats(&mut findings);
    Ok(findings)
}

/// Number of boards from which [`verify`] makes others. A layer is made from two layers, and only
/// the boards of the upper one count.
///
/// # Errors
///
/// [`Error::Gone`], as for [`verify`].
pub fn work(run: &Run) -> Result<u64> {
    let mut boards = 0;
    for target in TargetLayer::all(run)? {
        let (sum, _) = target.sources()[0];
        for row in run.rows(sum) {
            boards += match target.from {
                Kind::States => row.live,
                Kind::Afterstates => row.afterstates,
            };
        }
    }
    Ok(boards)
}

/// A second count of a run.
struct Recount<'a, 'p> {
    reader: &'a Reader,
    moves: LineMoves,
    /// Bytes for buckets.
    memory: u64,
    watch: Watch<'a, 'p>,
}

impl Recount<'_, '_> {
    /// Make a layer again, and compare. Returns at most one finding for each part.
    fn check_layer(&self, target: TargetLayer) -> Result<Vec<Error>> {
        let layer = LayerFiles::open(self.reader, target.kind, target.sum)?;
        let mut sources = Vec::new();
        for (sum, tile) in target.sources() {
            let parts = self.reader.parts_of(target.from, sum)?;
            sources.extend(parts.into_iter().map(|part| (part, tile)));
        }
        let at_once = usize::try_from(self.memory / bucket_bytes(target.kind));
        let at_once = at_once.unwrap_or(usize::MAX).max(1);
        let mut outcomes: Vec<Result<Tally>> =
            layer.parts.iter().map(|_| Ok(Tally::default())).collect();
        for first in (0..layer.buckets.len()).step_by(at_once) {
            let pass = first..layer.buckets.len().min(first.saturating_add(at_once));
            for (part, outcome) in self.check_pass(target, &layer, &sources, pass)? {
                // The first finding of a part stays.
                if let Ok(totals) = &mut outcomes[part] {
                    match outcome {
                        Ok(more) => *totals += more,
                        finding => outcomes[part] = finding,
                    }
                }
            }
        }
        let check = |(part, totals): (&LayerPart, Result<Tally>)| {
            self.check_row(target.kind, part, totals?)
        };
        let checked = layer.parts.iter().zip(outcomes).map(check);
        Ok(checked.filter_map(Result::err).collect())
    }

    /// Fill the buckets of a pass with all candidates from the sources, each with its spawned tile, and
    /// compare each bucket with its block. Returns the part and the outcome of each bucket.
    fn check_pass(
        &self,
        target: TargetLayer,
        layer: &LayerFiles,
        sources: &[(Part, Option<Exp>)],
        pass: Range<usize>,
    ) -> Result<Vec<(usize, Result<Tally>)>> {
        let buckets = BlockBuckets::new(layer, pass.clone());
        buckets.add(&mut self.moves.starts(target));
        let sources = sources.par_iter();
        let blocks = sources.flat_map(|(part, tile)| {
            let blocks = (0..part.blocks()).into_par_iter();
            blocks.map(move |block| (part, block, *tile))
        });
        let buffers = || (None, Vec::new());
        blocks.try_for_each_init(buffers, |(decoder, read), (part, block, tile)| {
            read.clear();
            part.read_block(block, Decoder::of(decoder)?, read)?;
            let boards = &*read;
            if pass.start == 0 && tile != Some(Exp::FOUR) {
                advance(self.watch, boards.len() as u64);
            }
            for boards in boards.chunks(SLICE) {
                buckets.add(&mut self.moves.boards(target, boards, tile));
            }
            Ok::<_, Error>(())
        })?;
        let check = |decoder: &mut _, (boards, bucket): (_, usize)| {
            let (at, block) = layer.buckets[bucket];
            let part = &layer.parts[at];
            (
                at,
                self.check_bucket(target, part, (block, decoder), boards),
            )
        };
        let outcomes = buckets.into_boards().zip(pass).map_init(|| None, check);
        Ok(outcomes.collect())
    }

    /// Check that the boards of a bucket, without dead states, equal the boards of its block.
    fn check_bucket(
        &self,
        target: TargetLayer,
        part: &LayerPart,
        (block, decoder): (usize, &mut Option<Decoder>),
        mut boards: Vec<Board>,
    ) -> Result<Tally> {
        let rules = self.reader.run().game().rules();
        let mut totals = Tally::default();
        match target.kind {
            Kind::States => {
                totals = rules.census(&mut boards.clone());
                let mut afterstates = Vec::new();
                boards.retain(|&state| {
                    afterstates.clear();
                    let legal = self.moves.moves(state, &mut afterstates);
                    totals.moves += legal.moves;
                    totals.wins += legal.wins;
                    legal.moves > 0
                });
            }
            Kind::Afterstates => totals.empty_cells = rules.empty_cells(&boards),
        }
        totals.unique = boards.len() as u64;
        let stored = part.read_block(decoder, block)?;
        if let Some(board) = first_difference(&boards, &stored) {
            let what = if stored.binary_search(&board).is_ok() {
                "follows from no state before it"
            } else {
                "is missing, but follows from a state before it"
            };
            return Err(match self.file(target.kind, part) {
                Some(file) => file.wrong(block, board, what),
                None => {
                    let what = format!("sum {}: {board:#x} {what}", part.row.sum);
                    self.wrong(target.kind, part, what)
                }
            });
        }
        Ok(totals)
    }

    /// Check the counts of a part against its row.
    fn check_row(&self, kind: Kind, part: &LayerPart, totals: Tally) -> Result<()> {
        let row = part.row;
        let counts = match kind {
            Kind::States => vec![
                ("live", row.live, totals.unique),
                ("dead", row.dead, totals.dead),
                ("labeled", row.labeled, totals.labeled),
                ("moves", row.moves, totals.moves),
                ("wins", row.wins, totals.wins),
            ],
            Kind::Afterstates => vec![
                ("afterstates", row.afterstates, totals.unique),
                ("empty cells", row.empty_cells, totals.empty_cells),
            ],
        };
        for (what, expected, got) in counts {
            if expected != got {
                let (sum, max) = (row.sum, row.max_tile);
                return Err(self.wrong(
                    kind,
                    part,
                    format!("sum {sum}, largest tile {max}: the manifest says {what} {expected}, made again {got}"),
                ));
            }
        }
        Ok(())
    }

    /// Damage of a part. The error names the run if the run has no file of the part.
    fn wrong(&self, kind: Kind, part: &LayerPart, what: String) -> Error {
        let file = self.file(kind, part);
        let path = file.map_or(self.reader.run().dir(), Part::path);
        Error::damaged(path, what)
    }

    /// The file of a part, unless it is the temporary file of a layer in matrices.
    fn file<'a>(&self, kind: Kind, part: &'a LayerPart) -> Option<&'a Part> {
        let file = part.file.as_ref();
        file.filter(|_| !self.reader.run().is_in_matrices(kind, part.row.sum))
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

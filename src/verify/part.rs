//! Checks the files of a part, block by block.

use std::ops::AddAssign;

use rayon::prelude::*;

use super::{Watch, advance};
use crate::counts::Row;
use crate::error::{Error, Result};
use crate::game::{Board, Claim, Tally};
use crate::part::{Decoder, Fingerprint, Kind, Part, fingerprint};
use crate::per_thread::PerThread;
use crate::store::{Expected, Run};

/// Number of states checked at a time, so that they stay in a core's cache.
const SLICE: usize = 1 << 12;

/// A thread's buffers.
pub(super) struct PartScratch {
    decoder: Decoder,
    states: Vec<Board>,
    live: Vec<Board>,
}

impl PartScratch {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            decoder: Decoder::new()?,
            states: Vec::new(),
            live: Vec::new(),
        })
    }
}

/// The counts of some blocks of a part.
#[derive(Clone, Copy, Default)]
struct PartTotals {
    /// Different boards, labeled, and empty cells.
    tally: Tally,
    fingerprint: Fingerprint,
}

impl AddAssign for PartTotals {
    fn add_assign(&mut self, other: Self) {
        self.tally += other.tally;
        self.fingerprint += other.fingerprint;
    }
}

/// Read a part on all threads, and check it against the manifest. If several blocks are damaged,
/// the error names the first.
pub(super) fn verify(
    run: &Run,
    expected: &Expected,
    row: Row,
    readers: &PerThread<PartScratch>,
    watch: Watch,
) -> Result<()> {
    let part = run.open_part(expected)?;
    let blocks = (0..part.blocks()).into_par_iter().map(|block| {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let totals = read_block(run, &part, block, &mut readers.lock(thread))?;
        advance(watch, totals.tally.unique);
        Ok(totals)
    });
    // Collect all results before looking at errors: the first error must not depend on the threads.
    let blocks: Vec<Result<PartTotals>> = blocks.collect();
    let mut totals = PartTotals::default();
    for block in blocks {
        totals += block?;
    }
    check_totals(run, &part, row, totals)
}

/// Check the totals of a part against its footer, and against its row of the table.
fn check_totals(run: &Run, part: &Part, row: Row, totals: PartTotals) -> Result<()> {
    let mismatch = |what: String| {
        let path = part.path().to_owned();
        Err(Error::Mismatch { path, what })
    };
    if (totals.tally.unique, totals.fingerprint) != (part.states(), part.fingerprint()) {
        let (states, fingerprint) = (part.states(), part.fingerprint());
        return mismatch(format!(
            "its footer says {states} states with fingerprint {fingerprint}, its blocks hold {} with {}",
            totals.tally.unique, totals.fingerprint
        ));
    }
    match part.label().kind {
        Kind::States => {
            // The dead states are not in the file. Each stands for at least one board, and at most
            // one for each symmetry.
            let symmetries = u64::from(run.game().size().symmetries());
            let dead = row.labeled.checked_sub(totals.tally.labeled);
            let fits = |boards: u64| row.dead <= boards && boards <= symmetries * row.dead;
            if !dead.is_some_and(fits) {
                return mismatch(format!(
                    "its live states stand for {} boards: {} dead states cannot bring this to labeled {}",
                    totals.tally.labeled, row.dead, row.labeled
                ));
            }
        }
        Kind::Afterstates if totals.tally.empty_cells != row.empty_cells => {
            return mismatch(format!(
                "expected {} empty cells, got {}",
                row.empty_cells, totals.tally.empty_cells
            ));
        }
        Kind::Afterstates => {}
    }
    Ok(())
}

/// Read a block, and check each of its boards.
fn read_block(
    run: &Run,
    part: &Part,
    block: usize,
    reader: &mut PartScratch,
) -> Result<PartTotals> {
    reader.states.clear();
    part.read_block(block, &mut reader.decoder, &mut reader.states)?;
    let rules = run.game().rules();
    let label = part.label();
    let claim = Claim {
        key: label.key,
        room: label.kind == Kind::Afterstates,
    };
    let wrong = |board: Board, what: &str| Error::Damaged {
        path: part.path().to_owned(),
        what: format!("block {block}: {board:#x} {what}"),
    };
    let mut totals = PartTotals::default();
    for states in reader.states.chunks(SLICE) {
        if let Some((board, what)) = rules.audit(states, claim) {
            return Err(wrong(board, what));
        }
        totals.tally.unique += states.len() as u64;
        totals.fingerprint += fingerprint(states);
        match label.kind {
            Kind::States => {
                reader.live.clear();
                reader.live.extend_from_slice(states);
                let Tally { dead, labeled, .. } = rules.census(&mut reader.live);
                if dead > 0 {
                    return Err(wrong(first_dead(states, &reader.live), "has no legal move"));
                }
                totals.tally.labeled += labeled;
            }
            Kind::Afterstates => {
                totals.tally.empty_cells += rules.empty_cells(states);
            }
        }
    }
    Ok(totals)
}

/// The first of `states` that is missing from `live`, the list without its dead states.
fn first_dead(states: &[Board], live: &[Board]) -> Board {
    let mut pairs = states.iter().zip(live);
    let differ = pairs.find(|(state, live)| state != live);
    differ.map_or(states[live.len()], |(state, _)| *state)
}

//! One part file, block by block.

use std::ops::AddAssign;
use std::sync::Mutex;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::Watch;
use crate::counts::{Row, Table};
use crate::error::{Error, Result};
use crate::game::{Census, Claim};
use crate::run::{Decoder, Fingerprint, Kind, Part, fingerprint};
use crate::store::{Archive, Expected, FileName};

/// States that are looked at while they are in a core's cache.
const SLICE: usize = 1 << 12;

/// What a thread reads blocks with.
pub(super) struct Reader {
    decoder: Decoder,
    states: Vec<u64>,
    live: Vec<u64>,
}

impl Reader {
    /// One for each thread of a pool.
    pub(super) fn for_each_thread(
        pool: &ThreadPool,
        archive: &Archive,
    ) -> Result<Vec<Mutex<Self>>> {
        let reader = |_| {
            let decoder = Decoder::new().map_err(Error::io(archive.dir(), "start zstd for"))?;
            Ok(Mutex::new(Self {
                decoder,
                states: Vec::new(),
                live: Vec::new(),
            }))
        };
        (0..pool.current_num_threads()).map(reader).collect()
    }
}

/// What the blocks of a part add up to.
#[derive(Clone, Copy, Default)]
struct Found {
    states: u64,
    fingerprint: Fingerprint,
    labeled: u64,
    empty_cells: u64,
}

impl AddAssign for Found {
    fn add_assign(&mut self, other: Self) {
        self.states += other.states;
        self.fingerprint += other.fingerprint;
        self.labeled += other.labeled;
        self.empty_cells += other.empty_cells;
    }
}

/// The table's row of a part.
pub(super) fn row_of(table: &Table, name: FileName) -> Row {
    let row = table
        .layer(name.sum)
        .iter()
        .find(|row| row.max_tile == name.max);
    row.copied().unwrap_or_default()
}

/// Read a part on all threads, and see that it is what the manifest says. Of damaged blocks the first
/// is named.
pub(super) fn verify(
    archive: &Archive,
    expected: Expected,
    row: Row,
    readers: &[Mutex<Reader>],
    watch: Watch,
) -> Result<()> {
    let part = expected.open(archive.dir(), archive.game())?;
    let blocks = 0..part.blocks();
    let found = blocks.into_par_iter().map(|block| {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut reader = readers[thread].lock().expect("no thread panics");
        let found = read(archive, &part, block, &mut reader)?;
        watch(found.states);
        Ok(found)
    });
    // All blocks are read whatever is found, and the first error is the one of the least block.
    let found: Vec<Result<Found>> = found.collect();
    let mut total = Found::default();
    for found in found {
        total += found?;
    }
    let mismatch = |what: String| {
        let path = part.path().to_owned();
        Err(Error::Mismatch { path, what })
    };
    if (total.states, total.fingerprint) != (part.states(), part.fingerprint()) {
        let (states, fingerprint) = (part.states(), part.fingerprint());
        return mismatch(format!(
            "its footer says {states} states with fingerprint {fingerprint}, its blocks hold {} with {}",
            total.states, total.fingerprint
        ));
    }
    match expected.name.kind {
        Kind::States => {
            // The dead states are not in the file; each stands for one board at least.
            let images = u64::from(archive.game().size().symmetries());
            let dead = row.labeled.checked_sub(total.labeled);
            let fits = |boards: u64| row.dead <= boards && boards <= images * row.dead;
            if !dead.is_some_and(fits) {
                return mismatch(format!(
                    "its live states stand for {} boards: with {} dead ones that is not labeled {}",
                    total.labeled, row.dead, row.labeled
                ));
            }
        }
        Kind::Afterstates if total.empty_cells != row.empty_cells => {
            return mismatch(format!(
                "expected {} empty cells, got {}",
                row.empty_cells, total.empty_cells
            ));
        }
        Kind::Afterstates => {}
    }
    Ok(())
}

/// Read a block, and see that its boards are what they should be.
fn read(archive: &Archive, part: &Part, block: usize, reader: &mut Reader) -> Result<Found> {
    reader.states.clear();
    part.read_block(block, &mut reader.decoder, &mut reader.states)?;
    let rules = archive.game().rules();
    let label = part.label();
    let claim = Claim {
        sum: label.sum,
        max: label.max.trailing_zeros() as u8,
        room: label.kind == Kind::Afterstates,
    };
    let wrong = |board: u64, what: &str| Error::Damaged {
        path: part.path().to_owned(),
        what: format!("block {block}: {board:#x} {what}"),
    };
    let mut found = Found::default();
    for states in reader.states.chunks(SLICE) {
        if let Some((board, what)) = rules.audit(states, claim) {
            return Err(wrong(board, what));
        }
        found.states += states.len() as u64;
        found.fingerprint += fingerprint(states);
        match label.kind {
            Kind::States => {
                reader.live.clear();
                reader.live.extend_from_slice(states);
                let Census { dead, labeled } = rules.census(&mut reader.live);
                if dead > 0 {
                    let first = states
                        .iter()
                        .zip(&reader.live)
                        .find(|(all, live)| all != live);
                    let first = first.map_or(states[reader.live.len()], |(all, _)| *all);
                    return Err(wrong(first, "has no legal move"));
                }
                found.labeled += labeled;
            }
            Kind::Afterstates => {
                found.empty_cells += rules.empty_cells(states);
            }
        }
    }
    Ok(found)
}

//! Every layer again, made from the layers before it in another way than the engine's.
//!
//! The engine goes from states to afterstates to states, through a lossy filter, buckets that may be
//! compacted and spilled, and a radix sort. Here each state goes straight to the states that follow it:
//! each move (`plain.rs`), a 2 or a 4 in each empty cell, the canonical image. That is over twenty
//! candidates a state, so it takes some ten times as long; what the two ways share is the canonical form
//! and the reader of files.
//!
//! Key idea: the part that is to be found says how to cut the work. Each of its blocks is a bucket of
//! keys; candidates are dropped into the buckets and freed of repeats whenever one fills; at the end
//! each bucket must hold what its block holds, state for state. When not all buckets of a layer fit in
//! memory, they are taken in several passes over the layers before.

use std::ops::{AddAssign, Range};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::Watch;
use super::plain::{Legal, Plain};
use crate::counts::Row;
use crate::error::{Error, Result};
use crate::game::Census;
use crate::game::board::max_exponent;
use crate::run::{BLOCK, Decoder, Kind, Part};
use crate::store::Archive;

/// Memory that a bucket takes: the states of a full block, the dead ones and repeats, while the list
/// grows to twice its length.
const BUCKET_BYTES: u64 = 4 * 8 * BLOCK as u64;

/// Repeats in a bucket are dropped when it has this many candidates, or twice what was left last time.
const FULL: usize = 1 << 16;

/// States whose candidates are sorted at once: those fit a core's cache.
const SLICE: usize = 1 << 11;

/// A part that is to be found again.
struct Target {
    row: Row,
    part: Option<Part>,
    /// The number of its first bucket; it has one for each block, and one if it has none.
    bucket: usize,
    firsts: Vec<u64>,
}

/// Candidates of one block.
struct Bucket {
    states: Vec<u64>,
    full: usize,
}

/// What the buckets of a part add up to.
#[derive(Clone, Copy, Default)]
struct Found {
    live: u64,
    dead: u64,
    labeled: u64,
}

impl AddAssign for Found {
    fn add_assign(&mut self, other: Self) {
        self.live += other.live;
        self.dead += other.dead;
        self.labeled += other.labeled;
    }
}

/// Make every layer again and compare: the live states one by one, and the numbers of dead and
/// labeled ones, of moves and of wins. `watch` is told how many states more were followed. Returns what
/// is wrong, at most one thing for each part.
///
/// # Errors
///
/// [`Error::Dropped`] if layers are gone (`--keep last`), or what keeps it from reading a file.
pub fn verify(
    archive: &Archive,
    pool: &ThreadPool,
    memory: u64,
    watch: Watch,
) -> Result<Vec<Error>> {
    if archive.first_sum() > 4 {
        return Err(Error::Dropped {
            path: archive.dir().to_owned(),
            below: archive.first_sum(),
        });
    }
    let again = Again {
        archive,
        plain: Plain::new(archive.game()),
        most: usize::try_from(memory / BUCKET_BYTES)
            .unwrap_or(usize::MAX)
            .max(1),
        watch,
    };
    // After the last layer of a complete game there is nothing, in either of the next two.
    let end = archive.sealed_sum() + if archive.complete() { 4 } else { 0 };
    let mut findings = Vec::new();
    for sum in (4..=end).step_by(2) {
        findings.extend(pool.install(|| again.layer(sum))?);
    }
    Ok(findings)
}

/// The run that is made again.
struct Again<'a> {
    archive: &'a Archive,
    plain: Plain,
    /// Buckets that fit in memory.
    most: usize,
    watch: Watch<'a>,
}

impl Again<'_> {
    /// The parts of a layer, whether it has states of them or not.
    fn targets(&self, sum: u32) -> Result<Vec<Target>> {
        let table = self.archive.table();
        let mut bucket = 0;
        let mut targets = Vec::new();
        for k in 0..=self.archive.game().top_exponent() {
            let max_tile = 1 << k;
            let row = table.layer(sum).iter().find(|row| row.max_tile == max_tile);
            let part = self.archive.part(Kind::States, sum, max_tile)?;
            let firsts: Vec<u64> = part.iter().flat_map(Part::firsts).collect();
            let buckets = firsts.len().max(1);
            targets.push(Target {
                row: row.copied().unwrap_or(Row {
                    sum,
                    max_tile,
                    ..Row::default()
                }),
                part,
                bucket,
                firsts,
            });
            bucket += buckets;
        }
        Ok(targets)
    }

    fn layer(&self, sum: u32) -> Result<Vec<Error>> {
        let targets = self.targets(sum)?;
        let sources = [
            (self.targets(sum - 2)?, 1),
            (self.targets(sum.saturating_sub(4))?, 2),
        ];
        let buckets = targets
            .last()
            .map_or(0, |last| last.bucket + last.firsts.len().max(1));
        let mut found = vec![Found::default(); targets.len()];
        let mut findings: Vec<Option<Error>> = targets.iter().map(|_| None).collect();
        for from in (0..buckets).step_by(self.most) {
            let pass = from..buckets.min(from + self.most);
            let filled = self.fill(sum, &targets, &sources, pass.clone())?;
            let outcomes: Vec<_> = filled
                .into_par_iter()
                .zip(pass)
                .map(|(bucket, number)| self.compare(&targets, number, bucket))
                .collect();
            for (at, outcome) in outcomes {
                match outcome {
                    Ok(of_bucket) => found[at] += of_bucket,
                    Err(error) => drop(findings[at].get_or_insert(error)),
                }
            }
        }
        for ((target, found), finding) in targets.iter().zip(found).zip(&mut findings) {
            if finding.is_none() {
                *finding = self.counts(target, found).err();
            }
        }
        Ok(findings.into_iter().flatten().collect())
    }

    /// Make the candidates that fall into the buckets of `pass`.
    fn fill(
        &self,
        sum: u32,
        targets: &[Target],
        sources: &[(Vec<Target>, u64)],
        pass: Range<usize>,
    ) -> Result<Vec<Mutex<Bucket>>> {
        let bucket = |_| {
            Mutex::new(Bucket {
                states: Vec::new(),
                full: FULL,
            })
        };
        let buckets: Vec<_> = pass.clone().map(bucket).collect();
        let drop_in = |made: &mut Vec<u64>| {
            made.sort_unstable();
            made.dedup();
            drop_in(targets, pass.start, &buckets, made);
        };
        drop_in(&mut self.archive.game().starts(sum));

        let blocks = sources.iter().flat_map(|(targets, tile)| {
            let parts = targets.iter().filter_map(|target| target.part.as_ref());
            parts.flat_map(move |part| (0..part.blocks()).map(move |block| (part, block, *tile)))
        });
        let blocks: Vec<_> = blocks.collect();
        blocks.par_iter().try_for_each(|&(part, block, tile)| {
            let mut decoder = Decoder::new().map_err(Error::io(part.path(), "start zstd for"))?;
            let (mut states, mut made) = (Vec::new(), Vec::new());
            part.read_block(block, &mut decoder, &mut states)?;
            if tile == 1 && pass.start == 0 {
                (self.watch)(states.len() as u64);
            }
            for states in states.chunks(SLICE) {
                made.clear();
                self.follow(states, tile, &mut made);
                drop_in(&mut made);
            }
            Ok(())
        })?;
        Ok(buckets)
    }

    /// The canonical states that follow `states` when a tile of exponent `tile` is spawned.
    fn follow(&self, states: &[u64], tile: u64, made: &mut Vec<u64>) {
        let mut afterstates = Vec::with_capacity(4);
        for &state in states {
            afterstates.clear();
            self.plain.moves(state, &mut afterstates);
            for &board in &afterstates {
                for cell in 0..self.archive.game().size().cells() {
                    if board >> (4 * cell) & 15 == 0 {
                        made.push(board | tile << (4 * cell));
                    }
                }
            }
        }
        self.archive.game().rules().canonicalise(made);
    }

    /// Whether a bucket holds what its block holds; returns the number of its part, too.
    fn compare(
        &self,
        targets: &[Target],
        number: usize,
        bucket: Mutex<Bucket>,
    ) -> (usize, Result<Found>) {
        let at = targets.partition_point(|target| target.bucket <= number) - 1;
        let mut states = bucket.into_inner().expect("no thread panics").states;
        states.sort_unstable();
        states.dedup();
        let outcome = self.same(&targets[at], number - targets[at].bucket, states);
        (at, outcome)
    }

    fn same(&self, target: &Target, block: usize, mut states: Vec<u64>) -> Result<Found> {
        let mut kept = states.clone();
        let Census { dead, labeled } = self.archive.game().rules().census(&mut kept);
        let mut none = Vec::new();
        states.retain(|&state| {
            none.clear();
            self.plain.moves(state, &mut none).moves > 0
        });
        let mut held = Vec::new();
        if let Some(part) = &target.part {
            let mut decoder = Decoder::new().map_err(Error::io(part.path(), "start zstd for"))?;
            part.read_block(block, &mut decoder, &mut held)?;
        }
        let differ = states.iter().zip(&held).find(|(made, held)| made != held);
        let differ = differ.map(|(&made, &held)| made.min(held)).or_else(|| {
            let longer = if states.len() > held.len() {
                &states
            } else {
                &held
            };
            longer.get(states.len().min(held.len())).copied()
        });
        if let Some(state) = differ {
            let what = if held.binary_search(&state).is_ok() {
                "follows from no state before it"
            } else {
                "is not there, but follows from a state before it"
            };
            return Err(self.wrong(target, format!("block {block}: {state:#x} {what}")));
        }
        Ok(Found {
            live: states.len() as u64,
            dead,
            labeled,
        })
    }

    /// Whether the numbers of a part are those of its row.
    fn counts(&self, target: &Target, found: Found) -> Result<()> {
        let row = target.row;
        let mut legal = Legal::default();
        if let Some(part) = &target.part {
            let (moves, wins) = (AtomicU64::new(0), AtomicU64::new(0));
            (0..part.blocks()).into_par_iter().try_for_each(|block| {
                let mut decoder =
                    Decoder::new().map_err(Error::io(part.path(), "start zstd for"))?;
                let (mut states, mut none) = (Vec::new(), Vec::new());
                part.read_block(block, &mut decoder, &mut states)?;
                for state in states {
                    none.clear();
                    let of_state = self.plain.moves(state, &mut none);
                    moves.fetch_add(of_state.moves, Ordering::Relaxed);
                    wins.fetch_add(of_state.wins, Ordering::Relaxed);
                }
                Ok(())
            })?;
            legal = Legal {
                moves: moves.into_inner(),
                wins: wins.into_inner(),
            };
        }
        for (what, expected, got) in [
            ("live", row.live, found.live),
            ("dead", row.dead, found.dead),
            ("labeled", row.labeled, found.labeled),
            ("moves", row.moves, legal.moves),
            ("wins", row.wins, legal.wins),
        ] {
            if expected != got {
                let (sum, max) = (row.sum, row.max_tile);
                return Err(self.wrong(
                    target,
                    format!("sum {sum}, largest tile {max}: the manifest says {what} {expected}, made again {got}"),
                ));
            }
        }
        Ok(())
    }

    fn wrong(&self, target: &Target, what: String) -> Error {
        let file = target.part.as_ref().map(Part::path);
        Error::Damaged {
            path: file.unwrap_or(self.archive.dir()).to_owned(),
            what,
        }
    }
}

/// Drop sorted candidates into their buckets; those of other passes are let go.
fn drop_in(targets: &[Target], first: usize, buckets: &[Mutex<Bucket>], made: &[u64]) {
    let mut parts: Vec<Vec<u64>> = targets.iter().map(|_| Vec::new()).collect();
    for &state in made {
        // A board with a larger tile than any counted is put with the largest: no block holds it.
        let k = usize::from(max_exponent(state)).min(targets.len() - 1);
        parts[k].push(state);
    }
    for (target, states) in targets.iter().zip(parts) {
        let mut rest = &states[..];
        let mut block = 0;
        while let Some(&state) = rest.first() {
            block += target.firsts[block..].partition_point(|&first| first <= state);
            let end = target.firsts.get(block).map_or(rest.len(), |&first| {
                rest.partition_point(|&state| state < first)
            });
            let bucket = target.bucket + block.saturating_sub(1);
            if let Some(bucket) = bucket.checked_sub(first).and_then(|at| buckets.get(at)) {
                bucket.lock().expect("no thread panics").take(&rest[..end]);
            }
            rest = &rest[end..];
        }
    }
}

impl Bucket {
    fn take(&mut self, states: &[u64]) {
        self.states.extend_from_slice(states);
        if self.states.len() >= self.full {
            self.states.sort_unstable();
            self.states.dedup();
            self.full = FULL.max(2 * self.states.len());
        }
    }
}

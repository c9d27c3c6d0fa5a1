//! Reads a run again: checks that no file has changed, and that every state is right.
//!
//! Three modules answer three questions. Can a count go on? `store` answers when it opens the
//! directory: the manifest must agree with itself, with the laws (`laws`) and with the headers of
//! its files. Are the numbers right? `check` compares them with published numbers. Do the bytes
//! still match the manifest? *Verify* reads all of them, and checks:
//!
//! - `layers.csv` and the names of the files against the manifest;
//! - each file: header, index, footer, the checksum of each block, strict order, counts, size,
//!   fingerprint;
//! - each state: it is canonical and live, it has the sum and largest tile of its part, and it has no
//!   more large tiles than play can make;
//! - each afterstate: likewise, but with an empty cell instead of a legal move;
//! - each file of matrices: each matrix, and the numbers of its afterstates and of their empty cells
//!   in the table;
//! - each file of values, if the run is solved: its bytes, and that its values belong to the
//!   afterstates.
//!
//! Key idea: the check goes on after a finding, so that one pass names all damage. [`deep`] goes
//! further: it makes every layer again from the layers before it, by another algorithm than the
//! engine's, and every value from later values, by another algorithm than the solver's.

pub mod deep;

use std::collections::HashSet;
use std::sync::Mutex;

use rayon::ThreadPool;
use rayon::prelude::*;
use serde::Serialize;

use crate::counts::Row;
use crate::error::{Error, Result, SolvingError};
use crate::game::{Board, Objective, PartKey, Tally};
use crate::part::{Decoder, Fingerprint, Kind, Part, ValueColumn, fingerprint, value_fingerprint};
use crate::progress::Progress;
use crate::read::Reader;
use crate::store::{Goal, Run, SealedFiles, Solution};

/// The result of [`verify`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Damage. Each finding names the file, the place, the kind of damage, and the remedy.
    pub findings: Vec<Error>,
    /// Unusual but harmless observations, such as the files that a count leaves if it is killed in
    /// a commit.
    pub remarks: Vec<String>,
    /// Number of files of boards or of matrices that the manifest names. A file in `findings` may not
    /// have been read.
    pub files: u64,
    /// Live states in the part files without a finding.
    pub states: u64,
    /// The fingerprint of these states. It differs from the run's fingerprint if states were dropped
    /// ([`Keep`](crate::store::Keep)).
    pub fingerprint: Fingerprint,
    /// Afterstates in the files of boards or of matrices without a finding.
    pub afterstates: u64,
    /// Bytes that all these files should have.
    pub bytes: u64,
    /// The solved goals, in order of objective.
    pub solved: Vec<Solved>,
}

impl Report {
    /// Values in the files of the solution without a finding.
    pub fn values(&self) -> u64 {
        self.solved.iter().map(|solved| solved.values).sum()
    }
}

/// The progress that many threads report to.
type Watch<'a, 'p> = &'a Mutex<&'p mut dyn Progress>;

/// Report boards that were read.
fn advance(watch: Watch, boards: u64) {
    watch.lock().expect("no thread panics").advance(boards);
}

/// Number of boards and values that [`verify`] reads. A solution without a readable manifest has none.
pub fn work(run: &Run) -> u64 {
    let Ok(Some(solution)) = open_solution(run) else {
        return run.boards();
    };
    let files = solution
        .begun_goals()
        .flat_map(Goal::written)
        .flat_map(|goal| solution.files(goal));
    run.boards() + files.map(|files| files.sealed.states).sum::<u64>()
}

/// Read a whole run again, and its solution if it has one, on the threads of `pool`. Takes about
/// 1 MiB of memory per thread, and for matrices the memory of the reader's plan.
///
/// # Errors
///
/// Only if the check as a whole is impossible, such as [`Error::MatrixMemory`], or if the reader is
/// stopped ([`Error::Stopped`]); the report holds all faults of the run.
pub fn verify(reader: &Reader, pool: &ThreadPool, progress: &mut dyn Progress) -> Result<Report> {
    let run = reader.run();
    let watch = &Mutex::new(progress);
    let solution = open_solution(run);
    let (findings, remarks) = run.surroundings()?;
    let (table, lists) = (run.table(), run.lists().collect::<Vec<_>>());
    let mut report = Report {
        findings,
        remarks,
        files: lists.iter().map(|files| files.count()).sum(),
        bytes: run.bytes(Kind::States, None) + run.bytes(Kind::Afterstates, None),
        ..Report::default()
    };

    let verify =
        |sealed: &&SealedFiles| verify_part(run, sealed, table.row(sealed.name.key), watch);
    let verified: Vec<Result<()>> = pool.install(|| lists.par_iter().map(verify).collect());
    let mut broken = HashSet::new();
    for (SealedFiles { name, sealed, .. }, verified) in lists.into_iter().zip(verified) {
        match (verified, name.kind()) {
            (Ok(()), Kind::States) => {
                report.states += sealed.states;
                report.fingerprint += sealed.fingerprint;
            }
            (Ok(()), Kind::Afterstates) => report.afterstates += sealed.states,
            (Err(error), kind) => {
                report.findings.push(error);
                if kind == Kind::Afterstates {
                    broken.insert(name.key);
                }
            }
        }
    }
    for sum in run.sums_in_matrices() {
        report.files += 1;
        match reader.check_matrices(sum) {
            Ok(afterstates) => {
                report.afterstates += afterstates;
                advance(watch, afterstates);
            }
            Err(error @ (Error::MatrixMemory { .. } | Error::Stopped)) => return Err(error),
            Err(error) => {
                report.findings.push(error);
                broken.extend(run.rows(sum).iter().filter_map(Row::key));
            }
        }
    }
    match solution {
        Ok(None) => {}
        Ok(Some(solution)) => {
            let verify = || verify_solution((&solution, reader), &broken, watch);
            let (solved, wrong) = pool.install(verify)?;
            report.solved = solved;
            report.findings.extend(wrong);
        }
        Err(error) => report.findings.push(error),
    }
    drop_repeats(&mut report.findings);
    Ok(report)
}

/// Drop findings that were found before: several parts can fail for one reason.
fn drop_repeats(findings: &mut Vec<Error>) {
    let mut known = HashSet::new();
    findings.retain(|finding| known.insert(finding.to_string()));
}

/// Number of states checked together, so that they stay in a core's cache.
const SLICE: usize = 1 << 12;

/// Read the blocks of a file on the threads of the current pool. `read` gets buffers to reuse. If
/// several blocks are damaged, the error names the first, whichever thread is fastest.
fn read_blocks<B: Default, T: Send>(
    blocks: usize,
    read: impl Fn(&mut B, usize) -> Result<T> + Send + Sync,
) -> Result<Vec<T>> {
    let blocks = (0..blocks).into_par_iter();
    let read: Vec<Result<T>> = blocks.map_init(B::default, read).collect();
    read.into_iter().collect()
}

/// Read a part on the threads of the current pool, and check it against the manifest.
pub(super) fn verify_part(run: &Run, expected: &SealedFiles, row: Row, watch: Watch) -> Result<()> {
    let part = run.open_part(expected)?.audited(run.game().rules())?;
    let (mut tally, mut fingerprint) = (Tally::default(), Fingerprint::default());
    for (of_block, sum) in read_blocks(part.blocks(), |buffers, block| {
        let (tally, sum) = read_block(run, &part, block, buffers)?;
        advance(watch, tally.unique);
        Ok((tally, sum))
    })? {
        tally += of_block;
        fingerprint += sum;
    }
    check_totals(run, &part, row, tally, fingerprint)
}

/// Check the totals of a part against its footer, and against its row of the table.
fn check_totals(run: &Run, part: &Part, row: Row, tally: Tally, sum: Fingerprint) -> Result<()> {
    let mismatch = |what: String| Err(Error::mismatch(part.path(), what));
    let (expected, fingerprint, got) = (part.states(), part.fingerprint(), tally.unique);
    if (got, sum) != (expected, fingerprint) {
        return mismatch(format!(
            "its footer says {expected} states with fingerprint {fingerprint}, its blocks hold {got} with {sum}"
        ));
    }
    match part.label().kind {
        Kind::States => {
            // The file lacks the dead states. Each of them stands for at least one board, and at most
            // one board for each symmetry.
            let symmetries = u64::from(run.game().size().symmetries());
            let dead = row.labeled.checked_sub(tally.labeled);
            let fits = |boards: u64| row.dead <= boards && boards <= symmetries * row.dead;
            if !dead.is_some_and(fits) {
                return mismatch(format!(
                    "its live states stand for {} boards: {} dead states cannot bring this to labeled {}",
                    tally.labeled, row.dead, row.labeled
                ));
            }
        }
        Kind::Afterstates if tally.empty_cells != row.empty_cells => {
            return mismatch(format!(
                "expected {} empty cells, got {}",
                row.empty_cells, tally.empty_cells
            ));
        }
        Kind::Afterstates => {}
    }
    Ok(())
}

/// Read a block, which audits its boards, and check that states are live. Counts distinct boards,
/// labeled boards and empty cells.
fn read_block(
    run: &Run,
    part: &Part,
    block: usize,
    (decoder, boards): &mut (Option<Decoder>, Vec<Board>),
) -> Result<(Tally, Fingerprint)> {
    boards.clear();
    part.read_block(block, Decoder::of(decoder)?, boards)?;
    let rules = run.game().rules();
    let (mut totals, mut sum) = (Tally::default(), Fingerprint::default());
    for states in boards.chunks(SLICE) {
        totals.unique += states.len() as u64;
        sum += fingerprint(states);
        match part.label().kind {
            Kind::States => {
                let mut live = states.to_vec();
                let Tally { dead, labeled, .. } = rules.census(&mut live);
                if dead > 0 {
                    let mut states = states.iter();
                    let dead = states.find(|&state| live.binary_search(state).is_err());
                    let &dead = dead.expect("a dead state is not live");
                    return Err(part.wrong(block, dead, "has no legal move"));
                }
                totals.labeled += labeled;
            }
            Kind::Afterstates => totals.empty_cells += rules.empty_cells(states),
        }
    }
    Ok((totals, sum))
}

/// The solution for one goal, as far as its files are sound. The fields are keys of `verify --json`,
/// in order: add new keys at the end.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Solved {
    /// The objective of the goal.
    #[serde(rename = "name")]
    pub objective: Objective,
    /// Bits after the binary point of a value.
    pub fraction: u32,
    /// Sum of the lowest solved layer.
    #[serde(rename = "from_sum")]
    pub from: u32,
    /// Files of values that the manifest of the solution names.
    pub files: u64,
    /// Bytes that these files should have.
    pub bytes: u64,
    /// Values in the files without a finding.
    pub values: u64,
    /// The fingerprint of these values.
    #[serde(serialize_with = "Fingerprint::with_x")]
    pub fingerprint: Fingerprint,
}

/// Open the solution of a run, if it has one.
pub(super) fn open_solution(run: &Run) -> Result<Option<Solution>> {
    match Solution::open(run.dir()) {
        Err(Error::Solving(SolvingError::NotSolved(_) | SolvingError::NotSolvable { .. })) => {
            Ok(None)
        }
        opened => opened.map(Some),
    }
}

/// Read all values on the threads of the current pool. If the afterstates of a part are `broken`,
/// only the bytes of its values can be checked. Returns the solved goals, and the findings.
///
/// # Errors
///
/// [`Error::MatrixMemory`]; [`Error::Stopped`].
pub(super) fn verify_solution(
    (solution, reader): (&Solution, &Reader),
    broken: &HashSet<PartKey>,
    watch: Watch,
) -> Result<(Vec<Solved>, Vec<Error>)> {
    let (mut all, mut findings) = (Vec::new(), Vec::new());
    for goal in solution.begun_goals() {
        let objective = goal.objective;
        let mut solved = Solved {
            objective,
            fraction: goal.fraction,
            from: solution.solved_sum(objective).unwrap_or_default(),
            files: solution.files(goal).map(SealedFiles::count).sum(),
            bytes: solution.bytes(objective),
            values: 0,
            fingerprint: Fingerprint::default(),
        };
        for written in goal.written() {
            let files = solution.files(written);
            let parts: Vec<PartKey> = files.map(|files| files.name.key).collect();
            let read = |&key: &PartKey| {
                let part = match broken.contains(&key) {
                    true => None,
                    false => reader.part(Kind::Afterstates, key)?,
                };
                let column = match &part {
                    Some(part) => solution.values_for(written, part)?,
                    None => solution.values_alone(written, key)?,
                };
                let Some(column) = column else {
                    return Ok((0, Fingerprint::default()));
                };
                match part {
                    // `verify_part` has audited the boards.
                    Some(part) => verify_column(&column, &part.unaudited(), watch)?,
                    None => column.check_blocks()?,
                }
                Ok((column.states(), column.fingerprint()))
            };
            let together = reader.groups(&parts);
            let files = together.flat_map(|parts| parts.par_iter().map(read).collect::<Vec<_>>());
            for file in files {
                match file {
                    Ok((values, fingerprint)) if written == goal => {
                        solved.values += values;
                        solved.fingerprint += fingerprint;
                    }
                    Ok(_) => {}
                    Err(error @ (Error::MatrixMemory { .. } | Error::Stopped)) => {
                        return Err(error);
                    }
                    Err(error) => findings.push(error),
                }
            }
        }
        all.push(solved);
    }
    Ok((all, findings))
}

/// Read a file of values, and check its fingerprint against the values and their afterstates.
fn verify_column(column: &ValueColumn, part: &Part, watch: Watch) -> Result<()> {
    let blocks = read_blocks(
        column.blocks(),
        |(decoder, keys, values): &mut (Option<_>, Vec<_>, Vec<_>), block| {
            let decoder = Decoder::of(decoder)?;
            keys.clear();
            values.clear();
            column.read_block(block, decoder, values)?;
            part.read_block(block, decoder, keys)?;
            advance(watch, values.len() as u64);
            Ok(value_fingerprint(keys, values))
        },
    )?;
    let fingerprint: Fingerprint = blocks.into_iter().sum();
    let said = column.fingerprint();
    if fingerprint == said {
        return Ok(());
    }
    let what = format!("its footer says fingerprint {said}, its values have {fingerprint}");
    Err(Error::mismatch(column.path(), what))
}

//! Checks the files of a part, and the files of a solution, block by block.

use std::collections::HashSet;

use rayon::prelude::*;
use serde::Serialize;

use super::{Watch, advance};
use crate::counts::Row;
use crate::error::{Error, Result, SolvingError};
use crate::game::{Board, Objective, PartKey, Tally};
use crate::part::{
    Decoder, Fingerprint, Kind, Part, ValueColumn, ValueDecoder, fingerprint, value_fingerprint,
};
use crate::read::Reader;
use crate::store::{Expected, Run, Solution};

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
pub(super) fn verify_part(run: &Run, expected: &Expected, row: Row, watch: Watch) -> Result<()> {
    let part = run.open_part(expected)?.audited(run.game().rules())?;
    let (mut tally, mut fingerprint) = (Tally::default(), Fingerprint::default());
    for (of_block, sum) in read_blocks(part.blocks(), |boards, block| {
        let (tally, sum) = read_block(run, &part, block, boards)?;
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
    let mismatch = |what: String| {
        let path = part.path().to_owned();
        Err(Error::Mismatch { path, what })
    };
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
    boards: &mut Vec<Board>,
) -> Result<(Tally, Fingerprint)> {
    boards.clear();
    part.read_block(block, &mut Decoder::new()?, boards)?;
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
        let parts: Vec<PartKey> = solution.parts(objective).collect();
        let mut solved = Solved {
            objective,
            fraction: goal.fraction,
            from: solution.solved_sum(objective).unwrap_or_default(),
            files: solution.file_count(objective),
            bytes: solution.bytes(objective),
            values: 0,
            fingerprint: Fingerprint::default(),
        };
        let read = |&key: &PartKey| {
            let part = match broken.contains(&key) {
                true => None,
                false => reader.part(Kind::Afterstates, key)?,
            };
            let column = match &part {
                Some(part) => solution.values(objective, part)?,
                None => solution.values_alone(objective, key)?,
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
                Ok((values, fingerprint)) => {
                    solved.values += values;
                    solved.fingerprint += fingerprint;
                }
                Err(error @ (Error::MatrixMemory { .. } | Error::Stopped)) => return Err(error),
                Err(error) => findings.push(error),
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
        |(keys, values): &mut (Vec<_>, Vec<_>), block| {
            keys.clear();
            values.clear();
            column.read_block(block, &mut ValueDecoder::new()?, values)?;
            part.read_block(block, &mut Decoder::new()?, keys)?;
            advance(watch, values.len() as u64);
            Ok(value_fingerprint(keys, values))
        },
    )?;
    let fingerprint: Fingerprint = blocks.into_iter().sum();
    let said = column.fingerprint();
    if fingerprint == said {
        return Ok(());
    }
    Err(Error::Mismatch {
        path: column.path().to_owned(),
        what: format!("its footer says fingerprint {said}, its values have {fingerprint}"),
    })
}

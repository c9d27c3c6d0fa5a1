//! Checks the files of a solution, block by block, together with the afterstates of their values.

use std::collections::HashSet;

use rayon::prelude::*;

use super::{Watch, advance};
use crate::error::{Error, Result, SolvingError};
use crate::game::PartKey;
use crate::part::{Decoder, Fingerprint, Kind, Part, ValueColumn, ValueDecoder, value_fingerprint};
use crate::store::{Goal, Run, Solution};

/// The solution for one goal, as far as its files are sound.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Solved {
    /// The goal.
    pub goal: Goal,
    /// Sum of the lowest solved layer.
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

/// The solution of a run, if it has one.
pub(super) fn open(run: &Run) -> Result<Option<Solution>> {
    match Solution::open(run.dir()) {
        Err(Error::Solving(
            SolvingError::NotSolved(_)
            | SolvingError::NotComplete { .. }
            | SolvingError::NoAfterstates { .. },
        )) => Ok(None),
        opened => opened.map(Some),
    }
}

/// Read all values on the threads of the current pool. If the afterstates of a part are `broken`,
/// only the bytes of its values can be checked. Returns the solved goals, and the findings.
pub(super) fn verify(
    solution: &Solution,
    broken: &HashSet<PartKey>,
    watch: Watch,
) -> (Vec<Solved>, Vec<Error>) {
    let (mut all, mut findings) = (Vec::new(), Vec::new());
    for goal in solution.aims() {
        let objective = goal.objective;
        let parts: Vec<PartKey> = solution.parts(objective).collect();
        let mut solved = Solved {
            goal,
            from: solution.solved_sum(objective).unwrap_or_default(),
            files: parts.len() as u64,
            bytes: solution.bytes(objective),
            values: 0,
            fingerprint: Fingerprint::default(),
        };
        let files = parts.par_iter().map(|&key| {
            let Some(column) = solution.values(objective, key)? else {
                return Ok((0, Fingerprint::default()));
            };
            match solution.run().part(Kind::Afterstates, key) {
                Ok(Some(part)) if !broken.contains(&key) => read(&column, &part, watch)?,
                _ => column.check_blocks()?,
            }
            Ok((column.states(), column.fingerprint()))
        });
        let files: Vec<Result<(u64, Fingerprint)>> = files.collect();
        for file in files {
            match file {
                Ok((values, fingerprint)) => {
                    solved.values += values;
                    solved.fingerprint += fingerprint;
                }
                Err(error) => findings.push(error),
            }
        }
        all.push(solved);
    }
    (all, findings)
}

/// Read a file of values, and check its fingerprint against the values and their afterstates. If
/// several blocks are damaged, the error names the first.
fn read(column: &ValueColumn, part: &Part, watch: Watch) -> Result<()> {
    column.expect_blocks_of(part)?;
    let blocks = (0..column.blocks()).into_par_iter().map(|block| {
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        column.read_block(block, &mut ValueDecoder::new()?, &mut values)?;
        part.read_block(block, &mut Decoder::new()?, &mut keys)?;
        advance(watch, values.len() as u64);
        Ok(value_fingerprint(&keys, &values))
    });
    let blocks: Vec<Result<Fingerprint>> = blocks.collect();
    let mut fingerprint = Fingerprint::default();
    for block in blocks {
        fingerprint += block?;
    }
    let said = column.fingerprint();
    if fingerprint == said {
        return Ok(());
    }
    Err(Error::Mismatch {
        path: column.path().to_owned(),
        what: format!("its footer says fingerprint {said}, its values have {fingerprint}"),
    })
}

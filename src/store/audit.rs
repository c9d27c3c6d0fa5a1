//! Checks the numbers of a manifest.
//!
//! Every reader of a run trusts its manifest. The checksum shows only that the manifest is
//! unchanged, not that it is true. So each read checks the fields against each other, and the
//! counts against the laws. This takes milliseconds, because no other file is read.

use super::files::{Holds, PartName};
use super::manifest::{Manifest, SealedFiles};
use crate::counts::Row;
use crate::error::{Error, Result};
use crate::laws::Laws;
use crate::part::Kind;

impl Manifest {
    /// Check the manifest.
    ///
    /// # Errors
    ///
    /// A text that names the wrong field, with its contents and the expected contents.
    pub(super) fn audit(&self) -> Result<(), String> {
        self.segments()?;
        self.no_empty_row()?;
        self.sums()?;
        check_bytes(self.files())?;
        let laws = Laws::new(&self.game, self.sealed_sum);
        let ended = laws.table(&self.table()).map_err(|error| match error {
            Error::Law { place, law } => format!("rows: {place}: {law}"),
            other => other.to_string(),
        })?;
        check(ended == self.complete, || {
            let says = if self.complete { "ends" } else { "goes on" };
            format!(
                "complete: it says that the game {says} after the last layer, but the counts say otherwise"
            )
        })?;
        check(self.names_the_states(), || {
            "states: expected all parts that the run keeps".to_owned()
        })?;
        check(self.names_the_afterstates(), || {
            let needed = if self.keep.afterstates() {
                "of every layer"
            } else {
                "that a count needs to go on"
            };
            format!("afterstates: expected all parts {needed}")
        })
    }

    /// No row is empty: the laws do not see empty rows.
    fn no_empty_row(&self) -> Result<(), String> {
        let empty = self.rows.iter().find(|row| row.is_empty());
        empty.map_or(Ok(()), |Row { sum, max_tile, .. }| {
            Err(format!(
                "rows: sum {sum}, largest tile {max_tile}: no counts"
            ))
        })
    }

    /// The last layer has the sum of the last row, which the game can reach.
    fn sums(&self) -> Result<(), String> {
        let sealed = self.sealed_sum;
        let last = self.rows.last().map_or(2, |row| row.sum);
        check(sealed == last, || {
            format!("sealed_sum: expected {last}, the sum of the last row, got {sealed}")
        })?;
        let most = self.game.sum_bound();
        check(sealed <= most, || {
            format!("sealed_sum: expected at most {most}, got {sealed}")
        })
    }

    /// Segments hold whole blocks, and the segments of a part add up to the part.
    fn segments(&self) -> Result<(), String> {
        let segment = self.segment;
        let block = Kind::States.block() as u64;
        check(segment > 0 && segment.is_multiple_of(block), || {
            format!("segment: expected a multiple of {block}, got {segment}")
        })?;
        self.lists().try_for_each(|files| {
            check(files.is_cut(segment), || {
                let (name, sealed) = (files.name, files.sealed);
                let (kind, key) = (name.kind(), name.key);
                format!("{kind} of {key}: segments: expected full files that add up to {sealed}")
            })
        })
    }

    /// Whether the manifest names exactly the files of states that the run keeps.
    fn names_the_states(&self) -> bool {
        let first = self.states_from();
        let kept = self.rows.iter();
        let kept = kept.filter(|row| row.sum >= first && row.live > 0);
        let needed = kept.filter_map(|row| {
            let name = PartName::new(Kind::States, row.key()?);
            Some((name, row.live, row.fingerprint))
        });
        let named = self.states.iter();
        needed.eq(named.map(|of| (of.name, of.sealed.states, of.sealed.fingerprint)))
    }

    /// Whether the manifest names exactly the files of afterstates that the run keeps. Only a run
    /// that keeps matrices has more matrices than the frontier.
    fn names_the_afterstates(&self) -> bool {
        let first = self.afterstates_from();
        let kept = self.rows.iter();
        let kept = kept.filter(|row| row.sum >= first && row.afterstates > 0);
        let mut sums: Vec<u32> = kept.clone().map(|row| row.sum).collect();
        sums.dedup();
        let matrices = self.matrices.iter().map(|file| file.name);
        let in_matrices: Vec<u32> = matrices.clone().map(|name| name.key.sum).collect();
        if self.keep.matrices() && sums != in_matrices
            || self.keep.lists_of_afterstates() && !in_matrices.is_empty()
            || !in_matrices.is_sorted_by(|a, b| a < b)
            || !in_matrices.iter().all(|sum| sums.contains(sum))
            || !matrices
                .into_iter()
                .all(|name| name.holds == Holds::Matrices)
        {
            return false;
        }
        let needed = kept
            .filter(|row| !in_matrices.contains(&row.sum))
            .filter_map(|row| {
                Some((
                    PartName::new(Kind::Afterstates, row.key()?),
                    row.afterstates,
                ))
            });
        let named = self.afterstates.iter();
        needed.eq(named.map(|files| (files.name, files.sealed.states)))
    }
}

/// The total size of all files does not overflow.
pub(super) fn check_bytes<'a>(files: impl Iterator<Item = &'a SealedFiles>) -> Result<(), String> {
    let bytes = files.map(|files| files.sealed.bytes);
    check(bytes.fold(0, u64::saturating_add) < u64::MAX, || {
        "bytes: more than any disk holds".to_owned()
    })
}

pub(super) fn check(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::layer::Keep;

    /// Change the manifest of a stopped count, and audit it.
    fn after(change: impl FnOnce(&mut Manifest)) -> Result<(), String> {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/v1/2x3-8-until-12");
        let mut manifest = Manifest::load(dir.as_ref()).unwrap().unwrap();
        change(&mut manifest);
        manifest.audit()
    }

    #[test]
    fn a_true_manifest_passes() {
        assert_eq!(after(|_| ()), Ok(()));
        let new = Manifest::new(&"4x4".parse().unwrap(), Keep::Last, 1 << 17);
        assert_eq!(new.audit(), Ok(()));
    }

    #[test]
    fn errors_name_the_impossible_field() {
        type Edit = fn(&mut Manifest);
        let wrong: [(&str, Edit); 18] = [
            ("segment: expected a multiple of 131072, got 0", |m| {
                m.segment = 0;
            }),
            ("segment: expected a multiple of 131072, got 200000", |m| {
                m.segment = 200_000;
            }),
            (
                "sealed_sum: expected 12, the sum of the last row, got 4294967294",
                |m| {
                    m.sealed_sum = u32::MAX - 1;
                },
            ),
            ("sealed_sum: expected 12", |m| m.sealed_sum = 13),
            ("sealed_sum: expected 12", |m| m.sealed_sum = 0),
            ("sealed_sum: expected at most 24, got 100", |m| {
                m.sealed_sum = 100;
                m.rows.last_mut().unwrap().sum = 100;
            }),
            ("rows: sum 4, largest tile 2: it comes after sum 4", |m| {
                m.rows.swap(0, 1);
            }),
            ("rows: sum 4, largest tile 2: it comes after sum 4", |m| {
                m.rows.insert(0, m.rows[0]);
            }),
            ("rows: sum 6, largest tile 2: no counts", |m| {
                let row = m.rows.iter_mut().find(|row| row.sum == 6).unwrap();
                *row = Row::of(row.key().unwrap());
            }),
            ("states: expected all parts that the run keeps", |m| {
                m.states.remove(0);
            }),
            ("states: expected all parts that the run keeps", |m| {
                m.states[0].sealed.states += 1;
            }),
            ("bytes: more than any disk holds", |m| {
                m.states[0].sealed.bytes = u64::MAX;
            }),
            (
                "rows: sum 4, largest tile 2: 7 candidates are not 6 states",
                |m| {
                    m.rows[0].candidates += 1;
                },
            ),
            ("rows: sum 12, largest tile 8: the largest tile is", |m| {
                m.rows.last_mut().unwrap().max_tile = 8;
            }),
            ("complete: it says that the game ends", |m| {
                m.complete = true;
            }),
            ("afterstates: expected all parts that a count needs", |m| {
                m.afterstates[0].sealed.states += 1;
            }),
            ("afterstates: expected all parts of every layer", |m| {
                m.keep = Keep::Both;
            }),
            ("states: expected all parts that the run keeps", |m| {
                m.keep = Keep::Last;
            }),
        ];
        for (said, change) in wrong {
            let what = after(change).unwrap_err();
            assert!(what.starts_with(said), "expected {said:?}, got {what:?}");
        }
    }
}

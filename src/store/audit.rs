//! Checks the numbers of a manifest.
//!
//! Every reader of a run trusts its manifest. The checksum shows only that the manifest is
//! unchanged, not that it is true. So each read checks the fields against each other, and the
//! counts against the laws. This takes milliseconds, because no other file is read.

use super::files::{Holds, PartName};
use super::manifest::{Manifest, SealedPart};
use crate::counts::{Row, Table};
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
        self.parts_in_order()?;
        self.sums()?;
        self.bytes()?;
        let table = self.table();
        let laws = Laws::new(&self.game, self.sealed_sum);
        let ended = laws.table(&table).map_err(|error| match error {
            Error::Law { place, law } => format!("parts: {place}: {law}"),
            other => other.to_string(),
        })?;
        check(ended == self.complete, || {
            let says = if self.complete { "ends" } else { "goes on" };
            format!(
                "complete: it says that the game {says} after the last layer, but the counts say otherwise"
            )
        })?;
        check(self.names_the_afterstates(&table), || {
            let needed = if self.keep.afterstates() {
                "of every layer"
            } else {
                "that a count needs to go on"
            };
            format!("afterstates: expected all parts {needed}")
        })
    }

    /// Parts are in order of sum, then largest tile, without repeats and without empty rows.
    fn parts_in_order(&self) -> Result<(), String> {
        let key = |row: &Row| (row.sum, row.max_tile);
        let mut last = (0, 0);
        for SealedPart { row, .. } in &self.parts {
            let (sum, tile) = key(row);
            check(key(row) > last, || {
                let (sum_before, tile_before) = last;
                format!(
                    "parts: sum {sum}, largest tile {tile} after sum {sum_before}, largest tile {tile_before}"
                )
            })?;
            check(!row.is_empty(), || {
                format!("parts: sum {sum}, largest tile {tile}: no counts")
            })?;
            last = key(row);
        }
        Ok(())
    }

    /// The last layer has the sum of the last part, which the game can reach.
    fn sums(&self) -> Result<(), String> {
        let sealed = self.sealed_sum;
        let last = self.parts.last().map_or(2, |part| part.row.sum);
        check(sealed == last, || {
            format!("sealed_sum: expected {last}, the sum of the last part, got {sealed}")
        })?;
        let most = self.game.sum_bound();
        check(sealed <= most, || {
            format!("sealed_sum: expected at most {most}, got {sealed}")
        })?;
        let dropped = self.dropped_below;
        let most = if self.keep.states() { 0 } else { sealed + 2 };
        check(dropped <= most, || {
            format!("dropped_below: expected at most {most}, got {dropped}")
        })
    }

    /// A part has bytes exactly if it has a file, and the total size does not overflow.
    fn bytes(&self) -> Result<(), String> {
        let mut total = 0u64;
        for SealedPart { row, bytes, .. } in &self.parts {
            let (sum, tile) = (row.sum, row.max_tile);
            let file = row.live > 0 && sum >= self.dropped_below;
            check(file == (*bytes > 0), || {
                format!("parts: sum {sum}, largest tile {tile}: bytes: got {bytes}")
            })?;
            total = total.saturating_add(*bytes);
        }
        let files = self.afterstates.iter().chain(&self.matrices);
        let bytes = files.map(|files| files.sealed.bytes);
        total = bytes.fold(total, u64::saturating_add);
        check(total < u64::MAX, || {
            "bytes: more than any disk holds".to_owned()
        })
    }

    /// Segments hold whole blocks, and the segments of a part add up to the part.
    fn segments(&self) -> Result<(), String> {
        let segment = self.segment;
        let block = Kind::States.block() as u64;
        check(segment > 0 && segment.is_multiple_of(block), || {
            format!("segment: expected a multiple of {block}, got {segment}")
        })?;
        self.files().try_for_each(|files| {
            check(files.is_cut(segment), || {
                let (name, sealed) = (files.name, files.sealed);
                let (kind, key) = (name.kind(), name.key);
                format!("{kind} of {key}: segments: expected full files that add up to {sealed}")
            })
        })
    }

    /// Whether the manifest names exactly the files of afterstates that the run keeps. Only a run
    /// that keeps matrices has more matrices than the frontier.
    fn names_the_afterstates(&self, table: &Table) -> bool {
        let first = self.afterstates_from();
        let kept = table.rows().iter();
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
        let wrong: [(&str, Edit); 20] = [
            ("segment: expected a multiple of 131072, got 0", |m| {
                m.segment = 0
            }),
            ("segment: expected a multiple of 131072, got 200000", |m| {
                m.segment = 200_000;
            }),
            (
                "sealed_sum: expected 12, the sum of the last part, got 4294967294",
                |m| {
                    m.sealed_sum = u32::MAX - 1;
                },
            ),
            ("sealed_sum: expected 12", |m| m.sealed_sum = 13),
            ("sealed_sum: expected 12", |m| m.sealed_sum = 0),
            ("sealed_sum: expected at most 24, got 100", |m| {
                m.sealed_sum = 100;
                m.parts.last_mut().unwrap().row.sum = 100;
            }),
            ("dropped_below: expected at most 0, got 4", |m| {
                m.dropped_below = 4;
            }),
            ("dropped_below: expected at most 14, got 4294967295", |m| {
                m.keep = Keep::Last;
                m.dropped_below = u32::MAX;
            }),
            ("parts: sum 4, largest tile 2 after sum 4", |m| {
                m.parts.swap(0, 1);
            }),
            ("parts: sum 4, largest tile 2 after sum 4", |m| {
                m.parts.insert(0, m.parts[0].clone());
            }),
            ("parts: sum 6, largest tile 2: no counts", |m| {
                let row = &mut m
                    .parts
                    .iter_mut()
                    .find(|part| part.row.sum == 6)
                    .unwrap()
                    .row;
                *row = Row::of(row.key().unwrap());
            }),
            ("parts: sum 4, largest tile 2: bytes: got 0", |m| {
                m.parts[0].bytes = 0;
            }),
            ("bytes: more than any disk holds", |m| {
                m.parts[0].bytes = u64::MAX;
            }),
            (
                "parts: sum 4, largest tile 2: 7 candidates are not 6 states",
                |m| {
                    m.parts[0].row.candidates += 1;
                },
            ),
            ("parts: sum 12, largest tile 8: the largest tile is", |m| {
                m.parts.last_mut().unwrap().row.max_tile = 8;
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
            ("dropped_below: expected at most 0, got 4", |m| {
                m.keep = Keep::Both;
                m.dropped_below = 4;
            }),
            ("parts: sum 10, largest tile 4: bytes: got", |m| {
                m.keep = Keep::Afterstates;
                m.dropped_below = 12;
                m.parts
                    .iter_mut()
                    .filter(|part| part.row.sum < 10)
                    .for_each(|part| part.bytes = 0);
            }),
        ];
        for (said, change) in wrong {
            let what = after(change).unwrap_err();
            assert!(what.starts_with(said), "expected {said:?}, got {what:?}");
        }
    }
}

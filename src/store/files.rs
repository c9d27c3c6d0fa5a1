//! The names of a run's files, and how to tell them from foreign files.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::file::{LOCK, TEMPORARY};
use crate::error::{Error, Result};
use crate::game::{Exp, Game, Objective, PartKey};
use crate::part::{Kind, Label, Sealed};

/// Name of the manifest.
pub(crate) const MANIFEST: &str = "manifest.json";

/// Name of the manifest of a solution.
pub(crate) const SOLUTION: &str = "solution.json";

/// Stem of the temporary file that reserves room for the manifest.
pub(crate) const RESERVE: &str = "reserve";

/// Name of the table.
pub(crate) const TABLE: &str = "layers.csv";

/// The owner of files in a run's directory: a part, or its values.
pub(crate) trait Name: Copy + Eq + Send + Sync + 'static {
    fn key(self) -> PartKey;

    /// The ending of the file names.
    fn ending(self) -> String;
}

/// The name of a file: `sum-00164-max-00032.states`, or `sum-00164-max-00032-0001.states` for a
/// segment. The order of names is the order of parts, and of the boards in a part's segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileName<N> {
    pub(crate) of: N,
    /// The number of the segment, if there are several files.
    pub(crate) segment: Option<u32>,
}

impl<N: Name> fmt::Display for FileName<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PartKey { sum, max } = self.of.key();
        write!(f, "sum-{sum:05}-max-{:05}", max.tile())?;
        if let Some(segment) = self.segment {
            write!(f, "-{segment:04}")?;
        }
        write!(f, ".{}", self.of.ending())
    }
}

impl<N: Name> FileName<N> {
    /// The names of `files` files.
    pub(crate) fn all(of: N, files: usize) -> impl Iterator<Item = Self> {
        let number = move |number: usize| (files > 1).then_some(number as u32);
        (0..files).map(move |at| Self {
            of,
            segment: number(at),
        })
    }

    /// Read only names that [`fmt::Display`] writes; `of` finds the owner of files with an ending.
    fn parse(name: &str, of: impl FnOnce(PartKey, &str) -> Option<N>) -> Option<Self> {
        let (stem, ending) = name.split_once('.')?;
        let (sum, rest) = stem.strip_prefix("sum-")?.split_once("-max-")?;
        let (tile, segment) = match rest.split_once('-') {
            Some((tile, segment)) => (tile, Some(segment.parse().ok()?)),
            None => (rest, None),
        };
        let key = PartKey {
            sum: sum.parse().ok()?,
            max: Exp::of_tile(tile.parse().ok()?)?,
        };
        let of = of(key, ending)?;
        let parsed = Self { of, segment };
        (parsed.to_string() == name).then_some(parsed)
    }
}

/// The names and totals of the files of a part, or of its values. A single file has the totals
/// `sealed`; several files have the totals `segments`.
pub(crate) fn of<N: Name>(
    name: N,
    sealed: Sealed,
    segments: &[Sealed],
) -> impl Iterator<Item = (FileName<N>, Sealed)> {
    let only = segments.is_empty().then_some(sealed);
    let names = FileName::all(name, segments.len().max(1));
    names.zip(only.into_iter().chain(segments.to_vec()))
}

/// The manifest's entries for several files; empty for a single file.
pub(crate) fn segments(files: Vec<Sealed>) -> Vec<Sealed> {
    if files.len() > 1 { files } else { Vec::new() }
}

/// A part, as the owner of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PartName {
    pub(crate) kind: Kind,
    pub(crate) key: PartKey,
}

impl Name for PartName {
    fn key(self) -> PartKey {
        self.key
    }

    fn ending(self) -> String {
        self.kind.to_string()
    }
}

impl PartName {
    /// A part's live states.
    pub(crate) fn of_states(key: PartKey) -> Self {
        let kind = Kind::States;
        Self { kind, key }
    }

    /// A part's afterstates.
    pub(crate) fn of_afterstates(key: PartKey) -> Self {
        let kind = Kind::Afterstates;
        Self { kind, key }
    }

    /// The label in the header of each file.
    pub(crate) fn label(self, game: &Game) -> Label {
        Label::new(game, self.kind, self.key)
    }

    fn parse(name: &str) -> Option<FileName<Self>> {
        let kind = |ending: &str| match ending {
            "states" => Some(Kind::States),
            "afterstates" => Some(Kind::Afterstates),
            _ => None,
        };
        FileName::parse(name, |key, ending| {
            kind(ending).map(|kind| Self { kind, key })
        })
    }
}

/// The values of a part, as the owner of files such as `sum-00164-max-00032.score.values`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValuesName {
    pub(crate) objective: Objective,
    pub(crate) key: PartKey,
}

impl Name for ValuesName {
    fn key(self) -> PartKey {
        self.key
    }

    fn ending(self) -> String {
        format!("{}.values", self.objective)
    }
}

impl ValuesName {
    fn parse(name: &str) -> Option<FileName<Self>> {
        FileName::parse(name, |key, ending| {
            let objective = ending.strip_suffix(".values")?.parse().ok()?;
            Some(Self { objective, key })
        })
    }
}

/// The meaning of a name in a run's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Part(FileName<PartName>),
    /// A file of the run that is not finished.
    Temporary,
    /// The manifest, the table or the lock.
    Run,
    Values(FileName<ValuesName>),
    /// The manifest of the solution.
    Solution,
    /// The directory of the tasks of a layer, given by its sum.
    Tasks(u32),
    /// Not a file of a run.
    Other,
}

impl Named {
    fn of(name: &str) -> Self {
        match PartName::parse(name) {
            Some(part) => Self::Part(part),
            None if is_temporary(name) => Self::Temporary,
            None if [MANIFEST, TABLE, LOCK].contains(&name) => Self::Run,
            None if name == SOLUTION => Self::Solution,
            None => ValuesName::parse(name).map_or(Self::Other, Self::Values),
        }
    }
}

/// Everything in a run's directory, in order of name.
pub(crate) fn all(dir: &Path) -> Result<Vec<(PathBuf, Named)>> {
    let mut names = names(dir)?;
    names.sort_unstable();
    let named = |name: String| {
        let path = dir.join(&name);
        let named = if path.is_dir() {
            tasks_of(&name).map_or(Named::Other, Named::Tasks)
        } else {
            Named::of(&name)
        };
        (path, named)
    };
    Ok(names.into_iter().map(named).collect())
}

/// The name of the directory for the tasks of a layer, whose plan has a checksum.
pub(crate) fn tasks_name(sum: u32, plan: u32) -> String {
    format!("tasks-{sum:05}-{plan:08x}")
}

/// The sum of the layer, if `name` is the directory of a layer's tasks.
fn tasks_of(name: &str) -> Option<u32> {
    let (sum, plan) = name.strip_prefix("tasks-")?.split_once('-')?;
    let (sum, plan) = (sum.parse().ok()?, u32::from_str_radix(plan, 16).ok()?);
    (tasks_name(sum, plan) == name).then_some(sum)
}

/// Refuse a directory without a manifest, unless it holds only files that a run writes before its
/// first commit.
pub(crate) fn refuse_foreign(dir: &Path) -> Result<()> {
    let names = names(dir)?;
    let left_by_a_run = |name: &String| name == LOCK || is_temporary(name);
    if names.iter().any(|name| name == MANIFEST) || names.iter().all(left_by_a_run) {
        Ok(())
    } else if names
        .iter()
        .any(|name| PartName::parse(name).is_some() || is_of_solution(name))
    {
        Err(Error::Missing(dir.join(MANIFEST)))
    } else {
        Err(Error::NotARun(dir.to_owned()))
    }
}

/// Whether a directory holds a run. Other programs have files called `manifest.json`, too.
#[cfg(feature = "cli")]
pub(crate) fn is_run(dir: &Path) -> bool {
    let names = names(dir).unwrap_or_default();
    let of_a_run = |name: &String| name == LOCK || PartName::parse(name).is_some();
    names.iter().any(|name| name == MANIFEST) && names.iter().any(of_a_run)
}

/// Whether a file is one that a run writes under a temporary name.
fn is_temporary(name: &str) -> bool {
    name.strip_suffix(TEMPORARY).is_some_and(|stem| {
        PartName::parse(stem).is_some()
            || is_of_solution(stem)
            || [MANIFEST, TABLE, RESERVE].contains(&stem)
    })
}

/// Whether a file belongs to a solution.
fn is_of_solution(name: &str) -> bool {
    name == SOLUTION || ValuesName::parse(name).is_some()
}

/// The names in a directory.
pub(super) fn names(dir: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(dir).map_err(Error::io(dir, "read the directory"))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io(dir, "read the directory"))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_other_names_are_refused() {
        let max = Exp::of_tile(32).unwrap();
        let of = PartName::of_afterstates(PartKey { sum: 164, max });
        for (text, segment) in [
            ("sum-00164-max-00032.afterstates", None),
            ("sum-00164-max-00032-0000.afterstates", Some(0)),
            ("sum-00164-max-00032-12345.afterstates", Some(12345)),
        ] {
            let name = FileName { of, segment };
            assert_eq!(name.to_string(), text);
            assert_eq!(PartName::parse(text), Some(name));
        }
        for other in [
            "sum-164-max-32.states",
            "sum-00164-max-00032.txt",
            "sum-+0164-max-00032.states",
            "sum-00164-max-00032-1.states",
            "sum-00164-max-00032-+001.states",
            "notes.md",
        ] {
            assert_eq!(PartName::parse(other), None, "{other}");
        }
        assert!(is_temporary("sum-00164-max-00032.states.tmp"));
        assert!(is_temporary("sum-00164-max-00032-0001.states.tmp"));
        assert!(!is_temporary("mine.tmp"));
    }

    #[test]
    fn the_files_of_a_part_are_numbered_if_there_are_several() {
        let max = Exp::of_tile(32).unwrap();
        let of = PartName::of_states(PartKey { sum: 164, max });
        let names = |files| FileName::all(of, files).map(|name| name.to_string());
        assert!(names(1).eq(["sum-00164-max-00032.states"]));
        assert!(names(2).eq([
            "sum-00164-max-00032-0000.states",
            "sum-00164-max-00032-0001.states"
        ]));
    }

    #[test]
    fn names_of_values_are_read_back_and_other_names_are_refused() {
        let max = Exp::of_tile(32).unwrap();
        let key = PartKey { sum: 164, max };
        for (text, objective, segment) in [
            ("sum-00164-max-00032.score.values", "score", None),
            ("sum-00164-max-00032-0003.moves.values", "moves", Some(3)),
            ("sum-00164-max-00032.512.values", "512", None),
        ] {
            let objective = objective.parse().unwrap();
            let of = ValuesName { objective, key };
            let name = FileName { of, segment };
            assert_eq!(name.to_string(), text);
            assert_eq!(ValuesName::parse(text), Some(name));
            assert_eq!(PartName::parse(text), None);
        }
        for other in [
            "sum-00164-max-00032.values",
            "sum-00164-max-00032.0512.values",
            "sum-00164-max-00032.win.values",
            "sum-164-max-32.score.values",
            "sum-00164-max-00032.score.afterstates",
        ] {
            assert_eq!(ValuesName::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_solution_is_told_from_a_run() {
        for name in ["sum-00164-max-00032.score.values", "solution.json"] {
            assert!(matches!(
                Named::of(name),
                Named::Values(_) | Named::Solution
            ));
            assert_eq!(Named::of(&format!("{name}.tmp")), Named::Temporary);
            assert_eq!(Named::of(&format!("{name}.bak")), Named::Other);
        }
        assert_eq!(Named::of("mine.values"), Named::Other);
    }
}

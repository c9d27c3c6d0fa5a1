//! The names of a run's files, and how to tell them from anybody else's.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::file::{LOCK, TEMPORARY};
use crate::error::{Error, Result};
use crate::game::{Exp, Game, Objective, PartKey};
use crate::part::{Kind, Label};

/// Name of the manifest.
pub(crate) const MANIFEST: &str = "manifest.json";

/// Name of the manifest of a solution.
pub(crate) const SOLUTION: &str = "solution.json";

/// Stem of the temporary file that reserves room for the manifest.
pub(crate) const RESERVE: &str = "reserve";

/// Name of the table.
pub(crate) const TABLE: &str = "layers.csv";

/// A part's file name: `sum-00164-max-00032.states`. Names sort as the parts do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileName {
    pub(crate) kind: Kind,
    pub(crate) key: PartKey,
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", stem(self.key), self.kind)
    }
}

impl FileName {
    /// The file of a part's live states.
    pub(crate) fn of_states(key: PartKey) -> Self {
        let kind = Kind::States;
        Self { kind, key }
    }

    /// The file of a part's afterstates.
    pub(crate) fn of_afterstates(key: PartKey) -> Self {
        let kind = Kind::Afterstates;
        Self { kind, key }
    }

    /// What the file's header must say.
    pub(crate) fn label(self, game: &Game) -> Label {
        Label {
            kind: self.kind,
            rows: game.size().rows(),
            cols: game.size().cols(),
            win: game.win(),
            key: self.key,
        }
    }

    /// Read a name that [`fmt::Display`] writes, and no other.
    fn parse(name: &str) -> Option<Self> {
        let (stem, ending) = name.split_once('.')?;
        let kind = match ending {
            "states" => Kind::States,
            "afterstates" => Kind::Afterstates,
            _ => return None,
        };
        let key = key_of(stem)?;
        Some(Self { kind, key })
    }
}

/// The name of a file of values, beside that of their afterstates:
/// `sum-00164-max-00032.score.values`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValuesName {
    pub(crate) objective: Objective,
    pub(crate) key: PartKey,
}

impl fmt::Display for ValuesName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.values", stem(self.key), self.objective)
    }
}

impl ValuesName {
    /// Read a name that [`fmt::Display`] writes, and no other.
    fn parse(name: &str) -> Option<Self> {
        let (stem, objective) = name.strip_suffix(".values")?.split_once('.')?;
        let key = key_of(stem)?;
        let objective = objective.parse().ok()?;
        Some(Self { objective, key })
    }
}

/// What the names of all files of a part begin with: `sum-00164-max-00032`.
fn stem(PartKey { sum, max }: PartKey) -> String {
    format!("sum-{sum:05}-max-{:05}", max.tile())
}

/// The part whose files' names begin with this stem.
fn key_of(text: &str) -> Option<PartKey> {
    let (sum, max) = text.strip_prefix("sum-")?.split_once("-max-")?;
    let key = PartKey {
        sum: sum.parse().ok()?,
        max: Exp::of_tile(max.parse().ok()?)?,
    };
    (stem(key) == text).then_some(key)
}

/// What a name in a run's directory stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// A part file.
    Part(FileName),
    /// A file of the run that is not finished.
    Temporary,
    /// The manifest, the table or the lock.
    Run,
    /// A file of values.
    Values(ValuesName),
    /// The manifest of the solution.
    Solution,
    /// Not a file of a run.
    Other,
}

impl Named {
    fn of(name: &str) -> Self {
        match FileName::parse(name) {
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
        // A run contains no directories.
        let named = if path.is_dir() {
            Named::Other
        } else {
            Named::of(&name)
        };
        (path, named)
    };
    Ok(names.into_iter().map(named).collect())
}

/// Refuse a directory without a manifest that holds anything but what a run leaves before its first
/// commit.
pub(crate) fn refuse_foreign(dir: &Path) -> Result<()> {
    let names = names(dir)?;
    let left_by_a_run = |name: &String| name == LOCK || is_temporary(name);
    if names.iter().any(|name| name == MANIFEST) || names.iter().all(left_by_a_run) {
        Ok(())
    } else if names
        .iter()
        .any(|name| FileName::parse(name).is_some() || is_of_solution(name))
    {
        Err(Error::Missing(dir.join(MANIFEST)))
    } else {
        Err(Error::NotARun(dir.to_owned()))
    }
}

/// Whether a directory is a run's. That of somebody else may hold a manifest of its own.
#[cfg(feature = "cli")]
pub(crate) fn is_run(dir: &Path) -> bool {
    let names = names(dir).unwrap_or_default();
    let of_a_run = |name: &String| name == LOCK || FileName::parse(name).is_some();
    names.iter().any(|name| name == MANIFEST) && names.iter().any(of_a_run)
}

/// Whether a file is one that a run writes under a temporary name.
fn is_temporary(name: &str) -> bool {
    name.strip_suffix(TEMPORARY).is_some_and(|stem| {
        FileName::parse(stem).is_some()
            || is_of_solution(stem)
            || [MANIFEST, TABLE, RESERVE].contains(&stem)
    })
}

/// Whether a file belongs to a solution.
fn is_of_solution(name: &str) -> bool {
    name == SOLUTION || ValuesName::parse(name).is_some()
}

fn names(dir: &Path) -> Result<Vec<String>> {
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
    fn names_are_read_back_and_no_others_are_taken() {
        let max = Exp::of_tile(32).unwrap();
        let name = FileName::of_afterstates(PartKey { sum: 164, max });
        assert_eq!(name.to_string(), "sum-00164-max-00032.afterstates");
        assert_eq!(FileName::parse(&name.to_string()), Some(name));
        for other in [
            "sum-164-max-32.states",
            "sum-00164-max-00032.txt",
            "sum-+0164-max-00032.states",
            "notes.md",
        ] {
            assert_eq!(FileName::parse(other), None, "{other}");
        }
        assert!(is_temporary("sum-00164-max-00032.states.tmp"));
        assert!(!is_temporary("mine.tmp"));
    }

    #[test]
    fn names_of_values_are_read_back_and_no_others_are_taken() {
        let max = Exp::of_tile(32).unwrap();
        let key = PartKey { sum: 164, max };
        for (text, objective) in [
            ("sum-00164-max-00032.score.values", "score"),
            ("sum-00164-max-00032.moves.values", "moves"),
            ("sum-00164-max-00032.512.values", "512"),
        ] {
            let objective = objective.parse().unwrap();
            let name = ValuesName { objective, key };
            assert_eq!(name.to_string(), text);
            assert_eq!(ValuesName::parse(text), Some(name));
            assert_eq!(FileName::parse(text), None);
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

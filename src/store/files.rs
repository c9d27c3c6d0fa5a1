//! The names of a run's files, and how foreign files are told from them.

use std::fmt;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

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

/// Ending of the names of files of matrices.
const MATRICES: &str = "matrices";

/// Name of the directory in which a complete run is counted again.
pub(crate) const AGAIN: &str = "again";

/// Name of the table.
pub(crate) const TABLE: &str = "layers.csv";

/// The contents of a file of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Holds {
    Boards(Kind),
    /// Values of afterstates.
    Values(Objective),
    /// The same values, with the bits that only the solver needs.
    Exact(Objective),
    /// The afterstates of a whole layer, as matrices.
    Matrices,
}

impl Holds {
    fn are_values(self) -> bool {
        matches!(self, Self::Values(_) | Self::Exact(_))
    }
}

/// The owner of files in a run's directory: the boards of a part, the values of its afterstates, or
/// the matrices of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PartName {
    pub(crate) holds: Holds,
    pub(crate) key: PartKey,
}

impl PartName {
    pub(crate) fn new(kind: Kind, key: PartKey) -> Self {
        Self {
            holds: Holds::Boards(kind),
            key,
        }
    }

    pub(crate) fn of_values(objective: Objective, key: PartKey) -> Self {
        Self {
            holds: Holds::Values(objective),
            key,
        }
    }

    pub(crate) fn of_exact(objective: Objective, key: PartKey) -> Self {
        Self {
            holds: Holds::Exact(objective),
            key,
        }
    }

    /// The matrices of a layer have one file for all largest tiles.
    pub(crate) fn of_matrices(sum: u32) -> Self {
        let max = Exp::LAST;
        Self {
            holds: Holds::Matrices,
            key: PartKey { sum, max },
        }
    }

    /// The kind of the boards, or of the boards that have the values.
    pub(crate) fn kind(self) -> Kind {
        match self.holds {
            Holds::Boards(kind) => kind,
            Holds::Values(_) | Holds::Exact(_) | Holds::Matrices => Kind::Afterstates,
        }
    }

    /// The label of the boards.
    pub(crate) fn label(self, game: &Game) -> Label {
        Label::new(game, self.kind(), self.key)
    }

    /// The names of `files` files.
    pub(crate) fn files(self, files: usize) -> impl Iterator<Item = FileName> {
        (0..files as u32).map(move |number| FileName {
            of: self,
            segment: (files > 1).then_some(number),
        })
    }
}

/// The name of a file: `sum-00164-max-00032.states`, `sum-00164-max-00032-0001.states` for a
/// segment, `sum-00164-max-00032.score.values` or `sum-00164.matrices`. The order of names is the
/// order of parts, and of the boards in a part's segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileName {
    pub(crate) of: PartName,
    /// The number of the segment, if there are several files.
    pub(crate) segment: Option<u32>,
}

/// As the name of a single file.
impl Serialize for PartName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&FileName::only(*self))
    }
}

impl<'de> Deserialize<'de> for PartName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let parsed = FileName::parse(&name).filter(|file| file.segment.is_none());
        let wrong = || de::Error::custom(format!("{name:?}: not the name of a part"));
        Ok(parsed.ok_or_else(wrong)?.of)
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PartKey { sum, max } = self.of.key;
        if self.of.holds == Holds::Matrices {
            return write!(f, "sum-{sum:05}.{MATRICES}");
        }
        write!(f, "sum-{sum:05}-max-{:05}", max.tile())?;
        if let Some(segment) = self.segment {
            write!(f, "-{segment:04}")?;
        }
        match self.of.holds {
            Holds::Values(objective) => write!(f, ".{objective}.values"),
            Holds::Exact(objective) => write!(f, ".{objective}.exact"),
            _ => write!(f, ".{}", self.of.kind()),
        }
    }
}

impl FileName {
    /// The name of the only file of a part.
    pub(crate) fn only(of: PartName) -> Self {
        Self { of, segment: None }
    }

    /// Read a name exactly as [`fmt::Display`] writes it.
    fn parse(name: &str) -> Option<Self> {
        let (stem, ending) = name.split_once('.')?;
        let stem = stem.strip_prefix("sum-")?;
        if ending == MATRICES {
            let parsed = Self::only(PartName::of_matrices(stem.parse().ok()?));
            return (parsed.to_string() == name).then_some(parsed);
        }
        let (sum, rest) = stem.split_once("-max-")?;
        let (tile, segment) = match rest.split_once('-') {
            Some((tile, segment)) => (tile, Some(segment.parse().ok()?)),
            None => (rest, None),
        };
        let key = PartKey {
            sum: sum.parse().ok()?,
            max: Exp::of_tile(tile.parse().ok()?)?,
        };
        let of = match ending {
            "states" => PartName::new(Kind::States, key),
            "afterstates" => PartName::new(Kind::Afterstates, key),
            _ => match ending.rsplit_once('.')? {
                (objective, "values") => PartName::of_values(objective.parse().ok()?, key),
                (objective, "exact") => PartName::of_exact(objective.parse().ok()?, key),
                _ => return None,
            },
        };
        let parsed = Self { of, segment };
        (parsed.to_string() == name).then_some(parsed)
    }
}

/// The meaning of a name in a run's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// A file of boards, or of matrices.
    Part(FileName),
    /// An unfinished file of the run.
    Temporary,
    /// A manifest, the table or the lock.
    Run,
    /// A file of values.
    Values(FileName),
    /// The directory for the tasks of the layer of this sum.
    Tasks(u32),
    /// The directory of a second count.
    Again,
    /// A foreign file or directory.
    Other,
}

impl Named {
    fn of(name: &str) -> Self {
        match FileName::parse(name) {
            Some(file) if file.of.holds.are_values() => Self::Values(file),
            Some(file) => Self::Part(file),
            None if is_temporary(name) => Self::Temporary,
            None if [MANIFEST, SOLUTION, TABLE, LOCK].contains(&name) => Self::Run,
            None if name == AGAIN => Self::Again,
            None => tasks_of(name).map_or(Self::Other, Self::Tasks),
        }
    }
}

/// All files and directories in a run's directory, in order of name.
pub(crate) fn all(dir: &Path) -> Result<Vec<(PathBuf, Named)>> {
    let mut entries = entries(dir)?;
    entries.sort_unstable();
    let entries = entries.into_iter().map(|(name, is_dir)| {
        let named = Named::of(&name);
        let should_be_dir = matches!(named, Named::Tasks(_) | Named::Again);
        let named = if is_dir == should_be_dir {
            named
        } else {
            Named::Other
        };
        (dir.join(&name), named)
    });
    Ok(entries.collect())
}

/// The name of the directory for the tasks of a layer, given the checksum of the layer's plan.
pub(crate) fn tasks_name(sum: u32, plan: u32) -> String {
    format!("tasks-{sum:05}-{plan:08x}")
}

/// The sum of a layer, if `name` is the name of the directory for its tasks.
fn tasks_of(name: &str) -> Option<u32> {
    let (sum, plan) = name.strip_prefix("tasks-")?.split_once('-')?;
    let (sum, plan) = (sum.parse().ok()?, u32::from_str_radix(plan, 16).ok()?);
    (tasks_name(sum, plan) == name).then_some(sum)
}

/// Refuse a directory that has no manifest, unless it holds only files that a run writes before its
/// first commit.
pub(crate) fn refuse_foreign(dir: &Path) -> Result<()> {
    let names: Vec<String> = entries(dir)?.into_iter().map(|(name, _)| name).collect();
    // Another program may keep contents in its lock, or a link.
    let is_empty_file = |name: &str| {
        let found = fs::symlink_metadata(dir.join(name));
        found.is_ok_and(|found| found.is_file() && found.len() == 0)
    };
    let left_by_a_run = |name: &String| match name == LOCK {
        true => is_empty_file(name),
        false => is_temporary(name),
    };
    let needs_a_run = |name: &String| name == SOLUTION || FileName::parse(name).is_some();
    if names.iter().any(|name| name == MANIFEST) || names.iter().all(left_by_a_run) {
        Ok(())
    } else if names.iter().any(needs_a_run) {
        Err(Error::Missing(dir.join(MANIFEST)))
    } else {
        Err(Error::NotARun(dir.to_owned()))
    }
}

/// Whether a directory holds a run. The manifest alone does not tell, because other programs have
/// files called `manifest.json`.
#[cfg(feature = "cli")]
pub(crate) fn is_run(dir: &Path) -> bool {
    let entries = entries(dir).unwrap_or_default();
    let of_a_run = |name: &str| name == LOCK || FileName::parse(name).is_some();
    entries.iter().any(|(name, _)| name == MANIFEST)
        && entries.iter().any(|(name, _)| of_a_run(name))
}

/// Whether a run, or its solver, writes a file under this temporary name.
fn is_temporary(name: &str) -> bool {
    name.strip_suffix(TEMPORARY).is_some_and(|stem| {
        FileName::parse(stem).is_some() || [MANIFEST, TABLE, SOLUTION, RESERVE].contains(&stem)
    })
}

/// The names in a directory, and whether each is a directory.
fn entries(dir: &Path) -> Result<Vec<(String, bool)>> {
    let entry = |entry: io::Result<DirEntry>| {
        let (name, kind) = entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?)))?;
        Ok((name.to_string_lossy().into_owned(), kind.is_dir()))
    };
    fs::read_dir(dir)
        .and_then(|entries| entries.map(entry).collect())
        .map_err(unlisted(dir))
}

/// A function for `map_err` of a directory that cannot be listed.
pub(super) fn unlisted(dir: &Path) -> impl FnOnce(io::Error) -> Error {
    move |cause| match cause.kind() {
        io::ErrorKind::NotFound if dir.is_symlink() => Error::dangling(dir),
        io::ErrorKind::NotFound => Error::NoDirectory(dir.to_owned()),
        _ => Error::io(dir, "read the directory")(cause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_other_names_are_refused() {
        let max = Exp::of_tile(32).unwrap();
        let of = PartName::new(Kind::Afterstates, PartKey { sum: 164, max });
        for (text, segment) in [
            ("sum-00164-max-00032.afterstates", None),
            ("sum-00164-max-00032-0000.afterstates", Some(0)),
            ("sum-00164-max-00032-12345.afterstates", Some(12345)),
        ] {
            let name = FileName { of, segment };
            assert_eq!(name.to_string(), text);
            assert_eq!(Named::of(text), Named::Part(name));
        }
        for other in [
            "sum-164-max-32.states",
            "sum-00164-max-00032.txt",
            "sum-+0164-max-00032.states",
            "sum-00164-max-00032-1.states",
            "sum-00164-max-00032-+001.states",
            "notes.md",
        ] {
            assert_eq!(FileName::parse(other), None, "{other}");
        }
        assert!(is_temporary("sum-00164-max-00032.states.tmp"));
        assert!(is_temporary("sum-00164-max-00032-0001.states.tmp"));
        assert!(!is_temporary("mine.tmp"));
    }

    #[test]
    fn the_files_of_a_part_are_numbered_if_there_are_several() {
        let max = Exp::of_tile(32).unwrap();
        let of = PartName::new(Kind::States, PartKey { sum: 164, max });
        let names = |files| of.files(files).map(|name| name.to_string());
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
            let of = PartName::of_values(objective, key);
            let name = FileName { of, segment };
            assert_eq!(name.to_string(), text);
            assert_eq!(FileName::parse(text), Some(name));
            assert_eq!(Named::of(text), Named::Values(name));
        }
        for other in [
            "sum-00164-max-00032.values",
            "sum-00164-max-00032.0512.values",
            "sum-00164-max-00032.win.values",
            "sum-164-max-32.score.values",
            "sum-00164-max-00032.score.afterstates",
        ] {
            assert_eq!(FileName::parse(other), None, "{other}");
        }
    }

    #[test]
    fn files_of_a_solution_are_recognised() {
        for name in ["sum-00164-max-00032.score.values", "solution.json"] {
            assert!(matches!(Named::of(name), Named::Values(_) | Named::Run));
            assert_eq!(Named::of(&format!("{name}.tmp")), Named::Temporary);
            assert_eq!(Named::of(&format!("{name}.bak")), Named::Other);
        }
        assert_eq!(Named::of("mine.values"), Named::Other);
    }
}

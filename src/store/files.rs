//! The names of a run's files, and telling them from anybody else's.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::file::TEMPORARY;
use crate::error::{Error, Result};
use crate::run::Kind;

/// Name of the manifest.
pub(crate) const MANIFEST: &str = "manifest.json";

/// Name of the table.
pub(crate) const TABLE: &str = "layers.csv";

/// A part's file name: `sum-00164-max-00032.states`. Names sort as the parts do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileName {
    pub(crate) kind: Kind,
    pub(crate) sum: u32,
    pub(crate) max: u32,
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = match self.kind {
            Kind::States => "states",
            Kind::Afterstates => "afterstates",
        };
        write!(f, "sum-{:05}-max-{:05}.{ending}", self.sum, self.max)
    }
}

impl FileName {
    /// The name's parts, if it is one that [`fmt::Display`] writes.
    fn parse(name: &str) -> Option<Self> {
        let (stem, ending) = name.split_once('.')?;
        let kind = match ending {
            "states" => Kind::States,
            "afterstates" => Kind::Afterstates,
            _ => return None,
        };
        let (sum, max) = stem.strip_prefix("sum-")?.split_once("-max-")?;
        let parsed = Self {
            kind,
            sum: sum.parse().ok()?,
            max: max.parse().ok()?,
        };
        (parsed.to_string() == name).then_some(parsed)
    }
}

/// Part files and temporary files of a run in `dir`; the latter have no [`FileName`].
pub(crate) fn ours(dir: &Path) -> Result<Vec<(PathBuf, Option<FileName>)>> {
    let mut found = Vec::new();
    for entry in names(dir)? {
        let part = FileName::parse(&entry);
        if part.is_some() || is_temporary(&entry) {
            found.push((dir.join(entry), part));
        }
    }
    Ok(found)
}

/// Refuse a directory that has no manifest, but things in it that no run leaves.
pub(crate) fn refuse_foreign(dir: &Path) -> Result<()> {
    let names = names(dir)?;
    let left_by_a_run = |name: &String| name == "lock" || is_temporary(name);
    if names.iter().any(|name| name == MANIFEST) || names.iter().all(left_by_a_run) {
        Ok(())
    } else {
        Err(Error::NotARun(dir.to_owned()))
    }
}

/// Whether a file is one that a run writes under its temporary name.
fn is_temporary(name: &str) -> bool {
    name.strip_suffix(TEMPORARY)
        .is_some_and(|stem| FileName::parse(stem).is_some() || stem == MANIFEST || stem == TABLE)
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
        let name = FileName {
            kind: Kind::Afterstates,
            sum: 164,
            max: 32,
        };
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
}

//! The files of a run's directory that no manifest names, and its table.

use std::fs::File;
use std::io::Read;

use super::file;
use super::files::{self, Named, SOLUTION, TABLE};
use super::run::Run;
use super::solution::SolutionManifest;
use crate::error::{Error, Result};

impl Run {
    /// Delete the remains of interrupted processes, if the run is locked. Returns a remark if there
    /// are any.
    pub(super) fn remove_strays(&self) -> Result<Option<String>> {
        if self.lock.is_none() {
            return Ok(None);
        }
        let (is_stray, mut removed) = (self.strays(), 0);
        for (path, named) in files::all(self.dir())? {
            if is_stray(named) {
                match named {
                    Named::Tasks(_) | Named::Again => drop(file::clear(&path)),
                    _ => file::remove(&path)?,
                }
                removed += 1;
            }
        }
        Ok((removed > 0).then(|| {
            let dir = self.dir().display();
            format!(
                "{dir}: removed unfinished files of an interrupted count or solution: {removed}"
            )
        }))
    }

    /// A function that tells whether a file is the remains of an interrupted process.
    fn strays(&self) -> impl Fn(Named) -> bool {
        let solution = SolutionManifest::load(self);
        move |named| match named {
            Named::Part(name) => !self.manifest.has(name),
            Named::Values(name) => match &solution {
                Ok(solution) => !solution.as_ref().is_some_and(|solution| solution.has(name)),
                // The names in a damaged manifest are unknown.
                Err(_) => false,
            },
            Named::Temporary => true,
            Named::Tasks(sum) => sum <= self.sealed_sum(),
            Named::Again => self.keep().afterstates(),
            Named::Run | Named::Other => false,
        }
    }

    /// Check the table and all files that are not parts of the run. Returns the errors,
    /// and remarks on harmless files. Foreign files are harmless. A count that was killed in a
    /// commit can leave an older `layers.csv`, and files that no manifest names; both are harmless.
    pub(crate) fn surroundings(&self) -> Result<(Vec<Error>, Vec<String>)> {
        let (is_stray, mut remarks, mut strays) = (self.strays(), Vec::new(), Vec::new());
        for (path, named) in files::all(self.dir())? {
            let shown = path.display();
            match named {
                Named::Temporary => remarks.push(format!(
                    "{shown}: unfinished file of an interrupted process: the next count or solve deletes it"
                )),
                Named::Tasks(sum) => remarks.push(format!(
                    "{shown}: tasks of layer {sum}: enum48 cluster can go on with them; a count that seals the layer deletes them"
                )),
                Named::Again => remarks.push(format!(
                    "{shown}: a second count for the afterstates: --keep both or afterstates goes on with it"
                )),
                Named::Other => remarks.push(format!("{shown}: not a file of the run: left alone")),
                _ if is_stray(named) => strays.push((path, named)),
                _ => {}
            }
        }
        let mut wrong = Vec::new();
        let has_values = strays.iter().any(|(_, of)| matches!(of, Named::Values(_)));
        let solution = self.dir().join(SOLUTION);
        if has_values && !file::is_there(&solution)? {
            wrong.push(Error::Missing(solution));
        }
        if let Some(((first, _), others)) = strays.split_first() {
            let others = match others.len() {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            remarks.push(format!(
                "{}{others}: not named by a manifest, so not part of the run: the next count or solve deletes it",
                first.display()
            ));
        }
        match self.check_table() {
            Ok(older) => remarks.extend(older),
            Err(error) => wrong.push(error),
        }
        Ok((wrong, remarks))
    }

    /// Check that `layers.csv` is the table of the manifest. A commit writes the manifest first, so
    /// an older table is only worth a remark, which is returned.
    pub(super) fn check_table(&self) -> Result<Option<String>> {
        let path = self.dir().join(TABLE);
        let expected = self.table().to_csv();
        let damaged = |what: &str| Error::damaged(&path, what);
        let is_new = self.manifest.rows.is_empty();
        let mut found = Vec::new();
        match file::find(&path)? {
            // Read at most one byte more than expected.
            Some(file) if file.is_file() => File::open(&path)
                .map_err(Error::io(&path, "open"))?
                .take(expected.len() as u64 + 1)
                .read_to_end(&mut found)
                .map_err(Error::io(&path, "read"))?,
            Some(_) => return Err(damaged("not a file")),
            None if is_new => 0,
            None => return Err(damaged("missing")),
        };
        if found == expected {
            return Ok(None);
        }
        let is_older = found.ends_with(b"\n") || found.is_empty() && is_new;
        // The first tables have no x before their fingerprints.
        let first = String::from_utf8_lossy(&expected).replace(",x", ",");
        let begins = expected.starts_with(&found) || first.as_bytes().starts_with(&found);
        if is_older && begins {
            let shown = path.display();
            return Ok(Some(format!(
                "{shown}: older than the manifest: the next count writes it again"
            )));
        }
        let pairs = lines(&expected).zip(lines(&found));
        let line = 1 + pairs
            .take_while(|(expected, found)| expected == found)
            .count();
        Err(damaged(&format!(
            "line {line} differs from the table of the manifest"
        )))
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n')
}

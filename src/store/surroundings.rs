//! Checks the files of a run's directory that are not parts.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use super::file::{self, LOCK};
use super::files::{self, FileName, Named, SOLUTION, TABLE};
use super::run::Run;
use crate::counts::Table;
use crate::error::{Error, Result};

impl Run {
    /// Check the lock, the table and all files that are not parts of the run. Returns the errors,
    /// and remarks on harmless files. Foreign files are harmless. A count that was killed in a
    /// commit can leave an older `layers.csv`, and part files that the manifest does not name; both
    /// are harmless. `is_solved` tells whether a solution names a file of values.
    pub(crate) fn surroundings(
        &self,
        is_solved: impl Fn(FileName) -> bool,
    ) -> Result<(Vec<Error>, Vec<String>)> {
        let mut remarks = Vec::new();
        let (mut strays, mut stray_values) = (Vec::new(), Vec::new());
        for (path, named) in files::all(self.dir())? {
            let shown = path.display();
            match named {
                Named::Part(name) if !self.manifest.has(name) => strays.push(path),
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
                Named::Values(name) if !is_solved(name) => stray_values.push(path),
                Named::Part(_) | Named::Run | Named::Values(_) | Named::Solution => {}
            }
        }
        remarks.extend(first_of(&strays).map(|strays| {
            format!("{strays}: not named by the manifest, so not part of the run: deleted by the next count")
        }));
        let job = if self.cannot_have_values()? {
            "count"
        } else {
            "solve"
        };
        remarks.extend(first_of(&stray_values).map(|strays| {
            format!("{strays}: not named by {SOLUTION}, so not part of a solution: deleted by the next {job}")
        }));
        let mut wrong = Vec::new();
        match self.check_table() {
            Ok(older) => remarks.extend(older),
            Err(error) => wrong.push(error),
        }
        wrong.extend(self.check_lock().err());
        Ok((wrong, remarks))
    }

    /// Check that the lock file is empty.
    fn check_lock(&self) -> Result<()> {
        let path = self.dir().join(LOCK);
        match file::find(&path)? {
            Some(found) if found.len() > 0 => {
                let what = format!("expected 0 bytes, got {}", found.len());
                Err(Error::Altered { path, what })
            }
            _ => Ok(()),
        }
    }

    /// Check that `layers.csv` is the table of the manifest. A commit writes the manifest first, so
    /// an older table is only worth a remark, which is returned.
    pub(super) fn check_table(&self) -> Result<Option<String>> {
        let path = self.dir().join(TABLE);
        let table = self.table();
        let expected = table.to_csv();
        let mut found = Vec::new();
        match file::find(&path)? {
            None if table.rows().is_empty() => {}
            Some(file) if file.is_file() => {
                // Read at most one byte more than expected.
                File::open(&path)
                    .map_err(Error::io(&path, "open"))?
                    .take(expected.len() as u64 + 1)
                    .read_to_end(&mut found)
                    .map_err(Error::io(&path, "read"))?;
            }
            found => {
                let what = found.map_or("missing", |_| "not a file").to_owned();
                return Err(Error::Altered { path, what });
            }
        }
        if found == expected {
            return Ok(None);
        }
        let header = Table::new([]).to_csv();
        let older = expected.starts_with(&found) && found.ends_with(b"\n");
        if found.is_empty() && table.rows().is_empty() || older && found.starts_with(&header) {
            let shown = path.display();
            return Ok(Some(format!(
                "{shown}: older than the manifest: the next count writes it again"
            )));
        }
        let pairs = lines(&expected).zip(lines(&found));
        let line = 1 + pairs
            .take_while(|(expected, found)| expected == found)
            .count();
        let what = format!("line {line} differs from the table of the manifest");
        Err(Error::Altered { path, what })
    }
}

/// The first path and the number of other paths; `None` without a path.
fn first_of(paths: &[PathBuf]) -> Option<String> {
    let (first, others) = paths.split_first()?;
    let others = match others.len() {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    Some(format!("{}{others}", first.display()))
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n')
}

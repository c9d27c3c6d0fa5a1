//! The results of a long job: a table, if one is asked for, and a summary or one JSON object.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, bail};

use super::output::{self, Output};
use super::talk;
use crate::store::Sink;

/// Where the results of a job go.
pub(super) struct Results {
    csv: Option<Output>,
    json: bool,
}

impl Results {
    /// A table to `csv`, and one JSON object instead of the summary if `json`. Checks that both can
    /// be had now, not after hours of work.
    pub(super) fn new(csv: Option<&Path>, json: bool) -> Result<Self> {
        let csv = csv.map(Output::new).transpose()?;
        if json && matches!(csv, Some(Output::Stdout)) {
            bail!("--csv and --json: both go to stdout: give --csv a file");
        }
        Ok(Self { csv, json })
    }

    /// Check that the results can be had of a run in `dir`: no table goes into its directory, and
    /// JSON can name that.
    pub(super) fn suit(&self, dir: &Path) -> Result<()> {
        if let Some(csv) = &self.csv {
            csv.refuse_in(dir)?;
        }
        if self.json {
            output::json_names(dir)?;
        }
        Ok(())
    }

    /// Write the table with `act`, if it is asked for.
    pub(super) fn write_csv(&self, act: impl FnOnce(&mut Sink) -> Result<()>) -> Result<()> {
        self.csv.as_ref().map_or(Ok(()), |csv| csv.write(act))
    }

    /// Print the summary, on stderr if the table is on stdout; or the object.
    pub(super) fn print(
        &self,
        summary: &impl Display,
        json: impl FnOnce() -> serde_json::Result<String>,
    ) -> Result<()> {
        if self.json {
            writeln!(io::stdout(), "{}", json()?)?;
        } else if matches!(self.csv, Some(Output::Stdout)) {
            talk::write(summary);
        } else {
            write!(io::stdout(), "{summary}")?;
        }
        Ok(())
    }
}

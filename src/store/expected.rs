//! A part file as it should be.

use std::path::Path;

use super::files::FileName;
use crate::error::{Error, Result};
use crate::game::Game;
use crate::part::{Part, Sealed};

/// A part file that the manifest names, and what it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) name: FileName,
    pub(crate) sealed: Sealed,
}

impl Expected {
    /// Open the file and see that it is the part that it should be. Checks its header, index and
    /// footer; not the blocks.
    pub(crate) fn open(&self, path: &Path, game: &Game) -> Result<Part> {
        let part = Part::open(path).map_err(Error::missing)?;
        self.check(part, game)
    }

    /// See that a part is the one that it should be.
    pub(crate) fn check(&self, part: Part, game: &Game) -> Result<Part> {
        let mismatch = |what: String| {
            let path = part.path().to_owned();
            Err(Error::Mismatch { path, what })
        };
        let label = self.name.label(game);
        if part.label() != label {
            return mismatch(format!("expected {label}, got {}", part.label()));
        }
        let got = Sealed {
            states: part.states(),
            bytes: part.bytes(),
            fingerprint: part.fingerprint(),
        };
        if got != self.sealed {
            return mismatch(format!("expected {}, got {got}", self.sealed));
        }
        Ok(part)
    }
}

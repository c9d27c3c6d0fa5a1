//! Files of parts in a directory of their own. No manifest names them.

use std::path::Path;

use super::Files;
use super::files::PartName;
use super::outbox::Outbox;
use super::run::Run;
use super::writer::Writer;
use crate::error::Result;
use crate::game::{Game, PartKey};
use crate::part::{Kind, Part, Sealed};

/// Files of parts, which are never committed. They have the bytes of the files of a run.
pub(crate) struct LooseParts {
    game: Game,
    segment: u64,
    outbox: Outbox,
}

impl LooseParts {
    /// Parts with the game and the segments of a run, to be written in `dir`.
    pub(crate) fn new(run: &Run, dir: &Path) -> Self {
        Self {
            game: *run.game(),
            segment: run.segment(),
            outbox: Outbox::new(dir),
        }
    }

    /// Open all parts that were finished.
    pub(crate) fn open(mut self) -> Result<Vec<Part>> {
        let finished = self.outbox.seal(u32::MAX).into_iter();
        let open = |(name, sealed): (PartName, Vec<Sealed>)| {
            let label = name.label(&self.game);
            let files = name.files(sealed.len()).zip(sealed);
            Part::join(files.map(|(name, sealed)| self.outbox.open(name, label, sealed)))
        };
        finished.map(open).collect()
    }
}

impl Files for LooseParts {
    fn create(&self, kind: Kind, key: PartKey) -> Result<Writer> {
        let name = PartName::new(kind, key);
        let label = name.label(&self.game);
        self.outbox.create(name, vec![label.into()], self.segment)
    }

    fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed> {
        self.outbox.finish(PartName::new(kind, key), writer)
    }
}

//! Boards of a run that keeps matrices, listed when they are asked for.
//!
//! Key idea: a layer is listed as a whole, in files of a temporary directory that are byte for byte
//! the files of a run that keeps lists. So every reader of parts reads such a run, too. The last
//! layers stay listed, because neighbouring layers are read together. On Unix the directory is deleted
//! once all files are open. From then on, a killed process leaves no files, and a forked process
//! deletes none.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use super::Files;
use super::file;
use super::files::PartName;
use super::manifest::{Expected, several};
use super::outbox::Outbox;
use super::run::Run;
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::fork::ForkLock;
use crate::game::{Board, Game, PartKey};
use crate::part::{Kind, Part, Sealed};
use crate::progress::Stop;

/// Layers that stay listed.
const LISTED: usize = 6;

/// Reads the matrices of a run.
pub(crate) trait ReadMatrices: Send + Sync {
    /// Write the files of the states, or the afterstates, of a layer, until a stop is asked: `stop`,
    /// or else the reader's own stop.
    fn list(
        &self,
        run: &Run,
        kind: Kind,
        sum: u32,
        files: &mut ListedLayer,
        stop: Option<&Stop>,
    ) -> Result<()>;

    /// Whether a board is a live state, or an afterstate.
    fn contains(&self, run: &Run, kind: Kind, board: Board) -> Result<bool>;

    /// Check the matrices of a layer against the table. Returns the number of afterstates.
    fn check(&self, run: &Run, sum: u32) -> Result<u64>;

    /// Leave `bytes` bytes of the reader's memory to other work from now on.
    fn share(&self, bytes: u64);
}

/// Reads the boards of runs that keep matrices; see [`Keep::Matrices`](super::Keep::Matrices) and
/// [`engine::matrix_reader`](crate::engine::matrix_reader).
#[derive(Clone)]
pub struct MatrixReader {
    reader: Arc<dyn ReadMatrices>,
    make_dir: MakeDir,
}

/// A temporary directory, which is deleted when it is dropped.
pub(crate) type LayerDir = Box<dyn AsRef<Path> + Send + Sync>;

/// Makes the directory of a listed layer.
pub(crate) type MakeDir = fn() -> io::Result<LayerDir>;

impl MatrixReader {
    /// A reader that lists layers among the system's temporary files.
    pub(crate) fn new(reader: Arc<dyn ReadMatrices>) -> Self {
        Self {
            reader,
            make_dir: || Ok(Box::new(tempfile::tempdir()?)),
        }
    }

    /// List layers in the directories that `make_dir` makes.
    #[cfg(feature = "cli")]
    pub(crate) fn with_dirs(self, make_dir: MakeDir) -> Self {
        Self { make_dir, ..self }
    }
}

impl fmt::Debug for MatrixReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MatrixReader")
    }
}

/// A run's reader of matrices, and the layers that it has listed.
#[derive(Default)]
pub(super) struct Listed {
    reader: Option<MatrixReader>,
    /// In the order of listing.
    layers: ForkLock<Vec<Arc<OpenLayer>>>,
}

/// The files of a layer that is being listed.
pub(crate) struct ListedLayer {
    game: Game,
    segment: u64,
    /// The files, which are never committed.
    outbox: Outbox,
    dir: LayerDir,
}

/// A layer that was listed. All its files are open.
struct OpenLayer {
    kind: Kind,
    sum: u32,
    parts: Vec<(Expected, Part)>,
    /// The directory of the files, if the system could not delete open files. It is deleted after the
    /// parts are closed.
    _dir: Option<LayerDir>,
}

impl Files for ListedLayer {
    fn create(&self, kind: Kind, key: PartKey) -> Result<Writer> {
        let name = PartName::new(kind, key);
        let label = name.label(&self.game);
        self.outbox.create(name, vec![label.into()], self.segment)
    }

    fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed> {
        self.outbox.finish(PartName::new(kind, key), writer)
    }
}

impl ListedLayer {
    /// The directory of the files.
    pub(crate) fn dir(&self) -> &Path {
        (*self.dir).as_ref()
    }

    /// Open all parts.
    fn open_parts(&mut self) -> Result<Vec<(Expected, Part)>> {
        let sealed = self.outbox.seal(u32::MAX).into_iter();
        let open = |(name, files): (PartName, Vec<Sealed>)| {
            let expected = Expected {
                name,
                sealed: files.iter().copied().sum(),
                segments: several(files),
            };
            let label = name.label(&self.game);
            let files = expected.files();
            let files = files.map(|(name, sealed)| self.outbox.open(name, label, sealed));
            let part = Part::join(files)?;
            Ok((expected, part))
        };
        sealed.map(open).collect()
    }
}

impl OpenLayer {
    /// The part with these boards; `None` if it is empty.
    fn find(&self, key: PartKey) -> Option<&(Expected, Part)> {
        let mut parts = self.parts.iter();
        parts.find(|(expected, _)| expected.name.key == key)
    }
}

impl Run {
    /// Read the boards of the run's matrices with `reader`, if the run keeps matrices.
    #[must_use]
    pub fn with_matrix_reader(mut self, reader: MatrixReader) -> Self {
        self.listed.reader = Some(reader);
        self
    }

    /// The reader of the run's matrices.
    pub(super) fn matrix_reader(&self) -> Option<MatrixReader> {
        self.listed.reader.clone()
    }

    fn reader(&self) -> Result<&MatrixReader> {
        let reader = self.listed.reader.as_ref();
        reader.ok_or_else(|| Error::InMatrices(self.dir().to_owned()))
    }

    /// Whether a board is a live state, or an afterstate, by the matrices: a bit.
    pub(super) fn has_in_matrices(&self, kind: Kind, board: Board) -> Result<bool> {
        self.reader()?.reader.contains(self, kind, board)
    }

    /// Check the matrices of a layer: each byte, and the numbers of afterstates and of their empty
    /// cells in the table. Returns the number of afterstates.
    pub(crate) fn check_matrices(&self, sum: u32) -> Result<u64> {
        self.reader()?.reader.check(self, sum)
    }

    /// Leave `bytes` bytes of the memory of the reader of matrices to other work from now on.
    pub(crate) fn share_matrix_memory(&self, bytes: u64) {
        if let Some(MatrixReader { reader, .. }) = &self.listed.reader {
            reader.share(bytes);
        }
    }

    /// Open a part of a layer in matrices.
    pub(super) fn open_listed(
        &self,
        kind: Kind,
        key: PartKey,
        stop: Option<&Stop>,
    ) -> Result<Option<Part>> {
        let layer = self.listed_layer(kind, key.sum, stop)?;
        Ok(layer.find(key).map(|(_, part)| part.clone()))
    }

    /// The files of a part of a layer in matrices.
    pub(super) fn expect_listed(&self, kind: Kind, key: PartKey) -> Result<Option<Expected>> {
        let layer = self.listed_layer(kind, key.sum, None)?;
        Ok(layer.find(key).map(|(expected, _)| expected.clone()))
    }

    /// The listed states, or afterstates, of a layer in matrices. Lists the layer unless it is kept.
    fn listed_layer(&self, kind: Kind, sum: u32, stop: Option<&Stop>) -> Result<Arc<OpenLayer>> {
        let mut kept = self.listed.layers.lock();
        let mut layers = kept.as_deref().into_iter().flatten();
        if let Some(layer) = layers.find(|layer| (layer.kind, layer.sum) == (kind, sum)) {
            return Ok(layer.clone());
        }
        // A thread of a pool that waits for another pool runs other tasks. Such a task may call this
        // function, and the lock is held. So a thread of no pool lists the layer.
        let list = || self.list(kind, sum, stop);
        let listed = thread::scope(|scope| scope.spawn(list).join());
        let layer = Arc::new(listed.expect("no thread panics")?);
        if let Some(kept) = &mut kept {
            if kept.len() == LISTED {
                kept.remove(0);
            }
            kept.push(layer.clone());
        }
        Ok(layer)
    }

    fn list(&self, kind: Kind, sum: u32, stop: Option<&Stop>) -> Result<OpenLayer> {
        let MatrixReader { reader, make_dir } = self.reader()?;
        let dir = make_dir().map_err(Error::io(&std::env::temp_dir(), "create a directory in"))?;
        let mut layer = ListedLayer {
            game: *self.game(),
            segment: self.segment(),
            outbox: Outbox::new((*dir).as_ref()),
            dir,
        };
        reader.list(self, kind, sum, &mut layer, stop)?;
        let parts = layer.open_parts()?;
        // NFS keeps open files in the directory, so it is deleted again when the parts are closed.
        let is_gone = cfg!(unix) && file::try_clear((*layer.dir).as_ref());
        Ok(OpenLayer {
            kind,
            sum,
            parts,
            _dir: (!is_gone).then_some(layer.dir),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Exp;
    use crate::part::{Block, Encoder, Stream};
    use crate::random::Random;

    /// Lists one part, with these numbers as its boards.
    struct OnePart(Vec<u64>);

    const KEY: PartKey = PartKey {
        sum: 14,
        max: Exp::of_tile(8).unwrap(),
    };

    impl ReadMatrices for OnePart {
        fn list(
            &self,
            _: &Run,
            kind: Kind,
            _: u32,
            files: &mut ListedLayer,
            _: Option<&Stop>,
        ) -> Result<()> {
            let mut writer = files.create(kind, KEY)?;
            let (mut encoder, mut block) = (Encoder::new(1)?, Block::default());
            for boards in self.0.chunks(writer.block()) {
                encoder.encode(boards, &mut block)?;
                writer.append(&block)?;
            }
            files.finish(kind, KEY, writer)?;
            Ok(())
        }

        fn contains(&self, _: &Run, _: Kind, _: Board) -> Result<bool> {
            unreachable!("the test asks for parts")
        }

        fn check(&self, _: &Run, _: u32) -> Result<u64> {
            unreachable!("the test asks for parts")
        }

        fn share(&self, _: u64) {
            unreachable!("the test asks for parts")
        }
    }

    #[test]
    fn a_listed_layer_leaves_no_files_and_can_be_read_again() {
        let mut random = Random::new(48);
        // The steps are random, so the boards take 5 bytes each, and do not fit in memory.
        let mut board = 0;
        let next = |_| {
            board += 1 + random.below(1 << 40);
            board
        };
        let boards: Vec<u64> = (0..1 << 16).map(next).collect();
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/v1/2x2-32");
        let reader = MatrixReader::new(Arc::new(OnePart(boards.clone())));
        let run = Run::peek(dir.as_ref()).unwrap().with_matrix_reader(reader);
        for _ in 0..2 {
            let part = run.open_listed(Kind::Afterstates, KEY, None);
            let part = part.unwrap().unwrap();
            assert_eq!(part.open_files(), 1);
            assert_eq!(part.path().parent().unwrap().exists(), !cfg!(unix));
            let read: Vec<u64> = Stream::new(part).unwrap().map(Result::unwrap).collect();
            assert!(read == boards);
        }
    }
}

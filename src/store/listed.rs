//! Boards of a run that keeps matrices, listed when they are asked for.
//!
//! Key idea: a layer is listed as a whole, in files of a temporary directory that are byte for byte
//! the files of a run that keeps lists. So every reader of parts reads such a run, too. The last
//! layers stay listed, because neighbouring layers are read together.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::Files;
use super::files::PartName;
use super::manifest::{Expected, several};
use super::outbox::Outbox;
use super::run::Run;
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::game::{Board, Game, PartKey};
use crate::part::{Kind, Part, Sealed};

/// Layers that stay listed.
const LISTED: usize = 6;

/// Reads the matrices of a run.
pub(crate) trait ReadMatrices: Send + Sync {
    /// Write the files of the states, or the afterstates, of a layer.
    fn list(&self, run: &Run, kind: Kind, sum: u32, files: &mut ListedLayer) -> Result<()>;

    /// Whether a board is a live state, or an afterstate.
    fn contains(&self, run: &Run, kind: Kind, board: Board) -> Result<bool>;

    /// Check the matrices of a layer against the table. Returns the number of afterstates.
    fn check(&self, run: &Run, sum: u32) -> Result<u64>;
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
    /// The last layer comes last.
    layers: Mutex<Vec<Arc<ListedLayer>>>,
}

/// A layer that was listed.
pub(crate) struct ListedLayer {
    game: Game,
    kind: Kind,
    sum: u32,
    segment: u64,
    parts: Vec<Expected>,
    /// The files, which are never committed.
    outbox: Outbox,
    /// The directory of the files; it is deleted with the layer.
    dir: LayerDir,
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

    /// The part with these boards; `None` if it is empty.
    fn find(&self, key: PartKey) -> Option<&Expected> {
        self.parts.iter().find(|part| part.name.key == key)
    }

    fn open(&self, key: PartKey) -> Result<Option<Part>> {
        let Some(part) = self.find(key) else {
            return Ok(None);
        };
        let label = part.name.label(&self.game);
        let files = part.files();
        let open = |(name, sealed)| self.outbox.open(name, label, sealed);
        Part::join(files.map(open)).map(Some)
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

    /// Open a part of a layer in matrices.
    pub(super) fn open_listed(&self, kind: Kind, key: PartKey) -> Result<Option<Part>> {
        self.listed_layer(kind, key.sum)?.open(key)
    }

    /// The files of a part of a layer in matrices.
    pub(super) fn expect_listed(&self, kind: Kind, key: PartKey) -> Result<Option<Expected>> {
        Ok(self.listed_layer(kind, key.sum)?.find(key).cloned())
    }

    /// The states, or the afterstates, of a layer in matrices, listed unless they still are.
    fn listed_layer(&self, kind: Kind, sum: u32) -> Result<Arc<ListedLayer>> {
        // A panic leaves whole layers.
        let layers = self.listed.layers.lock();
        let mut layers = layers.unwrap_or_else(PoisonError::into_inner);
        let found = layers
            .iter()
            .find(|layer| (layer.kind, layer.sum) == (kind, sum));
        if let Some(layer) = found {
            return Ok(layer.clone());
        }
        // A thread of a pool that waits for another pool takes other tasks, which may come here. So
        // it waits for a thread of no pool.
        let list = || self.list(kind, sum);
        let listed = thread::scope(|scope| scope.spawn(list).join());
        let layer = Arc::new(listed.expect("no thread panics")?);
        if layers.len() == LISTED {
            layers.remove(0);
        }
        layers.push(layer.clone());
        Ok(layer)
    }

    fn list(&self, kind: Kind, sum: u32) -> Result<ListedLayer> {
        let MatrixReader { reader, make_dir } = self.reader()?;
        let dir = make_dir().map_err(Error::io(&std::env::temp_dir(), "create a directory in"))?;
        let mut layer = ListedLayer {
            game: *self.game(),
            kind,
            sum,
            segment: self.segment(),
            parts: Vec::new(),
            outbox: Outbox::new((*dir).as_ref()),
            dir,
        };
        reader.list(self, kind, sum, &mut layer)?;
        let parts = layer.outbox.seal(u32::MAX).into_iter();
        layer.parts = parts
            .map(|(name, files)| Expected {
                name,
                sealed: files.iter().copied().sum(),
                segments: several(files),
            })
            .collect();
        Ok(layer)
    }
}

//! Layers in matrices, unpacked when their boards are asked for.
//!
//! Key idea: a layer is unpacked as a whole, into files of a temporary directory that are byte for
//! byte the files of a run that keeps lists. The last layers stay unpacked, because neighbouring
//! layers are read together. On Unix the directory is deleted once all files are open. From then
//! on, a killed process leaves no files, and a forked process deletes none.

use std::sync::Arc;
use std::thread;

use crate::engine::Unpacker;
use crate::error::Result;
use crate::fork::ForkLock;
use crate::game::PartKey;
use crate::part::{Kind, Part};
use crate::progress::Stop;
use crate::store::{LooseParts, Run, try_clear};
use crate::temporary::TemporaryDir;

/// Layers that stay unpacked.
const KEPT: usize = 6;

/// The layers that were unpacked last, in this order.
#[derive(Default)]
pub(super) struct UnpackedLayers(ForkLock<Vec<Arc<UnpackedLayer>>>);

/// An unpacked layer. All its files are open.
pub(super) struct UnpackedLayer {
    kind: Kind,
    sum: u32,
    parts: Vec<Part>,
    /// The directory of the files, if the system could not delete open files. It is deleted after the
    /// parts are closed.
    _dir: Option<TemporaryDir>,
}

impl UnpackedLayers {
    /// The states, or afterstates, of a layer in matrices. Unpacks the layer unless it is kept.
    pub(super) fn get(
        &self,
        unpacker: &Unpacker,
        (run, kind, sum): (&Run, Kind, u32),
        stop: &Stop,
    ) -> Result<Arc<UnpackedLayer>> {
        let mut kept = self.0.lock();
        let mut layers = kept.as_deref().into_iter().flatten();
        if let Some(layer) = layers.find(|layer| (layer.kind, layer.sum) == (kind, sum)) {
            return Ok(layer.clone());
        }
        // A thread of a pool that waits for another pool runs other tasks. Such a task may call this
        // function, and the lock is held. So a thread of no pool unpacks the layer.
        let unpack = || UnpackedLayer::new(unpacker, run, kind, sum, stop);
        let unpacked = thread::scope(|scope| scope.spawn(unpack).join());
        let layer = Arc::new(unpacked.expect("no thread panics")?);
        if let Some(kept) = &mut kept {
            if kept.len() == KEPT {
                kept.remove(0);
            }
            kept.push(layer.clone());
        }
        Ok(layer)
    }
}

impl UnpackedLayer {
    fn new(unpacker: &Unpacker, run: &Run, kind: Kind, sum: u32, stop: &Stop) -> Result<Self> {
        let dir = TemporaryDir::new()?;
        let mut files = LooseParts::new(run, dir.path());
        unpacker.unpack((run, kind, sum), dir.path(), &mut files, stop)?;
        let parts = files.open()?;
        // NFS keeps open files in the directory, so it is deleted again when the parts are closed.
        let is_gone = cfg!(unix) && try_clear(dir.path());
        Ok(Self {
            kind,
            sum,
            parts,
            _dir: (!is_gone).then_some(dir),
        })
    }

    /// The part with these boards; `None` if it is empty.
    pub(super) fn part(&self, key: PartKey) -> Option<Part> {
        let mut parts = self.parts.iter();
        parts.find(|part| part.label().key == key).cloned()
    }
}

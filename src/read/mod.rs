//! Reads the boards of a run.
//!
//! A run keeps its boards as lists, or as matrices ([`Keep::Matrices`](crate::store::Keep::Matrices)).
//! Key idea: everything that asks for boards opens this one door, and gets lists. A layer in matrices
//! is unpacked when it is asked for, in the memory of a plan.
//!
//! A layer is unpacked as a whole, into files of a temporary directory that are byte for byte the
//! files of a run that keeps lists. The last layers stay unpacked, because neighbouring layers are
//! read together. On Unix the directory is deleted once all files are open. From then on, a killed
//! process leaves no files, and a forked process deletes none.
//!
//! Reading order: this file, `lookup` (single boards), `questions` (many boards at once), `sample`.

mod lookup;
mod questions;
mod sample;

use std::sync::Arc;
use std::thread;

use crate::engine::{Finder, Plan, Unpacker};
use crate::error::Result;
use crate::fork::ForkLock;
use crate::game::PartKey;
use crate::part::{Kind, Part, Stream};
use crate::progress::Stop;
use crate::store::{Outbox, Run, clear};
use crate::temporary::TemporaryDir;

pub use lookup::Lookup;

#[cfg(feature = "python")]
pub(crate) use questions::room;
pub(crate) use questions::{by_block, lower_bound};

/// Reads the boards of a run. Clones share the unpacked layers.
///
/// This example reads a layer, and moves its states:
///
/// ```
/// use enum48::engine::Plan;
/// use enum48::game::{Direction, Moved};
/// use enum48::read::Reader;
/// use enum48::store::Run;
/// # let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/v1/2x2-32");
///
/// let run = Run::open(dir.as_ref())?;
/// let reader = Reader::new(run, &Plan::new(1 << 30, 2)?);
/// let game = *reader.run().game();
/// let (mut states, mut moves, mut wins) = (0, 0, 0);
/// for state in reader.layer(36)? {
///     states += 1;
///     for (direction, moved) in Direction::ALL.into_iter().zip(game.moves(state?)) {
///         match moved {
///             Moved::Illegal => {}
///             Moved::Wins => wins += 1,
///             Moved::To(afterstate) => println!("{}: {afterstate:#06x}", direction.name()),
///         }
///         moves += u32::from(moved != Moved::Illegal);
///     }
/// }
/// let row = reader.run().rows(36)[0];
/// assert_eq!((states, moves, wins), (row.live, row.moves as u32, row.wins));
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone)]
pub struct Reader {
    run: Arc<Run>,
    matrices: Arc<FromMatrices>,
    stop: Stop,
}

/// The ways to read matrices, and what they keep.
struct FromMatrices {
    unpacker: Unpacker,
    finder: Finder,
    /// The layers that were unpacked last, in this order.
    kept: ForkLock<Vec<Arc<UnpackedLayer>>>,
}

impl Reader {
    /// A reader of `run`. Layers in matrices are unpacked in the memory and on the threads of `plan`,
    /// until the stop of the plan; for other runs the plan does not matter.
    pub fn new(run: impl Into<Arc<Run>>, plan: &Plan) -> Self {
        let run = run.into();
        Self {
            matrices: Arc::new(FromMatrices {
                unpacker: Unpacker::new(plan),
                finder: Finder::new(run.game()),
                kept: ForkLock::default(),
            }),
            run,
            stop: plan.stop.clone(),
        }
    }

    /// This reader, but `stop` ends its work.
    pub fn with_stop(&self, stop: &Stop) -> Self {
        Self {
            stop: stop.clone(),
            ..self.clone()
        }
    }

    /// The run.
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// The stop that ends the reader's work.
    pub(crate) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Open a part; `None` if it has no boards, or none are left. Unpacks its layer if the run keeps
    /// matrices. Checks everything except the blocks, in time proportional to their number. Blocks
    /// are checked as they are decoded.
    ///
    /// # Errors
    ///
    /// If a file is missing, damaged, or not the file that was sealed;
    /// [`Error::MatrixMemory`](crate::Error::MatrixMemory) if the plan has too little memory for a
    /// layer in matrices; [`Error::Stopped`](crate::Error::Stopped).
    pub fn part(&self, kind: Kind, key: PartKey) -> Result<Option<Part>> {
        if !self.run.is_in_matrices(kind, key.sum) {
            return self.run.part(kind, key);
        }
        if !self.run.has_boards(kind, key) {
            return Ok(None);
        }
        let layer = self.matrices.layer(&self.run, kind, key.sum, &self.stop)?;
        let mut parts = layer.parts.iter();
        Ok(parts.find(|part| part.label().key == key).cloned())
    }

    /// Open the parts of a layer that have boards, in order of largest tile.
    ///
    /// # Errors
    ///
    /// As for [`Reader::part`].
    pub fn parts_of(&self, kind: Kind, sum: u32) -> Result<Vec<Part>> {
        let keys = self.run.rows(sum).into_iter().filter_map(|row| row.key());
        keys.filter_map(|key| self.part(kind, key).transpose())
            .collect()
    }

    /// The live states of a layer, part by part in order of largest tile, and sorted within each
    /// part.
    ///
    /// # Errors
    ///
    /// [`InputError::Sum`](crate::InputError::Sum),
    /// [`Error::NotCounted`](crate::Error::NotCounted) or [`Error::Gone`](crate::Error::Gone) if
    /// the run does not have the layer; as for [`Reader::part`].
    pub fn layer(&self, sum: u32) -> Result<Stream> {
        self.run.has_layer(Kind::States, sum)?;
        Stream::over(self.parts_of(Kind::States, sum)?)
    }

    /// The parts that can be read at one time: all, or those of a layer in matrices, because few
    /// layers stay unpacked.
    pub(crate) fn groups<'k>(&self, parts: &'k [PartKey]) -> impl Iterator<Item = &'k [PartKey]> {
        let in_matrices = self.run.keep().matrices();
        parts.chunk_by(move |one, other| !in_matrices || one.sum == other.sum)
    }

    /// Check the matrices of a layer: each byte, and the numbers of afterstates and of their empty
    /// cells in the table. Returns the number of afterstates.
    ///
    /// # Errors
    ///
    /// As for [`Reader::part`].
    pub(crate) fn check_matrices(&self, sum: u32) -> Result<u64> {
        self.matrices.unpacker.check(&self.run, sum, &self.stop)
    }
}

/// Layers that stay unpacked.
const KEPT: usize = 6;

/// An unpacked layer. All its files are open.
struct UnpackedLayer {
    kind: Kind,
    sum: u32,
    parts: Vec<Part>,
    /// The directory of the files, if the system could not delete open files. It is deleted after the
    /// parts are closed.
    _dir: Option<TemporaryDir>,
}

impl FromMatrices {
    /// The states, or afterstates, of a layer in matrices. Unpacks the layer unless it is kept.
    fn layer(&self, run: &Run, kind: Kind, sum: u32, stop: &Stop) -> Result<Arc<UnpackedLayer>> {
        let mut kept = self.kept.lock();
        let mut layers = kept.as_deref().into_iter().flatten();
        if let Some(layer) = layers.find(|layer| (layer.kind, layer.sum) == (kind, sum)) {
            return Ok(layer.clone());
        }
        // A thread of a pool that waits for another pool runs other tasks. Such a task may call this
        // function, and the lock is held. So a thread of no pool unpacks the layer.
        let unpack = || self.unpack(run, kind, sum, stop);
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

    fn unpack(&self, run: &Run, kind: Kind, sum: u32, stop: &Stop) -> Result<UnpackedLayer> {
        let dir = TemporaryDir::new()?;
        let mut files = Outbox::new(dir.path(), run.game(), run.segment());
        self.unpacker
            .unpack((run, kind, sum), dir.path(), &mut files, stop)?;
        let parts = files.open_parts()?;
        // NFS keeps open files in the directory, so it is deleted again when the parts are closed.
        let is_gone = cfg!(unix) && clear(dir.path());
        Ok(UnpackedLayer {
            kind,
            sum,
            parts,
            _dir: (!is_gone).then_some(dir),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use rayon::prelude::*;

    use super::*;
    use crate::counts::Row;
    use crate::engine::{self, Choice, Silent, count_while};
    use crate::error::Error;
    use crate::store::{Keep, Store};

    /// A run of 4x4 to 16 up to sum 16. Its frontier is in matrices if `keep` allows it.
    fn stopped(dir: &Path, keep: Keep) -> Reader {
        let mut plan = Plan::new(256 << 20, 2).unwrap();
        plan.frontier_after = Duration::ZERO;
        let mut store = Store::open(dir, &"4x4-16".parse().unwrap(), Some(keep)).unwrap();
        let choice = Choice::new(store.run(), &plan, None).unwrap();
        let go_on = |run: &Run| run.sealed_sum() <= 14;
        count_while(&mut store, &plan, &choice, &mut Silent, go_on).unwrap();
        drop(store);
        let run = Run::peek(dir).unwrap();
        assert!(keep.lists_of_afterstates() || run.sums_in_matrices().last() == Some(16));
        Reader::new(run, &plan)
    }

    #[test]
    fn a_run_names_every_part_that_can_be_read() {
        for keep in Keep::EVERY {
            let place = tempfile::tempdir().unwrap();
            let reader = stopped(place.path(), keep);
            for kind in [Kind::States, Kind::Afterstates] {
                let opens = |key: &PartKey| reader.part(kind, *key).unwrap().is_some();
                let table = reader.run().table();
                let keys = table.rows().iter().filter_map(Row::key).filter(opens);
                assert!(reader.run().parts(kind).eq(keys), "{keep} {kind}");
            }
            assert!(reader.run().parts(Kind::Afterstates).next().is_some());
        }
    }

    #[test]
    fn a_reader_says_that_a_count_has_replaced_the_matrices() {
        let place = tempfile::tempdir().unwrap();
        let reader = stopped(place.path(), Keep::All);
        let (run, plan) = (reader.run(), Plan::new(64 << 20, 2).unwrap());
        let key = run.parts(Kind::Afterstates).last().unwrap();
        let mut store = Store::open(place.path(), run.game(), None).unwrap();
        engine::count(&mut store, &plan, Some(16), &mut Silent).unwrap();
        let error = reader.part(Kind::Afterstates, key).map(drop).unwrap_err();
        assert!(!error.is_damage(), "{error}");
        assert!(error.to_string().ends_with("open the run again"), "{error}");
        let again = Reader::new(Run::peek(place.path()).unwrap(), &plan);
        assert!(again.part(Kind::Afterstates, key).unwrap().is_some());
    }

    /// A reader of 4x4 to 16 in matrices, counted up to a sum.
    fn reader(dir: &Path, until: u32, plan: &Plan) -> Reader {
        let game = "4x4-16".parse().unwrap();
        let mut store = Store::open(dir, &game, Some(Keep::Matrices)).unwrap();
        engine::count(&mut store, plan, Some(until), &mut Silent).unwrap();
        drop(store);
        Reader::new(Run::open(dir).unwrap(), plan)
    }

    #[test]
    fn matrices_are_read_within_the_memory_of_the_plan() {
        let place = tempfile::tempdir().unwrap();
        let plan = |memory| Plan::new(memory, 1).unwrap();
        let enough = reader(place.path(), 34, &plan(64 << 20));
        assert!(enough.check_matrices(30).unwrap() > 0);
        let read = |plan: &Plan| Reader::new(enough.run().clone(), plan);
        let refused = read(&plan(24 << 20)).check_matrices(30);
        assert!(matches!(refused, Err(Error::MatrixMemory { sum: 30, .. })));
        // Tables for all layers of the run do not fit, but the layer itself does.
        let small = read(&plan(26 << 20));
        assert!(small.check_matrices(34).is_err());
        assert!(small.check_matrices(4).unwrap() > 0);
        // Other work holds some of the memory.
        let shared = read(&plan(64 << 20).without(40 << 20));
        assert!(shared.check_matrices(30).is_err());
    }

    #[test]
    fn many_threads_unpack_each_layer_once_and_leave_no_files() {
        let place = tempfile::tempdir().unwrap();
        let plan = Plan::new(256 << 20, 8).unwrap();
        let reader = reader(place.path(), 30, &plan);
        let keys: Vec<PartKey> = reader.run().parts(Kind::Afterstates).collect();
        let open = |&key: &PartKey| {
            let part = reader.part(Kind::Afterstates, key).unwrap().unwrap();
            part.path().parent().unwrap().to_owned()
        };
        let read = |keys: &[PartKey]| keys.par_iter().map(open).collect::<Vec<PathBuf>>();
        let pool = engine::pool(8).unwrap();
        // Each layer is unpacked into a directory of its own.
        let dirs: HashSet<PathBuf> = pool.install(|| reader.groups(&keys).flat_map(read).collect());
        let sums: HashSet<u32> = keys.iter().map(|key| key.sum).collect();
        assert_eq!(dirs.len(), sums.len());
        assert!(!cfg!(unix) || dirs.iter().all(|dir| !dir.exists()));
    }

    #[test]
    fn a_stop_ends_the_unpacking_of_a_layer() {
        let place = tempfile::tempdir().unwrap();
        let reader = reader(place.path(), 16, &Plan::new(256 << 20, 2).unwrap());
        let key = reader.run().parts(Kind::States).last().unwrap();
        let stop = Stop::default();
        stop.ask();
        let stopped = reader.with_stop(&stop).part(Kind::States, key);
        assert!(matches!(stopped.map(drop), Err(Error::Stopped)));
        assert!(reader.part(Kind::States, key).unwrap().is_some());
    }
}

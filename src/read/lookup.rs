//! The positions of boards in the parts of a run, and the boards at positions.
//!
//! Key idea: decoding a block takes as long as thousands of searches in it. So a look-up of one
//! board keeps the block in a cache for later look-ups. See `questions` for many boards at once.

use std::sync::Arc;

use super::Reader;
use crate::cache::{Cache, OPEN_FILES, weight_of_files};
use crate::error::Result;
use crate::game::{Board, PartKey, Size};
use crate::part::{Decoder, Kind, Part};
use crate::progress::Stop;
use crate::store::Run;

/// Finds the live states and the afterstates of a run.
///
/// A board may have any orientation. Its position is the number of boards before its canonical
/// image in the part. So an array can hold additional data for the boards of a part:
///
/// ```
/// use enum48::engine::{Plan, Stop};
/// use enum48::game::PartKey;
/// use enum48::part::Kind::States;
/// use enum48::read::{Lookup, Reader};
/// use enum48::store::Run;
/// # let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/v1/2x2-32");
///
/// let run = Run::open(dir.as_ref())?;
/// let reader = Reader::new(run, &Plan::new(1 << 30, 2)?);
/// let mut lookup = Lookup::new(&reader, 64 << 20)?;
/// assert_eq!(lookup.position(States, 0x0132)?, Some(1));
/// assert_eq!(lookup.position(States, 0x2310)?, Some(1), "an image of it");
/// assert!(!lookup.contains(States, 0x9999)?);
/// assert_eq!(lookup.board_at(States, PartKey::of(0x0132), 1)?, Some(0x0132));
///
/// // Many boards at once, in any order.
/// let boards = [0x0231, 0x9999, 0x0123];
/// let mut found = [None; 3];
/// lookup.positions(States, &boards, &Stop::default(), |at, position| found[at] = position)?;
/// assert_eq!(found, [Some(2), None, Some(0)]);
/// # Ok::<(), enum48::Error>(())
/// ```
pub struct Lookup {
    reader: Reader,
    parts: Cache<(Kind, PartKey), Option<Arc<Part>>>,
    blocks: Cache<(Kind, PartKey, usize), Arc<Vec<Board>>>,
    decoder: Decoder,
}

impl Lookup {
    /// Look up in the run of `reader`, and keep up to `memory` bytes of decoded blocks. The last block is always
    /// kept.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`](crate::Error::Zstd) if no decoder can be started.
    pub fn new(reader: &Reader, memory: u64) -> Result<Self> {
        Self::with_files(reader, memory, OPEN_FILES)
    }

    /// Like `new`, with at most `files` open files, but always the files of the last part.
    pub(crate) fn with_files(reader: &Reader, memory: u64, files: u64) -> Result<Self> {
        Ok(Self {
            reader: reader.clone(),
            parts: Cache::of_files(files),
            blocks: Cache::new(memory),
            decoder: Decoder::new()?,
        })
    }

    /// The run.
    pub fn run(&self) -> &Run {
        self.reader.run()
    }

    /// The reader of the run.
    pub(crate) fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Whether the run has a board among its states, or its afterstates.
    ///
    /// # Errors
    ///
    /// As for [`Lookup::position`].
    pub fn contains(&mut self, kind: Kind, board: Board) -> Result<bool> {
        let run = self.run();
        if exceeds(board, run.game().size()) {
            return Ok(false);
        }
        let sum = run.game().sum(board);
        if run.is_in_matrices(kind, sum) {
            run.has_layer(kind, sum)?;
            // The board is a bit, so its layer need not be unpacked.
            return self.reader.matrices.finder.contains(run, kind, board);
        }
        Ok(self.position(kind, board)?.is_some())
    }

    /// The position of a board in its part; `None` if the part does not have the board, or if the
    /// board has tiles beyond the run's cells.
    ///
    /// # Errors
    ///
    /// [`Error::NotCounted`](crate::Error::NotCounted) or [`Error::Gone`](crate::Error::Gone) if the run
    /// does not have the layer; a file that is missing or damaged.
    pub fn position(&mut self, kind: Kind, board: Board) -> Result<Option<u64>> {
        let game = self.run().game();
        if exceeds(board, game.size()) {
            return Ok(None);
        }
        let board = game.canonical(board);
        let key = game.part_of(board);
        let stop = self.reader.stop().clone();
        let Some(part) = self.part(kind, key, &stop)? else {
            return Ok(None);
        };
        let Some(block) = part.block_of(board) else {
            return Ok(None);
        };
        let found = self.block(&part, block)?.binary_search(&board);
        Ok(found.ok().map(|at| first(&part, block) + at as u64))
    }

    /// The board at a position of a part; `None` beyond the end.
    ///
    /// # Errors
    ///
    /// As for [`Lookup::position`].
    pub fn board_at(&mut self, kind: Kind, key: PartKey, position: u64) -> Result<Option<Board>> {
        let mut found = None;
        let tell = |_, board| found = board;
        self.boards_at(kind, key, &[position], &Stop::default(), tell)?;
        Ok(found)
    }

    /// A part, opened unless it is kept; `None` if the run has no file of it. `stop` ends the
    /// unpacking of its layer.
    pub(crate) fn part(
        &mut self,
        kind: Kind,
        key: PartKey,
        stop: &Stop,
    ) -> Result<Option<Arc<Part>>> {
        let reader = &self.reader;
        self.parts.get_or_make((kind, key), || {
            reader.run().has_layer(kind, key.sum)?;
            let part = reader.with_stop(stop).part(kind, key)?.map(Arc::new);
            let files = part.as_ref().map_or(0, |part| part.open_files());
            Ok((part, weight_of_files(files)))
        })
    }

    /// The boards of a block of a part, decoded unless they are kept.
    pub(super) fn block(&mut self, part: &Part, block: usize) -> Result<Arc<Vec<Board>>> {
        let label = part.label();
        self.blocks.get_or_make((label.kind, label.key, block), || {
            let mut boards = Vec::new();
            part.read_block(block, &mut self.decoder, &mut boards)?;
            let bytes = size_of_val(&boards[..]) as u64;
            Ok((Arc::new(boards), bytes))
        })
    }
}

/// Whether a board has tiles beyond the cells of its size. Images leave such tiles out.
pub(super) fn exceeds(board: Board, size: Size) -> bool {
    board.checked_shr(4 * size.cells()).unwrap_or(0) != 0
}

/// The position of the first board of a block.
pub(super) fn first(part: &Part, block: usize) -> u64 {
    block as u64 * part.block_size()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::engine::{self, Plan, Silent};
    use crate::store::Store;

    #[test]
    fn look_ups_keep_few_files_open() {
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &"4x4-16".parse().unwrap(), None).unwrap();
        let plan = Plan::new(64 << 20, 2).unwrap();
        engine::count(&mut store, &plan, Some(40), &mut Silent).unwrap();
        drop(store);
        let reader = Reader::new(Run::open(place.path()).unwrap(), &plan);
        let parts = reader.run().parts(Kind::States);
        let parts: Vec<Part> = parts
            .map(|key| reader.part(Kind::States, key).unwrap().unwrap())
            .collect();
        let boards: Vec<Board> = parts.iter().map(|part| part.first(0)).collect();
        let large: u64 = parts.iter().map(Part::open_files).sum();
        assert!(large > 5, "{large}");
        drop(parts);
        let mut lookup = Lookup::with_files(&reader, 0, 3).unwrap();
        let found = |_, position| assert_eq!(position, Some(0));
        for board in &boards {
            assert!(lookup.contains(Kind::States, *board).unwrap());
        }
        let answered = lookup.positions(Kind::States, &boards, &Stop::default(), found);
        answered.unwrap();
        if cfg!(target_os = "linux") {
            let dir = place.path().canonicalize().unwrap();
            let open = fs::read_dir("/proc/self/fd").unwrap();
            let open = open.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
            let states = |file: &PathBuf| file.extension().is_some_and(|end| end == "states");
            let of_run = open.filter(|file| file.starts_with(&dir) && states(file));
            let number = of_run.count();
            assert!((1..=3).contains(&number), "{number}");
        }
    }
}

//! The positions of boards in the parts of a run, and the boards at positions.
//!
//! Key idea: decoding a block takes as long as thousands of searches in it. So a look-up of one
//! board keeps the block in a cache for later look-ups. A batch of look-ups is sorted by part and
//! board. Each block is then decoded once, and its boards are visited in order.

use std::sync::Arc;

use rayon::prelude::*;

use super::Reader;
use crate::cache::{Cache, OPEN_FILES, weight_of_files};
use crate::error::{Error, Result};
use crate::game::{Board, Exp, PartKey, Size};
use crate::part::{Decoder, Kind, Part, each_block};
use crate::progress::Stop;
use crate::store::Run;

/// Maximum number of questions that are sorted together; each takes 16 bytes.
const SORTED_AT_ONCE: usize = 1 << 25;

/// Number of boards that a thread makes canonical at once, so that they stay in its caches.
const SLICE: usize = 1 << 12;

/// Up to this number, the blocks of a part are decoded by one thread and kept in the cache.
const FEW_BLOCKS: usize = 4;

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
    /// [`Error::Zstd`] if no decoder can be started.
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
    /// [`Error::NotCounted`] or [`Error::Gone`] if the run does not have the layer; a file that is
    /// missing or damaged.
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

    /// Find the positions of many boards; each block is decoded once. Many blocks are decoded on
    /// the threads of the caller's pool, and not kept. `tell` gets the index of each board in
    /// `boards`, and its position.
    ///
    /// # Errors
    ///
    /// As for [`Lookup::position`]; [`Error::NoMemory`]; [`Error::Stopped`] after [`Stop::ask`].
    pub fn positions(
        &mut self,
        kind: Kind,
        boards: &[Board],
        stop: &Stop,
        mut tell: impl FnMut(usize, Option<u64>),
    ) -> Result<()> {
        for (batch, boards) in boards.chunks(SORTED_AT_ONCE).enumerate() {
            let questions = self.about(boards)?;
            let tell = |at, position| tell(batch * SORTED_AT_ONCE + at, position);
            self.answer_all(kind, questions, &POSITIONS, stop, tell)?;
        }
        Ok(())
    }

    /// Find the boards at many positions of a part; like [`Lookup::positions`].
    ///
    /// # Errors
    ///
    /// As for [`Lookup::positions`].
    pub fn boards_at(
        &mut self,
        kind: Kind,
        key: PartKey,
        positions: &[u64],
        stop: &Stop,
        mut tell: impl FnMut(usize, Option<Board>),
    ) -> Result<()> {
        for (batch, positions) in positions.chunks(SORTED_AT_ONCE).enumerate() {
            let mut questions = room(positions.len(), "positions")?;
            let numbered = positions.iter().zip(0..);
            questions.extend(numbered.map(|(&at, number)| Question::new(key, number, at)));
            let tell = |at, board| tell(batch * SORTED_AT_ONCE + at, board);
            self.answer_all(kind, questions, &BOARDS, stop, tell)?;
        }
        Ok(())
    }

    /// The questions for the positions of boards.
    fn about(&self, boards: &[Board]) -> Result<Vec<Question>> {
        let game = *self.run().game();
        let mut questions = room(boards.len(), "boards")?;
        questions.resize(boards.len(), Question::default());
        let slices = questions
            .par_chunks_mut(SLICE)
            .zip(boards.par_chunks(SLICE));
        slices.enumerate().for_each(|(slice, (questions, boards))| {
            let mut canonical = boards.to_vec();
            game.canonicalise(&mut canonical);
            let numbers = (slice * SLICE) as u32..;
            for ((question, board), number) in questions.iter_mut().zip(canonical).zip(numbers) {
                *question = Question::new(game.part_of(board), number, board);
            }
            for (question, &board) in questions.iter_mut().zip(boards) {
                if exceeds(board, game.size()) {
                    question.fail();
                }
            }
        });
        Ok(questions)
    }

    /// Answer the questions of a batch.
    fn answer_all(
        &mut self,
        kind: Kind,
        mut questions: Vec<Question>,
        search: &QuestionKind,
        stop: &Stop,
        mut tell: impl FnMut(usize, Option<u64>),
    ) -> Result<()> {
        let order = |question: &Question| (question.part, question.asked);
        if !questions.is_sorted_by_key(order) {
            questions.par_sort_unstable_by_key(order);
        }
        for questions in questions.chunk_by_mut(|one, other| one.part == other.part) {
            if questions[0].part == FAILED {
                continue;
            }
            match self.part(kind, questions[0].key(), stop)? {
                Some(part) => self.answer(&part, questions, search, stop)?,
                None => questions.iter_mut().for_each(Question::fail),
            }
        }
        for question in questions {
            tell(question.number as usize, question.answer());
        }
        Ok(())
    }

    /// Answer sorted questions about a part.
    fn answer(
        &mut self,
        part: &Part,
        questions: &mut [Question],
        search: &QuestionKind,
        stop: &Stop,
    ) -> Result<()> {
        let mut tasks = Vec::new();
        let block_of = |question: &Question| (search.block_of)(part, question.asked);
        for (block, inside) in by_block(questions, block_of) {
            match block {
                Some(block) => tasks.push((part, block, (first(part, block), inside))),
                None => inside.iter_mut().for_each(Question::fail),
            }
        }
        if tasks.len() > FEW_BLOCKS {
            return each_block(tasks, stop, |boards, (first, questions)| {
                (search.answer)(boards, first, questions);
            });
        }
        for (part, block, (first, questions)) in tasks {
            stop.check()?;
            (search.answer)(&self.block(part, block)?, first, questions);
        }
        Ok(())
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
    fn block(&mut self, part: &Part, block: usize) -> Result<Arc<Vec<Board>>> {
        let label = part.label();
        self.blocks.get_or_make((label.kind, label.key, block), || {
            let mut boards = Vec::new();
            part.read_block(block, &mut self.decoder, &mut boards)?;
            let bytes = size_of_val(&boards[..]) as u64;
            Ok((Arc::new(boards), bytes))
        })
    }
}

/// Split items in the order of a part by their blocks. A board before the part's first board has
/// no block.
pub(crate) fn by_block<T>(
    mut items: &mut [T],
    block_of: impl Fn(&T) -> Option<usize>,
) -> Vec<(Option<usize>, &mut [T])> {
    let mut blocks = Vec::new();
    while let Some(first) = items.first() {
        let block = block_of(first);
        let end = items.partition_point(|item| block_of(item) == block);
        let (inside, later) = items.split_at_mut(end);
        items = later;
        blocks.push((block, inside));
    }
    blocks
}

/// Whether a board has tiles beyond the cells of its size. Images leave such tiles out.
fn exceeds(board: Board, size: Size) -> bool {
    board.checked_shr(4 * size.cells()).unwrap_or(0) != 0
}

/// The position of the first board of a block.
fn first(part: &Part, block: usize) -> u64 {
    block as u64 * part.block_size()
}

/// A question of a batch.
#[derive(Clone, Copy, Default)]
struct Question {
    /// The sum and the largest tile of the part, or [`FAILED`].
    part: u32,
    /// The index of the question in the batch.
    number: u32,
    /// A board or a position; later, the answer.
    asked: u64,
}

/// The part of a question without an answer.
const FAILED: u32 = u32::MAX;

impl Question {
    fn new(PartKey { sum, max }: PartKey, number: u32, asked: u64) -> Self {
        // No board has a sum beyond 2^20.
        let part = sum.min(1 << 20) << 5 | u32::from(max.get());
        Self {
            part,
            number,
            asked,
        }
    }

    fn key(self) -> PartKey {
        PartKey {
            sum: self.part >> 5,
            max: Exp::new((self.part & 31) as u8).expect("it was one before"),
        }
    }

    fn fail(&mut self) {
        self.part = FAILED;
    }

    fn answer(self) -> Option<u64> {
        (self.part != FAILED).then_some(self.asked)
    }
}

/// The functions that answer one kind of questions.
struct QuestionKind {
    /// The block that has the answer.
    block_of: fn(&Part, u64) -> Option<usize>,
    /// Answers sorted questions, given the boards of a block and the position of the first board.
    answer: fn(&[Board], u64, &mut [Question]),
}

/// Finds the positions of boards.
const POSITIONS: QuestionKind = QuestionKind {
    block_of: |part, board| part.block_of(board),
    answer: find_all,
};

/// Finds the boards at positions.
const BOARDS: QuestionKind = QuestionKind {
    block_of: |part, position| {
        (position < part.states()).then(|| (position / part.block_size()) as usize)
    },
    answer: |boards, first, questions| {
        for question in questions {
            question.asked = boards[(question.asked - first) as usize];
        }
    },
};

/// A vector with room for `count` elements; `what` names them.
///
/// # Errors
///
/// [`Error::NoMemory`].
pub(crate) fn room<T>(count: usize, what: &'static str) -> Result<Vec<T>> {
    let mut vector = Vec::new();
    match vector.try_reserve_exact(count) {
        Ok(()) => Ok(vector),
        Err(_) => Err(Error::NoMemory { count, what }),
    }
}

/// Replace sorted boards by their positions.
fn find_all(boards: &[Board], first: u64, questions: &mut [Question]) {
    let mut at = 0;
    for question in questions {
        at = lower_bound(boards, at, question.asked);
        match boards.get(at) {
            Some(&board) if board == question.asked => question.asked = first + at as u64,
            _ => question.fail(),
        }
    }
}

/// The first place from `from` on of a board that is not less than `board`. Fast if it is near.
pub(crate) fn lower_bound(boards: &[Board], from: usize, board: Board) -> usize {
    let (mut begin, mut end, mut step) = (from, from, 1);
    while boards.get(end).is_some_and(|&other| other < board) {
        begin = end + 1;
        end = (begin + step).min(boards.len());
        step *= 2;
    }
    begin + boards[begin..end].partition_point(|&other| other < board)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::engine::{self, Plan, Silent};
    use crate::store::Store;

    #[test]
    fn boards_with_the_highest_bit_are_found_after_all_others() {
        let boards: Vec<Board> = (0..100).map(|at| at * (u64::MAX / 99)).collect();
        for from in [0, 49, 99] {
            for (at, &board) in boards.iter().enumerate().skip(from) {
                assert_eq!(lower_bound(&boards, from, board), at);
                assert_eq!(lower_bound(&boards, from, board - u64::from(at > from)), at);
            }
        }
    }

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

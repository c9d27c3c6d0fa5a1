//! Many look-ups at once: the questions of a batch.
//!
//! Key idea: the questions are sorted by part and board. Each block is then decoded once, and its boards
//! are visited in order.

use rayon::prelude::*;

use super::Lookup;
use super::lookup::{exceeds, first};
use crate::error::{Error, Result};
use crate::game::{Board, Exp, PartKey};
use crate::part::{Kind, Part, each_block};
use crate::progress::Stop;

/// Maximum number of questions that are sorted together; each takes 16 bytes.
const SORTED_AT_ONCE: usize = 1 << 25;

/// Number of boards that a thread makes canonical at once, so that they stay in its caches.
const SLICE: usize = 1 << 12;

/// Up to this number, the blocks of a part are decoded by one thread and kept in the cache.
const FEW_BLOCKS: usize = 4;

impl Lookup {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}

//! Finding many boards in a run at once.
//!
//! Key idea: questions are put in the order of the files, so that each block that holds an answer is
//! decoded once, by one thread, and the boards in it are gone through in one direction.

use rayon::prelude::*;

use super::arrays::{SLICE, room};
use super::files::each;
use super::pool::pool;
use crate::engine::Stop;
use crate::error::Result;
use crate::game::{Board, PartKey};
use crate::part::{Kind, Part};
use crate::store::Run;

/// Where a board is that is in no file.
const NOWHERE: i64 = -1;

/// Most questions that are put in order at once: they take 16 bytes each.
const AT_ONCE: usize = 1 << 25;

/// A question about a part.
struct Question {
    /// A number for the part.
    part: u32,
    /// Where the answer goes.
    number: u32,
    /// A board or a position; in its place comes the answer.
    asked: u64,
}

impl Question {
    fn order(&self) -> (u32, u64) {
        (self.part, self.asked)
    }
}

/// Find where each board stands in its part, whichever way round it lies; [`NOWHERE`] if it is not
/// there.
pub(super) fn positions(
    run: &Run,
    kind: Kind,
    boards: &[Board],
    found: &mut [i64],
    stop: &Stop,
) -> Result<()> {
    for (boards, found) in boards.chunks(AT_ONCE).zip(found.chunks_mut(AT_ONCE)) {
        let mut questions = about_parts(run, boards)?;
        for questions in questions.chunk_by_mut(|one, other| one.part == other.part) {
            let key = PartKey::of(questions[0].asked);
            run.has_layer(kind, key.sum)?;
            match run.part(kind, key)? {
                Some(part) => answer(&part, questions, |board| part.block_of(board), find, stop)?,
                None => questions.iter_mut().for_each(nowhere),
            }
        }
        for Question { number, asked, .. } in questions {
            found[number as usize] = asked as i64;
        }
    }
    Ok(())
}

/// The questions where boards stand, in order of part and board.
fn about_parts(run: &Run, boards: &[Board]) -> Result<Vec<Question>> {
    let mut canonical = room(boards.len(), "boards")?;
    canonical.extend_from_slice(boards);
    let mut questions = room(boards.len(), "boards")?;
    pool()?.install(|| {
        let slices = canonical.par_chunks_mut(SLICE);
        slices.for_each(|boards| run.game().canonicalise(boards));
        let boards = canonical.par_iter().enumerate();
        let about = boards.map(|(number, &board)| {
            let PartKey { sum, max } = PartKey::of(board);
            Question {
                part: sum << 5 | u32::from(max.get()),
                number: number as u32,
                asked: board,
            }
        });
        about.collect_into_vec(&mut questions);
        sort(&mut questions);
    });
    Ok(questions)
}

/// Find the boards at some positions of a part.
///
/// # Panics
///
/// If there is no such position.
pub(super) fn boards_at(
    part: &Part,
    positions: &[u64],
    found: &mut [Board],
    stop: &Stop,
) -> Result<()> {
    for (positions, found) in positions.chunks(AT_ONCE).zip(found.chunks_mut(AT_ONCE)) {
        let mut questions = room(positions.len(), "positions")?;
        let about = positions.iter().zip(0..).map(|(&asked, number)| Question {
            part: 0,
            number,
            asked,
        });
        questions.extend(about);
        pool()?.install(|| sort(&mut questions));
        let block_of = |position| Some((position / part.block_size()) as usize);
        answer(part, &mut questions, block_of, look, stop)?;
        for Question { number, asked, .. } in questions {
            found[number as usize] = asked;
        }
    }
    Ok(())
}

fn sort(questions: &mut [Question]) {
    if !questions.is_sorted_by_key(Question::order) {
        questions.par_sort_unstable_by_key(Question::order);
    }
}

/// Answer sorted questions about a part: `act` gets the boards of a block, the position of the first,
/// and the questions that it can answer. Those of no block are answered with [`NOWHERE`].
fn answer(
    part: &Part,
    questions: &mut [Question],
    block_of: impl Fn(u64) -> Option<usize>,
    act: impl Fn(&[Board], u64, &mut [Question]) + Sync,
    stop: &Stop,
) -> Result<()> {
    let mut tasks = Vec::new();
    let mut rest = questions;
    while let Some(first) = rest.first() {
        let block = block_of(first.asked);
        let here = rest.partition_point(|question| block_of(question.asked) == block);
        let (here, behind) = rest.split_at_mut(here);
        rest = behind;
        match block {
            Some(block) => tasks.push((block, here)),
            None => here.iter_mut().for_each(nowhere),
        }
    }
    each(tasks, stop, |buffers, (block, questions)| {
        let boards = buffers.block(part, block)?;
        act(boards, block as u64 * part.block_size(), questions);
        Ok(())
    })
}

fn nowhere(question: &mut Question) {
    question.asked = NOWHERE as u64;
}

/// Answer which boards stand at positions.
fn look(boards: &[Board], begin: u64, questions: &mut [Question]) {
    for question in questions {
        question.asked = boards[(question.asked - begin) as usize];
    }
}

/// Answer where boards stand.
fn find(boards: &[Board], begin: u64, questions: &mut [Question]) {
    let mut at = 0;
    for question in questions {
        at = lower_bound(boards, at, question.asked);
        match boards.get(at) {
            Some(&board) if board == question.asked => question.asked = begin + at as u64,
            _ => nowhere(question),
        }
    }
}

/// The first place from `from` on of a board that is not less than `board`: soon, if it is near.
fn lower_bound(boards: &[Board], from: usize, board: Board) -> usize {
    let (mut begin, mut end, mut step) = (from, from, 1);
    while boards.get(end).is_some_and(|&other| other < board) {
        begin = end + 1;
        end = (begin + step).min(boards.len());
        step *= 2;
    }
    begin + boards[begin..end].partition_point(|&other| other < board)
}

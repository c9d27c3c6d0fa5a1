//! Answers for many boards.
//!
//! Key idea: the lines that have come in are a batch, and its boards are looked up in the order of
//! their parts, an equal share by each thread. So threads seldom need the same block of a file, and
//! each block is decoded once for a batch, however little memory there is to keep it in. Answers
//! are printed in the order of the lines.

use anyhow::Result;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::Form;
use super::answer::{self, Answer, Refused};
use super::question::{LONGEST, Lines};
use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::cli::stdin::Questions;
use crate::engine::{self, Plan};
use crate::error;
use crate::game::{Grid, Objective, PartKey, Size};
use crate::solve::Values;
use crate::store::{Goal, Solution};

/// Answers batches; keeps blocks from each to the next.
pub(super) struct Batches<'a> {
    solution: &'a Solution,
    goals: &'a [Goal],
    pool: ThreadPool,
    /// One for each thread.
    values: Vec<Values<'a>>,
}

/// Lines that have come in.
#[derive(Default)]
struct Batch {
    /// The boards among them.
    boards: Vec<Grid>,
    /// For each line, what is wrong with it if it is no board.
    lines: Vec<Option<Refused>>,
}

impl<'a> Batches<'a> {
    /// Make ready.
    pub(super) fn new(solution: &'a Solution, goals: &'a [Goal], plan: &Plan) -> Result<Self> {
        let memory = plan.memory() / plan.threads() as u64;
        let values = (0..plan.threads()).map(|_| Values::new(solution, goals, memory));
        Ok(Self {
            solution,
            goals,
            pool: engine::pool(plan.threads())?,
            values: values.collect::<error::Result<_>>()?,
        })
    }

    /// Answer all lines of stdin on stdout.
    pub(super) fn answer(&mut self, form: Form, objectives: &[Objective]) -> Result<Outcome> {
        let mut outcome = Outcome::Done;
        let mut input = Questions::new(LONGEST);
        Output::Stdout.write(|out| {
            if form == Form::Csv {
                answer::heading(objectives, out)?;
            }
            let mut lines = None;
            loop {
                let batch = read(&mut input, &mut lines, self.solution.run().game().size())?;
                if batch.lines.is_empty() {
                    return Ok(());
                }
                let mut answers = self.look_up(&batch.boards)?.into_iter();
                for refused in &batch.lines {
                    if let Some(refused) = refused {
                        outcome = Outcome::Disagreed;
                        refused.write(form, objectives, out)?;
                    } else {
                        let answer = answers.next().expect("each board has an answer");
                        outcome = outcome.max(answer.outcome());
                        answer.write(form, objectives, out)?;
                    }
                }
                out.flush()?;
            }
        })?;
        Ok(outcome)
    }

    /// Look boards up.
    fn look_up(&mut self, boards: &[Grid]) -> Result<Vec<Answer>> {
        let mut order: Vec<usize> = (0..boards.len()).collect();
        order.sort_by_key(|&at| PartKey::of(boards[at].board()));
        let share = boards.len().div_ceil(self.values.len()).max(1);
        let (goals, values) = (self.goals, &mut self.values);
        let found: Vec<Vec<Answer>> = self.pool.install(|| {
            let shares = order.par_chunks(share).zip(values.par_iter_mut());
            let found = shares.map(|(share, values)| {
                let share = share.iter();
                share
                    .map(|&at| Answer::new(values, goals, boards[at]))
                    .collect()
            });
            found.collect::<Result<_>>()
        })?;
        let mut found: Vec<(usize, Answer)> =
            order.into_iter().zip(found.into_iter().flatten()).collect();
        found.sort_unstable_by_key(|&(at, _)| at);
        Ok(found.into_iter().map(|(_, answer)| answer).collect())
    }
}

/// Read the lines that have come in, at least one unless there are no more. `lines` is what lines
/// are, once the first one has told.
fn read(input: &mut Questions, lines: &mut Option<Lines>, size: Size) -> Result<Batch> {
    let mut batch = Batch::default();
    while let Some(text) = input.next()? {
        let known = lines.is_some();
        let kind = *lines.get_or_insert_with(|| Lines::of(&text));
        if !known && matches!(kind, Lines::Csv(_)) {
            continue;
        }
        batch.lines.push(match kind.board(&text, size) {
            Ok(board) => {
                batch.boards.push(board);
                None
            }
            Err(error) => Some(Refused {
                line: input.number(),
                error: format!("{error:#}"),
            }),
        });
        if input.waits() {
            break;
        }
    }
    Ok(batch)
}

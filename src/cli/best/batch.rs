//! Answers for many boards.
//!
//! Key idea: the lines that have come in are a batch, and its boards are looked up in the order of
//! their parts. So each block of a file is decoded once for a batch, even if there is little memory
//! to keep it in. Answers are printed in the order of the lines.

use anyhow::Result;

use super::Form;
use super::answer::{self, Answer, Refused};
use super::question::{LONGEST, Lines};
use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::cli::stdin::Questions;
use crate::error;
use crate::game::{Grid, Objective, PartKey, Size};
use crate::solve::BatchValues;
use crate::store::Goal;

/// Answers batches for some goals.
pub(super) struct Batches<'a> {
    values: BatchValues<'a>,
    goals: &'a [Goal],
    size: Size,
}

impl<'a> Batches<'a> {
    /// For boards of a size.
    pub(super) fn new(values: BatchValues<'a>, goals: &'a [Goal], size: Size) -> Self {
        Self {
            values,
            goals,
            size,
        }
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
                let boards = read(&mut input, &mut lines, self.size)?;
                if boards.is_empty() {
                    return Ok(());
                }
                for answer in self.look_up(&boards)? {
                    match answer {
                        Ok(answer) => {
                            outcome = outcome.max(answer.outcome());
                            answer.write(form, objectives, out)?;
                        }
                        Err(refused) => {
                            outcome = Outcome::Disagreed;
                            refused.write(form, objectives, out)?;
                        }
                    }
                }
                out.flush()?;
            }
        })?;
        Ok(outcome)
    }

    /// Look the boards of a batch up.
    fn look_up<'b>(
        &mut self,
        batch: &'b [Result<Grid, Refused>],
    ) -> error::Result<Vec<Result<Answer, &'b Refused>>> {
        let goals = self.goals;
        let key = |line: &Result<Grid, Refused>| {
            let board = line.as_ref().ok()?.board();
            Some((PartKey::of(board), board))
        };
        self.values.each(batch, key, |values, line| match line {
            Ok(board) => Answer::new(values, goals, *board).map(Ok),
            Err(refused) => Ok(Err(refused)),
        })
    }
}

/// Read the lines that have come in. `lines` is what lines are, once the first one has told.
fn read(
    input: &mut Questions,
    lines: &mut Option<Lines>,
    size: Size,
) -> error::Result<Vec<Result<Grid, Refused>>> {
    input.batch(|text, line| {
        let is_first = lines.is_none();
        let kind = *lines.get_or_insert_with(|| Lines::of(text));
        let names = is_first && matches!(kind, Lines::Csv(_));
        (!names).then(|| {
            kind.board(text, size).map_err(|error| Refused {
                line,
                error: format!("{error:#}"),
            })
        })
    })
}

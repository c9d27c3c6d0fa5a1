//! Values for many questions at once, on all threads.

use std::sync::Arc;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::values::Values;
use crate::error::Result;
use crate::store::{Goal, Solution};

/// Looks values up on all threads. Each thread has [`Values`] of its own, which keep blocks from one
/// batch of questions to the next.
pub(crate) struct BatchValues<'a> {
    pool: Arc<ThreadPool>,
    values: Vec<Values<'a>>,
}

impl<'a> BatchValues<'a> {
    /// Values for some goals of a solution. The threads of `pool` share `memory` bytes for decoded
    /// blocks equally.
    ///
    /// # Errors
    ///
    /// As for [`Values::new`].
    pub(crate) fn new(
        solution: &'a Solution,
        goals: &[Goal],
        memory: u64,
        pool: Arc<ThreadPool>,
    ) -> Result<Self> {
        let threads = pool.current_num_threads();
        let values = (0..threads).map(|_| Values::share(solution, goals, memory, threads));
        Ok(Self {
            values: values.collect::<Result<_>>()?,
            pool,
        })
    }

    /// Ask every question, and return the answers in the order of the questions. The questions are
    /// sorted by `key`, and each thread takes an equal share. So threads seldom decode the same block
    /// if questions with near keys need the same blocks.
    ///
    /// # Errors
    ///
    /// The first error of `ask`.
    pub(crate) fn each<'q, Q: Sync, K: Ord, A: Send>(
        &mut self,
        questions: &'q [Q],
        key: impl Fn(&Q) -> K,
        ask: impl Fn(&mut Values<'a>, &'q Q) -> Result<A> + Sync,
    ) -> Result<Vec<A>> {
        let mut order: Vec<usize> = (0..questions.len()).collect();
        order.sort_by_cached_key(|&at| key(&questions[at]));
        let share = order.len().div_ceil(self.values.len()).max(1);
        let values = &mut self.values;
        let answers: Vec<Vec<(usize, A)>> = self.pool.install(|| {
            let shares = order.par_chunks(share).zip(values.par_iter_mut());
            let answers = shares.map(|(order, values)| {
                let answers = order
                    .iter()
                    .map(|&at| Ok((at, ask(values, &questions[at])?)));
                answers.collect()
            });
            answers.collect::<Result<_>>()
        })?;
        let mut answers: Vec<(usize, A)> = answers.into_iter().flatten().collect();
        answers.sort_unstable_by_key(|&(at, _)| at);
        Ok(answers.into_iter().map(|(_, answer)| answer).collect())
    }
}

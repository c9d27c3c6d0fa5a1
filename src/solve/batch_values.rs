//! Answers batches of questions about the values of boards, on all threads.

use std::sync::Arc;

use rayon::prelude::*;

use super::values::Values;
use crate::error::Result;
use crate::read::Reader;
use crate::store::{Goal, Solution};

/// Answers batches of questions. Each thread has its own [`Values`], which keep blocks from one batch
/// to the next.
pub(crate) struct BatchValues<'a> {
    pool: Arc<rayon::ThreadPool>,
    values: Vec<Values<'a>>,
}

impl<'a> BatchValues<'a> {
    /// Look up values for some goals of a solution. The threads of `pool` share `memory` bytes for
    /// decoded blocks equally.
    ///
    /// # Errors
    ///
    /// As for [`Values::new`].
    pub(crate) fn new(
        solution: &'a Solution,
        reader: &Reader,
        goals: &[Goal],
        memory: u64,
        pool: Arc<rayon::ThreadPool>,
    ) -> Result<Self> {
        let threads = pool.current_num_threads();
        let share = (memory, threads);
        let values = (0..threads).map(|_| Values::for_thread(solution, reader, goals, share));
        Ok(Self {
            values: values.collect::<Result<_>>()?,
            pool,
        })
    }

    /// Answer questions. Returns the answers in the order of the questions. The questions are
    /// sorted by `key` and divided equally among the threads. If neighbouring questions need one
    /// block, few blocks are decoded twice.
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
        let slice = order.len().div_ceil(self.values.len()).max(1);
        let mut answers: Vec<(usize, A)> = self.pool.install(|| {
            let slices = order.par_chunks(slice).zip(self.values.par_iter_mut());
            let answers = slices.flat_map_iter(|(slice, values)| {
                let answer = |&at: &usize| Ok((at, ask(values, &questions[at])?));
                slice.iter().map(answer)
            });
            answers.collect::<Result<_>>()
        })?;
        answers.sort_unstable_by_key(|&(at, _)| at);
        Ok(answers.into_iter().map(|(_, answer)| answer).collect())
    }
}

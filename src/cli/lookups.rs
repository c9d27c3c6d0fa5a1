//! Looking many things up in a solution, with all threads.

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::engine::{self, Plan};
use crate::error;
use crate::solve::Values;
use crate::store::{Goal, Solution};

/// The help of `--memory` where values are looked up.
pub(super) const MEMORY: &str = "\
Memory for blocks of files, such as 512M or 8G, in powers of 1024 [default: half of the machine's]";

/// Threads with values of their own, which keep blocks from each batch of questions to the next.
pub(super) struct Lookups<'a> {
    pool: ThreadPool,
    values: Vec<Values<'a>>,
}

impl<'a> Lookups<'a> {
    /// Values for some goals of a solution, with an equal share of the memory for each thread.
    pub(super) fn new(solution: &'a Solution, goals: &[Goal], plan: &Plan) -> error::Result<Self> {
        let (memory, threads) = (plan.memory(), plan.threads());
        let values = (0..threads).map(|_| Values::share(solution, goals, memory, threads));
        Ok(Self {
            pool: engine::pool(threads)?,
            values: values.collect::<error::Result<_>>()?,
        })
    }

    /// Ask every question, unless it is refused, and return the answers in the same order. Each
    /// thread takes an equal share of the questions, as they lie: put those beside each other that
    /// need the same blocks.
    pub(super) fn each<Q, R, A>(
        &mut self,
        questions: &[Result<Q, R>],
        ask: impl Fn(&mut Values<'a>, Q) -> error::Result<A> + Sync,
    ) -> error::Result<Vec<Result<A, R>>>
    where
        Q: Copy + Sync,
        R: Copy + Send + Sync,
        A: Send,
    {
        let share = questions.len().div_ceil(self.values.len()).max(1);
        let values = &mut self.values;
        let answers: Vec<Vec<_>> = self.pool.install(|| {
            let shares = questions.par_chunks(share).zip(values.par_iter_mut());
            let answers = shares.map(|(questions, values)| {
                let answer = |question: &Result<Q, R>| match *question {
                    Ok(question) => ask(values, question).map(Ok),
                    Err(refused) => Ok(Err(refused)),
                };
                questions.iter().map(answer).collect()
            });
            answers.collect::<error::Result<_>>()
        })?;
        Ok(answers.into_iter().flatten().collect())
    }
}

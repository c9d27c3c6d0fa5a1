//! Reads the states that are exported, and looks their values up.

use std::sync::mpsc::SyncSender;

use super::Args;
use crate::counts::Row;
use crate::engine::Stop;
use crate::error::Result;
use crate::game::{Board, PartKey};
use crate::part::{Kind, Stream};
use crate::solve::StateValues;
use crate::store::Run;

/// Some states of a part.
pub(super) struct Batch {
    pub(super) key: PartKey,
    pub(super) states: Vec<Board>,
    /// Those of the first state, one for each objective, then of the next; none if they are not
    /// asked for.
    pub(super) values: Vec<f64>,
}

/// Sends batches to who writes them.
pub(super) struct StateReader<'a> {
    pub(super) values: Option<StateValues<'a>>,
    pub(super) send: SyncSender<Result<Batch>>,
}

/// Whether anybody still takes batches.
type Wanted = bool;

impl StateReader<'_> {
    /// Read the states of `parts`, or a sample of `count` of them; the last that is sent is an error
    /// if there is one.
    pub(super) fn read(mut self, run: &Run, parts: &[Row], args: &Args, count: u64) {
        let read = if args.sample.is_some() {
            self.sample(run, parts, args.seed, count)
        } else {
            self.stream(run, parts)
        };
        if let Err(error) = read {
            // Who no longer listens has an error of his own.
            let _ = self.send.send(Err(error));
        }
    }

    fn sample(&mut self, run: &Run, parts: &[Row], seed: u64, count: u64) -> Result<()> {
        for drawn in run.sample(parts, count, seed, &Stop::default())? {
            let (key, states) = drawn?;
            if !self.send(key, states)? {
                break;
            }
        }
        Ok(())
    }

    fn stream(&mut self, run: &Run, parts: &[Row]) -> Result<()> {
        for key in parts.iter().filter_map(Row::key) {
            let Some(part) = run.part(Kind::States, key)? else {
                continue;
            };
            let mut stream = Stream::new(part)?;
            while let Some(states) = stream.next_block()? {
                if !self.send(key, states.to_owned())? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn send(&mut self, key: PartKey, states: Vec<Board>) -> Result<Wanted> {
        let values = match &mut self.values {
            Some(values) => values.of(key, &states)?,
            None => Vec::new(),
        };
        let batch = Batch {
            key,
            states,
            values,
        };
        Ok(self.send.send(Ok(batch)).is_ok())
    }
}

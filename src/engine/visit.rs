//! What is done with the sorted states of a part, besides writing them.

use std::sync::atomic::{AtomicU64, Ordering};

use super::tally::Tally;
use super::workers::Worker;
use crate::error::Result;
use crate::game::key::KeyCodec;
use crate::game::{Board, Census, Exp, Game, Moves, Rules};
use crate::part::{Fingerprint, fingerprint};

/// Is shown the states of a part while they are in a core's caches.
pub(crate) trait Visit: Sync {
    /// Count the states of a sorted stretch, each once, and leave those that the part's file lists.
    fn count(&self, states: &mut Vec<Board>) -> Tally;

    /// Expand a slice of the states that are listed.
    fn expand(&self, states: &[Board], worker: &mut Worker) -> Result<Tally>;

    /// What makes of them the keys that the part's file lists in their place, if it does.
    fn keys(&self) -> Option<&KeyCodec> {
        None
    }
}

/// The same, with keys in the part's file.
pub(crate) struct AsKeys<'a, V> {
    pub(crate) visit: V,
    pub(crate) codec: KeyCodec,
    /// The fingerprint of the boards that they are of.
    pub(crate) fingerprint: &'a AtomicU64,
}

impl<V: Visit> Visit for AsKeys<'_, V> {
    fn count(&self, states: &mut Vec<Board>) -> Tally {
        self.visit.count(states)
    }

    fn expand(&self, states: &[Board], worker: &mut Worker) -> Result<Tally> {
        let Fingerprint(more) = fingerprint(states);
        self.fingerprint.fetch_add(more, Ordering::Relaxed);
        self.visit.expand(states, worker)
    }

    fn keys(&self) -> Option<&KeyCodec> {
        Some(&self.codec)
    }
}

/// Where afterstates go.
pub(crate) trait Sink: Sync {
    /// Take the afterstates of a slice of states, one list for each direction: not canonical, with
    /// repeats, 0 where a state has none. `worker` is the number of the thread.
    fn take(&self, worker: usize, afterstates: &[Vec<Board>; 4]) -> Result<()>;
}

/// Counts states, drops the dead ones, and moves the live ones into a sink.
pub(crate) struct ExpandStates<S> {
    rules: &'static dyn Rules,
    /// The winning tile.
    win: Exp,
    sink: S,
}

impl<S: Sink> ExpandStates<S> {
    /// Afterstates go to `sink`.
    pub(crate) fn new(game: &Game, sink: S) -> Self {
        let (rules, win) = (game.rules(), game.win());
        Self { rules, win, sink }
    }
}

impl<S: Sink> Visit for ExpandStates<S> {
    fn count(&self, states: &mut Vec<Board>) -> Tally {
        let Census { dead, labeled } = self.rules.census(states);
        Tally {
            dead,
            labeled,
            ..Tally::default()
        }
    }

    fn expand(&self, states: &[Board], worker: &mut Worker) -> Result<Tally> {
        for afterstates in &mut worker.slid {
            afterstates.resize(states.len(), 0);
        }
        let slid = worker.slid.each_mut().map(Vec::as_mut_slice);
        let Moves { legal, wins } = self.rules.slide(states, self.win, slid);
        self.sink.take(worker.index, &worker.slid)?;
        Ok(Tally {
            moves: legal,
            wins,
            ..Tally::default()
        })
    }
}

/// Counts the empty cells of afterstates; they are expanded when the next layers are counted.
pub(crate) struct CountAfterstates {
    rules: &'static dyn Rules,
}

impl CountAfterstates {
    /// For the afterstates of a game.
    pub(crate) fn new(game: &Game) -> Self {
        let rules = game.rules();
        Self { rules }
    }
}

impl Visit for CountAfterstates {
    fn count(&self, afterstates: &mut Vec<Board>) -> Tally {
        Tally {
            empty_cells: self.rules.empty_cells(afterstates),
            ..Tally::default()
        }
    }

    fn expand(&self, _: &[Board], _: &mut Worker) -> Result<Tally> {
        Ok(Tally::default())
    }
}

/// Counts nothing: for states that were counted before.
pub(crate) struct OnlyList;

impl Visit for OnlyList {
    fn count(&self, _: &mut Vec<Board>) -> Tally {
        Tally::default()
    }

    fn expand(&self, _: &[Board], _: &mut Worker) -> Result<Tally> {
        Ok(Tally::default())
    }
}

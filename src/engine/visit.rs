//! Visits: the work on the sorted boards of a part beside writing them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::lists::MoveSink;
use super::workers::Worker;
use crate::error::Result;
use crate::game::key::KeyCodec;
use crate::game::{Board, Exp, Game, Rules, Tally};
use crate::part::{Block, Fingerprint, fingerprint};

/// The work on the boards of a part while they are in a core's caches.
pub(crate) trait Visit: Sync {
    /// The findings of the visits of a block; `()` if its encoding needs none.
    type Found: Default + Send;

    /// Whether the encoding of a block needs the findings of its visits, and must come after them.
    const ENCODES_WHAT_IT_FOUND: bool = false;

    /// Count the boards of a sorted range, and drop the boards that the part's file does not list.
    fn retain_listed(&self, _boards: &mut Vec<Board>) -> Tally {
        Tally::default()
    }

    /// Visit a slice of the listed boards, which begins at position `at` of its block. `found`
    /// holds the findings of the block.
    fn visit(
        &self,
        _boards: &[Board],
        _at: usize,
        _found: &Mutex<Self::Found>,
        _worker: &mut Worker,
    ) -> Result<Tally> {
        Ok(Tally::default())
    }

    /// Encode a block of boards, for each file of the part.
    fn encode(
        &self,
        boards: &[Board],
        _found: &mut Self::Found,
        worker: &mut Worker,
        blocks: &mut Vec<Block>,
    ) -> Result<()> {
        blocks.resize_with(1, Block::default);
        worker.encoder.encode(boards, &mut blocks[0])
    }
}

/// Wraps a visit for a file that lists keys instead of boards.
pub(crate) struct AsKeys<'a, V> {
    pub(crate) visit: V,
    pub(crate) codec: KeyCodec,
    /// The fingerprint of the boards.
    pub(crate) fingerprint: &'a AtomicU64,
}

impl<V: Visit<Found = ()>> Visit for AsKeys<'_, V> {
    type Found = ();

    fn retain_listed(&self, boards: &mut Vec<Board>) -> Tally {
        self.visit.retain_listed(boards)
    }

    fn visit(
        &self,
        boards: &[Board],
        at: usize,
        found: &Mutex<()>,
        worker: &mut Worker,
    ) -> Result<Tally> {
        let Fingerprint(more) = fingerprint(boards);
        self.fingerprint.fetch_add(more, Ordering::Relaxed);
        self.visit.visit(boards, at, found, worker)
    }

    fn encode(
        &self,
        boards: &[Board],
        found: &mut (),
        worker: &mut Worker,
        blocks: &mut Vec<Block>,
    ) -> Result<()> {
        let mut keys = boards.to_vec();
        self.codec.encode(&mut keys);
        self.visit.encode(&keys, found, worker, blocks)
    }
}

/// Counts states, drops the dead ones, and moves the live ones.
pub(crate) struct ExpandStates<'a> {
    rules: &'static dyn Rules,
    /// The winning tile.
    win: Exp,
    sink: MoveSink<'a>,
}

impl<'a> ExpandStates<'a> {
    pub(crate) fn new(game: &Game, sink: MoveSink<'a>) -> Self {
        Self {
            rules: game.rules(),
            win: game.win(),
            sink,
        }
    }
}

impl Visit for ExpandStates<'_> {
    type Found = ();

    fn retain_listed(&self, states: &mut Vec<Board>) -> Tally {
        self.rules.census(states)
    }

    fn visit(
        &self,
        states: &[Board],
        _: usize,
        _: &Mutex<()>,
        worker: &mut Worker,
    ) -> Result<Tally> {
        for afterstates in &mut worker.slid {
            afterstates.resize(states.len(), 0);
        }
        let slid = worker.slid.each_mut().map(Vec::as_mut_slice);
        let tally = self.rules.slide(states, self.win, slid);
        self.sink.take(worker.index, &worker.slid)?;
        Ok(tally)
    }
}

/// Counts the empty cells of afterstates. The next layers spawn into these cells.
pub(crate) struct CountAfterstates(pub(crate) &'static dyn Rules);

impl Visit for CountAfterstates {
    type Found = ();

    fn retain_listed(&self, afterstates: &mut Vec<Board>) -> Tally {
        Tally {
            empty_cells: self.0.empty_cells(afterstates),
            ..Tally::default()
        }
    }
}

/// Counts nothing: the boards are already counted.
pub(crate) struct OnlyList;

impl Visit for OnlyList {
    type Found = ();
}

//! The frontier: the afterstates from which the next layer follows.

use crate::error::Result;
use crate::game::{Board, Exp, Game, PartKey};
use crate::part::{Decoder, Kind, Part};
use crate::store::Run;

/// The afterstates of the last two sums. The search needs nothing else of older layers.
pub(crate) struct Frontier {
    game: Game,
    /// Sum of the next layer.
    sum: u32,
    /// The parts of both sums, in order.
    parts: Vec<(PartKey, FrontierPart)>,
}

pub(crate) enum FrontierPart {
    /// An open file.
    File(Part),
    /// A sorted list in memory, in slices, which may be in no file.
    List(Slices),
}

/// Slices of a sorted list, each of at most [`SLICE`](super::job::SLICE) boards.
pub(crate) type Slices = Vec<Vec<Board>>;

/// Afterstates and starts from which the states of a part come.
pub(crate) struct Origins<'a> {
    /// The part of the states.
    pub(crate) key: PartKey,
    pub(crate) blocks: Vec<FrontierBlock<'a>>,
    pub(crate) starts: Vec<Board>,
}

impl Origins<'_> {
    /// Whether the part has no states.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.starts.is_empty()
    }

    /// Divide the origins among `tasks` tasks of about equal size, and keep task `number`. Task 0
    /// has the starts.
    pub(crate) fn of_task(mut self, number: usize, tasks: usize) -> Self {
        let blocks = self.blocks.len();
        let [from, to] = [number, number + 1].map(|task| blocks * task / tasks);
        self.blocks.truncate(to);
        self.blocks.drain(..from);
        if number > 0 {
            self.starts.clear();
        }
        self
    }
}

/// Afterstates of a part that are read together, and the tile to spawn into them.
pub(crate) struct FrontierBlock<'a> {
    pub(crate) part: &'a FrontierPart,
    pub(crate) number: usize,
    pub(crate) tile: Exp,
}

impl FrontierPart {
    fn boards(&self) -> u64 {
        match self {
            Self::File(part) => part.states(),
            Self::List(slices) => slices.iter().map(Vec::len).sum::<usize>() as u64,
        }
    }

    /// Number of blocks, which can be read separately. The blocks of a list are slices.
    pub(crate) fn blocks(&self) -> usize {
        match self {
            Self::File(part) => part.blocks(),
            Self::List(slices) => slices.len(),
        }
    }

    /// Return the afterstates of a block. A block of a file is read into `buffer`.
    pub(crate) fn read<'a>(
        &'a self,
        block: usize,
        decoder: &mut Decoder,
        buffer: &'a mut Vec<Board>,
    ) -> Result<&'a [Board]> {
        match self {
            Self::File(part) => {
                buffer.clear();
                part.read_block(block, decoder, buffer)?;
                Ok(buffer)
            }
            Self::List(slices) => Ok(&slices[block]),
        }
    }
}

impl Frontier {
    /// The frontier after the last sealed layer of `run`, in its files of lists.
    pub(crate) fn open(run: &Run) -> Result<Self> {
        let (game, sum) = (*run.game(), run.sealed_sum() + 2);
        let mut parts = Vec::new();
        let in_lists = |before: &u32| !run.is_in_matrices(Kind::Afterstates, *before);
        for before in [sum - 4, sum - 2].into_iter().filter(in_lists) {
            for part in run.parts_of(Kind::Afterstates, before)? {
                parts.push((part.label().key, FrontierPart::File(part)));
            }
        }
        Ok(Self { game, sum, parts })
    }

    /// Sum of the layer that follows from the frontier.
    pub(crate) fn sum(&self) -> u32 {
        self.sum
    }

    /// Advance by one layer, given its afterstates.
    pub(crate) fn advance(&mut self, afterstates: Vec<(PartKey, Slices)>) {
        let last = self.sum - 2;
        self.parts.retain(|(key, _)| key.sum == last);
        for (key, list) in afterstates {
            if !list.is_empty() {
                self.parts.push((key, FrontierPart::List(list)));
            }
        }
        self.sum += 2;
    }

    /// An upper bound on the candidates of the next layer.
    pub(crate) fn candidates_at_most(&self) -> u64 {
        let parts = self
            .parts
            .iter()
            .filter(|(key, _)| self.game.goes_on(key.sum));
        let boards: u64 = parts.map(|(_, part)| part.boards()).sum();
        let starts = self.game.starts(self.sum).len() as u64;
        boards * u64::from(self.game.size().cells()) + starts
    }

    /// All afterstates and starts from which the states of a part come.
    pub(crate) fn origins(&self, key: PartKey) -> Origins<'_> {
        let mut blocks = Vec::new();
        for (from, tile) in key.spawned_from() {
            if self.game.goes_on(from.sum)
                && let Ok(at) = self.parts.binary_search_by_key(&from, |(key, _)| *key)
            {
                let part = &self.parts[at].1;
                let numbers = 0..part.blocks();
                blocks.extend(numbers.map(|number| FrontierBlock { part, number, tile }));
            }
        }
        let mut starts = self.game.starts(self.sum);
        starts.retain(|&board| self.game.max_exp(board) == key.max);
        Origins {
            key,
            blocks,
            starts,
        }
    }

    /// The parts of one of the two sums.
    pub(crate) fn of_sum(&self, sum: u32) -> Vec<&FrontierPart> {
        let parts = self.parts.iter();
        parts
            .filter_map(|(key, part)| (key.sum == sum).then_some(part))
            .collect()
    }

    /// The parts in memory with sums above `sum`; they stay in the frontier.
    pub(crate) fn lists_above(&self, sum: u32) -> impl Iterator<Item = (PartKey, &Slices)> {
        self.parts.iter().filter_map(move |(key, part)| match part {
            FrontierPart::List(slices) if key.sum > sum => Some((*key, slices)),
            _ => None,
        })
    }

    /// Whether the layer after the next can have states, from 4s spawned into afterstates of the
    /// last sum.
    pub(crate) fn goes_on(&self) -> bool {
        let last = self.sum - 2;
        self.game.goes_on(last) && self.parts.iter().any(|(key, _)| key.sum == last)
    }
}

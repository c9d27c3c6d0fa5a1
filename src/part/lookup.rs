//! Where a state stands in its part, and which state stands at a place.

use std::borrow::Borrow;

use super::blocks::Blocks;
use super::reader::Part;
use crate::error::Result;
use crate::game::Board;

/// Finds the position of a state among the sorted states of its part, and the state at a position.
///
/// A position is found from the index and one block; the block decoded last is kept, so questions
/// in order of states cost each block once. An array parallel to the part needs nothing else:
///
/// ```
/// use enum48::game::PartKey;
/// use enum48::part::{Kind, Lookup};
/// use enum48::store::Run;
/// # let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/v1/2x2-32");
///
/// let run = Run::open(dir.as_ref())?;
/// let board = 0x0132;
/// let part = run.part(Kind::States, PartKey::of(board))?.expect("2x2 to 32 has such states");
/// let mut notes = vec![None; part.states() as usize];
///
/// let mut lookup = Lookup::new(&part)?;
/// let position = lookup.position(board)?.expect("it is reachable");
/// notes[position as usize] = Some("the worked example");
/// assert_eq!(lookup.state_at(position)?, Some(board));
/// assert_eq!(lookup.position(0x0133)?, None);
/// # Ok::<(), enum48::Error>(())
/// ```
pub struct Lookup<P> {
    blocks: Blocks<P>,
}

impl<P: Borrow<Part>> Lookup<P> {
    /// Look up in `part`, a [`Part`] or a reference to one.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`](crate::Error::Zstd) if no decoder can be started.
    pub fn new(part: P) -> Result<Self> {
        let blocks = Blocks::new(part)?;
        Ok(Self { blocks })
    }

    /// How many states of the part come before `state`; `None` if the part does not hold it.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`](crate::Error::Damaged), naming the block.
    pub fn position(&mut self, state: Board) -> Result<Option<u64>> {
        let Some(block) = self.blocks.part().block_of(state) else {
            return Ok(None);
        };
        let before = block as u64 * self.blocks.part().block_size();
        let within = self.blocks.block(block)?.binary_search(&state);
        Ok(within.ok().map(|within| before + within as u64))
    }

    /// The state at a position, counted from 0; `None` beyond the last.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`](crate::Error::Damaged), naming the block.
    pub fn state_at(&mut self, position: u64) -> Result<Option<Board>> {
        let part = self.blocks.part();
        if position >= part.states() {
            return Ok(None);
        }
        let (block, within) = (position / part.block_size(), position % part.block_size());
        let states = self.blocks.block(block as usize)?;
        Ok(states.get(within as usize).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::BLOCK;
    use super::super::reader::tests::part_of;
    use super::*;

    #[test]
    fn positions_and_states_lead_to_each_other_across_blocks() {
        let states: Vec<u64> = (0..BLOCK as u64 + 9000).map(|i| i * 5 + 7).collect();
        let part = part_of(&states);
        assert_eq!(part.blocks(), 2);
        let mut lookup = Lookup::new(&part).unwrap();
        let edge = BLOCK as u64 * 5 + 7;
        for probe in [
            0,
            6,
            7,
            8,
            12,
            edge - 5,
            edge - 1,
            edge,
            edge + 5,
            700_000,
            u64::MAX,
        ] {
            let expected = states.binary_search(&probe).ok().map(|at| at as u64);
            assert_eq!(lookup.position(probe).unwrap(), expected, "{probe}");
        }
        for at in [0, 1, BLOCK - 1, BLOCK, states.len() - 1] {
            assert_eq!(
                lookup.state_at(at as u64).unwrap(),
                Some(states[at]),
                "{at}"
            );
        }
        for beyond in [states.len() as u64, u64::MAX] {
            assert_eq!(lookup.state_at(beyond).unwrap(), None);
        }
    }

    #[test]
    fn an_empty_part_holds_nothing() {
        let mut lookup = Lookup::new(part_of(&[])).unwrap();
        assert_eq!(lookup.position(0).unwrap(), None);
        assert_eq!(lookup.state_at(0).unwrap(), None);
    }
}

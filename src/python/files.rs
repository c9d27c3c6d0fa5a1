//! Reading the boards of a run with all threads.

use std::borrow::Borrow;
use std::mem;
use std::ops::Range;

use super::pool::pool;
use crate::engine::Stop;
use crate::error::{Error, Result};
use crate::game::{Board, Exp};
use crate::part::{Decoder, Kind, Part, each_block};
use crate::store::Run;

/// The boards of some blocks of a part.
pub(super) fn boards_of(part: &Part, blocks: Range<usize>) -> Result<Vec<Board>> {
    let (mut decoder, mut boards) = (Decoder::new()?, Vec::new());
    for block in blocks {
        part.read_block(block, &mut decoder, &mut boards)?;
    }
    Ok(boards)
}

/// The parts of a layer, in order of largest tile, or the one with some largest tile.
///
/// # Errors
///
/// If the run does not have the layer; what is wrong with the files.
pub(super) fn parts(run: &Run, kind: Kind, sum: u32, max: Option<Exp>) -> Result<Vec<Part>> {
    run.has_layer(kind, sum)?;
    let keys = run.rows(sum).into_iter().filter_map(|row| row.key());
    let keys = keys.filter(|key| max.is_none_or(|max| key.max == max));
    keys.filter_map(|key| run.part(kind, key).transpose())
        .collect()
}

/// The number of their boards.
pub(super) fn boards_in(parts: &[Part]) -> Result<usize> {
    let count = parts.iter().map(Part::states).sum::<u64>();
    usize::try_from(count).map_err(|_| Error::NoMemory {
        count: usize::MAX,
        what: "boards",
    })
}

/// A block of a part.
pub(super) struct BlockPlace<P> {
    pub(super) part: P,
    pub(super) block: usize,
}

impl<P: Borrow<Part>> BlockPlace<P> {
    /// The number of its boards.
    pub(super) fn boards(&self) -> usize {
        let part = self.part.borrow();
        let before = self.block as u64 * part.block_size();
        part.block_size().min(part.states() - before) as usize
    }
}

/// All blocks of some parts, in order.
pub(super) fn places<'a>(parts: &'a [Part]) -> Vec<BlockPlace<&'a Part>> {
    let of_part = |part: &'a Part| (0..part.blocks()).map(move |block| BlockPlace { part, block });
    parts.iter().flat_map(of_part).collect()
}

/// Fill `boards` with the boards of all these blocks, one behind the other.
pub(super) fn read<P: Borrow<Part> + Sync>(
    places: &[BlockPlace<P>],
    boards: &mut [Board],
    stop: &Stop,
) -> Result<()> {
    let mut rest = boards;
    let tasks = places.iter().map(|place| {
        let (here, behind) = mem::take(&mut rest).split_at_mut(place.boards());
        rest = behind;
        (place.part.borrow(), place.block, here)
    });
    let tasks = tasks.collect();
    pool()?.install(|| {
        each_block(tasks, stop, |boards, into: &mut [Board]| {
            into.copy_from_slice(boards);
        })
    })
}

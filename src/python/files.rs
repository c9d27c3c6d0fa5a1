//! Reading the boards of a run with all threads.

use std::ops::Range;

use rayon::prelude::*;

use super::pool::pool;
use crate::engine::Stop;
use crate::error::Result;
use crate::game::{Board, Exp};
use crate::part::{Decoder, Kind, Part};
use crate::store::Run;

/// Memory that a thread decodes with.
pub(super) struct Buffers {
    decoder: Decoder,
    boards: Vec<Board>,
}

impl Buffers {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            decoder: Decoder::new()?,
            boards: Vec::new(),
        })
    }

    /// The boards of a block.
    pub(super) fn block(&mut self, part: &Part, block: usize) -> Result<&[Board]> {
        self.boards.clear();
        part.read_block(block, &mut self.decoder, &mut self.boards)?;
        Ok(&self.boards)
    }
}

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

/// Fill `boards` with the boards of all parts, one behind the other.
pub(super) fn read(parts: &[Part], boards: &mut [Board], stop: &Stop) -> Result<()> {
    let mut blocks = Vec::new();
    let mut rest = boards;
    for part in parts {
        let (mut of_part, behind) = rest.split_at_mut(part.states() as usize);
        rest = behind;
        for block in 0..part.blocks() {
            let (of_block, behind) =
                of_part.split_at_mut(of_part.len().min(part.block_size() as usize));
            of_part = behind;
            blocks.push((part, block, of_block));
        }
    }
    each(blocks, stop, |buffers, (part, block, into)| {
        into.copy_from_slice(buffers.block(part, block)?);
        Ok(())
    })
}

/// Do something for each task, with all threads.
pub(super) fn each<T: Send>(
    tasks: Vec<T>,
    stop: &Stop,
    act: impl Fn(&mut Buffers, T) -> Result<()> + Sync,
) -> Result<()> {
    pool()?.install(|| {
        tasks.into_par_iter().try_for_each_init(
            || None,
            |buffers: &mut Option<Buffers>, task| {
                stop.check()?;
                let buffers = match buffers {
                    Some(buffers) => buffers,
                    None => buffers.insert(Buffers::new()?),
                };
                act(buffers, task)
            },
        )
    })
}

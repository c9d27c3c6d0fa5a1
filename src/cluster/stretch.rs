//! A stretch of the keys that files hold one behind the other.

use std::ops::Range;

use crate::engine::{Source, Tally, Worker};
use crate::error::Result;
use crate::game::Board;
use crate::game::key::KeyCodec;
use crate::part::Part;

/// The boards whose keys are at some positions of sorted files, laid end to end.
pub(super) struct Stretch {
    files: Vec<Part>,
    pieces: Vec<Piece>,
    codec: KeyCodec,
}

/// Some boards of a block.
struct Piece {
    file: usize,
    block: usize,
    boards: Range<usize>,
}

impl Stretch {
    /// Those of the keys of `files` from the `from`-th up to the `to`-th.
    pub(super) fn new(files: Vec<Part>, from: u64, to: u64, codec: KeyCodec) -> Self {
        let mut pieces = Vec::new();
        // Position of the file's first board.
        let mut begin = 0;
        for (number, file) in files.iter().enumerate() {
            let (size, end) = (file.block_size(), begin + file.states());
            let (first, last) = (from.max(begin), to.min(end));
            if first < last {
                for block in (first - begin) / size..(last - begin).div_ceil(size) {
                    let at = begin + block * size;
                    let within = |position: u64| (position.max(at) - at).min(size) as usize;
                    pieces.push(Piece {
                        file: number,
                        block: block as usize,
                        boards: within(first)..within(last),
                    });
                }
            }
            begin = end;
        }
        Self {
            files,
            pieces,
            codec,
        }
    }
}

impl Source for Stretch {
    fn tasks(&self) -> Vec<usize> {
        self.pieces.iter().map(|piece| piece.boards.len()).collect()
    }

    fn tally(&self) -> Tally {
        Tally {
            candidates: self.tasks().iter().map(|&boards| boards as u64).sum(),
            ..Tally::default()
        }
    }

    fn produce(&self, task: usize, worker: &mut Worker, states: &mut Vec<Board>) -> Result<Tally> {
        let Piece {
            file,
            block,
            ref boards,
        } = self.pieces[task];
        states.clear();
        self.files[file].read_block(block, &mut worker.decoder, states)?;
        states.truncate(boards.end);
        states.drain(..boards.start);
        self.codec.decode_all(states);
        Ok(Tally {
            unique: states.len() as u64,
            ..Tally::default()
        })
    }
}

//! Parts in memory, on their way into files.
//!
//! Key idea: blocks can be encoded by any thread at any time, but files are written one after another. So
//! the threads encode the blocks of a small layer beside the next one, and its files follow.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::batch::Concat;
use super::frontier::Slices;
use super::lists::Lists;
use super::workers::{Done, Worker, Workers};
use crate::counts::Row;
use crate::error::Result;
use crate::game::PartKey;
use crate::game::rank::Ranking;
use crate::laws;
use crate::part::{Block, Kind};
use crate::store::{CountedLayer, Files, Store};

/// Parts to write, and their blocks.
#[derive(Default)]
pub(super) struct Unwritten<'a> {
    parts: Vec<UnwrittenPart<'a>>,
    blocks: Vec<UnwrittenBlock>,
}

struct UnwrittenPart<'a> {
    kind: Kind,
    key: PartKey,
    ranking: Arc<Ranking>,
    boards: Concat<'a>,
    /// Its blocks.
    blocks: Range<usize>,
}

struct UnwrittenBlock {
    part: usize,
    range: Range<usize>,
    encoded: Mutex<Block>,
}

impl<'a> Unwritten<'a> {
    /// Add parts.
    pub(super) fn add(
        &mut self,
        kind: Kind,
        parts: impl Iterator<Item = (PartKey, &'a Slices)>,
        lists: &mut Lists,
    ) {
        for (key, slices) in parts {
            let boards = Concat::new(slices.iter().map(Vec::as_slice));
            let begin = self.blocks.len();
            let starts = (0..boards.len()).step_by(kind.block());
            self.blocks.extend(starts.map(|start| UnwrittenBlock {
                part: self.parts.len(),
                range: start..boards.len().min(start + kind.block()),
                encoded: Mutex::default(),
            }));
            self.parts.push(UnwrittenPart {
                kind,
                key,
                ranking: lists.ranking(key),
                boards,
                blocks: begin..self.blocks.len(),
            });
        }
    }

    /// Number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Encode a block.
    pub(super) fn encode(&self, block: usize, worker: &mut Worker) -> Result<()> {
        let block = &self.blocks[block];
        let UnwrittenPart {
            ranking, boards, ..
        } = &self.parts[block.part];
        let encoded = &mut block.encoded.lock().expect("no thread panics");
        let boards = boards.slice(block.range.clone(), &mut worker.boards);
        worker.encoder.encode(ranking, boards, encoded)
    }

    /// Encode all blocks.
    pub(super) fn encode_all(&self, workers: &Workers) -> Result<()> {
        let blocks: Vec<usize> = (0..self.blocks()).collect();
        workers.each(&blocks, |worker, &block| {
            self.encode(block, worker)?;
            Ok(Done)
        })?;
        Ok(())
    }

    /// Write the files, once all blocks are encoded.
    pub(super) fn write(self, layer: &mut CountedLayer, store: &mut Store) -> Result<()> {
        for part in self.parts {
            let (kind, key) = (part.kind, part.key);
            let mut writer = store.outbox().create(kind, key)?;
            for block in &self.blocks[part.blocks] {
                writer.append(&block.encoded.lock().expect("no thread panics"))?;
            }
            let sealed = store.outbox().finish(kind, key, writer)?;
            let what = "boards in memory, and in their file";
            laws::equal(&Row::of(key), what, part.boards.len() as u64, sealed.states)?;
            layer.wrote(kind, sealed.bytes);
        }
        Ok(())
    }
}

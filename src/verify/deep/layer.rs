//! A layer on disk, of states or of afterstates, and the buckets that collect candidates for its
//! blocks.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;

use crate::counts::Row;
use crate::error::Result;
use crate::game::{Board, Game, PartKey};
use crate::part::{Decoder, Kind, Part};
use crate::read::Reader;

/// The parts of a layer, one for each largest tile that the game has.
///
/// Each block of a part has one bucket. A part without blocks also has one bucket, for candidates
/// that should not exist. Buckets are numbered across the layer.
pub(super) struct LayerFiles {
    game: Game,
    kind: Kind,
    /// In order of largest tile.
    pub(super) parts: Vec<LayerPart>,
    /// The part of each bucket, as an index of `parts`, and its block in that part.
    pub(super) buckets: Vec<(usize, usize)>,
}

/// A part of a layer; it may have no boards.
pub(super) struct LayerPart {
    pub(super) row: Row,
    /// `None` if no board has this sum and largest tile.
    pub(super) file: Option<Part>,
    /// The first board of each block.
    firsts: Vec<Board>,
    /// Number of its first bucket.
    first_bucket: usize,
}

impl LayerFiles {
    pub(super) fn open(reader: &Reader, kind: Kind, sum: u32) -> Result<Self> {
        let run = reader.run();
        let table = run.table();
        let (mut parts, mut buckets) = (Vec::new(), Vec::new());
        for max in run.game().top().up_to() {
            let key = PartKey { sum, max };
            let file = reader.part(kind, key)?;
            let firsts: Vec<Board> = file.iter().flat_map(Part::firsts).collect();
            let first_bucket = buckets.len();
            buckets.extend((0..firsts.len().max(1)).map(|block| (parts.len(), block)));
            parts.push(LayerPart {
                row: table.row(key),
                file,
                firsts,
                first_bucket,
            });
        }
        Ok(Self {
            game: *run.game(),
            kind,
            parts,
            buckets,
        })
    }

    /// Divide sorted candidates among buckets: `put` gets the number of each bucket with
    /// candidates, and the candidates in its range.
    pub(super) fn scatter(&self, candidates: &[Board], mut put: impl FnMut(usize, &[Board])) {
        let mut by_part: Vec<Vec<Board>> = self.parts.iter().map(|_| Vec::new()).collect();
        for &board in candidates {
            // A board with a tile beyond the game's largest goes to the last part; no block holds
            // it.
            let max = usize::from(self.game.max_exp(board).get()).min(self.parts.len());
            by_part[max - 1].push(board);
        }
        for (part, candidates) in self.parts.iter().zip(by_part) {
            part.scatter(&candidates, &mut put);
        }
    }
}

impl LayerPart {
    /// The boards of a block; none if the part has no blocks.
    pub(super) fn read_block(
        &self,
        decoder: &mut Option<Decoder>,
        block: usize,
    ) -> Result<Vec<Board>> {
        let mut states = Vec::new();
        if let Some(file) = &self.file {
            file.read_block(block, Decoder::of(decoder)?, &mut states)?;
        }
        Ok(states)
    }

    /// See [`LayerFiles::scatter`]. Candidates before the first block belong to its bucket.
    fn scatter(&self, candidates: &[Board], put: &mut impl FnMut(usize, &[Board])) {
        let (mut rest, mut next_block) = (candidates, 0);
        while let Some(&board) = rest.first() {
            next_block += self.firsts[next_block..].partition_point(|&first| first <= board);
            let end = self.firsts.get(next_block).map_or(rest.len(), |&first| {
                rest.partition_point(|&board| board < first)
            });
            put(
                self.first_bucket + next_block.saturating_sub(1),
                &rest[..end],
            );
            rest = &rest[end..];
        }
    }
}

/// Memory of a bucket: four times the boards of a full block. A bucket also holds dead states and
/// repeats, and a growing list takes up to twice its length.
pub(super) fn bucket_bytes(kind: Kind) -> u64 {
    4 * 8 * kind.block() as u64
}

/// Consecutive buckets of a layer, which many threads fill with candidates.
pub(super) struct BlockBuckets<'a> {
    layer: &'a LayerFiles,
    /// Number of the first bucket.
    first: usize,
    /// Repeats are dropped from a bucket that is full.
    buckets: Vec<Mutex<Vec<Board>>>,
}

impl<'a> BlockBuckets<'a> {
    /// Empty buckets, with the numbers in `range`.
    pub(super) fn new(layer: &'a LayerFiles, range: Range<usize>) -> Self {
        let empty = |_| Mutex::new(Vec::with_capacity(layer.kind.block() / 2));
        Self {
            layer,
            first: range.start,
            buckets: range.map(empty).collect(),
        }
    }

    /// Add candidates, and leave `candidates` sorted and without repeats. Candidates for other
    /// buckets are ignored: another pass collects them.
    pub(super) fn add(&self, candidates: &mut Vec<Board>) {
        sort_and_dedup(candidates);
        self.layer.scatter(candidates, |bucket, candidates| {
            let index = bucket.checked_sub(self.first);
            if let Some(bucket) = index.and_then(|index| self.buckets.get(index)) {
                let mut bucket = bucket.lock().expect("no thread panics");
                if bucket.len() + candidates.len() > bucket.capacity() {
                    sort_and_dedup(&mut bucket);
                    // A bucket that stays nearly full would be sorted for each slice.
                    let left = bucket.len();
                    bucket.reserve(left);
                }
                bucket.extend_from_slice(candidates);
            }
        });
    }

    /// The boards of each bucket, sorted and without repeats.
    pub(super) fn into_boards(self) -> impl IndexedParallelIterator<Item = Vec<Board>> {
        self.buckets.into_par_iter().map(|bucket| {
            let mut bucket = bucket.into_inner().expect("no thread panics");
            sort_and_dedup(&mut bucket);
            bucket
        })
    }
}

/// Sort boards, and drop repeats.
fn sort_and_dedup(boards: &mut Vec<Board>) {
    boards.sort_unstable();
    boards.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_go_to_the_block_whose_range_they_are_in() {
        let part = |firsts: &[Board], first_bucket| LayerPart {
            row: Row::default(),
            file: None,
            firsts: firsts.to_vec(),
            first_bucket,
        };
        // Largest tiles 2, 4 and 8.
        let layer = LayerFiles {
            game: "3x3".parse().unwrap(),
            kind: Kind::States,
            parts: vec![part(&[], 0), part(&[0x0020, 0x0200], 1), part(&[0x0003], 3)],
            buckets: Vec::new(),
        };
        let mut found = Vec::new();
        let candidates = [0x0001, 0x0003, 0x0012, 0x0021, 0x0200, 0x0211, 0x4000];
        layer.scatter(&candidates, |bucket, boards| {
            found.push((bucket, boards.to_vec()));
        });
        let expected = [
            (0, vec![0x0001]),
            // A range before the first block, and a range in the block: both go to one bucket.
            (1, vec![0x0012]),
            (1, vec![0x0021]),
            (2, vec![0x0200, 0x0211]),
            (3, vec![0x0003, 0x4000]),
        ];
        assert_eq!(found, expected);
    }
}

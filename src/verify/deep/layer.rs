//! A layer on disk, of states or of afterstates, either to be checked or as a source of other
//! layers.

use crate::counts::Row;
use crate::error::Result;
use crate::game::{Board, PartKey, max_exp};
use crate::part::{Decoder, Kind, Part};
use crate::store::Run;

/// The parts of a layer, one for each largest tile that the game has.
///
/// Each block of a part has one bucket. A part without blocks has one bucket, too, for candidates
/// that should not exist. Buckets are numbered across the layer.
pub(super) struct LayerFiles {
    kind: Kind,
    parts: Vec<LayerPart>,
    buckets: usize,
}

/// A part of a layer, whether it has boards or not.
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
    pub(super) fn open(run: &Run, kind: Kind, sum: u32) -> Result<Self> {
        let table = run.table();
        let mut buckets = 0;
        let mut parts = Vec::new();
        for max in run.game().top().up_to() {
            let key = PartKey { sum, max };
            let file = run.part(kind, key)?;
            let firsts: Vec<Board> = file.iter().flat_map(|part| part.firsts()).collect();
            let first_bucket = buckets;
            buckets += firsts.len().max(1);
            parts.push(LayerPart {
                row: table.row(key),
                file,
                firsts,
                first_bucket,
            });
        }
        Ok(Self {
            kind,
            parts,
            buckets,
        })
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// The parts, in order of largest tile.
    pub(super) fn parts(&self) -> &[LayerPart] {
        &self.parts
    }

    /// Number of buckets.
    pub(super) fn buckets(&self) -> usize {
        self.buckets
    }

    /// The part of a bucket, as an index of [`LayerFiles::parts`], and its block in that part.
    pub(super) fn place(&self, bucket: usize) -> (usize, usize) {
        let part = self
            .parts
            .partition_point(|part| part.first_bucket <= bucket)
            - 1;
        (part, bucket - self.parts[part].first_bucket)
    }

    /// Divide sorted candidates among buckets: `put` gets the number of each bucket with
    /// candidates, and the candidates in its range.
    pub(super) fn scatter(&self, candidates: &[Board], mut put: impl FnMut(usize, &[Board])) {
        let mut by_part: Vec<Vec<Board>> = self.parts.iter().map(|_| Vec::new()).collect();
        for &board in candidates {
            // A board with a tile beyond the game's largest goes to the last part; no block holds
            // it.
            let max = usize::from(max_exp(board).get()).min(self.parts.len());
            by_part[max - 1].push(board);
        }
        for (part, candidates) in self.parts.iter().zip(by_part) {
            part.scatter(&candidates, &mut put);
        }
    }
}

impl LayerPart {
    /// Number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.firsts.len()
    }

    /// The boards of a block; none if the part has no blocks.
    pub(super) fn read_block(&self, block: usize) -> Result<Vec<Board>> {
        let mut states = Vec::new();
        if let Some(file) = &self.file {
            file.read_block(block, &mut Decoder::new()?, &mut states)?;
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
            kind: Kind::States,
            parts: vec![part(&[], 0), part(&[0x0020, 0x0200], 1), part(&[0x0003], 3)],
            buckets: 4,
        };
        let mut found = Vec::new();
        let candidates = [0x0001, 0x0003, 0x0012, 0x0021, 0x0200, 0x0211, 0x4000];
        layer.scatter(&candidates, |bucket, boards| {
            found.push((bucket, boards.to_vec()));
        });
        let expected = [
            (0, vec![0x0001]),
            // Before the first block, and in it: two ranges of one bucket.
            (1, vec![0x0012]),
            (1, vec![0x0021]),
            (2, vec![0x0200, 0x0211]),
            (3, vec![0x0003, 0x4000]),
        ];
        assert_eq!(found, expected);
        let places = [0, 1, 2, 3].map(|bucket| layer.place(bucket));
        assert_eq!(places, [(0, 0), (1, 0), (1, 1), (2, 0)]);
    }
}

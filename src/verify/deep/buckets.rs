//! Candidates, collected by the block that should hold them.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;

use super::layer::LayerFiles;
use crate::game::Board;
use crate::part::Kind;

/// Memory of a bucket: four times the boards of a full block. A bucket also holds dead states and
/// repeats, and a growing list takes up to twice its length.
pub(super) fn bucket_bytes(kind: Kind) -> u64 {
    4 * 8 * kind.block() as u64
}

/// Some consecutive buckets of a layer, which many threads can fill.
pub(super) struct BlockBuckets<'a> {
    layer: &'a LayerFiles,
    /// Number of the first bucket.
    first: usize,
    buckets: Vec<Mutex<BlockBucket>>,
}

struct BlockBucket {
    candidates: Vec<Board>,
    /// Repeats are dropped at this number of candidates: half a block, or twice the number that was
    /// left the last time, if that is more.
    full: usize,
}

impl<'a> BlockBuckets<'a> {
    /// The buckets of a layer with the numbers `range`, empty.
    pub(super) fn new(layer: &'a LayerFiles, range: Range<usize>) -> Self {
        let empty = || BlockBucket {
            candidates: Vec::new(),
            full: layer.kind().block() / 2,
        };
        Self {
            layer,
            first: range.start,
            buckets: range.map(|_| Mutex::new(empty())).collect(),
        }
    }

    /// Add candidates, and leave `candidates` sorted and without repeats. Candidates for other
    /// buckets are ignored: another pass collects them.
    pub(super) fn add(&self, candidates: &mut Vec<Board>) {
        candidates.sort_unstable();
        candidates.dedup();
        self.layer.scatter(candidates, |bucket, candidates| {
            let index = bucket.checked_sub(self.first);
            if let Some(bucket) = index.and_then(|index| self.buckets.get(index)) {
                bucket.lock().expect("no thread panics").add(candidates);
            }
        });
    }

    /// The boards of each bucket, sorted and without repeats.
    pub(super) fn into_boards(self) -> impl IndexedParallelIterator<Item = Vec<Board>> {
        self.buckets.into_par_iter().map(|bucket| {
            let mut bucket = bucket.into_inner().expect("no thread panics");
            bucket.drop_repeats();
            bucket.candidates
        })
    }
}

impl BlockBucket {
    fn add(&mut self, candidates: &[Board]) {
        self.candidates.extend_from_slice(candidates);
        if self.candidates.len() >= self.full {
            self.drop_repeats();
            self.full = self.full.max(2 * self.candidates.len());
        }
    }

    fn drop_repeats(&mut self) {
        self.candidates.sort_unstable();
        self.candidates.dedup();
    }
}

//! One pass of the search backward, with a bounded number of boards of each sum: a beam search.
//!
//! The choice of boards decides whether a start is found. Key idea: keep the fullest boards. A full
//! board has small tiles, and games begin with small tiles; a few large tiles with much room around
//! them are hard to take apart. This was tried on the striped board of 4x4 and on 53 other boards
//! of 2x4, 3x3 and 4x4, with sums up to 3476. Keeping the fullest 300 boards of each sum found all
//! but two, and keeping the fullest 2,000 found all. Keeping the emptiest boards did not find the
//! striped board.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rayon::prelude::*;

use super::predecessors::Predecessors;
use super::{is_start, is_won};
use crate::game::{Board, Game, sum};
use crate::progress::Progress;

/// Candidates of a sum that are held for each board that will be kept, before the worst are
/// dropped.
const HELD: usize = 4;

/// Number of boards whose predecessors are listed at once, before they are sorted by sum.
const BATCH: usize = 256;

/// A search that keeps at most `width` boards of each sum.
pub(super) struct Beam<'a> {
    pub(super) game: Game,
    pub(super) predecessors: &'a Predecessors,
    pub(super) width: usize,
}

/// The outcome of a search.
pub(super) enum SearchOutcome {
    /// A start was found: the canonical boards from the start to the last but one.
    Found(Vec<Board>),
    /// No start was found, and every way back was followed, over this number of boards.
    Exhausted(usize),
    /// No start was found, but some boards were dropped.
    Dropped,
}

/// A board from which a way leads to the target.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Node {
    /// Canonical.
    board: Board,
    /// The next board on the way, as an index into the list of all kept boards; [`Node::TARGET`]
    /// for the target.
    next: u32,
}

impl Node {
    const TARGET: u32 = u32::MAX;
}

/// The most boards of each sum that fit in `memory` bytes, on the way back from a board; at least
/// one.
///
/// The list of kept boards can have twice the capacity that it needs, and the candidates of two
/// sums are held at once. Indices into the list must fit in 32 bits.
pub(super) fn most_kept(board: Board, memory: u64) -> usize {
    let layers = u64::from(sum(board)) / 2;
    let nodes = memory / size_of::<Node>() as u64;
    let most = nodes / (2 * layers + 8 * HELD as u64 + 1);
    usize::try_from(most)
        .unwrap_or(usize::MAX)
        .clamp(1, u32::MAX as usize / layers as usize)
}

impl Beam<'_> {
    /// Go back from a board, sum by sum.
    pub(super) fn search(&self, target: Board, progress: &mut dyn Progress) -> SearchOutcome {
        let mut kept: Vec<Node> = Vec::new();
        let mut frontier = SearchFrontier {
            layers: BTreeMap::new(),
            most: HELD * self.width,
            dropped: false,
        };
        frontier.add(self.before(target, is_won(&self.game, target), Node::TARGET));
        while let Some((sum, layer)) = frontier.pop_layer(self.width) {
            progress.begin(sum);
            progress.advance(layer.len() as u64);
            let first = kept.len();
            kept.extend(layer);
            if let Some(start) = kept[first..].iter().position(|node| is_start(node.board)) {
                return SearchOutcome::Found(way(&kept, first + start));
            }
            for at in (first..kept.len()).step_by(BATCH) {
                let batch = &kept[at..kept.len().min(at + BATCH)];
                let before: Vec<Vec<Node>> = batch
                    .par_iter()
                    .enumerate()
                    .map(|(place, node)| self.before(node.board, false, (at + place) as u32))
                    .collect();
                before.into_iter().for_each(|nodes| frontier.add(nodes));
            }
        }
        if frontier.dropped {
            SearchOutcome::Dropped
        } else {
            SearchOutcome::Exhausted(kept.len())
        }
    }

    /// All boards one step before a board, each once.
    fn before(&self, board: Board, won: bool, next: u32) -> Vec<Node> {
        let steps = self.predecessors.steps(board, won);
        let mut boards: Vec<Board> = steps.flat_map(|step| step.before).collect();
        self.game.rules().canonicalise(&mut boards);
        boards.sort_unstable();
        boards.dedup();
        let nodes = boards.into_iter().map(|board| Node { board, next });
        nodes.collect()
    }
}

/// Boards that were found and not yet looked at, by sum.
struct SearchFrontier {
    layers: BTreeMap<u32, Vec<Node>>,
    /// A layer that reaches twice this number of boards is cut to its fullest boards, this number.
    most: usize,
    /// Whether any board was dropped.
    dropped: bool,
}

impl SearchFrontier {
    fn add(&mut self, nodes: Vec<Node>) {
        for node in nodes {
            let layer = self.layers.entry(sum(node.board)).or_default();
            layer.push(node);
            if layer.len() > 2 * self.most {
                self.dropped |= keep_fullest(layer, self.most);
            }
        }
    }

    /// Take out the layer of the greatest sum, with its fullest boards, at most `width`.
    fn pop_layer(&mut self, width: usize) -> Option<(u32, Vec<Node>)> {
        let (sum, mut layer) = self.layers.pop_last()?;
        self.dropped |= keep_fullest(&mut layer, width);
        Some((sum, layer))
    }
}

/// Keep the fullest boards, each once, at most `most`. Returns whether others were dropped.
fn keep_fullest(nodes: &mut Vec<Node>, most: usize) -> bool {
    // Boards with equal numbers of tiles are ordered by a hash, independent of the places of their
    // tiles.
    let mixed = |board: Board| (board ^ board >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    nodes.sort_unstable_by_key(|&Node { board, next }| {
        (Reverse(tiles(board)), mixed(board), board, next)
    });
    nodes.dedup_by_key(|node| node.board);
    let dropped = nodes.len() > most;
    nodes.truncate(most);
    dropped
}

/// Number of tiles.
fn tiles(board: Board) -> u32 {
    let any = board | board >> 1 | board >> 2 | board >> 3;
    (any & 0x1111_1111_1111_1111).count_ones()
}

/// The boards from a start to the last but one.
fn way(kept: &[Node], start: usize) -> Vec<Board> {
    let mut way = vec![kept[start].board];
    let mut next = kept[start].next;
    while let Some(node) = kept.get(next as usize) {
        way.push(node.board);
        next = node.next;
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_boards_are_kept_each_once() {
        let node = |board| Node { board, next: 0 };
        let mut nodes: Vec<Node> = [0x0011, 0x1111, 0x0111, 0x1111, 0x0001].map(node).to_vec();
        assert!(keep_fullest(&mut nodes, 2));
        assert_eq!(
            nodes.iter().map(|node| node.board).collect::<Vec<_>>(),
            [0x1111, 0x0111]
        );
        assert!(!keep_fullest(&mut nodes, 2));
    }

    #[test]
    fn a_way_goes_from_the_start_to_the_last_board_but_one() {
        let node = |board, next| Node { board, next };
        let kept = [
            node(9, Node::TARGET),
            node(8, Node::TARGET),
            node(7, 0),
            node(6, 2),
        ];
        assert_eq!(way(&kept, 3), [6, 7, 9]);
        assert_eq!(way(&kept, 1), [8]);
    }
}

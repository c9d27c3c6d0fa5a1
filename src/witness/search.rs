//! Witnesses without a run: a beam search backward, with a wider and wider beam.
//!
//! A pass keeps a bounded number of boards of each sum. The choice of boards decides whether a pass
//! finds a start. Key idea: keep the fullest boards. A full board has small tiles, and games begin
//! with small tiles; a few large tiles with much room around them are hard to take apart. This was
//! tried on the striped board of 4x4 and on 53 other boards of 2x4, 3x3 and 4x4, with sums up to
//! 3476. Keeping the fullest 300 boards of each sum found all but two, and keeping the fullest 2,000
//! found all. Keeping the emptiest boards did not find the striped board.

use std::collections::BTreeMap;
use std::iter;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::predecessors::{Predecessors, Trail};
use super::{Answer, is_start, refute};
use crate::error::Result;
use crate::game::{Board, Game, empty_cells};
use crate::progress::Progress;

/// Boards of each sum that the first pass keeps. Each further pass keeps `WIDER` times as many.
const FIRST: usize = 32;
const WIDER: usize = 8;

/// Candidates of a sum that are held for each board to be kept. At twice this number, the candidates
/// with the most empty cells are dropped.
const HELD: usize = 4;

/// Number of boards whose predecessors are listed at once, before they are sorted by sum.
const BATCH: usize = 256;

/// A search backward from a board.
pub struct Search<'a> {
    predecessors: Predecessors,
    pool: &'a ThreadPool,
    memory: u64,
}

impl<'a> Search<'a> {
    /// A search that keeps about `memory` bytes of boards.
    pub fn new(game: Game, pool: &'a ThreadPool, memory: u64) -> Self {
        Self {
            predecessors: Predecessors::new(&game),
            pool,
            memory,
        }
    }

    /// A game that ends in a board. The answer does not depend on the number of threads. `progress`
    /// receives the sum of each layer, and the number of boards that the search keeps.
    ///
    /// # Errors
    ///
    /// None, unless the program is wrong.
    pub fn witness(&self, board: Board, progress: &mut dyn Progress) -> Result<Answer> {
        if let Some(reason) = refute(&self.predecessors.game, board) {
            return Ok(Answer::Unreachable(reason));
        }
        if is_start(&self.predecessors.game, board) {
            return self.reached(board, Vec::new());
        }
        let game = &self.predecessors.game;
        let most = most_kept(game.sum(board), self.memory);
        let mut width = FIRST.min(most);
        loop {
            let answer = self.pool.install(|| self.pass(board, width, progress))?;
            if answer != Answer::Unknown || width == most {
                return Ok(answer);
            }
            width = width.saturating_mul(WIDER).min(most);
        }
    }

    /// The game along the canonical boards of a way, from the start to the last board but one.
    fn reached(&self, board: Board, mut way: Vec<Board>) -> Result<Answer> {
        let mut trail = Trail::new(&self.predecessors, board);
        while let Some(next) = way.pop() {
            let found = trail.step(|before| Ok(before == next))?;
            assert!(
                found,
                "the search came from {next:#x} to {:#x}",
                trail.board
            );
        }
        Ok(Answer::Reached(Box::new(trail.code()?)))
    }

    /// The reason why a board cannot be reached, after all `boards` boards on ways to it were
    /// searched.
    fn exhausted(&self, board: Board, boards: usize) -> String {
        match boards {
            0 if self.predecessors.game.is_won(board) => {
                "no move leads to it: a winning move does not leave the tiles like this".to_owned()
            }
            0 => {
                "no move leads to it: whichever 2 or 4 came last, a move does not leave the other \
                 tiles like this"
                    .to_owned()
            }
            _ => {
                let ending = if boards == 1 { "" } else { "s" };
                format!(
                    "every way back was followed, over {boards} board{ending}, and none begins with a \
                     start"
                )
            }
        }
    }

    /// Go back from a board, sum by sum, and keep at most `width` boards of each sum. The answer is
    /// unknown if no start was found and some boards were dropped.
    fn pass(&self, target: Board, width: usize, progress: &mut dyn Progress) -> Result<Answer> {
        let game = &self.predecessors.game;
        let mut kept: Vec<Node> = Vec::new();
        let mut frontier = SearchFrontier {
            layers: BTreeMap::new(),
            most: HELD * width,
            dropped: false,
        };
        frontier.add(game, self.before(target, Node::TARGET));
        while let Some((sum, mut layer)) = frontier.layers.pop_last() {
            frontier.dropped |= keep_fullest(&mut layer, width);
            progress.begin(sum);
            progress.advance(layer.len() as u64);
            let first = kept.len();
            kept.extend(layer);
            if let Some(start) = kept[first..]
                .iter()
                .position(|node| is_start(game, node.board))
            {
                return self.reached(target, way(&kept, first + start));
            }
            for at in (first..kept.len()).step_by(BATCH) {
                let batch = &kept[at..kept.len().min(at + BATCH)];
                let before: Vec<Vec<Node>> = batch
                    .par_iter()
                    .enumerate()
                    .map(|(place, node)| self.before(node.board, (at + place) as u32))
                    .collect();
                before
                    .into_iter()
                    .for_each(|nodes| frontier.add(game, nodes));
            }
        }
        Ok(if frontier.dropped {
            Answer::Unknown
        } else {
            Answer::Unreachable(self.exhausted(target, kept.len()))
        })
    }

    /// All boards one step before a board, each once.
    fn before(&self, board: Board, next: u32) -> Vec<Node> {
        let steps = self.predecessors.steps(board);
        let mut boards: Vec<Board> = steps.flat_map(|step| step.before).collect();
        self.predecessors.game.rules().canonicalise(&mut boards);
        boards.sort_unstable();
        boards.dedup();
        boards
            .into_iter()
            .map(|board| Node { board, next })
            .collect()
    }
}

/// Boards that were found and not yet looked at, by sum.
struct SearchFrontier {
    layers: BTreeMap<u32, Vec<Node>>,
    /// A layer that exceeds twice this number of boards is cut to this number of its fullest boards.
    most: usize,
    /// Whether any board was dropped.
    dropped: bool,
}

impl SearchFrontier {
    fn add(&mut self, game: &Game, nodes: Vec<Node>) {
        for node in nodes {
            let layer = self.layers.entry(game.sum(node.board)).or_default();
            layer.push(node);
            if layer.len() > 2 * self.most {
                self.dropped |= keep_fullest(layer, self.most);
            }
        }
    }
}

/// Keep the `most` fullest boards, each once. Returns whether any board was dropped.
fn keep_fullest(nodes: &mut Vec<Node>, most: usize) -> bool {
    // A hash decides between boards with equally many tiles, so that no cell is preferred.
    let mixed = |board: Board| (board ^ board >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    nodes.sort_unstable_by_key(|&Node { board, next }| {
        (empty_cells(board, 16), mixed(board), board, next)
    });
    nodes.dedup_by_key(|node| node.board);
    let dropped = nodes.len() > most;
    nodes.truncate(most);
    dropped
}

/// The boards from a start to the last but one.
fn way(kept: &[Node], start: usize) -> Vec<Board> {
    iter::successors(kept.get(start), |node| kept.get(node.next as usize))
        .map(|node| node.board)
        .collect()
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

/// The most boards of each sum that fit in `memory` bytes, on the way back from a board of `sum`; at
/// least one.
///
/// The list of kept boards can have twice the capacity that it needs, and the candidates of two
/// sums are held at once. Indices into the list must fit in 32 bits.
fn most_kept(sum: u32, memory: u64) -> usize {
    let layers = u64::from(sum) / 2;
    let nodes = memory / size_of::<Node>() as u64;
    let most = nodes / (2 * layers + 8 * HELD as u64 + 1);
    usize::try_from(most)
        .unwrap_or(usize::MAX)
        .clamp(1, u32::MAX as usize / layers as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine;
    use crate::game::{Grid, max_exp};
    use crate::graph::Graph;
    use crate::play::Code;
    use crate::progress::Silent;

    fn answer(game: &str, board: &str, memory: u64, threads: usize) -> Answer {
        let game: Game = game.parse().unwrap();
        let board = Grid::parse(board, game.size()).unwrap().board();
        let pool = engine::pool(threads).unwrap();
        let search = Search::new(game, &pool, memory);
        search.witness(board, &mut Silent).unwrap()
    }

    fn code(answer: Answer) -> Code {
        let Answer::Reached(code) = answer else {
            panic!("{answer:?}")
        };
        *code
    }

    #[test]
    fn the_number_of_threads_does_not_change_the_game() {
        let found = |threads| {
            code(answer(
                "3x3",
                "2 4 8 / 16 32 64 / 4 128 2",
                64 << 20,
                threads,
            ))
        };
        assert_eq!(found(1), found(3));
        assert_eq!(found(1).end().to_string(), "2 4 8 / 16 32 64 / 4 128 2");
    }

    #[test]
    fn starts_and_wins_are_reached() {
        assert_eq!(
            code(answer("2x2-8", ". 4 / 2 .", 1 << 20, 1)).moves().len(),
            0
        );
        let won = code(answer("2x2-8", ". 8 / . 4", 1 << 20, 1));
        assert_eq!(won.end().to_string(), ". 8 / . 4");
        assert!(won.to_string().contains(".W."));
        let alone = code(answer("2x2-8", "8 . / . .", 1 << 20, 1));
        assert_eq!(alone.end().to_string(), "8 . / . .");
    }

    #[test]
    fn unreachable_boards_are_reported_with_the_reason() {
        for (game, board, says) in [
            ("2x2", "8 8 / . .", "has neither"),
            // The 2 must have come last, but no move leaves the 16 in the middle.
            ("3x3", ". . . / 2 16 . / . . .", "no move leads to it"),
            ("2x2", "2 2 / 2 2", "no move leads to it"),
            (
                "2x2",
                ". . / 2 16",
                "over 2 boards, and none begins with a start",
            ),
            ("2x2-8", "8 8 / 8 .", "no move leads to it"),
        ] {
            let Answer::Unreachable(reason) = answer(game, board, 64 << 20, 1) else {
                panic!("{board} of {game}")
            };
            assert!(reason.contains(says), "{board}: {reason}");
        }
    }

    #[test]
    fn answers_for_all_boards_of_small_games_equal_the_graph() {
        for name in ["2x2", "2x2-32", "2x3-16", "3x2-8"] {
            let game: Game = name.parse().unwrap();
            let graph = Graph::new(&game, None, 1 << 20).unwrap();
            let mut reached: Vec<Board> = graph.states.iter().map(|state| state.board).collect();
            reached.sort_unstable();
            let pool = engine::pool(1).unwrap();
            let search = Search::new(game, &pool, 64 << 20);
            for board in 1..1u64 << (4 * game.size().cells()) {
                if game.canonical(board) != board || max_exp(board) > game.top() {
                    continue;
                }
                let expected = reached.binary_search(&board).is_ok();
                match search.witness(board, &mut Silent).unwrap() {
                    Answer::Reached(code) => {
                        assert!(expected, "{name} {board:#x}");
                        assert_eq!(code.end().board(), Some(board));
                    }
                    Answer::Unreachable(_) => assert!(!expected, "{name} {board:#x}"),
                    Answer::Unknown => panic!("{name} {board:#x}"),
                }
            }
        }
    }

    #[test]
    fn too_little_memory_is_no_proof() {
        let board = "4 8 16 32 / 16 32 16 32 / 32 16 32 16 / 16 32 16 32";
        assert_eq!(answer("4x4-64", board, 20_000, 1), Answer::Unknown);
    }

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

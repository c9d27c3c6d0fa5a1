//! Ways back without a run: the layered method, backward, with as many boards of each sum as memory allows.
//!
//! Which boards to keep decides whether a start is found. Key idea: keep the fullest ones. Going back,
//! the sum shrinks whatever is done, but a full board is one whose tiles are small, and small tiles are what a
//! game begins with; a few large ones with much room around them are hard to take apart. Tried on the
//! striped board of 4x4 and on 53 others of 2x4, 3x3 and 4x4 with sums up to 3476, keeping the fullest 300 of each
//! sum found all but two, and 2,000 all; keeping the emptiest found none of the striped board's.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::back::Back;
use super::refute::refute;
use super::{Answer, Trail, is_start, won};
use crate::error::Result;
use crate::game::board::sum;
use crate::game::{Board, Game};
use crate::play::Code;

/// Boards of each sum that are kept at first; each time nothing is found, eight times as many.
const FIRST: usize = 32;
const MORE: usize = 8;

/// Candidates of a sum that are held before the worst are dropped, for each one that is kept.
const HELD: usize = 4;

/// Boards that are stepped back from between two looks at how many candidates there are.
const BATCH: usize = 256;

/// Somebody who is told how many boards of each sum are kept at most, and which sum is looked at.
pub type Watch<'a> = &'a (dyn Fn(usize, u32) + Sync);

/// A search backward from a board.
pub struct Search<'a> {
    game: Game,
    back: Back,
    pool: &'a ThreadPool,
    memory: u64,
    watch: Watch<'a>,
}

/// A board that a way back leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Node {
    /// Canonical.
    board: Board,
    /// The board that follows it, by its place in the list of all that were kept.
    next: u32,
}

/// What became of a search.
enum Found {
    /// The canonical boards from the start to the last but one.
    Way(Vec<Board>),
    /// There is no way; so many boards were met.
    Nothing(usize),
    /// Boards had to be dropped.
    Dropped,
}

impl<'a> Search<'a> {
    /// A search that keeps about `memory` bytes of boards.
    #[must_use]
    pub fn new(game: Game, pool: &'a ThreadPool, memory: u64, watch: Watch<'a>) -> Self {
        Self {
            game,
            back: Back::new(&game),
            pool,
            memory,
            watch,
        }
    }

    /// A game that ends in a board. The answer does not depend on the number of threads.
    ///
    /// # Errors
    ///
    /// None but those of a program that is wrong.
    pub fn witness(&self, board: Board) -> Result<Answer> {
        if let Some(reason) = refute(&self.game, board) {
            return Ok(Answer::Unreachable(reason));
        }
        if is_start(board) {
            let code = Trail::new(self.game, &self.back, board).code()?;
            return Ok(Answer::Reached(Box::new(code)));
        }
        // A list may have room for twice what it holds; the candidates of two sums are held at once. Places in
        // the list of all that were kept fit 32 bits.
        let layers = u64::from(sum(board)) / 2;
        let size = size_of::<Node>() as u64;
        let most = self.memory / size / (2 * layers + 8 * HELD as u64 + 1);
        let most = usize::try_from(most)
            .unwrap_or(usize::MAX)
            .clamp(1, u32::MAX as usize / layers as usize);
        let mut width = FIRST.min(most);
        loop {
            match self.pool.install(|| self.ways(board, width)) {
                Found::Way(way) => return Ok(Answer::Reached(Box::new(self.follow(board, way)?))),
                Found::Nothing(0) => {
                    let reason = if won(&self.game, board) {
                        "no move leads to it: the tiles are not as a move that wins leaves them"
                    } else {
                        "no move leads to it: without a 2 or 4 that may have come last, the \
                         tiles are not as a move leaves them"
                    };
                    return Ok(Answer::Unreachable(reason.to_owned()));
                }
                Found::Nothing(boards) => {
                    return Ok(Answer::Unreachable(format!(
                        "every way back was followed, over {boards} board{}, and none begins with a start",
                        if boards == 1 { "" } else { "s" }
                    )));
                }
                Found::Dropped if width == most => return Ok(Answer::Unknown),
                Found::Dropped => width = width.saturating_mul(MORE).min(most),
            }
        }
    }

    /// The game along the canonical boards of a way.
    fn follow(&self, board: Board, mut way: Vec<Board>) -> Result<Code> {
        let mut trail = Trail::new(self.game, &self.back, board);
        while let Some(next) = way.pop() {
            let found = trail.step(|before| Ok(before == next))?;
            assert!(
                found,
                "the search came from {next:#x} to {:#x}",
                trail.board
            );
        }
        trail.code()
    }

    /// Go back sum by sum, with the `width` fullest boards of each.
    fn ways(&self, target: Board, width: usize) -> Found {
        let mut kept: Vec<Node> = Vec::new();
        let mut layers: BTreeMap<u32, Vec<Node>> = BTreeMap::new();
        let (mut dropped, limit) = (false, HELD * width);
        let add = |layers: &mut BTreeMap<u32, Vec<Node>>, nodes: Vec<Node>, dropped: &mut bool| {
            for node in nodes {
                let layer = layers.entry(sum(node.board)).or_default();
                layer.push(node);
                if layer.len() > 2 * limit {
                    *dropped |= fullest(layer, limit);
                }
            }
        };
        let won = won(&self.game, target);
        add(
            &mut layers,
            self.before(target, won, u32::MAX),
            &mut dropped,
        );
        while let Some((sum, mut layer)) = layers.pop_last() {
            (self.watch)(width, sum);
            dropped |= fullest(&mut layer, width);
            let first = kept.len();
            kept.extend(layer);
            if let Some(start) = kept[first..].iter().position(|node| is_start(node.board)) {
                return Found::Way(way(&kept, first + start));
            }
            for at in (first..kept.len()).step_by(BATCH) {
                let batch = &kept[at..kept.len().min(at + BATCH)];
                let before: Vec<Vec<Node>> = batch
                    .par_iter()
                    .enumerate()
                    .map(|(place, node)| self.before(node.board, false, (at + place) as u32))
                    .collect();
                for nodes in before {
                    add(&mut layers, nodes, &mut dropped);
                }
            }
        }
        if dropped {
            Found::Dropped
        } else {
            Found::Nothing(kept.len())
        }
    }

    /// All boards a step before one.
    fn before(&self, board: Board, won: bool, next: u32) -> Vec<Node> {
        let mut boards: Vec<Board> = self
            .back
            .steps(board, won)
            .flat_map(|step| step.before)
            .collect();
        self.game.rules().canonicalise(&mut boards);
        boards.sort_unstable();
        boards.dedup();
        boards
            .into_iter()
            .map(|board| Node { board, next })
            .collect()
    }
}

/// Keep the `most` fullest boards, each once; true if others were dropped.
fn fullest(nodes: &mut Vec<Node>, most: usize) -> bool {
    // Alike boards in an order that has nothing to do with where their tiles are.
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
    use crate::engine;
    use crate::game::Grid;
    use crate::graph::Graph;

    fn answer(game: &str, board: &str, memory: u64, threads: usize) -> Answer {
        let game: Game = game.parse().unwrap();
        let board = Grid::parse(board, game.size()).unwrap().board();
        let pool = engine::pool(threads).unwrap();
        let search = Search::new(game, &pool, memory, &|_, _| {});
        search.witness(board).unwrap()
    }

    fn code(answer: Answer) -> Code {
        let Answer::Reached(code) = answer else {
            panic!("{answer:?}")
        };
        *code
    }

    #[test]
    fn the_striped_board_is_reached() {
        // Lees-Miller, 2017: the last layer of 4x4 to 64 has four states, this one of them.
        let board = "4 8 16 32 / 16 32 16 32 / 32 16 32 16 / 16 32 16 32";
        for game in ["4x4-64", "4x4"] {
            let code = code(answer(game, board, 64 << 20, 2));
            assert_eq!(code.end().to_string(), board);
            assert_eq!(code.to_string().parse::<Code>().unwrap(), code);
        }
    }

    #[test]
    fn a_game_is_found_whatever_the_number_of_threads() {
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
    fn what_cannot_be_reached_is_said_to_be_so_with_the_reason() {
        for (game, board, says) in [
            ("2x2", "8 8 / . .", "has neither"),
            // Without its one tile that may have come last, no edge is where all others lie.
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
    fn every_board_of_small_games_is_answered_as_the_graph_has_it() {
        for name in ["2x2", "2x2-32", "2x3-16", "3x2-8"] {
            let game: Game = name.parse().unwrap();
            let graph = Graph::new(&game, None, 1 << 20).unwrap();
            let mut reached: Vec<Board> = graph.states().iter().map(|state| state.board).collect();
            reached.sort_unstable();
            let pool = engine::pool(1).unwrap();
            let search = Search::new(game, &pool, 64 << 20, &|_, _| {});
            for board in 1..1u64 << (4 * game.size().cells()) {
                let top = u64::from(game.top_exponent());
                let mut canonical = [board];
                game.rules().canonicalise(&mut canonical);
                if canonical != [board] || (0..8).any(|place| board >> (4 * place) & 15 > top) {
                    continue;
                }
                let expected = reached.binary_search(&board).is_ok();
                match search.witness(board).unwrap() {
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
}

//! Witnesses without a run: a beam search backward, with a wider and wider beam.

use rayon::ThreadPool;

use super::beam::{Beam, SearchOutcome, most_kept};
use super::predecessors::Predecessors;
use super::refute::refute;
use super::trail::Trail;
use super::{Answer, is_start, is_won};
use crate::error::Result;
use crate::game::{Board, Game};
use crate::progress::Progress;

/// Boards of each sum that the first pass keeps. Each further pass keeps `WIDER` times as many.
const FIRST: usize = 32;
const WIDER: usize = 8;

/// A search backward from a board.
pub struct Search<'a> {
    game: Game,
    predecessors: Predecessors,
    pool: &'a ThreadPool,
    memory: u64,
}

impl<'a> Search<'a> {
    /// A search that keeps about `memory` bytes of boards.
    #[must_use]
    pub fn new(game: Game, pool: &'a ThreadPool, memory: u64) -> Self {
        Self {
            game,
            predecessors: Predecessors::new(&game),
            pool,
            memory,
        }
    }

    /// A game that ends in a board. The answer does not depend on the number of threads. `progress`
    /// hears of each sum that the search comes to, and of the boards that are kept.
    ///
    /// # Errors
    ///
    /// None, unless the program is wrong.
    pub fn witness(&self, board: Board, progress: &mut dyn Progress) -> Result<Answer> {
        if let Some(reason) = refute(&self.game, board) {
            return Ok(Answer::Unreachable(reason));
        }
        if is_start(board) {
            return self.reached(board, Vec::new());
        }
        let most = most_kept(board, self.memory);
        let mut width = FIRST.min(most);
        loop {
            let beam = Beam {
                game: self.game,
                predecessors: &self.predecessors,
                width,
            };
            match self.pool.install(|| beam.search(board, progress)) {
                SearchOutcome::Found(way) => return self.reached(board, way),
                SearchOutcome::Exhausted(boards) => {
                    return Ok(Answer::Unreachable(self.exhausted(board, boards)));
                }
                SearchOutcome::Dropped if width == most => return Ok(Answer::Unknown),
                SearchOutcome::Dropped => width = width.saturating_mul(WIDER).min(most),
            }
        }
    }

    /// The game along the canonical boards of a way, from the start to the last board but one.
    fn reached(&self, board: Board, mut way: Vec<Board>) -> Result<Answer> {
        let mut trail = Trail::new(self.game, &self.predecessors, board);
        while let Some(next) = way.pop() {
            let found = trail.step(|before| Ok(before == next))?;
            assert!(
                found,
                "the search came from {next:#x} to {:#x}",
                trail.board()
            );
        }
        Ok(Answer::Reached(Box::new(trail.code()?)))
    }

    /// The reason why a board cannot be reached, after all `boards` boards on ways to it were
    /// searched.
    fn exhausted(&self, board: Board, boards: usize) -> String {
        match boards {
            0 if is_won(&self.game, board) => {
                "no move leads to it: a winning move does not leave the tiles like this".to_owned()
            }
            0 => {
                "no move leads to it: whichever 2 or 4 came last, a move does not leave the other \
                  tiles like this"
                    .to_owned()
            }
            1 => {
                "every way back was followed, over 1 board, and none begins with a start".to_owned()
            }
            _ => format!(
                "every way back was followed, over {boards} boards, and none begins with a start"
            ),
        }
    }
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
    fn the_striped_board_is_reached() {
        // Lees-Miller, 2017: the last layer of 4x4 to 64 has four states, including this one.
        let board = "4 8 16 32 / 16 32 16 32 / 32 16 32 16 / 16 32 16 32";
        for game in ["4x4-64", "4x4"] {
            let code = code(answer(game, board, 64 << 20, 2));
            assert_eq!(code.end().to_string(), board);
            assert_eq!(code.to_string().parse::<Code>().unwrap(), code);
        }
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
            // Without the 2, which must have come last, no move left the 16 in the middle.
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
            let mut reached: Vec<Board> = graph.states().iter().map(|state| state.board).collect();
            reached.sort_unstable();
            let pool = engine::pool(1).unwrap();
            let search = Search::new(game, &pool, 64 << 20);
            for board in 1..1u64 << (4 * game.size().cells()) {
                if game.canonical(board).0 != board || max_exp(board) > game.top() {
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
}

//! Moves of whole boards, line by line, from a table of all lines.
//!
//! The engine moves whole boards by arithmetic (`game/slide.rs`). This shares no code with it, so a
//! fault in either shows as a difference. `game/line.rs` has the rule for a line.

use std::ops::AddAssign;

use crate::game::line::{self, Line};
use crate::game::{Board, Direction, Exp, Game};

/// Flag in a table entry: this move makes the winning tile.
const WINS: u32 = 1 << 16;

/// The moves of one game.
pub(super) struct LineMoves {
    /// The lines of each direction.
    directions: [Vec<Line>; 4],
    /// For each length of a line, up to 4, every packed line after it was moved, perhaps with
    /// [`WINS`].
    moved: [Vec<u32>; 5],
}

/// How many legal moves a board has, and how many of them win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Legal {
    pub(super) moves: u64,
    pub(super) wins: u64,
}

impl AddAssign for Legal {
    fn add_assign(&mut self, other: Self) {
        self.moves += other.moves;
        self.wins += other.wins;
    }
}

impl LineMoves {
    pub(super) fn new(game: &Game) -> Self {
        let size = game.size();
        let lengths = [size.rows(), size.cols()].map(usize::from);
        let table = |length| {
            let lines = 0..1u32 << (4 * length);
            let lines = lines.filter(|_| lengths.contains(&length));
            lines
                .map(|line| move_line(line as u16, length, game.win()))
                .collect()
        };
        Self {
            directions: Direction::ALL.map(|direction| line::lines(size, direction).collect()),
            moved: [0, 1, 2, 3, 4].map(table),
        }
    }

    /// Append the boards after all legal moves that do not win.
    pub(super) fn moves(&self, board: Board, out: &mut Vec<Board>) -> Legal {
        let mut legal = Legal::default();
        for lines in &self.directions {
            let (mut after, mut wins) = (0, false);
            for line in lines {
                let moved = self.moved[line.len()][usize::from(line.of_board(board))];
                after |= line.to_board(moved as u16);
                wins |= moved & WINS != 0;
            }
            if wins {
                legal.wins += 1;
            } else if after != board {
                out.push(after);
            } else {
                continue;
            }
            legal.moves += 1;
        }
        legal
    }
}

/// The table entry of a packed line.
fn move_line(packed: u16, length: usize, win: Exp) -> u32 {
    let mut tiles = line::unpack(packed, length);
    let holds_win = |tiles: &[u8]| tiles.contains(&win.get());
    let held = holds_win(&tiles);
    line::slide(&mut tiles);
    // Only two tiles of 32768 make one that cannot be packed. No counted board holds them, unless
    // 65536 is the winning tile, and then the board after the move is not used.
    let moved = line::pack(&tiles).unwrap_or_default().into();
    if holds_win(&tiles) && !held {
        moved | WINS
    } else {
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;

    #[test]
    fn lines_move_as_the_rules_say() {
        // From the rules: 4 4 . 8 gives 8 8 . .; 2 2 2 . gives 4 2 . . toward the front; 2 2 2 2
        // gives 4 4 . .
        for (line, moved) in [
            (0x2203, 0x3300),
            (0x1110, 0x2100),
            (0x1111, 0x2200),
            (0x0001, 0x1000),
        ] {
            assert_eq!(move_line(line, 4, Exp::LAST), moved);
        }
        let win = Exp::of_tile(32).unwrap();
        assert_eq!(move_line(0x440, 3, win), 0x500 | WINS);
    }

    #[test]
    fn the_engine_s_moves_are_the_same() {
        let mut boards = 0x9E37_79B9_7F4A_7C15u64;
        for name in [
            "2x2", "2x3-16", "4x2", "3x3-64", "3x4", "4x4-32", "4x4-2048",
        ] {
            let game: Game = name.parse().unwrap();
            let (line_moves, rules) = (LineMoves::new(&game), game.rules());
            let cells = game.size().cells();
            for _ in 0..5_000 {
                // Few different tiles, so that many merge, and some empty cells.
                boards = boards.wrapping_mul(0xD129_0B26_88CC_F0F5).wrapping_add(11);
                let (mut board, top) = (0, u64::from(game.top().get()));
                for cell in 0..cells {
                    let digit = (boards.rotate_left(5 * cell) >> 40) % (top.min(4) + 1);
                    let digit = if digit == 0 { 0 } else { top - digit + 1 };
                    board = board << 4 | digit;
                }
                let mut out = Vec::new();
                let legal = line_moves.moves(board, &mut out);
                let mut slid: [Vec<u64>; 4] = std::array::from_fn(|_| vec![0]);
                let found = slide(rules, board, game.win(), &mut slid);
                assert_eq!((legal.moves, legal.wins), found, "{name} {board:#x}");
                let mut others: Vec<u64> = slid.concat().into_iter().filter(|&b| b > 0).collect();
                others.sort_unstable();
                out.sort_unstable();
                assert_eq!(out, others, "{name} {board:#x}");
            }
        }
    }

    fn slide(rules: &dyn Rules, board: u64, win: Exp, out: &mut [Vec<u64>; 4]) -> (u64, u64) {
        let moves = rules.slide(&[board], win, out.each_mut().map(Vec::as_mut_slice));
        (moves.legal, moves.wins)
    }
}

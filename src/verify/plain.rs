//! Moves as a person makes them: line by line, out of a table of lines.
//!
//! The engine moves whole boards by arithmetic (`game/slide.rs`). This shares nothing with it, so that
//! a fault in one shows against the other.

use crate::game::{Board, Game};

/// Bit of a table's entry: the line holds the winning tile after the move, and did not before.
const WINS: u32 = 1 << 16;

/// The moves of one game.
pub(super) struct Plain {
    /// For each direction, its lines: the shifts of their cells, from the edge moved toward.
    lines: [Vec<Vec<u32>>; 4],
    /// For each line length up to 4, each line moved to its front (the most significant digit).
    moved: [Vec<u32>; 5],
}

/// How many moves a board has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Legal {
    pub(super) moves: u64,
    pub(super) wins: u64,
}

impl Plain {
    pub(super) fn new(game: &Game) -> Self {
        let (rows, cols) = (game.size().rows().into(), game.size().cols().into());
        let shift = |row: u32, col: u32| 4 * (rows * cols - 1 - (row * cols + col));
        let along = |row: u32| (0..cols).map(|col| shift(row, col)).collect::<Vec<_>>();
        let down = |col: u32| (0..rows).map(|row| shift(row, col)).collect::<Vec<_>>();
        let (left, up): (Vec<_>, Vec<_>) = (
            (0..rows).map(along).collect(),
            (0..cols).map(down).collect(),
        );
        let reversed = |lines: &[Vec<u32>]| {
            let reverse = |line: &Vec<u32>| line.iter().rev().copied().collect();
            lines.iter().map(reverse).collect()
        };
        let (right, low) = (reversed(&left), reversed(&up));
        let table = |length: u32| {
            let lines = 0..1u32 << (4 * length);
            let wanted = length == rows || length == cols;
            let lines = lines.filter(|_| wanted);
            lines
                .map(|line| move_line(line, length, game.win_exponent()))
                .collect()
        };
        Self {
            lines: [left, up, right, low],
            moved: [0, 1, 2, 3, 4].map(table),
        }
    }

    /// Append the boards after all legal moves that do not win.
    pub(super) fn moves(&self, board: Board, out: &mut Vec<Board>) -> Legal {
        let mut legal = Legal::default();
        for lines in &self.lines {
            let (mut after, mut wins) = (0, false);
            for cells in lines {
                let digit = |cell: &u32| (board >> cell) as usize & 15;
                let line = cells.iter().fold(0, |line, cell| line << 4 | digit(cell));
                let moved = self.moved[cells.len()][line];
                wins |= moved & WINS != 0;
                for (place, cell) in cells.iter().rev().enumerate() {
                    after |= u64::from(moved >> (4 * place) & 15) << cell;
                }
            }
            if after != board || wins {
                legal.moves += 1;
                if wins {
                    legal.wins += 1;
                } else {
                    out.push(after);
                }
            }
        }
        legal
    }
}

/// Move one line to its front.
fn move_line(line: u32, length: u32, win: u8) -> u32 {
    let digits = (0..length).rev().map(|place| line >> (4 * place) & 15);
    let mut tiles: Vec<u32> = digits.filter(|&tile| tile > 0).collect();
    let mut wins = 0;
    let mut at = 0;
    while at + 1 < tiles.len() {
        if tiles[at] == tiles[at + 1] {
            tiles.remove(at + 1);
            tiles[at] += 1;
            if tiles[at] == u32::from(win) {
                wins = WINS;
            }
            // Only two tiles of 2^15 make one that has no digit; no board that is counted holds them.
            tiles[at] &= 15;
        }
        at += 1;
    }
    tiles.resize(length as usize, 0);
    tiles.into_iter().fold(0, |line, tile| line << 4 | tile) | wins
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;

    #[test]
    fn lines_move_as_the_rules_say() {
        // From the rules: 4 4 . 8 gives 8 8 . .; 2 2 2 . gives 4 2 . . toward the front; 2 2 2 2, 4 4 . .
        for (line, moved) in [
            (0x2203, 0x3300),
            (0x1110, 0x2100),
            (0x1111, 0x2200),
            (0x0001, 0x1000),
        ] {
            assert_eq!(move_line(line, 4, 16), moved);
        }
        assert_eq!(move_line(0x440, 3, 5), 0x500 | WINS);
    }

    #[test]
    fn the_engine_s_moves_are_the_same() {
        let mut boards = 0x9E37_79B9_7F4A_7C15u64;
        for name in [
            "2x2", "2x3-16", "4x2", "3x3-64", "3x4", "4x4-32", "4x4-2048",
        ] {
            let game: Game = name.parse().unwrap();
            let (plain, rules) = (Plain::new(&game), game.rules());
            let cells = game.size().cells();
            for _ in 0..5_000 {
                // Few different tiles, so that many merge, and some empty cells.
                boards = boards.wrapping_mul(0xD129_0B26_88CC_F0F5).wrapping_add(11);
                let (mut board, top) = (0, u64::from(game.top_exponent()));
                for cell in 0..cells {
                    let digit = (boards.rotate_left(5 * cell) >> 40) % (top.min(4) + 1);
                    let digit = if digit == 0 { 0 } else { top - digit + 1 };
                    board = board << 4 | digit;
                }
                let mut out = Vec::new();
                let legal = plain.moves(board, &mut out);
                let mut slid: [Vec<u64>; 4] = std::array::from_fn(|_| vec![0]);
                let found = slide(rules, board, game.win_exponent(), &mut slid);
                assert_eq!((legal.moves, legal.wins), found, "{name} {board:#x}");
                let mut others: Vec<u64> = slid.concat().into_iter().filter(|&b| b > 0).collect();
                others.sort_unstable();
                out.sort_unstable();
                assert_eq!(out, others, "{name} {board:#x}");
            }
        }
    }

    fn slide(rules: &dyn Rules, board: u64, win: u8, out: &mut [Vec<u64>; 4]) -> (u64, u64) {
        let moves = rules.slide(&[board], win, out.each_mut().map(Vec::as_mut_slice));
        (moves.legal, moves.wins)
    }
}

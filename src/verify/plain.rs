//! Moves as a person makes them: line by line, out of a table of lines.
//!
//! The engine moves whole boards by arithmetic (`game/slide.rs`). This shares nothing with it, so that
//! a fault in one shows against the other; the lines are moved by `game/line.rs`.

use crate::game::{Board, Direction, Game, line};

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
        let size = game.size();
        let (rows, cols) = (u32::from(size.rows()), u32::from(size.cols()));
        let shift = |cell: usize| 4 * (size.cells() - 1 - cell as u32);
        let lines = Direction::ALL.map(|direction| {
            let (lines, length) = line::lines(size, direction);
            let cells = |at| (0..length).map(move |step| line::cell(size, direction, at, step));
            (0..lines)
                .map(|at| cells(at).map(shift).collect())
                .collect()
        });
        let table = |length: u32| {
            let lines = 0..1u32 << (4 * length);
            let wanted = length == rows || length == cols;
            let lines = lines.filter(|_| wanted);
            lines
                .map(|line| move_line(line, length, game.win_exponent()))
                .collect()
        };
        Self {
            lines,
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
    let digits = (0..length)
        .rev()
        .map(|place| (line >> (4 * place) & 15) as u8);
    let mut tiles: Vec<u8> = digits.collect();
    let held = tiles.contains(&win);
    line::slide(&mut tiles);
    let wins = if tiles.contains(&win) && !held {
        WINS
    } else {
        0
    };
    // Only two tiles of 2^15 make one that has no digit; no board that is counted holds them.
    let digits = tiles.iter().map(|tile| u32::from(tile & 15));
    digits.fold(0, |line, tile| line << 4 | tile) | wins
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

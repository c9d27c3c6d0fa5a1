//! Spawn into afterstates and move the candidates.
//!
//! Key idea: a spawned tile changes one row and one column. So the afterstate is moved once, and
//! each candidate needs only one look-up of a moved line for each direction. This is several times
//! less work than moving each candidate.

use std::array;

use super::board::{Board, ONES, Shape, Size, empty_cells, for_size, holds, occupied};
use super::exp::Exp;
use super::rules::{Rules, for_rules};
use super::variant::Game;
use crate::wide::wide;

/// A packed line after a move toward its first cell, and after a move toward its last cell.
type BothMoves = [u16; 2];

/// The moved lines of a game's boards, in two tables of at most 256 KiB.
pub(crate) struct LineTables {
    size: Size,
    /// The winning tile.
    win: Exp,
    /// Indexed by the packed row; `columns` is indexed by the packed column.
    rows: Vec<BothMoves>,
    columns: Vec<BothMoves>,
}

/// Candidates, and the boards after their moves.
#[derive(Default)]
pub(crate) struct SpawnedMoves {
    /// The candidates of the first afterstate, from its last cell on, then of the next afterstate.
    pub(crate) candidates: Vec<Board>,
    /// Whether each candidate has a legal move.
    pub(crate) live: Vec<bool>,
    /// Boards after the moves, not canonical. `movers` holds the index of each board's candidate.
    /// Only the first `reached` entries of the two lists are valid.
    pub(crate) boards: Vec<Board>,
    pub(crate) movers: Vec<u32>,
    pub(crate) reached: usize,
    /// Winning moves: the index of the candidate, and the board with the winning tile.
    pub(crate) won: Vec<(u32, Board)>,
}

impl LineTables {
    /// Build the tables of a game.
    pub(crate) fn new(game: &Game) -> Self {
        let (size, win) = (game.size(), game.win());
        Self {
            size,
            win,
            rows: table(size.cols(), size.stones() > 0),
            columns: table(size.rows(), size.stones() > 0),
        }
    }

    /// Spawn into `afterstates` and move the candidates: `moves[0]` for a spawned 2, `moves[1]` for
    /// a spawned 4.
    pub(crate) fn moves(&self, afterstates: &[Board], moves: &mut [SpawnedMoves; 2]) {
        for_rules!(
            Rules(self.size),
            moves_in::<R, C, STONES>(self, afterstates, moves)
        );
    }
}

wide! {
    fn moves_in<const R: usize, const C: usize, const STONES: bool>(
        lines: &LineTables,
        afterstates: &[Board],
        moves: &mut [SpawnedMoves; 2],
    ) {
        // The exact lengths let the compiler drop the bounds checks.
        let rows = &lines.rows[..1 << (4 * C)];
        let columns = &lines.columns[..1 << (4 * R)];
        let cells = Shape::<R, C>::CELLS as u32;
        let candidates = afterstates.iter().map(|&board| empty_cells(board, cells)).sum::<u32>();
        moves.iter_mut().for_each(|moves| moves.make_room(candidates as usize));
        let mut number = 0;
        for &afterstate in afterstates {
            let moved = MovedBoard::<R, C>::new(afterstate, rows, columns);
            let mut empty = !occupied(afterstate) & ONES & Shape::<R, C>::BOARD;
            while empty != 0 {
                let shift = empty.trailing_zeros();
                empty &= empty - 1;
                for (tile, moves) in (1..).zip(moves.iter_mut()) {
                    let candidate = afterstate | tile << shift;
                    let boards = moved.with(shift as usize / 4, tile, rows, columns);
                    moves.take::<STONES>(number, candidate, boards, lines);
                }
                number += 1;
            }
        }
    }
}

impl SpawnedMoves {
    /// Clear all lists, and make room for `candidates` candidates and their moves.
    fn make_room(&mut self, candidates: usize) {
        self.candidates.resize(candidates, 0);
        self.live.resize(candidates, false);
        self.reached = 0;
        self.won.clear();
        if self.boards.len() < 4 * candidates {
            self.boards.resize(4 * candidates, 0);
            self.movers.resize(4 * candidates, 0);
        }
    }

    /// Record a candidate and the boards after its four moves.
    #[inline(always)]
    fn take<const STONES: bool>(
        &mut self,
        number: usize,
        candidate: Board,
        boards: [Board; 4],
        lines: &LineTables,
    ) {
        let locks = lines.size.locks();
        let mover = number as u32;
        let room = self.reached..self.reached + 4;
        self.movers[room.clone()].copy_from_slice(&[mover; 4]);
        let to = &mut self.boards[room];
        let (mut reached, mut wins) = (0, false);
        for board in boards {
            to[reached & 3] = board;
            let kept = !STONES || locks.keeps(board);
            let is_won = match STONES {
                true => kept && holds(board & locks.targets, lines.win),
                false => holds(board, lines.win),
            };
            if is_won {
                self.won.push((mover, board));
                wins = true;
            } else {
                reached += usize::from(kept & (board != candidate));
            }
        }
        self.candidates[number] = candidate;
        self.live[number] = reached > 0 || wins;
        self.reached += reached;
    }
}

/// A board before and after a move in each direction.
struct MovedBoard<const R: usize, const C: usize> {
    /// Packed rows and columns, the last row and the last column first. An index of two bits needs
    /// no bounds check in an array of four.
    rows: [u64; 4],
    columns: [u64; 4],
    /// Moved to the left and to the right.
    across: [Board; 2],
    /// Moved up and down.
    along: [Board; 2],
}

impl<const R: usize, const C: usize> MovedBoard<R, C> {
    /// Digits of a row.
    const ROW: u64 = (1 << (4 * C)) - 1;

    #[inline(always)]
    fn new(board: Board, moved_rows: &[BothMoves], moved_columns: &[BothMoves]) -> Self {
        let (mut rows, mut columns) = ([0; 4], [0; 4]);
        let (mut across, mut along) = ([0; 2], [0; 2]);
        for (row, digits) in rows[..R].iter_mut().enumerate() {
            *digits = board >> (4 * C * row) & Self::ROW;
            let moved = moved_rows[*digits as usize];
            for (whole, line) in across.iter_mut().zip(moved) {
                *whole |= u64::from(line) << (4 * C * row);
            }
        }
        for (column, digits) in columns[..C].iter_mut().enumerate() {
            *digits = Self::column(board >> (4 * column));
            let moved = moved_columns[*digits as usize];
            for (whole, line) in along.iter_mut().zip(moved) {
                *whole |= Self::spread(line) << (4 * column);
            }
        }
        Self {
            rows,
            columns,
            across,
            along,
        }
    }

    /// The boards after each move if a tile is added in an empty cell, counted from the last cell.
    #[inline(always)]
    fn with(
        &self,
        cell: usize,
        tile: u64,
        rows: &[BothMoves],
        columns: &[BothMoves],
    ) -> [Board; 4] {
        let (row, column) = ((cell / C) & 3, cell % C);
        let line = self.rows[row] | tile << (4 * column);
        let [left, right] = rows[line as usize & ((1 << (4 * C)) - 1)];
        let line = self.columns[column] | tile << (4 * row);
        let [up, down] = columns[line as usize & ((1 << (4 * R)) - 1)];
        let at = 4 * C * row;
        let others = !(Self::ROW << at);
        let across = |whole: Board, line: u16| whole & others | u64::from(line) << at;
        let at = 4 * column;
        let others = !(Self::spread(u16::MAX) << at);
        let along = |whole: Board, line: u16| whole & others | Self::spread(line) << at;
        [
            along(self.along[0], up),
            across(self.across[1], right),
            along(self.along[1], down),
            across(self.across[0], left),
        ]
    }

    /// The last column of a board, packed.
    #[inline(always)]
    fn column(board: Board) -> u64 {
        (0..R).fold(0, |packed, row| {
            packed | (board >> (4 * C * row) & 15) << (4 * row)
        })
    }

    /// The board with this packed line as its last column.
    #[inline(always)]
    fn spread(line: u16) -> Board {
        (0..R).fold(0, |board, row| {
            board | (u64::from(line) & (15 << (4 * row))) << (4 * (C - 1) * row)
        })
    }
}

/// All lines of `length` cells, moved toward their first cell and toward their last cell. Each is
/// moved as the last row of an otherwise empty board.
fn table(length: u8, has_stones: bool) -> Vec<BothMoves> {
    let size = Size::new(2, length).and_then(|size| size.with_stones(has_stones.into()));
    let size = size.expect("a line has the length of a side, and room for a stone");
    let lines: Vec<Board> = (0..1 << (4 * length)).collect();
    let mut moved: [Vec<Board>; 4] = array::from_fn(|_| vec![0; lines.len()]);
    Rules(size).slide(&lines, Exp::LAST, moved.each_mut().map(Vec::as_mut_slice));
    let [_, right, _, left] = moved;
    // An illegal move gives 0.
    let after = |line, moved| (if moved == 0 { line } else { moved }) as u16;
    lines
        .into_iter()
        .zip(left.into_iter().zip(right))
        .map(|(line, moved)| [after(line, moved.0), after(line, moved.1)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::board::STONE;
    use super::super::slide::Moved::{Illegal, To};
    use super::*;

    #[test]
    fn moves_of_candidates_agree_with_the_rules() {
        let mut random = fastrand::Rng::with_seed(48);
        for name in [
            "2x2",
            "2x3-16",
            "2x4",
            "3x2",
            "3x3-64",
            "3x4",
            "4x2-32",
            "4x3",
            "4x4-32",
            "4x4-2048",
            "2x3free4-16",
            "3x3free5",
            "free8-64",
            "3x3free5lockfff-16",
            "L3-64",
            "442-64",
            "3x3free5lockfffatfff000-16",
        ] {
            let game: Game = name.parse().unwrap();
            let (tables, rules) = (LineTables::new(&game), game.rules());
            let cells = game.size().cells();
            let mut board = || {
                // Few different tiles, so that many merge, and at least one empty cell.
                let stone = game.size().stone();
                let tile = |random: &mut fastrand::Rng| match random.u8(..4) {
                    0 => 0,
                    3 if stone.is_some() => STONE,
                    below => game.top().get() - below + 1,
                };
                let full = (0..cells).fold(0, |board, _| board << 4 | u64::from(tile(&mut random)));
                let mask = game.size().locks().masks().first().copied();
                let kept = full | mask.filter(|_| random.bool()).unwrap_or(0);
                kept & !(15 << (4 * random.u32(..cells)))
            };
            let mut afterstates: Vec<Board> = (0..2000).map(|_| board()).collect();
            afterstates.retain(|&board| !game.is_won(board));
            let mut both = <[SpawnedMoves; 2]>::default();
            tables.moves(&afterstates, &mut both);
            for (tile, moves) in [Exp::TWO, Exp::FOUR].into_iter().zip(&both) {
                let mut candidates = Vec::new();
                rules.spawn(&afterstates, tile, &mut candidates);
                assert_eq!(moves.candidates, candidates);
                let (mut reached, mut won) = (Vec::new(), Vec::new());
                for (&candidate, mover) in candidates.iter().zip(0..) {
                    let moved = rules.moves(candidate, Exp::LAST);
                    for after in moved {
                        match after {
                            To(board) if game.is_won(board) => {
                                won.push((mover, board));
                            }
                            To(board) => reached.push((mover, board)),
                            _ => {}
                        }
                    }
                    let live = moved != [Illegal; 4];
                    assert_eq!(moves.live[mover as usize], live, "{name} {candidate:#x}");
                }
                let movers = moves
                    .movers
                    .iter()
                    .copied()
                    .zip(moves.boards.iter().copied());
                assert_eq!(movers.take(moves.reached).collect::<Vec<_>>(), reached);
                assert_eq!(moves.won, won);
            }
        }
    }
}

//! Spawn into afterstates and move the candidates.
//!
//! Key idea: a spawned tile changes one row and one column. So the afterstate is moved once, and
//! each candidate needs only one look-up of a moved line for each direction. This is several times
//! less work than moving each candidate.
//!
//! Moves up and down are moves along the rows of the transposed board. A move that takes a stone from a
//! mask in another row than the spawned tile's is not made at all.

use std::array;

use super::board::{Board, ONES, Shape, Size, empty_cells, for_size, holds_digit, occupied};
use super::exp::Exp;
use super::locks::MASKS;
use super::rules::Rules;
use super::symmetry::transpose;
use super::variant::Game;
use crate::wide::wide;

/// A packed line after a move toward its first cell, and after a move toward its last cell.
type BothMoves = [u16; 2];

/// The moved lines of a game's boards, in two tables of at most 256 KiB.
pub(crate) struct LineTables {
    size: Size,
    /// The winning tile in every digit.
    win: u64,
    /// For moves along rows, and along columns.
    axes: [Axis; 2],
}

/// The moves along rows, or along columns. For columns, boards are transposed.
struct Axis {
    /// Indexed by the packed line.
    moved: Vec<BothMoves>,
    masks: [Board; MASKS],
    /// The digit f in each cell where the winning tile wins.
    targets: Board,
}

/// Candidates, and the boards after their moves.
#[derive(Default)]
pub(crate) struct SpawnedMoves {
    /// Number of candidates. The candidates of an afterstate follow each other, from its last cell on.
    pub(crate) candidates: usize,
    /// The moves along rows, and along columns.
    pub(crate) reached: [ReachedBoards; 2],
    /// Winning moves: the number of the candidate, and the board with the winning tile.
    pub(crate) won: Vec<(u32, Board)>,
    /// Candidates without a legal move, with their numbers.
    pub(crate) dead: Vec<(u32, Board)>,
}

/// Boards after moves that do not win, not canonical, and the number of each board's candidate.
#[derive(Default)]
pub(crate) struct ReachedBoards {
    boards: Vec<Board>,
    movers: Vec<u32>,
    /// Only so many entries of the two lists are valid.
    count: usize,
}

impl LineTables {
    /// Build the tables of a game.
    pub(crate) fn new(game: &Game) -> Self {
        let (size, win) = (game.size(), game.win());
        // Without a winning tile there are no target cells, so any digit will do.
        let (win, targets) = match win {
            Exp::LAST => (ONES, 0),
            _ => (u64::from(win.get()) * ONES, size.locks().targets),
        };
        let axis = |length, turned: fn(Size, Board) -> Board| Axis {
            moved: table(length, size.stones() > 0),
            masks: size.locks().masks.map(|mask| turned(size, mask)),
            targets: turned(size, targets),
        };
        let rows = axis(size.cols(), |_, board| board);
        let columns = axis(size.rows(), |size, board| {
            for_size!(size, transpose::<R, C>(board))
        });
        let axes = [rows, columns];
        Self { size, win, axes }
    }

    /// Spawn into `afterstates` and move the candidates: `moves[0]` for a spawned 2, `moves[1]` for
    /// a spawned 4.
    pub(crate) fn moves(&self, afterstates: &[Board], moves: &mut [SpawnedMoves; 2]) {
        let size = self.size;
        let candidates = afterstates
            .iter()
            .map(|&board| empty_cells(board, size.cells()));
        let candidates = candidates.sum::<u32>() as usize;
        moves
            .iter_mut()
            .for_each(|moves| moves.make_room(candidates));
        match size.locks() {
            locks if locks.is_none() => {
                for_size!(size, moves_in::<R, C, 0>(self, afterstates, moves));
            }
            locks if locks.masks().len() < 2 => {
                for_size!(size, moves_in::<R, C, 1>(self, afterstates, moves));
            }
            _ => for_size!(size, moves_in::<R, C, MASKS>(self, afterstates, moves)),
        }
        // With all symmetries, the transposed boards have the same canonical forms.
        if size.symmetries() < 8 {
            for moves in moves {
                let (along_columns, _) = moves.reached[1].parts();
                for_size!(size, transpose_all::<C, R>(along_columns));
            }
        }
    }
}

impl ReachedBoards {
    /// The boards and their movers.
    pub(crate) fn parts(&mut self) -> (&mut [Board], &[u32]) {
        (&mut self.boards[..self.count], &self.movers[..self.count])
    }
}

wide! {
    fn transpose_all<const R: usize, const C: usize>(boards: &mut [Board]) {
        for board in boards {
            *board = transpose::<R, C>(*board);
        }
    }
}

wide! {
    /// `MASKS` is the number of masks, or greater.
    fn moves_in<const R: usize, const C: usize, const MASKS: usize>(
        lines: &LineTables,
        afterstates: &[Board],
        moves: &mut [SpawnedMoves; 2],
    ) {
        let [rows, columns] = &lines.axes;
        // The exact lengths let the compiler drop the bounds checks.
        let row_table = &rows.moved[..1 << (4 * C)];
        let column_table = &columns.moved[..1 << (4 * R)];
        let [twos, fours] = moves;
        let mut lists = [MoveLists::new(twos), MoveLists::new(fours)];
        let mut mover = 0;
        for &afterstate in afterstates {
            let across = MovedBoard::<R, C, MASKS>::new(afterstate, rows, row_table);
            let along =
                MovedBoard::<C, R, MASKS>::new(transpose::<R, C>(afterstate), columns, column_table);
            let mut empty = !occupied(afterstate) & ONES & Shape::<R, C>::BOARD;
            while empty != 0 {
                let shift = empty.trailing_zeros();
                empty &= empty - 1;
                let cell = shift as usize / 4;
                let (row, column) = (cell / C, cell % C);
                let [two, four] = &mut lists;
                let by_rows = across.take::<0>(row, column, [two, four], mover, lines.win);
                let by_columns = along.take::<1>(column, row, [two, four], mover, lines.win);
                if !(by_rows[0] | by_columns[0]) {
                    two.dead.push((mover, afterstate | 1 << shift));
                }
                if !(by_rows[1] | by_columns[1]) {
                    four.dead.push((mover, afterstate | 2 << shift));
                }
                mover += 1;
            }
        }
        let counts = lists.map(|lists| lists.counts);
        for (moves, counts) in moves.iter_mut().zip(counts) {
            for (reached, count) in moves.reached.iter_mut().zip(counts) {
                reached.count = count;
            }
        }
    }
}

/// The lists of some moves, while they are filled.
struct MoveLists<'a> {
    boards: [&'a mut [Board]; 2],
    movers: [&'a mut [u32]; 2],
    counts: [usize; 2],
    won: &'a mut Vec<(u32, Board)>,
    dead: &'a mut Vec<(u32, Board)>,
}

impl<'a> MoveLists<'a> {
    #[inline(always)]
    fn new(moves: &'a mut SpawnedMoves) -> Self {
        let room = 2 * moves.candidates;
        let [across, along] = &mut moves.reached;
        Self {
            boards: [&mut across.boards[..room], &mut along.boards[..room]],
            movers: [&mut across.movers[..room], &mut along.movers[..room]],
            counts: [0; 2],
            won: &mut moves.won,
            dead: &mut moves.dead,
        }
    }
}

impl SpawnedMoves {
    /// Clear all lists, and make room for `candidates` candidates and their moves.
    fn make_room(&mut self, candidates: usize) {
        self.candidates = candidates;
        self.won.clear();
        self.dead.clear();
        for reached in &mut self.reached {
            reached.count = 0;
            if reached.boards.len() < 2 * candidates {
                reached.boards.resize(2 * candidates, 0);
                reached.movers.resize(2 * candidates, 0);
            }
        }
    }
}

/// A board before and after a move along its rows to each side.
struct MovedBoard<'a, const R: usize, const C: usize, const MASKS: usize> {
    board: Board,
    moved: [Board; 2],
    /// For each side, the rows where a spawned tile can keep a mask.
    open: [u64; 2],
    axis: &'a Axis,
    table: &'a [BothMoves],
}

impl<'a, const R: usize, const C: usize, const MASKS: usize> MovedBoard<'a, R, C, MASKS> {
    /// Digits of a row.
    const ROW: u64 = (1 << (4 * C)) - 1;

    #[inline(always)]
    fn new(board: Board, axis: &'a Axis, table: &'a [BothMoves]) -> Self {
        let mut moved = [0; 2];
        for row in 0..R {
            let line = table[(board >> (4 * C * row) & Self::ROW) as usize];
            for (moved, line) in moved.iter_mut().zip(line) {
                *moved |= u64::from(line) << (4 * C * row);
            }
        }
        let open = moved.map(|moved| {
            axis.masks[..MASKS].iter().fold(0, |open, mask| {
                let lost = mask & !moved;
                let row = Self::ROW << ((lost.trailing_zeros() as usize / (4 * C) * 4 * C) & 63);
                open | match lost & !row {
                    _ if lost == 0 => u64::MAX,
                    0 => row,
                    _ => 0,
                }
            })
        });
        Self {
            board,
            moved,
            open,
            axis,
            table,
        }
    }

    /// Spawn a 2 and a 4 in a cell and move to both sides. Rows and their cells are counted from the last.
    /// Returns for each tile whether a move is legal. `AXIS` is 1 if the board is transposed.
    #[inline(always)]
    fn take<const AXIS: usize>(
        &self,
        row: usize,
        place: usize,
        [two, four]: [&mut MoveLists<'_>; 2],
        mover: u32,
        win: u64,
    ) -> [bool; 2] {
        let shift = 4 * C * row;
        let line = self.board >> shift & Self::ROW;
        let lines = [line | 1 << (4 * place), line | 2 << (4 * place)].map(|line| line & Self::ROW);
        let mut live = [false; 2];
        let mut take = |side: usize| {
            if MASKS > 0 && self.open[side] >> shift & 1 == 0 {
                return;
            }
            let moved = self.moved[side];
            let others = !(Self::ROW << shift);
            let (rest, change) = (moved & others, (moved ^ self.board) & others);
            let take = |line: u64, lists: &mut MoveLists<'_>| {
                let after = u64::from(self.table[line as usize][side]);
                let board = rest | after << shift;
                let masks = &self.axis.masks[..MASKS];
                let is_kept = masks.is_empty()
                    || masks
                        .iter()
                        .fold(false, |kept, mask| kept | (mask & !board == 0));
                if holds_digit(board & self.axis.targets, win) {
                    if is_kept {
                        let board = if AXIS == 1 {
                            transpose::<R, C>(board)
                        } else {
                            board
                        };
                        lists.won.push((mover, board));
                    }
                    return is_kept;
                }
                let is_legal = is_kept & (change | (after ^ line) != 0);
                let count = &mut lists.counts[AXIS];
                lists.boards[AXIS][*count] = board;
                lists.movers[AXIS][*count] = mover;
                *count += usize::from(is_legal);
                is_legal
            };
            live[0] |= take(lines[0], two);
            live[1] |= take(lines[1], four);
        };
        take(0);
        take(1);
        live
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
            for (tile, moves) in [Exp::TWO, Exp::FOUR].into_iter().zip(&mut both) {
                let mut candidates = Vec::new();
                rules.spawn(&afterstates, tile, &mut candidates);
                assert_eq!(moves.candidates, candidates.len());
                let (mut reached, mut won, mut dead) = (Vec::new(), Vec::new(), Vec::new());
                for (&candidate, mover) in candidates.iter().zip(0..) {
                    let moved = rules.moves(candidate, Exp::LAST);
                    for after in moved {
                        match after {
                            To(board) if game.is_won(board) => {
                                won.push((mover, board));
                            }
                            To(board) => reached.push((mover, game.canonical(board))),
                            _ => {}
                        }
                    }
                    if moved == [Illegal; 4] {
                        dead.push((mover, candidate));
                    }
                }
                let mut found = Vec::new();
                for reached in &mut moves.reached {
                    let (boards, movers) = reached.parts();
                    rules.canonicalise(boards);
                    found.extend(movers.iter().copied().zip(boards.iter().copied()));
                }
                for list in [&mut reached, &mut found, &mut won, &mut moves.won] {
                    list.sort_unstable();
                }
                assert_eq!(found, reached, "{name}");
                assert_eq!(moves.won, won, "{name}");
                assert_eq!(moves.dead, dead, "{name}");
            }
        }
    }
}

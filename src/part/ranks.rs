//! The ranks of boards in files: a board's number, in their order, among all boards of its sum with no larger
//! tile than its part. With stones, the boards have its number of stones, and stones in all cells that locks fix.
//!
//! Key idea: the sum leaves so little choice that the possible boards are few, and differences of ranks take
//! half the bytes of differences of boards. A 2 has the *weight* 1. With stones, a stone has the weight 1, and a
//! 2 weighs more than all stones, and than stones in all other cells. So a weight tells both sum and stones. One
//! table tells in how many ways the last cells can have a weight. The last cells of all, the *tail*, are listed.
//!
//! These are the ranks of [`game::rank`](crate::game::rank), which writers use. It is faster, but its tables take
//! too much time and memory for a look-up of one board. Sorted boards share their first cells with the board
//! before them. Only what follows is walked through, at some 5 ns a board.
//!
//! Memory: tables of a largest tile take 140 bytes for each weight, and 1 MiB for the tail. The weights of a
//! table go up to the next power of two. free12-4096 has weights up to 13 / 2 * 16,380, so this is 18 MiB for
//! the tile 2048, half for 1024, and so on. All threads share the tables.

use std::sync::{Arc, LazyLock};

use crate::fork::ForkLock;
use crate::game::{Board, Exp, PartKey, STONE, Size};

/// The most contents of the tail.
const MOST_TAILS: usize = 1 << 17;

/// Cells of the largest board.
const CELLS: usize = 16;

/// The digit of a cell that locks fix. All boards have this stone, so it need not weigh.
const FIXED: [(u64, usize); 1] = [(STONE as u64, 0)];

/// The most tables that are kept: for all largest tiles of four sizes.
const MOST_TABLES: usize = 4 * CELLS;

/// Tables for each size and largest tile, which any block may need. A forked process cannot lock them while a
/// thread of its parent does, and makes its own.
static TABLES: LazyLock<ForkLock<Vec<Arc<WalkTables>>>> = LazyLock::new(ForkLock::default);

/// The ranks of the boards of one sum.
pub(super) struct Ranks {
    tables: Arc<WalkTables>,
    /// The weight of the boards.
    weight: usize,
}

/// Tables for boards with tiles up to one and weights up to one.
struct WalkTables {
    size: Size,
    top: Exp,
    /// The digits of a cell in order, and their weights.
    digits: Vec<(u64, usize)>,
    /// For 0, 1, 2, ... last cells: the ways to fill them, by weight.
    ways: Vec<Vec<u64>>,
    /// Cells of the tail.
    tail: usize,
    /// The contents of the tail by weight, in order.
    tails: Vec<Board>,
    /// For each weight, where its contents end.
    ends: Vec<u32>,
}

/// Some first cells of boards.
#[derive(Clone, Copy)]
struct Cells {
    /// The cells.
    board: Board,
    /// The rank after the boards that begin with them.
    end: u64,
    /// The weight that is left for the other cells.
    left: usize,
    /// The place among the digits of the next digit of the last cell.
    next: usize,
}

impl Ranks {
    /// The ranks of the boards that have the sum and the largest tile of `board`.
    pub(super) fn of(size: Size, board: Board) -> Self {
        let PartKey { sum, max } = PartKey::of(size.tiles(board));
        let fixed = size.locks().fixed().count_ones() / 4;
        let stones = (size.stones() - fixed) as usize;
        let unit = match size.stone() {
            None => 1,
            Some(_) => stones.max(size.tile_cells() as usize) + 1,
        };
        let weight = sum as usize / 2 * unit + stones;
        let make = || Arc::new(WalkTables::new(size, max, unit, weight));
        let serve = |tables: &&Arc<WalkTables>| {
            (tables.size, tables.top) == (size, max) && tables.ends.len() > weight
        };
        let Some(mut kept) = TABLES.lock() else {
            let tables = make();
            return Self { tables, weight };
        };
        let found = kept.iter().find(serve).cloned();
        let tables = found.unwrap_or_else(|| {
            kept.retain(|tables| (tables.size, tables.top) != (size, max));
            if kept.len() == MOST_TABLES {
                kept.clear();
            }
            let made = make();
            kept.push(Arc::clone(&made));
            made
        });
        Self { tables, weight }
    }

    /// The rank of a board; `None` if it is no board of the weight.
    pub(super) fn rank(&self, board: Board) -> Option<u64> {
        self.tables.rank(self.weight, board)
    }

    /// Replace ranks, sorted, by their boards. `None` if there are fewer boards.
    pub(super) fn boards(&self, ranks: &mut [u64]) -> Option<()> {
        self.tables.boards(self.weight, ranks)
    }
}

impl WalkTables {
    fn new(size: Size, top: Exp, unit: usize, weight: usize) -> Self {
        // A few larger sums, which may follow, need no other tables.
        let most = weight.next_power_of_two();
        let weigh = |digit: u8| (digit.into(), (1 << digit) / 2 * unit);
        let stone = size.stone().map(|digit| (digit.into(), 1));
        let mut made = Self {
            size,
            top,
            digits: (0..=top.get()).map(weigh).chain(stone).collect(),
            ways: vec![vec![0; most + 1]],
            tail: 0,
            tails: Vec::new(),
            ends: Vec::new(),
        };
        made.ways[0][0] = 1;
        let mut contents = vec![(0, 0)];
        for cell in 0..size.cells() as usize {
            let digits = made.digits(cell);
            let mut ways = vec![0; most + 1];
            for &(_, weight) in digits {
                let heavier = ways.iter_mut().skip(weight).zip(&made.ways[cell]);
                heavier.for_each(|(ways, lighter)| *ways += lighter);
            }
            if made.tail == cell
                && cell + 1 < size.cells() as usize
                && contents.len() * digits.len() <= MOST_TAILS
            {
                let with = |&(digit, more): &(u64, usize)| {
                    let contents = contents
                        .iter()
                        .map(move |&(board, weight)| (digit << (4 * cell) | board, weight + more));
                    contents.filter(|&(_, weight)| weight <= most)
                };
                contents = digits.iter().flat_map(with).collect();
                made.tail += 1;
            }
            made.ways.push(ways);
        }
        let begins = made.ways[made.tail].iter().scan(0, |end, &ways| {
            let begin = *end;
            *end += ways as u32;
            Some(begin)
        });
        made.ends = begins.collect();
        made.tails = vec![0; contents.len()];
        for (board, weight) in contents {
            let end = &mut made.ends[weight];
            made.tails[*end as usize] = board;
            *end += 1;
        }
        made
    }

    /// The digits that a cell can have, counted from the last cell.
    fn digits(&self, cell: usize) -> &[(u64, usize)] {
        match self.size.locks().fixed() >> (4 * cell) & 15 {
            0 => &self.digits,
            _ => &FIXED,
        }
    }

    /// As [`Ranks::rank`], for a weight.
    fn rank(&self, weight: usize, board: Board) -> Option<u64> {
        let cells = self.size.cells() as usize;
        let (mut rank, mut left) = (0, weight);
        for cell in (0..cells).rev() {
            let (digit, digits) = (board >> (4 * cell) & 15, self.digits(cell));
            let place = digits.iter().position(|&(other, _)| other == digit)?;
            let lesser = digits[..place].iter();
            let lesser = lesser.filter_map(|&(_, weight)| left.checked_sub(weight));
            rank += lesser.map(|left| self.ways[cell][left]).sum::<u64>();
            left = left.checked_sub(digits[place].1)?;
        }
        let beyond = board.checked_shr(4 * cells as u32).unwrap_or(0);
        (left == 0 && beyond == 0).then_some(rank)
    }

    /// As [`Ranks::boards`], for a weight.
    fn boards(&self, weight: usize, ranks: &mut [u64]) -> Option<()> {
        let cells = self.size.cells() as usize;
        let depth = cells - self.tail;
        let start = Cells {
            board: 0,
            end: self.ways[cells][weight],
            left: weight,
            next: 0,
        };
        // For 0, 1, 2, ... first cells of the last board.
        let mut path = [start; CELLS + 1];
        path[1].end = 0;
        let mut at = 0;
        // The boards with all these cells: where they end, the cells, and the way from ranks to tails.
        let (mut end_of_cells, mut first_cells, mut to_tail) = (0, 0, 0);
        for rank in ranks {
            if *rank >= end_of_cells {
                while *rank >= path[at].end {
                    at = at.checked_sub(1)?;
                }
                let Cells {
                    mut end, mut next, ..
                } = path[at + 1];
                while at < depth {
                    let Cells { board, left, .. } = path[at];
                    let (digits, ways) = (self.digits(cells - 1 - at), &self.ways[cells - 1 - at]);
                    at += 1;
                    loop {
                        let (digit, weight) = digits[next];
                        let Some(left) = left.checked_sub(weight) else {
                            // All larger tiles are too heavy, too.
                            next = digits.len() - 1;
                            continue;
                        };
                        let begin = end;
                        end += ways[left];
                        next += 1;
                        if *rank < end {
                            let board = board << 4 | digit;
                            path[at] = Cells {
                                board,
                                end,
                                left,
                                next,
                            };
                            (end, next) = (begin, 0);
                            break;
                        }
                    }
                }
                let last = &path[depth];
                first_cells = last.board << (4 * self.tail);
                to_tail = u64::from(self.ends[last.left]).wrapping_sub(last.end);
                end_of_cells = last.end;
            }
            *rank = first_cells | self.tails[rank.wrapping_add(to_tail) as usize];
        }
        Some(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::contents::Label;
    use super::*;

    /// The ranks of a part whose sum is a sum of different tiles up to its largest.
    fn ranks_of(label: Label) -> Ranks {
        let digits = (1..=15).rev().filter(|exp| label.key.sum >> exp & 1 == 1);
        let board = digits.fold(0, |board, exp| board << 4 | exp);
        assert_eq!(PartKey::of(board), label.key);
        Ranks::of(label.size, board)
    }

    /// Number of boards with the sum of a part and no larger tile.
    pub(crate) fn number_of_boards(label: Label) -> u64 {
        let Ranks { tables, weight } = ranks_of(label);
        tables.ways[label.size.cells() as usize][weight]
    }

    /// The boards of a part among those with some ranks.
    pub(crate) fn boards_at(label: Label, ranks: impl Iterator<Item = u64>) -> Vec<Board> {
        let mut boards: Vec<Board> = ranks.collect();
        ranks_of(label).boards(&mut boards).unwrap();
        boards.retain(|&board| PartKey::of(board) == label.key);
        boards
    }

    /// The first `count` boards of a part among those with some ranks.
    pub(crate) fn some_boards(
        label: Label,
        ranks: impl Iterator<Item = u64>,
        count: usize,
    ) -> Vec<Board> {
        let mut boards = boards_at(label, ranks.take(8 * count + 100));
        boards.truncate(count);
        assert_eq!(boards.len(), count, "{label}");
        boards
    }

    /// All boards of a size with tiles up to one, in order.
    fn all(size: Size, top: u64) -> Vec<Board> {
        let mut boards = vec![0];
        let digits: Vec<u64> = (0..=top).chain(size.stone().map(u64::from)).collect();
        for _ in 0..size.cells() {
            let with = |board| digits.iter().map(move |digit| board << 4 | digit);
            boards = boards.into_iter().flat_map(with).collect();
        }
        let fixed = size.locks().fixed();
        boards.retain(|&board| size.stones_of(board) == size.stones() && board & fixed == fixed);
        boards
    }

    #[test]
    fn a_rank_is_the_place_among_all_boards_of_a_sum() {
        let mut found = 0;
        for name in [
            "2x3",
            "2x3free4",
            "2x3free4lockf",
            "2x3free3lockf0f0f",
            "2x3free3lockf0f0f_ff0f00",
        ] {
            let size: Size = name.parse().unwrap();
            for top in 1..5 {
                let boards = all(size, top);
                for sum in (2..=1 << 6).step_by(2) {
                    let of_sum = boards.iter().copied();
                    let of_sum = of_sum.filter(|&board| PartKey::of(size.tiles(board)).sum == sum);
                    let of_sum: Vec<Board> = of_sum.collect();
                    let max = |&&board: &&Board| {
                        u64::from(PartKey::of(size.tiles(board)).max.get()) == top
                    };
                    let Some(&first) = of_sum.iter().find(max) else {
                        continue;
                    };
                    let ranks = Ranks::of(size, first);
                    let every: Vec<u64> = (0..of_sum.len() as u64).collect();
                    // All boards, and each third: other boards lie between them.
                    for step in [1, 3] {
                        let [mut some, expected] = [&of_sum, &every]
                            .map(|list| list.iter().copied().step_by(step).collect::<Vec<u64>>());
                        let boards = some.clone();
                        some.iter_mut()
                            .for_each(|board| *board = ranks.rank(*board).unwrap());
                        assert_eq!(some, expected, "{name} {sum} {top}");
                        ranks.boards(&mut some).unwrap();
                        assert_eq!(some, boards, "{name} {sum} {top}");
                    }
                    assert_eq!(ranks.boards(&mut [every.len() as u64]), None);
                    assert_eq!(ranks.rank(first | 1 << 24), None);
                    found += every.len();
                }
            }
        }
        // A list of all boards, made in Python, has as many.
        assert_eq!(found, 19_171 + 11_895 + 3965 + 151 + 604);
    }
}

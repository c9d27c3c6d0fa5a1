//! The ranks of boards with stones: a board's number, in their order, among all boards of its sum with its
//! number of stones, stones in all cells that locks fix, and no larger tile than its part.
//!
//! Key idea: the sum and the number of stones leave so little choice that the possible boards are few, and
//! differences of ranks take half the bytes of differences of boards. A stone has the *weight* 1, and a 2 weighs
//! more than all stones, and than stones in all other cells. So a weight tells both. One table tells in how
//! many ways the last cells can have a weight. The last cells of all, the *tail*, are listed.
//! [`game::rank`](crate::game::rank) is faster, but its tables would take too long for a look-up of one board.
//!
//! Sorted boards share their first cells with the board before them. Only what follows is walked through.
//!
//! Memory: tables of a largest tile take 140 bytes for each weight, and 1 MiB for the tail. The weights of a
//! table go up to the next power of two. free12-4096 has weights up to 13 / 2 * 16,380, so this is 18 MiB for
//! the tile 2048, half for 1024, and so on.

use crate::game::{Board, Exp, PartKey, STONE, Size};

/// The most contents of the tail.
const MOST_TAILS: usize = 1 << 17;

/// Cells of the largest board.
const CELLS: usize = 16;

/// The digit of a cell that locks fix. All boards have this stone, so it need not weigh.
const FIXED: [(u64, usize); 1] = [(STONE as u64, 0)];

/// Tables for the boards of a size with each largest tile.
pub(super) type PartRanks = [Option<Ranks>; CELLS];

/// Tables for boards with tiles up to one and weights up to one.
pub(super) struct Ranks {
    size: Size,
    /// The weight of the boards at hand.
    weight: usize,
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
    /// Tables for the boards that have the sum and the largest tile of `board`. They are made unless `tables`
    /// has them.
    pub(super) fn of(tables: &mut PartRanks, size: Size, board: Board) -> &Self {
        let PartKey { sum, max } = PartKey::of(size.tiles(board));
        let fixed = size.locks().fixed().count_ones() / 4;
        let stones = (size.stones() - fixed) as usize;
        let unit = stones.max(size.tile_cells() as usize) + 1;
        let weight = sum as usize / 2 * unit + stones;
        let of_max = &mut tables[usize::from(max.get())];
        let fits = |ranks: &Self| ranks.size == size && ranks.ends.len() > weight;
        if !of_max.as_ref().is_some_and(fits) {
            *of_max = None;
        }
        let ranks = of_max.get_or_insert_with(|| Self::new(size, max, unit, weight));
        ranks.weight = weight;
        ranks
    }

    fn new(size: Size, max: Exp, unit: usize, weight: usize) -> Self {
        // A few larger sums, which may follow, need no other tables.
        let most = weight.next_power_of_two();
        let weigh = |digit: u8| (digit.into(), (1 << digit) / 2 * unit);
        let tiles = (0..=max.get()).map(weigh);
        let mut ranks = Self {
            size,
            weight,
            digits: tiles.chain([(STONE.into(), 1)]).collect(),
            ways: vec![vec![0; most + 1]],
            tail: 0,
            tails: Vec::new(),
            ends: Vec::new(),
        };
        ranks.ways[0][0] = 1;
        let mut contents = vec![(0, 0)];
        for cell in 0..size.cells() as usize {
            let digits = ranks.digits(cell);
            let mut ways = vec![0; most + 1];
            for &(_, weight) in digits {
                let heavier = ways.iter_mut().skip(weight).zip(&ranks.ways[cell]);
                heavier.for_each(|(ways, lighter)| *ways += lighter);
            }
            if ranks.tail == cell
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
                ranks.tail += 1;
            }
            ranks.ways.push(ways);
        }
        let begins = ranks.ways[ranks.tail].iter().scan(0, |end, &ways| {
            let begin = *end;
            *end += ways as u32;
            Some(begin)
        });
        ranks.ends = begins.collect();
        ranks.tails = vec![0; contents.len()];
        for (board, weight) in contents {
            let end = &mut ranks.ends[weight];
            ranks.tails[*end as usize] = board;
            *end += 1;
        }
        ranks
    }

    /// The digits that a cell can have, counted from the last cell.
    fn digits(&self, cell: usize) -> &[(u64, usize)] {
        match self.size.locks().fixed() >> (4 * cell) & 15 {
            0 => &self.digits,
            _ => &FIXED,
        }
    }

    /// Replace boards, sorted, by their ranks, or tell the first board without a rank.
    pub(super) fn ranks(&self, boards: &mut [Board]) -> Result<(), Board> {
        let cells = self.size.cells() as usize;
        let depth = cells - self.tail;
        // For 0, 1, 2, ... first cells: the first rank of the boards that begin with them, and the weight left.
        let mut path = [(0, self.weight); CELLS + 1];
        let (mut last, mut number) = (None, 0);
        for board in boards {
            let of_board = *board;
            let aligned = of_board << (64 - 4 * cells);
            if aligned >> (64 - 4 * cells) != of_board {
                return Err(of_board);
            }
            let from = last.map_or(0, |last: Board| (last ^ aligned).leading_zeros() / 4);
            last = Some(aligned);
            if (from as usize) < depth {
                number = 0;
            }
            for at in from as usize..depth {
                let cell = cells - 1 - at;
                let digit = of_board >> (4 * cell) & 15;
                let ((begin, left), digits) = (path[at], self.digits(cell));
                let place = digits.iter().position(|&(other, _)| other == digit);
                let place = place.ok_or(of_board)?;
                let lesser = digits[..place]
                    .iter()
                    .filter_map(|&(_, weight)| left.checked_sub(weight));
                let lesser: u64 = lesser.map(|left| self.ways[cell][left]).sum();
                let left = left.checked_sub(digits[place].1).ok_or(of_board)?;
                path[at + 1] = (begin + lesser, left);
            }
            let (begin, left) = path[depth];
            let tail = of_board & ((1 << (4 * self.tail)) - 1);
            let before = left.checked_sub(1).map_or(0, |left| self.ends[left]);
            let tails = &self.tails[before as usize + number..self.ends[left] as usize];
            // Most tails are near the last.
            let near = tails.iter().take(8).position(|&other| other >= tail);
            let step = near.unwrap_or_else(|| tails.partition_point(|&other| other < tail));
            if tails.get(step) != Some(&tail) {
                return Err(of_board);
            }
            number += step;
            *board = begin + number as u64;
        }
        Ok(())
    }

    /// Replace ranks, sorted, by their boards. `None` if there are fewer boards.
    pub(super) fn boards(&self, ranks: &mut [u64]) -> Option<()> {
        let cells = self.size.cells() as usize;
        let depth = cells - self.tail;
        let start = Cells {
            board: 0,
            end: self.ways[cells][self.weight],
            left: self.weight,
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
mod tests {
    use super::*;

    /// All boards of a size with tiles up to one, in order.
    fn all(size: Size, top: u64) -> Vec<Board> {
        let mut boards = vec![0];
        for _ in 0..size.cells() {
            let with = |board| (0..=top).chain([15]).map(move |digit| board << 4 | digit);
            boards = boards.into_iter().flat_map(with).collect();
        }
        let fixed = size.locks().fixed();
        boards.retain(|&board| size.stones_of(board) == size.stones() && board & fixed == fixed);
        boards
    }

    #[test]
    fn a_rank_is_the_place_among_all_boards_of_a_sum() {
        let mut found = 0;
        for name in ["2x3free4", "2x3free4lockf", "2x3free3lockf0f0f_ff0f00"] {
            let size: Size = name.parse().unwrap();
            let mut tables = PartRanks::default();
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
                    let ranks = Ranks::of(&mut tables, size, first);
                    let every: Vec<u64> = (0..of_sum.len() as u64).collect();
                    // All boards, and each third: other boards lie between them.
                    for step in [1, 3] {
                        let [mut some, expected] = [&of_sum, &every]
                            .map(|list| list.iter().copied().step_by(step).collect::<Vec<u64>>());
                        let boards = some.clone();
                        ranks.ranks(&mut some).unwrap();
                        assert_eq!(some, expected, "{name} {sum} {top}");
                        ranks.boards(&mut some).unwrap();
                        assert_eq!(some, boards, "{name} {sum} {top}");
                    }
                    assert_eq!(ranks.boards(&mut [every.len() as u64]), None);
                    let beyond = first | 1 << 24;
                    assert_eq!(ranks.ranks(&mut [beyond]), Err(beyond));
                    found += every.len();
                }
            }
        }
        // A list of all boards, made in Python, has as many.
        assert_eq!(found, 11_895 + 3965 + 604);
    }
}

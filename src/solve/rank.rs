//! The rank of a board: its number among all boards of its sum. Ranks have no holes.
//!
//! Key idea: a row is given by its *weight*, half the sum of its tiles, and its number among the
//! rows of this weight. The top half of a board has some of its weight, and the bottom half has the
//! rest. So a board is given by the weight of its top half, the number of the top half among halves
//! of this weight, and the number of the bottom half. These are digits in a mixed radix, and a few
//! small tables convert them to a rank. Boards with equal top halves have neighbouring ranks, so a
//! sorted list of boards has long ranges of neighbouring ranks.

use std::collections::BTreeMap;

use crate::game::board::for_size;
use crate::game::{Board, Exp, Size};
use crate::wide::wide;

/// Tables for all sums of a game.
pub struct RankTables {
    size: Size,
    /// For each row, by its bits in a board.
    rows: Vec<RankRow>,
    /// Number of classes of rows. A class has all rows of one weight.
    classes: usize,
    /// For each weight of two rows and each class: the number of pairs before the first pair whose
    /// first row is in this class.
    pairs: Vec<u32>,
    /// For each weight, the numbers of top halves and of bottom halves.
    halves: [Vec<u64>; 2],
}

/// The ranks of the boards of one sum.
pub struct Ranking<'a> {
    tables: &'a RankTables,
    /// The boards by the weight of the top half.
    classes: Vec<HalfClass>,
    boards: u64,
}

/// The tables as slices. With them, the compiler does not reload the fields of [`RankTables`] for
/// each board of a loop.
struct Slices<'a> {
    rows: &'a [RankRow],
    classes: usize,
    pairs: &'a [u32],
    halves: &'a [HalfClass],
}

/// The boards whose top half has a certain weight.
#[derive(Clone, Copy)]
struct HalfClass {
    /// Number of boards with lighter top halves.
    before: u64,
    /// Number of bottom halves for each top half.
    bottoms: u64,
}

impl RankTables {
    /// Tables for boards of a size with tiles up to `top` and sums up to `most`.
    pub fn new(size: Size, top: Exp, most: u32) -> Self {
        let (rows, weights) = rows(size.cols(), top);
        let most = most as usize / 2;
        let counts = |rows_of_half: u8| ways(&weights, rows_of_half, most);
        let top_half = size.rows().div_ceil(2);
        let halves = [counts(top_half), counts(size.rows() - top_half)];
        let singles = counts(1);
        let mut pairs = Vec::new();
        if top_half == 2 {
            let heaviest = weights
                .last()
                .map_or(0, |&(weight, _)| 2 * usize::from(weight));
            for weight in 0..=heaviest.min(most) {
                let mut before = 0;
                for &(first, peers) in &weights {
                    pairs.push(before as u32);
                    let rest = weight.checked_sub(usize::from(first));
                    before += rest.map_or(0, |rest| u64::from(peers) * singles[rest]);
                }
            }
        }
        Self {
            size,
            rows,
            classes: weights.len(),
            pairs,
            halves,
        }
    }

    /// The ranks of the boards of `sum`.
    pub fn of_sum(&self, sum: u32) -> Ranking<'_> {
        let weight = sum as usize / 2;
        let [tops, bottoms] = &self.halves;
        let mut boards = 0;
        let classes = (0..=weight).map(|top| {
            let class = HalfClass {
                before: boards,
                bottoms: bottoms[weight - top],
            };
            boards += tops[top] * class.bottoms;
            class
        });
        Ranking {
            tables: self,
            classes: classes.collect(),
            boards,
        }
    }
}

impl Ranking<'_> {
    /// Number of boards in all orientations, whether the game reaches them or not.
    pub fn boards(&self) -> u64 {
        self.boards
    }

    /// Append the ranks of `boards`. Their size, sum and tiles must be possible in the ranking.
    pub fn ranks(&self, boards: &[Board], ranks: &mut Vec<u64>) {
        for_size!(self.tables.size, ranks_of::<R, C>(self, boards, ranks));
    }

    /// The tables for boards with rows of `C` cells.
    #[inline(always)]
    fn slices<const C: usize>(&self) -> Slices<'_> {
        Slices {
            // The fixed length proves to the compiler that every row is in bounds.
            rows: &self.tables.rows[..1 << (4 * C)],
            classes: self.tables.classes,
            pairs: &self.tables.pairs,
            halves: &self.classes,
        }
    }
}

impl Slices<'_> {
    #[inline(always)]
    fn rank<const R: usize, const C: usize>(&self, board: Board) -> u64 {
        let row = |row: usize| {
            let digits = board >> (4 * C * (R - 1 - row)) & ((1 << (4 * C)) - 1);
            self.rows[digits as usize]
        };
        let (weight, top) = match R {
            2 => (row(0).weight, row(0).number.into()),
            _ => self.pair(row(0), row(1)),
        };
        let bottom = match R {
            4 => self.pair(row(2), row(3)).1,
            _ => row(R - 1).number.into(),
        };
        let half = self.halves[usize::from(weight)];
        half.before + top * half.bottoms + bottom
    }

    /// The weight of two rows, and their number among the pairs of this weight.
    #[inline(always)]
    fn pair(&self, first: RankRow, second: RankRow) -> (u16, u64) {
        let weight = first.weight + second.weight;
        let at = usize::from(weight) * self.classes + usize::from(first.class);
        let before = u64::from(self.pairs[at]);
        let number = u64::from(first.number) * u64::from(second.peers) + u64::from(second.number);
        (weight, before + number)
    }
}

wide! {
    fn ranks_of<const R: usize, const C: usize>(
        ranking: &Ranking<'_>,
        boards: &[Board],
        ranks: &mut Vec<u64>,
    ) {
        let slices = ranking.slices::<C>();
        let start = ranks.len();
        ranks.resize(start + boards.len(), 0);
        for (rank, &board) in ranks[start..].iter_mut().zip(boards) {
            *rank = slices.rank::<R, C>(board);
        }
    }
}

/// The numbers of a row from which a rank is computed.
#[derive(Clone, Copy, Default)]
struct RankRow {
    /// Half the sum of its tiles.
    weight: u16,
    /// The number of the row's class.
    class: u16,
    /// Number of the row among the rows of its weight.
    number: u16,
    /// Number of rows of its weight.
    peers: u16,
}

/// All rows of `cells` cells, and their weights in order, each weight with its number of rows. Rows
/// with larger tiles than `top` have zeros only.
fn rows(cells: u8, top: Exp) -> (Vec<RankRow>, Vec<(u16, u16)>) {
    let all = 0..1usize << (4 * cells);
    let digits = |row: usize| (0..cells).map(move |cell| (row >> (4 * cell) & 15) as u8);
    let fits = |&row: &usize| digits(row).all(|digit| digit <= top.get());
    let weight = |row: usize| digits(row).map(|digit| (1 << digit) / 2).sum::<u16>();
    let mut peers: BTreeMap<u16, u16> = BTreeMap::new();
    for row in all.clone().filter(fits) {
        *peers.entry(weight(row)).or_default() += 1;
    }
    let weights: Vec<(u16, u16)> = peers.into_iter().collect();
    let mut rows = vec![RankRow::default(); all.len()];
    let mut numbers = vec![0; weights.len()];
    for row in all.filter(fits) {
        let weight = weight(row);
        let class = weights.partition_point(|&(other, _)| other < weight);
        rows[row] = RankRow {
            weight,
            class: class as u16,
            number: numbers[class],
            peers: weights[class].1,
        };
        numbers[class] += 1;
    }
    (rows, weights)
}

/// For each weight up to `most`, the number of ways to fill `rows_of_half` rows.
fn ways(weights: &[(u16, u16)], rows_of_half: u8, most: usize) -> Vec<u64> {
    let mut ways = vec![0; most + 1];
    ways[0] = 1;
    for _ in 0..rows_of_half {
        let mut longer = vec![0; most + 1];
        for &(weight, peers) in weights {
            let longer = longer.iter_mut().skip(weight.into());
            for (longer, shorter) in longer.zip(&ways) {
                *longer += u64::from(peers) * shorter;
            }
        }
        ways = longer;
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{max_exp, sum};

    /// All boards of a size with tiles up to 2^`top`.
    fn boards(size: Size, top: u64) -> impl Iterator<Item = Board> {
        let cells = size.cells();
        (0..(top + 1).pow(cells)).map(move |number| {
            (0..cells).fold(0, |board, cell| {
                (board << 4) | (number / (top + 1).pow(cell) % (top + 1))
            })
        })
    }

    fn ranks_have_no_holes(size: &str, top: u8) {
        let size: Size = size.parse().unwrap();
        let exp = Exp::new(top).unwrap();
        let most = size.cells() << top;
        let tables = RankTables::new(size, exp, most);
        let mut by_sum = vec![Vec::new(); most as usize / 2 + 1];
        for board in boards(size, top.into()) {
            assert!(max_exp(board) <= exp);
            by_sum[sum(board) as usize / 2].push(board);
        }
        for (weight, boards) in by_sum.iter().enumerate() {
            let ranking = tables.of_sum(2 * weight as u32);
            let mut ranks = Vec::new();
            ranking.ranks(boards, &mut ranks);
            ranks.sort_unstable();
            assert_eq!(ranking.boards(), boards.len() as u64);
            assert!(
                ranks.into_iter().eq(0..boards.len() as u64),
                "{size} {weight}"
            );
        }
    }

    #[test]
    fn the_boards_of_a_sum_have_different_ranks_without_holes() {
        ranks_have_no_holes("2x2", 5);
        ranks_have_no_holes("2x3", 4);
        ranks_have_no_holes("3x2", 3);
        ranks_have_no_holes("2x4", 3);
        ranks_have_no_holes("4x2", 3);
        ranks_have_no_holes("3x3", 3);
        ranks_have_no_holes("3x4", 2);
        ranks_have_no_holes("4x3", 2);
        ranks_have_no_holes("4x4", 1);
    }
}

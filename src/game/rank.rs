//! The rank of a board: its number among all boards of its sum, in their order. Ranks have no
//! holes.
//!
//! Key idea: the rank of a word in a dictionary, with rows for letters. A row has a *weight*, half
//! the sum of its tiles, and rows of one weight are a *class*. The boards before a board have a
//! lesser first row; or the same first row and a lesser second row; and so on. How many there are
//! depends only on a row and on the weight that is left for it and the rows below, so tables give
//! these numbers. The last two rows are looked up together, since they have what weight is left:
//! the first of them and the class of the other are enough.
//!
//! Stones have a weight, too. A stone weighs 1, and then a tile weighs [`UNIT`] times half its value. So
//! the weight tells the sum and the number of stones at once, and nothing else changes.
//!
//! Sorted ranks are turned into boards by a walk through the top rows. A list of all bottom rows of
//! a weight has the rest, so no board takes a division.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use super::beside::Beside;
use super::board::{Board, PartKey, Size, for_size};
use super::exp::Exp;
use crate::wide::wide;

/// The weight of a 2 if a stone weighs 1: more than the number of stones of any board.
const UNIT: usize = 16;

/// Tables for the sums of a game up to a limit.
pub struct RankTables {
    size: Size,
    /// The way to boards without the cells that locks fix, if there are any. `size` is the size without them.
    beside: Option<Beside>,
    /// Possible first rows. Boards whose first cells are needless have fewer.
    firsts: usize,
    /// The greatest sum.
    most: u32,
    /// For each row, by its bits in a board.
    rows: Vec<RankRow>,
    /// The bits of each possible row and the number of its class, in order of the bits.
    order: Vec<(u16, u16)>,
    classes: Vec<Peers>,
    /// For each class of the second row and each possible first row: the pairs of equal weight whose first row
    /// is less.
    pairs: Vec<u32>,
    /// The same in half the memory, instead of `pairs`, for rows of up to three cells: at most 4,620
    /// pairs of them have equal weights.
    short_pairs: Vec<u16>,
    /// For 0, 1, 2, ... rows: the ways to fill them, by weight.
    ways: Vec<Vec<u64>>,
    bottoms: OnceLock<Bottoms>,
}

/// A row among the possible rows, and among the rows of its weight.
#[derive(Clone, Copy, Default)]
struct RankRow {
    place: u16,
    number: u16,
    /// Where its class begins in the tables that are for each class and each possible row.
    class_begin: u32,
}

/// The rows of one weight.
struct Peers {
    weight: usize,
    /// Their bits, in order.
    rows: Vec<u16>,
}

/// The contents of all bottom rows of a board, by weight, and in order.
struct Bottoms {
    /// For each weight, where its contents begin.
    begins: Vec<usize>,
    contents: Vec<u32>,
}

/// The ranks of the boards of one sum.
pub struct Ranking {
    tables: Arc<RankTables>,
    /// The weight of a board.
    weight: usize,
    /// The boards with a lesser first row, for each possible row; then the number of all boards.
    first: Vec<u64>,
    /// If there are two top rows: for each class of the first, and each second row, the boards with
    /// the same first row and a lesser second row; then all with this first row.
    second: Vec<u64>,
    /// The same in half the memory, instead of `second`, for rows of up to three cells: at most
    /// 6,969,816 contents of three of them have equal weights.
    short_second: Vec<u32>,
}

/// Rows that a board has below the rows whose contents are walked through. Two rows of four cells
/// have too many contents where sums are large, as on 3x4.
const fn bottom_rows(rows: usize, cols: usize) -> usize {
    match (rows, cols) {
        (2, _) | (3, 4) => 1,
        _ => 2,
    }
}

impl RankTables {
    /// Tables for boards of a size with tiles up to `top` and sums up to `most`.
    pub fn new(size: Size, top: Exp, most: u32) -> Arc<Self> {
        let beside = Beside::new(size);
        let size = beside.as_ref().map_or(size, Beside::size);
        let needless = beside
            .as_ref()
            .map_or(0, |beside| size.cells() - beside.cells());
        let heaviest = weight_of(size, most);
        let mut rows = vec![RankRow::default(); 1 << (4 * size.cols())];
        let mut by_weight: BTreeMap<usize, Vec<u16>> = BTreeMap::new();
        for row in 0..rows.len() {
            let digits = (0..size.cols()).map(|cell| (row >> (4 * cell) & 15) as u8);
            let weights = digits.map(|digit| weight_of_digit(size, top, digit));
            let weight = weights.sum::<Option<usize>>();
            if let Some(weight) = weight.filter(|&weight| weight <= heaviest) {
                by_weight.entry(weight).or_default().push(row as u16);
            }
        }
        let of_class = by_weight.values().map(Vec::len).sum::<usize>() + 1;
        let mut classes = Vec::new();
        let mut order = Vec::new();
        for (weight, peers) in by_weight {
            let class = classes.len();
            order.extend(peers.iter().map(|&bits| (bits, class as u16)));
            for (number, &bits) in (0..).zip(&peers) {
                rows[usize::from(bits)] = RankRow {
                    place: 0,
                    number,
                    class_begin: (class * of_class) as u32,
                };
            }
            classes.push(Peers {
                weight,
                rows: peers,
            });
        }
        order.sort_unstable();
        for (place, &(bits, _)) in (0..).zip(&order) {
            rows[usize::from(bits)].place = place;
        }
        let [high, wide] = [size.rows(), size.cols()].map(usize::from);
        let (mut pairs, mut short_pairs) = (Vec::new(), Vec::new());
        match (bottom_rows(high, wide), wide) {
            (1, _) => {}
            (_, 4) => pairs = all_pairs(&order, &classes, heaviest),
            _ => short_pairs = all_pairs(&order, &classes, heaviest),
        }
        let mut ways = vec![vec![0; heaviest + 1]];
        ways[0][0] = 1;
        for rows in 1..=high {
            ways.push(one_row_more(&ways[rows - 1], &classes));
        }
        let first_rows = 1 << (4 * (u32::from(size.cols()) - needless));
        let firsts = order.partition_point(|&(bits, _)| usize::from(bits) < first_rows);
        Arc::new(Self {
            size,
            beside,
            firsts,
            most,
            rows,
            order,
            classes,
            pairs,
            short_pairs,
            ways,
            bottoms: OnceLock::new(),
        })
    }

    /// The greatest sum that the tables have.
    pub(crate) fn most(&self) -> u32 {
        self.most
    }

    /// The ranks of the boards of `sum`.
    pub fn of_sum(self: &Arc<Self>, sum: u32) -> Ranking {
        let weight = weight_of(self.size, sum);
        let [high, wide] = [self.size.rows(), self.size.cols()].map(usize::from);
        let bottom = bottom_rows(high, wide);
        let (mut second, mut short_second) = (Vec::new(), Vec::new());
        if high - bottom == 2 {
            for class in &self.classes {
                let before = self.before(weight.checked_sub(class.weight), bottom);
                match wide {
                    4 => second.extend(before),
                    _ => short_second.extend(before.into_iter().map(few::<u32>)),
                }
            }
        }
        Ranking {
            tables: Arc::clone(self),
            weight,
            first: self.before(Some(weight), high - 1),
            second,
            short_second,
        }
    }

    /// Number of boards of `sum`, as [`Ranking::boards`] has it.
    pub(crate) fn boards(&self, sum: u32) -> u64 {
        let below = usize::from(self.size.rows()) - 1;
        self.before(Some(weight_of(self.size, sum)), below)[self.firsts]
    }

    /// For each possible row, the ways to fill this row and `below` more with some weight if the row
    /// is less; then all ways.
    fn before(&self, weight: Option<usize>, below: usize) -> Vec<u64> {
        let ways = &self.ways[below];
        let mut before = Vec::with_capacity(self.order.len() + 1);
        let mut total = 0;
        for &(_, class) in &self.order {
            before.push(total);
            let left = weight.and_then(|weight| weight.checked_sub(self.weight(class)));
            total += left.and_then(|left| ways.get(left)).unwrap_or(&0);
        }
        before.push(total);
        before
    }

    fn weight(&self, class: u16) -> usize {
        self.classes[usize::from(class)].weight
    }

    fn bottoms(&self, rows: usize) -> &Bottoms {
        self.bottoms.get_or_init(|| {
            let mut begins = vec![0];
            for &ways in &self.ways[rows] {
                begins.push(begins[begins.len() - 1] + ways as usize);
            }
            let mut contents = vec![0; begins[begins.len() - 1]];
            let mut ends = begins.clone();
            let mut put = |weight: usize, bits: u32| {
                contents[ends[weight]] = bits;
                ends[weight] += 1;
            };
            for &(bits, class) in &self.order {
                let (bits, weight) = (u32::from(bits), self.weight(class));
                if rows == 1 {
                    put(weight, bits);
                    continue;
                }
                let fits = |below: &&Peers| weight + below.weight < self.ways[0].len();
                for below in self.classes.iter().take_while(fits) {
                    for &last in &below.rows {
                        let bits = bits << (4 * self.size.cols()) | u32::from(last);
                        put(weight + below.weight, bits);
                    }
                }
            }
            Bottoms { begins, contents }
        })
    }
}

/// The weight of a board of some sum.
fn weight_of(size: Size, sum: u32) -> usize {
    match size.stones() {
        0 => sum as usize / 2,
        stones => sum as usize / 2 * UNIT + stones as usize,
    }
}

/// The weight of a digit; `None` if it stands for a tile above `top`.
fn weight_of_digit(size: Size, top: Exp, digit: u8) -> Option<usize> {
    let unit = size.stone().map_or(1, |_| UNIT);
    match digit {
        digit if Some(digit) == size.stone() => Some(1),
        digit if digit <= top.get() => Some((1 << digit) / 2 * unit),
        _ => None,
    }
}

/// A number of contents of some rows of one weight, in few bytes.
fn few<T: TryFrom<u64, Error: Debug>>(contents: u64) -> T {
    T::try_from(contents).expect("few contents have equal weights")
}

/// See [`RankTables::pairs`].
fn all_pairs<T: Clone + TryFrom<u64, Error: Debug>>(
    order: &[(u16, u16)],
    classes: &[Peers],
    heaviest: usize,
) -> Vec<T> {
    let of_class = order.len() + 1;
    let mut pairs = vec![few(0); of_class * classes.len()];
    let mut before = vec![0; heaviest + 1];
    for (place, &(_, class)) in order.iter().enumerate() {
        let weight = classes[usize::from(class)].weight;
        for (pairs, below) in pairs.chunks_exact_mut(of_class).zip(classes) {
            if let Some(before) = before.get_mut(weight + below.weight) {
                pairs[place] = few(*before);
                *before += below.rows.len() as u64;
            }
        }
    }
    pairs
}

/// The ways to fill one row more, by weight.
fn one_row_more(ways: &[u64], classes: &[Peers]) -> Vec<u64> {
    let mut more = vec![0; ways.len()];
    for class in classes {
        for (more, ways) in more[class.weight..].iter_mut().zip(ways) {
            *more += class.rows.len() as u64 * ways;
        }
    }
    more
}

/// The boards with the same top rows.
#[derive(Default)]
struct SameTop {
    /// The ranks of the boards.
    begin: u64,
    end: u64,
    /// The top rows, at their place in a board.
    top: u64,
    /// Where the contents of the bottom rows begin.
    bottoms: usize,
    /// The places of the top rows.
    rows: [usize; 2],
}

impl Ranking {
    /// The ranks of the boards of a part, with tables for this part alone.
    pub fn of_part(size: Size, PartKey { sum, max }: PartKey) -> Self {
        RankTables::new(size, max, sum).of_sum(sum)
    }

    /// The tables for further sums.
    pub(crate) fn tables(&self) -> &Arc<RankTables> {
        &self.tables
    }

    /// Number of boards in all orientations, whether the game reaches them or not.
    pub fn boards(&self) -> u64 {
        self.first[self.tables.firsts]
    }

    /// Append the ranks of `boards`, about 2 ns each. Their size, sum and tiles must be possible in
    /// the ranking.
    pub fn ranks(&self, boards: &[Board], ranks: &mut Vec<u64>) {
        let start = ranks.len();
        ranks.extend_from_slice(boards);
        self.encode(&mut ranks[start..]);
    }

    /// Replace boards by their ranks, like [`Ranking::ranks`].
    pub(crate) fn encode(&self, boards: &mut [Board]) {
        if let Some(beside) = &self.tables.beside {
            beside.leave_out(boards);
        }
        for_size!(self.tables.size, ranks_of::<R, C>(self, boards));
    }

    /// Replace ranks, sorted, by their boards. The first call makes a table of all
    /// contents of bottom rows.
    pub fn decode(&self, ranks: &mut [u64]) {
        for_size!(self.tables.size, decode::<R, C>(self, ranks));
        if let Some(beside) = &self.tables.beside {
            beside.put_back(ranks);
        }
    }

    /// The boards around a rank that lies after the boards `last`.
    fn block<const R: usize, const C: usize>(&self, rank: u64, last: &SameTop) -> SameTop {
        let tables = &*self.tables;
        let (row, begin, end) = place(&self.first, last.rows[0], rank);
        let (bits, class) = tables.order[row];
        let mut block = SameTop {
            begin,
            end,
            top: u64::from(bits),
            bottoms: 0,
            rows: [row, 0],
        };
        let mut left = self.weight - tables.weight(class);
        if R - bottom_rows(R, C) == 2 {
            let from = if row == last.rows[0] { last.rows[1] } else { 0 };
            let length = self.first.len();
            let ranks = usize::from(class) * length..(usize::from(class) + 1) * length;
            let (second, begin, end) = match C {
                4 => place(&self.second[ranks], from, rank - block.begin),
                _ => place(&self.short_second[ranks], from, rank - block.begin),
            };
            let (bits, class) = tables.order[second];
            left -= tables.weight(class);
            block.rows[1] = second;
            block.top = block.top << (4 * C) | u64::from(bits);
            block.end = block.begin + end;
            block.begin += begin;
        }
        block.top <<= 4 * C * bottom_rows(R, C);
        block.bottoms = tables.bottoms(bottom_rows(R, C)).begins[left];
        block
    }
}

/// Find the place, `from` or a later one, whose boards have a rank. Returns the first rank of these
/// boards, and the first after them, too.
fn place<T: Copy + Into<u64>>(before: &[T], from: usize, rank: u64) -> (usize, u64, u64) {
    let mut at = from;
    if before[at + 1].into() <= rank {
        at += before[at + 1..].partition_point(|&before| before.into() <= rank);
    }
    (at, before[at].into(), before[at + 1].into())
}

wide! {
    /// Replace boards by their ranks.
    fn ranks_of<const R: usize, const C: usize>(ranking: &Ranking, boards: &mut [u64]) {
        // Slices, so that the compiler does not reload fields for each board. The fixed length
        // proves that every row is in bounds.
        let rows = &ranking.tables.rows[..1 << (4 * C)];
        let (pairs, short_pairs) = (&ranking.tables.pairs[..], &ranking.tables.short_pairs[..]);
        let (first, second) = (&ranking.first[..], &ranking.second[..]);
        let short_second = &ranking.short_second[..];
        for board in boards {
            let row = |row: usize| rows[(*board >> (4 * C * (R - 1 - row))) as usize & (rows.len() - 1)];
            let mut rank = first[usize::from(row(0).place)] + u64::from(row(R - 1).number);
            if R - bottom_rows(R, C) == 2 {
                let at = row(0).class_begin as usize + usize::from(row(1).place);
                rank += if C == 4 { second[at] } else { u64::from(short_second[at]) };
            }
            if bottom_rows(R, C) == 2 {
                let at = row(R - 1).class_begin as usize + usize::from(row(R - 2).place);
                rank += if C == 4 { u64::from(pairs[at]) } else { u64::from(short_pairs[at]) };
            }
            *board = rank;
        }
    }
}

wide! {
    fn decode<const R: usize, const C: usize>(ranking: &Ranking, ranks: &mut [u64]) {
        let contents = &ranking.tables.bottoms(bottom_rows(R, C)).contents[..];
        let mut block = SameTop::default();
        for rank in ranks {
            if *rank >= block.end {
                block = ranking.block::<R, C>(*rank, &block);
            }
            let bottom = contents[block.bottoms + (*rank - block.begin) as usize];
            *rank = block.top | u64::from(bottom);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{max_exp, sum};

    /// All boards of a size with tiles up to 2^`top`, with all its stones, which keep its masks.
    fn boards(size: Size, top: u64) -> impl Iterator<Item = Board> {
        let (cells, stone) = (size.cells(), size.stone());
        let digits = top + 1 + u64::from(stone.is_some());
        let boards = (0..digits.pow(cells)).map(move |number| {
            (0..cells).fold(0, |board, cell| {
                let digit = number / digits.pow(cell) % digits;
                board << 4 | if digit > top { 15 } else { digit }
            })
        });
        let has_stones = move |&board: &Board| size.stones_of(board) == size.stones();
        boards.filter(move |board| has_stones(board) && size.locks().keeps(*board))
    }

    fn ranks_have_no_holes(size: &str, top: u8) {
        let size: Size = size.parse().unwrap();
        let exp = Exp::new(top).unwrap();
        let most = size.cells() << top;
        let tables = RankTables::new(size, exp, most);
        let mut by_sum = vec![Vec::new(); most as usize / 2 + 1];
        for board in boards(size, top.into()) {
            let tiles = size.tiles(board);
            assert!(max_exp(tiles) <= exp);
            by_sum[sum(tiles) as usize / 2].push(board);
        }
        for (weight, boards) in by_sum.iter_mut().enumerate() {
            boards.sort_unstable();
            let ranking = tables.of_sum(2 * weight as u32);
            assert_eq!(ranking.boards(), boards.len() as u64);
            let mut ranks = Vec::new();
            ranking.ranks(boards, &mut ranks);
            let all: Vec<u64> = (0..boards.len() as u64).collect();
            assert_eq!(ranks, all, "{size} {weight}");
            // All boards, and every third, which skips blocks.
            for step in [1, 3] {
                let mut some: Vec<u64> = all.iter().copied().step_by(step).collect();
                ranking.decode(&mut some);
                assert!(
                    some.iter().eq(boards.iter().step_by(step)),
                    "{size} {weight}"
                );
            }
        }
    }

    #[test]
    fn the_boards_of_a_sum_in_order_have_ranks_without_holes() {
        ranks_have_no_holes("2x2", 5);
        ranks_have_no_holes("2x3", 4);
        ranks_have_no_holes("3x2", 3);
        ranks_have_no_holes("2x4", 3);
        ranks_have_no_holes("4x2", 3);
        ranks_have_no_holes("3x3", 3);
        ranks_have_no_holes("3x4", 2);
        ranks_have_no_holes("4x3", 2);
        ranks_have_no_holes("4x4", 1);
        ranks_have_no_holes("2x2free3", 5);
        ranks_have_no_holes("2x3free2", 3);
        ranks_have_no_holes("3x3free4", 2);
        ranks_have_no_holes("3x4free5", 1);
    }

    #[test]
    fn the_ranks_of_a_locked_game_have_no_holes() {
        for (size, top) in [
            ("2x2free2lockff", 5),
            ("2x3free3lockf0f", 3),
            ("3x3free5lockf000f", 2),
            ("3x3free2lockfff", 3),
            ("3x4free8lockf00f0000f00f", 1),
        ] {
            ranks_have_no_holes(size, top);
        }
    }
}

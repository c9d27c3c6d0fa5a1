//! The rows of boards: their weights, and the number of rows of each weight.

use crate::game::Exp;

/// The numbers of a row that make up a rank.
#[derive(Clone, Copy, Default)]
pub(super) struct RankRow {
    /// Half the sum of its tiles.
    pub(super) weight: u16,
    /// Number of its weight among the weights of rows.
    pub(super) class: u16,
    /// Number of the row among the rows of its weight.
    pub(super) number: u16,
    /// Number of rows of its weight.
    pub(super) peers: u16,
}

/// All rows of `cells` cells, and their weights, in order, each with its number of rows. Rows with
/// larger tiles than `top` are blank.
pub(super) fn rows(cells: u8, top: Exp) -> (Vec<RankRow>, Vec<(u16, u16)>) {
    let all = 0..1usize << (4 * cells);
    let digits = |row: usize| (0..cells).map(move |cell| (row >> (4 * cell) & 15) as u8);
    let fits = |&row: &usize| digits(row).all(|digit| digit <= top.get());
    let weight = |row: usize| digits(row).map(|digit| (1 << digit) / 2).sum::<u16>();
    let mut weights: Vec<(u16, u16)> = Vec::new();
    let mut found: Vec<u16> = all.clone().filter(fits).map(weight).collect();
    found.sort_unstable();
    for weight in found {
        match weights.last_mut() {
            Some((last, peers)) if *last == weight => *peers += 1,
            _ => weights.push((weight, 1)),
        }
    }
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

/// The number of ways to fill `rows_of_half` rows, for each weight up to `most`.
pub(super) fn ways(rows: &[RankRow], rows_of_half: u8, most: usize) -> Vec<u64> {
    let mut ways = vec![0; most + 1];
    ways[0] = 1;
    let mut weights: Vec<(usize, u64)> = rows
        .iter()
        .map(|row| (usize::from(row.weight), u64::from(row.peers)))
        .filter(|&(_, peers)| peers > 0)
        .collect();
    weights.sort_unstable();
    weights.dedup();
    for _ in 0..rows_of_half {
        let mut longer = vec![0; most + 1];
        for &(weight, peers) in &weights {
            for rest in 0..=most.saturating_sub(weight) {
                if weight + rest <= most {
                    longer[weight + rest] += peers * ways[rest];
                }
            }
        }
        ways = longer;
    }
    ways
}

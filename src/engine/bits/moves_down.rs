//! Moves down, derived from moves to the left by a quarter turn.
//!
//! Key idea: moves down take far more memory than moves to the left, because they pack badly. So a
//! batch of pairs makes only the moves down that it needs, packs them, and drops them after its sweep.
//! A turn reads all moves to the left, group by group, and `turn` copies their bits.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;

use super::afterstates::{Afterstates, shapes_of_moves_down};
use super::kernels::BitLine;
use super::matrix::Matrix;
use super::packed_matrix::PackedMatrix;
use super::tables::Halves;
use super::turn::QuarterTurn;
use crate::engine::batch::ranges;
use crate::engine::workers::{Done, Workers};
use crate::error::Result;

/// The most bytes of the moves down of boards of weight `weight`, with a top half of weight `top`.
pub(crate) fn most_bytes(weight: usize, top: usize, halves: &Halves) -> u64 {
    let shapes = shapes_of_moves_down(halves.sides(top, weight - top));
    let [full, short] = shapes.map(|(rows, lines)| rows * lines * size_of::<BitLine>());
    most_packed(full as u64, short as u64)
}

/// The most bytes of the packed matrices of moves down, given their bytes before. Measured: 0.68 of
/// the bytes onto full halves, and a ninth of the bytes onto short halves.
pub(crate) fn most_packed(full: u64, short: u64) -> u64 {
    full / 10 * 7 + short / 8
}

/// Memory for the matrices of a turn. New pages for each turn took a twentieth of the time.
#[derive(Default)]
pub(crate) struct TurnScratch {
    /// Moves to the left, by weight of the top half.
    moved: Vec<Matrix>,
    /// Moves down: boards with a full bottom half, and boards with a short one.
    down: Vec<[Matrix; 2]>,
}

/// Derive the moves down with top halves of the weights `tops`, unless they are there. Others are
/// dropped.
///
/// The work goes batch by batch. A batch of moves to the left, or of moves down, takes at most half
/// of `bytes`, or has one matrix.
pub(crate) fn make_moves_down(
    afterstates: &mut Afterstates,
    tops: &[usize],
    bytes: u64,
    scratch: &mut TurnScratch,
    halves: &Halves,
    workers: &Workers,
) -> Result<()> {
    let TurnScratch { moved, down } = scratch;
    let weight = afterstates.weight;
    let there = &mut afterstates.moves_down;
    let is_needed = |top| tops.binary_search(&top).is_ok();
    there.retain(|&top, _| is_needed(top));
    let is_missing = |top| is_needed(top) && !there.contains_key(&top);
    let missing = halves.largest_first(weight, is_missing);
    let shapes = |top: usize| shapes_of_moves_down(halves.sides(top, weight - top));
    // Neighbouring sources have neighbouring fields.
    let mut sources: Vec<usize> = halves.tops(weight).collect();
    sources.retain(|&top| afterstates.moved[top].has_bits());
    let batches_of_sources = batches(&sources, bytes, |top| vec![afterstates.shape(top, halves)]);
    for batch in batches(&missing, bytes, |top| shapes(top).to_vec()) {
        let tops = &missing[batch];
        down.resize_with(tops.len().max(down.len()), Default::default);
        let begin = |(down, &top): (_, &usize)| {
            let pair: &mut [Matrix; 2] = down;
            for (matrix, (rows, width)) in pair.iter_mut().zip(shapes(top)) {
                matrix.reshape(rows, width)?;
                matrix.clear();
            }
            Ok(Mutex::new((top, pair)))
        };
        let down: Vec<_> = down.par_iter_mut().zip(tops).map(begin).collect();
        let down = down.into_iter().collect::<Result<Vec<_>>>()?;
        for batch in &batches_of_sources {
            unpack(afterstates, &sources[batch.clone()], moved, halves, workers)?;
            let turn = QuarterTurn {
                weight,
                moved,
                halves,
            };
            let Done = workers.each(&down, |_, down| {
                let (top, down) = &mut *down.lock().expect("no thread panics");
                let [full, short] = &mut **down;
                turn.on_full(*top, full);
                turn.on_short(*top, short);
                Ok(Done)
            })?;
        }
        let packed = down.into_par_iter().map(|down| {
            let (top, down) = down.into_inner().expect("no thread panics");
            let [full, short] = down.each_ref().map(|down| PackedMatrix::new(down.rows()));
            Ok((top, [full?, short?]))
        });
        let packed: Vec<_> = packed.collect::<Result<_>>()?;
        afterstates.moves_down.extend(packed);
    }
    Ok(())
}

/// Cut weights of top halves into batches, given the shapes of their matrices.
fn batches(
    tops: &[usize],
    bytes: u64,
    shapes: impl Fn(usize) -> Vec<(usize, usize)>,
) -> Vec<Range<usize>> {
    let lines = |&top: &usize| shapes(top).iter().map(|(rows, width)| rows * width).sum();
    let sizes: Vec<usize> = tops.iter().map(lines).collect();
    ranges(&sizes, bytes as usize / 2 / size_of::<BitLine>())
}

/// Unpack the moves to the left with top halves of some weights. The others get no lines.
fn unpack(
    afterstates: &Afterstates,
    tops: &[usize],
    moved: &mut Vec<Matrix>,
    halves: &Halves,
    workers: &Workers,
) -> Result<()> {
    moved.resize_with(afterstates.weight + 1, Matrix::default);
    let matrices = moved.par_iter_mut().enumerate();
    matrices.try_for_each(|(top, matrix)| {
        if tops.binary_search(&top).is_err() {
            *matrix = Matrix::default();
            return Ok(());
        }
        workers.check()?;
        afterstates.moved[top].unpack(afterstates.shape(top, halves), matrix)
    })
}

//! Units: what of a part is sorted at once, and waves of them.

use std::mem;

use super::crew::Worker;
use super::lot::Lot;
use crate::error::Result;
use crate::game::rank::Ranking;
use crate::run::merge::union_all;

/// A piece of a range that is sorted at once: all of it, unless it is too large.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    pub(crate) range: usize,
    low: u64,
    high: u64,
    /// Candidates, repeats included; an estimate if the range is split.
    pub(crate) size: usize,
}

impl Unit {
    /// Whether it is all that is left of its range.
    pub(crate) fn ends_range(&self) -> bool {
        self.high == u64::MAX
    }

    /// The sorted states, without duplicates, into `out`; returns how many of those were dropped.
    pub(crate) fn collect(
        self,
        lots: &[&mut Lot],
        ranking: &Ranking,
        worker: &mut Worker,
        out: &mut Vec<u64>,
    ) -> Result<u64> {
        let Unit {
            range, low, high, ..
        } = self;
        let span = lots[0].span(range);
        let pieces: Vec<&[u32]> = lots.iter().flat_map(|lot| lot.unsorted(range)).collect();
        let mut ranks = mem::take(&mut worker.ranks);
        ranks.clear();
        let mut gathered = if (low, high) == (0, u64::MAX) {
            worker.supplies.sort(span, &pieces, &mut ranks)
        } else {
            // The last unit of a range takes its greatest rank too.
            let within =
                |&rank: &u64| (low..high).contains(&rank) || rank == high && high == u64::MAX;
            let all = pieces.iter().flat_map(|piece| span.ranks(piece));
            let some: Vec<u64> = all.filter(within).collect();
            worker.supplies.sort_wide(&some, &mut ranks)
        };
        let mut lists = Vec::new();
        let mut scratch = Vec::new();
        for lot in lots {
            for run in 0..lot.runs() {
                let mut list = Vec::new();
                lot.read_run(run, range, (low, high), &mut scratch, &mut list)?;
                gathered += list.len();
                lists.push(list);
            }
        }
        if !lists.is_empty() {
            lists.push(ranks);
            ranks = union_all(lists);
        }
        out.clear();
        out.extend(ranks.iter().map(|&rank| ranking.board(rank)));
        worker.ranks = ranks;
        Ok((gathered - out.len()) as u64)
    }
}

/// The units of a part: its ranges in order, those of more than `most` candidates split.
pub(crate) fn units(lots: &[&mut Lot], most: usize) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    for range in 0..lots[0].ranges() {
        let size = lots.iter().map(|lot| lot.size(range)).sum();
        if size <= most {
            units.push(Unit {
                range,
                low: 0,
                high: u64::MAX,
                size,
            });
        } else {
            split(lots, range, size, most, &mut units)?;
        }
    }
    Ok(units)
}

/// Split a range that is too large to sort at once, evenly by a sample of its unsorted candidates and
/// of the runs' pieces. Each unit then reads the whole range and takes its share; that is slow, and
/// rare: it takes a part that grew to many times its size in the layer before.
fn split(
    lots: &[&mut Lot],
    range: usize,
    size: usize,
    most: usize,
    units: &mut Vec<Unit>,
) -> Result<()> {
    let stride = most / 64;
    let mut sample = Vec::with_capacity(size / stride);
    let mut scratch = Vec::new();
    for lot in lots {
        let ranks = lot
            .unsorted(range)
            .flat_map(|piece| lot.span(range).ranks(piece));
        sample.extend(ranks.step_by(stride));
        for run in 0..lot.runs() {
            lot.sample_run(run, range, stride, &mut scratch, &mut sample)?;
        }
    }
    sample.sort_unstable();
    let pieces = size.div_ceil(most / 2);
    let mut low = 0;
    for piece in 1..=pieces {
        let high = if piece == pieces {
            u64::MAX
        } else {
            sample[sample.len() * piece / pieces]
        };
        if high > low {
            units.push(Unit {
                range,
                low,
                high,
                size: size / pieces,
            });
            low = high;
        }
    }
    Ok(())
}

/// Units in order, as many together as make `most` candidates; at least one.
pub(crate) fn waves(units: &[Unit], most: usize) -> Vec<&[Unit]> {
    let mut waves = Vec::new();
    let mut rest = units;
    while !rest.is_empty() {
        let mut size = 0;
        let fits = |unit: &&Unit| {
            size += unit.size;
            size <= most
        };
        let (wave, after) = rest.split_at(rest.iter().take_while(fits).count().max(1));
        waves.push(wave);
        rest = after;
    }
    waves
}

//! From candidates to a sorted part.
//!
//! The ranges are taken in waves, as many at a time as memory allows. In a wave, each range is sorted
//! and freed of duplicates on its own, in parallel; laid end to end, the ranges are the next stretch
//! of the part. That stretch is cut into blocks of a fixed number of states, wherever the ranges ended,
//! and the blocks are encoded in parallel; so the file does not depend on how the part was cut.
//!
//! Three waves are under way at once: while one is sorted, the one before it is encoded and expanded,
//! and the blocks of the one before that are written. No thread waits but at the end of a wave, and
//! there the tasks are small.

use std::mem;
use std::ops::AddAssign;
use std::sync::{Mutex, MutexGuard};

use super::candidates::Candidates;
use super::crew::{Crew, Worker};
use super::lot::Lot;
use super::plan::Plan;
use super::sketch::Sketch;
use crate::error::Result;
use crate::game::rank::Ranking;
use crate::run::Block;
use crate::run::merge::union_all;
use crate::store::Writer;

/// States that are handed out for expansion at once.
pub(super) const SLICE: usize = 1 << 12;

/// A piece of a range that is sorted at once: all of it, unless it is too large.
#[derive(Clone, Copy)]
struct Unit {
    range: usize,
    low: u64,
    high: u64,
    /// Candidates, repeats included; an estimate if the range is split.
    size: usize,
}

/// What the candidates of a part came down to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reduced {
    /// Candidates, repeats included.
    pub(crate) candidates: u64,
    /// Repeats.
    pub(crate) duplicates: u64,
    /// Different states or afterstates.
    pub(crate) unique: u64,
    /// States without a legal move.
    pub(crate) dead: u64,
    /// Boards that the states stand for.
    pub(crate) labeled: u64,
    /// Empty cells of the afterstates.
    pub(crate) empty_cells: u64,
    /// Bytes that went through temporary files.
    pub(crate) spilled: u64,
}

impl AddAssign for Reduced {
    fn add_assign(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.duplicates += other.duplicates;
        self.unique += other.unique;
        self.dead += other.dead;
        self.labeled += other.labeled;
        self.empty_cells += other.empty_cells;
        self.spilled += other.spilled;
    }
}

/// What is done with the sorted states of a part, besides writing them.
pub(crate) trait Stage: Sync {
    /// See a sorted piece, once: add what it holds to `tally`, and thin it out.
    fn inspect(&self, states: &mut Vec<u64>, tally: &mut Reduced);

    /// See what remains, in slices, while it is in the cache.
    fn expand(&self, worker: &mut Worker, states: &[u64]) -> Result<()>;
}

/// Buffers that live as long as the sweep.
#[derive(Default)]
pub(crate) struct Reducer {
    /// The sorted states of each unit of a wave.
    sorted: Turns<Vec<u64>>,
    /// The states that did not fill a block yet, and those before them.
    rest: [Vec<u64>; 2],
    /// The blocks of the wave before.
    encoded: Turns<Block>,
}

/// Things that are made in one step and used in the next, while others are made; and their buffers
/// are used again.
#[derive(Default)]
struct Turns<T> {
    making: Vec<Mutex<T>>,
    made: Vec<T>,
    /// How many are made; beyond are buffers.
    count: usize,
}

impl<T: Default> Turns<T> {
    /// Have places for `count` things to be made.
    fn begin(&mut self, count: usize) {
        self.making
            .resize_with(self.making.len().max(count), Mutex::default);
    }

    /// Take what was made in the first `count` places.
    fn turn(&mut self, count: usize) {
        self.made
            .resize_with(self.made.len().max(count), T::default);
        for (made, making) in self.made.iter_mut().zip(&mut self.making).take(count) {
            mem::swap(made, making.get_mut().expect("no thread panics"));
        }
        self.count = count;
    }

    fn made(&self) -> &[T] {
        &self.made[..self.count]
    }

    /// A place to make something in.
    fn place(&self, place: usize) -> MutexGuard<'_, T> {
        self.making[place].lock().expect("no thread panics")
    }
}

impl Reducer {
    /// Reduce `candidates` into `writer`. After each wave, `report` is told how many states were found
    /// and how many of the inspected were dead.
    pub(crate) fn reduce(
        &mut self,
        mut candidates: Candidates,
        crew: &mut Crew,
        plan: &Plan,
        writer: &mut Writer,
        stage: &impl Stage,
        mut report: impl FnMut(u64, u64),
    ) -> Result<(Reduced, Sketch)> {
        let ranking = candidates.ranking.clone();
        let units = units(&candidates.lots(), plan.unit)?;
        let waves = waves(&units, plan.wave);
        let mut sketch = Sketch::expecting(units.iter().map(|unit| unit.size as u64).sum());
        let mut tally = Reduced::default();
        for lot in candidates.lots() {
            tally.candidates += lot.made();
            tally.duplicates += lot.dropped();
            tally.spilled += lot.spilled();
        }
        self.rest[0].clear();
        // The last wave takes two more steps: to be encoded, and to be written.
        for step in 0..waves.len() + 2 {
            let wave = waves.get(step).copied().unwrap_or_default();
            let last = step >= waves.len();
            let lots = &candidates.lots();
            let found = self.advance(wave, lots, &ranking, last, crew, writer, stage)?;
            tally += found;
            let mut live = 0;
            for states in self.sorted.made() {
                sketch.add(states);
                live += states.len() as u64;
            }
            report(live, found.dead);
            // What a buffer once held is no measure of what it will.
            let fair = 2 * plan.wave / wave.len().max(1);
            self.sorted.making.iter_mut().for_each(|buffer| {
                let buffer = buffer.get_mut().expect("no thread panics");
                buffer.shrink_to(fair);
            });
            for (worker, lot) in crew.workers().zip(&mut candidates.lots()) {
                for unit in wave.iter().filter(|unit| unit.high == u64::MAX) {
                    lot.release(unit.range, &mut worker.supplies);
                }
            }
        }
        candidates.retire(crew);
        Ok((tally, sketch))
    }

    /// Sort `wave`, encode and expand what is sorted, write what is encoded: full blocks, and with the
    /// last states of the part the last one too.
    #[expect(clippy::too_many_arguments, reason = "three stages have their needs")]
    fn advance(
        &mut self,
        wave: &[Unit],
        lots: &[&mut Lot],
        ranking: &Ranking,
        last: bool,
        crew: &Crew,
        writer: &mut Writer,
        stage: &impl Stage,
    ) -> Result<Reduced> {
        self.sorted.begin(wave.len());
        let [rest, next_rest] = &mut self.rest;
        let pieces = [&rest[..]].into_iter();
        let stretch = Stretch::new(pieces.chain(self.sorted.made().iter().map(Vec::as_slice)));
        let full = writer.block();
        let blocks = if last {
            stretch.len().div_ceil(full)
        } else {
            stretch.len() / full
        };
        let end = stretch.len().min(blocks * full);
        let slices = end.div_ceil(SLICE);
        self.encoded.begin(blocks);
        let writes = usize::from(!self.encoded.made().is_empty());
        let writer = Mutex::new(writer);
        let total = Mutex::new(Reduced::default());

        // The large tasks first, then the small ones, so that all threads end together.
        crew.each(writes + blocks + wave.len() + slices, |worker, task| {
            let Some(task) = task.checked_sub(writes) else {
                let mut writer = writer.lock().expect("no thread panics");
                let mut encoded = self.encoded.made().iter();
                return encoded.try_for_each(|block| writer.append(block));
            };
            let mut copy = mem::take(&mut worker.boards);
            if task < blocks {
                let states = stretch.slice(task * full, end.min((task + 1) * full), &mut copy);
                let block = &mut self.encoded.place(task);
                worker.encoder.encode(states, block)?;
            } else if let Some(unit) = wave.get(task - blocks) {
                let states = &mut self.sorted.place(task - blocks);
                let duplicates = collect(*unit, lots, ranking, worker, states)?;
                let unique = states.len() as u64;
                let mut found = Reduced {
                    duplicates,
                    unique,
                    ..Reduced::default()
                };
                stage.inspect(states, &mut found);
                *total.lock().expect("no thread panics") += found;
            } else {
                let from = (task - blocks - wave.len()) * SLICE;
                let states = stretch.slice(from, end.min(from + SLICE), &mut copy);
                stage.expand(worker, states)?;
            }
            worker.boards = copy;
            Ok(())
        })?;

        next_rest.clear();
        stretch.copy(end, stretch.len(), next_rest);
        self.rest.swap(0, 1);
        self.sorted.turn(wave.len());
        self.encoded.turn(blocks);
        Ok(total.into_inner().expect("no thread panics"))
    }
}

/// Sorted pieces, end to end.
struct Stretch<'a> {
    pieces: Vec<&'a [u64]>,
    /// Where each piece begins, and where the last one ends.
    starts: Vec<usize>,
}

impl<'a> Stretch<'a> {
    fn new(pieces: impl Iterator<Item = &'a [u64]>) -> Self {
        let pieces: Vec<_> = pieces.collect();
        let mut starts = vec![0];
        for piece in &pieces {
            starts.push(starts[starts.len() - 1] + piece.len());
        }
        Self { pieces, starts }
    }

    fn len(&self) -> usize {
        self.starts[self.pieces.len()]
    }

    /// The states from `from` to `to`: in place if one piece has them, else gathered in `copy`.
    fn slice<'b>(&self, from: usize, to: usize, copy: &'b mut Vec<u64>) -> &'b [u64]
    where
        'a: 'b,
    {
        let piece = self.piece_of(from);
        if piece < self.pieces.len() && to <= self.starts[piece + 1] {
            return &self.pieces[piece][from - self.starts[piece]..to - self.starts[piece]];
        }
        copy.clear();
        self.copy(from, to, copy);
        copy
    }

    /// Append the states from `from` to `to` to `out`.
    fn copy(&self, mut from: usize, to: usize, out: &mut Vec<u64>) {
        let mut piece = self.piece_of(from);
        while from < to {
            let start = self.starts[piece];
            let end = to.min(self.starts[piece + 1]);
            out.extend_from_slice(&self.pieces[piece][from - start..end - start]);
            from = end;
            piece += 1;
        }
    }

    /// The piece that a place is in; the one after the last for the end.
    fn piece_of(&self, place: usize) -> usize {
        self.starts.partition_point(|&start| start <= place) - 1
    }
}

/// The units of a part: its ranges in order, those of more than `most` candidates split.
fn units(lots: &[&mut Lot], most: usize) -> Result<Vec<Unit>> {
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
fn waves(units: &[Unit], most: usize) -> Vec<&[Unit]> {
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

/// The sorted states of a unit, without duplicates, into `out`; returns how many of those were dropped.
fn collect(
    unit: Unit,
    lots: &[&mut Lot],
    ranking: &Ranking,
    worker: &mut Worker,
    out: &mut Vec<u64>,
) -> Result<u64> {
    let Unit {
        range, low, high, ..
    } = unit;
    let span = lots[0].span(range);
    let pieces: Vec<&[u32]> = lots.iter().flat_map(|lot| lot.unsorted(range)).collect();
    let mut ranks = mem::take(&mut worker.ranks);
    ranks.clear();
    let mut gathered = if (low, high) == (0, u64::MAX) {
        worker.supplies.sort(span, &pieces, &mut ranks)
    } else {
        // The last unit of a range takes its greatest rank too.
        let within = |&rank: &u64| (low..high).contains(&rank) || rank == high && high == u64::MAX;
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

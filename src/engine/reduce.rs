//! From candidates to a sorted part.
//!
//! The ranges are taken in waves, as many at a time as memory allows. In a wave, each range is sorted
//! and freed of duplicates on its own, in parallel; laid end to end, the ranges are the next stretch
//! of the part. That stretch is cut into blocks of a fixed number of states, wherever the ranges ended,
//! and the blocks are encoded in parallel; so the file does not depend on how the part was cut.

use std::ops::AddAssign;
use std::sync::Mutex;

use super::candidates::Candidates;
use super::crew::{Crew, Worker};
use super::lot::Lot;
use super::plan::Plan;
use super::sketch::Sketch;
use crate::error::Result;
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
    sorted: Vec<Mutex<Vec<u64>>>,
    blocks: Vec<Mutex<Block>>,
    /// States that did not fill a block yet.
    rest: Vec<u64>,
}

impl Reducer {
    /// Reduce `candidates` into `writer`. After each wave, `report` is told how many states remained
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
        let ranges = candidates.ranges.count();
        let units = units(&candidates.lots(), ranges, plan.unit)?;
        let mut sketch = Sketch::expecting(units.iter().map(|unit| unit.size as u64).sum());
        let mut tally = Reduced::default();
        for lot in candidates.lots() {
            tally.candidates += lot.made();
            tally.duplicates += lot.dropped();
            tally.spilled += lot.spilled();
        }
        self.rest.clear();
        let mut from = 0;
        while from < units.len() {
            let to = wave_end(&units, from, plan.wave);
            let wave = &units[from..to];
            let found = self.sort(wave, &candidates.lots(), crew, stage)?;
            tally += found;

            let mut lots = candidates.lots();
            for (worker, lot) in crew.workers().zip(&mut lots) {
                for unit in wave.iter().filter(|unit| unit.high == u64::MAX) {
                    lot.release(unit.range, &mut worker.supplies);
                }
            }
            let states = self.emit(
                wave.len(),
                to == units.len(),
                crew,
                writer,
                stage,
                &mut sketch,
            )?;
            for sorted in &mut self.sorted {
                lock(sorted).shrink_to(2 * plan.range_target());
            }
            report(states, found.dead);
            from = to;
        }
        candidates.retire(crew);
        Ok((tally, sketch))
    }

    /// Sort the units of a wave, each into its place in `self.sorted`.
    fn sort(
        &mut self,
        wave: &[Unit],
        lots: &[&mut Lot],
        crew: &Crew,
        stage: &impl Stage,
    ) -> Result<Reduced> {
        self.sorted
            .resize_with(self.sorted.len().max(wave.len()), Mutex::default);
        let total = Mutex::new(Reduced::default());
        crew.each(wave.len(), |worker, task| {
            let mut states = std::mem::take(&mut worker.made);
            let mut found = Reduced {
                duplicates: collect(wave[task], lots, worker, &mut states)?,
                unique: states.len() as u64,
                ..Reduced::default()
            };
            stage.inspect(&mut states, &mut found);
            let mut sorted = self.sorted[task].lock().expect("no thread panics");
            sorted.clear();
            sorted.extend_from_slice(&states);
            worker.made = states;
            *total.lock().expect("no thread panics") += found;
            Ok(())
        })?;
        Ok(total.into_inner().expect("no thread panics"))
    }

    /// Encode and expand the sorted states of a wave, and write all full blocks, and at the end of
    /// the part the last one too. Returns the number of states in the wave.
    fn emit(
        &mut self,
        units: usize,
        last: bool,
        crew: &Crew,
        writer: &mut Writer,
        stage: &impl Stage,
        sketch: &mut Sketch,
    ) -> Result<u64> {
        let mut pieces = vec![std::mem::take(&mut self.rest)];
        let carried = pieces[0].len();
        for sorted in &mut self.sorted[..units] {
            let sorted = std::mem::take(lock(sorted));
            sketch.add(&sorted);
            pieces.push(sorted);
        }
        let stretch = Stretch::new(&pieces);
        let full = writer.block();
        let blocks = if last {
            stretch.len().div_ceil(full)
        } else {
            stretch.len() / full
        };
        let end = stretch.len().min(blocks * full);
        self.blocks
            .resize_with(self.blocks.len().max(blocks), Mutex::default);

        // The large tasks first, then the small ones, so that all threads end together.
        let slices = end.div_ceil(SLICE);
        crew.each(slices + blocks, |worker, task| {
            let mut copy = std::mem::take(&mut worker.boards);
            if task < blocks {
                let states = stretch.slice(task * full, end.min((task + 1) * full), &mut copy);
                let mut block = self.blocks[task].lock().expect("no thread panics");
                worker.encoder.encode(states, &mut block)?;
            } else {
                let from = (task - blocks) * SLICE;
                stage.expand(
                    worker,
                    stretch.slice(from, end.min(from + SLICE), &mut copy),
                )?;
            }
            worker.boards = copy;
            Ok(())
        })?;
        for block in &mut self.blocks[..blocks] {
            writer.append(lock(block))?;
        }

        let states = stretch.len() - carried;
        self.rest = stretch.slice(end, stretch.len(), &mut Vec::new()).to_vec();
        let pieces = pieces.into_iter().skip(1);
        for (sorted, piece) in self.sorted.iter_mut().zip(pieces) {
            *lock(sorted) = piece;
        }
        Ok(states as u64)
    }
}

fn lock<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().expect("no thread panics")
}

/// Sorted pieces, end to end.
struct Stretch<'a> {
    pieces: &'a [Vec<u64>],
    /// Where each piece begins, and where the last one ends.
    starts: Vec<usize>,
}

impl<'a> Stretch<'a> {
    fn new(pieces: &'a [Vec<u64>]) -> Self {
        let mut starts = vec![0];
        for piece in pieces {
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
        let mut piece = self.starts.partition_point(|&start| start <= from) - 1;
        if piece < self.pieces.len() && to <= self.starts[piece + 1] {
            return &self.pieces[piece][from - self.starts[piece]..to - self.starts[piece]];
        }
        copy.clear();
        while copy.len() < to - from {
            let begin = (from + copy.len()) - self.starts[piece];
            let end = (to - self.starts[piece]).min(self.pieces[piece].len());
            copy.extend_from_slice(&self.pieces[piece][begin..end]);
            piece += 1;
        }
        copy
    }
}

/// The units of a part: its ranges in order, those of more than `most` candidates split.
fn units(lots: &[&mut Lot], ranges: usize, most: usize) -> Result<Vec<Unit>> {
    let mut units = Vec::with_capacity(ranges);
    for range in 0..ranges {
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
        sample.extend(lot.unsorted(range).flatten().step_by(stride));
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

/// The ranges from `from` on that fit into one wave: at least one.
fn wave_end(units: &[Unit], from: usize, most: usize) -> usize {
    let mut size = 0;
    let fits = |unit: &&Unit| {
        size += unit.size;
        size <= most
    };
    from + units[from..].iter().take_while(fits).count().max(1)
}

/// The sorted states of a unit, without duplicates; returns how many of those were dropped.
fn collect(unit: Unit, lots: &[&mut Lot], worker: &mut Worker, out: &mut Vec<u64>) -> Result<u64> {
    let Unit {
        range, low, high, ..
    } = unit;
    let whole = (low, high) == (0, u64::MAX);
    // The last unit of a range takes its greatest key too.
    let within = |state: &u64| (low..high).contains(state) || (high == u64::MAX && *state == high);
    out.clear();
    let mut lists = Vec::new();
    let mut scratch = Vec::new();
    for lot in lots {
        for states in lot.unsorted(range) {
            if whole {
                out.extend_from_slice(states);
            } else {
                out.extend(states.iter().copied().filter(within));
            }
        }
        for run in 0..lot.runs() {
            let mut states = Vec::new();
            lot.read_run(run, range, (low, high), &mut scratch, &mut states)?;
            if !states.is_empty() {
                lists.push(states);
            }
        }
    }
    let gathered = out.len() + lists.iter().map(Vec::len).sum::<usize>();
    worker.supplies.sort_dedup(out);
    if !lists.is_empty() {
        lists.push(std::mem::take(out));
        *out = union_all(lists);
    }
    Ok((gathered - out.len()) as u64)
}

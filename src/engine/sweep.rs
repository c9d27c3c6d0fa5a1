//! One layer: its parts in order of largest tile.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use super::candidates::Candidates;
use super::crew::{Crew, Worker};
use super::plan::Plan;
use super::progress::{Progress, Step};
use super::ranges::Ranges;
use super::reduce::{Reducer, SLICE, Stage};
use super::sketch::Sketch;
use crate::counts::Row;
use crate::error::Result;
use crate::game::board::ONES;
use crate::game::{Census, Game, Rules};
use crate::run::{Kind, Part};
use crate::store::{Layer, Store};

/// The state of a count between two layers.
pub(crate) struct Sweep<'a> {
    game: Game,
    rules: &'static dyn Rules,
    plan: &'a Plan,
    crew: Crew,
    reducer: Reducer,
    /// The shape of each part of the layer before, by kind and exponent of the largest tile.
    sketches: BTreeMap<(Kind, u8), Sketch>,
}

impl<'a> Sweep<'a> {
    /// Make ready to go on after the last sealed layer of `store`.
    pub(crate) fn new(game: &Game, store: &Store, plan: &'a Plan) -> Result<Self> {
        let mut sketches = BTreeMap::new();
        for max in 1..=game.top_exponent() {
            for kind in [Kind::States, Kind::Afterstates] {
                if let Some(part) = store.part(kind, store.sealed_sum(), 1 << max)? {
                    sketches.insert((kind, max), Sketch::of(&part));
                }
            }
        }
        Ok(Self {
            game: *game,
            rules: game.rules(),
            plan,
            crew: Crew::new(plan, store)?,
            reducer: Reducer::default(),
            sketches,
        })
    }

    /// Seal a layer, or commit what is sealed, on the threads of the sweep.
    pub(crate) fn settle(&self, settle: impl FnOnce() -> Result<()> + Send) -> Result<()> {
        self.crew.install(settle)
    }

    /// Count the layer of sum `sum`, which must be the next, and write its files.
    pub(crate) fn layer(
        &mut self,
        sum: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<Layer> {
        let mut layer = Layer {
            sum,
            last: sum >= 8,
            ..Layer::default()
        };
        let mut step = Step {
            sum,
            live: 0,
            dead: 0,
        };
        let mut merged = None;
        for max in 1..=self.game.top_exponent() {
            let mut row = Row {
                sum,
                max_tile: 1 << max,
                ..Row::default()
            };
            let sources = self.sources(sum, max, store)?;
            let mut starts = self.game.starts(sum);
            starts.retain(|&board| crate::game::board::max_exponent(board) == max);

            let here = merged.take();
            if !sources.is_empty() || !starts.is_empty() {
                let here = here.unwrap_or_else(|| self.candidates(Kind::Afterstates, max, store));
                let above = self.candidates(Kind::Afterstates, max + 1, store);
                let states = self.spawn(max, &sources, &starts, store)?;
                let report = |live, dead| {
                    step.live += live;
                    step.dead += dead;
                    progress.step(step);
                };
                let (won, bytes) = self.states(&mut row, states, &here, &above, store, report)?;
                layer.win |= won;
                layer.bytes += bytes;
                self.afterstates(&mut row, here, store)?;
                merged = Some(above);
            } else if let Some(here) = here {
                self.afterstates(&mut row, here, store)?;
            }
            layer.last &= row.afterstates == 0;
            layer.rows.push(row);
        }
        if let Some(none) = merged {
            none.retire(&mut self.crew);
        }
        layer.last &= self.sources_end(sum, store)?;
        Ok(layer)
    }

    /// Whether no afterstates of the sum before are left to spawn a 4 into.
    fn sources_end(&self, sum: u32, store: &Store) -> Result<bool> {
        for max in 1..=self.game.top_exponent() {
            if store.part(Kind::Afterstates, sum - 2, 1 << max)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The afterstates that states of `sum` and largest tile `max` come from, each with the exponent
    /// of the tile to spawn.
    fn sources(&self, sum: u32, max: u8, store: &Store) -> Result<Vec<(Part, u8)>> {
        let mut sources = Vec::new();
        for tile in [1, 2] {
            for from in 1..=max {
                if from.max(tile) == max
                    && let Some(before) = sum.checked_sub(1 << tile)
                    && let Some(part) = store.part(Kind::Afterstates, before, 1 << from)?
                {
                    sources.push((part, tile));
                }
            }
        }
        Ok(sources)
    }

    /// Room for the candidates of a part, cut as the same part of the layer before was shaped.
    fn candidates(&mut self, kind: Kind, max: u8, store: &Store) -> Candidates {
        let limit = match kind {
            Kind::States => self.plan.spawned_bytes,
            Kind::Afterstates => self.plan.moved_bytes,
        };
        let none = Sketch::default();
        let sketch = self.sketches.get(&(kind, max)).unwrap_or(&none);
        let pieces = self.plan.ranges(sketch.candidates, limit);
        let ranges = Ranges::cut(&sketch.sample, pieces, 4 * self.game.size().cells());
        Candidates::new(ranges, limit, &mut self.crew, store)
    }

    /// Map: spawn into the sources.
    fn spawn(
        &mut self,
        max: u8,
        sources: &[(Part, u8)],
        starts: &[u64],
        store: &Store,
    ) -> Result<Candidates> {
        let states = self.candidates(Kind::States, max, store);
        let blocks: Vec<(&Part, u8, usize)> = sources
            .iter()
            .flat_map(|(part, tile)| (0..part.blocks()).map(move |block| (part, *tile, block)))
            .collect();
        self.crew.each(blocks.len(), |worker, task| {
            let (part, tile, block) = blocks[task];
            worker.boards.clear();
            part.read_block(block, &mut worker.decoder, &mut worker.boards)?;
            let mut filler = states.filler(worker.index);
            for afterstates in worker.boards.chunks(SLICE / 4) {
                worker.made.clear();
                self.rules.spawn(afterstates, tile, &mut worker.made);
                self.rules.canonicalise(&mut worker.made);
                for &state in &worker.made {
                    filler.push(state, &mut worker.supplies)?;
                }
            }
            Ok(())
        })?;
        if !starts.is_empty() {
            self.crew.each(1, |worker, _| {
                let mut filler = states.filler(worker.index);
                starts
                    .iter()
                    .try_for_each(|&board| filler.push(board, &mut worker.supplies))
            })?;
        }
        Ok(states)
    }

    /// Reduce the states of a part, and move the live ones. Returns whether a move won, and
    /// the bytes of the part's file.
    fn states(
        &mut self,
        row: &mut Row,
        states: Candidates,
        here: &Candidates,
        above: &Candidates,
        store: &mut Store,
        report: impl FnMut(u64, u64),
    ) -> Result<(bool, u64)> {
        let kind = Kind::States;
        let max = row.max_tile.trailing_zeros() as u8;
        let stage = Moving {
            rules: self.rules,
            win: self.game.win_exponent(),
            max,
            here,
            above,
            won: AtomicBool::new(false),
        };
        let mut writer = store.create(kind, row.sum, row.max_tile)?;
        let (census, sketch) = self.reducer.reduce(
            states,
            &mut self.crew,
            self.plan,
            &mut writer,
            &stage,
            report,
        )?;
        let sealed = store.finish(kind, row.sum, row.max_tile, writer)?;
        self.sketches.insert((kind, max), sketch);
        row.live = sealed.states;
        row.fingerprint = sealed.fingerprint;
        row.dead = census.dead;
        row.labeled = census.labeled;
        Ok((stage.won.into_inner(), sealed.bytes))
    }

    /// Reduce the afterstates of a part.
    fn afterstates(
        &mut self,
        row: &mut Row,
        candidates: Candidates,
        store: &mut Store,
    ) -> Result<()> {
        let kind = Kind::Afterstates;
        let mut writer = store.create(kind, row.sum, row.max_tile)?;
        let (crew, stage) = (&mut self.crew, &Resting);
        let (_, sketch) =
            self.reducer
                .reduce(candidates, crew, self.plan, &mut writer, stage, |_, _| ())?;
        let sealed = store.finish(kind, row.sum, row.max_tile, writer)?;
        self.sketches
            .insert((kind, row.max_tile.trailing_zeros() as u8), sketch);
        row.afterstates = sealed.states;
        Ok(())
    }
}

/// Afterstates are written and nothing else.
struct Resting;

impl Stage for Resting {}

/// States are counted, and the live ones moved.
struct Moving<'a> {
    rules: &'static dyn Rules,
    /// Exponent of the winning tile.
    win: u8,
    /// Exponent of the largest tile of the part.
    max: u8,
    /// For afterstates with the same largest tile.
    here: &'a Candidates,
    /// For those in which two of the largest tiles merged.
    above: &'a Candidates,
    /// Whether a move won.
    won: AtomicBool,
}

impl Stage for Moving<'_> {
    fn inspect(&self, states: &mut Vec<u64>) -> Census {
        self.rules.census(states)
    }

    fn expand(&self, worker: &mut Worker, states: &[u64]) -> Result<()> {
        let mut here = self.here.filler(worker.index);
        let mut above = self.above.filler(worker.index);
        let Worker {
            supplies,
            filter,
            made,
            slid,
            ..
        } = worker;
        for afterstates in slid.iter_mut() {
            afterstates.resize(states.len(), 0);
        }
        if self
            .rules
            .slide(states, self.win, slid.each_mut().map(Vec::as_mut_slice))
        {
            self.won.store(true, Ordering::Relaxed);
        }
        made.resize(made.len().max(4 * states.len()), 0);
        let mut fresh = 0;
        for afterstates in slid.iter() {
            fresh += filter.pass(afterstates, &mut made[fresh..]);
        }
        let fresh = &mut made[..fresh];
        self.rules.canonicalise(fresh);
        let larger = u64::from(self.max + 1) * ONES;
        for &afterstate in fresh.iter() {
            let merged = has_zero_digit(afterstate ^ larger);
            let filler = if merged { &mut above } else { &mut here };
            filler.push(afterstate, supplies)?;
        }
        Ok(())
    }
}

/// Whether one of the sixteen digits is 0.
#[inline(always)]
fn has_zero_digit(x: u64) -> bool {
    x.wrapping_sub(ONES) & !x & (ONES << 3) != 0
}

//! One layer: its parts in order of largest tile.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::candidates::Candidates;
use super::crew::{Crew, Worker};
use super::plan::Plan;
use super::progress::{Progress, Step};
use super::ranges::Ranges;
use super::reduce::{Reduced, Reducer, SLICE, Stage};
use super::sketch::Sketch;
use crate::counts::Row;
use crate::error::Result;
use crate::game::board::ONES;
use crate::game::rank::Ranking;
use crate::game::{Census, Game, Moves, Rules};
use crate::laws;
use crate::run::{Kind, Part, Sealed};
use crate::store::{Layer, Store};

/// The state of a count between two layers.
pub(crate) struct Sweep<'a> {
    game: Game,
    rules: &'static dyn Rules,
    plan: &'a Plan,
    crew: Crew,
    reducer: Reducer,
    ranking: Ranking,
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
            ranking: Ranking::new(store.sealed_sum(), 1),
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
        let top = self.game.top_exponent().min(sum.ilog2() as u8);
        self.ranking = self.ranking.for_sum(sum, top);
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
                let stage = Moving::new(self.rules, self.game.win_exponent(), max, &here, &above);
                self.states(&mut row, &mut layer, states, &stage, store, report)?;
                self.afterstates(&mut row, &mut layer, here, store)?;
                merged = Some(above);
            } else if let Some(here) = here {
                self.afterstates(&mut row, &mut layer, here, store)?;
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
        let none = Sketch::default();
        let sketch = self.sketches.get(&(kind, max)).unwrap_or(&none);
        let mut sample = sketch.sample.clone();
        self.ranking.rank(&mut sample);
        let pieces = self.plan.ranges(sketch.candidates);
        let bits = self.ranking.bits(self.game.size().cells());
        let ranges = Ranges::cut(&sample, pieces, bits);
        let (ranking, granted) = (self.ranking.clone(), self.plan.granted);
        Candidates::new(ranking, ranges, granted, &mut self.crew, store)
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
                states.ranking.rank(&mut worker.made);
                filler.announce(worker.made.len());
                for &rank in &worker.made {
                    filler.push(rank, &mut worker.supplies)?;
                }
            }
            Ok(())
        })?;
        if !starts.is_empty() {
            let mut ranks = starts.to_vec();
            states.ranking.rank(&mut ranks);
            self.crew.each(1, |worker, _| {
                let mut filler = states.filler(worker.index);
                filler.announce(ranks.len());
                let mut push = |&rank| filler.push(rank, &mut worker.supplies);
                ranks.iter().try_for_each(&mut push)
            })?;
        }
        Ok(states)
    }

    /// Reduce the states of a part, and move the live ones.
    fn states(
        &mut self,
        row: &mut Row,
        layer: &mut Layer,
        states: Candidates,
        stage: &Moving,
        store: &mut Store,
        report: impl FnMut(u64, u64),
    ) -> Result<()> {
        let kind = Kind::States;
        let (sealed, tally) = self.part(kind, row, layer, states, stage, store, report)?;
        layer.bytes += sealed.bytes;
        row.live = sealed.states;
        row.fingerprint = sealed.fingerprint;
        row.dead = tally.dead;
        row.labeled = tally.labeled;
        row.candidates = tally.candidates;
        row.duplicates = tally.duplicates;
        row.moves = stage.moves.load(Ordering::Relaxed);
        row.wins = stage.wins.load(Ordering::Relaxed);
        Ok(())
    }

    /// Reduce the afterstates of a part.
    fn afterstates(
        &mut self,
        row: &mut Row,
        layer: &mut Layer,
        candidates: Candidates,
        store: &mut Store,
    ) -> Result<()> {
        let (kind, rules) = (Kind::Afterstates, self.rules);
        let stage = Resting { rules };
        let (sealed, tally) = self.part(kind, row, layer, candidates, &stage, store, |_, _| ())?;
        row.afterstates = sealed.states;
        row.empty_cells = tally.empty_cells;
        Ok(())
    }

    /// Reduce candidates into the file of a part, and see that none were lost on the way.
    #[expect(clippy::too_many_arguments, reason = "what a part is made of")]
    fn part(
        &mut self,
        kind: Kind,
        row: &Row,
        layer: &mut Layer,
        candidates: Candidates,
        stage: &impl Stage,
        store: &mut Store,
        report: impl FnMut(u64, u64),
    ) -> Result<(Sealed, Reduced)> {
        let (sum, max) = (row.sum, row.max_tile);
        let mut writer = store.create(kind, sum, max)?;
        let (crew, plan) = (&mut self.crew, self.plan);
        let (tally, sketch) =
            self.reducer
                .reduce(candidates, crew, plan, &mut writer, stage, report)?;
        let sealed = store.finish(kind, sum, max, writer)?;
        let exponent = max.trailing_zeros() as u8;
        self.sketches.insert((kind, exponent), sketch);
        layer.disk += sealed.bytes + tally.spilled;
        let written = sealed.states + tally.dead;
        laws::conserved(
            row,
            tally.candidates,
            tally.unique,
            tally.duplicates,
            written,
        )?;
        Ok((sealed, tally))
    }
}

/// Afterstates are written, and their empty cells counted.
struct Resting {
    rules: &'static dyn Rules,
}

impl Stage for Resting {
    fn inspect(&self, afterstates: &mut Vec<u64>, tally: &mut Reduced) {
        tally.empty_cells += self.rules.empty_cells(afterstates);
    }

    fn expand(&self, _: &mut Worker, _: &[u64]) -> Result<()> {
        Ok(())
    }
}

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
    /// Legal moves so far.
    moves: AtomicU64,
    /// Winning ones.
    wins: AtomicU64,
}

impl<'a> Moving<'a> {
    fn new(
        rules: &'static dyn Rules,
        win: u8,
        max: u8,
        here: &'a Candidates,
        above: &'a Candidates,
    ) -> Self {
        Self {
            rules,
            win,
            max,
            here,
            above,
            moves: AtomicU64::new(0),
            wins: AtomicU64::new(0),
        }
    }
}

impl Stage for Moving<'_> {
    fn inspect(&self, states: &mut Vec<u64>, tally: &mut Reduced) {
        let Census { dead, labeled } = self.rules.census(states);
        tally.dead += dead;
        tally.labeled += labeled;
    }

    fn expand(&self, worker: &mut Worker, states: &[u64]) -> Result<()> {
        let mut here = self.here.filler(worker.index);
        let mut above = self.above.filler(worker.index);
        let Worker {
            supplies,
            filter,
            made,
            ranks,
            slid,
            ..
        } = worker;
        for afterstates in slid.iter_mut() {
            afterstates.resize(states.len(), 0);
        }
        let slid_into = slid.each_mut().map(Vec::as_mut_slice);
        let Moves { legal, wins } = self.rules.slide(states, self.win, slid_into);
        self.moves.fetch_add(legal, Ordering::Relaxed);
        self.wins.fetch_add(wins, Ordering::Relaxed);
        made.resize(made.len().max(4 * states.len()), 0);
        let mut fresh = 0;
        for afterstates in slid.iter() {
            fresh += filter.pass(afterstates, &mut made[fresh..]);
        }
        let fresh = &mut made[..fresh];
        self.rules.canonicalise(fresh);
        ranks.clear();
        ranks.extend_from_slice(fresh);
        self.here.ranking.rank(ranks);
        let larger = u64::from(self.max + 1) * ONES;
        let mut mergers = 0;
        for (&afterstate, &rank) in fresh.iter().zip(ranks.iter()) {
            let merged = has_zero_digit(afterstate ^ larger);
            mergers += usize::from(merged);
            let filler = if merged { &mut above } else { &mut here };
            filler.push(rank, supplies)?;
        }
        above.announce(mergers);
        here.announce(fresh.len() - mergers);
        Ok(())
    }
}

/// Whether one of the sixteen digits is 0.
#[inline(always)]
fn has_zero_digit(x: u64) -> bool {
    x.wrapping_sub(ONES) & !x & (ONES << 3) != 0
}

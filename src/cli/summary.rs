//! The summary of a count.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{HumanBytes, HumanCount};
use serde::{Serialize, Serializer};

use super::units;
use crate::counts::Totals;
use crate::engine::Choice;
use crate::estimate;
use crate::game::Game;
use crate::known::{self, Verdict, What};
use crate::part::{Fingerprint, Kind};
use crate::store::Run;

/// The result of a count, and its cost. The fields are the keys of `--json`, in order. Users rely on
/// the order: add new keys at the end.
#[derive(Serialize)]
pub(super) struct Summary {
    #[serde(serialize_with = "as_text")]
    game: Game,
    rows: u8,
    cols: u8,
    max: Option<u32>,
    live: u64,
    dead: u64,
    labeled: u64,
    afterstates: u64,
    win: bool,
    loss: bool,
    total: u64,
    complete: bool,
    /// Number of sums with a state.
    layers: u64,
    seconds: f64,
    /// Bytes of the files of states.
    bytes: u64,
    fingerprint: Fingerprint,
    /// Greatest sum that has a state or afterstate.
    last_sum: u32,
    /// States that this process counted; earlier processes counted the others.
    counted: u64,
    /// Greatest anonymous memory seen, if the system tells.
    peak_memory: Option<u64>,
    /// Whether the counted figures equal the published figures; `None` without published figures.
    pub(super) agrees: Option<bool>,
    dir: PathBuf,
    /// The engines of the layers; `None` if this process counted nothing.
    engine: Option<String>,
    /// Bytes of the files of afterstates; `None` unless the run keeps the afterstates of all layers.
    afterstate_bytes: Option<u64>,
    /// The reason for the engine.
    #[serde(skip)]
    why: String,
    #[serde(skip)]
    listed_states: u64,
    #[serde(skip)]
    listed_afterstates: u64,
    /// Whether the run keeps the states of the last sum.
    #[serde(skip)]
    last_kept: bool,
    #[serde(skip)]
    verdicts: Vec<Verdict>,
}

fn as_text<S: Serializer>(game: &Game, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(game)
}

impl Summary {
    /// The summary of a run up to the layer of `until`. The run had the totals `before` when this
    /// process began.
    pub(super) fn new(
        run: &Run,
        until: Option<u32>,
        before: &Totals,
        choice: &Choice,
        time: Duration,
        peak_memory: Option<u64>,
    ) -> Self {
        let game = *run.game();
        let table = run.table().until(until);
        let (totals, last_sum) = (table.totals(), table.last_sum());
        let complete = run.complete() && until.is_none_or(|sum| sum >= run.sealed_sum());
        let counted = run.table().totals().states() - before.states();
        let verdicts = known::verdicts(&game, &table, complete);
        let agrees = verdicts.iter().all(Verdict::agrees);
        let bytes = |kind| run.bytes(kind, until);
        Self {
            game,
            rows: game.size().rows(),
            cols: game.size().cols(),
            max: game.max(),
            live: totals.live,
            dead: totals.dead,
            labeled: totals.labeled,
            afterstates: totals.afterstates,
            win: totals.win,
            loss: totals.loss(),
            total: totals.total(),
            complete,
            layers: totals.layers,
            seconds: (time.as_secs_f64() * 1e3).round() / 1e3,
            bytes: bytes(Kind::States),
            fingerprint: totals.fingerprint,
            last_sum,
            counted,
            peak_memory,
            agrees: (!verdicts.is_empty()).then_some(agrees),
            dir: run.dir().to_owned(),
            engine: (counted > 0).then(|| choice.to_string()),
            afterstate_bytes: run.keep().afterstates().then(|| bytes(Kind::Afterstates)),
            why: choice.why().to_owned(),
            listed_states: run.listed(Kind::States, until),
            listed_afterstates: run.listed(Kind::Afterstates, until),
            last_kept: run.first_sum(Kind::States) <= last_sum,
            verdicts,
        }
    }
}

/// A count with thousands separators, right-aligned.
fn count(n: u64) -> String {
    format!("{:>21}", HumanCount(n).to_string())
}

/// A number of bytes, right-aligned.
fn size(bytes: u64) -> String {
    format!("{:>21}", HumanBytes(bytes).to_string())
}

/// Bits for each board, if `boards` boards take `bytes` bytes.
fn bits(bytes: u64, boards: u64) -> String {
    format!("{:.2}", bytes as f64 * 8.0 / boards.max(1) as f64)
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goal = match self.max {
            Some(tile) => format!("to {tile}"),
            None => "without a winning tile".to_owned(),
        };
        let (total, board) = (HumanCount(self.total), self.game.size());
        let extent = if self.complete { "" } else { ", not complete" };
        writeln!(f, "{total}  states of {board} {goal}{extent}\n")?;
        self.write_counts(f)?;
        self.write_cost(f)?;
        writeln!(f, "directory   {}", self.dir.display())?;
        self.write_verdicts(f)
    }
}

impl Summary {
    fn write_counts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reached = |reached| {
            if reached {
                "+1, can be reached"
            } else {
                " 0, not reached"
            }
        };
        writeln!(f, "live        {}", count(self.live))?;
        writeln!(f, "win         {:>21}", reached(self.win))?;
        writeln!(f, "loss        {:>21}", reached(self.loss))?;
        writeln!(f, "dead        {}", count(self.dead))?;
        writeln!(f, "live + dead {}", count(self.live + self.dead))?;
        let labeled = count(self.labeled);
        writeln!(f, "labeled     {labeled}  boards, without symmetry")?;
        writeln!(f, "afterstates {}", count(self.afterstates))?;
        let (layers, last) = (count(self.layers), self.last_sum);
        writeln!(f, "layers      {layers}  up to sum {last}")?;
        writeln!(f, "fingerprint {:>21}", self.fingerprint.to_string())
    }

    fn write_cost(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.last_kept {
            format!("{} bits a live state", bits(self.bytes, self.listed_states))
        } else {
            format!("the states of sum {} are not kept", self.last_sum)
        };
        writeln!(f, "files       {}  {what}", size(self.bytes))?;
        if let Some(bytes) = self.afterstate_bytes {
            let (each, live) = (bits(bytes, self.listed_afterstates), bits(bytes, self.live));
            let size = size(bytes);
            writeln!(
                f,
                "            {size}  {each} bits an afterstate, {live} for each live state"
            )?;
        }
        if let Some(peak) = self.peak_memory {
            writeln!(f, "memory      {}  at most", size(peak))?;
        }
        if let Some(engine) = &self.engine {
            writeln!(f, "engine      {engine:>21}  {}", self.why)?;
        }
        let seconds = format!("{:.2} s", self.seconds);
        if self.counted == 0 {
            return writeln!(f, "time        {seconds:>21}  nothing new to count");
        }
        let time = Duration::from_secs_f64(self.seconds);
        let speed = estimate::rate(self.counted, time).map_or(String::new(), |rate| {
            format!("  {}, {:.1} ns a state", units::speed(rate), 1e9 / rate)
        });
        writeln!(f, "time        {seconds:>21}{speed}")
    }

    fn write_verdicts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Verdict { source, .. }) = self.verdicts.first() else {
            return Ok(());
        };
        writeln!(f)?;
        for verdict in &self.verdicts {
            let word = if verdict.agrees() {
                "agrees"
            } else {
                "DISAGREES"
            };
            let (what, expected) = (verdict.figure.what, HumanCount(verdict.figure.expected));
            match what {
                What::Parts => {
                    let got = HumanCount(verdict.got);
                    writeln!(f, "{word} in {got} of {expected} published parts")?;
                }
                _ => writeln!(f, "{word} with the published {what} {expected}")?,
            }
        }
        writeln!(f, "({source})")
    }
}

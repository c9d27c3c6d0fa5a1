//! The summary of a count.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;

use super::units;
use crate::counts::Totals;
use crate::engine::Choice;
use crate::estimate;
use crate::game::Game;
use crate::known::{Verdict, What};
use crate::part::{Fingerprint, Kind};
use crate::store::Run;

/// The result of a count, and what it took.
pub(super) struct Summary {
    pub(super) game: Game,
    pub(super) totals: Totals,
    /// Greatest sum that has a state or afterstate.
    pub(super) last_sum: u32,
    /// States that this process counted; the others were counted before.
    pub(super) counted: u64,
    pub(super) complete: bool,
    pub(super) time: Duration,
    pub(super) states: Listed,
    /// Whether the states of the last sum are among them.
    pub(super) last_kept: bool,
    /// None unless those of every layer are kept.
    pub(super) afterstates: Option<Listed>,
    /// Greatest anonymous memory seen, if the system tells.
    pub(super) peak_memory: Option<u64>,
    pub(super) dir: PathBuf,
    /// How layers were held.
    pub(super) choice: Choice,
    /// The published figures beside the counted ones.
    pub(super) verdicts: Vec<Verdict>,
}

/// Boards in files.
#[derive(Clone, Copy)]
pub(super) struct Listed {
    bytes: u64,
    boards: u64,
}

impl Listed {
    /// Those of the layers up to `until`.
    pub(super) fn new(run: &Run, kind: Kind, until: Option<u32>) -> Self {
        Self {
            bytes: run.bytes(kind, until),
            boards: run.listed(kind, until),
        }
    }

    /// Bytes as text.
    fn size(self) -> String {
        format!("{:>21}", HumanBytes(self.bytes).to_string())
    }

    /// Bits for each of so many boards.
    fn bits(self, boards: u64) -> String {
        format!("{:.2}", self.bytes as f64 * 8.0 / boards.max(1) as f64)
    }
}

impl Summary {
    /// Whether the counted figures equal the published ones; `None` if there are none for as much
    /// as was counted.
    pub(super) fn agrees(&self) -> Option<bool> {
        let all = self.verdicts.iter().all(Verdict::agrees);
        (!self.verdicts.is_empty()).then_some(all)
    }

    /// The summary as one JSON object on one line.
    pub(super) fn json(&self) -> serde_json::Result<String> {
        let Self { game, totals, .. } = self;
        serde_json::to_string(&Object {
            game: game.to_string(),
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
            complete: self.complete,
            layers: totals.layers,
            seconds: (self.time.as_secs_f64() * 1e3).round() / 1e3,
            bytes: self.states.bytes,
            fingerprint: totals.fingerprint,
            last_sum: self.last_sum,
            counted: self.counted,
            peak_memory: self.peak_memory,
            agrees: self.agrees(),
            dir: &self.dir,
            engine: (self.counted > 0).then(|| self.choice.to_string()),
            afterstate_bytes: self.afterstates.map(|files| files.bytes),
        })
    }
}

/// The keys of `--json`, in their order. They are a contract: new ones go to the end.
#[derive(Serialize)]
struct Object<'a> {
    game: String,
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
    layers: u64,
    seconds: f64,
    bytes: u64,
    fingerprint: Fingerprint,
    last_sum: u32,
    counted: u64,
    peak_memory: Option<u64>,
    agrees: Option<bool>,
    dir: &'a Path,
    engine: Option<String>,
    afterstate_bytes: Option<u64>,
}

/// A count with thousands separators, right-aligned.
fn count(n: u64) -> String {
    format!("{:>21}", HumanCount(n).to_string())
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goal = match self.game.max() {
            Some(tile) => format!("to {tile}"),
            None => "without a winning tile".to_owned(),
        };
        let (total, size) = (HumanCount(self.totals.total()), self.game.size());
        let extent = if self.complete { "" } else { ", not complete" };
        writeln!(f, "{total}  states of {size} {goal}{extent}\n")?;
        self.write_counts(f)?;
        self.write_cost(f)?;
        writeln!(f, "directory   {}", self.dir.display())?;
        self.write_verdicts(f)
    }
}

impl Summary {
    fn write_counts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = &self.totals;
        let yes = |reached| {
            if reached {
                "+1, can be reached"
            } else {
                " 0, not reached"
            }
        };
        writeln!(f, "live        {}", count(totals.live))?;
        writeln!(f, "win         {:>21}", yes(totals.win))?;
        writeln!(f, "loss        {:>21}", yes(totals.loss()))?;
        writeln!(f, "dead        {}", count(totals.dead))?;
        writeln!(f, "live + dead {}", count(totals.states()))?;
        let labeled = count(totals.labeled);
        writeln!(f, "labeled     {labeled}  boards, without symmetry")?;
        writeln!(f, "afterstates {}", count(totals.afterstates))?;
        let (layers, last) = (count(totals.layers), self.last_sum);
        writeln!(f, "layers      {layers}  up to sum {last}")?;
        writeln!(f, "fingerprint {:>21}", totals.fingerprint.to_string())
    }

    fn write_cost(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let states = self.states;
        let what = if self.last_kept {
            format!("{} bits a live state", states.bits(states.boards))
        } else {
            format!("the states of sum {} are not kept", self.last_sum)
        };
        writeln!(f, "files       {}  {what}", states.size())?;
        if let Some(files) = self.afterstates {
            let (each, live) = (files.bits(files.boards), files.bits(self.totals.live));
            writeln!(
                f,
                "            {}  {each} bits an afterstate, {live} for each live state",
                files.size()
            )?;
        }
        if let Some(peak) = self.peak_memory {
            let peak = HumanBytes(peak).to_string();
            writeln!(f, "memory      {peak:>21}  at most")?;
        }
        if self.counted > 0 {
            let engine = self.choice.to_string();
            writeln!(f, "engine      {engine:>21}  {}", self.choice.why())?;
        }
        let seconds = format!("{:.2} s", self.time.as_secs_f64());
        if self.counted == 0 {
            return writeln!(f, "time        {seconds:>21}  nothing new to count");
        }
        let speed = estimate::rate(self.counted, self.time).map_or(String::new(), |rate| {
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

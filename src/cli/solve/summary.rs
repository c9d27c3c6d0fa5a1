//! The summary of a solved run, as text and as JSON.

use std::fmt::Write;
use std::time::Duration;

use anyhow::Result;
use indicatif::HumanBytes;
use serde_json::json;

use crate::cli::args::objectives::{bound, chance, yes_or_no};
use crate::cli::out::output::Reply;
use crate::cli::out::talk;
use crate::cli::out::units;
use crate::estimate;
use crate::game::Objective;
use crate::part::Fingerprint;
use crate::read::Reader;
use crate::solve::Values;
use crate::store::{Goal, Solution};

/// Half a unit of the last decimal of a printed value.
const PRINTED: f64 = 0.5e-9;

/// Memory for decoded blocks. Games with stones have many starts, whose moves lead to all blocks of a few
/// layers in turn.
const MEMORY: u64 = 64 << 20;

/// The solution for some goals and its cost. This process made `solved` values.
pub(super) fn summary(
    (solution, reader): (&Solution, &Reader),
    goals: &[Goal],
    solved: u64,
    peak_memory: Option<u64>,
    time: Duration,
) -> Result<Reply> {
    let run = solution.run();
    let (game, totals) = (run.game(), run.table().totals());
    let seconds = (time.as_secs_f64() * 1e3).round() / 1e3;
    let afterstates = units::things(totals.afterstates, "afterstate");
    let mut text = format!(
        "{game}: {afterstates} solved\n\n\
         {:<8} {:>14} {:>14} {:>15} {:>10} {:>12}\n",
        "", "start", "from two 2s", "off by at most", "bits each", "files"
    );
    let (mut objectives, mut bytes, mut fingerprint) = (Vec::new(), 0, Fingerprint::default());
    let starts = Values::new(solution, reader, goals, MEMORY)?.start()?;
    for (goal, start) in goals.iter().zip(starts) {
        let (objective, error) = (goal.objective, solution.error(*goal));
        let (files, of_files) = (solution.bytes(objective), solution.fingerprint(objective));
        objectives.push(json!({
            "name": objective,
            "start": start.all,
            "start_two_2s": start.two_2s,
            "error": error,
            "fraction": goal.fraction,
            "bytes": files,
            "fingerprint": of_files.to_string(),
            "best_start": start.best,
            "worst_start": start.worst,
        }));
        bytes += files;
        fingerprint += of_files;
        let value = |value: f64| match objective {
            Objective::Tile(_) => chance(value, 9),
            Objective::Sure(_) => yes_or_no(value).to_owned(),
            Objective::Score | Objective::Moves => format!("{value:.9}"),
        };
        let [start, two_2s] = [start.all, start.two_2s].map(value);
        let printed = if error > 0.0 { PRINTED } else { 0.0 };
        let (name, error) = (objective.to_string(), bound(error + printed));
        let bits = files as f64 * 8.0 / totals.afterstates.max(1) as f64;
        let files = HumanBytes(files).to_string();
        writeln!(
            text,
            "{name:<8} {start:>14} {two_2s:>14} {error:>15} {bits:>10.2} {files:>12}"
        )?;
    }
    // Other solved objectives of the run.
    let others = solution.goals().filter(|goal| !goals.contains(goal));
    let also: Vec<String> = others.map(|goal| goal.objective.to_string()).collect();
    // Users rely on the order of the keys: add new keys at the end.
    let json = json!({
        "game": game,
        "objectives": objectives,
        "states": totals.live,
        "seconds": seconds,
        "bytes": bytes,
        "fingerprint": fingerprint.to_string(),
        "afterstates": totals.afterstates,
        "dir": run.dir().display().to_string(),
        "solved": solved,
        "peak_memory": peak_memory,
        "also": also,
        // The usual rate if no value depends on it.
        "four": solution.four().unwrap_or_default(),
    });

    text += "\n";
    if !also.is_empty() {
        writeln!(text, "also solved {}", also.join(", "))?;
    }
    if let Some(four) = solution.four() {
        writeln!(text, "spawned 4s  {four} of all tiles")?;
    }
    writeln!(text, "files       {}", HumanBytes(bytes))?;
    if let Some(peak) = peak_memory {
        writeln!(text, "memory      {} at most", HumanBytes(peak))?;
    }
    let values = match solved {
        0 => ", nothing new to solve".to_owned(),
        _ => format!(" for {}", units::things(solved, "new value")),
    };
    let speed = estimate::rate(solved, Duration::from_secs_f64(seconds)).filter(|_| solved > 0);
    let speed = speed.map_or(String::new(), |rate| format!(", {}/s", units::count(rate)));
    writeln!(text, "time        {seconds:.2} s{values}{speed}")?;
    writeln!(text, "fingerprint {fingerprint}")?;
    writeln!(text, "directory   {}", talk::plain(run.dir().display()))?;
    Ok(Reply { text, json })
}

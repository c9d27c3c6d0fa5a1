//! The estimate as text for people.

use std::io::{self, Write};

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};

use super::total::Total;
use super::{Basis, Estimate};
use crate::cli::forecast::Layer;
use crate::cli::units;

/// Most layers that are printed; of more, as many at even distances.
const MOST: usize = 1024;

fn count(n: u64) -> String {
    HumanCount(n).to_string()
}

impl Estimate {
    /// Print the estimate.
    pub(in crate::cli) fn print(&self, json: bool) -> Result<()> {
        let total = Total::new(self);
        let mut out = io::stdout().lock();
        if json {
            writeln!(out, "{}", serde_json::to_string(&total)?)?;
            return Ok(());
        }
        writeln!(
            out,
            "  sum               bound             counted   share            expected"
        )?;
        let layers = &self.forecast.layers;
        let share = self.forecast.share().middle();
        for layer in layers.iter().step_by(layers.len().div_ceil(MOST).max(1)) {
            writeln!(out, "{}", line(layer, share))?;
        }
        writeln!(out, "\n{}", self.summary(&total).join("\n"))?;
        Ok(())
    }

    /// The lines for the whole count.
    fn summary(&self, total: &Total) -> Vec<String> {
        let begun = match (self.complete, self.sealed_sum) {
            (true, _) => "complete".to_owned(),
            (_, 2) => "not begun".to_owned(),
            (_, sum) => format!("counted up to sum {sum}"),
        };
        let states = |n| units::count(n as f64);
        let states = units::range(&states(total.states_low), &states(total.states_high));
        let bytes = |n| units::bytes(n as f64);
        let share = |share: f64| format!("{} %", units::rounded(share * 100.0));
        let expected = self.forecast.share();
        let expected = units::range(&share(expected.low), &share(expected.high));
        let (states, source) = match self.basis {
            Basis::Run => (
                count(total.states_low),
                "all of them are counted".to_owned(),
            ),
            Basis::Moment => (
                count(total.states_low),
                "all of them were counted just now, to measure the time".to_owned(),
            ),
            Basis::Published => (
                format!("about {states}"),
                "the total is published".to_owned(),
            ),
            Basis::Share => (
                format!("about {states}"),
                format!("{expected} of the bound in layers to come, as the last counted ones tell"),
            ),
        };
        let time = units::range(
            &units::time(total.seconds_low),
            &units::time(total.seconds_high),
        );
        let time = match self.basis {
            Basis::Run => "nothing is left to count".to_owned(),
            Basis::Moment => format!("about {time}, as it took just now"),
            _ => format!(
                "about {time} more, at {} with {}, as measured just now",
                units::speed(total.states_per_second as f64),
                units::things(self.plan.threads() as u64, "thread")
            ),
        };
        let afterstates = total.disk_afterstates_low.zip(total.disk_afterstates_high);
        let afterstates = afterstates.map(|(low, high)| {
            let more = units::range(&bytes(low), &bytes(high));
            format!("          {more} more with the afterstates of all layers")
        });
        let lines = [
            format!("{}, {begun}", self.game),
            format!(
                "bound     {} canonical boards with a 2 or a 4, sums up to {}",
                count(total.bound),
                total.last_sum
            ),
            format!(
                "states    {states}, {} in the run; {source}",
                count(total.states_so_far)
            ),
            format!(
                "disk      {} with all layers; {} free",
                units::range(&bytes(total.disk_low), &bytes(total.disk_high)),
                total.disk_free.map_or("unknown".to_owned(), bytes)
            ),
            format!(
                "          at most {} with --keep last: three of the largest layers",
                bytes(total.disk_keep_last)
            ),
        ];
        let rest = [
            format!(
                "memory    {} for data; the largest layer has up to {} states, what does not fit goes to disk",
                HumanBytes(total.memory),
                units::count(total.largest_layer as f64)
            ),
            format!("engine    {}, {}", self.choice, self.choice.why()),
            format!("time      {time}"),
        ];
        lines.into_iter().chain(afterstates).chain(rest).collect()
    }
}

/// The line of a layer.
fn line(layer: &Layer, share: f64) -> String {
    let (counted, reached) = layer
        .counted
        .map_or((String::new(), String::new()), |counted| {
            let share = counted as f64 * 100.0 / layer.bound as f64;
            (count(counted), format!("{share:.2}%"))
        });
    let expected = if layer.counted.is_some() {
        layer.states(share)
    } else {
        units::rounded(layer.states(share))
    };
    format!(
        "{:>5} {:>19} {counted:>19} {reached:>7} {:>19}",
        layer.sum,
        count(layer.bound),
        count(expected as u64)
    )
}

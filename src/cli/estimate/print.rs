//! The estimate as text for people.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount, HumanDuration};

use super::total::Total;
use super::{Estimate, Layer};

fn count(n: u64) -> String {
    HumanCount(n).to_string()
}

fn bytes(n: u64) -> String {
    HumanBytes(n).to_string()
}

fn time(seconds: f64) -> String {
    HumanDuration(Duration::from_secs_f64(seconds)).to_string()
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
        for layer in &self.layers {
            writeln!(out, "{}", self.line(layer))?;
        }
        writeln!(out, "\n{}", self.summary(&total).join("\n"))?;
        Ok(())
    }

    /// The line of a layer.
    fn line(&self, layer: &Layer) -> String {
        let (counted, share) = layer
            .counted
            .map_or((String::new(), String::new()), |counted| {
                let share = counted as f64 * 100.0 / layer.bound as f64;
                (count(counted), format!("{share:.2}%"))
            });
        let (low, high) = self.expected(layer);
        format!(
            "{:>5} {:>19} {counted:>19} {share:>7} {:>19}",
            layer.sum,
            count(layer.bound),
            count((low * high).sqrt() as u64)
        )
    }

    /// The lines for the whole count.
    fn summary(&self, total: &Total) -> [String; 8] {
        let begun = match (self.complete, self.sealed_sum) {
            (true, _) => "complete".to_owned(),
            (_, 2) => "not begun".to_owned(),
            (_, sum) => format!("counted up to sum {sum}"),
        };
        let source = if self.sealed_sum > 2 {
            "half to twice the share of the last counted layer"
        } else {
            "the shares of games on as many cells"
        };
        let (low, high) = self.share();
        [
            format!("{}, {begun}", self.game),
            format!(
                "bound     {} canonical boards with a 2 or a 4, sums up to {}",
                count(total.bound),
                total.last_sum
            ),
            format!(
                "states    {} to {} expected, {} of them counted",
                count(total.states_low),
                count(total.states_high),
                count(total.states_so_far)
            ),
            format!(
                "          {:.1}% to {:.1}% of the bound in layers to come: {source}",
                low * 100.0,
                high * 100.0
            ),
            format!(
                "disk      {} to {} with all layers; {} free",
                bytes(total.disk_low),
                bytes(total.disk_high),
                total.disk_free.map_or("unknown".to_owned(), bytes)
            ),
            format!(
                "          at most {} with --keep last: three of the largest layers",
                bytes(total.disk_keep_last)
            ),
            format!(
                "memory    {} for data; the largest layer has {} states, what does not fit goes to disk",
                bytes(total.memory),
                count(total.largest_layer)
            ),
            format!(
                "time      {} to {} more, at {} states/s as just measured with {} threads",
                time(total.seconds_low),
                time(total.seconds_high),
                count(total.states_per_second),
                self.plan.threads()
            ),
        ]
    }
}

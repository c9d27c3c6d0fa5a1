//! How fast this machine counts a game.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::cli::signals::TemporaryDir;
use crate::engine::{self, Plan, Silent};
use crate::game::Game;
use crate::store::{Keep, Store};

/// How long to measure.
const DURATION: Duration = Duration::from_millis(1500);

/// States per second in the largest layers that can be counted within a moment, in a temporary
/// directory. Larger layers are counted somewhat faster.
pub(super) fn measure(game: &Game, plan: &Plan, last: u32) -> Result<f64> {
    let place = TemporaryDir::new()?;
    let mut store = Store::open(place.path(), game, Some(Keep::Last))?;
    let states = |store: &Store| store.run().table().totals().states();
    let begin = Instant::now();
    let mut rate = 1.0;
    let mut step = 24;
    while !store.run().complete() && begin.elapsed() < DURATION {
        let (before, since) = (states(&store), Instant::now());
        let sealed = store.run().sealed_sum();
        if sealed >= last {
            break;
        }
        let until = (sealed + step).min(last);
        engine::count(&mut store, plan, Some(until), &mut Silent)?;
        rate = (states(&store) - before) as f64 / since.elapsed().as_secs_f64();
        if since.elapsed() > DURATION / 8 {
            step = 4;
        }
    }
    Ok(rate.max(1.0))
}

//! How fast a count is, and how much of it is left.

use std::time::{Duration, Instant};

use crate::game::Game;
use crate::known::{What, published};

/// Canonical states, counted.
#[derive(Clone, Copy)]
pub(super) struct Tally {
    pub(super) live: u64,
    pub(super) dead: u64,
}

impl Tally {
    /// Live and dead.
    pub(super) fn states(self) -> u64 {
        self.live + self.dead
    }

    /// This many more.
    pub(super) fn plus(self, live: u64, dead: u64) -> Self {
        Self {
            live: self.live + live,
            dead: self.dead + dead,
        }
    }
}

/// The pace of this process's count.
pub(super) struct Pace {
    begin: Instant,
    /// What was counted before this process began.
    before: Tally,
    /// Live states of the whole game, if it is known and is to be counted to its end.
    expected: Option<u64>,
}

impl Pace {
    /// A count that begins now, with `before` already counted.
    pub(super) fn new(game: &Game, until: Option<u32>, before: Tally) -> Self {
        Self {
            begin: Instant::now(),
            before,
            expected: until.map_or_else(|| expected(game), |_| None),
        }
    }

    /// Time since the beginning.
    pub(super) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// States per second since the beginning, when `found` are counted.
    pub(super) fn rate(&self, found: Tally) -> f64 {
        (found.states() - self.before.states()) as f64 / self.elapsed().as_secs_f64().max(1e-3)
    }

    /// The share that is done, from 0 to 1, and the time that is left at this pace, if the whole is
    /// known.
    pub(super) fn left(&self, found: Tally) -> Option<(f64, Duration)> {
        let expected = self.expected?;
        let done = found.live as f64 / expected as f64;
        let fresh = found.live - self.before.live;
        let pace = self.elapsed().as_secs_f64() / fresh as f64;
        let seconds = expected.saturating_sub(found.live) as f64 * pace;
        (fresh > 0).then(|| (done, Duration::from_secs_f64(seconds)))
    }
}

/// Live states of a game, if they were published.
fn expected(game: &Game) -> Option<u64> {
    let figures = published(game)?.figures;
    let of = |what| {
        figures
            .iter()
            .find(|figure| figure.what == what)
            .map(|figure| figure.expected)
    };
    of(What::Live).or_else(|| Some(of(What::States)? - of(What::Dead)?))
}

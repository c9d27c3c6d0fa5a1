//! The forms of progress: silence, lines in a log, or a display on a terminal.

use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::out::talk;
use crate::cli::out::units;
use crate::estimate::Remaining;

/// Time between two lines of a log.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The display on a terminal, before and after the remaining time is known. The cursor stays at the
/// end of the last line. If a terminal echoes `^C` there, one line too few is cleared: so the first
/// line is empty.
const SPINNER: &str = "\n{spinner} {elapsed_precise}  {msg}";
const BAR: &str = "\n{spinner} {elapsed_precise}  {wide_bar} {prefix}\n  {msg}";

/// Length of the bar.
const WHOLE: u64 = 1000;

pub(in crate::cli) enum ProgressForm {
    Silent,
    Lines(Log),
    Terminal(ProgressBar),
}

/// Lines of `key=value`.
pub(in crate::cli) struct Log {
    /// The time of the last line, or of the start.
    last: Instant,
    /// Whether a layer has had a line.
    pub(in crate::cli) has_layer: bool,
}

impl ProgressForm {
    pub(in crate::cli) fn new(quiet: bool) -> Self {
        if quiet {
            return Self::Silent;
        }
        let bar = ProgressBar::new(WHOLE).with_style(style(SPINNER));
        // A bar is hidden in a file, and on a terminal that cannot draw it, such as TERM=dumb.
        if bar.is_hidden() {
            return Self::Lines(Log {
                last: Instant::now(),
                has_layer: false,
            });
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self::Terminal(bar)
    }

    /// Print a message.
    pub(in crate::cli) fn say(&self, text: &str) {
        match self {
            Self::Silent => {}
            Self::Lines(_) => talk::say(text),
            Self::Terminal(bar) => bar.println(talk::plain(text)),
        }
    }
}

/// Draw the display of a terminal.
pub(in crate::cli) fn draw(bar: &ProgressBar, remaining: Option<&Remaining>, message: String) {
    if let Some(left) = remaining {
        if bar.prefix().is_empty() {
            bar.set_style(style(BAR));
        }
        bar.set_position((left.done * WHOLE as f64) as u64);
        let (percent, time) = (left.done * 100.0, units::time(left.seconds));
        bar.set_prefix(format!("{percent:.0}%, about {time} left"));
    }
    bar.set_message(message);
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is valid")
}

impl Log {
    /// Whether the next line is due.
    pub(in crate::cli) fn due(&self) -> bool {
        self.last.elapsed() >= LINE_EVERY
    }

    /// Whether a layer gets a line: the first layer does, a long layer, and a layer that ends when a
    /// line is due.
    pub(in crate::cli) fn wants(&self, took: Duration) -> bool {
        !self.has_layer || took >= LINE_EVERY || self.due()
    }

    /// Write a line, with the time of day before it.
    pub(in crate::cli) fn write(&mut self, line: &str) {
        let now = humantime::format_rfc3339_seconds(SystemTime::now());
        talk::line(format_args!("time={now} {line}"));
        self.last = Instant::now();
    }
}

//! Ctrl-C on a terminal: the display goes, and what stays is said.
//!
//! A count, or a solver, may end at any moment, so this only talks before the process ends.

use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::cli::{signals, talk};
use crate::store::Run;

/// Hide `bar` and say what stays, should the user press Ctrl-C.
pub(super) fn watch(bar: ProgressBar, what_stays: impl Fn() -> String + Send + 'static) {
    signals::on_interrupt(move || {
        bar.finish_and_clear();
        bar.set_draw_target(ProgressDrawTarget::hidden());
        talk::line(what_stays());
    });
}

/// What stays of a count in `dir`: what its manifest names.
pub(super) fn of_count(dir: &Path) -> String {
    match Run::peek(dir).map(|run| run.sealed_sum()) {
        Ok(sum @ 4..) => format!("stopped after sum {sum}; the same command goes on"),
        _ => "stopped before any layer was sealed; the same command begins again".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Plan, Silent};
    use crate::store::Store;

    #[test]
    fn what_stays_is_what_the_manifest_names() {
        let place = tempfile::tempdir().unwrap();
        let said = of_count(place.path());
        assert!(said.starts_with("stopped before any layer"), "{said}");
        let game = "2x2-32".parse().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let said = of_count(place.path());
        assert!(said.starts_with("stopped before any layer"), "{said}");
        let plan = Plan::new(64 << 20, 1).unwrap();
        engine::count(&mut store, &plan, Some(20), &mut Silent).unwrap();
        let said = of_count(place.path());
        assert_eq!(said, "stopped after sum 20; the same command goes on");
    }
}

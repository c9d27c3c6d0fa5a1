//! A solver in a terminal: its display, Ctrl-C, and how the next run resumes.

use tempfile::TempDir;

use super::shown::Shown;
use crate::command::{good, place};
use crate::tries::in_time;

const SOLVE: &str = "solve run --for score,256 --threads 1";

/// Solves a game, with Ctrl-C on the way. Returns nothing if the solver ended first.
fn solve_in_two_steps() -> Option<TempDir> {
    let place = place();
    // Solving this game takes some seconds.
    good(
        &place,
        "--size 3 --max 256 --keep afterstates --dir run --quiet",
    );

    let mut first = Shown::start(place.path(), SOLVE);
    first.until_it("display", |shown| {
        // No line is cut at the right edge.
        let is_whole = |line: &str| {
            line.contains(" afterstates")
                && line.contains(" memory, ")
                && line.ends_with(" on disk")
        };
        let display = shown.contains("score,256: sum ") && shown.lines().any(is_whole);
        display && shown.contains("3x3-256 in run: score,256, 1 thread, ")
            || shown.contains("ended with ")
    });
    first.interrupt();
    first.until("ended with ");

    let mut second = Shown::start(place.path(), SOLVE);
    let shown = second.until_it("beginning", |shown| {
        shown.contains("3x3-256 in run: ") || shown.contains("nothing new to solve")
    });
    if shown.contains("nothing new to solve") {
        return None;
    }
    let left = first.end(130);
    assert!(!left.contains(" on disk"), "{left}");
    assert!(
        left.contains("stopped: ") && left.contains(" kept"),
        "{left}"
    );
    let left = second.end(0);
    assert!(!left.contains(" memory, "), "the display is gone: {left}");
    for line in ["directory   run", "fingerprint ", "score "] {
        assert!(
            left.lines().any(|shown| shown.starts_with(line)),
            "{line}: {left}"
        );
    }
    Some(place)
}

#[test]
fn solving_shows_progress_stops_resumes_and_checks_files() {
    let place = in_time(solve_in_two_steps);
    let mut shown = Shown::start(place.path(), "solve run --threads 1");
    shown.until_written("checking ");
    let left = shown.end(0);
    assert!(!left.contains("checking"), "{left}");
    assert!(left.contains("nothing new to solve"), "{left}");
}

//! A solver in a terminal: its display, Ctrl-C, and how the next run resumes.

use super::shown::Shown;
use crate::command::{good, place};

#[test]
fn solving_shows_progress_stops_resumes_and_checks_files() {
    let place = place();
    // Solving this game takes some seconds.
    good(
        &place,
        "--size 3 --max 256 --keep afterstates --dir run --quiet",
    );
    let solve = "solve run --for score,256 --threads 1";

    let mut shown = Shown::start(place.path(), solve);
    shown.until("3x3-256 in run: score,256, 1 thread, ");
    let display = shown.until(" on disk");
    assert!(display.contains("score,256: sum "), "{display}");
    // No line is cut at the right edge.
    let line = display.lines().find(|line| line.ends_with(" on disk"));
    let line = line.expect(&display);
    assert!(
        line.contains(" afterstates") && line.contains(" memory, "),
        "{line}"
    );
    shown.interrupt();
    let left = shown.end(130);
    assert!(!left.contains(" on disk"), "{left}");
    assert!(
        left.contains("stopped: ") && left.contains(" kept"),
        "{left}"
    );

    let mut shown = Shown::start(place.path(), solve);
    shown.until("3x3-256 in run: ");
    let left = shown.end(0);
    assert!(!left.contains(" memory, "), "the display is gone: {left}");
    for line in ["directory   run", "fingerprint ", "score "] {
        assert!(
            left.lines().any(|shown| shown.starts_with(line)),
            "{line}: {left}"
        );
    }

    let mut shown = Shown::start(place.path(), "solve run --threads 1");
    shown.until_written("checking ");
    let left = shown.end(0);
    assert!(!left.contains("checking"), "{left}");
    assert!(left.contains("nothing new to solve"), "{left}");
}

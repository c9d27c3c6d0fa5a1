//! A count in a terminal: its display, and the layers that Ctrl-C leaves.

use std::fs;

use serde_json::Value;

use super::shown::Shown;
use crate::command::place;
use crate::tries::in_time;

#[test]
fn ctrl_c_hides_the_display_and_names_the_kept_layers() {
    let place = place();
    // The count would take minutes. The remaining time is shown after some seconds, whatever the
    // count has done by then.
    let args = "--size 4 --max 64 --engine lists --dir run --memory 64M --threads 1";
    let mut shown = Shown::start(place.path(), args);
    // By then some layers are durable, and the display shows the remaining time.
    shown.until_it("remaining time", |display| {
        let texts = ["%, about ", " left", " states/s, "];
        texts.iter().all(|text| display.contains(text))
    });
    shown.interrupt();
    let left = shown.end(130);
    assert!(
        !left.contains(" left") && !left.contains("in the layer"),
        "{left}"
    );
    let (_, said) = left.split_once("stopped: layers up to sum ").expect(&left);
    let (sum, rest) = said.split_once(" are kept; the same").expect(&left);
    let sum: u64 = sum.parse().unwrap();
    let next = format!("command resumes at sum {}\nended with 130", sum + 2);
    assert_eq!(rest.trim(), next, "{left}");
    let manifest = fs::read(place.path().join("run/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["sealed_sum"], sum, "{left}");
}

#[test]
fn a_terminal_without_a_display_gets_lines() {
    let place = place();
    let mut shown = Shown::start_on("dumb", place.path(), "--size 2 --max 32");
    shown.until_written(" sum=4 layer=2 ");
    shown.end(0);
}

/// The thread that receives signals once wrote to the terminal, and waited for it.
#[test]
fn a_second_signal_ends_a_count_whose_terminal_is_stopped() {
    let ended_by = in_time(|| {
        let place = place();
        // The count would take minutes.
        let args = "--size 4 --max 64 --engine lists --dir run --memory 64M";
        let mut shown = Shown::start_alone(place.path(), args);
        // By then the program waits for signals.
        shown.until("in the layer");
        shown.stop_output();
        let ended_by = shown.end_by(&["HUP", "TERM"]);
        // The first signal ends the count if it comes before the terminal is stopped.
        (!ended_by.starts_with("Hangup")).then_some(ended_by)
    });
    assert!(ended_by.starts_with("Terminated"), "{ended_by}");
}

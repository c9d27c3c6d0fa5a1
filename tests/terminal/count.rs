//! A count in a terminal: its display, and the layers that Ctrl-C leaves.

use std::fs;

use serde_json::Value;

use super::shown::Shown;

#[test]
fn ctrl_c_hides_the_display_and_names_the_last_durable_layer() {
    let place = tempfile::tempdir().unwrap();
    // The count would take minutes.
    let args = "--size 4 --max 64 --engine lists --dir run --memory 64M";
    let mut shown = Shown::start(place.path(), args);
    // By then some layers are durable, and the display shows the remaining time.
    let display = shown.until(" left");
    assert!(
        display.contains("%, about ") && display.contains(" states/s, "),
        "{display}"
    );
    shown.interrupt();
    let left = shown.end(130);
    assert!(
        !left.contains(" left") && !left.contains("in the layer"),
        "{left}"
    );
    let (_, said) = left.split_once("stopped after sum ").expect(&left);
    let (sum, rest) = said.split_once("; the same command goes on").expect(&left);
    assert_eq!(rest.trim(), "ended with 130", "{left}");
    let manifest = fs::read(place.path().join("run/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    // A layer may have been sealed after the message.
    let sealed = manifest["sealed_sum"].as_u64().unwrap();
    assert!(
        (4..=sealed).contains(&sum.parse().unwrap()),
        "{left} {sealed}"
    );
}

//! A Python script, written separately, replays the codes of games.

use super::player::{DEAD, ONE, WON};
use crate::command::{good, place, run, stdout};
use crate::required::{can_import, python};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/replay_code.py");

#[test]
fn a_second_program_replays_codes_to_the_same_boards() {
    if !can_import(&["sys"]) {
        return;
    }
    let place = place();
    good(&place, "--size 2x3 --quiet");
    let sample = good(&place, "witness --sample 300 --dir enum48-data/2x3 --quiet");
    let codes: Vec<&str> = sample.lines().chain([WON, DEAD, ONE]).collect();
    let output = python(&[&[SCRIPT], &codes[..]].concat()).unwrap();
    assert!(output.status.success(), "{}", stdout(&output));
    assert_eq!(stdout(&output).lines().count(), codes.len());
    for (code, end) in codes.iter().zip(stdout(&output).lines()) {
        let own: enum48::play::Code = code.parse().unwrap();
        assert_eq!(own.end().to_string(), end, "{code}");
    }
    // Both programs refuse each changed code.
    for (at, letter) in codes[0].char_indices() {
        let other = if letter == 'A' { "B" } else { "A" };
        let changed = format!(
            "{}{other}{}",
            &codes[0][..at],
            &codes[0][at + letter.len_utf8()..]
        );
        assert_eq!(
            python(&[SCRIPT, &changed]).unwrap().status.code(),
            Some(1),
            "{changed}"
        );
        assert_eq!(
            run(&place, &format!("replay {changed}")).status.code(),
            Some(1)
        );
    }
}

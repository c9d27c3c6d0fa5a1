//! `enum48 play` where there is no terminal.

use crate::command::{good, place};
use crate::outcomes::refused;

#[test]
fn what_cannot_be_played_is_refused_in_a_line() {
    let place = place();
    for (args, text) in [
        ("--size 3", "stdin or stderr is not a terminal"),
        ("--size 4", "give --max, 65536 at most"),
        ("--size 3 --max 100", "max 100: not a winning tile"),
        ("--size 3 --seed A", "not a seed"),
        ("--max 2048", "--size"),
    ] {
        refused(&place, &format!("play {args}"), text);
    }
    let help = good(&place, "play --help");
    assert!(help.starts_with("Play a game in the terminal"), "{help}");
}

//! `enum48 play` where there is no terminal.

use crate::command::{good, place};
use crate::outcomes::refused;

#[test]
fn what_cannot_be_played_is_refused_in_a_line() {
    let place = place();
    good(&place, "--size 2 --max 16 --keep both --dir run --quiet");
    for (args, text) in [
        ("--size 3", "stdin or stderr is not a terminal"),
        ("--size 4", "give --max, 65536 at most"),
        ("--size 3 --max 100", "max 100: not a winning tile"),
        ("--size 3 --seed A", "not a seed"),
        ("--max 2048", "give --size or --dir"),
        ("--size 3 --for score", "--dir"),
        ("--dir nowhere", "nowhere: cannot read the directory"),
        ("--dir run", "run: not solved yet: enum48 solve run"),
    ] {
        refused(&place, &format!("play {args}"), text);
    }
    let help = good(&place, "play --help");
    assert!(help.starts_with("Play a game in the terminal"), "{help}");

    good(&place, "solve run --for score --quiet");
    for (args, text) in [
        ("--dir run --size 3", "holds the game 2x2-16, not 3x3-16"),
        (
            "--dir run --for 16",
            "solved for (score), got 16: enum48 solve run --for 16",
        ),
        ("--dir run --for best", "not something to play for"),
        ("--dir run", "stdin or stderr is not a terminal"),
    ] {
        refused(&place, &format!("play {args}"), text);
    }
}

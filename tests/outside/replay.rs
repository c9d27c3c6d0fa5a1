//! A Python script, written separately, replays the codes of games.

use enum48::game::Direction;
use enum48::play::{Code, Luck, Seed};

use super::player::{DEAD, ONE, WON};
use crate::command::{good, place, run, stderr, stdout};
use crate::script::python;

tests! {
    PYTHON => [
        a_second_program_replays_codes_to_the_same_boards,
        a_second_program_refuses_each_bad_field_and_goes_on,
    ],
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/replay_code.py");

fn a_second_program_replays_codes_to_the_same_boards() {
    let place = place();
    good(&place, "--size 2x3 --quiet");
    let sample = good(&place, "witness --sample 300 --dir enum48-data/2x3 --quiet");
    good(&place, "3x3free5-16 --quiet");
    let with_stones = good(
        &place,
        "witness --sample 100 --dir enum48-data/3x3free5-16 --quiet",
    );
    // Seeds place the stones, too. Games to a horizon of 20 or 40 come to it, or win.
    let games = [
        "free8-64",
        "L3-64",
        "3x3free5lockfff",
        "free9lockffffff_fff0fff",
        "442-64",
        "t-8until20",
        "free8atff0000-16until40",
    ];
    let seeds = (0..140).zip(games.into_iter().cycle());
    let seeded: Vec<String> = seeds
        .map(|(seed, game)| seeded_with_stones(game, seed))
        .collect();
    let seeded = seeded.iter().map(String::as_str);
    let codes = sample.lines().chain(with_stones.lines());
    let codes: Vec<&str> = codes.chain(seeded).chain([WON, DEAD, ONE]).collect();
    let output = python(&[&[SCRIPT], &codes[..]].concat());
    assert!(output.status.success(), "{}", stdout(&output));
    assert_eq!(stdout(&output).lines().count(), codes.len());
    for (code, end) in codes.iter().zip(stdout(&output).lines()) {
        let own: Code = code.parse().unwrap();
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
            python(&[SCRIPT, &changed]).status.code(),
            Some(1),
            "{changed}"
        );
        assert_eq!(
            run(&place, &format!("replay {changed}")).status.code(),
            Some(1)
        );
    }
}

/// The code of a game with up to twenty moves, each the first legal one.
fn seeded_with_stones(game: &str, seed: u64) -> String {
    let (game, luck) = (game.parse().unwrap(), Luck::Seed(Seed(seed)));
    let mut code = Code::new(game, luck.clone(), vec![]).unwrap();
    for _ in 0..20 {
        let moves = |direction| [code.moves(), &[direction]].concat();
        let next = Direction::ALL.map(|direction| Code::new(game, luck.clone(), moves(direction)));
        match next.into_iter().find_map(Result::ok) {
            Some(next) => code = next,
            None => break,
        }
    }
    code.to_string()
}

fn a_second_program_refuses_each_bad_field_and_goes_on() {
    // The checks of all codes are right.
    let bad = [
        "s1.1x1-8.5.0..180547e6",
        "s1.0x0.5.0..17323695",
        "s1.3x5.5.0..c970a0c5",
        "s1.2x2-15.5.0..49928aaf",
        "s1.2x2-.5.0..e38a3b16",
        "s1.2x2-16.zzzzzzzzzzzzzzzz.0..828f9210",
        "s1.2x2-16.-5.0..6c6d6954",
        "s1.2x2-16.05.0..f41d3a67",
        "s1.2x2-16.5.00..ad5debf3",
        "s1.2x2-16.5.-1..a0b8ea91",
        "w1.2x2-8.DB.0...5a83682e",
        "w1.2x2-8.B.0..D.db0137ef",
    ];
    let mut codes = vec![SCRIPT];
    for code in bad {
        let error = code.parse::<enum48::play::Code>().unwrap_err();
        assert!(!error.to_string().contains("the check is"), "{error}");
        codes.extend([code, WON]);
    }
    let output = python(&codes);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), 2 * bad.len());
    for (pair, code) in lines.chunks(2).zip(bad) {
        assert!(pair[0].starts_with("false: "), "{code}: {}", pair[0]);
        assert!(!pair[0].contains("check differs"), "{code}");
        assert_eq!(pair[1], "16 4 / . .");
    }
}

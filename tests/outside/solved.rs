//! The page of `enum48 play --dir DIR --html FILE` in Chromium. The trials are in `solved.py`.

use std::iter;
use std::sync::LazyLock;

use enum48::play::{Code, Position, Status};
use serde_json::Value;
use tempfile::TempDir;

use super::browser::try_out;
use super::player::spoken;
use crate::command::{good, place, stderr, stdout};
use crate::fed::fed;

tests! {
    BROWSER => [
        a_page_follows_the_rules_and_agrees_with_best,
        a_page_works_with_keys_touch_and_screen_readers,
        a_page_fits_every_screen,
        a_damaged_page_shows_an_error,
    ],
}

/// Games, their names, and their objectives. 2x3 has three objectives, 2x2 to 32 has only a chance,
/// 3x3 to 16 has nine cells, and 2x3 to 128 has seven objectives, some of them nearly certain. The others have
/// stones: anywhere, in one of two masks, and beside a target cell up to a horizon.
const GAMES: [(&str, &str, &str); 7] = [
    ("3x3free5 --max 32", "3x3free5-32", "score,32"),
    (
        "3x3free5lockf00f00f_fff --max 32",
        "3x3free5lockfff_f00f00f-32",
        "32,moves",
    ),
    (
        "3x3free7lockffatf00000000 --max 16 --horizon 40",
        "3x3free7lockffatf00000000-16until40",
        "score,16",
    ),
    ("2x3 --max 128", "2x3-128", "score,moves,128,64,32,16,8"),
    ("2x3", "2x3", "score,moves,64"),
    ("2 --max 32", "2x2-32", "32"),
    ("3 --max 16", "3x3-16", "moves,score"),
];

/// The solved games with their pages.
static PAGES: LazyLock<TempDir> = LazyLock::new(|| {
    let place = place();
    for (game, name, objectives) in GAMES {
        good(
            &place,
            &format!("--size {game} --keep afterstates --dir {name} --quiet"),
        );
        good(&place, &format!("solve {name} --for {objectives} --quiet"));
        good(
            &place,
            &format!("play --dir {name} --for {objectives} --html {name}.html"),
        );
    }
    place
});

/// Runs a trial of a page, and returns its result.
fn try_page(trial: &str, name: &str) -> Value {
    let page = PAGES.path().join(format!("{name}.html"));
    try_out("solved.py", trial, &page, &Value::Null)
}

/// What `best` prints for positions, as JSON.
fn best(name: &str, objectives: &str, positions: &[Position]) -> Vec<Value> {
    let args = ["best", "-", "--dir", name, "--for", objectives, "--json"];
    let lines: String = positions.iter().map(|at| format!("{at}\n")).collect();
    let output = fed(&PAGES, &args, lines.as_bytes());
    assert!(output.status.success(), "{}", stderr(&output));
    let values = stdout(&output).lines().map(serde_json::from_str);
    values.collect::<Result<_, _>>().unwrap()
}

/// The expected texts of the moves of a position, from the values that `best` prints.
fn expected(objectives: &str, best: &Value) -> Vec<String> {
    // The page stores five decimals of a score and seven of a chance. It rounds them again to show
    // them.
    let is_chance = |objective: &str| objective.parse::<u32>().is_ok();
    let text = |objective: &str, number: f64| match is_chance(objective) {
        true if number > 0.0 && number < 0.5e-4 => "<0.01 %".to_owned(),
        true if (0.99995..1.0).contains(&number) => ">99.99 %".to_owned(),
        true => format!("{:.2} %", 100.0 * ((number * 1e7).round() / 1e7)),
        false => format!("{:.2}", (number * 1e5).round() / 1e5),
    };
    let heading = |objective: &str| match is_chance(objective) {
        true => format!("chance of {objective}"),
        false => format!("{objective} to come"),
    };
    let moves = best["moves"].as_array().unwrap().iter();
    let legal = moves.filter(|of| of["legal"] == true).map(|of| {
        let facts = objectives.split(',').map(|objective| {
            let value = of["values"][objective].as_f64().unwrap();
            format!("{} {}", heading(objective), text(objective, value))
        });
        let mut facts: Vec<String> = facts.collect();
        let loss = of["loss"].as_f64().unwrap();
        let first = objectives.split(',').next().unwrap();
        let loss = match text(first, loss).as_str() {
            _ if loss == 0.0 => "best".to_owned(),
            "0.00" => "−<0.01".to_owned(),
            loss => format!("−{loss}"),
        };
        facts.insert(1, format!("loss {loss}"));
        format!("{}, {}", of["move"].as_str().unwrap(), facts.join(", "))
    });
    legal.collect()
}

fn a_page_follows_the_rules_and_agrees_with_best() {
    for (_, name, objectives) in GAMES {
        let goal = match objectives.split(',').next().unwrap() {
            "score" => "expected score",
            "moves" => "expected number of moves",
            _ => "chance of 32",
        };
        assert_eq!(
            try_page("goal", name),
            format!("best for: {goal}, if 1/10 of spawned tiles are 4s")
        );
        let games = try_page("games", name);
        let mut seen = 0;
        for game in games.as_array().unwrap() {
            // Parsing a code replays the game and checks it.
            let code: Code = game["code"].as_str().unwrap().parse().unwrap();
            assert_eq!(code.game().to_string(), name);
            let replay = code.replay();
            let start = replay.position().clone();
            let turns = replay.map(|turn| turn.unwrap().position);
            let positions: Vec<Position> = iter::once(start).chain(turns).collect();
            // A board without moves may be no state: it can be won, or lost at the horizon.
            let going_on = positions.iter().filter(|at| at.status() == Status::Live);
            let going_on: Vec<Position> = going_on.cloned().collect();
            let best = best(name, objectives, &going_on);
            let all_shown = game["shown"].as_array().unwrap();
            assert_eq!(
                (all_shown.len(), best.len()),
                (positions.len(), going_on.len())
            );
            let best = best.iter().map(|best| expected(objectives, best));
            let best = best.chain(iter::repeat(vec![]));
            for ((shown, best), position) in all_shown.iter().zip(best).zip(&positions) {
                assert_eq!(shown["board"], spoken(position));
                let moves = shown["moves"].as_array().unwrap().iter();
                let moves: Vec<&str> = moves.map(|text| text.as_str().unwrap()).collect();
                assert_eq!(moves, best, "{position}");
            }
            seen += positions.len();
            assert_eq!(positions.last(), Some(code.end()));
            assert_ne!(code.end().status(), Status::Live);
        }
        assert!(seen > 20, "{name}: {seen}");
    }
}

fn a_page_works_with_keys_touch_and_screen_readers() {
    for trial in ["keys", "seeds", "watches", "focus", "swipes"] {
        try_page(trial, "2x3");
    }
}

fn a_page_fits_every_screen() {
    for trial in ["motion", "fits", "contrast"] {
        try_page(trial, "2x3");
    }
    try_page("fits", "2x2-32");
    try_page("fits", "2x3-128");
}

fn a_damaged_page_shows_an_error() {
    try_page("damaged", "2x3");
}

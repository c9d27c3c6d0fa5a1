//! The page of `enum48 play --dir DIR --html FILE`, in Chromium. What is tried is in `solved.py`.

use std::sync::LazyLock;

use enum48::game::Objective;
use enum48::play::{Code, Position, Status};
use enum48::solve::Values;
use enum48::store::{Goal, Solution};
use serde_json::Value;
use tempfile::TempDir;

use crate::command::{good, place, stderr, stdout};
use crate::player::{can_browse, spoken};
use crate::required::python;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/outside/solved.py");

/// Solved games with their pages: 2x3 for three objectives, 2x2 to 32 for one that is no score, and a
/// game with nine cells.
static PAGES: LazyLock<TempDir> = LazyLock::new(|| {
    let place = place();
    for (game, name, objectives) in [
        ("2x3", "2x3", "score,moves,64"),
        ("2 --max 32", "2x2-32", "32"),
        ("3 --max 16", "3x3-16", "moves,score"),
    ] {
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

/// Try a page; returns what the trial prints.
fn try_page(trial: &str, name: &str) -> String {
    let page = PAGES.path().join(format!("{name}.html"));
    let output = python(&[SCRIPT, trial, page.to_str().unwrap()]).unwrap();
    let success = output.status.success();
    assert!(success, "{trial}: {name}:\n{}", stderr(&output));
    stdout(&output).to_owned()
}

/// What the page should say of the moves of a position, from the files of the solution.
fn expected(values: &mut Values, goals: &[Goal], position: &Position) -> Vec<String> {
    // The page has scores to five digits and chances to seven, and rounds these again to show them.
    let text = |goal: &Goal, number: f64| match goal.objective {
        Objective::Tile(_) => format!("{:.2} %", 100.0 * ((number * 1e7).round() / 1e7)),
        _ => format!("{:.2}", (number * 1e5).round() / 1e5),
    };
    let heading = |goal: &Goal| match goal.objective {
        Objective::Tile(exp) => format!("chance of {}", exp.tile()),
        other => format!("{other} to come"),
    };
    if position.status() != Status::Live {
        return Vec::new();
    }
    let moves = values.moves(position.board().unwrap()).unwrap();
    let best = moves.iter().max_by_key(|of| of.units[0]).unwrap();
    let lines = moves.iter().map(|of| {
        let facts = goals.iter().zip(&of.numbers);
        let facts =
            facts.map(|(goal, &number)| format!("{} {}", heading(goal), text(goal, number)));
        let mut facts: Vec<String> = facts.collect();
        let loss = text(&goals[0], best.numbers[0] - of.numbers[0]);
        let loss = match loss.as_str() {
            _ if of.units[0] == best.units[0] => "best".to_owned(),
            "0.00" | "0.00 %" => "−<0.01".to_owned(),
            _ => format!("−{loss}"),
        };
        facts.insert(1, format!("loss {loss}"));
        format!("{}, {}", of.direction.name(), facts.join(", "))
    });
    lines.collect()
}

#[test]
fn a_page_plays_by_the_rules_and_says_what_the_solution_says() {
    if !can_browse() {
        return;
    }
    for name in ["2x3", "2x2-32", "3x3-16"] {
        let solution = Solution::open(&PAGES.path().join(name)).unwrap();
        let mut goals: Vec<Goal> = solution.goals().collect();
        if name == "3x3-16" {
            goals.reverse();
        }
        let mut values = Values::new(&solution, &goals, 1 << 20).unwrap();
        let games: Value = serde_json::from_str(&try_page("games", name)).unwrap();
        let mut seen = 0;
        for game in games.as_array().unwrap() {
            // To read it is to replay it.
            let code: Code = game["code"].as_str().unwrap().parse().unwrap();
            assert_eq!(code.game().to_string(), name);
            let mut replay = code.replay();
            for shown in game["shown"].as_array().unwrap() {
                let position = replay.position();
                assert_eq!(shown["board"], spoken(position));
                let moves = shown["moves"].as_array().unwrap().iter();
                let moves: Vec<&str> = moves.map(|text| text.as_str().unwrap()).collect();
                assert_eq!(moves, expected(&mut values, &goals, position), "{position}");
                seen += 1;
                replay.next();
            }
            assert_eq!(replay.position(), code.end());
            assert_ne!(code.end().status(), Status::Live);
        }
        assert!(seen > 20, "{name}: {seen}");
    }
}

#[test]
fn keys_fingers_and_screen_readers_have_all_of_the_page() {
    if !can_browse() {
        return;
    }
    for trial in ["keys", "seeds", "watches", "focus", "swipes"] {
        try_page(trial, "2x3");
    }
}

#[test]
fn a_page_is_seen_on_every_screen() {
    if !can_browse() {
        return;
    }
    for trial in ["motion", "fits", "contrast"] {
        try_page(trial, "2x3");
    }
    try_page("fits", "2x2-32");
}

#[test]
fn a_damaged_page_says_so() {
    if can_browse() {
        try_page("damaged", "2x3");
    }
}

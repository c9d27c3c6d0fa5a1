//! The page of `enum48 replay CODE --html FILE` in Chromium, with the keyboard alone.
//!
//! The tests need Python 3 with the package `selenium`, Chromium and `chromedriver`. The trials are
//! in `player.py`.

use enum48::play::{Code, Luck, Position, Spawn, Status};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::browser::try_out;
use crate::command::{good, place};

tests! {
    BROWSER => [
        arrows_home_and_end_show_every_position,
        moves_are_announced_word_for_word,
        space_plays_and_pauses_and_digits_set_the_speed,
        a_fast_game_is_announced_about_once_a_second,
        keys_act_once_wherever_the_focus_is,
        keys_with_ctrl_alt_or_meta_are_left_to_the_browser,
        enter_goes_to_a_move_of_the_list,
        the_code_is_copied,
        tiles_are_animated_unless_motion_is_reduced,
        a_phone_has_room_for_every_game,
        the_controls_fit_into_every_window,
        the_address_links_to_a_move_without_filling_the_history,
        every_tile_fits_and_all_text_has_contrast,
        without_scripts_the_page_shows_the_code,
        a_page_with_a_solution_shows_values_and_losses,
    ],
}

const LONG: &str = "s1.4x4-2048.tiles.138./89/M/83//M338z/3z/P/zPPMzP//9N/M38Pwxz89zPf//.32e959d1";
/// The first 39 moves of `LONG`. On the page of all moves, the browser takes twice as long for a key.
const SHORT: &str = "s1.4x4-2048.tiles.39./89/M/83//M33.34134eee";
pub(crate) const DEAD: &str = "s1.3x3.0.31.-/t/v97/7/g.1385f34a";
const WIDE: &str = "s1.2x3-16.a.10.//zw.W.fa2cf282";
pub(crate) const WON: &str = "s1.2x2-16.5.7.PzA.W.8619cce7";
pub(crate) const ONE: &str = "w1.2x2-8.BD.1.w..W.10f0c486";

/// The code of a game without moves: only its start.
fn start_of(game: &str) -> String {
    let start = [(1, 4), (6, 2)].map(|(cell, tile)| Spawn { cell, tile });
    let luck = Luck::Spawns {
        stones: vec![],
        start,
        then: vec![],
    };
    let code = Code::new(game.parse().unwrap(), luck, vec![]).unwrap();
    code.to_string()
}

/// Runs a trial of the page of a game. `trial` is a function of `player.py`.
fn try_page(trial: &str, code: &str) {
    let place = place();
    good(&place, &format!("replay {code} --html game.html"));
    look(&place, trial, &expected(&code.parse().unwrap()));
}

fn look(place: &TempDir, trial: &str, game: &Value) {
    try_out("player.py", trial, &place.path().join("game.html"), game);
}

/// For each position of `WIDE`: the score to come, the best moves, and the played move with its
/// loss. The numbers come from a solver in Python, written from the definition of best play, in
/// floating point. The chance of 16 is always 1.
const ADVICE: [(&str, &str, &str); 11] = [
    ("67.14", "right or left", "left"),
    ("67.50", "right or left", "left"),
    ("64.17", "right or left", "left"),
    ("60.77", "up or down", "left, −0.75"),
    ("61.01", "up or down", "left, −2.47"),
    ("55.02", "left", "left"),
    ("47.49", "down", "left, −0.43"),
    ("42.23", "down", "up, −1.53"),
    ("34.95", "right", "left, −3.38"),
    ("24.28", "down", "left, −8.28"),
    ("0.00", "", ""),
];

/// Runs a trial of the page of `WIDE` with advice.
fn try_advice(trial: &str) {
    let place = place();
    good(&place, "--size 2x3 --max 16 --keep both --dir run --quiet");
    good(&place, "solve run --for score,16 --quiet");
    good(&place, &format!("replay {WIDE} --html game.html --dir run"));
    let mut game = expected(&WIDE.parse().unwrap());
    let positions = game["positions"].as_array_mut().unwrap();
    for (position, (score, best, played)) in positions.iter_mut().zip(ADVICE) {
        let facts = [
            ("score to come", score),
            ("chance of 16", "100.00 %"),
            ("best move", best),
            ("played next", played),
        ];
        let facts = facts.into_iter().filter(|(_, text)| !text.is_empty());
        position["advice"] = facts.map(|(fact, text)| json!([fact, text])).collect();
    }
    look(&place, trial, &game);
}

/// The expected content of the page.
fn expected(code: &Code) -> Value {
    let total = code.moves().len();
    let noun = if total == 1 { "move" } else { "moves" };
    let replay = code.replay();
    let start = shown(&format!("start of {total} {noun}"), replay.position());
    let turns = replay.map(|turn| {
        let turn = turn.unwrap();
        let columns = code.game().size().cols();
        let follows = match turn.spawn {
            None => "wins".to_owned(),
            Some(Spawn { cell, tile }) => {
                let (row, column) = (cell / columns + 1, cell % columns + 1);
                format!("a {tile} at row {row} column {column}")
            }
        };
        let direction = turn.direction.name();
        let says = format!("move {} of {total}: {direction}, {follows}", turn.number);
        shown(&says, &turn.position)
    });
    let positions: Vec<Value> = [start].into_iter().chain(turns).collect();
    let result = match code.end().status() {
        Status::Won => "won",
        Status::Dead => "dead",
        Status::Live => "unfinished",
    };
    let (name, code) = (code.game().to_string(), code.to_string());
    json!({"name": name, "code": code, "result": result, "positions": positions})
}

fn shown(says: &str, position: &Position) -> Value {
    json!({"says": says, "board": spoken(position), "score": position.score()})
}

/// The board in words, such as `row 1: 4, empty; row 2: 2, 8`.
pub(crate) fn spoken(position: &Position) -> String {
    let text = position.to_string().replace('.', "empty");
    let text = text.replace('x', "stone");
    let rows = text.split(" / ").enumerate();
    let rows = rows.map(|(at, row)| format!("row {}: {}", at + 1, row.replace(' ', ", ")));
    rows.collect::<Vec<_>>().join("; ")
}

fn arrows_home_and_end_show_every_position() {
    for code in [SHORT, DEAD, WIDE, ONE, &start_of("2x4")] {
        try_page("steps", code);
    }
}

fn moves_are_announced_word_for_word() {
    try_page("announcements", WON);
}

fn space_plays_and_pauses_and_digits_set_the_speed() {
    try_page("plays", SHORT);
    try_page("plays_in_real_time", WIDE);
}

fn a_fast_game_is_announced_about_once_a_second() {
    try_page("announces_calmly", LONG);
}

fn keys_act_once_wherever_the_focus_is() {
    try_page("focus", SHORT);
}

fn keys_with_ctrl_alt_or_meta_are_left_to_the_browser() {
    try_page("modifiers", DEAD);
}

fn enter_goes_to_a_move_of_the_list() {
    try_page("moves", LONG);
}

fn the_code_is_copied() {
    try_page("copies", WIDE);
}

fn tiles_are_animated_unless_motion_is_reduced() {
    try_page("motion", WIDE);
}

fn a_phone_has_room_for_every_game() {
    for game in ["2x4", "4x2", "4x3", "3x4", "4x4"] {
        try_page("phone", &start_of(game));
    }
    try_page("phone", LONG);
}

fn the_controls_fit_into_every_window() {
    for game in ["2x4", "4x2", "4x4-65536"] {
        try_page("fits", &start_of(game));
    }
    try_page("fits", LONG);
}

fn the_address_links_to_a_move_without_filling_the_history() {
    try_page("links", LONG);
}

fn every_tile_fits_and_all_text_has_contrast() {
    try_page("tiles", &start_of("4x4-65536"));
}

fn without_scripts_the_page_shows_the_code() {
    try_page("without_scripts", ONE);
}

fn a_page_with_a_solution_shows_values_and_losses() {
    for trial in ["steps", "advises", "contrasts", "phone", "fits"] {
        try_advice(trial);
    }
}

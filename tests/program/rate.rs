//! `enum48 rate`: how much the moves of a game lose.

use enum48::game::Direction;
use enum48::play::{Code, Luck, Seed, Spawn, Status};
use serde_json::Value;
use tempfile::TempDir;

use crate::command::{good, stderr, stdout};
use crate::fed::fed;
use crate::outcomes::{disagrees, refused, unread};
use crate::solved::solved;

fn json(place: &TempDir, args: &str) -> Value {
    serde_json::from_str(&good(place, &format!("{args} --json"))).unwrap()
}

/// The code of a game of 2x2.
fn code(seed: u64, moves: Vec<Direction>) -> Code {
    Code::new("2x2".parse().unwrap(), Luck::Seed(Seed(seed)), moves).unwrap()
}

/// A game of the best moves, or of the worst.
fn played(place: &TempDir, seed: u64, worst: bool) -> Code {
    let mut moves = Vec::new();
    loop {
        let game = code(seed, moves.clone());
        if game.end().status() != Status::Live {
            return game;
        }
        let board = game.end().board().unwrap();
        let answer = json(place, &format!("best {board:#06x} --dir run"));
        let losses = answer["moves"].as_array().unwrap().iter();
        let losses = losses.map(|of| of["loss"].as_f64().unwrap_or(-1.0));
        let losses: Vec<f64> = losses.collect();
        let most = losses.iter().copied().fold(0.0, f64::max);
        let wanted = if worst { most } else { 0.0 };
        let at = losses.iter().position(|loss| *loss == wanted).unwrap();
        moves.push(Direction::ALL[at]);
    }
}

#[test]
fn a_game_of_the_best_moves_loses_exactly_0() {
    let place = solved("--size 2", "score");
    for seed in 1..=3 {
        let code = played(&place, seed, false);
        let rated = json(&place, &format!("rate {code} --dir run"));
        assert_eq!(rated["code"], code.to_string());
        assert_eq!(rated["loss"], 0.0);
        assert_eq!(rated["best_moves"], code.moves().len());
        assert_eq!(rated["worst"], serde_json::json!([]));
        for of in rated["moves"].as_array().unwrap() {
            assert_eq!(of["move"], of["best"]);
            assert_eq!(of["loss"], 0.0);
            assert_eq!(of["value"], of["best_value"]);
        }
        let text = good(&place, &format!("rate {code} --dir run"));
        let (_, end) = text.split_once("\nloss       0\n").expect(&text);
        assert!(end.starts_with("values     off by at most "), "{text}");
        assert!(
            end.ends_with("\n4s         1/10 of spawned tiles\n"),
            "{text}"
        );
        assert_eq!(end.lines().count(), 2, "{text}");
    }
}

#[test]
fn losses_agree_with_best_and_the_worst_moves_come_first() {
    let place = solved("--size 2", "score,32");
    let code = played(&place, 5, true);
    for objective in ["score", "32"] {
        let rated = json(
            &place,
            &format!("rate {code} --dir run --for {objective} --worst 3"),
        );
        assert_eq!(rated["game"], "2x2");
        assert_eq!(rated["objective"], objective);
        let moves = rated["moves"].as_array().unwrap();
        assert_eq!(moves.len(), code.moves().len());
        let mut sum = 0.0;
        let mut losses: Vec<(u64, f64)> = Vec::new();
        for (of, direction) in moves.iter().zip(code.moves()) {
            let board = of["board"].as_str().unwrap();
            let best = json(&place, &format!("best {board} --dir run --for {objective}"));
            let asked = &best["moves"][*direction as usize];
            assert_eq!(of["move"], direction.name());
            assert_eq!(of["loss"], asked["loss"]);
            assert_eq!(of["value"], asked["values"][objective]);
            assert_eq!(of["best_value"], best["values"][objective]);
            let ties = of["ties"].as_array().unwrap();
            assert_eq!(ties[0], best["best"]);
            assert!(ties.contains(&of["best"]));
            let loss = of["loss"].as_f64().unwrap();
            assert_eq!(ties.contains(&of["move"]), loss == 0.0);
            losses.push((of["number"].as_u64().unwrap(), loss));
            sum += loss;
        }
        assert!((rated["loss"].as_f64().unwrap() - sum).abs() < 1e-9);
        assert!(sum > 0.0);
        losses.sort_by(|one, other| other.1.total_cmp(&one.1));
        losses.retain(|(_, loss)| *loss > 0.0);
        let best_moves = moves.len() - losses.len();
        assert_eq!(rated["best_moves"], best_moves);
        let worst: Vec<u64> = losses.iter().take(3).map(|(number, _)| *number).collect();
        assert_eq!(rated["worst"], serde_json::json!(worst));
        let solved = json(&place, &format!("solve run --for {objective} --quiet"));
        assert_eq!(rated["error"], solved["objectives"][0]["error"]);
    }
}

/// On . . 2 / 2 4 . of 2x3 to 16, left is better than up by 0.4 points. Without bits after the binary point,
/// two values can differ by a point because of errors alone.
#[test]
fn a_move_is_no_worse_if_its_loss_is_within_the_errors() {
    let spawn = |cell, tile| Spawn { cell, tile };
    for (objective, worse) in [("score", true), ("score:0", false)] {
        let place = solved("--size 2x3 --max 16", objective);
        for (direction, empty, loses) in [(Direction::Left, 1, false), (Direction::Up, 3, worse)] {
            let luck = Luck::Spawns {
                stones: vec![],
                start: [spawn(0, 2), spawn(1, 4)],
                then: vec![spawn(2, 2), spawn(empty, 2)],
            };
            let moves = vec![Direction::Down, direction];
            let code = Code::new("2x3-16".parse().unwrap(), luck, moves).unwrap();
            let rated = json(&place, &format!("rate {code} --dir run"));
            let of = &rated["moves"][1];
            assert_eq!(of["board"], "0x001120");
            assert_eq!(of["loss"].as_f64().unwrap() > 0.0, loses, "{of}");
            assert_eq!(of["best"], if loses { "left" } else { direction.name() });
            let ties = of["ties"].as_array().unwrap();
            assert_eq!(ties.len(), if worse { 1 } else { 4 });
        }
        let best = good(&place, "best 0x001120 --dir run");
        assert!(
            best.contains(if worse {
                " left\n"
            } else {
                " up, right, down, left\n"
            }),
            "{best}"
        );
    }
}

#[test]
fn the_table_lists_the_moves_with_their_losses() {
    let place = solved("--size 2 --max 8", "8");
    // Right is the only legal move of 2 . / 4 ., and leads to 2 2 / . 4 if a 2 spawns.
    // Left and right make two 4s, and then the 8. Down makes . 2 / 2 4. A spawned 2, nine times in ten,
    // still leads to the 8. The 4 that spawns here leaves no legal move.
    let spawn = |cell, tile| Spawn { cell, tile };
    let luck = Luck::Spawns {
        stones: vec![],
        start: [spawn(0, 2), spawn(2, 4)],
        then: vec![spawn(0, 2), spawn(0, 4)],
    };
    let moves = vec![Direction::Right, Direction::Down];
    let code = Code::new("2x2-8".parse().unwrap(), luck, moves).unwrap();
    let said = good(&place, &format!("rate {code} --dir run"));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "       board  move        value        loss best");
    let first = lines[1].split_whitespace().collect::<Vec<_>>();
    assert_eq!([first[0], first[1], first[2]], ["1", "0x1020", "right"]);
    assert_eq!([first[4], first[5]], ["0", "right"]);
    assert_eq!(
        lines[2..],
        [
            "     2 0x1102 down   0.90000000  0.10000000 right, left",
            "",
            "game       2x2-8",
            "objective  8",
            "moves      2, best 1",
            "loss       0.10000000",
            "values     off by at most 9.4e-10, the loss of a move by at most twice that",
            "4s         1/10 of spawned tiles",
            "worst      move 2, down at 2 2 / . 4: loses 0.10000000 against right, left",
        ]
    );
}

/// After the move that loses a forced tile, luck can make the tile forceable again.
#[test]
fn a_game_can_lose_a_forced_tile_twice() {
    let place = solved("--size 2", "sure-16");
    let code = "w1.2x2.EH.4.CQ.HFCA.9183e960";
    let rated = json(&place, &format!("rate {code} --dir run"));
    let losses = rated["moves"].as_array().unwrap().iter();
    let losses: Vec<f64> = losses.map(|of| of["loss"].as_f64().unwrap()).collect();
    assert_eq!(losses, [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(rated["loss"], 2.0);
    let table = good(&place, &format!("rate {code} --dir run"));
    assert!(table.contains("\nloss       2\n"), "{table}");
    let output = fed(&place, &["rate", "-", "--dir", "run"], code.as_bytes());
    assert_eq!(stdout(&output), "moves=4 best=2 loss=2 worst=3:1\n");
    // No value depends on the rate of 4s, so no text names it.
    assert!(!table.contains("4s  "), "{table}");
    assert_eq!(rated["four"], "1/10");
}

#[test]
fn codes_on_stdin_are_answered_one_by_one() {
    let place = solved("--size 2", "score");
    let codes = [played(&place, 5, true), played(&place, 5, false)];
    let lines = format!(
        "{}\nrubbish\nw1.2x2-8.BD.1.w..W.10f0c486\r\n{}",
        codes[0], codes[1]
    );
    let output = fed(&place, &["rate", "-", "--dir", "run"], lines.as_bytes());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let said: Vec<&str> = stdout(&output).lines().collect();
    let moves = codes.each_ref().map(|code| code.moves().len());
    assert!(
        said[0].starts_with(&format!("moves={} best=", moves[0])),
        "{said:?}"
    );
    assert!(said[1].starts_with("line 2: code: \"rubbish\": not a code"));
    assert_eq!(
        said[2],
        "line 3: run: holds the game 2x2, not 2x2-8, the game of the code: give another --dir"
    );
    let best = format!("moves={0} best={0} loss=0 worst=-", moves[1]);
    assert_eq!(said[3..], [best]);
    let output = fed(
        &place,
        &["rate", "-", "--dir", "run", "--json"],
        lines.as_bytes(),
    );
    let said: Vec<&str> = stdout(&output).lines().collect();
    let single = good(&place, &format!("rate {} --dir run --json", codes[0]));
    let output = fed(&place, &["rate", "-", "--dir", "run"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("stdin: no question in the input"));
    assert_eq!(format!("{}\n", said[0]), single);
    assert!(
        said[1].starts_with("{\"code\":\"rubbish\",\"error\":\"code: "),
        "{}",
        said[1]
    );
}

#[test]
fn a_code_of_another_game_is_refused() {
    let place = solved("--size 2", "score");
    disagrees(
        &place,
        "rate rubbish --dir run",
        "enum48: code: \"rubbish\": not a code",
    );
    disagrees(
        &place,
        "rate rubbish --dir run --json",
        "{\"code\":\"rubbish\",\"error\":",
    );
    let other = "rate w1.2x2-8.BD.1.w..W.10f0c486 --dir run";
    refused(&place, other, "run: holds the game 2x2, not 2x2-8");
    for command in ["rate", "replay"] {
        refused(&place, &format!("{command} --bogus"), "--bogus");
    }
    refused(
        &place,
        "rate -",
        "the codes of stdin need a game: give --dir",
    );
    let code = played(&place, 1, false);
    refused(
        &place,
        &format!("rate {code} --dir run --for 32"),
        "solve run --for 32",
    );
    unread(&place, &format!("rate {code} --dir run"));
}

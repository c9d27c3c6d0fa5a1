//! `enum48 best`: the values of boards and of their moves.

#![expect(clippy::disallowed_methods, reason = "a test damages a file by hand")]

use std::fs;

use serde_json::Value;

use crate::command::{good, place, run, stderr, stdout};
use crate::fed::fed;
use crate::files::files;
use crate::outcomes::{disagrees, refused, unread};
use crate::solved::solved;

/// 32 16 / 2 2 of 2x2. Both legal moves leave 32 16 / 4 ., worth 4/5 by hand: one time in ten a 4
/// spawns, and merges into an 8. The twin of the solver gives this value, too.
const LAST: &str = "0x5411";

#[test]
fn moves_are_shown_with_values_and_losses() {
    let place = solved("--size 2", "score,moves,32");
    assert_eq!(
        good(&place, &format!("best {LAST} --dir run")),
        "  32 16\n   2  2\n\nboard      0x5411\nstate      live\n4s         1/10 of spawned tiles\n\n           \
         value        error    best\n\
         score      4.8000       8.1e-7   right, left\n\
         moves      1.1000       1.1e-7   right, left\n\
         32         1.00000000   6.3e-9   right, left\n\n\
         move   after        score       moves          32        loss\n\
         up     not legal\n\
         right  0x5402     4.8000*     1.1000* 1.00000000*           0\n\
         down   not legal\n\
         left   0x5420     4.8000*     1.1000* 1.00000000*           0\n"
    );
    // In another orientation, for other objectives. The first of them decides the loss.
    assert_eq!(
        good(&place, "best 4 16 / . 2 --dir run --for 32,score,32"),
        "   4 16\n   .  2\n\nboard      0x2401\nstate      live\n4s         1/10 of spawned tiles\n\n           \
         value        error    best\n\
         32         0.08190000   6.3e-9   left\n\
         score      19.9043      8.1e-7   left\n\n\
         move   after           32       score        loss\n\
         up     not legal\nright  not legal\n\
         down   0x0421 0.00900000      1.8400   0.07290000\n\
         left   0x2410 0.08190000*    19.9043*           0\n"
    );
}

#[test]
fn the_table_fits_80_columns() {
    let place = solved("--size 2x4 --max 64", "score,64,moves,8,16,32");
    let best = "best 2 . . 4 / . 2 16 32 --dir run";
    for (objectives, tables) in [
        ("32", 1),
        ("score,64,moves,8", 1),
        ("score,moves,8,16,32,64", 2),
    ] {
        let table = good(&place, &format!("{best} --for {objectives}"));
        assert_eq!(table.matches("\nup     0x").count(), tables, "{table}");
        assert_eq!(table.matches("        loss\n").count(), 1, "{table}");
        let wide = table.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None);
        let headings = table.lines().filter(|line| line.starts_with("move "));
        let headings: Vec<&str> = headings.flat_map(str::split_whitespace).collect();
        for objective in objectives.split(',') {
            assert_eq!(
                headings.iter().filter(|name| **name == objective).count(),
                1
            );
        }
    }
}

#[test]
fn json_has_the_documented_keys() {
    let place = solved("--size 2 --max 32", "32,score");
    let text = good(&place, "best 16 16 / 4 4 --dir run --json --for score,32");
    assert_eq!(text.lines().count(), 1);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["board"], "0x4422");
    assert_eq!(answer["cells"], serde_json::json!([16, 16, 4, 4]));
    // The winning move scores both merges and ends the game.
    assert_eq!(answer["best"], "right");
    let names: Vec<&Value> = (0..4).map(|at| &answer["moves"][at]["move"]).collect();
    assert_eq!(names, ["up", "right", "down", "left"]);
    let [up, right] = [0, 1].map(|at| &answer["moves"][at]);
    assert_eq!(
        up.to_string(),
        "{\"move\":\"up\",\"legal\":false,\"afterstate\":null,\"values\":null,\"loss\":null,\"losses\":null}"
    );
    assert_eq!(right["legal"], true);
    assert_eq!(right["afterstate"], "0x0503");
    assert_eq!(right["values"].to_string(), "{\"score\":40.0,\"32\":1.0}");
    assert_eq!(right["losses"].to_string(), "{\"score\":0.0,\"32\":0.0}");
    assert_eq!(right["loss"], 0.0);
    assert_eq!(answer["state"], "live");
    assert_eq!(answer["reached"], true);
    assert_eq!(answer["values"], right["values"]);
}

#[test]
fn a_board_on_which_the_game_has_ended_has_a_value_and_no_moves() {
    let place = solved("--size 2 --max 32", "score,32");
    let dead = good(&place, "best 16 2 / 2 4 --dir run");
    assert!(
        dead.ends_with("state      dead\n4s         1/10 of spawned tiles\nscore      0.0000\n32         0.00000000\n"),
        "{dead}"
    );
    let won = good(&place, "best 32 . / 4 . --dir run");
    assert!(
        won.ends_with("state      won\n4s         1/10 of spawned tiles\nscore      0.0000\n32         1.00000000\n"),
        "{won}"
    );
    let won = good(&place, "best 32 . / 4 . --dir run --json");
    assert!(won.contains("\"best\":null,"), "{won}");
    assert!(
        won.contains(
            "\"state\":\"won\",\"reached\":true,\"values\":{\"score\":0.0,\"32\":1.0},\"error\":{"
        ),
        "{won}"
    );
}

#[test]
fn a_board_that_is_not_reached_has_no_values() {
    let place = solved("--size 2", "score");
    good(
        &place,
        "--size 2 --max 32 --keep afterstates --dir won --quiet",
    );
    good(&place, "solve won --quiet");
    // No game reaches four 2s: with three 2s, every move merges two of them. Yet each move of four 2s
    // leads to an afterstate of the run. The dead board with two 32s is not reached either. A game to
    // 32 ends with the move that makes the first 32.
    for (board, dir, state) in [
        ("0x1111", "run", "live"),
        ("0x5115", "run", "dead"),
        ("0x0000", "run", "empty"),
        ("0x0001", "run", "live"),
        ("0xffff", "run", "impossible"),
        ("0x5411", "won", "won"),
        ("0x5500", "won", "won"),
        ("0x6000", "won", "impossible"),
    ] {
        let said = format!(
            "\nstate      {state}\n4s         1/10 of spawned tiles\nreached    no: the game has no such state\n"
        );
        disagrees(&place, &format!("best {board} --dir {dir}"), &said);
        let output = run(&place, &format!("best {board} --dir {dir} --json"));
        assert!(stdout(&output).contains("\"reached\":false,"));
    }
    disagrees(
        &place,
        "best 0x1111 --dir run --json",
        "\"afterstate\":\"0x2200\",\"values\":null,\"loss\":null,\"losses\":null}",
    );
    disagrees(
        &place,
        "best 0x1111 --dir run --csv",
        "board,best,after_up,after_right,after_down,after_left,score,note\n0x1111,,,,,,,not reached\n",
    );
}

#[test]
fn lines_of_stdin_are_answered_one_by_one_in_order() {
    let place = solved("--size 2", "score,32");
    let lines = "\u{feff}0x5411\r\n  4,16 / .,2\nrubbish\n\n16 2 / 2 4\n0x1111\n0x2401";
    for threads in ["1", "2", "7"] {
        let output = fed(
            &place,
            &["best", "-", "--dir", "run", "--threads", threads],
            lines.as_bytes(),
        );
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let said: Vec<&str> = stdout(&output).lines().collect();
        assert_eq!(said[0], "0x5411 right score=4.8000 32=1.00000000");
        assert_eq!(said[1], "0x2401 left score=19.9043 32=0.08190000");
        assert!(said[2].starts_with("line 3: board \"rubbish\": not a board of 2x2: "));
        assert!(said[3].starts_with("line 4: board \"\": not a board of 2x2: "));
        assert_eq!(said[4], "0x4112 dead score=0.0000 32=0.00000000");
        assert_eq!(said[5..], ["0x1111 not reached", said[1]]);
    }
    let answer = |args: &str, lines: &[u8]| {
        let args: Vec<&str> = args.split(' ').collect();
        let output = fed(&place, &args, lines);
        (output.status.code(), stdout(&output).to_owned())
    };
    let (code, said) = answer("best - --dir run --json", b"0x5411\n0x5\xff\n");
    let (first, second) = said.split_once('\n').unwrap();
    assert_eq!(
        good(&place, &format!("best {LAST} --dir run --json")),
        format!("{first}\n")
    );
    assert!(
        second.starts_with("{\"line\":2,\"error\":\"board "),
        "{said}"
    );
    assert_eq!(code, Some(1));
    for args in ["best - --dir run", "best - --dir run --csv"] {
        assert_eq!(answer(args, b""), (Some(2), String::new()), "{args}");
    }
    assert_eq!(
        answer("best - --dir run --csv", b"0x5411\n0x1111\n\"\n16 2 / 2 4"),
        (
            Some(1),
            "board,best,after_up,after_right,after_down,after_left,score,tile_32,note\n\
             0x5411,right,,4.800000011920929,,4.800000011920929,4.800000011920929,1,\n\
             0x1111,,,,,,,,not reached\n\
             ,,,,,,,,\"line 3: board \"\"\\\"\"\"\": not a board of 2x2: \"\"\\\"\"\"\" is neither a power of \
             two from 2 to 32768 nor . for an empty cell: give it as in 0x2310, or row by row as in \"\"4 8 / 2 .\"\"\"\n\
             0x4112,,,,,,0,0,dead\n"
                .to_owned()
        )
    );
}

#[test]
fn states_of_a_run_can_be_piped_to_best() {
    let place = solved("--size 2x3 --max 64", "score,64");
    for format in ["csv", "hex"] {
        let states = good(&place, &format!("states run --format {format}"));
        let output = fed(
            &place,
            &["best", "-", "--dir", "run", "--csv", "--memory", "32M"],
            states.as_bytes(),
        );
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let boards = states.lines().filter(|line| line.starts_with("0x"));
        let boards = boards.map(|line| line.split(',').next().unwrap());
        let answers = stdout(&output).lines().skip(1);
        let answered = answers.map(|line| line.split(',').next().unwrap());
        assert!(boards.eq(answered), "{format}");
        // A live state has a best move, and the value of this move is the value of the board.
        for line in stdout(&output).lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let best = ["up", "right", "down", "left"]
                .iter()
                .position(|name| *name == fields[1]);
            assert_eq!(fields[2 + best.unwrap()], fields[6], "{line}");
            assert_eq!(fields[8], "", "{line}");
        }
    }
}

#[test]
fn bad_arguments_and_files_are_refused_in_one_line() {
    let place = solved("--size 2", "score");
    good(&place, "--size 2 --max 8 --quiet");
    refused(&place, "best 0x12345 --dir run", "not a board of 2x2");
    refused(&place, "best 0x2310 --dir nowhere", "nowhere");
    refused(
        &place,
        "best 0x2310",
        "no board size: give --size or --dir, or the board in 2 to 4 rows",
    );
    for text in ["0012000000000000", "boards.json", "[[0,2],[4,8]]"] {
        let said = format!("{text}: not a board: give the board in 2 to 4 rows");
        refused(&place, &format!("best {text}"), &said);
    }
    refused(&place, "best [[0,2],[4,8]] --dir run", "it looks like JSON");
    refused(
        &place,
        "best 0x2310 --size 2 --for 4096",
        "enum48: for 4096: no game of 2x2 reaches it: the largest tile is 32",
    );
    refused(
        &place,
        "best 0x2310 --dir run --size 3",
        "holds the game 2x2, not 3x3",
    );
    refused(
        &place,
        "best 0x2310 --dir run --for 32",
        "solve run --for 32",
    );
    refused(
        &place,
        "best 0x2310 --dir run --for win",
        "objective \"win\"",
    );
    refused(
        &place,
        "best 0x2310 --dir enum48-data/2x2-8",
        "cannot be solved: it keeps only states: count again with their afterstates, with enum48 --size 2x2 --max 8 --keep both",
    );
    refused(&place, "best 0x2310 --dir run --json --csv", "--csv");
    refused(
        &place,
        "best 0x2310 --dir run --for 4096",
        "run: for 4096: no game of 2x2 reaches it: the largest tile is 32",
    );
    refused(
        &place,
        "best 0x2310 --dir run --for score:8",
        "bits are for solve: give score alone",
    );
    refused(
        &place,
        "best 0x2310 0x2311 --dir run",
        "0x2310 0x2311: expected one board",
    );
    refused(
        &place,
        "best 2310 --dir run",
        "a hexadecimal board starts with 0x",
    );
    good(
        &place,
        "--size 2 --max 16 --keep afterstates --until 12 --dir begun --quiet",
    );
    refused(
        &place,
        "best 0x2310 --dir begun",
        "its last layer is not counted yet",
    );
    // A damaged file ends the job, because none of its values can be trusted.
    let file = fs::read_dir(place.path().join("run")).unwrap();
    let mut files = file.map(|entry| entry.unwrap().path());
    let values = files.find(|path| path.ends_with("sum-00014-max-00008.score.values"));
    let values = values.unwrap();
    let mut bytes = fs::read(&values).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&values, bytes).unwrap();
    refused(&place, "best 0x2310 --dir run", "damaged");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = solved("--size 2", "score");
    unread(&place, &format!("best {LAST} --dir run"));
}

#[test]
fn show_names_the_command_for_values_if_the_run_is_solved() {
    let place = solved("--size 2", "score");
    let shown = good(&place, "show 0x2310 --dir run");
    assert!(
        shown.ends_with("\nvalues     enum48 best 0x2310 --dir run\n"),
        "{shown}"
    );
    good(&place, "--size 2 --quiet");
    let shown = good(&place, "show 0x2310 --dir enum48-data/2x2");
    assert!(!shown.contains("values"), "{shown}");
    let output = run(&place, "show --help");
    assert!(
        stdout(&output).contains("best prints the value of each move"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_small_game_is_solved_at_once_and_leaves_nothing_behind() {
    let with_run = solved("--size 2", "score");
    let expected = good(&with_run, &format!("best {LAST} --dir run"));
    let place = place();
    let questions = [
        "best 32 16 / 2 2",
        "best 0x5411 2x2",
        "best 0x5411 --size 2 --for score,score",
    ];
    for question in questions {
        assert_eq!(good(&place, question), expected, "{question}");
    }
    assert!(files(place.path()).is_empty());
    // By hand: 4 for the move, and 8 more if a 4 spawns.
    let other = good(&place, "best 32 16 / 2 2 --four 1/5");
    assert!(other.contains("\nscore      5.6000 "), "{other}");
    let other = good(&place, "best 32 16 / 2 2 --four 1/5 --json");
    assert!(other.ends_with("\"four\":\"1/5\"}\n"), "{other}");
    refused(
        &place,
        "best 0x1 4x4-64",
        "4x4-64: too large to be solved at once, with up to 352,117,326,743 boards: run enum48 --size 4x4 --max 64 --keep afterstates, then enum48 solve enum48-data/4x4-64",
    );
    refused(
        &place,
        "best 0x1 4x4",
        "4x4 without a winning tile: too large to be solved: give --max",
    );
    assert!(files(place.path()).is_empty());
}

#[test]
fn a_rate_of_4s_is_refused_if_no_objective_depends_on_it() {
    let run = solved("--size 2", "sure-16");
    let question = "best 2 . / 4 8 --for sure-16";
    let said = "--four: sure-16 does not depend on the rate of 4s: leave out --four";
    for dir in ["", "--dir run"] {
        refused(&run, &format!("{question} {dir} --four 0.2"), said);
        let text = good(&run, &format!("{question} {dir}"));
        assert!(!text.contains("4s  "), "{text}");
        let json = good(&run, &format!("{question} {dir} --json"));
        assert!(json.ends_with("\"four\":\"1/10\"}\n"), "{json}");
    }
    refused(&run, "best 2 . / 4 8 --dir run --four 0.2", said);
}

#[test]
fn a_named_game_is_solved_in_the_directory_that_is_named() {
    let place = place();
    refused(
        &place,
        "best 32 16 / 2 2 --dir made",
        "made: no such directory",
    );
    let first = good(
        &place,
        "best 0x5411 2x2 --dir made --four 0.2 --for sure-32,score",
    );
    assert!(
        first.contains("\n4s         1/5 of spawned tiles\n"),
        "{first}"
    );
    assert!(
        first.contains("\nsure-32    yes          0        right, left\n"),
        "{first}"
    );
    assert_eq!(
        good(&place, "best 0x5411 --dir made --for sure-32,score"),
        first
    );
    refused(
        &place,
        "best 0x5411 --dir made --four 0.1",
        "--four 1/10: made is solved for 4s at a rate of 1/5",
    );
    // A process that died at once leaves a directory with a lock.
    fs::create_dir(place.path().join("dead")).unwrap();
    fs::write(place.path().join("dead/lock"), "").unwrap();
    let question = "best 0x5411 2x2 --dir dead --four 0.2 --for sure-32,score";
    assert_eq!(good(&place, question), first);
    // The question of an interrupted command finishes its run, and drops no file that is there.
    for keep in ["afterstates", "both"] {
        good(
            &place,
            &format!("2x2 --keep {keep} --until 8 --dir {keep} -q"),
        );
        let question = format!("best 0x5411 2x2 --dir {keep} --four 0.2 --for sure-32,score");
        assert_eq!(good(&place, &question), first);
        let manifest = fs::read_to_string(place.path().join(keep).join("manifest.json")).unwrap();
        assert!(
            manifest.contains(&format!("\"keep\": \"{keep}\"")),
            "{manifest}"
        );
    }
}

//! `states` and `show`: exports, samples, and single boards. Also dry runs of counts.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{PROGRAM, good, place, run, stderr, stdout};
use crate::outcomes::{refused, unread};

/// A place with a run of 2x2 to 32 in `run`.
fn counted() -> TempDir {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    place
}

/// The formats that this build writes.
fn formats() -> impl Iterator<Item = &'static str> {
    let parquet = cfg!(feature = "parquet").then_some("parquet");
    ["hex", "grid", "csv", "npy"].into_iter().chain(parquet)
}

/// Expects a board on stdout, exit code 2, and the reason why the run cannot tell if games reach
/// the board.
fn cannot_tell(place: &TempDir, args: &str, why: &str) {
    let output = run(place, args);
    assert_eq!(output.status.code(), Some(2), "{args}");
    assert!(stdout(&output).contains("canonical"), "{args}");
    let said = stderr(&output);
    assert!(said.contains(why), "{args}: {said}");
}

#[test]
fn a_layer_a_part_or_a_run_is_written_in_order() {
    let place = counted();
    // By hand, sum 12 has six live states. One holds 4 4 4, one 2 2 4 4, two 4 8, and two 2 2 8.
    let layer = "0x0222\n0x1122\n0x0023\n0x0113\n0x0131\n0x0230\n";
    assert_eq!(good(&place, "states run --sum 12"), layer);
    assert_eq!(
        good(&place, "states run --sum 12 --max-tile 4"),
        &layer[..14]
    );
    // An empty selection is an error that lists the possible values.
    for (none, there_is) in [
        ("--sum 99998", "sums are 4 to 40"),
        ("--max-tile 64", "largest tiles are 2 to 16"),
        ("--sum 12 --max-tile 16", "largest tiles are 4 to 8"),
    ] {
        let text = format!("run: {none}: no live state: {there_is}");
        refused(&place, &format!("states run {none}"), &text);
    }
    refused(&place, "states run --sum 13", "not the sum of a layer");
    refused(
        &place,
        "states run --cells --format csv",
        "--format parquet",
    );
    refused(&place, "states run --max-tile 3", "not a tile");
    if cfg!(not(feature = "parquet")) {
        let how =
            "--format parquet: this build cannot write Parquet: give another --format, or build";
        refused(&place, "states run -o all.parquet", how);
    }
    refused(
        &place,
        "states run -o run/sum-00004-max-00002.states",
        "own directory",
    );
    let all = good(&place, "states run");
    assert_eq!(all.lines().count(), 57);
    assert!(all.contains(layer));
    assert_eq!(
        good(&place, "states run --sum 4 --format grid"),
        ". .\n2 2\n\n. 2\n2 .\n"
    );
    assert_eq!(
        good(&place, "states run --sum 6 --format csv"),
        "state,sum,max_tile,cells,number\n0x0111,6,2,0 2 2 2,273\n0x0012,6,4,0 0 2 4,18\n\
         0x0120,6,4,0 2 4 0,288\n"
    );
    for ending in formats().chain(["NPY"]) {
        let format = ending.to_lowercase();
        good(&place, &format!("states run -o named.{ending}"));
        good(&place, &format!("states run --format {format} -o given"));
        let [named, given] = [&format!("named.{ending}"), "given"]
            .map(|name| fs::read(place.path().join(name)).unwrap());
        assert!(named == given && !named.is_empty(), "{ending}");
    }
    refused(
        &place,
        "states run --format csv -o p.npy",
        "--format csv: p.npy ends like a file of npy: give another name or no --format",
    );
    refused(
        &place,
        "states run --values -o p.grid",
        "this format has no columns",
    );
    good(&place, "states run -o all.txt");
    assert_eq!(
        fs::read_to_string(place.path().join("all.txt")).unwrap(),
        all
    );
}

#[test]
fn missing_states_are_reported_with_the_reason() {
    let place = place();
    good(
        &place,
        "--size 2 --max 32 --quiet --dir part --until 12 --keep last",
    );
    refused(&place, "states part --sum 14", "not counted yet");
    refused(&place, "states part --sum 10", "dropped");
    cannot_tell(&place, "show 0x1113 --dir part", "not counted yet");
    cannot_tell(&place, "show 0x0112 --dir part", "dropped");
    good(
        &place,
        "--size 2 --max 32 --quiet --dir after --until 12 --keep afterstates",
    );
    refused(&place, "states after --sum 10", "(--keep afterstates)");
    cannot_tell(&place, "show 0x1113 --dir after", "not counted yet");
    refused(&place, "states nothing", "nothing");
    refused(&place, "states part -o no/such/file", "no/such/file");
    refused(&place, "states part --format pdf", "pdf");
    refused(&place, "states part --seed 3", "--sample");
}

#[test]
fn a_sample_has_distinct_states_and_repeats_for_a_seed() {
    let place = counted();
    let listed = good(&place, "states run");
    let all: BTreeSet<&str> = listed.lines().collect();
    let drawn = good(&place, "states run --sample 20 --seed 5");
    // A second program drew these positions out of 57: see src/store/sample.rs.
    let nth = |&position: &usize| format!("{}\n", listed.lines().nth(position).unwrap());
    let expected: String = [1, 5, 17, 19, 29, 31, 34, 37].iter().map(nth).collect();
    assert_eq!(good(&place, "states run --sample 8 --seed 5"), expected);
    let sample: Vec<&str> = drawn.lines().collect();
    assert_eq!(sample.len(), 20);
    assert!(sample.iter().all(|state| all.contains(state)));
    assert_eq!(sample.iter().collect::<BTreeSet<_>>().len(), 20);
    assert_eq!(good(&place, "states run --sample 20 --seed 5"), drawn);
    assert_ne!(good(&place, "states run --sample 20 --seed 6"), drawn);
    assert_eq!(good(&place, "states run --sample 99").lines().count(), 57);
    assert_eq!(good(&place, "states run --sample 0"), "");
    assert_eq!(
        good(&place, "states run --sample 3 --sum 12 --seed 1")
            .lines()
            .count(),
        3
    );
}

#[test]
fn a_sample_of_many_blocks_has_states_of_the_part() {
    let place = place();
    good(&place, "--size 4 --max 16 --until 38 --quiet --dir run");
    let all = good(&place, "states run --sum 38 --max-tile 8");
    let all: BTreeSet<&str> = all.lines().collect();
    assert!(all.len() > 2 << 17, "only {} states: one block", all.len());
    let drawn = good(&place, "states run --sum 38 --max-tile 8 --sample 500");
    assert!(drawn.lines().all(|state| all.contains(state)));
    assert_eq!(drawn.lines().count(), 500);
}

/// The values of a state: the fields of its CSV line after the first five.
fn values<'a>(table: &'a str, state: &str) -> Vec<&'a str> {
    let mut rows = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let row = rows.find(|row| row[0] == state).unwrap();
    row[5..].to_vec()
}

#[test]
fn states_are_written_with_their_values() {
    let place = place();
    for (game, run) in [("--size 2", "run"), ("--size 2 --max 32", "won")] {
        good(&place, &format!("{game} --keep both --quiet --dir {run}"));
        good(&place, &format!("solve {run} --for score,moves,32 --quiet"));
    }
    // By hand, as in tests/library/exact/values.rs. In 4 4 / 16 16 and 2 4 / 16 16 the winning move
    // scores 40 and 32. In 4 4 / 16 32 the last move scores 8. In 2 2 / 16 32 a move scores 4, and
    // with probability 1/10 another follows and scores 8.
    let all = good(&place, "states won --values");
    let columns = "state,sum,max_tile,cells,number,score,moves,tile_32";
    assert_eq!(all.lines().next(), Some(columns));
    assert_eq!(all.lines().count(), 1 + 57);
    assert_eq!(values(&all, "0x2244"), ["40", "1", "1"]);
    assert_eq!(values(&all, "0x1244"), ["32", "1", "1"]);
    let close = |found: &[&str], expected: &[f64], error: f64| {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            let found: f64 = found.parse().unwrap();
            assert!((found - expected).abs() < error, "{found} {expected}");
        }
    };
    let all = good(&place, "states run --values --format csv");
    assert_eq!(values(&all, "0x2245"), ["8", "1", "1"]);
    close(&values(&all, "0x1145"), &[4.8, 1.1, 1.0], 1e-6);
    // The twin's fractions as numbers. Both starts with two 2s have equal values.
    let start = [
        67.696_264_078_768_93,
        12.142_868_666_262_928,
        0.082_895_845_761_662_5,
    ];
    for state in ["0x0011", "0x0110"] {
        close(&values(&all, state), &start, 1e-6);
    }
    // Selections and samples are rows of the whole table.
    let row = all.lines().find(|row| row.starts_with("0x2245")).unwrap();
    let part = good(&place, "states run --sum 56 --max-tile 32 --values");
    assert!(part.lines().any(|other| other == row), "{part}");
    let drawn = good(&place, "states run --sample 10 --values");
    assert_eq!(drawn.lines().count(), 11);
    assert!(
        drawn
            .lines()
            .all(|row| all.lines().any(|other| other == row))
    );
    let chosen = good(&place, "states run --values --for 32,score,32");
    assert!(chosen.starts_with("state,sum,max_tile,cells,number,tile_32,score\n"));
    assert_eq!(values(&chosen, "0x2245"), ["1", "8"]);
}

#[test]
fn missing_values_are_reported_with_the_reason() {
    let place = place();
    for keep in ["all", "both", "afterstates"] {
        good(
            &place,
            &format!("--size 2 --keep {keep} --quiet --dir {keep}"),
        );
    }
    for (args, why) in [
        (
            "all --values",
            "cannot be solved: it keeps only states: count again with their afterstates",
        ),
        ("both --values", "not solved yet: enum48 solve"),
        (
            "both --values --format grid",
            "--format csv, npy or parquet",
        ),
        ("both --values --format hex", "--format csv, npy or parquet"),
        ("both --for score", "give --values"),
        ("both --values --for win", "win"),
    ] {
        refused(&place, &format!("states {args}"), why);
    }
    for run in ["both", "afterstates"] {
        good(&place, &format!("solve {run} --for score --quiet"));
    }
    refused(
        &place,
        "states both --values --for 16",
        "solved for score, not for 16: enum48 solve both --for 16",
    );
    let output = run(&place, "states afterstates --values");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("none was kept: count again, with enum48 --size 2x2"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_file_that_is_cut_while_it_is_written_out_is_an_error() {
    let place = place();
    good(&place, "--size 4 --max 16 --until 52 --quiet --dir run");
    let mut writes = Command::new(PROGRAM)
        .args(["states", "run", "--sum", "52", "--max-tile", "8"])
        .current_dir(&place)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut written = BufReader::new(writes.stdout.take().unwrap());
    let mut line = String::new();
    written.read_line(&mut line).unwrap();
    assert!(line.starts_with("0x"), "{line}");
    // The program has read at most four of the blocks, because nobody reads its output.
    let path = place.path().join("run/sum-00052-max-00008.states");
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(100).unwrap();
    let boards = written.lines().count();
    assert!(boards < 5 << 17, "{boards}");
    let output = writes.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("max-00008.states: cannot read at byte "),
        "{said}"
    );
}

#[test]
fn a_closed_pipe_is_no_error_in_any_format() {
    let place = place();
    good(&place, "--size 3 --max 64 --quiet --dir run");
    for format in formats() {
        let output = unread(&place, &format!("states run --format {format}"));
        assert_eq!(stderr(&output), "", "{format}");
    }
}

#[test]
fn a_board_is_shown_with_its_moves_and_spawns() {
    let place = counted();
    let said = good(&place, "show 0x2310 --size 2");
    for line in [
        "canonical  0x0132  . 2 / 8 4",
        "orbit      8 boards, including itself",
        "sum        14, largest tile 8",
        "state      live",
        "up         not legal",
        "right      0x2301  4 8 / . 2  afterstate 0x0123",
        "     + 4    0x1232",
    ] {
        assert!(said.lines().any(|shown| shown == line), "{line}:\n{said}");
    }
    assert_eq!(good(&place, "show 4 8 / 2 . --size 2"), said);
    let won = good(&place, "show 8 8 / . 4 --size 2 --max 16");
    assert!(
        won.contains("right      wins") && won.contains("left       wins"),
        "{won}"
    );
    assert!(good(&place, "show 0x1232 --size 2").contains("state      live"));
    assert!(good(&place, "show 0x1231 --size 2").contains("state      dead"));
    // 2x2 to 32 ends with the first 32, and no game of 2x2 makes a 64.
    let impossible = "state      impossible in this game: it never makes the largest tile\n";
    for (board, max, possible) in [
        ("0x6001", " --max 32", false),
        ("0x5001", " --max 32", true),
        ("0x6001", "", false),
        ("0xb001", " --max 2048", false),
    ] {
        let said = good(&place, &format!("show {board} --size 2{max}"));
        assert_eq!(said.contains(impossible), !possible, "{said}");
    }
    let said = good(&place, "show 0x6001 --size 2 --max 32 --json");
    assert!(
        said.contains("\"state\":\"impossible\",\"moves\":[]"),
        "{said}"
    );
    refused(&place, "show 0x12345 --size 2", "more digits");
    refused(&place, "show 2 4 / 8 3 --size 2", "power of two");
    refused(&place, "show 0x0011", "--size");
}

#[test]
fn a_board_is_shown_as_json_with_the_documented_keys() {
    let place = counted();
    let object = |output: &Output| -> Value { serde_json::from_str(stdout(output)).unwrap() };
    let shown = object(&run(&place, "show 0x2310 --size 2 --json"));
    for (key, value) in [
        ("game", json!("2x2")),
        ("board", json!("0x2310")),
        ("canonical", json!("0x0132")),
        ("orbit", json!(8)),
        ("sum", json!(14)),
        ("max_tile", json!(8)),
        ("state", json!("live")),
        ("reached", Value::Null),
    ] {
        assert_eq!(shown[key], value, "{key}");
    }
    let [up, right, ..] = &shown["moves"].as_array().unwrap()[..] else {
        panic!("{shown}")
    };
    let nothing = json!({"direction": "up", "legal": false, "wins": false});
    assert_eq!(*up, nothing);
    // The spawn fills the only empty cell and makes 4 8 / 2 2 or 4 8 / 4 2. The output has their
    // canonical boards.
    let moved = json!({
        "direction": "right", "legal": true, "wins": false, "board": "0x2301",
        "afterstate": "0x0123", "with_2": ["0x1123"], "with_4": ["0x1232"],
    });
    assert_eq!(*right, moved);
    let won = object(&run(&place, "show 0x3334 --size 2 --max 16 --json"));
    assert_eq!((&won["state"], &won["moves"]), (&json!("won"), &json!([])));

    let reached = object(&run(&place, "show 0x0132 --dir run --json"));
    let file = json!("sum-00014-max-00008.states");
    assert_eq!(
        (&reached["reached"], &reached["file"], &reached["block"]),
        (&json!(true), &file, &json!(0))
    );
    let output = run(&place, "show 0x3003 --dir run --json");
    assert_eq!(
        (output.status.code(), &object(&output)["reached"]),
        (Some(1), &json!(false))
    );
    good(&place, "--size 2 --max 32 --quiet --dir part --until 12");
    let output = run(&place, "show 0x1113 --dir part --json");
    assert_eq!(
        (output.status.code(), &object(&output)["reached"]),
        (Some(2), &Value::Null)
    );
}

#[test]
fn the_exit_code_says_whether_a_board_was_reached() {
    let place = counted();
    for state in good(&place, "states run").lines() {
        let said = good(&place, &format!("show {state} --dir run"));
        assert!(said.contains("reached    yes: sum-"), "{state}: {said}");
    }
    // The run knows its game, so the options --size and --max may only repeat it.
    let said = good(&place, "show 0x0132 --dir run");
    assert_eq!(good(&place, "show --dir run --size 2 0x0132"), said);
    assert_eq!(good(&place, "show --dir run --max 32 0x0132"), said);
    refused(
        &place,
        "show 0x0132 --dir run --max 64",
        "holds the game 2x2-32, not 2x2-64",
    );
    // 8 . / . 8 is live and its sum was counted, but no game to 32 reaches it.
    let output = run(&place, "show 0x3003 --dir run");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).ends_with("reached    no: 2x2-32 has no such state\n"));
    // No file has dead and won boards, but a file has a state before them.
    for board in ["0x1231", "0x4114", "0x5200"] {
        let said = good(&place, &format!("show {board} --dir run"));
        assert!(
            said.ends_with("reached    yes: a move leads to it from a state of the run\n"),
            "{said}"
        );
    }
    for board in ["0x3443", "0x5321", "0x5500"] {
        let output = run(&place, &format!("show {board} --dir run"));
        assert_eq!(output.status.code(), Some(1), "{board}");
    }
}

#[test]
fn afterstates_show_which_boards_were_reached() {
    let place = counted();
    good(
        &place,
        "--size 2 --max 32 --keep afterstates --dir after --quiet",
    );
    // Games reach these live, dead and won boards. The first board is a start. No game reaches the
    // others.
    let reached = ["0x0011", "0x0132", "0x3201", "0x1231", "0x4114", "0x5200"];
    let others = ["0x0001", "0x3003", "0x3443", "0x5321", "0x5500"];
    for (boards, code) in [(&reached[..], 0), (&others[..], 1)] {
        for board in boards {
            let shown = ["run", "after"].map(|dir| {
                let output = run(&place, &format!("show {board} --dir {dir} --json"));
                assert_eq!(output.status.code(), Some(code), "{dir}: {board}");
                let shown: Value = serde_json::from_str(stdout(&output)).unwrap();
                shown["reached"].clone()
            });
            assert_eq!(shown, [json!(code == 0), json!(code == 0)], "{board}");
        }
    }
    let said = good(&place, "show 2 . / 4 8 --dir after");
    assert!(
        said.ends_with(
            "reached    yes, by the afterstates: the run does not list the states of this sum\n"
        ),
        "{said}"
    );
}

#[test]
fn a_dry_run_estimates_without_writing() {
    let place = place();
    let said = good(&place, "--size 3 --max 128 --dry-run");
    assert!(said.contains("3x3-128, not begun"), "{said}");
    assert!(
        said.contains("live states, and one each for the win and the loss"),
        "{said}"
    );
    let left = fs::read_dir(&place).unwrap().count();
    assert_eq!(left, 0, "something was left behind");
    let object = |args: &str| -> serde_json::Value {
        serde_json::from_str(&good(&place, &format!("{args} --dry-run --json"))).unwrap()
    };
    // The bound is the number of boards of sum 4 or more, with tiles up to 4, up to symmetry. It
    // follows from Burnside's lemma.
    let small = object("--size 2 --max 8");
    assert_eq!(small["bound"], 19);
    // The measurement of the speed counts the whole game. It has 15 live states, a win and a loss,
    // in 9 files.
    assert_eq!(small["exact"], true);
    for (key, value) in [
        ("states_low", 17),
        ("states_high", 17),
        ("disk_low", 883),
        ("disk_high", 883),
    ] {
        assert_eq!(small[key], value, "{key}");
    }
    assert!(small["seconds_high"].as_f64() > Some(0.0), "{small}");
    assert!(small["disk_afterstates_low"].is_null(), "{small}");
    let both = object("--size 2 --max 8 --keep both");
    let counted = good(
        &place,
        "--size 2 --max 8 --keep both --quiet --json --dir both",
    );
    let counted: serde_json::Value = serde_json::from_str(&counted).unwrap();
    assert!(counted["afterstate_bytes"].as_u64() > Some(0), "{counted}");
    for (key, of_count) in [
        ("disk_low", "bytes"),
        ("disk_afterstates_low", "afterstate_bytes"),
        ("disk_afterstates_high", "afterstate_bytes"),
    ] {
        assert_eq!(both[key], counted[of_count], "{key}");
    }
    assert_eq!(small["engine"], "lists");
    // Neither files of the last layer alone nor lists tell the bytes of all layers.
    let few = "--size 4 --max 8 --until 20 --keep";
    let counted = good(&place, &format!("{few} all --quiet --json --dir all"));
    let counted: serde_json::Value = serde_json::from_str(&counted).unwrap();
    let matrices = good(&place, &format!("{few} matrices --quiet --json --dir m"));
    let matrices: serde_json::Value = serde_json::from_str(&matrices).unwrap();
    for (keep, disk, bytes) in [
        ("last", "disk", &counted["bytes"]),
        (
            "matrices",
            "disk_afterstates",
            &matrices["afterstate_bytes"],
        ),
    ] {
        let estimate = object(&format!("{few} {keep} --dir {keep}"));
        assert_eq!(estimate["states_low"], counted["total"], "{keep}");
        let [low, high] = ["low", "high"].map(|end| estimate[format!("{disk}_{end}")].as_u64());
        assert!(
            low < bytes.as_u64() && bytes.as_u64() < high,
            "{keep}: {estimate} {bytes}"
        );
    }
    good(&place, "--size 3 --max 128 --until 60 --quiet");
    let begun = object("--size 3 --max 128 --threads 2");
    assert_eq!(
        (&begun["sealed_sum"], &begun["complete"]),
        (&60.into(), &false.into())
    );
    assert!(begun["states_so_far"].as_u64() > Some(100_000), "{begun}");
    let counted = good(&place, "--size 3 --max 128 --threads 2 --quiet --json");
    let counted: serde_json::Value = serde_json::from_str(&counted).unwrap();
    let bytes = |of: &Value, key: &str| of[key].as_u64().unwrap();
    // A busy machine may measure less, because the count looks at its memory only now and then.
    let most = bytes(&begun, "memory_high");
    assert!(
        bytes(&begun, "memory_low") < most && bytes(&counted, "peak_memory") <= most,
        "{begun} {counted}"
    );
    let complete = object("--size 3 --max 128");
    assert_eq!(complete["states_low"], counted["total"]);
    assert_eq!(complete["states_low"], complete["states_high"]);
    assert_eq!(complete["states_so_far"], complete["states_low"]);
    for (args, why) in [
        (
            "--size 2 --max 32 --dir enum48-data/3x3-128",
            "holds the game 3x3-128",
        ),
        ("--size 2 --max 32 --engine bits", "for boards of 4x4"),
        ("--size 2 --max 32 --csv table", "cannot be used with"),
        ("--size 2 --max 32 --keep matrices", "for boards of 4x4"),
        ("--size 2 --max 32 --dir all/layers.csv", "all/layers.csv"),
        ("--size 4 --max 8 --keep matrices --dir all", "all: "),
    ] {
        refused(&place, &format!("{args} --dry-run"), why);
    }
    let more = good(&place, "--size 3 --max 128 --keep both --dry-run");
    assert!(more.contains("3x3-128, not begun"), "{more}");
}

#[test]
fn a_dry_run_of_an_uncountable_game_ends() {
    let said = good(&place(), "--size 4 --max 65536 --dry-run --json");
    let object: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(object["exact"], false);
    let (low, high) = (&object["states_low"], &object["states_high"]);
    assert!(low.as_u64() > Some(1 << 40) && high.as_u64() > low.as_u64());
    // Estimates have two significant digits.
    for key in ["states_low", "states_high", "disk_low", "disk_high"] {
        let digits = object[key].to_string();
        let digits = digits.trim_end_matches('0');
        assert!(digits.len() <= 2, "{key}: {digits}");
    }
}

/// Reserved words of SQL, as its databases have them, of R and of Python, in lower case.
const RESERVED: &str = "all analyse analyze and anti any array as asc asof asymmetric authorization \
    binary both case cast check collate collation column concurrently constraint create cross \
    current_catalog current_date current_role current_schema current_time current_timestamp \
    current_user default deferrable desc distinct do else end except false fetch for foreign freeze \
    from full glob grant group having ilike in initially inner intersect into is isnull join lambda \
    lateral leading left like limit localtime localtimestamp natural not notnull null offset on only \
    or order outer overlaps pivot placing positional primary qualify references returning right select \
    semi session_user show similar some summarize symmetric table tablesample then to trailing true \
    try_cast union unique unpivot user using variadic verbose when where window with \
    break function if inf na nan next repeat while \
    assert async await class continue def del elif finally global import nonlocal pass raise try \
    yield";

/// The names in the header of an array of `NumPy` with named fields.
fn fields_of_npy(file: &[u8]) -> Vec<String> {
    let header = String::from_utf8_lossy(&file[..file.len().min(1024)]).into_owned();
    let fields = header.split("('").skip(1);
    let name = |field: &str| field.split('\'').next().unwrap().to_owned();
    fields.map(name).collect()
}

#[test]
fn every_column_is_an_identifier_in_sql_r_and_python() {
    let place = place();
    good(
        &place,
        "--size 2 --keep both --quiet --dir run --csv table.csv",
    );
    good(
        &place,
        "solve run --for score,moves,16,32,sure-16 --quiet --csv values.csv",
    );
    good(&place, "states run --values -o states.csv");
    good(&place, "states run --values -o states.npy");
    let boards = good(&place, "states run --sum 6");
    let board = boards.lines().next().unwrap();
    let best = good(&place, &format!("best {board} --dir run --csv"));
    let read = |name: &str| fs::read(place.path().join(name)).unwrap();
    let text = |name: &str| String::from_utf8(read(name)).unwrap();
    let mut names = fields_of_npy(&read("states.npy"));
    assert_eq!(
        names,
        ["state", "score", "moves", "tile_16", "tile_32", "sure_16"]
    );
    let tables = ["run/layers.csv", "table.csv", "values.csv", "states.csv"].map(text);
    let kept = fs::read_dir("results/tables")
        .unwrap()
        .chain(fs::read_dir("results/values").unwrap());
    let kept = kept.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    for table in tables.into_iter().chain([best]).chain(kept) {
        names.extend(table.lines().next().unwrap().split(',').map(str::to_owned));
    }
    for name in ["after_left", "tile_32_mean", "sure_16_greatest", "wins"] {
        assert!(names.iter().any(|other| other == name), "{name}");
    }
    for name in names {
        let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let is_reserved = RESERVED.split_whitespace().any(|word| word == name);
        assert!(begins && name.chars().all(word) && !is_reserved, "{name}");
    }
}

//! `check`: compares tables with published numbers, with the laws, and with each other.

#![expect(clippy::disallowed_methods, reason = "the tests write tables by hand")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::command::{PROGRAM, good, place, run, stdout};
use crate::outcomes::{disagrees, refused};
use crate::share::share;

/// The columns of the table's first version, which other programs write.
fn first_columns(csv: &str) -> String {
    let cut = |line: &str| line.split(',').take(7).collect::<Vec<_>>().join(",") + "\n";
    csv.lines().map(cut).collect()
}

#[test]
fn a_table_is_compared_with_published_numbers() {
    let place = place();
    good(
        &place,
        "--size 2 --max 32 --quiet --dir run --csv table.csv",
    );
    let game = "--size 2 --max 32";
    for table in [
        format!("table.csv {game}"),
        "run".to_owned(),
        format!("run/layers.csv {game}"),
    ] {
        let said = good(&place, &format!("check {table}"));
        assert!(
            said.starts_with("2x2-32, 29 parts up to sum 40, complete: all laws hold\n"),
            "{said}"
        );
        // Lees-Miller, 2017: 57 live states, the win and the loss make 59.
        let words: Vec<&str> = said.split_whitespace().collect();
        assert!(
            words
                .windows(5)
                .any(|w| w == ["agrees", "2x2-32", "total", "59", "59"]),
            "{said}"
        );
        assert!(
            words
                .windows(5)
                .any(|w| w == ["agrees", "2x2-32", "live", "57", "57"]),
            "{said}"
        );
    }
    let csv = fs::read_to_string(place.path().join("table.csv")).unwrap();
    fs::write(place.path().join("short.csv"), first_columns(&csv)).unwrap();
    let said = good(&place, &format!("check short.csv {game}"));
    assert!(
        said.contains("2x2-32") && said.contains("live") && !said.contains("total"),
        "{said}"
    );
    let said = good(&place, "check run --until 20");
    assert!(
        said.contains("17 parts up to sum 20, not complete"),
        "{said}"
    );
    // Of the 25 parts that Lees-Miller published, 14 are in these layers.
    let parts: Vec<&str> = said.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(parts[..5], ["agrees", "2x2-32", "parts", "14", "14"]);
    refused(&place, "check run --max 64", "holds the game 2x2-32");
    let early = format!("check table.csv {game} --until 20");
    assert_eq!(good(&place, &early), said);
    let (size, other) = (
        "check table.csv --size 2x3 --max 32",
        "no game of 2x3 begins with it",
    );
    disagrees(&place, size, other);
    let two = "check table.csv table.csv --size 2";
    refused(&place, two, "cannot be used with");
}

#[test]
fn a_check_of_no_layer_agrees_with_nothing() {
    let place = place();
    fs::write(place.path().join("a.csv"), "sum,max_tile,live\n8,4,3\n").unwrap();
    fs::write(place.path().join("b.csv"), "sum,max_tile,live\n8,4,99\n").unwrap();
    for args in ["a.csv b.csv", "a.csv --size 2 --max 32"] {
        let said = "no rows up to sum 6, so nothing could disagree";
        refused(&place, &format!("check {args} --until 6"), said);
    }
    good(&place, "--size 2 --max 32 --until 4 --quiet --dir run");
    fs::write(place.path().join("wins.csv"), "sum,max_tile,wins\n").unwrap();
    for args in ["run wins.csv", "wins.csv run"] {
        let said = "no wins in any row, so nothing could disagree";
        refused(&place, &format!("check {args}"), said);
    }
    let said = "wins.csv: no rows, so nothing could disagree";
    refused(&place, "check wins.csv --size 2 --max 32", said);
}

#[test]
fn a_word_of_check_is_a_file_even_if_it_could_be_a_game() {
    let place = place();
    good(&place, "--size 2 --max 8 --quiet --dir run");
    refused(&place, "check run 2x2-8", "2x2-8: cannot open");
    refused(&place, "check 3x3-128", "3x3-128: cannot open");
}

#[test]
fn a_wrong_number_breaks_a_law_or_differs() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --csv table.csv");
    let csv = fs::read_to_string(place.path().join("table.csv")).unwrap();
    let write = |text: &str| fs::write(place.path().join("t.csv"), text).unwrap();
    write(&csv.replace("\n12,4,2,", "\n12,4,3,"));
    disagrees(
        &place,
        "check t.csv --size 2 --max 32",
        "t.csv: sum 12, largest tile 4: a law is broken",
    );
    write(&csv.replace("4,2,2,0,6,1,xf8", "4,2,2,0,6,1,xf9"));
    let game = "--size 2 --max 32";
    let wrong = format!("check t.csv {game}");
    disagrees(&place, &wrong, "no game of 2x2 begins with it");
    // The laws need later columns to check the flow, but the published number still differs.
    write(&first_columns(&csv).replace("\n12,4,2,1,10", "\n12,4,1,1,10"));
    disagrees(&place, &wrong, "DIFFERS");
    let output = run(&place, &wrong);
    let said = stdout(&output);
    let last: Vec<Vec<&str>> = said
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    let [.., parts, first] = &last[..] else {
        panic!("{said}")
    };
    assert_eq!(parts[..5], ["DIFFERS", "2x2-32", "parts", "25", "24"]);
    assert_eq!(first[..6], ["DIFFERS", "2x2-32", "part", "12/4", "2", "1"]);
}

#[test]
fn wrong_and_huge_numbers_cause_no_panic() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --csv table.csv");
    let csv = fs::read_to_string(place.path().join("table.csv")).unwrap();
    let most = u64::MAX.to_string();
    let values = ["0", "1", "65536", "4294967294", &most, "-1", "x", ""];
    let places = [1, 2, 15, 29].map(|line| (0..12).map(move |column| (line, column)));
    let cases = places
        .into_iter()
        .flatten()
        .flat_map(|place| values.map(|value| (place, value)));
    for ((line, column), value) in share(cases) {
        let mut lines: Vec<String> = csv.lines().map(str::to_owned).collect();
        let mut fields: Vec<&str> = lines[line].split(',').collect();
        let same = fields[column] == value;
        fields[column] = value;
        lines[line] = fields.join(",");
        fs::write(place.path().join("t.csv"), lines.join("\n")).unwrap();
        let code = run(&place, "check t.csv --size 2 --max 32").status.code();
        // The laws only bound labeled, moves and wins, so some wrong numbers pass.
        let seen = matches!(code, Some(1 | 2));
        let bounded = [4, 10, 11].contains(&column) && code == Some(0);
        assert!(
            seen || same || bounded,
            "line {line}, column {column}, {value:?}: {code:?}"
        );
    }
}

/// The tables in `results/tables/` obey the laws and agree with published numbers.
#[test]
fn every_table_of_results_agrees() {
    let results = concat!(env!("CARGO_MANIFEST_DIR"), "/results/tables");
    let entries = fs::read_dir(results).unwrap();
    let place = place();
    let (mut checked, mut parts) = (0, 0);
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        // Tables of measurements have names of no game.
        let game = name.parse::<enum48::Game>().is_ok();
        if path.extension().is_none_or(|ending| ending != "csv") || !game {
            continue;
        }
        let (size, max) = name
            .split_once('-')
            .map_or((name, ""), |(size, max)| (size, max));
        let max = if max.is_empty() {
            String::new()
        } else {
            format!("--max {max}")
        };
        let said = good(
            &place,
            &format!("check {} --size {size} {max}", path.display()),
        );
        assert!(said.starts_with(&format!("{name}, ")), "{said}");
        checked += 1;
        let line = said
            .lines()
            .find(|line| line.starts_with("agrees") && line.contains(" parts "));
        let number = line.and_then(|line| line.split_whitespace().nth(4));
        parts += number.map_or(0, |n| n.replace(',', "").parse::<u32>().unwrap());
    }
    assert_eq!(checked, 36, "as README.md and CHANGELOG.md say");
    // Lees-Miller's table has 3,903 parts. `results/tables/` lacks 2x2 to 64 and 2x2 to 128, with 33 parts
    // each.
    assert_eq!(parts, 3903 - 2 * 33);
}

#[test]
fn two_tables_are_compared_part_by_part() {
    let place = place();
    good(
        &place,
        "--size 2 --max 32 --quiet --dir a --csv a.csv --threads 1",
    );
    good(
        &place,
        "--size 2 --max 32 --quiet --dir b --threads 2 --memory 32M --keep last",
    );
    good(&place, "--size 2 --max 32 --until 20 --quiet --dir c");
    good(&place, "--size 2 --max 64 --quiet --dir d --csv d.csv");
    let said = good(&place, "check a b");
    assert_eq!(
        said,
        "agree: 29 parts up to sum 40, 57 live states, fingerprint x3d677fbe9d7b4c34\n"
    );
    assert_eq!(good(&place, "check a.csv b"), said);
    disagrees(
        &place,
        "check a c",
        "DIFFER first at sum 22, largest tile 8: a has this part, c has not",
    );
    disagrees(&place, "check a c", "--until 20");
    assert!(good(&place, "check a c --until 20").starts_with("agree: 17 parts up to sum 20"));
    disagrees(&place, "check a d", "a is of 2x2-32, d of 2x2-64");
    // The games first differ at sum 36, where some moves win in one game but not in the other.
    disagrees(
        &place,
        "check a.csv d.csv",
        "DIFFER first at sum 36, largest tile 16: wins 2 in a.csv, 0 in d.csv",
    );
    let csv = fs::read_to_string(place.path().join("a.csv")).unwrap();
    fs::write(place.path().join("short.csv"), first_columns(&csv)).unwrap();
    assert!(good(&place, "check short.csv a").starts_with("agree"));
    let altered = csv.replace("x8b64e74ba77e085c", "x8b64e74ba77e085d");
    fs::write(place.path().join("t.csv"), altered).unwrap();
    disagrees(
        &place,
        "check a t.csv",
        "sum 16, largest tile 8: fingerprint x8b64e74ba77e085c in a, x8b64e74ba77e085d in t.csv",
    );
}

#[test]
fn json_has_the_findings_of_a_check() {
    let place = place();
    good(
        &place,
        "--size 2 --max 32 --quiet --dir run --csv table.csv",
    );
    let csv = fs::read_to_string(place.path().join("table.csv")).unwrap();
    let write = |text: &str| fs::write(place.path().join("t.csv"), text).unwrap();
    let found = |args: &str| -> (Option<i32>, Value) {
        let output = run(&place, &format!("check --json {args}"));
        let text = stdout(&output);
        assert_eq!(text.lines().count(), 1, "{text}");
        (output.status.code(), serde_json::from_str(text).unwrap())
    };
    let (code, sound) = found("run");
    assert_eq!(code, Some(0));
    for (key, value) in [
        ("agrees", json!(true)),
        ("tables", json!(["run"])),
        ("games", json!(["2x2-32"])),
        ("parts", json!(29)),
        ("last_sum", json!(40)),
        ("complete", json!(true)),
        ("law", Value::Null),
        ("difference", Value::Null),
    ] {
        assert_eq!(sound[key], value, "{key}");
    }
    let total = &sound["figures"][0];
    let expected = ["game", "figure", "expected", "got", "agrees"].map(|key| total[key].clone());
    assert_eq!(json!(expected), json!(["2x2-32", "total", 59, 59, true]));

    write(&csv.replace("\n12,4,2,", "\n12,4,3,"));
    let (code, broken) = found("t.csv --size 2 --max 32");
    assert_eq!((code, &broken["agrees"]), (Some(1), &json!(false)));
    let law = broken["law"].as_str().unwrap();
    assert!(
        law.starts_with("sum 12, largest tile 4: a law is broken"),
        "{law}"
    );
    let (code, differs) = found("table.csv t.csv");
    let first = json!({"sum": 12, "max_tile": 4, "column": "live", "values": [2, 3]});
    assert_eq!((code, &differs["difference"]), (Some(1), &first));
    assert_eq!(differs["games"], json!([null, null]));
    let (code, shorter) = found("run table.csv --until 20");
    assert_eq!(
        (code, &shorter["parts"], &shorter["last_sum"]),
        (Some(0), &json!(17), &json!(20))
    );
}

#[test]
fn a_table_is_read_from_stdin() {
    let place = place();
    good(
        &place,
        "--size 2 --max 32 --quiet --dir run --csv table.csv",
    );
    let piped = |args: &str| {
        let table = fs::File::open(place.path().join("table.csv")).unwrap();
        let output = Command::new(PROGRAM)
            .args(args.split(' '))
            .current_dir(&place)
            .stdin(table)
            .output()
            .unwrap();
        (output.status.code(), stdout(&output).to_owned())
    };
    let game = "--size 2 --max 32";
    let said = good(&place, &format!("check table.csv {game}"));
    assert_eq!(piped(&format!("check - {game}")), (Some(0), said));
    let said = good(&place, "check table.csv run");
    assert_eq!(piped("check - run"), (Some(0), said.clone()));
    assert_eq!(piped("check run -"), (Some(0), said));
    assert_eq!(piped("check - -"), (Some(2), String::new()));
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --csv a.csv");
    let csv = fs::read_to_string(place.path().join("a.csv")).unwrap();
    let (header, rows) = csv.split_once('\n').unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.reverse();
    let write = |rows: &[&str]| {
        let text = format!("{header}\n{}\n", rows.join("\n"));
        fs::write(place.path().join("b.csv"), text).unwrap();
    };
    write(&rows);
    let said = good(&place, "check a.csv b.csv");
    assert!(said.starts_with("agree: 29 parts"), "{said}");
    let checked = ["a", "b"].map(|name| {
        let args = format!("check {name}.csv --size 2 --max 32");
        good(&place, &args)
    });
    assert_eq!(checked[0], checked[1]);
    let lost = rows.remove(20);
    write(&rows);
    let mut cells = lost.split(',');
    let (sum, tile) = (cells.next().unwrap(), cells.next().unwrap());
    let part = format!("DIFFER first at sum {sum}, largest tile {tile}: a.csv has this part");
    disagrees(&place, "check a.csv b.csv", &part);
    rows.push(rows[3]);
    write(&rows);
    for other in ["", "a.csv", "b.csv"] {
        let line = "b.csv: line 30: sum 34, largest tile 16: line 5 already has this part";
        refused(&place, &format!("check b.csv {other}"), line);
    }
}

#[test]
fn impossible_numbers_are_refused() {
    let place = place();
    for (number, said) in [
        (
            "18446744073709551615",
            "t.csv: line 2: live 18446744073709551615: more than",
        ),
        (
            "18446744073709551618",
            "t.csv: line 2: live: expected a number",
        ),
        ("-1", "t.csv: line 2: live: expected a number, got \"-1\""),
    ] {
        let text = format!("sum,max_tile,live\n4,2,{number}\n");
        fs::write(place.path().join("t.csv"), text).unwrap();
        refused(&place, "check t.csv t.csv", said);
        refused(&place, "check t.csv --size 2", said);
    }
}

/// Lees-Miller publishes tables with live states only.
#[test]
fn only_the_columns_of_both_tables_are_compared() {
    let place = place();
    good(&place, "--size 3 --max 64 --quiet --csv a.csv");
    let csv = fs::read_to_string(place.path().join("a.csv")).unwrap();
    let cut = |line: &str| line.split(',').take(3).collect::<Vec<_>>().join(",") + "\n";
    let few: String = csv.lines().map(cut).collect();
    fs::write(place.path().join("few.csv"), &few).unwrap();
    for tables in ["few.csv a.csv", "a.csv few.csv"] {
        let said = good(&place, &format!("check {tables}"));
        let lines: Vec<&str> = said.lines().collect();
        assert!(
            lines[0].starts_with("agree: ") && lines[0].ends_with(" live states"),
            "{said}"
        );
        assert!(
            lines[1].starts_with("compared: live; not in both tables: dead, "),
            "{said}"
        );
    }
    refused(
        &place,
        "check few.csv",
        "few.csv: a table does not name its game: give --size",
    );
    let said = good(&place, "check few.csv --size 3 --max 64");
    assert!(said.starts_with("3x3-64, "), "{said}");
    assert!(
        said.contains(
            "not known to be complete: all laws hold that can be checked without dead, labeled,"
        ),
        "{said}"
    );
    let more = few.replacen("\n20,8,", "\n20,8,1", 1);
    assert_ne!(more, few);
    fs::write(place.path().join("more.csv"), more).unwrap();
    disagrees(
        &place,
        "check a.csv more.csv",
        "DIFFER first at sum 20, largest tile 8: live ",
    );
    fs::write(
        place.path().join("dead.csv"),
        "sum,max_tile,dead\n36,16,1\n",
    )
    .unwrap();
    refused(
        &place,
        "check few.csv dead.csv",
        "nothing to compare: few.csv has live, dead.csv has dead",
    );
    // No board with largest tile 16 has this sum.
    fs::write(place.path().join("t.csv"), few + "146,16,1\n").unwrap();
    disagrees(
        &place,
        "check t.csv --size 3 --max 64",
        "with this tile no sum exceeds",
    );
}

#[test]
fn files_that_are_no_tables_are_refused_in_one_line() {
    let place = place();
    fs::write(place.path().join("empty.csv"), "").unwrap();
    let header = "sum,max_tile,live,dead,labeled,afterstates,fingerprint\n";
    fs::write(place.path().join("header.csv"), header).unwrap();
    fs::write(place.path().join("other.csv"), "a,b\n1,2\n").unwrap();
    fs::write(
        place.path().join("binary.csv"),
        [0u8, 159, 146, 150, 10, 255],
    )
    .unwrap();
    fs::create_dir(place.path().join("empty")).unwrap();
    for table in [
        "empty.csv",
        "header.csv",
        "other.csv",
        "binary.csv",
        "empty",
        "nothing",
        ".",
    ] {
        refused(&place, &format!("check {table}"), table);
        refused(&place, &format!("check {table} {table}"), table);
    }
}

#[test]
fn a_directory_can_be_checked_during_its_count() {
    let place = place();
    let count = "--size 4 --max 64 --dir run --memory 64M --threads 1";
    good(&place, &format!("{count} --until 12 --quiet"));
    let mut child = Command::new(PROGRAM)
        .args(count.split(' '))
        .current_dir(&place)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    // It says so after it has locked the directory.
    assert!(said.any(|line| line.unwrap().contains("resuming at sum 14")));
    // `verify` waits for some seconds, in which the count need not go on.
    let stopped = Command::new("kill")
        .args(["-s", "STOP", &child.id().to_string()])
        .status();
    assert!(stopped.unwrap().success());
    refused(&place, "verify run", "in use by another process");
    good(&place, "check run");
    child.kill().unwrap();
    child.wait().unwrap();
}

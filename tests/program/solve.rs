//! `solve`: dry runs, the log, the summary and the tables.

#![expect(clippy::disallowed_methods, reason = "a test damages a file by hand")]

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{good, place, run, stderr};
use crate::files::files;
use crate::outcomes::refused;
use crate::solved::counted;

fn json(place: &TempDir, args: &str) -> Value {
    serde_json::from_str(&good(place, args)).unwrap()
}

#[test]
fn the_summary_says_what_was_new() {
    let place = counted("--size 2x3");
    let first = json(&place, "solve run --for score --json --quiet");
    let afterstates = first["afterstates"].as_u64().unwrap();
    assert_eq!(first["solved"], afterstates);
    // Score was solved before, so only moves are new.
    let both = json(&place, "solve run --for score,moves --json --quiet");
    assert_eq!(both["solved"], afterstates);
    let twice = json(&place, "solve run --for 64,16,64 --json --quiet");
    assert_eq!(twice["solved"], 2 * afterstates);
    assert_eq!(twice["objectives"].as_array().unwrap().len(), 2);

    let output = run(&place, "solve run --for score,moves,16,64");
    assert_eq!(stderr(&output), "", "nothing is announced");
    let text = std::str::from_utf8(&output.stdout).unwrap();
    assert!(text.contains(" s, nothing new to solve\n"), "{text}");
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
}

/// The expected score is 480.26 from any start, and 480.99 from two 2s (DomTheDeveloper/2048-undo).
#[test]
fn the_table_has_both_starts_and_an_error_bound() {
    let place = counted("--size 2x3");
    let text = good(&place, "solve run --for score:4 --quiet");
    let row = text
        .lines()
        .find(|line| line.starts_with("score "))
        .unwrap();
    let cells: Vec<f64> = row
        .split_whitespace()
        .skip(1)
        .take(3)
        .map(|cell| cell.parse().unwrap())
        .collect();
    let exact = json(&place, "solve run --for score --json --quiet");
    let [start, two_2s, error] = cells[..] else {
        panic!("{row}")
    };
    assert!((start - 480.26).abs() < 0.005 + error, "{row}");
    assert!((two_2s - 480.99).abs() < 0.005 + error, "{row}");
    assert!(
        error >= exact["objectives"][0]["error"].as_f64().unwrap(),
        "{row}"
    );
}

#[test]
fn the_log_has_an_announcement_and_keys_with_values() {
    let place = counted("--size 2x3");
    let said = stderr(&run(
        &place,
        "solve run --for score,16 --threads 1 --memory 32M",
    ))
    .to_owned();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines[0],
        "enum48: 2x3 in run: score,16, 1 thread, 32.00 MiB for data"
    );
    let last = lines.last().unwrap();
    assert!(last.contains(" sum=4 layer="), "{said}");
    for key in [
        "time=",
        " for=score,16 ",
        " pass=1 passes=1 ",
        " afterstates=",
        " memory=",
        " disk=",
        " sec=",
    ] {
        assert!(last.contains(key), "{key}: {said}");
    }
    assert_eq!(stderr(&run(&place, "solve run --for moves --quiet")), "");
}

#[test]
fn more_than_four_goals_are_solved_in_passes() {
    let objectives = "score,moves,8,16,32,64,128";
    let places = [counted("--size 2x3"), counted("--size 2x3")];
    let more = format!("solve run --for {objectives} --threads 1 --memory 24M");
    let said = stderr(&run(&places[0], &more)).to_owned();
    assert!(
        said.contains("enum48: 2x3 in run: 2 passes, 1 thread, 24.00 MiB for data\n"),
        "{said}"
    );
    assert!(said.contains("enum48: pass 2 of 2: "), "{said}");
    for objective in objectives.split(',') {
        good(&places[1], &format!("solve run --for {objective} --quiet"));
    }
    let [one, other] = places
        .each_ref()
        .map(|place| files(&place.path().join("run")));
    assert!(one == other);
}

#[test]
fn again_solves_an_objective_with_equal_or_other_precision() {
    let place = counted("--size 2 --max 32");
    let solve = |args: &str| {
        good(&place, &format!("solve run {args}"));
        files(&place.path().join("run"))
    };
    let coarse = solve("--for moves,score:8 --quiet");
    good(&place, "verify run --deep --quiet");
    let answer = json(&place, "solve run --for score --json --quiet");
    // Half of 2^-8, and half of 2^-24 for each of 17 layers.
    let error = answer["objectives"][0]["error"].as_f64();
    assert_eq!(
        error,
        Some(1.0 / 512.0 + 17.0 / f64::from(1 << 25)),
        "{answer}"
    );
    assert!(solve("--for moves,score --again --dry-run").eq(&coarse));
    refused(
        &place,
        "solve run --for score:30 --again",
        "leave room for 24 bits",
    );
    refused(
        &place,
        "solve run --for score --again --memory 1K",
        "memory",
    );
    assert!(
        files(&place.path().join("run")) == coarse,
        "refused before anything is deleted"
    );
    let fine = solve("--for score --again --quiet");
    assert!(fine != coarse);
    assert!(solve("--for score:8 --again --quiet") == coarse);
    let answer = json(&place, "solve run --for score:8 --json --quiet");
    assert_eq!(answer["also"], serde_json::json!(["moves"]));
    assert_eq!(answer["solved"], 0);
    let other = counted("--size 2 --max 32");
    good(&other, "solve run --for moves,score --quiet");
    assert!(solve("--for score --again --quiet") == files(&other.path().join("run")));
    let text = good(&place, "solve run --for score --quiet");
    assert!(text.contains("\nalso solved moves\n"), "{text}");
}

#[test]
fn again_deletes_nothing_if_afterstates_are_damaged() {
    let place = counted("--size 2 --max 32");
    good(&place, "solve run --for score,moves --quiet");
    let dir = place.path().join("run");
    let damaged = dir.join("sum-00020-max-00008.afterstates");
    let mut bytes = fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    let before = files(&dir);
    refused(
        &place,
        "solve run --for score --again --quiet",
        "sum-00020-max-00008.afterstates: damaged",
    );
    assert!(files(&dir) == before);
}

#[test]
fn a_rate_of_4s_is_refused_if_no_objective_depends_on_it() {
    let place = counted("--size 2");
    refused(
        &place,
        "solve run --for sure-16,sure-8 --four 0.2",
        "--four: sure-16 does not depend on the rate of 4s: leave out --four",
    );
    let text = good(&place, "solve run --for sure-16 --quiet");
    assert!(!text.contains("spawned 4s"), "{text}");
    let forced = json(&place, "solve run --for sure-16 --json --quiet");
    assert_eq!(forced["four"], "1/10");
    let text = good(&place, "solve run --for sure-16,score --four 0.2 --quiet");
    assert!(text.contains("\nspawned 4s  1/5 of all tiles\n"), "{text}");
}

#[test]
fn a_dry_run_of_a_small_game_is_exact() {
    let place = counted("--size 2x3");
    let before = files(&place.path().join("run"));
    let args = "solve run --for score,64,moves,8,16 --threads 1 --memory 24M --json";
    let estimate = json(&place, &format!("{args} --dry-run"));
    assert!(files(&place.path().join("run")) == before);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    let solved = json(&place, &format!("{args} --quiet"));
    assert_eq!(estimate["exact"], true);
    // A pass solves four goals at most.
    assert_eq!(estimate["passes"].as_array().unwrap().len(), 2);
    let afterstates = solved["afterstates"].as_u64().unwrap();
    assert_eq!(estimate["afterstates"], 2 * afterstates);
    assert_eq!(
        (&estimate["disk_low"], &estimate["disk_high"]),
        (&solved["bytes"], &solved["bytes"])
    );
    assert_eq!(estimate["disk_so_far"], 0);

    let after = json(&place, &format!("{args} --dry-run"));
    assert_eq!(
        (&after["afterstates"], &after["seconds_high"]),
        (&0.into(), &0.0.into())
    );
    assert_eq!(
        (&after["disk_so_far"], &after["disk_low"]),
        (&solved["bytes"], &solved["bytes"])
    );
    let text = good(&place, "solve run --for score --dry-run");
    assert!(
        text.ends_with("\nsolved      score\nto solve    nothing\n"),
        "{text}"
    );
}

#[test]
fn a_dry_run_reads_matrices() {
    let place = place();
    good(&place, "--size 4 --max 8 --keep matrices --dir run --quiet");
    let estimate = json(&place, "solve run --for moves --json --dry-run");
    let solved = json(&place, "solve run --for moves --json --quiet");
    assert_eq!(estimate["disk_high"], solved["bytes"]);
}

#[test]
fn the_bounds_of_a_dry_run_enclose_the_size() {
    let place = counted("--size 3x3 --max 128");
    let args = "solve run --for score,64,128 --json";
    let estimate = json(&place, &format!("{args} --dry-run"));
    let solved = json(&place, &format!("{args} --quiet"));
    let bytes = solved["bytes"].as_f64().unwrap();
    let of = |key: &str| estimate[key].as_f64().unwrap();
    assert!(
        of("disk_low") <= bytes && bytes <= of("disk_high"),
        "{estimate} {bytes}"
    );
    assert!(
        of("memory") < of("memory_bound") && of("memory") > 0.0,
        "{estimate}"
    );
    assert!(of("seconds_low") <= of("seconds_high"), "{estimate}");
}

#[test]
fn csv_has_three_columns_per_objective_and_a_row_per_part() {
    let place = counted("--size 2 --max 8");
    let solve = "solve run --for score,moves,8 --quiet --csv -";
    let table = good(&place, solve);
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(
        rows[0],
        "sum,max_tile,afterstates,score_least,score_mean,score_greatest,moves_least,moves_mean,\
         moves_greatest,tile_8_least,tile_8_mean,tile_8_greatest"
    );
    // The last two afterstates hold 4 4 2. If the 4s are diagonal, a spawned 2 loses the game.
    // After a spawned 4, a move wins and scores 8. If the 4s touch, the winning move merges both
    // pairs after a spawned 2, and scores 12. After a spawned 4 it scores 8.
    let expected = [
        10.0, 4.0, 2.0, 0.8, 6.2, 11.6, 0.1, 0.55, 1.0, 0.1, 0.55, 1.0,
    ];
    let last: Vec<f64> = rows[5]
        .split(',')
        .map(|cell| cell.parse().unwrap())
        .collect();
    let close = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-7;
    assert_eq!(last.len(), expected.len());
    assert!(last.iter().zip(&expected).all(close), "{last:?}");
    assert_eq!(rows.len(), 6);
}

#[test]
fn solving_writes_the_tables_of_results() {
    for (game, objectives, kept) in [
        ("2x2", "score,moves,16,32", "2x2"),
        ("2x3", "score,moves,32,64,128", "2x3"),
        ("4x4 --max 8", "score,moves,8", "4x4-8"),
    ] {
        let place = counted(&format!("--size {game}"));
        let solve = format!("solve run --for {objectives} --quiet --csv -");
        let path = format!("{}/results/values/{kept}.csv", env!("CARGO_MANIFEST_DIR"));
        let kept = fs::read_to_string(path).unwrap();
        assert!(good(&place, &solve) == kept, "{game}");
    }
}

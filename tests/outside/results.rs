//! The scripts for results of solved games: kept summaries and tables, the page, and pictures.
//!
//! The tests of pictures need Python 3 with the package `matplotlib`; the others only Python.

#![expect(clippy::disallowed_methods, reason = "the test writes bad tables")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use super::plots::{draw_by, has, words_of};
use crate::command::{good, place, stderr, stdout};
use crate::required::{can_import, python};

const PLOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/plot_values.py");
const KEEP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/keep_solved.py");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/solved.py");

/// A place with 2x2 solved in these turns. Turn N has its summary in `N.json` and its table in
/// `N.csv`.
fn solved(turns: &[&str]) -> TempDir {
    let place = place();
    good(&place, "--size 2 --keep afterstates --dir run --quiet");
    for (at, turn) in turns.iter().enumerate() {
        let solve = format!("solve run --for {turn} --csv {at}.csv --json --quiet");
        let summary = good(&place, &solve);
        fs::write(place.path().join(format!("{at}.json")), summary).unwrap();
    }
    fs::create_dir(place.path().join("solved")).unwrap();
    place
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs `keep_solved.py` on these turns, for the directory `solved`.
fn keep(place: &TempDir, turns: &[&str]) -> Output {
    let kept = place.path().join("solved");
    let mut args = vec![KEEP.to_owned(), text(&kept).to_owned(), "c0ffee".to_owned()];
    for turn in turns {
        args.extend([
            "--for x".to_owned(),
            text(&place.path().join(turn)).to_owned(),
        ]);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    python(&args).unwrap()
}

fn done(output: &Output) {
    assert!(output.status.success(), "{}", stderr(output));
    assert_eq!((stdout(output), stderr(output)), ("", ""));
}

fn refused(output: &Output, said: &str) {
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(output), format!("{said}\n"));
}

fn read(place: &TempDir, name: &str) -> String {
    fs::read_to_string(place.path().join(name)).unwrap()
}

fn summary(place: &TempDir) -> Value {
    serde_json::from_str(&read(place, "solved/2x2.json")).unwrap()
}

/// Writes the page of the kept games.
fn page(place: &TempDir) -> Output {
    python(&[PAGE, text(&place.path().join("solved"))]).unwrap()
}

#[test]
fn turns_of_a_solved_game_are_joined() {
    if !can_import(&["json"]) {
        return;
    }
    let place = solved(&["score", "moves,32", "score,moves,32"]);
    done(&keep(&place, &["2"]));
    let (whole, table) = (summary(&place), read(&place, "solved/2x2.csv"));
    assert_eq!(table, read(&place, "2.csv"));
    // The second call compares its turns with the kept game.
    done(&keep(&place, &["0", "1"]));
    let joined = summary(&place);
    assert_eq!(table, read(&place, "solved/2x2.csv"));
    for key in [
        "game",
        "objectives",
        "states",
        "bytes",
        "fingerprint",
        "afterstates",
        "date",
    ] {
        assert_eq!(whole[key], joined[key], "{key}");
    }
    let of = |key: &str| joined[key].as_array().unwrap().clone();
    assert_eq!(of("objectives").len(), 3);
    assert_eq!(
        of("commands"),
        [
            "enum48 --size 2x2 --keep afterstates",
            "enum48 solve enum48-data/2x2 --for x",
            "enum48 solve enum48-data/2x2 --for x"
        ]
    );
    assert_eq!(joined["commit"], "c0ffee");
    assert!(joined.get("dir").is_none());
}

#[test]
fn values_that_differ_from_kept_values_are_refused() {
    if !can_import(&["json"]) {
        return;
    }
    let place = solved(&["score,32"]);
    done(&keep(&place, &["0"]));
    let (kept, table) = (
        read(&place, "solved/2x2.json"),
        read(&place, "solved/2x2.csv"),
    );
    let (new, row) = (read(&place, "0.json"), read(&place, "0.csv"));
    let path = |name: &str| place.path().join(name);

    let changed = new.replacen("\"start\":66.96", "\"start\":66.97", 1);
    fs::write(path("0.json"), changed).unwrap();
    let output = keep(&place, &["0"]);
    assert!(
        stderr(&output).starts_with("keep_solved.py: 2x2: score: start: 66.97"),
        "{}",
        stderr(&output)
    );
    refused(&output, stderr(&output).trim_end());
    fs::write(path("0.json"), &new).unwrap();

    fs::write(path("0.csv"), row.replacen(",0.08", ",0.09", 1)).unwrap();
    let other = text(&path("solved/2x2.csv")).to_owned();
    let said = format!("keep_solved.py: 2x2: another table than {other}");
    refused(&keep(&place, &["0"]), &said);
    fs::write(path("0.csv"), &row).unwrap();

    assert_eq!(
        (kept, table),
        (
            read(&place, "solved/2x2.json"),
            read(&place, "solved/2x2.csv")
        )
    );
    done(&keep(&place, &["0"]));
}

#[test]
fn the_page_has_all_values_and_refuses_unpublished_ones() {
    if !can_import(&["json"]) {
        return;
    }
    let place = solved(&["score,moves,16,32"]);
    done(&keep(&place, &["0"]));
    done(&page(&place));
    let made = read(&place, "solved.md");
    for row in [
        "| [2x2](solved/2x2.json) | 66.9641 | 67.6963 | 8.1e-7 | 11.9604 | 12.1429 | 1.1e-7 | 268 |",
        "| 2x2 | 96.25113 | 8.28873 |",
        "| 2x2 | 32 | by probability | 8.29 % | 8.2887 % | github.com/DomTheDeveloper/2048-undo",
        "`enum48 solve enum48-data/2x2 --for x`",
    ] {
        assert!(made.contains(row), "{row}: {made}");
    }
    // A directory may be named from inside.
    fs::remove_file(place.path().join("solved.md")).unwrap();
    let output = Command::new("python3")
        .args([PAGE, "."])
        .current_dir(place.path().join("solved"))
        .output();
    done(&output.unwrap());
    assert_eq!(read(&place, "solved.md"), made);

    let kept = read(&place, "solved/2x2.json");
    let wrong = kept.replacen("\"start\": 66.96", "\"start\": 66.97", 1);
    fs::write(place.path().join("solved/2x2.json"), wrong).unwrap();
    let output = page(&place);
    let said = "solved.py: 2x2: score, by probability: 66.974149582386 here, 66.96 published";
    refused(&output, said);
    assert_eq!(read(&place, "solved.md"), made);
}

#[test]
fn contradicting_chances_of_two_games_are_refused() {
    if !can_import(&["json"]) {
        return;
    }
    let place = solved(&["score,moves,32"]);
    done(&keep(&place, &["0"]));
    let kept = read(&place, "solved/2x2.json");
    let other = kept.replacen("\"game\": \"2x2\"", "\"game\": \"2x2-32\"", 1);
    let contradicts = other.replacen("\"start\": 0.0828", "\"start\": 0.0829", 1);
    fs::write(place.path().join("solved/2x2-32.json"), &other).unwrap();
    done(&page(&place));
    fs::write(place.path().join("solved/2x2-32.json"), contradicts).unwrap();
    refused(
        &page(&place),
        "solved.py: 2x2-32: chance of 32: 0.08298728984538466, but 0.08288728984538465 in another game",
    );
}

#[test]
fn a_picture_of_values_has_titles_and_is_reproducible() {
    if !can_import(&["matplotlib"]) {
        return;
    }
    let place = solved(&["score,moves,16,32"]);
    let table = place.path().join("2x2.csv");
    fs::rename(place.path().join("0.csv"), &table).unwrap();
    for (objectives, title, axis, legend) in [
        (
            "score",
            "2x2: score to come, mean and greatest",
            "Score to come",
            "32 16 8 4 2",
        ),
        (
            "moves",
            "2x2: moves to come, mean and greatest",
            "Moves to come",
            "32 16 8 4 2",
        ),
        (
            "16,32",
            "2x2: chance to reach a tile, mean and greatest of boards without it",
            "Chance (%)",
            "16 32",
        ),
    ] {
        let draw = || draw_by(PLOT, &place, "a.svg", &[text(&table), "--for", objectives]);
        let svg = draw();
        assert!(svg == draw(), "{objectives}");
        let words: Vec<String> = words_of(svg).into_iter().map(|word| word.text).collect();
        for word in [title, axis, "Sum of the tiles"] {
            has(&words, word);
        }
        let named = words
            .iter()
            .rposition(|word| word.ends_with("ile"))
            .unwrap();
        assert_eq!(words[named + 1..].join(" "), legend);
    }
}

#[test]
fn bad_tables_of_values_are_refused_in_one_line() {
    if !can_import(&["matplotlib"]) {
        return;
    }
    let place = place();
    let (bad, out) = (place.path().join("bad.csv"), place.path().join("a.svg"));
    let header = "sum,max_tile,afterstates,score_least,score_mean,score_greatest\n";
    for (objectives, row, what) in [
        ("score", "4,2,1,1,1,-1\n", "line 2: not a row of numbers"),
        ("score", "4,2,1,1,nan,1\n", "line 2: not a row of numbers"),
        ("score", "4,3,1,1,1,1\n", "max_tile 3: not a tile"),
        (
            "score",
            "5,2,1,1,1,1\n",
            "sum 5 with 1 afterstates: no such part",
        ),
        (
            "score",
            "4,2,0,1,1,1\n",
            "sum 4 with 0 afterstates: no such part",
        ),
        ("moves", "4,2,1,1,1,1\n", "no column moves_mean"),
    ] {
        fs::write(&bad, format!("{header}{row}")).unwrap();
        let args = [PLOT, text(&bad), "--for", objectives, "-o", text(&out)];
        let output = python(&args).unwrap();
        assert_eq!(output.status.code(), Some(2), "{row}");
        assert_eq!(
            stderr(&output),
            format!("plot_values.py: {}: {what}\n", text(&bad))
        );
        assert!(!out.exists(), "{row}");
    }
    let output = python(&[PLOT, text(&bad), "--for", "luck", "-o", text(&out)]).unwrap();
    assert_eq!(
        stderr(&output),
        "plot_values.py: --for: luck: neither score nor moves nor tiles: see --help\n"
    );
}

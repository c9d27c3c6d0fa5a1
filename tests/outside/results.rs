//! The script that makes results again, and pictures of values.
//!
//! The tests need Python 3 with the package `matplotlib`.

#![expect(clippy::disallowed_methods, reason = "the test writes bad tables")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use super::plots::{draw, has, plot, words_of};
use crate::command::{PROGRAM, good, place, stderr};
use crate::script::python;

tests! {
    &[Package("matplotlib")] => [
        a_game_is_counted_again_and_a_table_that_differs_is_refused,
        turns_of_a_solved_game_are_joined,
        values_that_differ_from_kept_or_published_values_are_refused,
        contradicting_chances_of_two_games_are_refused,
        a_picture_of_values_has_titles_and_is_reproducible,
        bad_tables_of_values_are_refused_in_one_line,
    ],
}

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");

/// Keeps a game that was solved in turns. Each turn has its summary and its table in a file.
const KEEP: &str = "
import json, pathlib, sys
sys.path.append(sys.argv[1])
import reproduce
out, *turns = map(pathlib.Path, sys.argv[2:])
read = lambda turn, end: turn.with_suffix(end).read_text()
turns = [('--for x', json.loads(read(turn, '.json')), read(turn, '.csv')) for turn in turns]
reproduce.keep_solved(out, 'c0ffee', turns)
";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn read(place: &TempDir, name: &str) -> String {
    fs::read_to_string(place.path().join(name)).unwrap()
}

fn write(place: &TempDir, name: &str, text: &str) {
    fs::write(place.path().join(name), text).unwrap();
}

/// Runs `reproduce.py`, for the folder `out`.
fn reproduce(place: &TempDir, args: &str) -> Output {
    Command::new("python3")
        .args(["-B", &format!("{SCRIPTS}/reproduce.py"), "--out", "out"])
        .args(args.split(' '))
        .env("ENUM48", PROGRAM)
        .current_dir(place.path())
        .output()
        .unwrap()
}

fn done(output: &Output) {
    assert!(output.status.success(), "{}", stderr(output));
    assert_eq!(stderr(output), "");
}

fn refused(output: &Output, said: &str) {
    assert_eq!(output.status.code(), Some(1), "{}", stderr(output));
    assert!(stderr(output).contains(said), "{said}: {}", stderr(output));
}

/// The summary of 2x2 as a solved game.
fn summary(place: &TempDir) -> Value {
    let text = read(place, "out/summaries.jsonl");
    let mut lines = text.lines();
    let line = lines.find(|line| line.contains("objectives")).unwrap();
    serde_json::from_str(line).unwrap()
}

fn a_game_is_counted_again_and_a_table_that_differs_is_refused() {
    let place = place();
    done(&reproduce(&place, "count 2x2-8 2x2"));
    let kept = [
        "tables/2x2-8.csv",
        "tables/2x2.csv",
        "pictures/2x2.svg",
        "README.md",
    ];
    let all = || kept.map(|name| read(&place, &format!("out/{name}")));
    let made = all();
    let checkout = env!("CARGO_MANIFEST_DIR");
    for (name, made) in kept.iter().zip(&made).take(3) {
        let results = fs::read_to_string(format!("{checkout}/results/{name}")).unwrap();
        assert!(results == *made, "{name}");
    }
    for row in [
        "| 2x2-8 | 15 | 1 | 70 | 8 | 17 | [`x9596f26418660090`](tables/2x2-8.csv) |",
        "| [2x2](pictures/2x2.svg) | 74 | 36 | 662 | 67 | 75 | [`xea82e032423d0f15`](tables/2x2.csv) |",
        "| 2x2-8 | live 15; parts 7 | Lees-Miller |",
    ] {
        assert!(made[3].contains(row), "{row}: {}", made[3]);
    }
    let count = || reproduce(&place, "count 2x2-8");
    done(&count());
    assert!(all() == made);

    let wrong = made[0].replacen("14,4,1,0,", "14,4,0,1,", 1);
    assert!(wrong != made[0]);
    write(&place, "out/tables/2x2-8.csv", &wrong);
    refused(&count(), "reproduce.py: enum48 check ");
    assert!(read(&place, "out/tables/2x2-8.csv") == wrong);
}

fn turns_of_a_solved_game_are_joined() {
    let place = place();
    good(&place, "--size 2 --keep afterstates --dir run --quiet");
    for (at, turn) in ["score", "moves,32", "score,moves,32"].iter().enumerate() {
        let solve = format!("solve run --for {turn} --csv {at}.csv --json --quiet");
        write(&place, &format!("{at}.json"), &good(&place, &solve));
    }
    fs::create_dir_all(place.path().join("out/values")).unwrap();
    let at = |name: &str| text(&place.path().join(name)).to_owned();
    let keep = |turns: &[&str]| {
        let turns: Vec<String> = turns.iter().map(|turn| at(turn)).collect();
        let mut args = vec!["-B", "-c", KEEP, SCRIPTS];
        let out = at("out");
        args.push(&out);
        args.extend(turns.iter().map(String::as_str));
        done(&python(&args));
    };
    keep(&["2"]);
    let (whole, table) = (summary(&place), read(&place, "out/values/2x2.csv"));
    assert_eq!(table, read(&place, "2.csv"));
    // The second call compares its turns with the kept game.
    keep(&["0", "1"]);
    let joined = summary(&place);
    assert_eq!(table, read(&place, "out/values/2x2.csv"));
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

fn values_that_differ_from_kept_or_published_values_are_refused() {
    let place = place();
    let solve = || reproduce(&place, "solve 2x2");
    done(&solve());
    // The second run compares its values with the kept values.
    done(&solve());
    let [lines, table, page] = ["summaries.jsonl", "values/2x2.csv", "solved.md"]
        .map(|name| read(&place, &format!("out/{name}")));
    for row in [
        "| [2x2](values/2x2.csv) | 66.9641 | 67.6963 | 8.1e-7 | 11.9604 | 12.1429 | 1.1e-7 | `xbd7e8f39ca888f48` |",
        "| 2x2 | 96.25113 | 8.28873 |",
        "| 2x2 | 32 | 8.29 % | 8.2887 % |",
        "`enum48 solve enum48-data/2x2 --for score,moves,16,32`",
    ] {
        assert!(page.contains(row), "{row}: {page}");
    }
    let results = concat!(env!("CARGO_MANIFEST_DIR"), "/results/values/2x2.csv");
    assert!(table == fs::read_to_string(results).unwrap());

    let wrong = table.replacen(",0.08", ",0.09", 1);
    write(&place, "out/values/2x2.csv", &wrong);
    refused(&solve(), "reproduce.py: 2x2: another table than out/values");
    assert!(read(&place, "out/values/2x2.csv") == wrong);
    write(&place, "out/values/2x2.csv", &table);

    let wrong = lines.replacen("\"start\": 66.96", "\"start\": 66.97", 1);
    write(&place, "out/summaries.jsonl", &wrong);
    let said = "reproduce.py: 2x2: score: start: 66.96414958238601 now, 66.974149582386 kept";
    refused(&solve(), said);
    let said = "reproduce.py: 2x2: score: 66.974149582386 here, 66.96 published";
    refused(&reproduce(&place, "pages"), said);
    assert_eq!(read(&place, "out/solved.md"), page);
}

fn contradicting_chances_of_two_games_are_refused() {
    let place = place();
    done(&reproduce(&place, "solve 2x2"));
    let kept = read(&place, "out/summaries.jsonl");
    let other = kept.replacen("\"game\": \"2x2\"", "\"game\": \"2x2-32\"", 1);
    let contradicts = other.replacen("\"start\": 0.0828", "\"start\": 0.0829", 1);
    write(&place, "out/summaries.jsonl", &format!("{kept}{other}"));
    done(&reproduce(&place, "pages"));
    write(
        &place,
        "out/summaries.jsonl",
        &format!("{kept}{contradicts}"),
    );
    refused(
        &reproduce(&place, "pages"),
        "reproduce.py: 2x2-32: chance of 32: 0.08298728984538466, but 0.08288728984538465 in another game",
    );
}

fn a_picture_of_values_has_titles_and_is_reproducible() {
    let place = place();
    good(&place, "--size 2 --keep afterstates --dir run --quiet");
    let solve = "solve run --for score,moves,16,32 --csv 2x2.csv --quiet";
    good(&place, solve);
    let table = place.path().join("2x2.csv");
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
        let draw = || {
            draw(
                "values",
                &place,
                "a.svg",
                &[text(&table), "--for", objectives],
            )
        };
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

fn bad_tables_of_values_are_refused_in_one_line() {
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
        let args = ["values", text(&bad), "--for", objectives, "-o", text(&out)];
        let output = plot(&args);
        assert_eq!(output.status.code(), Some(2), "{row}");
        assert_eq!(
            stderr(&output),
            format!("plot.py: {}: {what}\n", text(&bad))
        );
        assert!(!out.exists(), "{row}");
    }
    let output = plot(&["values", text(&bad), "--for", "luck", "-o", text(&out)]);
    assert_eq!(
        stderr(&output),
        "plot.py: --for: luck: neither score nor moves nor tiles: see --help\n"
    );
}

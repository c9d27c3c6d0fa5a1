//! The pictures that `scripts/plot_layers.py` draws.
//!
//! It needs Python 3 and its package `matplotlib`.

#![expect(clippy::disallowed_methods, reason = "the test writes bad tables")]

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::command::{good, place, stderr, stdout};
use crate::required::{can_import, python};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/plot_layers.py");

/// A table of version 1, of 57 live states.
const OLD: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/v1/2x2-32/layers.csv"
);

/// The script on `args` and `-o` a file of this name: what it drew.
fn draw(place: &TempDir, name: &str, args: &[&str]) -> Vec<u8> {
    let out = place.path().join(name);
    let output = python(&[&[SCRIPT, "-o", text(&out)], args].concat()).unwrap();
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    assert_eq!(stdout(&output), "", "{args:?}");
    fs::read(out).unwrap()
}

/// All text of the picture in SVG, in the order in which it is drawn.
fn words(place: &TempDir, args: &[&str]) -> Vec<String> {
    let svg = String::from_utf8(draw(place, "picture.svg", args)).unwrap();
    let texts = svg.split("</text>").filter(|part| part.contains("<text"));
    texts
        .map(|part| part.rsplit('>').next().unwrap().to_owned())
        .collect()
}

/// The table of 3x3 to 64, counted by the program.
fn counted(place: &TempDir) -> PathBuf {
    good(place, "--size 3 --max 64 --quiet");
    place.path().join("enum48-data/3x3-64/layers.csv")
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn has(words: &[String], word: &str) {
    assert!(words.iter().any(|found| found == word), "{word}: {words:?}");
}

#[test]
fn every_format_begins_as_it_should() {
    if !can_import(&["matplotlib"]) {
        return;
    }
    let place = place();
    let new = counted(&place);
    for (name, magic) in [
        ("a.svg", "<?xml version=\"1.0\" encoding=\"utf-8\" "),
        ("a.png", "\u{89}PNG\r\n\u{1a}\n"),
        ("a.pdf", "%PDF-"),
    ] {
        let magic: Vec<u8> = magic.chars().map(|c| c as u8).collect();
        for args in [&[OLD][..], &[text(&new), "--log"], &[OLD, text(&new)]] {
            let bytes = draw(&place, name, args);
            assert!(bytes.starts_with(&magic), "{name}: {args:?}");
        }
    }
}

#[test]
fn a_game_has_its_name_total_axes_and_tiles() {
    if !can_import(&["matplotlib"]) {
        return;
    }
    let place = place();
    let new = counted(&place);
    for (table, title, tiles) in [
        (OLD, "2x2 to 32: 57 live states", "16 8 4 2"),
        (text(&new), "3x3 to 64: 594,046 live states", "32 16 8 4 2"),
    ] {
        for (args, tiles) in [
            (&[table][..], tiles.to_owned()),
            (&[table, "--log"], format!("all {tiles}")),
        ] {
            let words = words(&place, args);
            for word in [title, "Sum of the tiles", "Live states"] {
                has(&words, word);
            }
            let legend = words.iter().position(|word| word == "Largest tile");
            assert_eq!(words[legend.unwrap() + 1..].join(" "), tiles, "{args:?}");
        }
    }
    has(&words(&place, &[text(&new)]), "10,000");
    has(&words(&place, &[text(&new), "--log"]), "10,000");
}

#[test]
fn a_name_is_taken_from_the_option_the_file_or_the_directory() {
    if !can_import(&["matplotlib"]) {
        return;
    }
    let place = place();
    let table = place.path().join("2x3-64.csv");
    let count = "--size 2 --max 32 --until 20 --quiet --dir part --csv 2x3-64.csv";
    good(&place, count);
    let title = |args: &[&str], title| has(&words(&place, args), title);
    title(&[text(&table)], "2x3 to 64 up to sum 20: 35 live states");
    title(
        &[text(&table), "--game", "Two"],
        "Two up to sum 20: 35 live states",
    );
    let table = place.path().join("part/layers.csv");
    title(&[text(&table)], "part up to sum 20: 35 live states");
}

#[test]
fn several_games_are_named_in_a_legend() {
    if !can_import(&["matplotlib"]) {
        return;
    }
    let place = place();
    let new = counted(&place);
    for log in [&[][..], &["--log"]] {
        let words = words(&place, &[&[OLD, text(&new)], log].concat());
        for word in ["Sum of the tiles", "Live states"] {
            has(&words, word);
        }
        assert_eq!(
            words[words.len() - 2..],
            [
                "2x2 to 32: 57 live states",
                "3x3 to 64: 594,046 live states"
            ]
        );
    }
}

#[test]
fn the_same_table_gives_the_same_bytes() {
    if !can_import(&["matplotlib"]) {
        return;
    }
    let place = place();
    for name in ["a.svg", "a.png", "a.pdf"] {
        let picture = || draw(&place, name, &[OLD, "--log"]);
        assert!(picture() == picture(), "{name}");
    }
}

#[test]
fn what_cannot_be_drawn_is_refused_in_a_line() {
    if !can_import(&["matplotlib"]) {
        return;
    }
    let place = place();
    let (bad, out) = (place.path().join("bad.csv"), place.path().join("a.svg"));
    let refused = |args: &[&str], what: &str| {
        let output = python(&[&[SCRIPT], args].concat()).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(stdout(&output), "", "{args:?}");
        assert_eq!(stderr(&output), format!("plot_layers.py: {what}\n"));
        assert!(!out.exists(), "{args:?}");
    };
    let header = "sum,max_tile,live,dead,labeled,afterstates,fingerprint\n";
    for (table, what) in [
        ("", "no column sum"),
        ("sum,max_tile,dead\n4,2,2\n", "no column live"),
        (header, "no rows"),
        (&format!("{header}4,2\n"), "line 2: not a row of numbers"),
        (
            &format!("{header}4,x,2,0,6,1,\n"),
            "line 2: not a row of numbers",
        ),
        (&format!("{header}4,2,0,2,6,0,\n"), "no live states"),
        (
            &format!("{header}4,2,2,0,6,1,\n7,4,2,0,6,1,\n"),
            "sum 7: an odd distance from the first",
        ),
        (
            &format!("{header}4,2,-2,0,6,1,\n"),
            "line 2: not a row of numbers",
        ),
        (
            &format!("{header}4,2,2,0,6,1,\n1048578,4,2,0,6,1,\n"),
            "sum 1048578: more than any board has",
        ),
    ] {
        fs::write(&bad, table).unwrap();
        let what = format!("{}: {what}", text(&bad));
        refused(&[text(&bad), "-o", text(&out)], &what);
    }
    fs::write(&bad, b"\xff\xfe").unwrap();
    let what = format!("{}: not a CSV file", text(&bad));
    refused(&[text(&bad), "-o", text(&out)], &what);

    refused(
        &["absent.csv", "-o", text(&out)],
        "absent.csv: No such file or directory",
    );
    refused(
        &[OLD, "-o", "absent/a.svg"],
        "absent/a.svg: No such file or directory",
    );
    refused(&[OLD, "-o", "a.gif"], "a.gif: must end in .svg, .png, .pdf");
    refused(
        &[OLD],
        "the following arguments are required: -o: see --help",
    );
    refused(
        &[OLD, OLD, "--game", "Two", "-o", text(&out)],
        "--game: 1 names for 2 tables: see --help",
    );
}

#[test]
fn without_arguments_or_matplotlib_it_says_what_to_do() {
    if !can_import(&["sys"]) {
        return;
    }
    // Python without any packages.
    let bare = |args: &[&str]| python(&[&["-I", "-S", SCRIPT], args].concat()).unwrap();
    let output = bare(&[]);
    assert_eq!(output.status.code(), Some(2));
    let explained = stderr(&output);
    for word in [
        "usage: plot_layers.py",
        "--log",
        "pip install matplotlib",
        "example:",
    ] {
        assert!(explained.contains(word), "{word}: {explained}");
    }
    let output = bare(&["--help"]);
    assert!(output.status.success());
    assert_eq!(stdout(&output), explained);

    let output = bare(&[OLD, "-o", "a.svg"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "plot_layers.py: needs matplotlib: pip install matplotlib, or start it with uv run\n"
    );
}

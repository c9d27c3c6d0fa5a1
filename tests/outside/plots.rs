//! The pictures of `scripts/plot.py`.
//!
//! The tests need Python 3 with the package `matplotlib`.

#![expect(clippy::disallowed_methods, reason = "the test writes bad tables")]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output};

use serde_json::json;
use tempfile::TempDir;

use crate::command::{good, place, stderr, stdout};
use crate::script::{Servers, python};

tests! {
    &[Package("matplotlib")] => [
        every_format_has_its_magic_bytes_and_always_the_same_bytes,
        a_game_has_its_name_total_axes_and_tiles,
        every_line_is_named_in_its_own_color,
        axes_have_ticks_at_powers_of_two_and_in_thousands,
        a_picture_takes_its_name_from_manifest_option_or_file,
        several_games_have_a_legend_and_a_logarithmic_axis,
        panels_show_each_largest_tile_on_its_own_axes,
        labels_of_close_levels_do_not_overlap,
        the_cost_of_each_mask_is_drawn_as_it_is_kept,
        bad_tables_and_arguments_are_refused_in_one_line,
    ],
    PYTHON => [
        without_arguments_or_matplotlib_the_script_prints_help,
    ],
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/plot.py");

/// A table of version 1, with 57 live states.
const OLD: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/v1/2x2-32/layers.csv"
);

/// Runs the script.
pub(crate) fn plot(args: &[&str]) -> Output {
    const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/outside/plots.py");
    static PLOTS: Servers = Servers::of(SERVER);
    let answer = PLOTS.ask(&json!([&[SCRIPT], args].concat()));
    let (status, out, err): (i32, String, String) = serde_json::from_value(answer).unwrap();
    Output {
        status: ExitStatus::from_raw(status),
        stdout: out.into_bytes(),
        stderr: err.into_bytes(),
    }
}

/// The picture that the script draws of `what`, such as `layers`, in a file called `name`.
pub(crate) fn draw(what: &str, place: &TempDir, name: &str, args: &[&str]) -> Vec<u8> {
    let out = place.path().join(name);
    let output = plot(&[&[what, "-o", text(&out)], args].concat());
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    assert_eq!((stdout(&output), stderr(&output)), ("", ""), "{args:?}");
    fs::read(out).unwrap()
}

/// A text in a picture, with the middle of its baseline.
#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    x: f64,
    y: f64,
    color: Option<String>,
}

/// All texts of an SVG picture, in drawing order.
pub(crate) fn words_of(svg: Vec<u8>) -> Vec<Word> {
    let svg = String::from_utf8(svg).unwrap();
    let element = |part: &str| {
        let (_, element) = part.split_once("<text ")?;
        let after = |key: &str| {
            let (_, rest) = element.split_once(key)?;
            Some(rest.split(['"', ';']).next()?.to_owned())
        };
        Some(Word {
            text: element.rsplit('>').next()?.to_owned(),
            x: after(" x=\"")?.parse().ok()?,
            y: after(" y=\"")?.parse().ok()?,
            color: after(" fill: "),
        })
    };
    svg.split("</text>").filter_map(element).collect()
}

fn words(place: &TempDir, args: &[&str]) -> Vec<String> {
    let words = words_of(draw("layers", place, "picture.svg", args));
    words.into_iter().map(|word| word.text).collect()
}

/// The table of 3x3 to 64, counted by the program.
fn counted(place: &TempDir) -> PathBuf {
    good(place, "--size 3 --max 64 --quiet");
    place.path().join("enum48-data/3x3-64/layers.csv")
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub(crate) fn has(words: &[String], word: &str) {
    assert!(words.iter().any(|found| found == word), "{word}: {words:?}");
}

fn every_format_has_its_magic_bytes_and_always_the_same_bytes() {
    let place = place();
    for (name, magic) in [
        ("a.svg", "<?xml version=\"1.0\" encoding=\"utf-8\" "),
        ("a.png", "\u{89}PNG\r\n\u{1a}\n"),
        ("a.pdf", "%PDF-"),
    ] {
        let magic: Vec<u8> = magic.chars().map(|c| c as u8).collect();
        let picture = || draw("layers", &place, name, &[OLD, "--log"]);
        let bytes = picture();
        assert!(bytes.starts_with(&magic), "{name}");
        assert!(picture() == bytes, "{name}");
    }
}

fn a_game_has_its_name_total_axes_and_tiles() {
    let place = place();
    let new = counted(&place);
    for (table, title, tiles) in [
        (OLD, "2x2 to 32: 57 live states", "16 8 4 2"),
        (text(&new), "3x3 to 64: 594,046 live states", "32 16 8 4 2"),
    ] {
        let words = words(&place, &[table]);
        for word in [title, "Sum of the tiles", "Live states"] {
            has(&words, word);
        }
        let legend = words.iter().position(|word| word == "Largest tile");
        assert_eq!(words[legend.unwrap() + 1..].join(" "), tiles);
    }
}

fn every_line_is_named_in_its_own_color() {
    let place = place();
    let new = counted(&place);
    let named = |table| {
        let svg = draw("layers", &place, "picture.svg", &[table, "--log"]);
        let drawn = String::from_utf8(svg.clone()).unwrap();
        let words = words_of(svg);
        assert!(words.iter().any(|word| word.text == "all"), "{words:?}");
        let colored = words.into_iter().filter_map(|word| {
            let color = word.color?;
            // The line and its text have the color.
            assert!(drawn.matches(&color).count() >= 2, "{color}");
            Some((word.text, color))
        });
        colored.collect::<Vec<_>>()
    };
    let tiles = named(text(&new));
    let (texts, mut colors): (Vec<_>, Vec<_>) = tiles.iter().cloned().unzip();
    assert_eq!(texts, ["2", "4", "8", "16", "32"]);
    colors.sort();
    colors.dedup();
    assert_eq!(colors.len(), 5, "{tiles:?}");
    // A tile has the same color in all pictures.
    assert_eq!(named(OLD)[..], tiles[..4]);
}

fn axes_have_ticks_at_powers_of_two_and_in_thousands() {
    let place = place();
    let new = counted(&place);
    for args in [&[text(&new)][..], &[text(&new), "--log"]] {
        let words = words(&place, args);
        // The last layer has sum 176.
        let until = words.iter().position(|word| word == "Sum of the tiles");
        let ticks = "0 16 32 48 64 80 96 112 128 144 160 176";
        assert_eq!(words[..until.unwrap()].join(" "), ticks, "{args:?}");
        has(&words, "10 k");
    }
    let words = words(&place, &[OLD]);
    assert_eq!(words[..6].join(" "), "0 4 8 12 16 20");
}

fn a_picture_takes_its_name_from_manifest_option_or_file() {
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
    let run = place.path().join("part");
    for path in [run.clone(), run.join("layers.csv")] {
        title(&[text(&path)], "2x2 to 32 up to sum 20: 35 live states");
    }
    let manifest = run.join("manifest.json");
    fs::remove_file(&manifest).unwrap();
    title(&[text(&run)], "part up to sum 20: 35 live states");
    fs::write(&manifest, "[]").unwrap();
    let output = plot(&["layers", text(&run), "-o", "a.svg"]);
    assert_eq!(output.status.code(), Some(2));
    let refusal = format!(
        "plot.py: {}: names no game: see enum48 verify\n",
        text(&manifest)
    );
    assert_eq!(stderr(&output), refusal);
}

fn several_games_have_a_legend_and_a_logarithmic_axis() {
    let place = place();
    let new = counted(&place);
    let picture = |option: &[&str]| words(&place, &[&[OLD, text(&new)], option].concat());
    let (usual, linear) = (picture(&[]), picture(&["--no-log"]));
    for words in [&usual, &linear] {
        for word in ["Sum of the tiles", "Live states"] {
            has(words, word);
        }
        assert_eq!(
            words[words.len() - 2..],
            [
                "2x2 to 32: 57 live states",
                "3x3 to 64: 594,046 live states"
            ]
        );
    }
    assert_eq!(usual, picture(&["--log"]));
    has(&usual, "100");
    has(&linear, "2 k");
}

fn panels_show_each_largest_tile_on_its_own_axes() {
    let place = place();
    let new = counted(&place);
    let one = words(&place, &[text(&new), "--panels"]);
    let axes = |word: &&String| *word == "0";
    // Each of the five panels has a zero on the axis of sums and one on the axis of states.
    assert_eq!(one.iter().filter(axes).count(), 10, "{one:?}");
    has(&one, "3x3 to 64: 594,046 live states");
    let two = words(&place, &[OLD, text(&new), "--panels"]);
    for word in [
        "2x2 to 32: 57 live states",
        "3x3 to 64: 594,046 live states",
        "32",
    ] {
        has(&two, word);
    }
}

/// The labels of levels 5 and 6 once covered each other.
fn labels_of_close_levels_do_not_overlap() {
    let place = place();
    let table = place.path().join("compression.csv");
    let rows = [
        "level,bits_per_state,encode_ns_per_state,decode_ns_per_state,form",
        "4,3.199,11.75,4.66,lists",
        "5,3.054,16.05,5.45,lists",
        "6,3.026,16.55,4.95,lists",
        "7,3.025,16.6,4.65,lists",
        "8,2.947,21.88,4.59,lists",
        "9,2.724,554.51,5.35,lists",
    ];
    fs::write(&table, rows.join("\n")).unwrap();
    let svg = draw("compression", &place, "levels.svg", &[text(&table)]);
    let words = words_of(svg);
    // Ticks have the same numbers, but they are below all points.
    let labels: Vec<&Word> = ["4", "5", "6", "7", "8", "9"]
        .into_iter()
        .filter_map(|level| {
            let named = words.iter().filter(|word| word.text == level);
            named.min_by(|a, b| a.y.total_cmp(&b.y))
        })
        .collect();
    assert_eq!(labels.len(), 6);
    // A digit in an 8-point font is 5 points wide and 6 high.
    for (at, one) in labels.iter().enumerate() {
        for other in &labels[at + 1..] {
            let apart = (one.x - other.x).abs() > 5.0 || (one.y - other.y).abs() > 6.0;
            assert!(apart, "{one:?} {other:?}");
        }
    }
}

/// The picture of the results, whose differences of chances are computed by hand.
fn the_cost_of_each_mask_is_drawn_as_it_is_kept() {
    let place = place();
    let results = concat!(env!("CARGO_MANIFEST_DIR"), "/results");
    let table = format!("{results}/values/locks.csv");
    let svg = draw("locks", &place, "locks.svg", &[&table]);
    assert!(fs::read(format!("{results}/pictures/locks.svg")).unwrap() == svg);
    let words = words_of(svg);
    for cost in ["-0.6", "-11.8", "-8.4", "-7.3", "-50.8"] {
        assert!(words.iter().any(|word| word.text == cost), "{cost}");
    }
}

fn bad_tables_and_arguments_are_refused_in_one_line() {
    let place = place();
    let (bad, out) = (place.path().join("bad.csv"), place.path().join("a.svg"));
    let refused = |args: &[&str], what: &str| {
        let output = plot(&[&["layers"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(stdout(&output), "", "{args:?}");
        assert_eq!(stderr(&output), format!("plot.py: {what}\n"));
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
        (&format!("{header}4,3,2,0,6,1,\n"), "max_tile 3: not a tile"),
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
        "--game: 1 names for 2 runs: see --help",
    );
}

fn without_arguments_or_matplotlib_the_script_prints_help() {
    // These options run Python without packages.
    let bare = |args: &[&str]| python(&[&["-E", "-S", SCRIPT, "layers"], args].concat());
    let output = bare(&[]);
    assert_eq!(output.status.code(), Some(2));
    let explained = stderr(&output);
    for word in ["usage: plot.py layers", "--log", "--panels", "examples:"] {
        assert!(explained.contains(word), "{word}: {explained}");
    }
    let output = bare(&["--help"]);
    assert!(output.status.success());
    assert_eq!(stdout(&output), explained);

    let output = bare(&[OLD, "-o", "a.svg"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "plot.py: needs matplotlib: pip install matplotlib, or start it with uv run\n"
    );
}

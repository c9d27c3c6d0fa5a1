//! The pieces of `results/reading.md` print what their comments say.

use std::env;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::command::{PROGRAM, place, stderr, stdout};

const PAGE: &str = include_str!("../../results/reading.md");

tests! {
    &[
        Package("pandas"), Package("polars"), Package("duckdb"), Package("pyarrow"), Package("numpy"),
        Package("networkx"), Package("igraph"), Program("sqlite3"), Program("jq"),
    ] => [tools_read_the_exports],
    &[Right("Rscript --version")] => [r_reads_the_exports],
}

/// The pieces in some languages, each with its language.
fn pieces(languages: &[&str]) -> Vec<(&'static str, &'static str)> {
    let fenced = PAGE.split("```").skip(1).step_by(2);
    let pieces = fenced.map(|piece| piece.split_once('\n').unwrap());
    pieces
        .filter(|(language, _)| languages.contains(language))
        .collect()
}

/// Runs a piece in `place`, and compares its output with its comment.
fn prints(place: &TempDir, language: &str, piece: &str) {
    let program = match language {
        "python" => ["python3", "-c"],
        "r" => ["Rscript", "-e"],
        _ => ["sh", "-ec"],
    };
    let folder = Path::new(PROGRAM).parent().unwrap();
    let path = format!("{}:{}", folder.display(), env::var("PATH").unwrap());
    let output = Command::new(program[0])
        .args([program[1], piece])
        .env("PATH", path)
        .current_dir(place)
        .output()
        .unwrap();
    assert!(output.status.success(), "{piece}: {}", stderr(&output));
    let comment = piece.trim_end().rsplit_once("  # ");
    let expected = comment.map_or("", |(_, comment)| comment);
    assert_eq!(stdout(&output).trim_end(), expected, "{piece}");
}

fn tools_read_the_exports() {
    let place = place();
    let pieces = pieces(&["sh", "python"]);
    assert_eq!(pieces.len(), 9);
    for (language, piece) in pieces {
        prints(&place, language, piece);
    }
}

fn r_reads_the_exports() {
    let place = place();
    prints(&place, "sh", pieces(&["sh"])[0].1);
    for (language, piece) in pieces(&["r"]) {
        prints(&place, language, piece);
    }
}

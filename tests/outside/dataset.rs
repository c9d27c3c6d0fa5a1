//! The data that `scripts/dataset.sh` makes for a publication, read by its own loaders.

#![expect(clippy::disallowed_methods, reason = "the test changes a file")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command::{PROGRAM, place, stderr, stdout};

tests! {
    &[Package("pandas"), Package("pyarrow"), Package("polars"), Package("duckdb")] => [
        every_loader_of_the_data_set_reads_equal_numbers,
    ],
}

#[path = "../../scripts/dataset/load.rs"]
mod load;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");

fn every_loader_of_the_data_set_reads_equal_numbers() {
    let place = place();
    let out = place.path().join("out");
    let make = |out: &str, games: &[&str]| {
        Command::new(format!("{SCRIPTS}/dataset.sh"))
            .arg(out)
            .args(games)
            .env("ENUM48", PROGRAM)
            .current_dir(place.path())
            .output()
            .unwrap()
    };
    let refused = |out: &str, games: &[&str], why: &str| {
        let output = make(out, games);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    };
    refused("", &[], "Usage");
    refused("--games", &[], "Usage");
    refused(
        "out",
        &["2x2", "5x5"],
        "5x5: not a solved game of results/summaries.jsonl",
    );
    assert!(!out.exists());
    let made = make("out", &["2x2", "2x3"]);
    assert!(made.status.success(), "{}", stderr(&made));
    for (game, states) in [("2x2", 74), ("2x3", 17_268)] {
        let file = out.join(format!("states/{game}.parquet"));
        let (found, largest) = load::load(&file).unwrap();
        assert_eq!(found, states, "{game}");
        for loader in ["pandas", "polars", "duckdb"] {
            let output = Command::new("python3")
                .arg(out.join(format!("load_{loader}.py")))
                .arg(&file)
                .output()
                .unwrap();
            assert_eq!(
                stdout(&output),
                format!("{states} {largest}\n"),
                "{loader}: {}",
                stderr(&output)
            );
        }
    }
    assert!(passes_its_checksums(&out));
    let dictionary = fs::read_to_string(out.join("README.md")).unwrap();
    let entries = fs::read_dir(out.join("tables")).unwrap();
    let mut tables: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    tables.retain(|path| path.extension().unwrap() == "csv");
    assert!(tables.len() > 30);
    tables.extend(["rates", "forced", "locks"].map(|name| out.join(format!("values/{name}.csv"))));
    for table in tables {
        let text = fs::read_to_string(table).unwrap();
        for column in text.lines().next().unwrap().split(',') {
            assert!(dictionary.contains(&format!("`{column}`")), "{column}");
        }
    }
    refused("out", &["2x2"], "it is there already");
    fs::write(out.join("values/2x2.csv"), "changed").unwrap();
    assert!(!passes_its_checksums(&out));
}

fn passes_its_checksums(out: &Path) -> bool {
    let check = Command::new("sha256sum")
        .args(["--check", "--status", "--strict", "SHA256SUMS"])
        .current_dir(out)
        .status();
    check.unwrap().success()
}

//! `solve` with too little memory.

use std::fs;

use tempfile::TempDir;

use crate::command::{good, place, run, stderr};
use crate::manifest::seal_manifest;
use crate::outcomes::refused;

/// A place with only the manifest of a complete run of 4x4 to 32. `solve` computes the memory of
/// layers from the manifest.
fn manifest_of_a_large_run() -> TempDir {
    let table = include_str!("../../results/tables/4x4-32.csv");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    let (names, rows) = rows.split_first().unwrap();
    let parts = rows.iter().map(|row| {
        let fields = names.iter().zip(row);
        let fields = fields.map(|(name, value)| match *name {
            // The manifest has no x before a fingerprint.
            "fingerprint" => format!("\"{name}\": \"{}\"", &value[1..]),
            _ => format!("\"{name}\": {value}"),
        });
        fields.collect::<Vec<_>>().join(",\n      ")
    });
    let files = rows.iter().filter(|row| row[5] != "0").map(|row| {
        format!(
            r#""name": "sum-{:0>5}-max-{:0>5}.afterstates",
      "states": {},
      "bytes": 100,
      "fingerprint": "0123456789abcdef""#,
            row[0], row[1], row[5]
        )
    });
    let list = |objects: Vec<String>| objects.join("\n    },\n    {\n      ");
    let last: u32 = rows.last().unwrap()[0].parse().unwrap();
    let mut manifest = format!(
        r#"{{
  "format": 5,
  "program": "enum48 0.1.0",
  "game": "4x4-32",
  "keep": "afterstates",
  "segment": 134217728,
  "sealed_sum": {last},
  "complete": true,
  "rows": [
    {{
      {}
    }}
  ],
  "states": [],
  "afterstates": [
    {{
      {}
    }}
  ],
  "matrices": [],
  "crc32": "00000000"
}}
"#,
        list(parts.collect()),
        list(files.collect())
    )
    .into_bytes();
    seal_manifest(&mut manifest);
    let place = place();
    let dir = place.path().join("run");
    fs::create_dir(&dir).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the test forges a manifest")]
    fs::write(dir.join("manifest.json"), manifest).unwrap();
    place
}

#[test]
fn too_little_memory_for_the_threads_is_refused() {
    let place = place();
    good(&place, "--size 2 --keep afterstates --dir run --quiet");
    refused(
        &place,
        "solve run --threads 1 --memory 1M",
        "--threads 1 takes at least 24M",
    );
}

#[test]
fn too_little_memory_for_two_layers_is_refused() {
    let place = manifest_of_a_large_run();
    let solve = |memory: u64| format!("solve run --for score,moves --threads 1 --memory {memory}M");
    let said = stderr(&run(&place, &solve(24))).to_owned();
    let (_, enough) = said.split_once("give --memory ").expect(&said);
    let (enough, _) = enough.split_once("M or more").expect(&said);
    let enough: u64 = enough.parse().unwrap();
    // The largest layer has 18,493,996 afterstates. Each takes 8 bytes, and 4 bytes for its value.
    assert!(enough << 20 > 12 * 18_493_996, "{said}");
    refused(
        &place,
        &solve(enough - 1),
        &format!("takes {enough}M: give --memory {enough}M or more"),
    );
    assert_eq!(
        fs::read_dir(place.path().join("run")).unwrap().count(),
        1,
        "the manifest alone"
    );
    // With enough memory, `solve` begins in two passes, and then the afterstates are missing.
    let output = run(&place, &solve(enough));
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("4x4-32 in run: 2 passes, 1 thread, "),
        "{said}"
    );
    assert!(said.contains(".afterstates: missing: "), "{said}");
}

//! Python scripts, written from the description of the format, read part files.
//!
//! `scripts/read_part.py` needs Python 3 and its package `zstandard`, `scripts/read_part_fast.py`
//! also `numpy`.

#![expect(clippy::disallowed_methods, reason = "the test damages a file by hand")]

use std::fs;
use std::path::Path;
use std::process::Command;

use enum48::counts::Table;
use serde_json::Value;

use crate::command::PROGRAM;
use crate::required::{can_import, python};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/read_part.py");
const FAST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/read_part_fast.py");

/// The output of a script about a file, which must be sound.
fn read(script: &str, path: &Path) -> Value {
    let output = python(&[script, path.to_str().unwrap()]).unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Counts a game in `dir`. Returns the name, the number of states and the fingerprint of each file.
fn count(dir: &Path, args: &str) -> Vec<[String; 3]> {
    let output = Command::new(PROGRAM)
        .args(args.split(' '))
        .args(["--quiet", "--dir", dir.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{args}");
    let name = |sum: u32, max: u32, kind: &str| format!("sum-{sum:05}-max-{max:05}.{kind}");
    let table = fs::File::open(dir.join("layers.csv")).unwrap();
    let table = Table::read_csv(table).unwrap();
    let states = table.rows().iter().filter(|row| row.live > 0).map(|row| {
        let name = name(row.sum, row.max_tile, "states");
        [name, row.live.to_string(), row.fingerprint.to_string()]
    });
    // Only the manifest has the fingerprints of afterstates.
    let manifest = fs::read(dir.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let afterstates = manifest["afterstates"].as_array().unwrap().iter();
    let afterstates = afterstates.map(|file| {
        let number = |key| file[key].as_u64().unwrap() as u32;
        let name = name(number("sum"), number("max_tile"), "afterstates");
        let print = file["fingerprint"].as_str().unwrap().to_owned();
        [name, file["states"].to_string(), print]
    });
    states.chain(afterstates).collect()
}

/// The name, the number of states and the fingerprint, by the script.
fn found(dir: &Path, name: &str) -> [String; 3] {
    let found = read(SCRIPT, &dir.join(name));
    let print = found["fingerprint"].as_str().unwrap().to_owned();
    [name.to_owned(), found["states"].to_string(), print]
}

#[test]
fn the_script_finds_the_same_states() {
    if !can_import(&["zstandard"]) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("3x3-64");
    let files = count(&dir, "--size 3 --max 64");
    for expected in files.iter().step_by(10) {
        assert_eq!(found(&dir, &expected[0]), *expected);
    }
    // The last four files have afterstates. The two before them have states in several blocks.
    let dir = place.path().join("4x4-16");
    let files = count(&dir, "--size 4 --max 16 --until 40");
    for expected in &files[files.len() - 6..] {
        assert_eq!(found(&dir, &expected[0]), *expected);
    }
    for (name, block) in [
        ("sum-00040-max-00008.states", 1 << 17),
        ("sum-00040-max-00008.afterstates", 1 << 14),
    ] {
        let states = &files.iter().find(|file| file[0] == name).unwrap()[1];
        assert!(
            states.parse::<u64>().unwrap() > 2 * block,
            "{name}: {states}"
        );
    }
}

#[test]
fn the_script_prints_states_and_finds_a_flipped_bit() {
    if !can_import(&["zstandard", "numpy"]) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    count(place.path(), "--size 2 --max 32");
    let path = place.path().join("sum-00004-max-00002.states");
    let script = |path: &Path| python(&[SCRIPT, path.to_str().unwrap(), "--states"]).unwrap();
    let good = script(&path);
    let text = String::from_utf8(good.stdout).unwrap();
    let (label, states) = text.split_once('\n').unwrap();
    let label: Value = serde_json::from_str(label).unwrap();
    assert_eq!((&label["win"], &label["sum"]), (&5.into(), &4.into()));
    assert_eq!(states, "0000000000000011\n0000000000000110\n");

    let mut bytes = fs::read(&path).unwrap();
    let payload = 40 + 20;
    bytes[payload] ^= 1;
    fs::write(&path, bytes).unwrap();
    let fast = python(&[FAST, path.to_str().unwrap()]).unwrap();
    let bad = script(&path);
    assert_eq!(
        (fast.status.code(), fast.stdout),
        (bad.status.code(), bad.stdout.clone())
    );
    assert_eq!(fast.stderr, bad.stderr);
    assert_eq!(bad.status.code(), Some(1));
    assert!(bad.stdout.is_empty());
    let message = String::from_utf8(bad.stderr).unwrap();
    assert!(message.contains("block crc"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn the_fast_script_agrees_with_the_plain_script() {
    if !can_import(&["zstandard", "numpy"]) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let small = place.path().join("3x3-64");
    let large = place.path().join("4x4-16");
    let files = count(&small, "--size 3 --max 64");
    let mut paths: Vec<_> = files
        .iter()
        .step_by(20)
        .map(|file| small.join(&file[0]))
        .collect();
    // In the first parts of a 4x4, differences take up to eight bytes. The largest part has several
    // blocks.
    let files = count(&large, "--size 4 --max 16 --until 36");
    paths.extend([&files[0], &files[3], &files[files.len() - 6]].map(|file| large.join(&file[0])));
    for path in &paths {
        assert_eq!(read(FAST, path), read(SCRIPT, path));
        let program = "import sys; sys.path.append(sys.argv[1]); import read_part_fast\n\
                       print(*(f'{x:016x}' for x in read_part_fast.read(sys.argv[2])[1]), sep='\\n')";
        let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");
        let states = python(&["-B", "-c", program, scripts, path.to_str().unwrap()]).unwrap();
        let plain = python(&[SCRIPT, path.to_str().unwrap(), "--states"]).unwrap();
        let (_, plain) = std::str::from_utf8(&plain.stdout)
            .unwrap()
            .split_once('\n')
            .unwrap();
        assert!(
            String::from_utf8(states.stdout).unwrap() == plain,
            "{}",
            path.display()
        );
    }
}

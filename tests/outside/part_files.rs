//! A Python script, written from the description of the format, reads part files and files of matrices.
//!
//! `scripts/read.py` needs Python 3 with the packages `zstandard` and `numpy`.

#![expect(clippy::disallowed_methods, reason = "the test damages a file by hand")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use enum48::counts::Table;
use enum48::part::{Part, Stream};
use serde_json::Value;

use crate::command::{PROGRAM, place};
use crate::script::python;

tests! {
    &[Package("zstandard"), Package("numpy")] => [
        the_script_finds_the_same_states,
        the_script_prints_states_and_finds_a_flipped_bit,
        the_script_finds_the_afterstates_of_matrices,
        the_script_refuses_damaged_matrices,
    ],
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/read.py");

/// The output of the script about a file.
fn run(path: &Path) -> Output {
    // Without -B, Python would write compiled files into the folder of the scripts.
    python(&["-B", SCRIPT, path.to_str().unwrap(), "--boards"])
}

/// The header and the boards that the script prints of a file, which must be sound.
fn read(path: &Path) -> (Value, Vec<u64>) {
    let output = run(path);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    let mut lines = std::str::from_utf8(&output.stdout).unwrap().lines();
    let header = serde_json::from_str(lines.next().unwrap()).unwrap();
    let boards = lines.map(|line| u64::from_str_radix(line, 16).unwrap());
    (header, boards.collect())
}

/// The boards of a part file, by the library.
fn boards(path: &Path) -> Vec<u64> {
    let boards = Stream::new(Part::open(path).unwrap()).unwrap();
    boards.collect::<Result<_, _>>().unwrap()
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
        let name = file["name"].as_str().unwrap().to_owned();
        let print = format!("x{}", file["fingerprint"].as_str().unwrap());
        [name, file["states"].to_string(), print]
    });
    states.chain(afterstates).collect()
}

/// The name, the number of states and the fingerprint, by the script. The boards are compared.
fn found(dir: &Path, name: &str) -> [String; 3] {
    let path = dir.join(name);
    let (found, printed) = read(&path);
    assert!(printed == boards(&path), "{name}");
    let print = found["fingerprint"].as_str().unwrap().to_owned();
    [name.to_owned(), found["states"].to_string(), print]
}

fn the_script_finds_the_same_states() {
    let place = place();
    let dir = place.path().join("3x3-64");
    let files = count(&dir, "--size 3 --max 64");
    for expected in files.iter().step_by(25) {
        assert_eq!(found(&dir, &expected[0]), *expected);
    }
    // Files of a game with stones have format version 2. All stones of 44 are fixed.
    for game in ["free4-16", "44-16", "3x3free6lockff0_f00f0-16"] {
        let dir = place.path().join(game);
        for expected in count(&dir, game).iter().step_by(3) {
            assert_eq!(found(&dir, &expected[0]), *expected);
        }
    }
    // The last four files have afterstates. One of the two files before them has several blocks.
    let dir = place.path().join("4x4-16");
    let files = count(&dir, "--size 4 --max 16 --until 40");
    for expected in files[..4].iter().chain(&files[files.len() - 6..]) {
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

fn the_script_prints_states_and_finds_a_flipped_bit() {
    let place = place();
    count(place.path(), "--size 2 --max 32");
    let path = place.path().join("sum-00004-max-00002.states");
    let (label, states) = read(&path);
    assert_eq!((&label["win"], &label["sum"]), (&5.into(), &4.into()));
    assert_eq!(states, [0x11, 0x110]);

    let mut bytes = fs::read(&path).unwrap();
    let payload = 40 + 20;
    bytes[payload] ^= 1;
    fs::write(&path, bytes).unwrap();
    let bad = run(&path);
    assert_eq!(bad.status.code(), Some(1));
    assert!(bad.stdout.is_empty());
    let message = String::from_utf8(bad.stderr).unwrap();
    assert!(message.contains("block crc"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

/// The afterstates of a layer in the part files of `dir`, in order.
fn listed(dir: &Path, sum: u32) -> Vec<u64> {
    let name = |max: u32| dir.join(format!("sum-{sum:05}-max-{max:05}.afterstates"));
    let paths = (1..16)
        .map(|exp| name(1 << exp))
        .filter(|path| path.exists());
    let mut boards: Vec<u64> = paths.flat_map(|path| boards(&path)).collect();
    boards.sort_unstable();
    boards
}

fn the_script_finds_the_afterstates_of_matrices() {
    let place = place();
    // Each third layer of a small game. The other layer has halves of each kind, and a range of several lines.
    for (game, until, sums) in [
        ("--size 4 --max 8", "50", (4..=46).step_by(6)),
        ("--size 4 --max 16", "40", (40..=40).step_by(2)),
    ] {
        let [lists, matrices] = ["both", "matrices"].map(|keep| {
            let dir = place.path().join(format!("{until}-{keep}"));
            count(&dir, &format!("{game} --until {until} --keep {keep}"));
            dir
        });
        for sum in sums {
            let boards = listed(&lists, sum);
            assert!(!boards.is_empty(), "{game}: {sum}");
            let (_, printed) = read(&matrices.join(format!("sum-{sum:05}.matrices")));
            assert!(boards == printed, "{game}: {sum}");
        }
    }
}

fn the_script_refuses_damaged_matrices() {
    let place = place();
    count(place.path(), "--size 4 --max 8 --until 4 --keep matrices");
    let path = place.path().join("sum-00004.matrices");
    let good = fs::read(&path).unwrap();
    // The first payload, as on the page: order, rows, lines, and a frame whose block is not compressed:
    // mask, words, bytes, difference.
    let payload = 60..85;
    assert_eq!(good[81..payload.end], [1, 1, 1, 7]);
    for (at, byte, mended, what) in [
        (84, 6, false, "block crc"),
        (84, 6, true, "fingerprint"),
        (84, 0x0f, true, "a bit in the padding"),
        (84, 0, true, "a byte that differs in no bit"),
        (83, 0, true, "a word that differs in no byte"),
        (83, 3, true, "a byte that differs in no bit"),
        (82, 0, true, "a row of the mask without bits"),
        (81, 3, true, "bits of the mask after the last row"),
        (81, 0, true, "a matrix without bits"),
        (68, 2, true, "order, rows, lines"),
    ] {
        let mut bytes = good.clone();
        bytes[at] = byte;
        if mended {
            let crc = crc32fast::hash(&[&bytes[40..56], &bytes[payload.clone()]].concat());
            bytes[56..60].copy_from_slice(&crc.to_le_bytes());
        }
        fs::write(&path, bytes).unwrap();
        let bad = run(&path);
        let message = String::from_utf8(bad.stderr).unwrap();
        assert_eq!(bad.status.code(), Some(1), "{what}: {message}");
        assert!(
            message.contains(&format!(": {what}: ")),
            "{what}: {message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(bad.stdout.is_empty(), "{what}");
    }
}

//! Python scripts, written from the description of the format, read files of values.
//!
//! `scripts/read.py` and `values.py` need Python 3 with the packages `zstandard` and
//! `numpy`.

#![expect(clippy::disallowed_methods, reason = "the test writes files by hand")]

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Output;

use enum48::engine::{self, Plan, Silent};
use enum48::game::{Exp, FourRate, Objective, PartKey};
use enum48::internals::{Block, PartWriter, ValueEncoder};
use enum48::part::{About, Decoder, Kind, Part, value_fingerprint};
use enum48::store::{Run, Store};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{good, place};
use crate::read::reader;
use crate::script::python;

tests! {
    &[Package("zstandard"), Package("numpy")] => [
        the_script_finds_the_same_values,
        the_script_refuses_damaged_and_foreign_files,
        a_python_solver_agrees_with_every_integer,
    ],
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/read.py");
const SOLVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/outside/values.py");

/// A part of afterstates, and a file of invented values for them.
struct Solved {
    _place: TempDir,
    afterstates: Part,
    keys: Vec<u64>,
    values: Vec<u32>,
    path: PathBuf,
}

impl Solved {
    fn new(game: &str, until: u32, max: u32, objective: Objective, fraction: u32) -> Self {
        let place = place();
        let mut store = Store::open(place.path(), &game.parse().unwrap(), None).unwrap();
        let plan = Plan::new(64 << 20, 2).unwrap();
        engine::count(&mut store, &plan, Some(until), &mut Silent).unwrap();
        let key = PartKey {
            sum: until,
            max: Exp::of_tile(max).unwrap(),
        };
        drop(store);
        // Children that other tests start may hold the store's lock for a moment.
        let reader = reader(Run::peek(place.path()).unwrap());
        let afterstates = reader.part(Kind::Afterstates, key).unwrap().unwrap();
        let (mut decoder, mut keys) = (Decoder::new().unwrap(), Vec::new());
        for block in 0..afterstates.blocks() {
            afterstates
                .read_block(block, &mut decoder, &mut keys)
                .unwrap();
        }
        // Values of two bytes are stored in another form.
        let unused = if fraction == 0 { 16 } else { 0 };
        let made_up = keys.iter().zip(0..).map(made_up);
        let mut values: Vec<u32> = made_up.map(|value| value >> unused).collect();
        values[0] = u32::MAX >> unused;

        let path = place.path().join("made-up.values");
        let about = About {
            afterstates: afterstates.label(),
            objective,
            fraction,
            four: FourRate::default(),
            keys: afterstates.fingerprint(),
        };
        let mut writer = PartWriter::new(Cursor::new(Vec::new()), &path, about).unwrap();
        let (mut encoder, mut block) = (ValueEncoder::new().unwrap(), Block::default());
        let size = writer.block();
        for (keys, values) in keys.chunks(size).zip(values.chunks(size)) {
            encoder.encode(keys, values, &mut block).unwrap();
            writer.append(&block).unwrap();
        }
        fs::write(&path, writer.finish().unwrap().0.into_inner()).unwrap();
        Self {
            _place: place,
            afterstates,
            keys,
            values,
            path,
        }
    }
}

/// An invented value for a board. Its first bytes seldom change; its last bytes look random.
fn made_up((key, at): (&u64, u32)) -> u32 {
    at << 8 ^ key.wrapping_mul(0x9e37_79b9) as u32 >> 8
}

fn run(script: &str, files: &[&Path]) -> Output {
    let files = files.iter().map(|path| path.to_str().unwrap());
    // Without -B, Python would write compiled files into the folder of the scripts.
    let args: Vec<&str> = ["-B", script].into_iter().chain(files).collect();
    python(&args)
}

fn the_script_finds_the_same_values() {
    // The first file has several blocks. The others have few values, so planes are not compressed.
    for (solved, objective) in [
        (Solved::new("4x4-16", 40, 8, Objective::Score, 17), "score"),
        (Solved::new("2x3-64", 20, 8, Objective::Moves, 0), "moves"),
        (
            Solved::new("2x3", 12, 8, Objective::of_tile(512).unwrap(), 32),
            "512",
        ),
    ] {
        let blocks = solved.afterstates.blocks();
        assert_eq!(blocks > 2, objective == "score");
        let output = run(SCRIPT, &[&solved.path]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{message}");
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["objective"], objective);
        assert_eq!(found["values"], json!(solved.values.len()));
        let keys = solved.afterstates.fingerprint().to_string();
        assert_eq!(found["keys"], json!(keys));
        let print = value_fingerprint(&solved.keys, &solved.values).to_string();
        assert_eq!(found["fingerprint"], json!(print));

        let output = run(SCRIPT, &[&solved.path, solved.afterstates.path()]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{message}");
        let text = String::from_utf8(output.stdout).unwrap();
        let (header, text) = text.split_once('\n').unwrap();
        assert_eq!(serde_json::from_str::<Value>(header).unwrap(), found);
        let fraction = found["fraction"].as_u64().unwrap() as i32;
        let pairs = text.lines().map(|line| {
            let [board, value, _] = line.split(',').collect::<Vec<_>>()[..] else {
                panic!("{line}");
            };
            let board = u64::from_str_radix(board.strip_prefix("0x").unwrap(), 16).unwrap();
            let value: f64 = value.parse().unwrap();
            (board, value * 2f64.powi(fraction))
        });
        let values = solved.values.iter().map(|&value| f64::from(value));
        assert!(
            pairs.eq(solved.keys.iter().copied().zip(values)),
            "{objective}"
        );
    }
}

fn the_script_refuses_damaged_and_foreign_files() {
    let solved = Solved::new("2x3-64", 20, 8, Objective::Score, 17);
    let other = Solved::new("2x3-64", 22, 8, Objective::Score, 17);
    let refused = |files: &[&Path], what: &str| {
        let output = run(SCRIPT, files);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        assert!(message.contains(what), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    };
    refused(
        &[&solved.path, other.afterstates.path()],
        "afterstates of the values",
    );
    refused(&[&solved.path, &solved.path], "magics, version, kind");
    let good = fs::read(&solved.path).unwrap();
    for (at, what) in [(44, "crc about values"), (60 + 20 + 16, "block crc")] {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        fs::write(&solved.path, bytes).unwrap();
        refused(&[&solved.path], what);
    }
}

fn a_python_solver_agrees_with_every_integer() {
    let scripts = Path::new(SCRIPT).parent().unwrap().to_str().unwrap();
    for (game, objectives) in [
        ("--size 2x3", "score,moves,64"),
        ("--size 2x3 --max 32", "score,moves,16,32"),
    ] {
        let place = place();
        good(&place, &format!("{game} --keep both --quiet --dir run"));
        good(&place, &format!("solve run --for {objectives} --quiet"));
        good(&place, "states run --values --format npy -o run.npy");
        let at = |name| place.path().join(name).to_str().unwrap().to_owned();
        let output = python(&["-B", SOLVER, scripts, &at("run"), &at("run.npy")]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{game}: {message}");
    }
}

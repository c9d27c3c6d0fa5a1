//! The file format is stable. The library still reads the directories of the first release, and the
//! documented bytes equal the written bytes.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use enum48::counts::Table;
use enum48::engine::{self, Plan, Silent};
use enum48::game::{Exp, FourRate, Objective, PartKey};
use enum48::internals::{Block, PartWriter, ValueEncoder};
use enum48::part::{About, Decoder, Kind, Label, ValueColumn, fingerprint};
use enum48::store::{Keep, Run, Store};
use enum48::verify::{self, deep};

use crate::files::in_memory;
use crate::read::reader;

/// The path of a directory of the first release.
fn old(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/v1")
        .join(name)
}

#[test]
fn directories_of_the_first_release_open_and_verify() {
    // Lees-Miller (2017) published the first two numbers of live states. The twin in `oracle.rs`
    // gives the third.
    for (name, files, live, complete) in [
        ("2x2-32", 25, 57, true),
        ("2x2-8-both", 12, 15, true),
        ("2x3-8-until-12", 9, 111, false),
    ] {
        let run = Run::open(&old(name)).unwrap();
        assert_eq!(run.complete(), complete);
        assert_eq!(run.table().totals().live, live, "{name}");
        let pool = engine::pool(2).unwrap();
        let reader = reader(run);
        let report = verify::verify(&reader, &pool, &mut Silent).unwrap();
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        assert_eq!((report.files, report.states), (files, live), "{name}");
        assert!(
            deep::verify(&reader, &pool, 1 << 20, &mut Silent)
                .unwrap()
                .is_empty()
        );
    }
}

#[test]
fn a_count_resumes_in_a_directory_of_the_first_release() {
    let place = in_memory();
    for entry in fs::read_dir(old("2x3-8-until-12")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), place.path().join(entry.file_name())).unwrap();
    }
    let game = "2x3-8".parse().unwrap();
    let mut store = Store::open(place.path(), &game, None).unwrap();
    assert_eq!(store.run().sealed_sum(), 12);
    let plan = Plan::new(64 << 20, 2).unwrap();
    engine::count(&mut store, &plan, None, &mut Silent).unwrap();
    let fresh = in_memory();
    let mut other = Store::open(fresh.path(), &game, None).unwrap();
    engine::count(&mut other, &plan, None, &mut Silent).unwrap();
    assert_eq!(store.run().table(), other.run().table());
}

#[test]
fn a_table_of_the_first_release_is_read() {
    let bytes = fs::read(old("2x2-32").join("layers.csv")).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let own = Table::read_csv(text.as_bytes()).unwrap().to_csv();
    // The first fingerprints have no x.
    assert!(text.contains(",f8b92427b13a4593,"));
    assert_eq!(String::from_utf8(own).unwrap().replace(",x", ","), text);
}

/// The bytes of the three examples in the documentation: a part, a file of values, and a file of
/// matrices.
fn documented() -> [Vec<u8>; 3] {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/part/mod.rs");
    let page = fs::read_to_string(page).unwrap();
    let mut examples: Vec<Vec<u8>> = Vec::new();
    for line in page.lines() {
        let words: Vec<&str> = line.trim_start_matches("//!").split_whitespace().collect();
        let byte = |word: &&str| {
            u8::from_str_radix(word, 16)
                .ok()
                .filter(|_| word.len() == 2)
        };
        if let Some((at, row)) = words.split_first()
            && let Ok(at) = usize::from_str_radix(at, 16)
            && !row.is_empty()
            && row.iter().all(|word| byte(word).is_some())
        {
            if at == 0 {
                examples.push(Vec::new());
            }
            let example = examples.last_mut().unwrap();
            assert_eq!(at, example.len());
            example.extend(row.iter().filter_map(byte));
        }
    }
    examples.try_into().unwrap()
}

#[test]
fn the_documented_part_equals_a_written_file() {
    let [bytes, ..] = documented();
    let name = "sum-00004-max-00002.states";
    assert_eq!(bytes, fs::read(old("2x2-32").join(name)).unwrap());
    let place = in_memory();
    let game = "2x2-32".parse().unwrap();
    let mut store = Store::open(place.path(), &game, None).unwrap();
    let plan = Plan::new(64 << 20, 1).unwrap();
    engine::count(&mut store, &plan, Some(4), &mut Silent).unwrap();
    assert_eq!(bytes, fs::read(place.path().join(name)).unwrap());
}

#[test]
fn the_documented_values_equal_a_written_file() {
    let [_, bytes, _] = documented();
    let keys = [0x0124, 0x0142, 0x0241];
    let values = [0.0909, 0.0819, 0.009].map(|chance| (chance * 2f64.powi(31)).round() as u32);
    let about = About {
        afterstates: Label {
            kind: Kind::Afterstates,
            size: "2x2".parse().unwrap(),
            win: Exp::of_tile(32).unwrap(),
            horizon: None,
            key: PartKey::of(keys[0]),
        },
        objective: Objective::of_tile(32).unwrap(),
        fraction: 31,
        four: FourRate::default(),
        keys: fingerprint(&keys),
    };
    let path = Path::new("memory");
    let mut writer = PartWriter::new(Cursor::new(Vec::new()), path, about).unwrap();
    let mut block = Block::default();
    let mut encoder = ValueEncoder::new().unwrap();
    encoder.encode(&keys, &values, &mut block).unwrap();
    writer.append(&block).unwrap();
    assert_eq!(bytes, writer.finish().unwrap().0.into_inner());

    let column = ValueColumn::from_memory(path, bytes.into()).unwrap();
    assert_eq!(column.about(), about);
    let (mut decoder, mut found) = (Decoder::new().unwrap(), Vec::new());
    column.read_block(0, &mut decoder, &mut found).unwrap();
    assert_eq!(found, values);
}

#[test]
fn the_documented_matrices_equal_a_written_file() {
    let [_, _, bytes] = documented();
    let place = in_memory();
    let game = "4x4-8".parse().unwrap();
    let mut store = Store::open(place.path(), &game, Some(Keep::Matrices)).unwrap();
    let plan = Plan::new(64 << 20, 1).unwrap();
    engine::count(&mut store, &plan, Some(4), &mut Silent).unwrap();
    let written = fs::read(place.path().join("sum-00004.matrices")).unwrap();
    assert_eq!(bytes, written);
}

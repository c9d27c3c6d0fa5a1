//! The format stays what it was: directories of version 1 are read, and what is documented is what
//! is written.

use std::fs;
use std::path::{Path, PathBuf};

use enum48::counts::Table;
use enum48::engine::{self, Plan, Silent};
use enum48::store::{Run, Store};
use enum48::verify::{self, deep};

/// A directory of version 1.
fn old(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/v1")
        .join(name)
}

#[test]
fn directories_of_version_1_open_and_verify() {
    // The first was counted by hand, too (Lees-Miller, 2017); the second by the slow twin of
    // `oracle.rs`.
    for (name, files, live, complete) in
        [("2x2-32", 25, 57, true), ("2x3-8-until-12", 9, 111, false)]
    {
        let run = Run::open(&old(name)).unwrap();
        assert_eq!(run.complete(), complete);
        assert_eq!(run.table().totals().live, live, "{name}");
        let pool = engine::pool(2).unwrap();
        let report = verify::verify(&run, &pool, &|_| ()).unwrap();
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        assert_eq!((report.files, report.states), (files, live), "{name}");
        assert!(
            deep::verify(&run, &pool, 1 << 20, &|_| ())
                .unwrap()
                .is_empty()
        );
    }
}

#[test]
fn a_count_goes_on_in_a_directory_of_version_1() {
    let place = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(old("2x3-8-until-12")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), place.path().join(entry.file_name())).unwrap();
    }
    let game = "2x3-8".parse().unwrap();
    let mut store = Store::open(place.path(), &game, None).unwrap();
    assert_eq!(store.run().sealed_sum(), 12);
    let plan = Plan::new(64 << 20, 2).unwrap();
    engine::count(&mut store, &plan, None, &mut Silent).unwrap();
    let fresh = tempfile::tempdir().unwrap();
    let mut other = Store::open(fresh.path(), &game, None).unwrap();
    engine::count(&mut other, &plan, None, &mut Silent).unwrap();
    assert_eq!(store.run().table(), other.run().table());
}

#[test]
fn the_first_table_is_still_read_and_written() {
    let bytes = fs::read(old("2x2-32").join("layers.csv")).unwrap();
    assert_eq!(Table::read_csv(&bytes[..]).unwrap().to_csv(), bytes);
}

/// The example in the documentation of the part file, byte for byte the file that it is of.
#[test]
fn the_documented_bytes_are_those_of_a_file() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/part/mod.rs");
    let page = fs::read_to_string(page).unwrap();
    let mut bytes = Vec::new();
    for line in page.lines() {
        let words: Vec<&str> = line.trim_start_matches("//!").split_whitespace().collect();
        let byte = |word: &&str| {
            u8::from_str_radix(word, 16)
                .ok()
                .filter(|_| word.len() == 2)
        };
        if let Some((at, row)) = words.split_first()
            && byte(at).map(usize::from) == Some(bytes.len())
            && row.iter().all(|word| byte(word).is_some())
        {
            bytes.extend(row.iter().filter_map(byte));
        }
    }
    let name = "sum-00004-max-00002.states";
    assert_eq!(bytes, fs::read(old("2x2-32").join(name)).unwrap());
    let place = tempfile::tempdir().unwrap();
    let game = "2x2-32".parse().unwrap();
    let mut store = Store::open(place.path(), &game, None).unwrap();
    let plan = Plan::new(64 << 20, 1).unwrap();
    engine::count(&mut store, &plan, Some(4), &mut Silent).unwrap();
    assert_eq!(bytes, fs::read(place.path().join(name)).unwrap());
}

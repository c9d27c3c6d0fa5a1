//! Damaged tables and manifests.

use std::fs;

use enum48::counts::Table;
use enum48::engine::{self, Plan, Silent};
use enum48::store::Store;
use enum48::{Error, Game};
use fastrand::Rng;
use tempfile::TempDir;

use super::damage::{damage, interesting};
use super::files::{files, in_memory};
use super::manifest::seal_manifest;
use super::share::share;
use super::{fuzz, kind};

/// Counts a game up to sum 12, so that its directory has states and the last afterstates.
fn counted(place: &TempDir, game: &Game) -> Table {
    let mut store = Store::open(place.path(), game, None).unwrap();
    let plan = Plan::new(64 << 20, 2).unwrap();
    engine::count(&mut store, &plan, Some(12), &mut Silent).unwrap();
    store.run().table()
}

#[test]
fn a_damaged_table_is_refused_or_survives_a_round_trip() {
    let place = in_memory();
    let mut good = Vec::new();
    let game = Game::new("2".parse().unwrap(), Some(32)).unwrap();
    counted(&place, &game).write_csv(&mut good).unwrap();
    let outcomes = fuzz("tables", share(0..100_000), |rng| {
        let mut bytes = good.clone();
        for _ in 0..rng.u32(0..3) {
            damage(rng, &mut bytes, &good);
        }
        let Ok(table) = Table::read_csv(bytes.as_slice()) else {
            return "error".to_owned();
        };
        let mut again = Vec::new();
        table.write_csv(&mut again).unwrap();
        let read = Table::read_csv(again.as_slice()).unwrap();
        assert_eq!(read.rows(), table.rows());
        if again == good { "same" } else { "other" }.to_owned()
    });
    assert_eq!(outcomes.len(), 3);
}

/// Replaces a number in a text.
fn forge_number(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let digit = |&at: &usize| bytes[at].is_ascii_digit();
    let digits: Vec<usize> = (0..bytes.len()).filter(digit).collect();
    if let Some(&at) = rng.choice(&digits) {
        let start = (0..at).rev().find(|&at| !bytes[at].is_ascii_digit());
        let end = (at..bytes.len()).find(|&at| !bytes[at].is_ascii_digit());
        let number = interesting(rng, bytes.len()).to_string();
        let place = start.map_or(0, |start| start + 1)..end.unwrap_or(bytes.len());
        drop(bytes.splice(place, number.into_bytes()));
    }
}

#[test]
fn a_damaged_manifest_is_refused() {
    let place = in_memory();
    let game = Game::new("2".parse().unwrap(), Some(32)).unwrap();
    let table = counted(&place, &game);
    let path = place.path().join("manifest.json");
    let good = fs::read(&path).unwrap();
    let files = files(place.path());
    let mut sealed = good.clone();
    seal_manifest(&mut sealed);
    assert!(sealed == good, "forged checksums would not be believed");
    let outcomes = fuzz("manifests", share(0..30_000), |rng| {
        let genuine = rng.bool();
        let mut bytes = good.clone();
        for _ in 0..rng.u32(0..3) {
            damage(rng, &mut bytes, &good);
        }
        if !genuine {
            forge_number(rng, &mut bytes);
            seal_manifest(&mut bytes);
        }
        fs::write(&path, &bytes).unwrap();
        let result = Store::open(place.path(), &game, None);
        if let Ok(store) = &result {
            let same = bytes == good && store.run().table() == table;
            assert!(same || !genuine, "damaged, but believed");
        }
        if !matches!(result, Err(Error::Damaged { .. })) {
            // A forged manifest may leave files out, and opening then deletes them.
            for (name, bytes) in &files {
                fs::write(place.path().join(name), bytes).unwrap();
            }
        }
        kind(&result)
    });
    for outcome in ["Damaged", "Mismatch", "ok"] {
        assert!(outcomes.contains_key(outcome), "{outcome}: {outcomes:?}");
    }
}

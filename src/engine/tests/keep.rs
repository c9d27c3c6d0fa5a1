//! Files of layers that a count keeps.

use super::*;
use crate::part::{Kind, Stream};

#[test]
fn any_plan_keeps_equal_afterstates() {
    let game = game("3", 128);
    for keep in [Keep::Afterstates, Keep::Both] {
        let ample = Plan::new(1 << 30, 2).unwrap();
        let expected = directory(&game, &ample, &[None], keep);
        for threads in [1, 3] {
            let plan = Plan::tiny(threads);
            assert!(
                directory(&game, &plan, &[None], keep) == expected,
                "{plan:?}"
            );
        }
    }
}

/// The files of a directory whose names end with `ending`.
fn ending(files: &BTreeMap<String, Vec<u8>>, ending: &str) -> BTreeMap<String, Vec<u8>> {
    let files = files.iter().filter(|(name, _)| name.ends_with(ending));
    let files = files.map(|(name, bytes)| (name.clone(), bytes.clone()));
    files.collect()
}

#[test]
fn keeping_more_changes_no_count_and_no_file() {
    let plan = Plan::new(256 << 20, 2).unwrap();
    for (game, until) in [(game("3", 64), None), (game("4", 16), Some(30))] {
        let directory = |keep| directory(&game, &plan, &[until], keep);
        let [all, last, afterstates, both] = EVERY.map(directory);
        for other in [&last, &afterstates, &both] {
            assert_eq!(other["layers.csv"], all["layers.csv"], "{game}");
        }
        assert!(
            ending(&both, ".states") == ending(&all, ".states"),
            "{game}"
        );
        assert!(
            ending(&afterstates, ".states") == ending(&last, ".states"),
            "{game}"
        );
        let kept = ending(&both, ".afterstates");
        assert!(ending(&afterstates, ".afterstates") == kept, "{game}");
        // They include the frontier of a stopped count, byte for byte.
        let frontier = ending(&all, ".afterstates");
        assert_eq!(frontier.is_empty(), until.is_none(), "{game}");
        assert!(
            frontier.iter().all(|(name, bytes)| kept[name] == *bytes),
            "{game}"
        );
    }
}

#[test]
fn kept_afterstates_match_the_counts_of_the_table() {
    let plan = Plan::new(256 << 20, 2).unwrap();
    for (game, until) in [(game("3", 64), None), (game("4", 16), Some(40))] {
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Afterstates)).unwrap();
        count(&mut store, &plan, until, &mut Silent).unwrap();
        let run = store.run();
        let mut parts = run.parts(Kind::Afterstates);
        for row in run.table().rows().iter().filter(|row| row.afterstates > 0) {
            let key = row.key().unwrap();
            assert_eq!(parts.next(), Some(key), "{game}");
            let part = run.part(Kind::Afterstates, key).unwrap().unwrap();
            let boards = Stream::new(part).unwrap().map(Result::unwrap);
            assert_eq!(boards.count() as u64, row.afterstates, "{game} {key:?}");
        }
        assert_eq!(parts.next(), None, "{game}");
    }
}

#[test]
fn keeping_the_last_layer_keeps_no_more() {
    let game = game("3", 64);
    let plan = Plan::new(64 << 20, 2).unwrap();
    let names = |until| {
        directory(&game, &plan, &[until], Keep::Last)
            .into_keys()
            .collect::<Vec<_>>()
    };
    let sums = |kind: &str, names: &[String]| {
        let of_kind = names.iter().filter(|name| name.ends_with(kind));
        let mut sums: Vec<u32> = of_kind.map(|name| name[4..9].parse().unwrap()).collect();
        sums.dedup();
        sums
    };
    let stopped = names(Some(60));
    assert_eq!(sums(".states", &stopped), [60]);
    assert_eq!(sums(".afterstates", &stopped), [58, 60]);
    let complete = names(None);
    assert_eq!(sums(".states", &complete).len(), 1);
    assert!(sums(".afterstates", &complete).is_empty());
}

#[test]
fn a_run_that_dropped_layers_cannot_keep_all() {
    let game = game("2", 32);
    let place = tempfile::tempdir().unwrap();
    let plan = Plan::new(64 << 20, 1).unwrap();
    let mut store = Store::open(place.path(), &game, Some(Keep::Last)).unwrap();
    count(&mut store, &plan, Some(20), &mut Silent).unwrap();
    drop(store);
    let refused = Store::open(place.path(), &game, Some(Keep::All))
        .err()
        .unwrap();
    assert!(
        matches!(refused, Error::Dropped { below: 20, .. }),
        "{refused}"
    );
    assert!(
        Store::open(place.path(), &game, None).is_ok(),
        "goes on as it was begun"
    );
}

/// The directory of a count that keeps `from` up to `until`, if given, and `to` from then on;
/// `None` if the change is refused.
fn changed(from: Keep, to: Keep, until: Option<u32>) -> Option<BTreeMap<String, Vec<u8>>> {
    let game = game("2", 32);
    let plan = Plan::new(64 << 20, 1).unwrap();
    let place = tempfile::tempdir().unwrap();
    let mut store = Store::open(place.path(), &game, Some(from)).unwrap();
    if until.is_some() {
        count(&mut store, &plan, until, &mut Silent).unwrap();
    }
    drop(store);
    let before = files(place.path());
    match Store::open(place.path(), &game, Some(to)) {
        Ok(mut store) => {
            count(&mut store, &plan, None, &mut Silent).unwrap();
            Some(files(place.path()))
        }
        Err(Error::Dropped { .. }) => {
            assert!(files(place.path()) == before, "{from} to {to}");
            None
        }
        Err(error) => panic!("{from} to {to}: {error}"),
    }
}

#[test]
fn a_run_can_keep_less_any_time_and_more_before_the_first_drop() {
    let game = game("2", 32);
    let plan = Plan::new(64 << 20, 1).unwrap();
    for from in EVERY {
        for to in EVERY {
            let expected = directory(&game, &plan, &[None], to);
            let less = (from.states() || !to.states()) && (from.afterstates() || !to.afterstates());
            let found = changed(from, to, Some(20));
            assert_eq!(found.is_some(), less, "{from} to {to}");
            assert!(
                found.is_none_or(|found| found == expected),
                "{from} to {to}"
            );
            // Up to sum 4 nothing is dropped.
            for until in [None, Some(4)] {
                let found = changed(from, to, until);
                assert!(found.unwrap() == expected, "{from} to {to}, {until:?}");
            }
        }
    }
}

//! The files that a run keeps.

use super::*;

#[test]
fn keeping_more_changes_no_count_and_no_file() {
    let plan = plan(256 << 20, 2);
    for (game, until) in [(game("3", 64), None), (game("4", 16), Some(30))] {
        let directory = |keep| directory(&game, &plan, &[until], keep);
        let [all, last, afterstates, both] = EVERY.map(directory);
        for other in [&last, &afterstates, &both] {
            assert_eq!(other["layers.csv"], all["layers.csv"], "{game}");
        }
        for (one, other) in [(&both, &all), (&afterstates, &last)] {
            assert!(ending(one, ".states") == ending(other, ".states"), "{game}");
        }
        let kept = ending(&both, ".afterstates");
        assert!(ending(&afterstates, ".afterstates") == kept, "{game}");
        // The kept files include the frontier of a stopped count.
        let frontier = ending(&all, ".afterstates");
        assert_eq!(frontier.is_empty(), until.is_none(), "{game}");
        let mut files = frontier.iter();
        assert!(files.all(|(name, bytes)| kept[name] == *bytes), "{game}");
    }
}

#[test]
fn kept_afterstates_match_the_counts_of_the_table() {
    let plan = plan(256 << 20, 2);
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
fn keep_last_keeps_only_the_last_layer_and_the_frontier() {
    let game = game("3", 64);
    let plan = plan(64 << 20, 2);
    let files = |until| directory(&game, &plan, &[until], Keep::Last);
    let sums = |kind: &str, files: &DirFiles| {
        let names = ending(files, kind).into_keys();
        let mut sums: Vec<u32> = names.map(|name| name[4..9].parse().unwrap()).collect();
        sums.dedup();
        sums
    };
    let stopped = files(Some(60));
    assert_eq!(sums(".states", &stopped), [60]);
    assert_eq!(sums(".afterstates", &stopped), [58, 60]);
    let complete = files(None);
    assert_eq!(sums(".states", &complete).len(), 1);
    assert!(sums(".afterstates", &complete).is_empty());
}

#[test]
fn a_run_that_dropped_layers_cannot_keep_all() {
    let game = game("2", 32);
    let place = tempfile::tempdir().unwrap();
    let plan = plan(64 << 20, 1);
    let mut store = Store::open(place.path(), &game, Some(Keep::Last)).unwrap();
    count(&mut store, &plan, Some(20), &mut Silent).unwrap();
    drop(store);
    let refused = Store::open(place.path(), &game, Some(Keep::All));
    assert!(matches!(refused, Err(Error::Dropped { below: 20, .. })));
    assert!(Store::open(place.path(), &game, None).is_ok());
}

/// The files of a count that keeps `from` up to sum `until`, if given, and then `to`; `None` if the
/// change is refused.
fn changed(from: Keep, to: Keep, until: Option<u32>) -> Option<DirFiles> {
    let game = game("2", 32);
    let plan = plan(64 << 20, 1);
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
fn a_run_can_keep_less_at_any_time_but_more_only_before_the_first_drop() {
    let game = game("2", 32);
    let plan = plan(64 << 20, 1);
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

#[test]
fn a_complete_run_of_states_gets_the_afterstates_that_a_count_keeps() {
    for (name, stop) in [("2x2-32", 20), ("2x3", 90), ("3x3-32", 40)] {
        let game: Game = name.parse().unwrap();
        for keep in [Keep::Both, Keep::Afterstates] {
            let plan = Plan::tiny(2);
            let expected = directory(&game, &plan, &[None], keep);
            let place = tempfile::tempdir().unwrap();
            let open = |keep| Store::open(place.path(), &game, keep).unwrap();
            count(&mut open(Some(Keep::All)), &plan, None, &mut Silent).unwrap();
            let states = files(place.path());
            // Another choice, or none, makes nothing.
            count(&mut open(None), &plan, None, &mut Silent).unwrap();
            assert!(files(place.path()) == states, "{name}");

            let mut progress = StopIn(stop, Vec::new());
            count(&mut open(Some(keep)), &plan, None, &mut progress).unwrap();
            assert!(progress.1.is_sorted_by(|later, sum| later > sum) && progress.1.len() > 5);
            let run = Run::peek(place.path()).unwrap();
            assert_eq!(
                (run.keep(), run.first_sum(Kind::Afterstates)),
                (Keep::All, stop)
            );
            let mut progress = StopIn(0, Vec::new());
            count(&mut open(Some(keep)), &plan, None, &mut progress).unwrap();
            assert_eq!(progress.1.first(), Some(&(stop - 2)), "{name} {keep}");
            assert!(files(place.path()) == expected, "{name} {keep}");
        }
    }
}

#[test]
fn afterstates_that_were_begun_are_dropped_when_they_are_not_kept() {
    let game: Game = "2x2-32".parse().unwrap();
    let plan = Plan::tiny(1);
    for keep in [Keep::All, Keep::Last] {
        let place = tempfile::tempdir().unwrap();
        let open = |keep| Store::open(place.path(), &game, Some(keep)).unwrap();
        count(&mut open(Keep::All), &plan, None, &mut Silent).unwrap();
        let mut stop = StopIn(20, Vec::new());
        count(&mut open(Keep::Both), &plan, None, &mut stop).unwrap();
        let begun = ending(&files(place.path()), ".afterstates");
        assert!(!begun.is_empty(), "{keep}");
        count(&mut open(keep), &plan, None, &mut Silent).unwrap();
        let expected = directory(&game, &plan, &[None], keep);
        assert!(files(place.path()) == expected, "{keep}");
    }
}

/// Counts 4x4 to 16 up to sum 16, and leaves the frontier in matrices if `keep` allows it.
fn counted_in_matrices(dir: &Path, keep: Keep) -> Run {
    let plan = plan(1 << 30, 2).with_frontier_after(Duration::ZERO);
    let mut store = Store::open(dir, &game("4", 16), Some(keep)).unwrap();
    let choice = Choice::new(store.run(), &plan, None).unwrap();
    let go_on = |run: &Run| run.sealed_sum() <= 14;
    count_while(&mut store, &plan, &choice, &mut Silent, go_on).unwrap();
    drop(store);
    let run = Run::peek(dir).unwrap();
    assert!(keep.lists_of_afterstates() || run.sums_in_matrices().last() == Some(16));
    run
}

#[test]
fn the_form_of_a_frontier_does_not_change_the_first_sum_of_an_error() {
    let place = tempfile::tempdir().unwrap();
    let game = *counted_in_matrices(place.path(), Keep::All).game();
    for form in ["matrices", "afterstates"] {
        let refused = Store::open(place.path(), &game, Some(Keep::Both));
        assert!(
            matches!(refused, Err(Error::Dropped { below: 14, .. })),
            "{form}"
        );
        assert!(!ending(&files(place.path()), form).is_empty(), "{form}");
        let mut store = Store::open(place.path(), &game, None).unwrap();
        count(&mut store, &plan(64 << 20, 2), Some(16), &mut Silent).unwrap();
    }
}

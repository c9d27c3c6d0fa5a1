//! The files that a run keeps.

use super::*;

/// The files of a directory whose names end with `ending`.
fn ending(files: &DirFiles, ending: &str) -> DirFiles {
    let mut files = files.clone();
    files.retain(|name, _| name.ends_with(ending));
    files
}

#[test]
fn a_complete_run_of_states_gets_the_afterstates_that_a_count_keeps() {
    for (name, stop) in [("2x2-32", 20), ("2x3", 90), ("3x3-32", 40)] {
        let game: Game = name.parse().unwrap();
        for keep in [Keep::Both, Keep::Afterstates] {
            let plan = Plan::tiny(2);
            let expected = counted(&game, &plan, None, keep, &mut Silent);
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
        let expected = counted(&game, &plan, None, keep, &mut Silent);
        assert!(files(place.path()) == expected, "{keep}");
    }
}

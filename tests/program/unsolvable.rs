//! Refusals of `solve`, which also say what to do.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::command::{good, place, run, stderr, stdout};
use crate::files::files;
use crate::outcomes::refused;
use crate::solved::{counted, solved};

/// The first file of the run whose name ends with `ending`.
fn file(place: &TempDir, ending: &str) -> PathBuf {
    let entries = fs::read_dir(place.path().join("run")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let found = paths.filter(|path| path.to_str().unwrap().ends_with(ending));
    found.min().unwrap()
}

/// Flips a bit in the middle of a file.
fn damage(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    #[expect(clippy::disallowed_methods, reason = "the test damages a file by hand")]
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_directory_that_cannot_be_solved_is_refused_with_advice() {
    let place = place();
    fs::create_dir(place.path().join("empty")).unwrap();
    good(&place, "--size 2 --max 32 --dir states --quiet");
    good(&place, "--size 2 --max 32 --keep last --dir last --quiet");
    good(
        &place,
        "--size 2 --until 12 --keep afterstates --dir begun --quiet",
    );
    good(
        &place,
        "--size 4 --until 6 --engine lists --keep afterstates --dir endless --quiet",
    );
    for (args, words) in [
        (
            "solve nowhere",
            "nowhere: no such directory: a count makes it, for example enum48 ",
        ),
        ("solve empty", "empty: not a run's directory"),
        ("solve .", ".: not a run's directory"),
        (
            "solve states",
            "count again with their afterstates, with enum48 --size 2x2 --max 32 --keep both --dir states",
        ),
        (
            "solve last",
            "count again, with enum48 --size 2x2 --max 32 --keep afterstates --dir ANOTHER",
        ),
        (
            "solve begun",
            "its last layer is not counted yet, only layers up to sum 12: finish the count, with enum48 --size",
        ),
        (
            "solve endless",
            "endless: cannot be solved: a game of 4x4 without a winning tile has no last layer that can be counted",
        ),
    ] {
        refused(&place, args, words);
    }
    assert!(files(&place.path().join("empty")).is_empty());
}

#[test]
fn a_goal_that_cannot_be_solved_is_refused_and_changes_nothing() {
    let place = counted("--size 2 --max 32");
    good(&place, "solve run --for score:8 --quiet");
    let before = files(&place.path().join("run"));
    for (goals, words) in [
        (
            "win",
            "not something to play for: give score, moves, a tile such as 512",
        ),
        ("score,", "not something to play for"),
        (
            "score:x",
            "expected a number of bits after the colon, such as score:8",
        ),
        ("64", "no game of 2x2-32 reaches it: the largest tile is 32"),
        ("moves:28", "leave room for 27 bits"),
        ("sure-32:1", "leave room for 0 bits"),
        (
            "sure-64",
            "for sure-64: no game of 2x2-32 reaches it: the largest tile is 32",
        ),
        (
            "moves --four 0.2",
            "score is solved for 4s at a rate of 1/10, not 1/5: values of different rates do not mix",
        ),
        (
            "score --four 1.5",
            "expected a ratio from 0 to 1, such as 0.2 or 1/5",
        ),
        (
            "score:9",
            "score is solved with 8 bits after the point, not 9: leave out the number",
        ),
        (
            "moves,moves:8",
            "moves:27 and moves:8 cannot be solved together: expected one goal for each objective",
        ),
    ] {
        refused(&place, &format!("solve run --for {goals}"), words);
        assert!(files(&place.path().join("run")) == before, "{goals}");
    }
    // Without a number, the precision stays.
    good(&place, "solve run --for Score,score,score:8 --quiet");
    assert!(files(&place.path().join("run")) == before);
}

#[test]
fn damaged_and_foreign_files_are_refused_with_advice() {
    let solve = "solve run --for score --quiet";
    let (again, delete) = (
        "solve that objective again (solve --again)",
        "delete what is left of it and solve again",
    );
    let count = "delete the directory and count again";
    let place = counted("--size 2x3");
    good(&place, solve);
    let whole = files(&place.path().join("run"));

    let values = file(&place, ".score.values");
    damage(&values);
    let name = values.file_name().unwrap().display();
    refused(&place, solve, &format!("{name}...{again}"));
    good(&place, &format!("{solve} --again"));
    assert!(files(&place.path().join("run")) == whole);

    #[expect(clippy::disallowed_methods, reason = "the test loses a file")]
    fs::remove_file(&values).unwrap();
    refused(&place, solve, &format!(".score.values: missing...{again}"));
    good(&place, &format!("{solve} --again"));
    assert!(files(&place.path().join("run")) == whole);
    damage(&file(&place, "solution.json"));
    refused(&place, solve, &format!("run/solution.json: ...{delete}"));
    #[expect(clippy::disallowed_methods, reason = "as the message has it")]
    fs::remove_file(place.path().join("run/solution.json")).unwrap();
    good(&place, solve);
    assert!(files(&place.path().join("run")) == whole);
    damage(&file(&place, "solution.json"));

    let other = counted("--size 2");
    good(&other, solve);
    fs::copy(file(&other, "solution.json"), file(&place, "solution.json")).unwrap();
    refused(
        &place,
        solve,
        "run/solution.json: not the solution of this run: it is of 2x2 ",
    );

    let afterstates = file(&other, ".afterstates");
    damage(&afterstates);
    let name = afterstates.file_name().unwrap().display();
    refused(&other, solve, &format!("{name}...{count}"));
}

#[test]
fn a_directory_in_use_is_refused() {
    let place = counted("--size 2 --max 32");
    let lock = fs::File::open(place.path().join("run/lock")).unwrap();
    lock.lock().unwrap();
    refused(
        &place,
        "solve run",
        "run: in use by another process: wait until it ends",
    );
    drop(lock);
    good(&place, "solve run --quiet");
}

#[test]
fn a_dry_run_refuses_the_same_arguments() {
    let place = counted("--size 2 --max 32");
    good(&place, "solve run --for score:8 --quiet");
    for (args, words) in [
        ("solve nowhere", "nowhere: no such directory"),
        ("solve run --for 64", "the largest tile is 32"),
        (
            "solve run --for score:9",
            "score is solved with 8 bits after the point, not 9",
        ),
    ] {
        refused(&place, &format!("{args} --dry-run"), words);
    }
}

#[test]
fn afterstates_of_a_solution_cannot_be_dropped() {
    let place = solved("--size 2 --max 32", "score");
    let before = files(&place.path().join("run"));
    for keep in ["all", "last"] {
        let args = format!("--size 2 --max 32 --dir run --quiet --keep {keep}");
        let said = "the run is solved...leave out --keep, or delete solution.json first";
        refused(&place, &args, &format!("run: --keep {keep}: {said}"));
        assert_eq!(files(&place.path().join("run")), before);
    }
    // The states of a solved run can be dropped.
    let args = "--size 2 --max 32 --dir run --quiet --keep";
    good(&place, &format!("{args} afterstates"));
    good(&place, "best 0x12 --dir run");
    #[expect(clippy::disallowed_methods, reason = "as the message has it")]
    fs::remove_file(place.path().join("run/solution.json")).unwrap();
    let values = file(&place, ".score.values");
    let kept = fs::read(&values).unwrap();
    good(&place, &format!("{args} last"));
    let has_values = || {
        let files = files(&place.path().join("run"));
        files.keys().any(|name| name.ends_with(".values"))
    };
    assert!(!has_values(), "without a solution, values serve nothing");
    #[expect(clippy::disallowed_methods, reason = "the test adds a stray file")]
    fs::write(&values, kept).unwrap();
    let said = run(&place, "verify run");
    let said = format!("{}{}", stdout(&said), stderr(&said));
    assert!(
        said.contains("the next count or solve deletes it"),
        "{said}"
    );
    good(&place, &format!("{args} last"));
    assert!(!has_values(), "as `verify` has it");
}

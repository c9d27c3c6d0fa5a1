//! A run's directory: refused directories, stray files, and resumed counts.

#![expect(clippy::disallowed_methods, reason = "the tests damage files by hand")]

use std::fs::{self, OpenOptions};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::command::{good, place, run, stderr, stdout};
use crate::files::files;
use crate::manifest::seal_manifest;
use crate::outcomes::{disagrees, refused};

fn mkfifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_directory_of_another_game_or_program_is_refused() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let before = files(&place.path().join("run"));
    refused(
        &place,
        "--size 2 --max 64 --dir run",
        "holds the game 2x2-32, not 2x2-64",
    );
    refused(
        &place,
        "--size 2 --dir run",
        "holds the game 2x2-32, not 2x2",
    );
    assert_eq!(files(&place.path().join("run")), before);

    fs::create_dir(place.path().join("photos")).unwrap();
    fs::write(place.path().join("photos/sea.jpg"), "waves").unwrap();
    refused(&place, "--size 2 --dir photos", "not a run's directory");
    assert_eq!(files(&place.path().join("photos")).len(), 1);

    refused(&place, "--size 2 --dir photos/sea.jpg", "photos/sea.jpg");
}

#[test]
fn another_format_and_a_damaged_manifest_are_refused() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let manifest = place.path().join("run/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    for (format, said) in [
        (
            "6",
            "format 6 is newer than this program reads (5): use a newer enum48",
        ),
        (
            "4",
            "format 4 is older than this program reads (5): delete the directory and count again",
        ),
    ] {
        let other = text.replace("\"format\": 5", &format!("\"format\": {format}"));
        fs::write(&manifest, other).unwrap();
        refused(&place, "--size 2 --max 32 --dir run", said);
    }
    fs::write(&manifest, text.replace("\"live\": 2", "\"live\": 3")).unwrap();
    refused(&place, "--size 2 --max 32 --dir run", "checksum differs");
    fs::write(&manifest, &text[..text.len() / 2]).unwrap();
    refused(
        &place,
        "--size 2 --max 32 --dir run",
        "manifest.json: damaged",
    );
}

#[test]
fn missing_and_damaged_parts_are_refused_by_name() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let part = place.path().join("run/sum-00012-max-00008.states");
    let bytes = fs::read(&part).unwrap();
    let name = "sum-00012-max-00008.states";
    fs::remove_file(&part).unwrap();
    refused(&place, "--size 2 --max 32 --dir run", name);
    fs::write(&part, &bytes[..bytes.len() - 1]).unwrap();
    refused(&place, "--size 2 --max 32 --dir run", "cut short");
    fs::copy(place.path().join("run/sum-00014-max-00008.states"), &part).unwrap();
    refused(
        &place,
        "--size 2 --max 32 --dir run",
        "not the file that was sealed",
    );
    fs::write(&part, &bytes).unwrap();
    good(&place, "--size 2 --max 32 --quiet --dir run");
}

#[test]
fn stray_files_in_a_run_are_not_counted() {
    let place = place();
    let first = good(&place, "--size 2 --max 32 --quiet --csv - --dir run");
    let run_dir = place.path().join("run");
    fs::copy(
        run_dir.join("sum-00012-max-00008.states"),
        run_dir.join("sum-00099-max-00008.states"),
    )
    .unwrap();
    fs::write(run_dir.join("notes.txt"), "mine").unwrap();
    fs::write(run_dir.join("sum-00012-max-00004.states.tmp"), "half").unwrap();
    let output = run(&place, "--size 2 --max 32 --csv - --dir run");
    assert_eq!(stdout(&output), first);
    assert!(
        stderr(&output).contains("removed unfinished files of an interrupted count or solution: 2"),
        "{}",
        stderr(&output)
    );
    assert!(
        run_dir.join("notes.txt").exists(),
        "what is not ours is left alone"
    );
}

/// A count once emptied foreign locks, wrote through links, and waited at pipes.
#[test]
fn a_count_does_not_write_to_foreign_files() {
    let place = place();
    let path = |name: &str| place.path().join(name);
    for dir in ["lock", "link", "temporary", "pipe"] {
        fs::create_dir(path(dir)).unwrap();
    }
    fs::write(path("lock/lock"), "precious").unwrap();
    fs::write(path("mine"), "precious").unwrap();
    symlink("../mine", path("link/lock")).unwrap();
    symlink("../mine", path("temporary/manifest.json.tmp")).unwrap();
    mkfifo(&path("pipe/manifest.json.tmp"));
    for dir in ["lock", "link"] {
        let count = format!("--size 2 --max 32 --dir {dir}");
        refused(&place, &count, "not a run's directory");
    }
    for dir in ["temporary", "pipe"] {
        good(&place, &format!("--size 2 --max 32 --quiet --dir {dir}"));
    }
    // Nor does a count in a run write through a link.
    fs::remove_file(path("pipe/lock")).unwrap();
    symlink("../mine", path("pipe/lock")).unwrap();
    let said = "pipe/lock: cannot open the lock: a link: delete it";
    refused(&place, "--size 2 --max 32 --dir pipe", said);
    for file in ["mine", "lock/lock"] {
        assert_eq!(fs::read(path(file)).unwrap(), b"precious", "{file}");
    }
}

/// A refused count once deleted the files that its `--keep` does not cover.
#[test]
fn a_refused_count_changes_no_file_and_makes_no_directory() {
    let place = place();
    good(&place, "--size 2 --keep both --quiet --dir run");
    let before = files(&place.path().join("run"));
    let bits = "--size 2 --keep last --engine bits --dir";
    let (only_4x4, endless) = ("for boards of 4x4, not of 2x2", "beyond the tile 32768");
    refused(&place, &format!("{bits} run"), only_4x4);
    assert!(files(&place.path().join("run")) == before);
    for (args, what) in [
        (bits, only_4x4),
        ("--size 4 --dir", endless),
        ("cluster tasks --size 4 --dir", endless),
    ] {
        refused(&place, &format!("{args} new"), what);
        assert!(!place.path().join("new").exists(), "{args}");
    }
}

/// A finished run once lost its states without a word.
#[test]
fn a_count_that_keeps_less_tells_how_much_it_deletes() {
    let place = place();
    good(&place, "--size 2 --max 32 --keep both --quiet --dir run");
    let is_part = |name: &&String| name.ends_with(".states") || name.ends_with(".afterstates");
    let parts = || {
        files(&place.path().join("run"))
            .keys()
            .filter(is_part)
            .count()
    };
    for keep in ["all", "last"] {
        let before = parts();
        let args = format!("--size 2 --max 32 --keep {keep} --dir run");
        let output = run(&place, &args);
        let said = stderr(&output);
        let deleted = before - parts();
        let words =
            format!("run: --keep {keep}: removed files of parts that it does not keep: {deleted}");
        assert!(deleted > 1 && said.contains(&words), "{said}");
        let output = run(&place, &args);
        let said = stderr(&output);
        assert!(!said.contains("removed"), "{said}");
    }
}

#[test]
fn two_processes_cannot_use_one_directory() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let lock = fs::File::open(place.path().join("run/lock")).unwrap();
    lock.lock().unwrap();
    refused(
        &place,
        "--size 2 --max 32 --dir run",
        "in use by another process",
    );
    drop(lock);
    good(&place, "--size 2 --max 32 --quiet --dir run");
}

#[test]
fn a_broken_law_stops_a_count_before_it_seals() {
    let place = place();
    good(&place, "--size 2 --max 32 --until 12 --quiet --dir run");
    let manifest = place.path().join("run/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let sealed = |text: &str| {
        let mut text = text.as_bytes().to_vec();
        seal_manifest(&mut text);
        text
    };
    assert_eq!(sealed(&text), text.as_bytes(), "the checksum is understood");
    // The forged count of empty cells is one too high.
    let at = text.rfind("\"empty_cells\": 4").unwrap();
    let altered = format!("{}\"empty_cells\": 5{}", &text[..at], &text[at + 16..]);
    fs::write(&manifest, sealed(&altered)).unwrap();
    disagrees(
        &place,
        "--size 2 --max 32 --quiet --dir run",
        "enum48: sum 14, largest tile 8: a law is broken: 6 candidates from 7 empty cells",
    );
    let after = fs::read_to_string(&manifest).unwrap();
    assert!(after.contains("\"sealed_sum\": 12"), "{after}");
    disagrees(&place, "verify run", "expected 5 empty cells, got 4");
}

#[test]
fn the_summary_says_which_states_are_not_kept() {
    let place = place();
    let said = |until: u32| {
        let args = "--size 2 --max 32 --keep last --quiet --dir run --until";
        let said = good(&place, &format!("{args} {until}"));
        // The layers that were asked for are complete.
        let heading = format!("states of 2x2 to 32, up to sum {until}");
        assert!(said.lines().next().unwrap().ends_with(&heading), "{said}");
        let files = said
            .lines()
            .find(|line| line.starts_with("files "))
            .unwrap();
        files.to_owned()
    };
    assert!(said(20).ends_with(" bits a live state"));
    assert!(said(12).ends_with(" 0 B  the states of sum 12 are not kept"));
    assert!(said(20).ends_with(" bits a live state"));
}

#[test]
fn kept_afterstates_are_reported_separately() {
    let place = place();
    let said = good(
        &place,
        "--size 3 --max 32 --keep both --quiet --dir run --json",
    );
    let object: serde_json::Value = serde_json::from_str(&said).unwrap();
    let afterstates = object["afterstates"].as_f64().unwrap();
    let bits = object["afterstate_bytes"].as_f64().unwrap() * 8.0;
    let said = good(&place, "--size 3 --max 32 --quiet --dir run");
    let each = bits / afterstates;
    let live = bits / object["live"].as_f64().unwrap();
    let line = format!("  {each:.2} bits an afterstate, {live:.2} for each live state\n");
    assert!(said.contains(&line), "{said}");

    let said = good(&place, "verify run --deep --quiet");
    let rebuilt = "rebuilt: every layer up to sum 100, state by state, and its afterstates\n";
    assert!(said.contains(rebuilt), "{said}");
    refused(
        &place,
        "--size 3 --max 32 --quiet --dir run --keep nothing",
        "afterstates, both",
    );
    good(
        &place,
        "--size 3 --max 32 --quiet --dir run --keep afterstates",
    );
    let said = good(&place, "verify run --deep --quiet");
    assert!(said.contains("(--keep afterstates)"), "{said}");
    let rebuilt = "rebuilt: the afterstates of every layer up to sum 100, one by one\n";
    assert!(said.contains(rebuilt), "{said}");
    refused(
        &place,
        "--size 3 --max 32 --quiet --dir run --keep all",
        "--keep all: an earlier run with --keep afterstates dropped the states of the layers below sum 100",
    );
}

#[test]
fn a_pipe_or_a_directory_instead_of_a_file_is_refused() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let part = place.path().join("run/sum-00012-max-00008.states");
    let bytes = fs::read(&part).unwrap();
    let manifest = place.path().join("run/manifest.json");
    let text = fs::read(&manifest).unwrap();
    for (path, bytes) in [(&part, &bytes), (&manifest, &text)] {
        let name = path.file_name().unwrap().to_str().unwrap();
        fs::remove_file(path).unwrap();
        mkfifo(path);
        disagrees(&place, "verify run", name);
        refused(&place, "--size 2 --max 32 --dir run", name);
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
        disagrees(&place, "verify run", name);
        refused(&place, "--size 2 --max 32 --dir run", name);
        fs::remove_dir(path).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let made = |name: &str| {
        let path = place.path().join(name);
        let _ = fs::remove_file(&path);
        mkfifo(&path);
        path
    };
    let lock = made("run/lock");
    for args in ["verify run", "states run", "--size 2 --max 32 --dir run"] {
        let said = "run/lock: cannot open the lock: not a file: delete it";
        refused(&place, args, said);
    }
    fs::remove_file(lock).unwrap();
    let solution = made("run/solution.json");
    disagrees(&place, "verify run", "solution.json: damaged: not a file");
    fs::remove_file(solution).unwrap();
    made("run/layers.csv");
    disagrees(&place, "verify run", "layers.csv: damaged: not a file");
    // No count has to read the table, and the next count writes it again.
    good(&place, "--size 2 --max 32 --quiet --dir run");
    // The count ignores directories with names of a run's files.
    fs::create_dir(place.path().join("run/sum-00030-max-00008.states")).unwrap();
    fs::create_dir(place.path().join("run/manifest.json.bak.tmp")).unwrap();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    good(&place, "verify run --quiet");
}

#[test]
fn a_manifest_larger_than_any_run_writes_is_not_read() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let manifest = place.path().join("run/manifest.json");
    let file = OpenOptions::new().write(true).open(manifest).unwrap();
    file.set_len(160_000_000).unwrap();
    let said = "manifest.json: damaged: 160000000 bytes: expected at most 134217728";
    disagrees(&place, "verify run", said);
    refused(&place, "--size 2 --max 32 --dir run", said);
}

#[test]
fn tasks_say_that_small_layers_are_counted_first() {
    let place = place();
    let args = "cluster tasks --size 2 --max 32 --dir run";
    for says in [true, false] {
        let output = run(&place, args);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert_eq!(said.contains("counted here first"), says, "{said}");
    }
}

//! The program from outside: exit codes, what it says and where, and what it leaves behind.

#![expect(clippy::disallowed_methods, reason = "the tests damage files by hand")]

use std::fs;
use std::process::{Command, Stdio};
use std::thread;

use crate::command::{PROGRAM, good, place, run, stderr, stdout};
use crate::files::files;
use crate::manifest::seal_manifest;
use crate::outcomes::{disagrees, refused, unread};

#[test]
fn two_by_two_to_32_is_59() {
    let place = place();
    let output = run(&place, "--size 2 --max 32");
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.starts_with("59  states of 2x2 to 32\n"), "{text}");
    assert!(
        text.contains("agrees with the published total 59"),
        "{text}"
    );
}

#[test]
fn a_log_has_the_first_layer_the_last_and_little_between() {
    let place = place();
    let output = run(&place, "--size 3 --max 128");
    let said = stderr(&output);
    let mut lines = said.lines();
    assert!(lines.next().unwrap().starts_with("enum48: 3x3-128 in "));
    // The game has 157 layers; on a slow machine there is a line every ten seconds.
    let lines: Vec<&str> = lines.collect();
    assert!((2..20).contains(&lines.len()), "{said}");
    for line in &lines {
        let (time, keys) = line.strip_prefix("time=").unwrap().split_once(' ').unwrap();
        let digits = time.replace(|c: char| c.is_ascii_digit(), "0");
        assert_eq!(digits, "0000-00-00T00:00:00Z", "{line}");
        assert!(keys.starts_with("sum="), "{line}");
    }
    assert!(
        lines[0].contains(" sum=4 layer=8 states=8 memory="),
        "{said}"
    );
    assert!(!lines[0].contains("left"), "{said}");
    let last = lines.last().unwrap();
    assert!(last.contains(" sum=316 layer=4 states=2172172 "), "{said}");

    let again = run(&place, "--size 3 --max 128");
    assert_eq!(stderr(&again), "", "nothing is left to count");
}

#[test]
fn what_takes_a_millisecond_has_no_speed() {
    let place = place();
    good(&place, "--size 2 --max 8 --quiet");
    let output = run(&place, "verify enum48-data/2x2-8");
    let said = stderr(&output);
    assert!(said.contains("enum48: read in 0.0"), "{said}");
    assert!(!said.contains("/s") && !said.contains("_per_sec"), "{said}");
}

#[test]
fn count_and_help_are_what_they_are_elsewhere() {
    let place = place();
    let said = good(&place, "count --size 2X2 --max 32 --quiet --csv -");
    let same = good(&place, "--size 2 --max 32 --quiet --csv -");
    assert_eq!(said, same);
    refused(&place, "count", "--size");
    assert_eq!(good(&place, "help"), good(&place, "--help"));
    assert_eq!(good(&place, "help show"), good(&place, "show --help"));
}

#[test]
fn the_summary_is_read_at_once_from_a_finished_directory() {
    let place = place();
    let first = good(&place, "--size 2 --quiet");
    let before = files(&place.path().join("enum48-data/2x2"));
    let second = good(&place, "--size 2 --quiet");
    assert!(second.contains("nothing new to count"), "{second}");
    assert_eq!(first.lines().next(), second.lines().next());
    assert_eq!(files(&place.path().join("enum48-data/2x2")), before);
}

#[test]
fn json_has_the_documented_keys() {
    let text = good(&place(), "--size 2 --max 32 --json --quiet");
    assert_eq!(text.lines().count(), 1);
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (key, value) in [
        ("game", "\"2x2-32\""),
        ("rows", "2"),
        ("cols", "2"),
        ("max", "32"),
        ("live", "57"),
        ("dead", "18"),
        ("win", "true"),
        ("loss", "true"),
        ("total", "59"),
        ("complete", "true"),
        ("agrees", "true"),
    ] {
        assert_eq!(object[key].to_string(), value, "{key}");
    }
    for key in [
        "labeled",
        "afterstates",
        "layers",
        "seconds",
        "bytes",
        "fingerprint",
    ] {
        assert!(!object[key].is_null(), "{key} is missing");
    }
    let endless = good(&place(), "--size 2 --json --quiet");
    assert!(endless.contains("\"max\":null"), "{endless}");
}

#[test]
fn csv_goes_to_a_file_or_to_stdout_and_is_the_same_as_the_directory_s() {
    let place = place();
    let to_stdout = run(&place, "--size 2 --max 32 --quiet --csv -");
    assert!(stdout(&to_stdout).starts_with(
        "sum,max_tile,live,dead,labeled,afterstates,fingerprint,empty_cells,candidates,duplicates,\
         moves,wins\n4,2,2,0,6,1,f8b92427b13a4593,2,2,0,7,0\n"
    ));
    assert!(
        stderr(&to_stdout).starts_with("59  states"),
        "the summary moves to stderr"
    );
    good(&place, "--size 2 --max 32 --quiet --csv table.csv");
    let table = fs::read_to_string(place.path().join("table.csv")).unwrap();
    assert_eq!(table, stdout(&to_stdout));
    let own = fs::read_to_string(place.path().join("enum48-data/2x2-32/layers.csv")).unwrap();
    assert_eq!(table, own);
}

#[test]
fn until_stops_early_says_so_and_is_gone_on_from() {
    let place = place();
    let early = good(&place, "--size 2 --max 32 --until 21 --json --quiet");
    assert!(early.contains("\"complete\":false"), "{early}");
    assert!(early.contains("\"last_sum\":20"), "{early}");
    assert!(good(&place, "--size 2 --max 32 --json --quiet").contains("\"total\":59"));
    let again = good(&place, "--size 2 --max 32 --until 20 --json --quiet");
    let field = |text: &str, key: &str| {
        serde_json::from_str::<serde_json::Value>(text).unwrap()[key].clone()
    };
    for key in [
        "live",
        "dead",
        "labeled",
        "afterstates",
        "fingerprint",
        "win",
        "bytes",
    ] {
        assert_eq!(field(&early, key), field(&again, key), "{key}");
    }
    let whole = good(&place, "--size 2 --max 32 --until 40 --json --quiet");
    assert!(
        whole.contains("\"complete\":true"),
        "the last layer is 40: {whole}"
    );
}

#[test]
fn bad_arguments_get_one_line_and_make_no_directory() {
    let place = place();
    for (args, text) in [
        ("--size 5", "size 5"),
        ("--size 1x9", "size 1x9"),
        ("--size 3x", "size 3x"),
        ("--size", "--size"),
        ("--max 32", "--size"),
        ("--size 3 --max 1000", "max 1000"),
        ("--size 3 --max 4", "max 4"),
        ("--size 3 --max 131072", "max 131072"),
        ("--size 3 --max -8", "-8"),
        ("--size 3 --memory 1M", "at least"),
        ("--size 3 --memory much", "much"),
        ("--size 3 --threads 0", "threads"),
        ("--size 3 --level 23", "level"),
        ("--size 3 --keep none", "keep"),
        ("--size 3 --until 3", "until 3"),
        ("--size 4", "--until"),
        ("--size 4 --until 65536", "65536"),
        ("--size 3 --csv no/such/place.csv", "no/such/place.csv"),
        ("--size 3 --csv - --json", "stdout"),
        ("--size 3 --frobnicate", "--frobnicate"),
        ("frobnicate", "frobnicate"),
        (
            "--sze 3",
            "unexpected argument '--sze' found: a similar argument exists: '--size': see --help",
        ),
        (
            "chek",
            "unrecognized subcommand 'chek': a similar subcommand exists: 'check': see --help",
        ),
        ("help frobnicate", "frobnicate"),
        ("check --size 3", "TABLE"),
        ("verify", "DIR"),
        ("verify no/such/place", "no/such/place"),
    ] {
        refused(&place, args, text);
    }
    assert_eq!(
        fs::read_dir(place.path()).unwrap().count(),
        0,
        "something was left behind"
    );
}

#[test]
fn the_least_memory_that_is_named_works() {
    let place = place();
    let output = run(&place, "--size 2 --threads 3 --memory 1M");
    let text = stderr(&output);
    let least = text
        .split("at least ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    good(
        &place,
        &format!("--size 2 --threads 3 --quiet --memory {least}"),
    );
}

#[test]
fn a_directory_of_something_else_is_refused_and_not_touched() {
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
fn a_newer_format_is_refused_by_its_number() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let manifest = place.path().join("run/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"format\": 1", "\"format\": 2")).unwrap();
    refused(&place, "--size 2 --max 32 --dir run", "format 2 is newer");
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
        "not the part that the manifest names",
    );
    fs::write(&part, &bytes).unwrap();
    good(&place, "--size 2 --max 32 --quiet --dir run");
}

#[test]
fn strangers_in_a_run_s_directory_are_not_counted() {
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
        stderr(&output).contains("removed 2 unfinished files"),
        "{}",
        stderr(&output)
    );
    assert!(
        run_dir.join("notes.txt").exists(),
        "what is not ours is left alone"
    );
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
fn a_killed_count_goes_on_and_ends_with_the_same_bytes() {
    let place = place();
    good(&place, "--size 3 --max 512 --quiet --dir whole");
    let expected = files(&place.path().join("whole"));
    // Each process is killed when its directory has a layer more: the first, then whatever the next
    // one makes durable. The last one ends by itself.
    let table = place.path().join("killed/layers.csv");
    let durable = || fs::metadata(&table).map_or(0, |table| table.len());
    for kill in [true, true, true, false] {
        let before = durable();
        let mut child = Command::new(PROGRAM)
            .args([
                "--size", "3", "--max", "512", "--dir", "killed", "--memory", "32M", "--quiet",
            ])
            .current_dir(&place)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        if kill {
            while durable() == before && child.try_wait().unwrap().is_none() {
                thread::yield_now();
            }
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        assert!(kill || status.success(), "{status}");
    }
    assert!(files(&place.path().join("killed")) == expected);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = place();
    good(&place, "--size 3 --max 64 --quiet");
    for args in [
        "--size 3 --max 64 --quiet --csv -",
        "--size 3 --max 64 --quiet --json",
        "--help",
    ] {
        unread(&place, args);
    }
}

#[test]
fn help_and_version_are_on_stdout() {
    let place = place();
    let help = good(&place, "--help");
    for word in [
        "--size",
        "--max",
        "--until",
        "--dir",
        "--threads",
        "--memory",
        "--level",
        "--keep",
        "--csv",
        "--json",
        "--quiet",
        "check",
        "verify",
        "Exit codes",
    ] {
        assert!(help.contains(word), "{word}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100));
    assert_eq!(
        good(&place, "--version"),
        concat!("enum48 ", env!("CARGO_PKG_VERSION"), "\n")
    );
    assert!(good(&place, "check --help").contains("--long"));
}

#[test]
fn a_broken_law_stops_a_count_with_exit_code_1_and_seals_nothing() {
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
    // One empty cell more than the afterstates of the last layer have.
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
fn states_that_are_not_kept_are_said_not_to_be() {
    let place = place();
    let said = |until: u32| {
        let args = "--size 2 --max 32 --keep last --quiet --dir run --until";
        let said = good(&place, &format!("{args} {until}"));
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
fn files_of_afterstates_are_told_apart_where_they_are_kept() {
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
fn verify_names_what_it_found_and_says_so_by_its_exit_code() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let said = good(&place, "verify run --deep --quiet");
    assert_eq!(
        said,
        "2x2-32: sound: 25 files, 3.11 KiB, 57 live states, 0 afterstates, fingerprint 3d677fbe9d7b4c34\n\
         2x2-32: rebuilt: every layer up to sum 40, state by state\n"
    );
    let name = "run/sum-00012-max-00008.states";
    let path = place.path().join(name);
    let bytes = fs::read(&path).unwrap();
    let mut flipped = bytes.clone();
    flipped[60] ^= 4;
    fs::write(&path, &flipped).unwrap();
    fs::copy(&path, place.path().join("run/sum-00099-max-00008.states")).unwrap();
    let output = run(&place, "verify run");
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with("run/sum-00012-max-00008.states: damaged: block 0: "),
        "{lines:?}"
    );
    assert_eq!(lines[1], "2x2-32: NOT sound: 1 findings");
    let stray = "run/sum-00099-max-00008.states: not named by the manifest";
    assert!(stderr(&output).contains(stray), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("job=verify states="),
        "{}",
        stderr(&output)
    );
    fs::remove_file(place.path().join("run/sum-00099-max-00008.states")).unwrap();
    refused(
        &place,
        "--size 2 --max 32 --dir run",
        "sum-00012-max-00008.states: damaged: block 0",
    );
    fs::write(&path, &bytes).unwrap();
    good(&place, "verify run --quiet");

    good(&place, "--size 2 --max 16 --keep last --quiet --dir last");
    refused(&place, "verify last --deep --quiet", "--keep last");
    fs::remove_file(place.path().join("run/manifest.json")).unwrap();
    disagrees(&place, "verify run", "manifest.json: missing");
    refused(
        &place,
        "--size 2 --max 32 --dir run",
        "manifest.json: missing",
    );
    fs::create_dir(place.path().join("empty")).unwrap();
    refused(&place, "verify empty", "not a run's directory");
}

#[test]
fn verify_claims_no_more_than_it_read() {
    let place = place();
    let verified = |keep: &str| {
        let args = format!("--size 2 --max 32 --quiet --dir {keep} --keep {keep}");
        good(&place, &args);
        let said = good(&place, &format!("verify {keep} --quiet"));
        let json = good(&place, &format!("verify {keep} --quiet --json"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["sound"], true);
        assert_eq!(json["said_live"], 57);
        assert_eq!(json["said_fingerprint"], "3d677fbe9d7b4c34");
        (said, json)
    };
    let (said, json) = verified("all");
    assert!(
        said.contains("57 live states, 0 afterstates, fingerprint 3d677fbe9d7b4c34\n"),
        "{said}"
    );
    assert!(!said.contains("NOT"), "{said}");
    assert_eq!(
        (&json["live"], &json["dropped"]),
        (&57.into(), &serde_json::Value::Null)
    );
    assert_eq!(json["fingerprint"], "3d677fbe9d7b4c34");

    let (said, json) = verified("last");
    let lines: Vec<&str> = said.lines().collect();
    assert!(!lines[0].contains("3d677fbe9d7b4c34"), "{said}");
    assert!(
        lines[1].starts_with(
            "2x2-32: NOT verified: the layers up to sum 38, whose states were dropped"
        ) && lines[1].contains("fingerprint 3d677fbe9d7b4c34 of all 57 live states"),
        "{said}"
    );
    assert_eq!(json["dropped"], 38);
    assert_ne!(json["fingerprint"], "3d677fbe9d7b4c34");
    fs::remove_file(place.path().join("last/manifest.json")).unwrap();
    let lost = run(&place, "verify last --json");
    let json: serde_json::Value = serde_json::from_str(stdout(&lost)).unwrap();
    assert_eq!(
        (lost.status.code(), &json["sound"]),
        (Some(1), &false.into())
    );
    assert!(
        json["findings"][0]
            .as_str()
            .unwrap()
            .contains("manifest.json: missing")
    );
}

#[test]
fn a_pipe_or_a_directory_in_place_of_a_file_is_refused_at_once() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let part = place.path().join("run/sum-00012-max-00008.states");
    let bytes = fs::read(&part).unwrap();
    let manifest = place.path().join("run/manifest.json");
    let text = fs::read(&manifest).unwrap();
    for (path, bytes) in [(&part, &bytes), (&manifest, &text)] {
        let name = path.file_name().unwrap().to_str().unwrap();
        fs::remove_file(path).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        disagrees(&place, "verify run", name);
        refused(&place, "--size 2 --max 32 --dir run", name);
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
        disagrees(&place, "verify run", name);
        refused(&place, "--size 2 --max 32 --dir run", name);
        fs::remove_dir(path).unwrap();
        fs::write(path, bytes).unwrap();
    }
    // Directories with the names of a run's files are left alone.
    fs::create_dir(place.path().join("run/sum-00030-max-00008.states")).unwrap();
    fs::create_dir(place.path().join("run/manifest.json.bak.tmp")).unwrap();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    good(&place, "verify run --quiet");
}

//! `verify`: its findings, its output and its claims.

#![expect(clippy::disallowed_methods, reason = "the tests damage files by hand")]

use std::fs;

use serde_json::{Value, json};

use crate::command::{good, place, run, stderr, stdout};
use crate::outcomes::{disagrees, refused};

#[test]
fn findings_are_printed_and_give_exit_code_1() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let said = good(&place, "verify run --deep --quiet");
    assert_eq!(
        said,
        "2x2-32: sound: 25 files, 3.08 KiB, 57 live states, 0 afterstates, fingerprint x3d677fbe9d7b4c34\n\
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
    assert_eq!(lines[1], "2x2-32: NOT sound: 1 finding");
    let stray = "run/sum-00099-max-00008.states: not named by a manifest";
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
fn verify_claims_only_the_layers_that_it_read() {
    let place = place();
    let verified = |keep: &str| {
        let args = format!("--size 2 --max 32 --quiet --dir {keep} --keep {keep}");
        good(&place, &args);
        let said = good(&place, &format!("verify {keep} --quiet"));
        let json = good(&place, &format!("verify {keep} --quiet --json"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["sound"], true);
        assert_eq!(json["said_live"], 57);
        assert_eq!(json["said_fingerprint"], "x3d677fbe9d7b4c34");
        (said, json)
    };
    let (said, json) = verified("all");
    assert!(
        said.contains("57 live states, 0 afterstates, fingerprint x3d677fbe9d7b4c34\n"),
        "{said}"
    );
    assert!(!said.contains("NOT"), "{said}");
    assert_eq!(
        (&json["live"], &json["dropped"]),
        (&57.into(), &serde_json::Value::Null)
    );
    assert_eq!(json["fingerprint"], "x3d677fbe9d7b4c34");

    let (said, json) = verified("last");
    let lines: Vec<&str> = said.lines().collect();
    assert!(!lines[0].contains("x3d677fbe9d7b4c34"), "{said}");
    assert!(
        lines[1].starts_with(
            "2x2-32: NOT verified: the layers up to sum 38, whose states were dropped"
        ) && lines[1].contains("fingerprint x3d677fbe9d7b4c34 of all 57 live states"),
        "{said}"
    );
    assert_eq!(json["dropped"], 38);
    assert_ne!(json["fingerprint"], "x3d677fbe9d7b4c34");
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
fn a_solution_is_verified_with_its_run() {
    let place = place();
    good(&place, "--size 2 --keep both --quiet --dir run");
    good(&place, "solve run --for score,16 --quiet");
    let answer = |args: &str| -> Value {
        let text = good(&place, &format!("verify run --quiet --json {args}"));
        serde_json::from_str(&text).unwrap()
    };
    let read = answer("");
    // results/summaries.jsonl has 2x2 with 67 afterstates. Each has a value for each of two objectives.
    assert_eq!(
        (&read["afterstates"], &read["values"]),
        (&json!(67), &json!(134))
    );
    assert_eq!(read["values_rebuilt"], false);
    assert_eq!(answer("--deep")["values_rebuilt"], true);
    let solved: Value =
        serde_json::from_str(&good(&place, "solve run --for score,16 --quiet --json")).unwrap();
    for (of_verify, of_solve) in [0, 1].map(|at| (&read["solved"][at], &solved["objectives"][at])) {
        for key in ["name", "fraction", "bytes", "fingerprint"] {
            assert_eq!(of_verify[key], of_solve[key], "{key}");
        }
        assert_eq!(
            (&of_verify["from_sum"], &of_verify["values"]),
            (&json!(4), &json!(67))
        );
    }
    let text = good(&place, "verify run --deep --quiet");
    for line in [
        "2x2: sound: score of every layer: ",
        "2x2: sound: 16 of every layer: ",
        "2x2: rebuilt: every value, equal to the last bit",
    ] {
        assert!(text.lines().any(|found| found.starts_with(line)), "{text}");
    }

    let path = place.path().join("run/sum-00012-max-00008.score.values");
    let mut bytes = fs::read(&path).unwrap();
    bytes[80] ^= 1;
    fs::write(&path, bytes).unwrap();
    for args in ["verify run", "verify run --deep --json"] {
        disagrees(
            &place,
            args,
            "sum-00012-max-00008.score.values: damaged: block 0",
        );
        disagrees(&place, args, "solve that objective again (solve --again)");
    }
    // Without its manifest, the solution once did not count.
    fs::remove_file(place.path().join("run/solution.json")).unwrap();
    let lost = "run/solution.json: missing: restore it from a copy, or delete what is left of it and solve again";
    disagrees(&place, "verify run", lost);
}

/// Each was once told to be missing, with the advice to delete the directory.
#[test]
fn links_that_lead_nowhere_are_named() {
    let place = place();
    let said = "cannot follow the link: it leads nowhere: mount what it leads to, or mend it";
    good(&place, "--size 2 --max 32 --quiet --dir run");
    std::os::unix::fs::symlink("away/run", place.path().join("dir")).unwrap();
    for args in ["verify dir", "states dir", "--size 2 --max 32 --dir dir"] {
        refused(&place, args, &format!("dir: {said}"));
    }
    for name in ["sum-00012-max-00008.states", "manifest.json"] {
        let file = place.path().join("run").join(name);
        let moved = place.path().join("moved");
        fs::rename(&file, &moved).unwrap();
        std::os::unix::fs::symlink("nowhere", &file).unwrap();
        for args in ["states run", "--size 2 --max 32 --dir run"] {
            refused(&place, args, &format!("run/{name}: {said}"));
        }
        fs::rename(moved, file).unwrap();
    }
}

/// Damaged matrices once hid damage of values, and were reported for each part.
#[test]
fn each_damage_of_a_solved_run_of_matrices_is_one_finding() {
    let place = place();
    let matrices = "--size 4 --max 8 --keep matrices --quiet --dir run";
    good(&place, matrices);
    good(&place, "solve run --for score --quiet");
    good(&place, "verify run --quiet");
    // This says nothing about the run.
    let small = "verify run --quiet --memory 32M --threads 2";
    refused(&place, small, "and the bound is 32M: give more --memory");
    refused(&place, &format!("{small} --json"), "the bound is 32M");

    let names = ["sum-00020.matrices", "sum-00020-max-00004.score.values"];
    for name in names {
        let path = place.path().join("run").join(name);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
    }
    let output = run(&place, "verify run --quiet");
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    for (line, name) in lines.iter().zip(names) {
        assert!(
            line.starts_with(&format!("run/{name}: damaged: ")),
            "{lines:?}"
        );
    }
    assert_eq!(lines[2], "4x4-8: NOT sound: 2 findings");
}

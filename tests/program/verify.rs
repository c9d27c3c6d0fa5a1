//! `verify` on a run that is solved.

#![expect(clippy::disallowed_methods, reason = "the test damages a file by hand")]

use std::fs;

use serde_json::{Value, json};

use crate::command::{good, place};
use crate::outcomes::disagrees;

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
    // results/2x2.json has so many afterstates.
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
        disagrees(&place, args, "delete solution.json and solve again");
    }
}

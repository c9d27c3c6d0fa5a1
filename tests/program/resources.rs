//! Exhausted resources: the program names the resource in one line, and sealed layers stay.
//!
//! `crash/` tests a count on a full disk, and directories that cannot be locked.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{PROGRAM, good, place, run, stderr};
use crate::share::{exhaustive, share};
use crate::tries::in_time;

/// Runs the program under a limit of the shell's `ulimit`.
fn limited(place: &TempDir, limit: &str, args: &str) -> Output {
    Command::new("sh")
        .args(["-c", &format!("ulimit {limit} && exec {PROGRAM} {args}")])
        .current_dir(place)
        .output()
        .unwrap()
}

/// Expects exit code 2, and one line on stderr.
fn refused(place: &TempDir, limit: &str, args: &str, line: &str) {
    let output = limited(place, limit, &format!("{args} --quiet --dir run"));
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{limit}: {said}");
    assert!(
        said.starts_with("enum48: ") && said.contains(line),
        "{limit}: {said}"
    );
    assert_eq!(said.lines().count(), 1, "{limit}: {said}");
}

/// Expects a refusal under the limit, and then a whole count without the limit.
fn refused_and_resumed(limit: &str, args: &str, line: &str) {
    let place = place();
    refused(&place, limit, args, line);
    good(&place, &format!("{args} --quiet --dir run"));
    good(&place, "verify run --quiet");
}

#[test]
fn a_limit_on_file_sizes_is_an_error_not_a_signal() {
    // The limit is 64 blocks of 512 bytes. The largest part has hundreds of KiB.
    refused_and_resumed(
        "-f 64",
        "--size 4 --max 16 --until 40 --engine lists",
        "raise the limit on file sizes",
    );
}

#[test]
fn files_that_cannot_be_opened_are_named() {
    refused_and_resumed("-n 4", "--size 2 --max 32", "raise the limit on open files");
    let place = place();
    // The program raises a soft limit.
    for limit in ["-n 16", "-S -n 4"] {
        let output = limited(&place, limit, "--size 3 --max 128 --quiet");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        fs::remove_dir_all(place.path().join("enum48-data")).unwrap();
    }
}

#[test]
fn failed_allocations_are_reported_in_one_line() {
    // The count takes more than 230,000 KiB. Different allocations fail.
    let mut limits = share([160_000, 170_000, 180_000, 190_000]);
    if exhaustive() {
        // Under these limits the C library may search for memory for half a minute.
        limits.extend([120_000, 130_000, 140_000, 150_000]);
    }
    for limit in limits {
        let args = "--size 4 --max 32 --until 52 --threads 2 --memory 2G --engine bits";
        refused_and_resumed(&format!("-v {limit}"), args, "give less --memory");
    }
}

/// The default once left no memory for the program itself, and knew no limit on data.
#[test]
fn the_default_memory_fits_under_a_limit_or_is_refused_at_the_start() {
    let cores = std::thread::available_parallelism().unwrap().get();
    // The program itself, and the least bound for two threads.
    let least = 1024 * (64 + 16 * cores + 32);
    for limit in share(["-v", "-d"]) {
        for engine in share(["lists", "bits"]) {
            for given in [least + 1024, 2 * least] {
                let place = place();
                let args =
                    format!("--size 4 --max 32 --until 52 --threads 2 --engine {engine} --quiet");
                let output = limited(&place, &format!("{limit} {given}"), &args);
                let said = stderr(&output);
                // Bits may need more than there is.
                let is_refused = engine == "bits" && said.contains("engine bits: ");
                assert_eq!(
                    output.status.code(),
                    Some(if is_refused { 2 } else { 0 }),
                    "{said}"
                );
            }
        }
        let place = place();
        let few = format!("{limit} {}", least - 2048);
        let line = "little memory for this process (ulimit -v, ulimit -d or a control group)";
        refused(&place, &few, "--size 4 --max 32 --threads 2", line);
        assert!(!place.path().join("run").exists());
    }
}

/// Temporary directories once stayed.
#[test]
fn an_end_for_lack_of_memory_leaves_no_temporary_files() {
    // Different allocations fail; under some limits, only a large one.
    for limit in ["60000", "80000", "100000"] {
        let args = "--size 4 --max 64 --dry-run --memory 2G --engine lists --threads 2";
        let limit = format!("-v {limit} && export TMPDIR=$PWD");
        let (place, output) = in_time(|| {
            let place = place();
            let output = limited(&place, &limit, args);
            // A thread that begins without memory aborts the process, and nothing can be done.
            let is_aborted = stderr(&output).contains("alternative stack");
            (!is_aborted).then_some((place, output))
        });
        let said = stderr(&output);
        let refused = ["give less --memory", "threads: cannot start"];
        assert!(
            output.status.success() || refused.iter().any(|line| said.contains(line)),
            "{said}"
        );
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0, "{limit}: {said}");
    }
}

#[test]
fn bits_and_lists_together_stay_within_the_bound() {
    for keep in share(["all", "last"]) {
        let place = place();
        let args =
            "--size 4 --max 64 --until 60 --engine bits --threads 2 --memory 250M --quiet --json";
        let output = good(&place, &format!("{args} --keep {keep}"));
        let summary: Value = serde_json::from_str(&output).unwrap();
        let peak = summary["peak_memory"].as_u64().unwrap();
        assert_eq!(summary["engine"], "bits");
        // With a bound this small, the program itself takes less than 200M.
        assert!(peak < 450 << 20, "--keep {keep}: {peak} bytes");
        assert!(
            peak > 100 << 20,
            "--keep {keep}: {peak} bytes are too few to be matrices"
        );
    }
}

#[test]
fn a_bound_beyond_the_machine_gives_a_warning() {
    let place = place();
    let output = limited(&place, "-v 1000000", "--size 2 --max 32 --memory 2G");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("WARNING: a memory bound of 2.00 GiB"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn input_without_line_ends_is_refused_before_it_fills_the_memory() {
    let place = place();
    let output = limited(&place, "-v 400000", "replay - </dev/zero");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let line = "stdin: cannot read: line 1: more than 262144 bytes without a line end";
    assert_eq!(said, format!("enum48: {line}\n"));
    let output = limited(&place, "-v 400000", "check /dev/zero");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("/dev/zero: line 1: cannot read: more than 16384 bytes"),
        "{said}"
    );
}

#[test]
fn the_number_of_threads_is_limited() {
    let place = place();
    let output = run(&place, "--size 3 --max 32 --quiet --threads 1024");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let most = 8 * std::thread::available_parallelism().unwrap().get();
    let expected = format!("--threads 1024: {most} are used");
    assert_eq!(
        stderr(&output).contains(&expected),
        most < 1024,
        "{}",
        stderr(&output)
    );
}

//! Exhausted resources: the program names the resource in one line, and sealed layers stay.
//!
//! `crash/` tests a count on a full disk, and directories that cannot be locked.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{PROGRAM, good, place, run, stderr};
use crate::share::{exhaustive, share};

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
    // Different allocations fail.
    let mut limits = share([160_000, 180_000, 200_000, 220_000]);
    if exhaustive() {
        // Under these limits the C library may search for memory for half a minute.
        limits.extend([120_000, 130_000, 140_000, 150_000]);
    }
    for limit in limits {
        let args = "--size 4 --max 32 --until 50 --threads 2 --memory 2G";
        refused_and_resumed(&format!("-v {limit}"), args, "give less --memory");
    }
    // The default bound is half of the process's limit. The program itself takes up to 400M.
    let place = place();
    let args = "--size 4 --max 32 --until 40 --threads 2 --quiet";
    let output = limited(&place, "-v 800000", args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
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

/// Runs a script that can mount directories. Returns `None`, with a message, if the system forbids
/// mounts.
fn with_mounts(place: &TempDir, script: &str) -> Option<Output> {
    let run = |script: &str| {
        let mut command = Command::new("unshare");
        command
            .args(["-rm", "sh", "-ec", script])
            .current_dir(place);
        command.env("enum48", PROGRAM).output()
    };
    if !run("mount -t tmpfs none .").is_ok_and(|output| output.status.success()) {
        println!("skipped: unshare -rm cannot mount");
        return None;
    }
    Some(run(script).unwrap())
}

#[test]
fn a_read_only_run_can_be_read_and_summarised() {
    let place = place();
    good(&place, "--size 2 --max 32 --keep both --quiet --dir run");
    good(&place, "solve run --for score,32 --quiet");
    let commands = [
        "--size 2 --max 32 --quiet --dir run --json",
        "--size 2 --max 32 --quiet --dir run --csv -",
        "verify run --quiet",
        "check run",
        "states run",
        "show 0x0132 --dir run",
        "witness 0x0132 --dir run",
        "solve run --for score,32 --quiet",
        "best 0x0132 --dir run",
        "--size 2 --max 32 --dir run --dry-run",
    ];
    let lines = commands.map(|args| format!("$enum48 {args}\n"));
    let read_only = "mount --bind run run; mount -o remount,ro,bind run";
    for lock in ["", "rm run/lock; "] {
        let script = format!("{lock}{read_only}; {}", lines.concat());
        let Some(output) = with_mounts(&place, &script) else {
            return;
        };
        assert!(output.status.success(), "{}", stderr(&output));
    }
}

#[test]
fn a_writable_file_in_a_read_only_directory_gets_the_output() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let script = "mkdir ro; touch ro/out; echo longer than the output > new
mount --bind ro ro; mount -o remount,ro,bind ro; mount --bind new ro/out
$enum48 states run --sum 6 > expected
$enum48 states run --sum 6 -o ro/out
cmp expected new
";
    if let Some(output) = with_mounts(&place, script) {
        assert!(output.status.success(), "{}", stderr(&output));
    }
}

#[test]
fn a_run_on_a_full_disk_can_be_read_and_reduced() {
    let script = "mkdir small; mount -t tmpfs -o size=4m none small
$enum48 --size 3 --max 32 --quiet --dir small/run
cat /dev/zero > small/filler 2> /dev/null || true
$enum48 --size 3 --max 32 --quiet --dir small/run --json
$enum48 --size 3 --max 32 --quiet --dir small/run --csv - > /dev/null
$enum48 verify small/run --quiet
$enum48 --size 3 --max 32 --quiet --dir small/run --keep last
$enum48 verify small/run --quiet
";
    if let Some(output) = with_mounts(&place(), script) {
        assert!(output.status.success(), "{}", stderr(&output));
    }
}

#[test]
fn a_solver_that_filled_the_disk_resumes() {
    let script = "mkdir small; mount -t tmpfs -o size=6m none small
$enum48 --size 3 --max 64 --keep afterstates --quiet --dir small/run
head -c 3m /dev/zero > small/filler
cp -r small/run whole; $enum48 solve whole --for score,64 --quiet > /dev/null
$enum48 solve small/run --for score,64 2> said > /dev/null && exit 3
rm small/filler; cat said >&2
$enum48 solve small/run --for score,64 --quiet
rm -f small/run/lock whole/lock; diff -r small/run whole
";
    if let Some(output) = with_mounts(&place(), script) {
        let said = stderr(&output);
        assert!(output.status.success(), "{said}");
        let line = said.lines().find(|line| line.contains("cannot"));
        assert!(
            line.is_some_and(|line| line.ends_with("make space, then give the same command again")),
            "{said}"
        );
    }
}

#[test]
fn bits_on_a_full_disk_keep_the_counted_layers_and_say_so() {
    let count = "$enum48 --size 4 --max 16 --until 44 --engine bits --keep last --threads 2 --memory 1G --quiet";
    // The last layer takes 400 KiB, and the first manifest 60 KiB.
    for (size, kept) in [
        (
            "330k",
            "layers up to sum 42 are kept; the same command resumes at sum 44",
        ),
        ("40k", "no layer is kept; the same command begins again"),
    ] {
        let script = format!(
            "mkdir small; mount -t tmpfs -o size={size} none small
{count} --dir small/run 2> said && exit 3
cat said >&2; ls small/run | grep tmp && exit 4
mount -o remount,size=9m small
{count} --dir small/run > out; {count} --dir whole > out
diff -r small/run whole >&2
$enum48 states small/run -o /dev/full 2>> said && exit 5
grep 'sealed layers' said && exit 6
true
"
        );
        if let Some(output) = with_mounts(&place(), &script) {
            let said = stderr(&output);
            assert!(output.status.success(), "{size}: {} {said}", output.status);
            assert!(said.trim_end().ends_with(kept), "{size}: {said}");
            assert_eq!(said.lines().count(), 1, "{size}: {said}");
        }
    }
}

//! Directories that are read-only, and file systems that are full.

use std::process::{Command, Output};

use tempfile::TempDir;

use crate::command::{PROGRAM, good, place, stderr};

// Many containers forbid mounts.
tests! {
    &[Right("unshare -rm mount -t tmpfs none /tmp")] => [
        a_read_only_run_can_be_read_and_summarised,
        a_run_on_a_full_disk_can_be_read_and_reduced,
        a_solver_that_filled_the_disk_resumes,
        bits_on_a_full_disk_keep_the_counted_layers_and_say_so,
    ],
}

/// Runs a script that can mount directories.
fn with_mounts(place: &TempDir, script: &str) -> Output {
    Command::new("unshare")
        .args(["-rm", "sh", "-ec", script])
        .current_dir(place)
        .env("enum48", PROGRAM)
        .output()
        .unwrap()
}

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
        let output = with_mounts(&place, &script);
        assert!(output.status.success(), "{}", stderr(&output));
    }
}

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
    let output = with_mounts(&place(), script);
    assert!(output.status.success(), "{}", stderr(&output));
}

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
    let output = with_mounts(&place(), script);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    let line = said.lines().find(|line| line.contains("cannot"));
    assert!(
        line.is_some_and(|line| line.ends_with("(df -i), then give the same command again")),
        "{said}"
    );
}

fn bits_on_a_full_disk_keep_the_counted_layers_and_say_so() {
    let count = "$enum48 --size 4 --max 16 --until 44 --engine bits --keep last --threads 2 --memory 1G --quiet";
    // The last layer takes 300 KiB, and all layers before it 40 KiB.
    for (size, kept) in [
        (
            "240k",
            "layers up to sum 42 are kept; the same command resumes at sum 44",
        ),
        ("20k", "no layer is kept; the same command begins again"),
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
        let output = with_mounts(&place(), &script);
        let said = stderr(&output);
        assert!(output.status.success(), "{size}: {} {said}", output.status);
        assert!(said.trim_end().ends_with(kept), "{size}: {said}");
        assert_eq!(said.lines().count(), 1, "{size}: {said}");
    }
}

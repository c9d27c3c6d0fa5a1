//! A script that fails says so in one line, with exit code 2. The bench prints the numbers of each game.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

use super::player::WON;
use crate::command::{place, stderr, stdout};
use crate::script::{python, write_program};

tests! {
    PYTHON => [
        a_missing_package_and_a_bad_argument_are_told_in_one_line,
        a_script_finds_its_checkout_if_cdpath_is_set,
        a_bench_prints_each_game_and_whether_it_meets_its_goals,
        a_closed_pipe_and_an_interrupt_are_told_in_one_line,
    ],
    &[Package("numpy"), Package("zstandard")] => [
        a_reader_without_a_file_tells_of_wrong_arguments,
    ],
    &[] => [
        options_without_a_value_are_told_in_one_line,
    ],
}

const CHECKOUT: &str = env!("CARGO_MANIFEST_DIR");
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");

/// Modules that scripts share.
const SHARED: [&str; 3] = ["failure.py", "pages.py", "picture.py"];

/// Without packages, each script lacks a package or gets an argument that names nothing.
fn a_missing_package_and_a_bad_argument_are_told_in_one_line() {
    let (place, mut tried) = (place(), 0);
    for entry in fs::read_dir(SCRIPTS).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.ends_with(".py") || SHARED.contains(&name) {
            continue;
        }
        // A code that is false is an answer.
        let (code, lines) = match name {
            "replay_code.py" => (1, 0),
            _ => (2, 1),
        };
        let output = Command::new("python3")
            .args(["-B", "-S", path.to_str().unwrap(), "nowhere\u{1b}[2J\n"])
            .current_dir(place.path())
            .output()
            .unwrap();
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{name}: {told}");
        assert_eq!(told.lines().count(), lines, "{name}: {told}");
        assert!(
            told.is_empty() || told.starts_with(&format!("{name}: ")),
            "{told}"
        );
        assert!(!told.contains('\u{1b}'), "{told}");
        assert_ne!(stdout(&output).is_empty(), told.is_empty(), "{name}");
        tried += 1;
    }
    assert!(tried > 10, "{tried}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

fn a_reader_without_a_file_tells_of_wrong_arguments() {
    let path = format!("{SCRIPTS}/read.py");
    let output = python(&["-B", &path]);
    let told = format!("read.py: wrong arguments: see the first lines of {path}\n");
    assert_eq!(stderr(&output), told);
    assert_eq!(output.status.code(), Some(2));
}

/// Runs a script by a relative path, while the directories of `CDPATH` could mislead `cd`.
fn bash(script: &str, args: &[&str]) -> Output {
    Command::new("bash")
        .arg(format!("scripts/{script}"))
        .args(args)
        .current_dir(CHECKOUT)
        .env("CDPATH", ".")
        .output()
        .unwrap()
}

fn options_without_a_value_are_told_in_one_line() {
    for (script, options) in [
        ("bench.sh", &["--threads", "--dir"][..]),
        ("compression.sh", &["-o"]),
        ("kill-resume.sh", &["--dir", "--keep"]),
    ] {
        for option in options {
            for args in [&[*option][..], &[*option, ""]] {
                let output = bash(script, args);
                let told = stderr(&output);
                assert_eq!(output.status.code(), Some(2), "{script} {args:?}: {told}");
                let start = format!("{script}: {option}: which ");
                assert!(told.starts_with(&start), "{told}");
                assert_eq!(told.lines().count(), 1, "{told}");
            }
        }
    }
}

fn a_script_finds_its_checkout_if_cdpath_is_set() {
    let place = place();
    let out = place.path().join("out");
    // The first game is in the checkout, the second is not.
    let output = bash("dataset.sh", &[out.to_str().unwrap(), "2x2", "5x5"]);
    assert_eq!(
        stderr(&output),
        "dataset.sh: 5x5: not a solved game of results/summaries.jsonl: name one, such as 3x3-512\n"
    );
}

/// Runs `bench.sh --quick` with a program that finds this many live states of 3x3, in three seconds.
fn bench(live: u64) -> Output {
    let place = place();
    let release = place.path().join("release");
    fs::create_dir(&release).unwrap();
    let enum48 = format!(
        r#"case $2 in
    4) count='"game":"4x4-16","live":23482821,"seconds":1.0,"bytes":11741411' ;;
    3) count='"game":"3x3","live":{live},"seconds":3.0,"bytes":20662509' ;;
    2x4) count='"game":"2x4","live":4088119,"seconds":0.25,"bytes":2044060' ;;
esac
while [ "$1" != --dir ]; do shift; done
mkdir "$2"
echo "{{$count,\"dead\":0,\"engine\":\"lists\",\"peak_memory\":1048576}}"
[ {live} = 41325017 ] || exit 1
"#
    );
    write_program(&release.join("cargo"), "");
    write_program(&release.join("enum48"), &enum48);
    let path = format!("{}:{}", release.display(), env::var("PATH").unwrap());
    Command::new("bash")
        .args(["scripts/bench.sh", "--quick", "--threads", "2", "--dir"])
        .arg(place.path())
        .current_dir(CHECKOUT)
        .env("PATH", path)
        .env("CARGO_TARGET_DIR", place.path())
        .output()
        .unwrap()
}

fn a_bench_prints_each_game_and_whether_it_meets_its_goals() {
    let output = bench(41_325_017);
    assert_eq!(stderr(&output), "");
    // How busy the cores are is measured; all other columns follow from the counts.
    let told = stdout(&output).lines().map(|line| {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if line.contains(" lists ") && !line.contains("goals") {
            words[6] = "-";
        }
        words.join(" ")
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "game seconds states/s core-ns busy memory bytes bits",
            "4x4-16 lists all 1.00 23,482,821 85.2 - 1 MiB 11,741,411 4.00",
            "3x3 lists all 3.00 13,775,006 145.2 - 1 MiB 20,662,509 4.00",
            "goals: 2.6 s MISSED, 3; 1.25 x 4x4-16 lists all MISSED, 1.7",
            "2x4 lists all 0.25 16,352,476 122.3 - 1 MiB 2,044,060 4.00",
            "goals: 0.5 s met",
        ]
    );

    let output = bench(41_325_016);
    let told = "bench.sh: 3x3: expected 41325017 live states, got 41325016\n";
    assert_eq!(stderr(&output), told);
    assert_eq!(output.status.code(), Some(1));
}

/// `replay_code.py`, which answers each line of stdin. SIGINT interrupts it, even if tests run in the
/// background of a shell.
fn replays() -> Child {
    Command::new("env")
        .args(["--default-signal=INT", "python3", "-B", "-u"])
        .arg(format!("{SCRIPTS}/replay_code.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn a_closed_pipe_and_an_interrupt_are_told_in_one_line() {
    for (interrupted, told) in [(true, "stopped"), (false, "stdout: closed by its reader")] {
        let mut script = replays();
        let mut codes = script.stdin.take().unwrap();
        let mut answers = BufReader::new(script.stdout.take().unwrap());
        writeln!(codes, "{WON}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert!(answer.contains(" / "), "{answer}");
        if interrupted {
            let pid = script.id().to_string();
            let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
            assert!(sent.success());
        } else {
            drop(answers);
            // Children that other tests start may have copies of the pipe's end for a moment.
            while writeln!(codes, "{WON}").is_ok() {}
        }
        let output = script.wait_with_output().unwrap();
        assert_eq!(stderr(&output), format!("replay_code.py: {told}\n"));
        assert_eq!(output.status.code(), Some(2));
    }
}

//! Tests of the driver of a cluster, with several processes on one machine.

#![expect(
    clippy::disallowed_methods,
    reason = "the test writes a program that fails"
)]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use enum48::store::Run;
use tempfile::TempDir;

use crate::command::{PROGRAM, good, place, stderr};
use crate::files::files;
use crate::script::write_program;
use crate::share::{exhaustive, share};

tests! {
    PYTHON => [
        any_number_of_processes_makes_the_same_files,
        the_driver_shows_that_a_seal_waits,
        a_driver_that_gets_no_tasks_says_why_in_one_line,
        aborted_tasks_are_done_again,
        a_killed_driver_resumes,
        a_driver_that_is_told_to_stop_ends_its_tasks_and_resumes,
    ],
    &[
        Program("python3"),
        Right("unshare --pid --fork --kill-child --mount-proc true"),
    ] => [a_driver_that_is_process_1_can_be_stopped],
    &[] => [
        planning_waits_until_a_reader_closes_the_run,
        the_loop_without_ray_ends_after_the_count_or_an_error,
    ],
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/enum48_ray.py");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/results/cluster.md");

/// Games in small tasks, so that a count has many. Three are counted as
/// lists, one of them to its end; two by sweeps.
const GAMES: [&str; 5] = [
    "--size 4 --max 16 --until 50 --task 300000",
    "--size 4 --max 32 --until 46 --task 1000000",
    "--size 4 --max 8 --task 4000",
    "--size 4 --max 32 --until 44 --keep matrices --task 2000",
    "--size 4 --max 8 --keep last --task 100",
];

/// Some layers of a game in many tasks, or all layers in an exhaustive test: as lists, and by sweeps.
fn layers() -> [String; 2] {
    let until = if exhaustive() { "" } else { "--until 42 " };
    ["--task 100000", "--keep matrices --task 700"]
        .map(|rest| format!("--size 4 --max 16 {until}{rest}"))
}

/// The command that drives `program` through a game, with this number of processes.
fn driver(place: &Path, game: &str, processes: u32, program: &Path) -> Command {
    let mut command = Command::new("python3");
    command
        .arg(SCRIPT)
        .args([
            "--local",
            &processes.to_string(),
            "--dir",
            "run",
            "--enum48",
        ])
        .arg(program)
        .args(["--task-memory", "64M", "--threads", "1", "--memory", "256M"])
        .args(game.split(' '))
        .current_dir(place)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// Drives a game to its end and returns stderr.
fn drive(place: &Path, game: &str, processes: u32, program: &Path) -> String {
    let output = driver(place, game, processes, program).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(output.stdout.is_empty());
    said
}

/// A place with the run that one machine makes, to compare with.
fn alone(game: &str) -> TempDir {
    let place = place();
    let (game, _) = game.split_once(" --task").unwrap();
    good(&place, &format!("{game} --dir run --quiet"));
    place
}

fn expect_same(place: &Path, alone: &TempDir) {
    assert!(files(&place.join("run")) == files(&alone.path().join("run")));
}

/// The sums of the layers whose lines have a key.
fn sums<'a>(said: &'a str, key: &str) -> BTreeSet<&'a str> {
    let lines = said.lines().filter(|line| line.contains(key));
    let sum = |line: &'a str| line.split_once(" sum=")?.1.split(' ').next();
    lines.filter_map(sum).collect()
}

/// A wrapper of the program that kills about a third of the tasks and seals, each of them twice at
/// most: the driver gives up after three rounds without a finished task. The draws depend only on
/// the name of the task and the number of its kills.
fn aborting(place: &Path) -> PathBuf {
    let path = place.join("aborting");
    let killed = path.with_extension("killed");
    let text = format!(
        "kills=$(grep -Fcx \"$*\" {killed})\n\
         draw=$(echo \"$2 $3 $kills\" | cksum)\n\
         draw=${{draw%% *}}\n\
         if [ \"$2\" != tasks ] && [ $((draw % 10)) -lt 3 ] && [ $kills -lt 2 ]; then\n\
             echo \"$*\" >> {killed}\n\
             timeout --signal KILL 0.0$((draw / 10 % 67 + 10)) {PROGRAM} \"$@\"\n\
             exit 137\n\
         fi\n\
         exec {PROGRAM} \"$@\"\n",
        killed = killed.display()
    );
    fs::write(&killed, "").unwrap();
    write_program(&path, &text);
    path
}

fn any_number_of_processes_makes_the_same_files() {
    let cases = |games: &'static [&str]| {
        let cases = games
            .iter()
            .flat_map(|game| [1, 2, 4].map(|processes| (game, processes)));
        share(cases)
    };
    let (lists, swept) = GAMES.split_at(3);
    for (game, processes) in [lists, swept].into_iter().flat_map(cases) {
        let place = place();
        let said = drive(place.path(), game, processes, PROGRAM.as_ref());
        let stage = match game.contains("--keep") {
            true => " stage=sweep tasks=",
            false => " stage=reduce tasks=",
        };
        assert!(said.contains(stage) && said.contains(" layer="), "{said}");
        // The sweeps of the layer after the last are dropped, so that layer is not told.
        let told = sums(&said, " layer=");
        assert!(
            game.contains("--keep") || sums(&said, " stage=").is_subset(&told),
            "{said}"
        );
        expect_same(place.path(), &alone(game));
    }
}

fn planning_waits_until_a_reader_closes_the_run() {
    let place = place();
    let tasks = format!("cluster tasks {} --dir run", layers()[1]);
    good(&place, &format!("{tasks} --quiet"));
    let reader = Run::open(&place.path().join("run")).unwrap();
    let mut asking = Command::new(PROGRAM)
        .args(tasks.split(' '))
        .current_dir(&place)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(asking.stderr.take().unwrap()).lines();
    let waits = said.next().unwrap().unwrap();
    assert!(waits.contains("waiting for run"), "{waits}");
    drop(reader);
    assert!(asking.wait().unwrap().success());
}

fn the_driver_shows_that_a_seal_waits() {
    let place = place();
    let (program, gate) = (place.path().join("waiting"), place.path().join("gate"));
    // The first seal waits until the test opens the gate. If it goes on alone, the test fails.
    let text = format!(
        "if [ \"$2\" = seal ] && [ -p gate ]; then\n\
             echo waiting >&2\n\
             timeout 600 cat gate\n\
             rm gate\n\
         fi\n\
         exec {PROGRAM} \"$@\"\n"
    );
    write_program(&program, &text);
    let made = Command::new("mkfifo").arg(&gate).status().unwrap();
    assert!(made.success());
    let game = "--size 2 --max 8 --until 6 --task 4";
    let mut driving = driver(place.path(), game, 1, &program);
    let mut child = driving.spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap() == "waiting"));
    drop(File::options().write(true).open(gate).unwrap());
    said.for_each(drop);
    assert!(child.wait().unwrap().success());
}

fn a_driver_that_gets_no_tasks_says_why_in_one_line() {
    let place = place();
    let killed = place.path().join("killed");
    write_program(&killed, "kill -KILL $$\n");
    for (game, program, why) in [
        (
            "--size 2 --dir ",
            PROGRAM.as_ref(),
            "--dir: which directory?",
        ),
        ("--size 2", &*killed, ": enum48 cluster tasks: exit -9"),
    ] {
        let output = driver(place.path(), game, 1, program).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.starts_with("enum48_ray.py: ") && said.contains(why) && said.lines().count() == 1,
            "{said}"
        );
    }
}

/// The loop of the page, for a small game.
fn the_loop_without_ray_ends_after_the_count_or_an_error() {
    let page = fs::read_to_string(PAGE).unwrap();
    let (_, code) = page.split_once("    run() {").unwrap();
    let (code, _) = code.split_once("    done\n").unwrap();
    let game = "--size 2 --max 32 --until 12 --task 8";
    let code = format!("run() {{{code}done")
        .replace("enum48 ", &format!("{PROGRAM} "))
        .replace("--size 4 --max 64", game)
        .replace("/shared/4x4-64", "run");
    let run = |memory: &str, end: &str| {
        let place = place();
        let output = Command::new("timeout")
            .args(["600", "sh", "-c", &code.replace("1G", memory)])
            .current_dir(&place)
            .output()
            .unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(last.contains(end), "{said}");
        place
    };
    let place = run("1G", "no layer is cut into tasks");
    expect_same(place.path(), &alone(game));
    run("1M", "takes at least 24M");
}

fn aborted_tasks_are_done_again() {
    for layers in layers() {
        let alone = alone(&layers);
        let (run, programs) = (place(), place());
        let said = drive(run.path(), &layers, 2, &aborting(programs.path()));
        let aborted = said.matches(": exit ").count();
        let given = said.matches(": given to another worker, attempt ").count();
        assert!(aborted > 3 && given > 2, "{aborted}, {given} in {said}");
        expect_same(run.path(), &alone);
    }
}

fn a_killed_driver_resumes() {
    for layers in layers() {
        let alone = alone(&layers);
        let place = place();
        let mut heard = Vec::new();
        for lines in 1..=8 {
            // The killed driver's tasks live on, and finish late.
            let mut child = driver(place.path(), &layers, 2, PROGRAM.as_ref())
                .spawn()
                .unwrap();
            let said = BufReader::new(child.stderr.take().unwrap());
            heard.extend(said.lines().take(lines).map(Result::unwrap));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        // A count may end before a late kill.
        let ended = heard.iter().any(|line| line.contains(COUNTED));
        assert!(heard.len() > 20 || ended, "{heard:?}");
        let said = drive(place.path(), &layers, 2, PROGRAM.as_ref());
        let sealed = heard
            .iter()
            .filter_map(|line| line.split(" states=").next());
        let sealed = sealed.filter_map(|line| line.split_once(" sum="));
        for (_, layer) in sealed.filter(|(_, layer)| layer.contains(" layer=")) {
            assert!(!said.contains(layer), "{layer} again in {said}");
        }
        expect_same(place.path(), &alone);
    }
}

/// Sends a signal to a driver after its first task. `driven` maps the command's process to the
/// driver's. The result is the exit code and the rest of stderr.
fn stop(mut command: Command, signal: &str, driven: impl Fn(u32) -> u32) -> (Option<i32>, String) {
    let mut child = command.spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.by_ref().any(|line| line.unwrap().contains(" tasks=")));
    let pid = driven(child.id()).to_string();
    let sent = Command::new("kill").args(["-s", signal, &pid]).status();
    assert!(sent.unwrap().success());
    let said: Vec<String> = said.map(Result::unwrap).collect();
    (child.wait().unwrap().code(), said.join("\n"))
}

/// A driver says this when its count is complete.
const COUNTED: &str = ": counted";
const STOPPED: &str = "stopped: the same command resumes the count";

fn a_driver_that_is_told_to_stop_ends_its_tasks_and_resumes() {
    for (layers, (signal, code)) in layers().iter().zip([("INT", 130), ("TERM", 143)]) {
        // A count that ends before the signal begins anew.
        let attempt = |_| {
            let place = place();
            let driver = driver(place.path(), layers, 2, PROGRAM.as_ref());
            let (ended, said) = stop(driver, signal, |pid| pid);
            (!said.contains(COUNTED)).then_some((place, ended, said))
        };
        let (place, ended, said) = (0..20).find_map(attempt).unwrap();
        assert_eq!(ended, Some(code), "{said}");
        assert!(said.ends_with(STOPPED), "{said}");
        // A task names its directory by the whole path.
        let tasks = Command::new("pgrep")
            .arg("--full")
            .arg(place.path())
            .output();
        assert!(tasks.unwrap().stdout.is_empty());
        drive(place.path(), layers, 2, PROGRAM.as_ref());
        expect_same(place.path(), &alone(layers));
    }
}

fn a_driver_that_is_process_1_can_be_stopped() {
    let place = place();
    // The count would take minutes.
    let game = "--size 4 --max 32 --task 100000";
    let inner = driver(place.path(), game, 2, PROGRAM.as_ref());
    let mut driver = Command::new("unshare");
    driver
        .args(["--pid", "--fork", "--kill-child", "--mount-proc", "python3"])
        .args(inner.get_args())
        .current_dir(place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let child_of = |pid: u32| {
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
        children.trim().parse().unwrap()
    };
    let (code, said) = stop(driver, "TERM", child_of);
    assert_eq!(code, Some(143), "{said}");
    assert!(said.ends_with(STOPPED), "{said}");
}

//! Output files: where data is written, and which files are never overwritten.

#![expect(clippy::disallowed_methods, reason = "the tests make files by hand")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::command::{PROGRAM, good, place, stderr, stdout};
use crate::files::files;
use crate::outcomes::{refused, unread_with};

/// A place with a run of 2x2 to 32 in `run`, and the text of its states of sum 6.
fn counted() -> (TempDir, String) {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    let states = good(&place, "states run --sum 6");
    (place, states)
}

/// Runs a script of bash, in which `$enum48` is the program.
fn shell(place: &TempDir, script: &str) -> Output {
    let mut command = Command::new("bash");
    command.args(["-c", script]).env("enum48", PROGRAM);
    command.current_dir(place).output().unwrap()
}

#[test]
fn an_output_that_names_stdout_appends_to_it() {
    let (place, states) = counted();
    symlink("/dev/stdout", place.path().join("link")).unwrap();
    let table = good(&place, "--size 2 --max 32 --quiet --dir run --csv -");
    let graph = good(&place, "graph --size 2 --max 8");
    let code = "w1.2x2-8.BD.1.w..W.10f0c486";
    let page = good(&place, &format!("replay {code} --html -"));
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"] {
        for (command, expected) in [
            (format!("states run --sum 6 -o {name}"), &states),
            (format!("graph --size 2 --max 8 -o {name}"), &graph),
            (format!("replay {code} --html {name}"), &page),
            (
                format!("--size 2 --max 32 --quiet --dir run --csv {name}"),
                &table,
            ),
        ] {
            fs::write(place.path().join("file"), "mine\n").unwrap();
            let script = format!("$enum48 {command} >> file; echo $? >> file");
            shell(&place, &script);
            let found = fs::read_to_string(place.path().join("file")).unwrap();
            assert_eq!(found, format!("mine\n{expected}0\n"), "{command}");
        }
        let both = format!("--size 2 --max 32 --dir run --json --csv {name}");
        refused(&place, &both, "both go to stdout");
    }
}

/// A closed pipe once turned exit code 1 into 0.
#[test]
fn an_answer_without_a_reader_keeps_its_exit_code() {
    let (place, states) = counted();
    good(
        &place,
        "--size 2 --max 32 --quiet --dir solved --keep afterstates",
    );
    good(&place, "solve solved --for score --quiet");
    good(&place, "--size 2 --max 32 --quiet --dir damaged");
    let part = place.path().join("damaged/sum-00012-max-00008.states");
    fs::write(part, "").unwrap();
    let table = good(&place, "--size 2 --max 32 --quiet --dir run --csv -");
    fs::write(place.path().join("a.csv"), &table).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    fs::write(place.path().join("b.csv"), lines[..9].join("\n")).unwrap();
    fs::write(
        place.path().join("c.csv"),
        table.replacen("\n6,2,1,", "\n6,2,3,", 1),
    )
    .unwrap();
    let boards = format!("{states}0x1111\n{states}");
    let sound = "w1.2x2-8.BD.1.w..W.10f0c486\n";
    let codes = format!("{sound}wrong\n{sound}");
    for (args, input, code) in [
        ("verify damaged --quiet", "", 1),
        ("verify damaged --json", "", 1),
        ("check a.csv b.csv", "", 1),
        ("check a.csv b.csv --json", "", 1),
        ("check c.csv --size 2 --max 32", "", 1),
        ("check a.csv --size 2 --max 32", "", 0),
        ("replay wrong --json", "", 1),
        ("replay -", &*codes, 1),
        ("replay -", sound, 0),
        ("rate - --dir solved", &*codes, 1),
        ("best - --dir solved", &*boards, 1),
        ("best - --dir solved", &*states, 0),
        ("best 0x1111 --dir solved", "", 1),
        ("show 0x1111 --dir run", "", 1),
        ("witness 0x1111 --dir run", "", 1),
        ("witness --sample 9 --dir run", "", 0),
    ] {
        unread_with(&place, args, input, code);
        let script = format!("$enum48 {args} > /dev/full");
        let mut command = Command::new("bash");
        command.args(["-c", &script]).env("enum48", PROGRAM);
        fs::write(place.path().join("input"), input).unwrap();
        let input = File::open(place.path().join("input")).unwrap();
        let full = command.current_dir(&place).stdin(input).output().unwrap();
        let said = stderr(&full);
        assert_eq!(full.status.code(), Some(2), "{args}: {said}");
        let no_space = "enum48: stdout: cannot write: No space left on device (os error 28)\n";
        assert!(said.ends_with(no_space), "{args}: {said}");
    }
    // An input without an end once was read for ever.
    for args in ["replay -", "rate - --dir solved", "best - --dir solved"] {
        let script = format!("yes wrong | $enum48 {args} | true; exit ${{PIPESTATUS[1]}}");
        let mut command = Command::new("bash");
        command.args(["-c", &script]).env("enum48", PROGRAM);
        let status = command.current_dir(&place).status().unwrap();
        assert_eq!(status.code(), Some(1), "{args}");
    }
}

#[test]
fn an_open_descriptor_is_written_at_its_position() {
    let (place, states) = counted();
    for number in [2, 3, 9] {
        let script = format!(
            "{{ echo first >&{number}; $enum48 states run --sum 6 -o /dev/fd/{number}; \
             echo last >&{number}; }} {number}> file"
        );
        shell(&place, &script);
        let found = fs::read_to_string(place.path().join("file")).unwrap();
        assert_eq!(found, format!("first\n{states}last\n"), "{number}");
    }
    let output = shell(
        &place,
        "$enum48 states run --sum 6 -o >(cat > file); wait $!",
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let found = fs::read_to_string(place.path().join("file")).unwrap();
    assert_eq!(found, states);
    // A closed or read-only descriptor is refused before any work and before a directory is made.
    for script in [
        "$enum48 --size 2 --max 32 --dir new --csv /dev/fd/7",
        "$enum48 --size 2 --max 32 --dir new --csv /dev/fd/7 7< /dev/null",
    ] {
        let output = shell(&place, script);
        assert_eq!(output.status.code(), Some(2), "{script}");
        assert_eq!(
            stderr(&output),
            "enum48: /dev/fd/7: cannot write: Bad file descriptor (os error 9)\n"
        );
        assert!(!place.path().join("new").exists(), "{script}");
    }
}

#[test]
fn outputs_into_a_run_are_refused() {
    let (place, _) = counted();
    symlink("run/manifest.json", place.path().join("link")).unwrap();
    symlink("run/new", place.path().join("dangling")).unwrap();
    symlink("run", place.path().join("folder")).unwrap();
    fs::create_dir(place.path().join("run/sub")).unwrap();
    fs::create_dir(place.path().join("empty")).unwrap();
    let before = || {
        let mut found = files(&place.path().join("run/sub"));
        fs::remove_dir(place.path().join("run/sub")).unwrap();
        found.extend(files(&place.path().join("run")));
        fs::create_dir(place.path().join("run/sub")).unwrap();
        found
    };
    let untouched = before();
    for file in [
        "run/manifest.json",
        "run/manifest.json.tmp",
        "run/lock",
        "run/layers.csv",
        "run/sum-00012-max-00008.states",
        "run/new.csv",
        "run/sub/../lock",
        "folder/layers.csv",
        "link",
        "dangling",
    ] {
        for args in [
            "states run -o",
            "graph --size 2 -o",
            "--size 3 --max 8 --dir other --csv",
        ] {
            refused(
                &place,
                &format!("{args} {file}"),
                "in a run's own directory",
            );
        }
    }
    assert_eq!(before(), untouched);
    // The count itself would make a run in the directory of the file.
    for file in ["empty/layers.csv", "empty/../empty/table.csv"] {
        let args = format!("--size 2 --max 32 --dir empty --csv {file}");
        refused(&place, &args, "in a run's own directory");
        assert!(files(&place.path().join("empty")).is_empty());
    }
    refused(
        &place,
        "--size 2 --max 32 --dir new --csv new/lock",
        "new/lock",
    );
    symlink("empty", place.path().join("linked")).unwrap();
    for (dir, file) in [
        ("new", "new"),
        ("new/run", "new"),
        ("new", "./new"),
        ("run/../new", "new"),
        ("linked/new", "linked/new"),
    ] {
        let args = format!("--size 2 --max 32 --dir {dir} --csv {file}");
        refused(&place, &args, "in the place of the run's directory");
    }
    let page = "play --size 2 --max 16 --dir new --html no/such/page.html";
    refused(&place, page, "no/such/page.html");
    assert!(!place.path().join("new").exists());
    // A directory with another program's manifest is not a run.
    fs::write(place.path().join("manifest.json"), "{}").unwrap();
    good(&place, "states run -o table.csv");
}

#[test]
fn files_beside_an_output_are_not_changed() {
    let (place, states) = counted();
    fs::write(place.path().join("file.tmp"), "mine").unwrap();
    good(&place, "states run --sum 6 -o file");
    symlink("made", place.path().join("link")).unwrap();
    good(&place, "states run --sum 6 -o link");
    let read = |name: &str| fs::read_to_string(place.path().join(name)).unwrap();
    assert_eq!(read("file.tmp"), "mine");
    assert_eq!((read("file"), read("made")), (states.clone(), states));
    assert!(place.path().join("link").is_symlink());
    let names = fs::read_dir(place.path()).unwrap();
    assert_eq!(names.count(), 5, "run, file, file.tmp, link and made");
}

#[test]
fn json_refuses_names_that_are_not_utf_8_before_any_work() {
    let place = place();
    let name = OsStr::from_bytes(b"not-\xff-utf8");
    let dir = place.path().join(name);
    let run = |before: &str, after: &str| {
        let mut command = Command::new(PROGRAM);
        command.args(before.split_whitespace()).arg(name);
        command.args(after.split_whitespace()).current_dir(&place);
        command.output().unwrap()
    };
    let refused = |before: &str, after: &str| {
        let output = run(before, after);
        assert_eq!(output.status.code(), Some(2), "{before} {after}");
        let said = stderr(&output);
        let expected = "enum48: --json: not-\u{fffd}-utf8: not UTF-8";
        assert!(
            said.starts_with(expected) && said.lines().count() == 1,
            "{said}"
        );
    };
    let count = "--size 2 --max 32 --keep afterstates --quiet --dir";
    refused(count, "--json");
    refused(count, "--json --dry-run");
    assert!(!dir.exists(), "nothing was counted");
    assert_eq!(run(count, "").status.code(), Some(0));
    refused("solve", "--json");
    refused("solve", "--json --dry-run");
    assert!(!dir.join("solution.json").exists(), "nothing was solved");
    assert_eq!(run("solve", "").status.code(), Some(0));
    refused("verify", "--json");
    refused("check", "--json");
    assert_eq!(run("verify", "--quiet").status.code(), Some(0));
    assert_eq!(run("check", "").status.code(), Some(0));
    // A control character of a name does not reach the terminal.
    for args in ["verify", "check", "states"] {
        let mut command = Command::new(PROGRAM);
        command.args([args, "none\u{1b}[2J\n"]).current_dir(&place);
        let said = stderr(&command.output().unwrap()).to_owned();
        assert!(said.starts_with("enum48: none\\u{1b}[2J\\n: "), "{said:?}");
        assert_eq!(said.lines().count(), 1, "{said:?}");
    }
    let named = "e\u{1b}[2J\nf";
    for args in [
        ["2x2", "--keep", "both", "--dir", named],
        ["solve", named, "--for", "score", "--quiet"],
        ["show", "0x0011", "--size=2", "--dir", named],
    ] {
        let mut command = Command::new(PROGRAM);
        let output = command.args(args).current_dir(&place).output().unwrap();
        let text = stdout(&output);
        assert!(text.contains(" e\\u{1b}[2J\\nf\n"), "{args:?}: {text}");
        assert!(!text.contains('\u{1b}'), "{args:?}: {text}");
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let (place, _) = counted();
    for args in [
        "--help",
        "--version",
        "states run",
        "show 0x0132 --dir run",
        "check run",
    ] {
        let output = shell(&place, &format!("$enum48 {args} > /dev/full"));
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(
            stderr(&output).contains("No space left"),
            "{args}: {}",
            stderr(&output)
        );
    }
}

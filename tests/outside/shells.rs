//! Shells and groff accept the completions and the manual page.

#![expect(clippy::disallowed_methods, reason = "input of another program")]

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::command::{PROGRAM, good, place, stderr, stdout};

tests! {
    &[Program("bash")] => [
        bash_accepts_its_script,
        bash_completes_words,
    ],
    &[Program("zsh")] => [zsh_accepts_its_script, zsh_completes_words],
    &[Program("fish")] => [
        fish_accepts_its_script,
        fish_completes_words,
    ],
    &[Program("groff")] => [groff_formats_the_manual_page_without_warnings],
}

/// Checks the syntax of a script with its shell.
fn accepts(shell: &str) {
    let place = place();
    let script = good(&place, &format!("completions {shell}"));
    let path = place.path().join("script");
    fs::write(&path, script).unwrap();
    let output = Command::new(shell).arg("-n").arg(&path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.is_empty(),
        "{shell}: {said}"
    );
}

fn bash_accepts_its_script() {
    accepts("bash");
}

fn zsh_accepts_its_script() {
    accepts("zsh");
}

fn fish_accepts_its_script() {
    accepts("fish");
}

/// A place with a run, in which a shell runs a script. The shell finds the program in the PATH.
fn said(shell: &str, options: &[&str], script: &str) -> String {
    let place = place();
    good(&place, "--size 2 --max 8 --quiet");
    let folder = Path::new(PROGRAM).parent().unwrap();
    let path = format!("{}:{}", folder.display(), env::var("PATH").unwrap());
    let output = Command::new(shell)
        .args(options)
        .args(["-c", script])
        .current_dir(&place)
        .env("PATH", path)
        .output()
        .unwrap();
    assert_eq!(stderr(&output), "", "{script}");
    stdout(&output).to_owned()
}

/// Words, and a completion of the last one.
const COMPLETED: [(&str, &str); 8] = [
    ("enum48 ver", "verify"),
    ("enum48 graph --fo", "--format"),
    ("enum48 graph --format g", "graphml"),
    ("enum48 --unt", "--until"),
    ("enum48 --keep ", "matrices"),
    ("enum48 completions f", "fish"),
    ("enum48 verify ", "enum48-data/2x2-8/"),
    ("enum48 best 0x2310 --fo", "--for"),
];

fn bash_completes_words() {
    for (words, completed) in COMPLETED {
        let (before, last) = words.rsplit_once(' ').unwrap();
        let at = before.split(' ').count();
        let found = said(
            "bash",
            &["--norc"],
            &format!(
                "source <(enum48 completions bash); COMP_WORDS=({before} '{last}'); COMP_CWORD={at}; \
                 COMP_TYPE=9; _clap_complete_enum48 enum48 '{last}'; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            ),
        );
        assert!(
            found.lines().any(|line| line == completed),
            "{words}: {found}"
        );
    }
}

fn zsh_completes_words() {
    // Outside of the editor, the words are given, and the matches are printed. zsh loads the script at
    // the first completion.
    let script = "fpath=($PWD $fpath); enum48 completions zsh > _enum48; compdef() { }; autoload _enum48\n\
                  _describe() { print -l -- ${(P)3} }";
    for (words, completed) in COMPLETED {
        let (before, last) = words.rsplit_once(' ').unwrap();
        let at = before.split(' ').count() + 1;
        let asked = format!("{script}\nwords=({before} '{last}') CURRENT={at}; _enum48");
        let found = said("zsh", &["-f"], &asked);
        let completed = completed.trim_end_matches('/');
        let mut values = found.lines().map(|line| line.split(':').next().unwrap());
        assert!(values.any(|value| value == completed), "{words}: {found}");
    }
}

fn fish_completes_words() {
    for (words, completed) in COMPLETED {
        let script = format!("enum48 completions fish | source; complete -C '{words}'");
        let found = said("fish", &["--no-config"], &script);
        let mut values = found.lines().map(|line| line.split('\t').next().unwrap());
        assert!(values.any(|value| value == completed), "{words}: {found}");
    }
}

fn groff_formats_the_manual_page_without_warnings() {
    let place = place();
    let path = place.path().join("enum48.1");
    fs::write(&path, good(&place, "completions man")).unwrap();
    let output = Command::new("groff")
        .args(["-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=80n"])
        .arg(&path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.is_empty(), "{said}");
    let text = String::from_utf8(output.stdout).unwrap();
    let wide = text.lines().find(|line| line.chars().count() > 80);
    assert_eq!(wide, None);
    assert!(text.contains("enum48 graph"), "{text}");
}

//! Shells and groff accept the completions and the manual page.

#![expect(clippy::disallowed_methods, reason = "input of another program")]

use std::fs;
use std::process::Command;

use crate::command::{good, place};

tests! {
    &[Program("bash")] => [
        bash_accepts_its_script,
        bash_completes_subcommands_and_options,
    ],
    &[Program("zsh")] => [zsh_accepts_its_script],
    &[Program("fish")] => [
        fish_accepts_its_script,
        fish_completes_subcommands_and_options,
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

fn bash_completes_subcommands_and_options() {
    let script = good(&place(), "completions bash");
    let complete = |words: &str, last: usize| {
        let before = last - 1;
        let program = format!(
            "{script}\nCOMP_WORDS=({words}); COMP_CWORD={last}\n\
             _enum48 enum48 \"${{COMP_WORDS[{last}]}}\" \"${{COMP_WORDS[{before}]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["-c", &program]).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    assert_eq!(complete("enum48 ver", 1), "verify\n");
    assert_eq!(complete("enum48 graph --fo", 2), "--format\n");
    assert_eq!(complete("enum48 graph --format g", 3), "graphml\n");
    assert_eq!(complete("enum48 --unt", 1), "--until\n");
}

fn fish_completes_subcommands_and_options() {
    let script = good(&place(), "completions fish");
    for (words, option) in [
        ("ver", "verify\t"),
        ("--ke", "--keep\t"),
        ("graph --fo", "--format\t"),
    ] {
        let program = format!("{script}\ncomplete -C 'enum48 {words}'");
        let output = Command::new("fish")
            .args(["--no-config", "-c", &program])
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.starts_with(option), "{words}: {said}");
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

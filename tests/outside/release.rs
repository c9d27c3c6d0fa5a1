//! The steps of a release, as `.github/workflows/release.yml` calls them.

#![expect(clippy::disallowed_methods, reason = "the test changes a copy")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::command::{PROGRAM, good, place, stderr, stdout};
use crate::required::can_import;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The output of a step in a checkout.
fn step(checkout: &Path, args: &[&str]) -> Output {
    Command::new("python3")
        .arg("-B")
        .arg(checkout.join("scripts/release.py"))
        .args(args)
        .output()
        .unwrap()
}

#[test]
fn a_release_needs_a_tag_of_its_version_a_date_and_an_address() {
    if !can_import(&["sys"]) {
        return;
    }
    let place = place();
    let copy = place.path();
    for file in [
        "Cargo.toml",
        "CHANGELOG.md",
        "scripts/release.py",
        "scripts/failure.py",
        "src/lib.rs",
    ] {
        fs::create_dir_all(copy.join(file).parent().unwrap()).unwrap();
        fs::copy(Path::new(ROOT).join(file), copy.join(file)).unwrap();
    }
    fs::copy(Path::new(ROOT).join("Cargo.lock"), copy.join("Cargo.lock")).unwrap();
    let set = |file: &str, from: &str, to: &str| {
        let text = fs::read_to_string(copy.join(file)).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        fs::write(copy.join(file), text.replace(from, to)).unwrap();
    };
    let refused = |tag: &str, why: &str| {
        let output = step(copy, &["check", tag]);
        assert_eq!(output.status.code(), Some(2), "{tag}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    };
    let (version, tag) = (
        env!("CARGO_PKG_VERSION"),
        concat!("v", env!("CARGO_PKG_VERSION")),
    );
    set(
        "CHANGELOG.md",
        &format!("## [{version}]"),
        &format!("## [{version}] - unreleased ["),
    );
    set(
        "Cargo.toml",
        "\nrepository = \"",
        "\nrepository = \"never://",
    );
    refused("v99.0.0", &format!("Cargo.toml has version {version}"));
    refused(tag, "expected a date");
    set(
        "CHANGELOG.md",
        &format!("## [{version}] - unreleased ["),
        &format!("## [{version}] - 2026-12-31\n\nNew: all.\n\n## [0.0.0] ["),
    );
    refused(tag, "expected an address");
    set("Cargo.toml", "never://", "https://");
    let passed = step(copy, &["check", tag]);
    assert!(passed.status.success(), "{}", stderr(&passed));
    assert_eq!(stdout(&step(copy, &["notes"])), "New: all.\n");
}

#[test]
fn an_archive_has_a_program_that_runs_its_completions_and_all_licences() {
    if !can_import(&["sys"]) {
        return;
    }
    let place = place();
    let out = place.path().join("out");
    let output = step(
        Path::new(ROOT),
        &["archive", TARGET, PROGRAM, out.to_str().unwrap()],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let name = format!("enum48-{}-{TARGET}", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        stdout(&output).trim_end(),
        out.join(format!("{name}.tar.gz")).to_str().unwrap()
    );
    let unpacked = Command::new("sh")
        .args([
            "-c",
            "sha256sum --check --status *.sha256 && tar -xzf *.tar.gz",
        ])
        .current_dir(&out)
        .status()
        .unwrap();
    assert!(unpacked.success());
    let folder = out.join(name);
    let counted = Command::new(folder.join("enum48"))
        .args(["--size", "2", "--max", "32", "--quiet"])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert!(stdout(&counted).starts_with("59  states of 2x2 to 32\n"));
    let text = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    assert_eq!(text("completions/_enum48"), good(&place, "completions zsh"));
    assert_eq!(text("enum48.1"), good(&place, "completions man"));
    let licences = text("LICENSES.txt");
    for (name, what) in [
        ("rayon ", "MIT"),
        ("zstd-sys ", "--- zstd/LICENSE"),
        ("clap ", "Apache"),
    ] {
        let (_, rest) = licences.split_once(&format!("\n{name}")).expect(name);
        assert!(rest.contains(what), "{name}");
    }
    assert!(!licences.contains("\nproptest "), "only tests use it");
}

//! The steps of a release, as `.github/workflows/release.yml` calls them.

#![expect(clippy::disallowed_methods, reason = "the test changes a copy")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::command::{PROGRAM, good, place, stderr, stdout};
use crate::script::python;

tests! {
    PYTHON => [
        a_release_is_checked_and_its_links_lead_to_the_repository,
        an_archive_has_a_program_that_runs_its_completions_and_all_licences,
    ],
}

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

fn a_release_is_checked_and_its_links_lead_to_the_repository() {
    let place = place();
    let copy = place.path();
    for folder in ["scripts", "src"] {
        fs::create_dir(copy.join(folder)).unwrap();
    }
    let own = |file: &str| fs::read_to_string(Path::new(ROOT).join(file)).unwrap();
    let write = |file: &str, text: &str| fs::write(copy.join(file), text).unwrap();
    for file in [
        "Cargo.lock",
        "scripts/release.py",
        "scripts/failure.py",
        "src/lib.rs",
    ] {
        write(file, &own(file));
    }
    let address = |address: &str| {
        let manifest = own("Cargo.toml");
        let (before, rest) = manifest.split_once("\nrepository = \"").unwrap();
        let (_, after) = rest.split_once('"').unwrap();
        write(
            "Cargo.toml",
            &format!("{before}\nrepository = \"{address}\"{after}"),
        );
    };
    let refused = |tag: &str, faults: &[&str]| {
        let output = step(copy, &["check", tag]);
        assert_eq!(output.status.code(), Some(2), "{tag}");
        let told = stderr(&output);
        assert_eq!(told.lines().count(), faults.len(), "{told}");
        assert!(faults.iter().all(|fault| told.contains(fault)), "{told}");
    };
    let (version, tag) = (
        env!("CARGO_PKG_VERSION"),
        concat!("v", env!("CARGO_PKG_VERSION")),
    );
    let changes = |date: &str| {
        let text = format!("## [{version}] - {date}\n\nNew: all.\n\n## [0.0.0] - 2026-01-01\n");
        write("CHANGELOG.md", &text);
    };
    address("");
    changes("unreleased");
    write(
        "README.md",
        "git clone URL enum48\n> enum48 0.0.0: of 2048\n",
    );
    let other_tag = format!("Cargo.toml has version {version}");
    refused(
        "v99.0.0",
        &[
            &other_tag,
            "expected a date",
            "repository = '': expected an address",
            "README.md: git clone URL",
            "Citing has another version",
        ],
    );
    write(
        "README.md",
        &format!("git clone https enum48\n> enum48 {version}: of 2048\n"),
    );
    address("https://");
    changes("2026-13-31");
    refused(tag, &["expected a date", "expected an address"]);
    address("https://code.example/enum48");
    changes("2026-12-31");
    let passed = step(copy, &["check", tag]);
    assert!(passed.status.success(), "{}", stderr(&passed));
    assert_eq!(stdout(&step(copy, &["notes"])), "New: all.\n");

    write(
        "README.md",
        "[a](b.md#c) ![d](e.svg) [f](https://g.example) [h](#i)",
    );
    let print = "import sys; sys.path.append(sys.argv[1]); import release; print(release.readme())";
    let scripts = copy.join("scripts");
    let printed = python(&["-B", "-c", print, scripts.to_str().unwrap()]);
    let links = "[a](https://code.example/enum48/blob/vVERSION/b.md#c) \
                 ![d](https://code.example/enum48/raw/vVERSION/e.svg) [f](https://g.example) [h](#i)\n";
    assert_eq!(stdout(&printed), links.replace("VERSION", version));
}

fn an_archive_has_a_program_that_runs_its_completions_and_all_licences() {
    let place = place();
    let out = place.path().join("out");
    // Four fifths of the tested program are for debuggers, and would take seconds to pack.
    let program = place.path().join("enum48");
    let stripped = Command::new("strip")
        .arg(PROGRAM)
        .arg("-o")
        .arg(&program)
        .status();
    assert!(stripped.unwrap().success());
    let [program, out_dir] = [&program, &out].map(|path| path.to_str().unwrap());
    let output = step(Path::new(ROOT), &["archive", TARGET, program, out_dir]);
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

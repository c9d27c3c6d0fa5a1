//! The layers of the source: each module uses only those before it.

#![expect(
    clippy::unwrap_used,
    reason = "a source tree that cannot be read fails the test"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// Modules with their floor. The modules of floors 0 and 1 may be used by all above.
const ORDER: [(&str, u32); 27] = [
    ("error", 0),
    ("lines", 0),
    ("share", 0), // of tests alone
    ("wide", 0),
    ("random", 0),
    ("cache", 1),
    ("pages", 1),
    ("per_thread", 1),
    ("progress", 1),
    ("game", 2),
    ("part", 3),
    ("bound", 4),
    ("counts", 4),
    ("play", 4),
    ("known", 5),
    ("laws", 5),
    ("store", 6),
    ("engine", 7),
    ("graph", 7),
    ("cluster", 8),
    ("witness", 8), // its tests count games
    ("solve", 9),
    ("machine", 10),
    ("verify", 10),
    ("cli", 11),
    ("internals", 11),
    ("python", 12),
];

fn floor(module: &str) -> u32 {
    ORDER
        .iter()
        .find(|(name, _)| *name == module)
        .unwrap_or_else(|| panic!("{module}: add it to ORDER"))
        .1
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn modules_use_only_those_to_their_left() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut seen = 0;
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let module = inside
            .iter()
            .next()
            .unwrap()
            .to_str()
            .unwrap()
            .trim_end_matches(".rs");
        if module == "main" || module == "lib" {
            continue;
        }
        for line in fs::read_to_string(&file).unwrap().lines() {
            let code = line.trim_start();
            let Some((_, used)) = code
                .split_once("crate::")
                .filter(|_| !code.starts_with("//"))
            else {
                continue;
            };
            let used = used
                .split(|c: char| !c.is_ascii_lowercase() && c != '_')
                .next()
                .unwrap();
            if used.is_empty() || used == module {
                continue; // an item at the top, such as `crate::Error`
            }
            seen += 1;
            assert!(
                floor(used) < floor(module),
                "{}: {module} uses {used}",
                inside.display()
            );
        }
    }
    assert!(
        seen > 20,
        "only {seen} uses found: is the test still looking?"
    );
}

#[test]
fn only_one_file_creates_files() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    for file in files.iter().filter(|file| !file.ends_with("store/file.rs")) {
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for creation in [
            "File::create",
            "fs::write",
            "OpenOptions",
            "fs::rename",
            "fs::remove",
        ] {
            assert!(!code.contains(creation), "{}: {creation}", file.display());
        }
    }
}

//! The structure of the source. Each module uses only lower modules, one file creates files, and
//! each type name has one definition.

#![expect(
    clippy::unwrap_used,
    reason = "a source tree that cannot be read fails the test"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules with their floors. All higher modules may use the modules of floors 0 and 1.
const ORDER: [(&str, u32); 31] = [
    ("error", 0),
    ("lines", 0),
    ("share", 0), // of tests alone
    ("wide", 0),
    ("random", 0),
    ("cache", 1),
    ("fork", 1),
    ("pages", 1),
    ("per_thread", 1),
    ("progress", 1),
    ("temporary", 2),
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
    ("read", 8),
    ("witness", 9),
    ("solve", 10),
    ("estimate", 11),
    ("machine", 11),
    ("verify", 11),
    ("cli", 12),
    ("internals", 12),
    ("python", 13),
];

/// Type names that may be defined more than once, with the reason.
const SHARED_NAMES: [(&str, &str); 1] = [("Args", "each subcommand defines its arguments")];

fn floor(module: &str) -> u32 {
    ORDER
        .iter()
        .find(|(name, _)| *name == module)
        .unwrap_or_else(|| panic!("{module}: add it to ORDER"))
        .1
}

/// The text of each source file, by path inside `src`.
fn sources() -> BTreeMap<PathBuf, String> {
    fn add(dir: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                add(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    add(&src, &mut files);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path.strip_prefix(&src).unwrap().to_owned(), text)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn modules_use_only_modules_to_their_left() {
    let mut seen = 0;
    for (file, text) in sources() {
        let module = file.iter().next().unwrap().to_str().unwrap();
        let module = module.trim_end_matches(".rs");
        if module == "main" || module == "lib" {
            continue;
        }
        for line in text.lines() {
            let code = line.trim_start();
            let Some((_, used)) = code
                .split_once("crate::")
                .filter(|_| !code.starts_with("//"))
            else {
                continue;
            };
            // One path, or several in braces on one line.
            assert_ne!(used, "{", "{}: a list of several lines", file.display());
            let paths = used
                .strip_prefix('{')
                .map_or(vec![used], |list| list.split(',').map(str::trim).collect());
            for path in paths {
                let end = path.find(|c: char| !c.is_ascii_lowercase() && c != '_');
                let used = &path[..end.unwrap_or(path.len())];
                if used.is_empty() || used == module {
                    continue; // an item at the top, such as `crate::Error`
                }
                seen += 1;
                assert!(
                    floor(used) < floor(module),
                    "{}: {module} uses {used}",
                    file.display()
                );
            }
        }
    }
    assert!(
        seen > 300,
        "only {seen} uses found: is the test still looking?"
    );
}

#[test]
fn only_one_file_creates_files() {
    for (file, text) in sources() {
        if file.ends_with("store/file.rs") {
            continue;
        }
        let code = text.split("mod tests {").next().unwrap();
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

#[test]
fn a_type_name_is_defined_once() {
    let mut places: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for (file, text) in sources() {
        let code = text.split("mod tests {").next().unwrap();
        for line in code.lines() {
            if let Some(name) = defined_type(line) {
                places.entry(name).or_default().push(file.clone());
            }
        }
    }
    assert!(places.len() > 200, "only {} types found", places.len());
    for (name, _) in SHARED_NAMES {
        assert!(places.remove(name).unwrap().len() > 1, "{name} is unique");
    }
    places.retain(|_, files| files.len() > 1);
    assert!(places.is_empty(), "defined more than once: {places:#?}");
}

/// The name of the type or trait that a line defines. An indented `type` belongs to a trait.
fn defined_type(line: &str) -> Option<String> {
    let item = line.trim_start();
    let item = match item.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => item,
    };
    let (keyword, rest) = item.split_once(' ')?;
    let defines = match keyword {
        "struct" | "enum" | "trait" => true,
        "type" => !line.starts_with(' '),
        _ => false,
    };
    let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    defines.then(|| name.to_owned())
}

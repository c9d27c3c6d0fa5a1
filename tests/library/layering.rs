//! The structure of the source. Each module uses only lower modules, files do not use each other in
//! circles, one file creates files, and each type name has one definition.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::iter;
use std::path::{Path, PathBuf};

use crate::source::{Use, sources, uses};

/// Modules with their floors. All higher modules may use the modules of floors 0 and 1.
const ORDER: [(&str, u32); 30] = [
    ("error", 0),
    ("lines", 0),
    ("share", 0), // of tests alone
    ("wide", 0),
    ("random", 0),
    ("cache", 1),
    ("fork", 1),
    ("pages", 1),
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

#[test]
fn modules_use_only_modules_to_their_left() {
    let module = |file: &Path| file.iter().next().unwrap().to_str().unwrap().to_owned();
    let mut seen = 0;
    for Use { from, path, to, .. } in uses() {
        let above = module(&from);
        // What the path names, and what that leads to.
        let named = path
            .strip_prefix("crate::")
            .map(|path| path.split("::").next().unwrap());
        for below in [named.map(str::to_owned), Some(module(&to))]
            .into_iter()
            .flatten()
        {
            let [above, below] = [&above, &below].map(|name| name.trim_end_matches(".rs"));
            // An item at the top, such as `crate::Error`, leads to a module.
            if [above, below].contains(&"lib")
                || below.starts_with(char::is_uppercase)
                || above == below
            {
                continue;
            }
            seen += 1;
            assert!(
                floor(below) < floor(above),
                "{}: {above} uses {below}: {path}",
                from.display()
            );
        }
    }
    assert!(
        seen > 600,
        "only {seen} uses found: is the test still looking?"
    );
}

/// The uses of each file.
type Uses<'a> = BTreeMap<&'a Path, Vec<&'a Use>>;

#[test]
fn files_do_not_use_each_other_in_circles() {
    let uses = uses();
    let mut by_file = Uses::new();
    for used in uses.iter().filter(|used| !used.of_tests) {
        by_file.entry(&used.from).or_default().push(used);
    }
    assert!(by_file.len() > 150, "only {} files found", by_file.len());
    let below: BTreeMap<&Path, BTreeMap<&Path, &Use>> = by_file
        .keys()
        .map(|&file| (file, last_uses(file, &by_file)))
        .collect();
    let mut told: BTreeSet<&Path> = BTreeSet::new();
    let mut text = String::new();
    for (start, reached) in &below {
        if told.contains(start) || !reached.contains_key(start) {
            continue;
        }
        let back = |file: &&Path| below.get(file).is_some_and(|from| from.contains_key(start));
        let circle: Vec<&Path> = reached.keys().copied().filter(back).collect();
        let names: Vec<String> = circle
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        text += &format!("\n{} files: {}\n", names.len(), names.join(" "));
        // From the last use, back to the first.
        let chain = iter::successors(Some(reached[start]), |used| {
            (used.from != *start).then(|| reached[used.from.as_path()])
        });
        for Use { from, path, to, .. } in chain.collect::<Vec<_>>().into_iter().rev() {
            text += &format!("    {} uses {path} of {}\n", from.display(), to.display());
        }
        told.extend(circle);
    }
    assert!(text.is_empty(), "circles of files:\n{text}");
}

/// For each file below `start`, the last use on a shortest chain of uses that leads there.
fn last_uses<'a>(start: &Path, uses: &Uses<'a>) -> BTreeMap<&'a Path, &'a Use> {
    let mut last = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for used in uses.get(file).into_iter().flatten() {
            last.entry(used.to.as_path()).or_insert_with(|| {
                queue.push_back(&used.to);
                *used
            });
        }
    }
    last
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

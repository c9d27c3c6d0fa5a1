//! The README: every example runs, in order, in an empty folder, and prints the shown output.
//!
//! In a `console` block, a line after `$ ` is a command, and the lines below are its output. `...`
//! matches any text; alone on a line, it matches any number of lines. In a `sh` block, every line is
//! a command, and its output is not compared.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::examples::{Example, README, TOOLS, examples, shell};

/// Beginnings of commands that fetch, build or install. The test skips them, because all that is
/// done already.
const DONE: [&str; 5] = [
    "git clone URL enum48 && cd enum48",
    "cargo test ",
    "cargo install ",
    "pip install ",
    "export ENUM48_SRC=$PWD",
];

/// The README runs the program through Cargo once, before it is installed.
const BY_CARGO: &str = "cargo run --release --locked -- ";

/// Whether `text` matches `pattern`, in which `...` matches anything.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut pieces = pattern.split("...");
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    for (at, piece) in pieces.iter().enumerate() {
        let last = at + 1 == pieces.len();
        let found = if last {
            rest.len().checked_sub(piece.len())
        } else {
            rest.find(piece)
        };
        match found.filter(|&found| rest[found..].starts_with(piece)) {
            Some(found) => rest = &rest[found + piece.len()..],
            None => return false,
        }
    }
    rest.is_empty()
}

fn all_are_like(printed: &[&str], shown: &[String]) -> bool {
    match (printed, shown) {
        ([], []) => true,
        (_, [any, rest @ ..]) if any == "..." => {
            (0..=printed.len()).any(|skipped| all_are_like(&printed[skipped..], rest))
        }
        ([line, printed @ ..], [pattern, shown @ ..]) => {
            is_like(line, pattern) && all_are_like(printed, shown)
        }
        _ => false,
    }
}

/// Runs the examples of a page in an empty folder.
pub(crate) fn run(examples: Vec<Example>) {
    let place = TempDir::new().unwrap();
    for Example { command, shown } in examples {
        let output = shell(place.path(), &command.replace(BY_CARGO, "enum48 "));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {said}");
        let printed = String::from_utf8(output.stdout).unwrap();
        let printed: Vec<&str> = printed.lines().collect();
        assert!(
            shown.is_none_or(|shown| all_are_like(&printed, &shown)),
            "{command}\nprinted {printed:#?}"
        );
    }
}

#[test]
fn every_example_runs_in_order_in_an_empty_folder() {
    let mut examples = examples(README);
    assert!(examples.len() >= 20, "only {} found", examples.len());
    for done in DONE {
        let stands = |example: &Example| example.command.starts_with(done);
        assert!(examples.iter().any(stands), "no example is {done}");
    }
    examples.retain(|Example { command, .. }| {
        let done = DONE.iter().any(|done| command.starts_with(done));
        !done && !TOOLS.iter().any(|tool| command.contains(tool))
    });
    run(examples);
}

#[test]
fn patterns_match_only_equal_text() {
    assert!(is_like("time   0.01 s", "time ..."));
    assert!(is_like("a b c", "a...c"));
    assert!(!is_like("a b d", "a...c"));
    assert!(!is_like("59", "5"));
    let shown = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| (*line).to_owned())
            .collect::<Vec<_>>()
    };
    assert!(all_are_like(&["a", "b", "c"], &shown(&["a", "..."])));
    assert!(!all_are_like(&["a", "b"], &shown(&["a"])));
}

#[test]
fn the_readme_has_under_1600_words() {
    let words = README.split_whitespace().count();
    assert!(words < 1600, "{words} words");
}

#[test]
fn the_first_commands_clone_count_and_test() {
    let commands: Vec<String> = examples(README)
        .into_iter()
        .map(|one| one.command)
        .collect();
    let first: Vec<&str> = commands.iter().take(3).map(String::as_str).collect();
    assert_eq!(
        first,
        [
            DONE[0],
            "cargo run --release --locked -- --size 3 --max 1024",
            "cargo test --locked",
        ]
    );
}

#[test]
fn the_library_example_is_part_of_the_tested_example() {
    let source = include_str!("../../src/lib.rs");
    let (_, code) = README.split_once("```rust\n").unwrap();
    let (code, _) = code.split_once("```").unwrap();
    for line in code.lines() {
        let documented = format!("//! {line}");
        assert!(source.lines().any(|line| line == documented), "{line}");
    }
}

/// The anchor of a heading in links.
fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The links of a page that lead to no file in `files`, or to no heading of their file.
fn broken_links(root: &Path, page: &str, files: &HashSet<String>) -> Vec<String> {
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let text = read(page);
    let links = text.split("](").skip(1);
    let links = links.filter_map(|rest| rest.split_once(')').map(|(link, _)| link));
    links
        .filter(|link| !link.contains("://"))
        .filter(|link| {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.to_owned(),
                _ => resolve(page, file),
            };
            let has = |target: &str| {
                let text = read(target);
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let mut headings = headings.map(|line| line.trim_start_matches(['#', ' ']));
                headings.any(|line| anchor(line) == heading)
            };
            let inside = format!("{target}/");
            let exists = files.contains(&target) || files.iter().any(|f| f.starts_with(&inside));
            !exists || (!heading.is_empty() && !has(&target))
        })
        .map(|link| format!("{page}: {link}"))
        .collect()
}

/// The path of a link's target, relative to the root.
fn resolve(page: &str, link: &str) -> String {
    let mut path: Vec<&str> = page.split('/').collect();
    path.pop();
    for part in link.split('/') {
        if part == ".." {
            path.pop().expect("a link out of the repository");
        } else {
            path.push(part);
        }
    }
    path.join("/")
}

/// The files of the crate's package. Its readers have no other files.
fn packaged(root: &Path) -> HashSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let list = String::from_utf8(output.stdout).unwrap();
    list.lines().map(|line| line.replace('\\', "/")).collect()
}

/// The files of `results/`. The package leaves out logs and most pictures.
fn results(root: &Path) -> HashSet<String> {
    ["", "/logs", "/pictures", "/tables", "/values"]
        .into_iter()
        .map(|folder| format!("results{folder}"))
        .flat_map(|folder| {
            let entries = fs::read_dir(root.join(&folder)).unwrap();
            entries.map(move |entry| {
                let name = entry.unwrap().file_name();
                format!("{folder}/{}", name.to_str().unwrap())
            })
        })
        .collect()
}

#[test]
fn links_lead_to_existing_files_and_headings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packaged = packaged(root);
    let mut broken = broken_links(root, "README.md", &packaged);
    let mut pages = vec![".github/CONTRIBUTING.md".to_owned()];
    for page in [
        "README",
        "cluster",
        "performance",
        "reading",
        "scaling",
        "solved",
        "trust",
    ] {
        pages.push(format!("results/{page}.md"));
    }
    let files = packaged.union(&results(root)).cloned().collect();
    for page in pages {
        assert!(packaged.contains(&page), "{page}");
        // These pages link to files that an unpacked package lacks.
        if root.join(".ci").exists() {
            broken.extend(broken_links(root, &page, &files));
        }
    }
    assert_eq!(broken, [""; 0]);
}

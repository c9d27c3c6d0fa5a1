//! The examples of the README, and of other pages.

use std::env;
use std::path::Path;
use std::process::{Command, Output};

pub(crate) const README: &str = include_str!("../../README.md");

/// Parts of the examples that need another program. They are tests of `tests/outside`.
pub(crate) const TOOLS: [&str; 3] = ["| dot ", "/plot.py ", "/enum48_ray.py "];

pub(crate) struct Example {
    pub(crate) command: String,
    /// The output, if the README shows it.
    pub(crate) shown: Option<Vec<String>>,
}

/// The commands of a page, in order.
pub(crate) fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut block = None;
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            block = block.is_none().then_some(language);
            continue;
        }
        match block {
            Some("sh") => examples.push(Example {
                command: line.to_owned(),
                shown: None,
            }),
            Some("console") => match line.strip_prefix("$ ") {
                Some(command) => examples.push(Example {
                    command: command.to_owned(),
                    shown: Some(Vec::new()),
                }),
                None => {
                    let shown = examples.last_mut().and_then(|last| last.shown.as_mut());
                    shown.expect("output of no command").push(line.to_owned());
                }
            },
            _ => {}
        }
    }
    examples
}

/// Runs a line of bash in `place`, with `enum48` on the path. A pipe fails if any command fails.
pub(crate) fn shell(place: &Path, line: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_enum48"));
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = [program.parent().unwrap().to_owned()];
    let path = env::join_paths(directories.into_iter().chain(env::split_paths(&path))).unwrap();
    Command::new("bash")
        .args(["-o", "pipefail", "-c", line])
        .current_dir(place)
        .env("PATH", path)
        .env("ENUM48_SRC", env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

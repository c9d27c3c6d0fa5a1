//! A place for a run, in which the program runs with or without the shim.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Output, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::command::PROGRAM;
use crate::files::{files, in_memory};

/// A game with so few operations that each can fail in turn.
pub(crate) const SMALL: &str = "--size 2 --max 32 --threads 1 --memory 32M";
pub(crate) const SIGKILL: i32 = 9;
/// The store commits by the clock. This setting of the shim's clock commits after every layer, so
/// each run does the same operations.
pub(crate) const EACH_LAYER: &[(&str, &str)] = &[("FAULT_CLOCK", "2")];
/// A small game to solve.
pub(crate) const COUNTED: &str = "--size 2 --max 16 --keep afterstates --threads 1 --memory 32M";
pub(crate) const SOLVE: &str = "solve --for score,16 --threads 1 --memory 32M";
pub(crate) const VERIFY: &str = "verify --threads 1 --memory 32M";
/// Clock steps long enough that the engine of bits writes each frontier, and so seals each layer.
pub(crate) const EACH_FRONTIER: &[(&str, &str)] = &[("FAULT_CLOCK", "50")];
/// A clock that stands still: the store commits only at the end.
pub(crate) const AT_THE_END: &[(&str, &str)] = &[("FAULT_CLOCK", "0")];
/// The shim, compiled once.
pub(crate) static SHIM: LazyLock<PathBuf> = LazyLock::new(|| {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/crash/shim.c");
    // Other test processes may compile in the same directory, so the final name comes by a rename.
    let made = place.join(format!("shim-{}.so", process::id()));
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([made.as_os_str(), source.as_ref()])
        .output()
        .expect("these tests need a C compiler, called cc");
    assert!(
        compiled.status.success(),
        "cc: {}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let shim = place.join("shim.so");
    fs::rename(made, &shim).unwrap();
    shim
});

/// A place for one run and the log of its operations.
pub(crate) struct Place {
    dir: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// In memory, because the tests make thousands of small runs and the shim needs no disk.
    pub(crate) fn small() -> Self {
        Self { dir: in_memory() }
    }

    /// The run's directory. The shim needs a path without links.
    pub(crate) fn run(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("run")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    /// Copies the run to a place that has no run yet.
    pub(crate) fn copy_to(&self, place: &Self) {
        fs::create_dir(place.run()).unwrap();
        for (name, bytes) in self.files() {
            fs::write(place.run().join(name), bytes).unwrap();
        }
    }

    /// The program without the shim. `args` are the options of a count, or of `solve` or `verify`.
    pub(crate) fn command(&self, args: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args.split_whitespace()).arg("--quiet");
        if args.starts_with("--") {
            command.arg("--dir");
        }
        command.arg(self.run()).stdin(Stdio::null());
        command
    }

    /// The program with the shim.
    pub(crate) fn shimmed(&self, args: &str, settings: &[(&str, &str)]) -> Command {
        let mut command = self.command(args);
        command
            .env("LD_PRELOAD", &*SHIM)
            .env("FAULT_DIR", self.run())
            .envs(settings.iter().copied());
        command
    }

    /// Runs the program with a fault at an operation: its text, and its number among the operations
    /// with that text.
    pub(crate) fn faulty(
        &self,
        args: &str,
        settings: &[(&str, &str)],
        mode: &str,
        (operation, at): (&str, usize),
    ) -> Output {
        let mut command = self.faulty_command(args, settings, mode, (operation, at));
        command.output().unwrap()
    }

    pub(crate) fn faulty_command(
        &self,
        args: &str,
        settings: &[(&str, &str)],
        mode: &str,
        (operation, at): (&str, usize),
    ) -> Command {
        let mut command = self.shimmed(args, settings);
        command
            .env("FAULT_MODE", mode)
            .env("FAULT_OF", operation)
            .env("FAULT_AT", at.to_string());
        command
    }

    pub(crate) fn verify(&self) -> Command {
        self.command(VERIFY)
    }

    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files(&self.run())
    }

    /// The logged operations, as `name path`; for a rename, `rename path new-path`.
    pub(crate) fn operations(&self) -> Vec<String> {
        let log = fs::read_to_string(self.log()).unwrap();
        log.lines().map(str::to_owned).collect()
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Well,
    Refused,
    Killed,
}

/// How a process ended. Its stderr must be empty, or have one line for a refusal.
pub(crate) fn end(output: &Output, what: &str) -> End {
    let said = String::from_utf8_lossy(&output.stderr);
    let status = output.status;
    match (status.code(), status.signal()) {
        (Some(0), _) => {
            assert_eq!(said, "", "{what}");
            End::Well
        }
        (Some(2), _) => {
            assert!(
                said.starts_with("enum48: ") && said.ends_with('\n') && said.lines().count() == 1,
                "{what}: {said:?}"
            );
            assert!(output.stdout.is_empty(), "{what}: a result and a refusal");
            End::Refused
        }
        (None, Some(SIGKILL)) => End::Killed,
        _ => panic!("{what}: {status}: {said}"),
    }
}
pub(crate) fn good(mut command: Command, what: &str) {
    assert_eq!(end(&command.output().unwrap(), what), End::Well, "{what}");
}

/// The files of a count without faults.
pub(crate) fn undisturbed(args: &str) -> BTreeMap<String, Vec<u8>> {
    undisturbed_after(None, args)
}

/// The files of a command without faults that starts from the files in `begun`.
pub(crate) fn undisturbed_after(begun: Option<&Place>, args: &str) -> BTreeMap<String, Vec<u8>> {
    let place = Place::new();
    if let Some(begun) = begun {
        begun.copy_to(&place);
    }
    good(place.command(args), args);
    place.files()
}

/// A place in which the command `args` ran without faults.
pub(crate) fn begun(args: &str) -> Place {
    let place = Place::small();
    good(place.command(args), args);
    place
}

//! Tests that need a program, a package or a right which a system may lack. They are skipped there,
//! and count as ignored.

use std::collections::BTreeMap;
use std::env;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};

/// What a test needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    Program(&'static str),
    /// A package of Python.
    Package(&'static str),
    /// A command of the shell succeeds. Not every system on which `.ci/run` runs can have this.
    Right(&'static str),
}

pub(crate) const PYTHON: &[Need] = &[Need::Program("python3")];
pub(crate) const BROWSER: &[Need] = &[
    Need::Program("chromium"),
    Need::Program("chromedriver"),
    Need::Package("selenium"),
];

impl Need {
    /// The lack, in words, if the system does not have this.
    fn lack(self) -> Option<String> {
        let has = |command: &mut Command| {
            let output = command.output();
            output.is_ok_and(|output| output.status.success())
        };
        // The package is not imported, because some imports take a second.
        const FIND: &str = "import sys; from importlib.util import find_spec; \
                            sys.exit(not find_spec(sys.argv[1]))";
        let (found, lack) = match self {
            Self::Program("dot") => (has(Command::new("dot").arg("-V")), "dot".to_owned()),
            Self::Program(name) => (has(Command::new(name).arg("--version")), name.to_owned()),
            Self::Package(name) => (
                has(Command::new("python3").args(["-c", FIND, name])),
                format!("{name} for python3"),
            ),
            Self::Right(command) => (
                has(Command::new("sh").args(["-c", command])),
                format!("a system on which this succeeds: {command}"),
            ),
        };
        (!found).then_some(lack)
    }
}

/// A test with what it needs.
pub(crate) struct Test {
    pub(crate) name: &'static str,
    pub(crate) needs: &'static [Need],
    pub(crate) run: fn(),
}

/// `tests! { NEEDS => [TEST, ...], ... }` makes the function `tests` of a module.
macro_rules! tests {
    ($($needs:expr => [$($test:ident),* $(,)?],)*) => {
        pub(crate) fn tests() -> Vec<crate::needs::Test> {
            #[allow(unused_imports, reason = "a module has few of the needs")]
            use crate::needs::{BROWSER, Need::*, PYTHON};
            vec![$($(crate::needs::Test {
                name: concat!(module_path!(), "::", stringify!($test)),
                needs: $needs,
                run: $test,
            }),*),*]
        }
    };
}

/// Runs the tests of a binary, and names the skipped ones in the last lines. `elsewhere` has tests
/// of other binaries that count as skipped, each with the command that runs it.
pub(crate) fn run(
    args: &Arguments,
    tests: Vec<Test>,
    elsewhere: &[(&'static str, &'static str)],
) -> ExitCode {
    let (mut trials, mut skipped) = trials(tests);
    for &(test, command) in elsewhere {
        let trial = Trial::test(test, move || Err(command.into()));
        trials.push(trial.with_ignored_flag(true));
        skipped.push((test.to_owned(), command.to_owned()));
    }
    let conclusion = libtest_mimic::run(args, trials);
    let asked = |test: &str| {
        args.filter
            .as_ref()
            .is_none_or(|filter| test.contains(filter))
    };
    for (test, why) in skipped.iter().filter(|(test, _)| !args.list && asked(test)) {
        println!("skipped: {test}: {why}");
    }
    conclusion.exit_code()
}

/// Returns the trials for the harness, and the skipped tests with what each of them lacks.
///
/// Where the environment variable `CI` is set, a test fails for want of a program or a package,
/// because `.ci/run` installs them all.
fn trials(tests: Vec<Test>) -> (Vec<Trial>, Vec<(String, String)>) {
    let mut lacks: BTreeMap<Need, Option<String>> = BTreeMap::new();
    let mut skipped = Vec::new();
    let in_ci = env::var_os("CI").is_some();
    let mut trial = |Test { name, needs, run }| {
        let (_, name) = name.split_once("::").unwrap();
        let missing = needs.iter().find_map(|&need| {
            let lack = lacks.entry(need).or_insert_with(|| need.lack());
            lack.clone().map(|lack| (need, lack))
        });
        match missing {
            Some((Need::Program(_) | Need::Package(_), lack)) if in_ci => {
                Trial::test(name, move || Err(format!("{lack} is missing").into()))
            }
            Some((_, lack)) => {
                skipped.push((name.to_owned(), format!("needs {lack}")));
                Trial::test(name, || Ok(())).with_ignored_flag(true)
            }
            None => Trial::test(name, move || {
                run();
                Ok(())
            }),
        }
    };
    let trials = tests.into_iter().map(&mut trial).collect();
    (trials, skipped)
}

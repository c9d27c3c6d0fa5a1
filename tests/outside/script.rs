//! Scripts of Python and of the shell.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::Mutex;

use serde_json::Value;

/// Runs Python with `args`.
pub(crate) fn python(args: &[&str]) -> Output {
    Command::new("python3").args(args).output().unwrap()
}

/// Writes a script of the shell, to be started in place of a program. Another process writes it: a
/// child of a parallel test could hold a file of this process open, and then nobody can start it.
pub(crate) fn write_program(path: &Path, text: &str) {
    let mut writing = Command::new("sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = writing.stdin.take().unwrap();
    write!(stdin, "#!/bin/sh\n{text}").unwrap();
    drop(stdin);
    assert!(writing.wait().unwrap().success());
}

/// Processes of one script that starts slowly. The script answers each line of JSON with one.
pub(crate) struct Servers {
    script: &'static str,
    idle: Mutex<Vec<Server>>,
}

/// The process ends when this process closes its input.
struct Server {
    _process: Child,
    jobs: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Servers {
    pub(crate) const fn of(script: &'static str) -> Self {
        let idle = Mutex::new(Vec::new());
        Self { script, idle }
    }

    pub(crate) fn ask(&self, job: &Value) -> Value {
        let idle = self.idle.lock().unwrap().pop();
        let mut server = idle.unwrap_or_else(|| Server::start(self.script));
        writeln!(server.jobs, "{job}").unwrap();
        let mut answer = String::new();
        server.answers.read_line(&mut answer).unwrap();
        self.idle.lock().unwrap().push(server);
        serde_json::from_str(&answer).unwrap()
    }
}

impl Server {
    fn start(script: &str) -> Self {
        let mut process = Command::new("python3")
            .args(["-B", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            jobs: process.stdin.take().unwrap(),
            answers: BufReader::new(process.stdout.take().unwrap()),
            _process: process,
        }
    }
}

//! Standard output of a command whose exit code is part of its answer.
//!
//! When the reader has gone, the command goes on without printing, and ends with the same code. Data
//! without an end, such as states, ends there instead; see [`Output::write`](super::output::Output).

use std::io::{self, ErrorKind, Write};

/// Standard output. A closed pipe takes everything; any other failure is an error that names stdout.
pub(super) struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        taken(io::stdout().write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        taken(io::stdout().flush(), ())
    }
}

fn taken<T>(written: io::Result<T>, all: T) -> io::Result<T> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(all),
        Err(error) if error.kind() != ErrorKind::Interrupted => {
            let kind = error.kind();
            Err(io::Error::new(
                kind,
                format!("stdout: cannot write: {error}"),
            ))
        }
        written => written,
    }
}

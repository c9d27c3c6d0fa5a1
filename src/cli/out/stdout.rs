//! Standard output of a command whose exit code is part of its answer.
//!
//! When the reader has gone, the command goes on without printing, and its exit code stays. The command
//! ends at once if no input can change its code. A stream of data, such as states, ends with its
//! reader; see [`Output::write`](super::output::Output).

use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether the reader has gone, as far as the last write could tell.
pub(in crate::cli) fn is_closed() -> bool {
    CLOSED.load(Relaxed)
}

/// Standard output. A closed pipe takes everything; any other failure is an error that names stdout.
pub(in crate::cli) struct Stdout;

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
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            CLOSED.store(true, Relaxed);
            Ok(all)
        }
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

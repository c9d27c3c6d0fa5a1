//! Where data goes: to stdout, or to a file, which is written completely or not touched at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::error::Error;
use crate::store::{self, Sink};

/// A destination for data.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Standard output, `-` on the command line.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Output {
    /// The destination that `path` names. Checks that it can be written now, not after hours of
    /// work.
    pub(super) fn new(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        store::probe(path)?;
        Ok(Self::File(path.to_owned()))
    }

    /// Write with `act`. A file appears, or is replaced, only when all of it is written.
    pub(super) fn write(&self, act: impl FnOnce(&mut Sink) -> Result<()>) -> Result<()> {
        match self {
            Self::Stdout => {
                let pipe = Pipe {
                    to: io::stdout(),
                    closed: false,
                };
                let mut stdout = BufWriter::with_capacity(1 << 16, pipe);
                let written = act(&mut stdout).and_then(|()| Ok(stdout.flush()?));
                let (pipe, _) = stdout.into_parts();
                if pipe.closed {
                    // The writer of a format may have turned it into an error of its own.
                    return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
                }
                match written {
                    Err(error) if !error.is::<Error>() => {
                        Err(error.context("stdout: cannot write"))
                    }
                    written => written,
                }
            }
            Self::File(path) => {
                // `write_atomic` takes the library's errors only; any other is kept aside
                // meanwhile.
                let mut other = None;
                let written = store::write_atomic(path, |file| {
                    act(file).map_err(|error| match error.downcast() {
                        Ok(own) => own,
                        Err(foreign) => {
                            let cause = io::Error::other(foreign.to_string());
                            other = Some(foreign);
                            Error::io(path, "write")(cause)
                        }
                    })
                });
                match other {
                    Some(error) => Err(error.context(format!("{}: cannot write", path.display()))),
                    None => Ok(written?),
                }
            }
        }
    }
}

/// A writer that remembers whether its reader has closed the pipe.
struct Pipe<W> {
    to: W,
    closed: bool,
}

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes);
        self.closed |= matches!(&written, Err(error) if error.kind() == io::ErrorKind::BrokenPipe);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_complete_or_not_at_all() {
        assert_eq!(Output::new(Path::new("-")).unwrap(), Output::Stdout);
        let error = Output::new(Path::new("/nowhere/at/all.csv")).unwrap_err();
        assert!(
            matches!(error.downcast_ref(), Some(Error::Io { .. })),
            "{error}"
        );

        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("data");
        let output = Output::new(&path).unwrap();
        let failed = output.write(|to| {
            to.write_all(b"half")?;
            anyhow::bail!("no more")
        });
        assert!(format!("{:#}", failed.unwrap_err()).ends_with("data: cannot write: no more"));
        assert!(!path.exists());
        output.write(|to| Ok(to.write_all(b"whole")?)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
    }

    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let place = tempfile::tempdir().unwrap();
        let (path, link) = (place.path().join("data"), place.path().join("link"));
        let write = |path: &Path, bytes: &'static [u8]| {
            let output = Output::new(path).unwrap();
            output.write(|to| Ok(to.write_all(bytes)?)).unwrap();
        };
        write(&path, b"old");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        symlink("data", &link).unwrap();
        write(&link, b"new");
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert!(link.is_symlink());
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

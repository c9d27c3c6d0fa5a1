//! Where data goes: to an open descriptor such as stdout, or to a file, which is written completely
//! or not touched at all.

mod destination;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;

use self::destination::Destination;
use super::signals::DeletedOnSignal;
use crate::error::Error;
use crate::store::{self, Replacement, Sink};

/// Refuse a directory that JSON could not name.
pub(super) fn json_names(dir: &Path) -> Result<()> {
    if dir.to_str().is_none() {
        let dir = dir.display();
        bail!("--json: {dir}: not UTF-8, which JSON cannot name: give another name, or no --json");
    }
    Ok(())
}

/// Print a line of JSON.
pub(super) fn print_json(to: &mut dyn Write, answer: &impl Serialize) -> Result<()> {
    Ok(writeln!(to, "{}", serde_json::to_string(answer)?)?)
}

/// A destination for data.
#[derive(Debug)]
pub(super) enum Output {
    /// Standard output: `-` on the command line, or a path such as `/dev/stdout`.
    Stdout,
    /// Another open descriptor, named by a path such as `/dev/fd/3`.
    Descriptor { name: PathBuf, to: File },
    /// A file, by a path without links.
    File(PathBuf),
}

impl Output {
    /// The destination that `path` names. Checks that it can be written now, not after hours of
    /// work, and that it is in no run's directory.
    pub(super) fn new(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        let cannot = || format!("{}: cannot write", path.display());
        match destination::follow(path).with_context(cannot)? {
            Destination::Descriptor(1) => Ok(Self::Stdout),
            Destination::Descriptor(number) => {
                let mut to = destination::duplicate(number).with_context(cannot)?;
                // Writes nothing, but fails if the descriptor is open for reading only.
                to.write(&[]).with_context(cannot)?;
                let name = path.to_owned();
                Ok(Self::Descriptor { name, to })
            }
            Destination::File(file) => {
                if store::is_run(store::parent(&file)) {
                    bail!(in_a_run(path));
                }
                begin(&file)?;
                Ok(Self::File(file))
            }
        }
    }

    /// Refuse a file in a directory that is about to become a run's.
    pub(super) fn refuse_in(&self, dir: &Path) -> Result<()> {
        if let Self::File(file) = self
            && dir
                .canonicalize()
                .is_ok_and(|dir| dir == store::parent(file))
        {
            bail!(in_a_run(file));
        }
        Ok(())
    }

    /// Whether data goes to a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        match self {
            Self::Stdout => io::stdout().is_terminal(),
            Self::Descriptor { to, .. } => to.is_terminal(),
            Self::File(_) => false,
        }
    }

    /// Write with `act`. A file appears, or is replaced, only when all of it is written.
    pub(super) fn write(&self, act: impl FnOnce(&mut Sink) -> Result<()>) -> Result<()> {
        match self {
            Self::Stdout => stream(io::stdout(), "stdout", act),
            Self::Descriptor { name, to } => stream(to, name.display(), act),
            Self::File(path) => replace(path, act),
        }
    }
}

fn in_a_run(path: &Path) -> String {
    format!(
        "{}: in a run's own directory, where only counts write: give a file elsewhere",
        path.display()
    )
}

/// Write to what is open already.
fn stream(
    to: impl Write + Send,
    name: impl Display,
    act: impl FnOnce(&mut Sink) -> Result<()>,
) -> Result<()> {
    let pipe = Pipe { to, closed: false };
    let mut buffer = BufWriter::with_capacity(1 << 16, pipe);
    let written = act(&mut buffer).and_then(|()| Ok(buffer.flush()?));
    let (pipe, _) = buffer.into_parts();
    if pipe.closed {
        // The writer of a format may have turned it into an error of its own.
        return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
    }
    match written {
        Err(error) if !error.is::<Error>() => Err(error.context(format!("{name}: cannot write"))),
        written => written,
    }
}

/// Begin to replace a file.
fn begin(path: &Path) -> Result<(Replacement, Option<DeletedOnSignal>)> {
    let made = DeletedOnSignal::make(|| Replacement::new(path), Replacement::unfinished);
    Ok(made?)
}

/// Replace a file.
fn replace(path: &Path, act: impl FnOnce(&mut Sink) -> Result<()>) -> Result<()> {
    let (replacement, _deleted) = begin(path)?;
    // The store takes the library's errors only; any other is kept aside meanwhile.
    let mut other = None;
    let written = replacement.write(|file| {
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
        let stdout = Output::new(Path::new("-")).unwrap();
        assert!(matches!(stdout, Output::Stdout));
        let error = Output::new(Path::new("/nowhere/at/all.csv")).unwrap_err();
        assert!(error.to_string().contains("all.csv: cannot write"));

        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("data");
        let output = Output::new(&path).unwrap();
        let failed = output.write(|to| {
            to.write_all(b"half")?;
            anyhow::bail!("no more")
        });
        assert!(format!("{:#}", failed.unwrap_err()).ends_with("data: cannot write: no more"));
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0);
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
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        // A link to nothing makes what it points to, with the permissions of any new file.
        let (made, dangling) = (place.path().join("made"), place.path().join("dangling"));
        symlink("made", &dangling).unwrap();
        write(&dangling, b"made");
        assert_eq!(std::fs::read(&made).unwrap(), b"made");
        assert!(dangling.is_symlink() && !made.is_symlink());
        let plain = place.path().join("plain");
        std::fs::File::create_new(&plain).unwrap();
        assert_eq!(mode(&made), mode(&plain));
    }
}

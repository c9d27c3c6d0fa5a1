//! Where data goes: to an open descriptor such as stdout, or to a file, which is written completely
//! or not touched at all.
//!
//! A reader may go before it has read everything, which is no error. The writing goes on without effect,
//! because the exit code may be part of the answer. Writers of much ask [`is_closed`], and stop.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;

use crate::cli::out::talk;
use crate::error::Error;
use crate::store::{self, Replacement, Sink};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether a reader has gone, as far as the last write could tell.
pub(in crate::cli) fn is_closed() -> bool {
    CLOSED.load(Relaxed)
}

/// A descriptor that takes everything once its reader has gone.
struct Descriptor<W>(W);

impl<W: Write> Write for Descriptor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        taken(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        taken(self.0.flush(), ())
    }
}

fn taken<T>(written: io::Result<T>, all: T) -> io::Result<T> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            CLOSED.store(true, Relaxed);
            Ok(all)
        }
        written => written,
    }
}

/// Print a line of JSON.
pub(in crate::cli) fn print_json(to: &mut dyn Write, answer: &impl Serialize) -> Result<()> {
    Ok(writeln!(to, "{}", serde_json::to_string(answer)?)?)
}

/// The name of a format on the command line.
pub(in crate::cli) fn name<F: ValueEnum>(format: &F) -> String {
    let name = format.to_possible_value();
    name.map_or(String::new(), |name| name.get_name().to_owned())
}

/// The format that `--format` or the ending of a file names, if any. They must not name two formats.
pub(in crate::cli) fn format<F: ValueEnum + PartialEq>(
    given: Option<F>,
    file: &Path,
) -> Result<Option<F>> {
    let ending = file.extension().and_then(OsStr::to_str);
    let ending = ending.and_then(|ending| F::from_str(ending, true).ok());
    match (given, ending) {
        (Some(given), Some(ending)) if given != ending => bail!(
            "--format {}: {} ends like a file of {}: give another name or no --format",
            name(&given),
            file.display(),
            name(&ending)
        ),
        (given, ending) => Ok(given.or(ending)),
    }
}

/// A destination for data.
#[derive(Debug)]
pub(in crate::cli) enum Output {
    /// Standard output: `-` on the command line, or a path such as `/dev/stdout`.
    Stdout,
    /// A pipe, a terminal, or an open descriptor, named by a path such as `/dev/fd/3`.
    Stream { name: PathBuf, to: File },
    /// A file, by a path without links.
    File(PathBuf),
}

impl Output {
    /// The destination that `path` names. Checks now, not after hours of work, that it can be written
    /// and that it is in no run's directory.
    pub(in crate::cli) fn new(path: &Path) -> Result<Self> {
        let cannot = || format!("{}: cannot write", path.display());
        let target = follow(path).map_err(Error::io(path, "write"))?;
        let opened = match descriptor(&target) {
            Some(1) => return Ok(Self::Stdout),
            Some(number) => Some(duplicate(number).with_context(cannot)?),
            None => store::open_device(&target)?,
        };
        if let Some(mut to) = opened {
            // Writes nothing, but fails if the descriptor is open for reading only.
            to.write(&[]).with_context(cannot)?;
            let name = path.to_owned();
            return Ok(Self::Stream { name, to });
        }
        if store::is_run(store::parent(&target)) {
            bail!(in_a_run(path));
        }
        Replacement::new(&target)?;
        Ok(Self::File(target))
    }

    /// Refuse a file in a directory that is about to become a run's, and a file in the place of the
    /// directory or of one above it.
    pub(in crate::cli) fn refuse_in(&self, dir: &Path) -> Result<()> {
        let Self::File(file) = self else {
            return Ok(());
        };
        // The part of the directory that exists may have links.
        let absolute = std::path::absolute(dir).with_context(|| dir.display().to_string())?;
        let resolved = absolute.ancestors().find_map(|there| {
            let missing = absolute.strip_prefix(there).ok()?;
            Some(there.canonicalize().ok()?.join(missing))
        });
        if resolved.as_deref() == Some(store::parent(file)) {
            bail!(in_a_run(file));
        }
        if resolved.is_some_and(|dir| dir.starts_with(file)) {
            let (file, dir) = (file.display(), dir.display());
            bail!("{file}: in the place of the run's directory {dir}: give another file");
        }
        Ok(())
    }

    /// Whether data goes to a terminal.
    pub(in crate::cli) fn is_terminal(&self) -> bool {
        match self {
            Self::Stdout => io::stdout().is_terminal(),
            Self::Stream { to, .. } => to.is_terminal(),
            Self::File(_) => false,
        }
    }

    /// Write with `act`. A file appears, or is replaced, only when all of it is written.
    pub(in crate::cli) fn write(&self, act: impl FnOnce(&mut Sink) -> Result<()>) -> Result<()> {
        let (name, written) = match self {
            Self::Stdout => (Path::new("stdout"), buffered(io::stdout(), act)),
            Self::Stream { name, to } => (&**name, buffered(to, act)),
            Self::File(path) => (&**path, Replacement::new(path)?.write(act)),
        };
        match written {
            // An error of the library names its file.
            Err(error) if !error.is::<Error>() => {
                Err(error.context(format!("{}: cannot write", name.display())))
            }
            written => written,
        }
    }
}

/// The only answer of a command, in both of its forms.
pub(in crate::cli) struct Reply {
    pub(in crate::cli) text: String,
    pub(in crate::cli) json: Value,
}

impl Reply {
    /// Print it on stdout.
    pub(in crate::cli) fn print(&self, json: bool) -> Result<()> {
        print(|out| match json {
            true => print_json(out, &self.json),
            false => Ok(write!(out, "{}", self.text)?),
        })
    }
}

/// Print on stdout with `act`.
pub(in crate::cli) fn print(act: impl FnOnce(&mut Sink) -> Result<()>) -> Result<()> {
    Output::Stdout.write(act)
}

fn in_a_run(path: &Path) -> String {
    format!(
        "{}: in a run's own directory, where only counts write: give a file elsewhere",
        path.display()
    )
}

/// Write to an open descriptor.
fn buffered(to: impl Write + Send, act: impl FnOnce(&mut Sink) -> Result<()>) -> Result<()> {
    let mut buffer = BufWriter::with_capacity(1 << 16, Descriptor(to));
    let written = act(&mut buffer).and_then(|()| Ok(buffer.flush()?));
    // Dropping the buffer would try once more to write what could not be written.
    let _ = buffer.into_parts();
    written
}

/// The open descriptor that a path names, such as 1 for `/dev/stdout`.
fn descriptor(path: &Path) -> Option<i32> {
    match path.to_str()? {
        "-" | "/dev/stdout" => Some(1),
        "/dev/stderr" => Some(2),
        path => {
            let dirs = ["/dev/fd/", "/proc/self/fd/"];
            let number = dirs.iter().find_map(|dir| path.strip_prefix(dir));
            number?.parse().ok()
        }
    }
}

/// Follow the links of a path to a descriptor, or to a file, which need not exist.
fn follow(path: &Path) -> io::Result<PathBuf> {
    if descriptor(path).is_some() {
        return Ok(path.to_owned());
    }
    match fs::metadata(path) {
        // Such as a circle of links.
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let dir = store::parent(path);
    if let Ok(target) = fs::read_link(path) {
        return follow(&dir.join(target));
    }
    let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    match path.file_name().filter(|_| !is_folder) {
        Some(name) => Ok(dir.canonicalize()?.join(name)),
        None => path.canonicalize(),
    }
}

/// Another handle to an open descriptor, with the same position in the file.
fn duplicate(number: i32) -> io::Result<File> {
    if number < 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    #[cfg(unix)]
    {
        use std::os::fd::BorrowedFd;
        // SAFETY: the descriptor is only duplicated, which fails if it is not open.
        #[expect(unsafe_code, reason = "a number is a descriptor only by convention")]
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        Ok(descriptor.try_clone_to_owned()?.into())
    }
    #[cfg(not(unix))]
    Err(io::ErrorKind::Unsupported.into())
}

/// Where a long job writes its results: a table, if the user asked for it, and a summary or one JSON
/// object.
pub(in crate::cli) struct Results {
    csv: Option<Output>,
    json: bool,
}

impl Results {
    /// A table to `csv`, and one JSON object instead of the summary if `json`. Checks now, not after
    /// hours of work, that both can be written, that the table is not in `dir`, the run's directory.
    pub(in crate::cli) fn new(csv: Option<&Path>, json: bool, dir: &Path) -> Result<Self> {
        let csv = csv.map(Output::new).transpose()?;
        if let Some(csv) = &csv {
            csv.refuse_in(dir)?;
        }
        if json && matches!(csv, Some(Output::Stdout)) {
            bail!("--csv and --json: both go to stdout: give --csv a file");
        }
        Ok(Self { csv, json })
    }

    /// Write the table with `act`, if the user asked for one.
    pub(in crate::cli) fn write_csv(
        &self,
        act: impl FnOnce(&mut Sink) -> Result<()>,
    ) -> Result<()> {
        self.csv.as_ref().map_or(Ok(()), |csv| csv.write(act))
    }

    /// Print the summary, on stderr if the table is on stdout; or the JSON object.
    pub(in crate::cli) fn print(&self, summary: &Reply) -> Result<()> {
        if matches!(self.csv, Some(Output::Stdout)) {
            talk::write(&summary.text);
            return Ok(());
        }
        summary.print(self.json)
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
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
        output.write(|to| Ok(to.write_all(b"whole")?)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }

    #[cfg(unix)]
    #[test]
    fn a_write_follows_links_and_keeps_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let place = tempfile::tempdir().unwrap();
        let (path, link) = (place.path().join("data"), place.path().join("link"));
        let write = |path: &Path, bytes: &'static [u8]| {
            let output = Output::new(path).unwrap();
            output.write(|to| Ok(to.write_all(bytes)?)).unwrap();
        };
        write(&path, b"old");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("data", &link).unwrap();
        write(&link, b"new");
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        // A link to a missing file creates the file, with the permissions of any new file.
        let (made, dangling) = (place.path().join("made"), place.path().join("dangling"));
        symlink("made", &dangling).unwrap();
        write(&dangling, b"made");
        assert_eq!(fs::read(&made).unwrap(), b"made");
        assert!(dangling.is_symlink() && !made.is_symlink());
        let plain = place.path().join("plain");
        fs::File::create_new(&plain).unwrap();
        assert_eq!(mode(&made), mode(&plain));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_followed_to_a_descriptor_or_a_file() {
        use std::os::unix::fs::symlink;

        let place = tempfile::tempdir().unwrap();
        let dir = place.path().canonicalize().unwrap();
        let named = |path: &str| follow(&dir.join(path));
        let link = |target: &str, name: &str| symlink(target, dir.join(name)).unwrap();
        fs::create_dir(dir.join("sub")).unwrap();
        link("../new", "sub/dangling");
        link("sub/dangling", "twice");
        link("round", "round");
        link("/dev/stdout", "out");
        for (path, file) in [
            ("new", "new"),
            ("sub/../new", "new"),
            ("twice", "new"),
            ("sub/", "sub"),
        ] {
            assert_eq!(named(path).unwrap(), dir.join(file), "{path}");
        }
        assert_eq!(descriptor(&named("out").unwrap()), Some(1));
        for wrong in ["round", "nowhere/new", "new/"] {
            named(wrong).unwrap_err();
        }
        for (path, number) in [("/dev/fd/1", 1), ("/proc/self/fd/2", 2), ("/dev/stderr", 2)] {
            let found = follow(Path::new(path)).unwrap();
            assert_eq!(descriptor(&found), Some(number), "{path}");
        }
        for wrong in [-1, 1_000_000] {
            duplicate(wrong).unwrap_err();
        }
    }
}

//! The one place that creates, renames and deletes files.

#![expect(clippy::disallowed_methods, reason = "this is the one place")]

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
#[cfg(feature = "cli")]
use std::io::BufWriter;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

#[cfg(feature = "cli")]
use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use crate::part::read_exact_at;
#[cfg(feature = "cli")]
use crate::temporary::Noted;

/// Ending of the names of unfinished files.
pub(crate) const TEMPORARY: &str = ".tmp";

/// Name of the file that is locked while a process uses the directory.
pub(crate) const LOCK: &str = "lock";

/// The path of a file until it is published.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(TEMPORARY);
    name.into()
}

/// Whether something has this name, even a link that leads nowhere. `Path::exists` also denies a
/// name that the system fails to look up.
pub(crate) fn is_there(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        found => found.map(|_| true).map_err(Error::io(path, "look up")),
    }
}

/// The file that a path leads to; `None` if nothing has this name.
pub(crate) fn find(path: &Path) -> Result<Option<Metadata>> {
    match fs::metadata(path) {
        // Another process may publish the file between the two look-ups. Only a link leads nowhere.
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.is_symlink() {
            true => Err(Error::dangling(path)),
            false => Ok(None),
        },
        found => found.map(Some).map_err(Error::io(path, "look up")),
    }
}

/// Create a directory and its missing parents, durably.
pub(crate) fn create_dir(dir: &Path) -> Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let mut new = Vec::new();
    for dir in dir.ancestors().filter(|dir| !dir.as_os_str().is_empty()) {
        if is_there(dir)? {
            break;
        }
        new.push(dir);
    }
    fs::create_dir_all(dir).map_err(Error::io(dir, "create the directory"))?;
    new.into_iter().try_for_each(|dir| sync_dir(parent(dir)))
}

/// The directory that contains a path.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

/// Create a file, or truncate it.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    File::create(path)
}

/// Write a file, not durably.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = create(path).map_err(Error::io(path, "create"))?;
    file.write_all(bytes).map_err(Error::io(path, "write"))
}

/// Reserve `bytes` of disk space with a file of zeros; deleting the file frees them.
pub(crate) fn reserve(path: &Path, bytes: u64) -> Result<()> {
    let mut zeros = io::repeat(0).take(bytes);
    let mut file = create(path).map_err(Error::io(path, "create"))?;
    io::copy(&mut zeros, &mut file).map_err(Error::io(path, "write"))?;
    Ok(())
}

/// Bytes that can still be written to a directory; `None` if the system does not tell.
#[cfg(feature = "cli")]
pub(crate) fn free_space(dir: &Path) -> Option<u64> {
    fs4::available_space(dir).ok()
}

/// Create a file without a name in `dir`, for reading and writing. The system deletes it when it is
/// closed.
fn spill(dir: &Path) -> Result<File> {
    // Some file systems have no files without a name, and say so in several ways.
    let named = |_| tempfile::NamedTempFile::new_in(dir).map(tempfile::NamedTempFile::into_file);
    tempfile::tempfile_in(dir)
        .or_else(named)
        .map_err(Error::io(dir, "create a temporary file in"))
}

/// Make a written file durable and rename it to `path`. The new name is durable after [`sync_dir`].
pub(crate) fn publish(temporary: &Path, path: &Path) -> Result<()> {
    sync(temporary)?;
    rename(temporary, path)
}

/// Make the contents of a file durable. Windows syncs only files that are open for writing.
fn sync(path: &Path) -> Result<()> {
    let file = OpenOptions::new().write(true).open(path);
    file.map_err(Error::io(path, "open"))?
        .sync_all()
        .map_err(Error::io(path, "sync"))
}

/// Rename a file, not durably.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(Error::io(from, "rename"))
}

/// Make a written file durable and give it a second name, unless a file has this name already.
pub(crate) fn publish_once(written: &Path, path: &Path) -> Result<()> {
    sync(written)?;
    match fs::hard_link(written, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked.map_err(Error::io(path, "link")),
    }
}

/// Make the names in a directory durable. Windows cannot open a directory as a file, and journals
/// names itself.
pub(crate) fn sync_dir(dir: &Path) -> Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    File::open(dir)
        .map_err(Error::io(dir, "open"))?
        .sync_all()
        .map_err(Error::io(dir, "sync"))
}

/// Delete a file, if it exists.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io(path, "delete")(error))
        }
        _ => Ok(()),
    }
}

/// A destination for output.
#[cfg(feature = "cli")]
pub(crate) type Sink<'a> = dyn Write + Send + 'a;

/// Replace one of a run's own files atomically: a reader sees the old contents or the new contents.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let target = temporary(path);
    // A foreign link under this name would be followed, and a pipe would be waited for.
    remove(&target)?;
    if let Err(error) = write(&target, bytes) {
        // Report the error that ended the writing, not an error of the clean-up.
        let _ = remove(&target);
        return Err(error);
    }
    publish(&target, path)?;
    sync_dir(parent(path))
}

/// Open a pipe or a terminal for writing; `None` for a file, and for a name that is not taken.
#[cfg(feature = "cli")]
pub(crate) fn open_device(path: &Path) -> Result<Option<File>> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            writable(path).map(Some).map_err(Error::io(path, "open"))
        }
        _ => Ok(None),
    }
}

/// An atomic replacement of a file outside of runs, at a path without links.
#[cfg(feature = "cli")]
pub(crate) struct Replacement {
    path: PathBuf,
    /// A new file, deleted when dropped.
    new: NamedTempFile,
    _noted: Noted,
}

#[cfg(feature = "cli")]
impl Replacement {
    /// Begin a replacement; `path` is not touched.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        let new = || match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => writable(path).and_then(|_| fresh(parent(path))),
            Err(_) => fresh(parent(path)),
        };
        let made = Noted::make(new, NamedTempFile::path);
        let (new, _noted) = made.map_err(Error::io(path, "write"))?;
        Ok(Self {
            path: path.to_owned(),
            new,
            _noted,
        })
    }

    /// Write the new contents, and replace the file. The permissions stay.
    pub(crate) fn write<E: From<Error>>(
        self,
        write: impl FnOnce(&mut Sink) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { path, new, _noted } = self;
        let path = &path;
        let mut buffer = BufWriter::new(new.as_file());
        write(&mut buffer)?;
        buffer.flush().map_err(Error::io(path, "write"))?;
        if let Ok(old) = fs::metadata(path) {
            let kept = new.as_file().set_permissions(old.permissions());
            kept.map_err(Error::io(path, "set the permissions of"))?;
        }
        new.as_file().sync_all().map_err(Error::io(path, "sync"))?;
        drop(buffer);
        let replaced = new.persist(path).map_err(|refused| refused.error);
        replaced.map_err(Error::io(path, "replace"))?;
        Ok(sync_dir(parent(path))?)
    }
}

/// Open an existing file for writing; its contents stay.
#[cfg(feature = "cli")]
fn writable(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// A new file in `dir` with default permissions.
#[cfg(feature = "cli")]
fn fresh(dir: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("enum48-").suffix(TEMPORARY);
    // Unlike `tempfile_in`, does not add the name of the new file to an error.
    builder.make_in(dir, |path| File::create_new(path))
}

/// Try to delete a file, or a directory in which other processes may still be writing. Returns
/// whether it is gone.
pub(crate) fn clear(path: &Path) -> bool {
    const TRIES: usize = 100;
    (0..TRIES).any(|_| {
        let removed = if path.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
        removed.is_ok() || matches!(is_there(path), Ok(false))
    })
}

/// Lock a directory for this process until the returned file is closed. A read-only file system
/// needs no lock, because no process can count there. A link is refused, because it leads to a
/// foreign file.
pub(crate) fn lock(dir: &Path) -> Result<Option<File>> {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    let path = dir.join(LOCK);
    if path.is_symlink() {
        let cause = io::Error::other("a link: delete it");
        return Err(Error::io(&path, "open the lock")(cause));
    }
    let has_lock = has_lock(&path)?;
    let mut write = OpenOptions::new();
    let opened = match write.write(true).create(!has_lock).open(&path) {
        Err(error) => match error.kind() {
            PermissionDenied | ReadOnlyFilesystem if has_lock => File::open(&path),
            ReadOnlyFilesystem => return Ok(None),
            _ => Err(error),
        },
        opened => opened,
    };
    let file = opened.map_err(Error::io(&path, "open the lock"))?;
    locked(dir, &path, file.try_lock())?;
    Ok(Some(file))
}

/// Whether a directory has a lock file. Anything but a file is refused, because opening a pipe
/// would wait for its other end.
fn has_lock(path: &Path) -> Result<bool> {
    let found = find(path)?;
    if found.as_ref().is_some_and(|found| !found.is_file()) {
        let cause = io::Error::other("not a file: delete it");
        return Err(Error::io(path, "open the lock")(cause));
    }
    Ok(found.is_some())
}

/// Keep counts out of a directory until the returned file is closed. A directory without a lock
/// file is a copy, in which no process counts.
pub(crate) fn lock_shared(dir: &Path) -> Result<Option<File>> {
    let path = dir.join(LOCK);
    if !has_lock(&path)? {
        return Ok(None);
    }
    let file = File::open(&path).map_err(Error::io(&path, "open the lock"))?;
    locked(dir, &path, file.try_lock_shared())?;
    Ok(Some(file))
}

fn locked(dir: &Path, path: &Path, outcome: Result<(), TryLockError>) -> Result<()> {
    outcome.map_err(|refused| match refused {
        TryLockError::WouldBlock => Error::Locked(dir.to_owned()),
        TryLockError::Error(cause) => Error::io(path, "lock")(cause),
    })
}

/// A file that grows while candidates are collected, and is read while they are sorted. It has no
/// name, so the system deletes it even if the process is killed.
pub(crate) struct Spill {
    dir: PathBuf,
    file: Option<File>,
    end: u64,
}

impl Spill {
    /// A spill file in `dir`; the first write creates the file.
    pub(crate) fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            file: None,
            end: 0,
        }
    }

    /// Append bytes.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(spill(&self.dir)?),
        };
        // On Windows, a read moves the place of the next write.
        file.seek(SeekFrom::Start(self.end))
            .and_then(|_| file.write_all(bytes))
            .map_err(Error::io(&self.dir, "write a temporary file in"))?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Bytes appended so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.end
    }

    /// Read `into.len()` bytes at offset `at`, and check them against their CRC-32 at the time of
    /// writing.
    pub(crate) fn read(&self, at: u64, crc: u32, into: &mut [u8]) -> Result<()> {
        let file = self.file.as_ref().expect("only appended bytes are read");
        read_exact_at(file, into, at)
            .and_then(|()| match crc32fast::hash(into) == crc {
                true => Ok(()),
                false => Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "checksum differs",
                )),
            })
            .map_err(Error::io(&self.dir, "read back a temporary file in"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_bytes_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(place.path());
        let (one, two) = (b"first", b"second");
        spill.append(one).unwrap();
        spill.append(two).unwrap();
        let mut back = [0; 6];
        spill.read(5, crc32fast::hash(two), &mut back).unwrap();
        assert_eq!(&back, two);
        let refused = spill.read(4, crc32fast::hash(two), &mut back).unwrap_err();
        assert!(
            refused.to_string().contains("checksum differs"),
            "{refused}"
        );
        assert!(spill.read(6, 0, &mut back).is_err(), "beyond the end");
    }
}

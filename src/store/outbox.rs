//! Finished files that wait for a commit, and the commits.
//!
//! A file is finished when its last byte is written, and *sealed* when its layer is sealed. A
//! commit follows once enough sealed files wait, or enough time has passed. Until then a sealed
//! file can be read from memory or under its temporary name.
//!
//! A commit runs on a thread of its own, while the count goes on. The order of its steps keeps the
//! directory consistent at every moment. First the files become durable, then their names, then the
//! manifest that lists them, and the table. Last, obsolete files are deleted.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::file;
use super::files::{self, FileName, Holds, Named, PartName, RESERVE};
use super::manifest::{Record, SealedFiles};
use super::writer::{Held, Writer};
use crate::error::{Error, Result};
use crate::game::{Game, PartKey};
use crate::part::{Contents, FileContents, Kind, Part, Sealed, Segments};

/// A commit at the end of a layer is due if this much time has passed since the last commit...
const COMMIT_AFTER: Duration = Duration::from_secs(1);
/// ...or if this many bytes wait in memory.
const COMMIT_HELD: usize = 8 << 20;

/// Number of files that are synced at once: a device syncs several files nearly as fast as one.
const AT_ONCE: usize = 8;

/// Upper bounds on the size of the manifest and the table together: a constant, and the bytes for
/// each entry. The old files need no reserve, because they are on disk already.
const ROOM: u64 = 64 << 10;
const ROOM_FOR_ENTRY: u64 = 640;

/// A destination for the files of parts.
pub(crate) trait Files {
    /// Begin the files of a part.
    fn create(&self, kind: Kind, key: PartKey) -> Result<Writer>;

    /// Finish the files of a part. Returns their summary.
    fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed>;
}

/// The entry of finished files, and the files.
type Finished = (SealedFiles, Vec<Pending>);

/// A finished file that no manifest names yet.
#[derive(Clone)]
struct Pending {
    name: FileName,
    held: Held,
}

/// A running commit.
struct UnderWay {
    thread: JoinHandle<Result<()>>,
    /// Number of files that it publishes, and that it deletes.
    files: usize,
    obsolete: usize,
}

/// Files on their way into a directory: parts of a run, or values of a solution. Without a commit,
/// they stay temporary.
pub(crate) struct Outbox {
    dir: PathBuf,
    game: Game,
    /// Number of boards in every file of a part but the last.
    segment: u64,
    /// Finished files of layers that are not sealed.
    unsealed: Vec<Finished>,
    /// Sealed files that wait for a commit; the files of the commit under way come first.
    sealed: Vec<Pending>,
    /// Files that the next commit deletes, because its manifest does not name them.
    obsolete: Vec<FileName>,
    under_way: Option<UnderWay>,
    /// Whether the manifest has changed since the last commit.
    pub(super) changed: bool,
    /// Bytes in memory that wait for the next commit.
    held: usize,
    committed: Instant,
    /// Bytes reserved for the manifest.
    reserved: u64,
}

impl Files for Outbox {
    fn create(&self, kind: Kind, key: PartKey) -> Result<Writer> {
        let name = PartName::new(kind, key);
        self.begin(name, vec![name.label(&self.game).into()])
    }

    fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed> {
        self.end(PartName::new(kind, key), writer)
    }
}

impl Outbox {
    /// An empty outbox.
    pub(crate) fn new(dir: &Path, game: &Game, segment: u64) -> Self {
        Self {
            dir: dir.to_owned(),
            game: *game,
            segment,
            unsealed: Vec::new(),
            sealed: Vec::new(),
            obsolete: Vec::new(),
            under_way: None,
            changed: false,
            held: 0,
            committed: Instant::now(),
            reserved: 0,
        }
    }

    /// An empty outbox for the same directory.
    pub(super) fn emptied(&self) -> Self {
        Self::new(&self.dir, &self.game, self.segment)
    }

    /// Begin the files of a part, of its values, or of matrices. The last entry of `contents`
    /// applies to all further files.
    pub(super) fn begin(&self, name: PartName, contents: Vec<Contents>) -> Result<Writer> {
        let segment = match name.holds {
            Holds::Matrices => u64::MAX,
            _ => self.segment,
        };
        let dir = self.dir.clone();
        let name_of = move |segment| FileName { of: name, segment }.to_string();
        let path_of = Box::new(move |segment| file::temporary(&dir.join(name_of(segment))));
        let block = contents[0].block();
        Writer::new(path_of, contents, block, segment)
    }

    /// Finish files in an unsealed layer, and drop empty files. Returns their totals.
    pub(super) fn end(&mut self, name: PartName, writer: Writer) -> Result<Sealed> {
        let mut files = writer.finish()?;
        files.retain(|(_, sealed)| sealed.states > 0);
        if files.len() > 1 && files[0].0.is_none() {
            // The first file gets its number now.
            let [only, first] = [None, Some(0)].map(|segment| FileName { of: name, segment });
            file::rename(&self.temporary(only), &self.temporary(first))?;
        }
        Ok(self.hold(name, files))
    }

    /// Whether the files of an unsealed layer have this name.
    pub(super) fn has_unsealed(&self, name: PartName) -> bool {
        self.unsealed.iter().any(|(files, _)| files.name == name)
    }

    /// Take over finished files of a part of an unsealed layer, from elsewhere in the same file
    /// system.
    pub(crate) fn adopt(
        &mut self,
        kind: Kind,
        key: PartKey,
        files: &[(PathBuf, Sealed)],
    ) -> Result<()> {
        let name = PartName::new(kind, key);
        for (name, (path, _)) in name.files(files.len()).zip(files) {
            file::publish_once(path, &self.temporary(name))?;
        }
        let files = files.iter().map(|(_, sealed)| (None, *sealed));
        self.hold(name, files.collect());
        Ok(())
    }

    /// Hold finished files until the layer is sealed. Returns their totals.
    fn hold(&mut self, name: PartName, files: Vec<(Held, Sealed)>) -> Sealed {
        let (held, sealed): (Vec<Held>, _) = files.into_iter().unzip();
        let names = name.files(held.len()).zip(held);
        let pending: Vec<Pending> = names.map(|(name, held)| Pending { name, held }).collect();
        let files = SealedFiles::new(name, sealed);
        let totals = files.sealed;
        let held = pending.iter().filter_map(|file| file.held.as_ref());
        self.held += held.map(|bytes| bytes.len()).sum::<usize>();
        if !pending.is_empty() {
            self.unsealed.push((files, pending));
        }
        totals
    }

    /// Seal the finished files of the layers up to sum `last`. Returns the entries for the
    /// manifest.
    pub(super) fn seal(&mut self, last: u32) -> Vec<SealedFiles> {
        self.changed = true;
        let mut entries = Vec::new();
        let seals = |(files, _): &mut Finished| files.name.key.sum <= last;
        for (files, pending) in self.unsealed.extract_if(.., seals) {
            self.sealed.extend(pending);
            entries.push(files);
        }
        entries
    }

    /// Open all finished parts, which no commit names.
    pub(crate) fn open_parts(mut self) -> Result<Vec<Part>> {
        let finished = self.seal(u32::MAX).into_iter();
        let open = |files: SealedFiles| self.open_all(&files, files.name.label(&self.game));
        finished.map(open).collect()
    }

    /// Open all files of an entry, which have equal contents.
    pub(super) fn open_all<C: FileContents>(
        &self,
        files: &SealedFiles,
        contents: C,
    ) -> Result<Segments<C>> {
        let files = files.files();
        Segments::join(files.map(|(name, sealed)| self.open(name, contents, sealed)))
    }

    /// Open a file, in memory or on disk, and check it against its entry in the manifest.
    pub(super) fn open<C: FileContents>(
        &self,
        name: FileName,
        contents: C,
        sealed: Sealed,
    ) -> Result<Segments<C>> {
        let path = self.dir.join(name.to_string());
        let open = |path: &Path| Segments::open(path).map_err(Error::missing);
        let waits = self.sealed.iter().find(|pending| pending.name == name);
        let opened = match waits.map(|pending| &pending.held) {
            Some(Some(bytes)) => Segments::from_memory(&path, Arc::clone(bytes)),
            // The commit under way may have renamed the file meanwhile.
            Some(None) => match open(&self.temporary(name)) {
                Err(Error::Missing(_)) => open(&path),
                opened => opened,
            },
            None => open(&path),
        };
        opened?.expect(contents, sealed)
    }

    /// Whether the counted layers should be sealed and committed now.
    pub(crate) fn is_commit_due(&self) -> bool {
        self.held >= COMMIT_HELD || self.committed.elapsed() >= COMMIT_AFTER
    }

    /// Reserve room for the manifest, so that a commit succeeds even on a full disk, and commit if
    /// a commit is due.
    pub(super) fn commit_if_due(&mut self, record: &impl Record) -> Result<()> {
        let room = ROOM + record.entries() as u64 * ROOM_FOR_ENTRY;
        if room > self.reserved {
            // Reserve twice as much, so that reservations are rare.
            self.reserved = 2 * room;
            file::reserve(&self.reserve_path(), self.reserved)?;
        }
        match self.is_commit_due() {
            true => self.begin_commit(record),
            false => Ok(()),
        }
    }

    /// Commit all sealed files, with a manifest that names them.
    pub(super) fn commit(&mut self, record: &impl Record) -> Result<()> {
        if self.changed {
            self.begin_commit(record)?;
        }
        self.end_commit()
    }

    /// Begin a commit as soon as the running commit has ended.
    fn begin_commit(&mut self, record: &impl Record) -> Result<()> {
        self.end_commit()?;
        // After a failed commit, an obsolete file may have been made again.
        let sealed = &self.sealed;
        let again = |name| sealed.iter().any(|pending| pending.name == name);
        self.obsolete.retain(|&name| !again(name));
        let (dir, record) = (self.dir.clone(), record.clone());
        let (files, obsolete) = (self.sealed.clone(), self.obsolete.clone());
        let thread = thread::Builder::new().name("commit".to_owned());
        let started = thread.spawn(move || {
            publish(&dir, &files)?;
            file::sync_dir(&dir)?;
            record.save(&dir)?;
            let mut obsolete = obsolete.into_iter();
            obsolete.try_for_each(|name| file::remove(&dir.join(name.to_string())))
        });
        self.under_way = Some(UnderWay {
            thread: started.map_err(|error| Error::Threads {
                threads: 1,
                cause: error.to_string(),
            })?,
            files: self.sealed.len(),
            obsolete: self.obsolete.len(),
        });
        self.changed = false;
        self.held = 0;
        self.committed = Instant::now();
        Ok(())
    }

    /// Wait for the running commit. If it fails, its files wait for the next commit.
    fn end_commit(&mut self) -> Result<()> {
        let Some(under_way) = self.under_way.take() else {
            return Ok(());
        };
        let (files, obsolete) = (under_way.files, under_way.obsolete);
        let ended = under_way.thread.join().expect("no thread panics");
        ended.inspect_err(|_| self.changed = true)?;
        self.sealed.drain(..files);
        self.obsolete.drain(..obsolete);
        Ok(())
    }

    /// Delete files: at once if no manifest names them, else after the next commit.
    pub(super) fn discard(&mut self, names: &[FileName]) -> Result<()> {
        let committing = self.under_way.as_ref().map_or(0, |commit| commit.files);
        for &name in names {
            let waiting = &self.sealed[committing..];
            let Some(at) = waiting.iter().position(|pending| pending.name == name) else {
                self.obsolete.push(name);
                continue;
            };
            let pending = self.sealed.remove(committing + at);
            if pending.held.is_none() {
                file::remove(&self.temporary(name))?;
            }
        }
        Ok(())
    }

    /// Delete the obsolete files now, to make room for the next commit.
    pub(super) fn make_room(&mut self) -> Result<()> {
        for name in self.obsolete.drain(..) {
            file::remove(&self.dir.join(name.to_string()))?;
        }
        Ok(())
    }

    fn release(&mut self) -> Result<()> {
        if self.reserved == 0 {
            return Ok(());
        }
        self.reserved = 0;
        file::remove(&self.reserve_path())
    }

    fn reserve_path(&self) -> PathBuf {
        file::temporary(&self.dir.join(RESERVE))
    }

    /// Commit, and free the reserved disk space.
    pub(super) fn close(&mut self, record: &impl Record) -> Result<()> {
        self.end_commit()?;
        self.release()?;
        self.commit(record)
    }

    /// Delete the files of unsealed layers, and commit the sealed layers. So an error loses only
    /// the layers that the engine would have sealed next.
    pub(super) fn abandon(&mut self, record: &impl Record) -> Result<()> {
        self.drop_from(0)?;
        self.release()?;
        self.commit(record)
    }

    /// Delete the unfinished files, and the files of unsealed layers from `sum` on.
    pub(crate) fn drop_from(&mut self, sum: u32) -> Result<()> {
        // If this commit fails, its files wait for the next commit.
        let _ = self.end_commit();
        self.unsealed.retain(|(files, _)| files.name.key.sum < sum);
        let unsealed = self.unsealed.iter().flat_map(|(_, pending)| pending);
        let waiting = unsealed.chain(&self.sealed);
        let mut kept: Vec<PathBuf> = waiting.map(|file| self.temporary(file.name)).collect();
        kept.push(self.reserve_path());
        for (path, named) in files::all(&self.dir)? {
            if named == Named::Temporary && !kept.contains(&path) {
                file::remove(&path)?;
            }
        }
        Ok(())
    }

    fn temporary(&self, name: FileName) -> PathBuf {
        file::temporary(&self.dir.join(name.to_string()))
    }
}

impl Drop for Outbox {
    /// Wait for the running commit, so that the directory stays locked until all writes end.
    fn drop(&mut self) {
        // A drop cannot report a failed commit.
        let _ = self.end_commit();
    }
}

/// Make files durable and name them, several files at once.
fn publish(dir: &Path, files: &[Pending]) -> Result<()> {
    let left = Mutex::new(files.iter());
    let next = || left.lock().expect("no thread panics").next();
    let some = || {
        while let Some(pending) = next() {
            pending.publish(dir)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        // If a thread cannot be started, the other threads do its work.
        let others: Vec<ScopedJoinHandle<Result<()>>> = (1..AT_ONCE.min(files.len()))
            .filter_map(|_| thread::Builder::new().spawn_scoped(scope, some).ok())
            .collect();
        let own = some();
        let mut ends = others.into_iter().map(ScopedJoinHandle::join);
        own.and(ends.try_for_each(|end| end.expect("no thread panics")))
    })
}

impl Pending {
    fn publish(&self, dir: &Path) -> Result<()> {
        let path = dir.join(self.name.to_string());
        let temporary = file::temporary(&path);
        match &self.held {
            Some(bytes) => file::write(&temporary, bytes)?,
            // A failed commit may have published the file already.
            None if !file::is_there(&temporary)? && file::is_there(&path)? => return Ok(()),
            None => {}
        }
        file::publish(&temporary, &path)
    }
}

//! Writes a part, or its values, segment by segment.
//!
//! Key idea: creating a file takes longer than counting a small part. So a small file stays in
//! memory until the commit that names it. If it is dropped before, it is never created.

use std::fs::File;
use std::io::{self, BufWriter, Cursor, Seek, SeekFrom, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file;
use crate::error::Result;
use crate::part::{self, Block, PartWriter, Sealed};

/// The bytes of a finished file until a commit names it; `None` if they are on disk, under the
/// file's temporary name.
pub(super) type Held = Option<Arc<[u8]>>;

/// The path of a segment by its number; of the first or only file by `None`.
type PathOf = dyn Fn(Option<u32>) -> PathBuf + Send + Sync;

/// Writes the files of a part, or of its values. The first file gets a number only if there is a
/// second file.
pub(crate) struct Writer {
    path_of: Box<PathOf>,
    /// The contents of each file; the last entry applies to all further files.
    contents: Vec<part::Contents>,
    /// Number of boards in every file but the last.
    segment: u64,
    /// The full files.
    full: Vec<(Held, Sealed)>,
    file: PartWriter<Spool>,
}

impl Writer {
    /// Begin files with `segment` boards each, in blocks of `block` boards.
    pub(super) fn new(
        path_of: Box<PathOf>,
        contents: Vec<part::Contents>,
        block: usize,
        segment: u64,
    ) -> Result<Self> {
        Ok(Self {
            file: begin(&path_of(None), contents[0], block)?,
            path_of,
            contents,
            segment,
            full: Vec::new(),
        })
    }

    /// Append a block. Every block but the last of a part must be full.
    ///
    /// # Errors
    ///
    /// As for [`PartWriter::append`].
    pub(crate) fn append(&mut self, block: &Block) -> Result<()> {
        if self.file.states() == self.segment {
            self.begin_next(block.first)?;
        }
        self.file.append(block)
    }

    /// Begin the next file, whose first board is `first`.
    fn begin_next(&mut self, first: u64) -> Result<()> {
        self.file.expect_next(first)?;
        let number = self.full.len() + 1;
        let contents = self.contents[number.min(self.contents.len() - 1)];
        let next = begin(&(self.path_of)(Some(number as u32)), contents, self.block())?;
        self.full.push(end(mem::replace(&mut self.file, next))?);
        Ok(())
    }

    /// Number of states or values in a full block.
    pub(crate) fn block(&self) -> usize {
        self.file.block()
    }

    /// Finish the last file; returns all files in order.
    pub(super) fn finish(self) -> Result<Vec<(Held, Sealed)>> {
        let mut files = self.full;
        files.push(end(self.file)?);
        Ok(files)
    }
}

fn begin(path: &Path, contents: part::Contents, block: usize) -> Result<PartWriter<Spool>> {
    let empty = Spool::Memory(Cursor::default(), path.to_owned());
    PartWriter::in_blocks(empty, path, contents, block)
}

fn end(file: PartWriter<Spool>) -> Result<(Held, Sealed)> {
    Ok(match file.finish()? {
        (Spool::Memory(bytes, _), sealed) => (Some(bytes.into_inner().into()), sealed),
        (Spool::File(_), sealed) => (None, sealed),
    })
}

/// Maximum size of a file that stays in memory.
const MOST: usize = 256 << 10;

/// Size of the write buffer.
const BUFFER: usize = 256 << 10;

/// An unfinished file.
pub(crate) enum Spool {
    /// Up to [`MOST`] bytes, and the temporary name for more.
    Memory(Cursor<Vec<u8>>, PathBuf),
    /// On disk, under its temporary name.
    File(BufWriter<File>),
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Self::Memory(held, path) = self
            && held.position() as usize + bytes.len() > MOST
        {
            let mut file = BufWriter::with_capacity(BUFFER, file::create(path)?);
            file.write_all(held.get_ref())?;
            file.seek(SeekFrom::Start(held.position()))?;
            *self = Self::File(file);
        }
        match self {
            Self::Memory(held, _) => held.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Memory(..) => Ok(()),
            Self::File(file) => file.flush(),
        }
    }
}

impl Seek for Spool {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Memory(held, _) => held.seek(to),
            Self::File(file) => file.seek(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::game::rank::Ranking;
    use crate::game::{Exp, PartKey};
    use crate::part::{Encoder, Kind, Label, Part, some_boards};
    use std::fs;

    const KEY: PartKey = PartKey {
        sum: 400,
        max: Exp::of_tile(256).unwrap(),
    };

    fn label() -> Label {
        Label::new(&"4x4".parse().unwrap(), Kind::Afterstates, KEY)
    }

    /// Write boards, block by block, into files of `segment` boards.
    fn write(boards: &[u64], segment: u64) -> Result<Vec<(Held, Sealed)>> {
        let path_of = Box::new(|_| PathBuf::from("memory"));
        let mut writer = Writer::new(
            path_of,
            vec![label().into()],
            Kind::Afterstates.block(),
            segment,
        )?;
        let (mut encoder, mut block) = (Encoder::new(1)?, Block::default());
        let ranking = Ranking::of_part(label().size, label().key);
        for boards in boards.chunks(writer.block()) {
            encoder.encode(&ranking, boards, &mut block)?;
            writer.append(&block)?;
        }
        writer.finish()
    }

    #[test]
    fn every_file_but_the_last_is_full() {
        let block = Kind::Afterstates.block() as u64;
        let boards = some_boards(label(), 0.., 5 * block as usize + 3);
        for (segment, length, expected) in [
            (
                2 * block,
                5 * block + 3,
                vec![2 * block, 2 * block, block + 3],
            ),
            (2 * block, 4 * block, vec![2 * block, 2 * block]),
            (8 * block, 5 * block + 3, vec![5 * block + 3]),
            (8 * block, 0, vec![0]),
        ] {
            let files = write(&boards[..length as usize], segment).unwrap();
            let states: Vec<u64> = files.iter().map(|(_, sealed)| sealed.states).collect();
            assert_eq!(states, expected);
            let parts = files.into_iter().map(|(held, _)| {
                let bytes = held.expect("so few fit in memory");
                Part::from_memory("memory".as_ref(), bytes)
            });
            let part = Part::join(parts).unwrap();
            assert_eq!(part.states(), length);
        }
    }

    #[test]
    fn boards_out_of_order_across_files_are_refused() {
        let boards = some_boards(label(), 0.., Kind::Afterstates.block());
        let first = boards[0];
        let refused = write(&boards.repeat(2), boards.len() as u64).err();
        assert!(matches!(refused, Some(Error::OutOfOrder { got, .. }) if got == first));
    }

    #[test]
    fn a_small_file_stays_in_memory_and_a_large_one_does_not() {
        let place = tempfile::tempdir().unwrap();
        for length in [0, 1, MOST - 10, MOST, MOST + 1, 3 * MOST] {
            let path = place.path().join(length.to_string());
            let mut expected: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let mut spool = Spool::Memory(Cursor::default(), path.clone());
            for bytes in expected.chunks(1000) {
                spool.write_all(bytes).unwrap();
            }
            // A header is written last.
            spool.seek(SeekFrom::Start(0)).unwrap();
            let head = length.min(7);
            spool.write_all(&[9; 7][..head]).unwrap();
            expected[..head].fill(9);
            spool.flush().unwrap();
            let found = match spool {
                Spool::Memory(bytes, _) => {
                    assert!(length <= MOST && !path.exists(), "{length}");
                    bytes.into_inner()
                }
                Spool::File(_) => {
                    assert!(length > MOST, "{length}");
                    fs::read(&path).unwrap()
                }
            };
            assert!(found == expected, "{length}");
        }
    }
}

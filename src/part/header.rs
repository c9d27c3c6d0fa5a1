//! The first and the last bytes of a part file: what it holds, and that it is whole.

use std::fmt;
use std::path::Path;

use super::block::BLOCK;
use super::fingerprint::Fingerprint;
use super::little_endian::{u32_at, u64_at};
use crate::error::{Error, Result};
use crate::game::{Exp, PartKey};

/// Format version that this program writes, and the latest that it reads.
pub(crate) const VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"enum48pt";
const END_MAGIC: &[u8; 8] = b"enum48/.";

/// Bytes of a header.
pub(crate) const HEADER: usize = 40;
/// Bytes of a footer.
pub(crate) const FOOTER: usize = 40;
/// Bytes of an index entry.
pub(crate) const ENTRY: usize = 16;

/// No block of any file is larger, so that a damaged header cannot ask for unbounded memory.
const MOST_IN_BLOCK: u32 = 1 << 20;

/// Whether a part holds boards before or after the spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Boards with the player to move.
    States,
    /// Boards after a move, before the spawn.
    Afterstates,
}

impl Kind {
    /// States in every block of a part of this kind but its last: many where files should be small,
    /// fewer where the next layers read them in parallel and delete them.
    #[must_use]
    pub fn block(self) -> usize {
        match self {
            Self::States => BLOCK,
            Self::Afterstates => BLOCK / 8,
        }
    }
}

/// What a part file says it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// States or afterstates.
    pub kind: Kind,
    /// Rows of the boards.
    pub rows: u8,
    /// Columns of the boards.
    pub cols: u8,
    /// The winning tile, [`Exp::LAST`] if there is none.
    pub win: Exp,
    /// Sum and largest tile of every board.
    pub key: PartKey,
}

/// `states of 3x3-1024, sum 164, largest tile 32`.
impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            rows,
            cols,
            win,
            key,
        } = *self;
        let kind = match kind {
            Kind::States => "states",
            Kind::Afterstates => "afterstates",
        };
        write!(f, "{kind} of {rows}x{cols}")?;
        if win < Exp::LAST {
            write!(f, "-{}", win.tile())?;
        }
        write!(f, ", {key}")
    }
}

/// A header: the label, and how the file is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) label: Label,
    /// States in every block but the last.
    pub(crate) block: u32,
    /// Bytes of the finished file, 0 before.
    pub(crate) length: u64,
}

impl Header {
    pub(crate) fn to_bytes(self) -> [u8; HEADER] {
        let Label {
            kind,
            rows,
            cols,
            win,
            key,
        } = self.label;
        let mut out = Vec::with_capacity(HEADER);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([kind as u8, rows, cols, win.get()]);
        out.extend(key.sum.to_le_bytes());
        out.extend(key.max.tile().to_le_bytes());
        out.extend(self.block.to_le_bytes());
        out.extend(self.length.to_le_bytes());
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out.try_into().expect("the fields fill the header")
    }

    /// Read the header of a file of `bytes`, and check the file as a whole: kind, version, length.
    pub(crate) fn of(path: &Path, bytes: &[u8]) -> Result<Self> {
        let owned = || path.to_owned();
        let magic = bytes.len().min(MAGIC.len());
        if bytes.is_empty() || bytes[..magic] != MAGIC[..magic] {
            return Err(Error::Foreign(owned()));
        }
        let Some(head) = bytes.first_chunk::<HEADER>() else {
            let (expected, got) = ((HEADER + FOOTER) as u64, bytes.len() as u64);
            return Err(Error::Cut {
                path: owned(),
                expected,
                got,
            });
        };
        let damaged = |what: &str| Error::Damaged {
            path: owned(),
            what: what.to_owned(),
        };
        if crc32fast::hash(&head[..36]) != u32_at(head, 36) {
            return Err(damaged("header: checksum differs"));
        }
        if u32_at(head, 8) != VERSION {
            return Err(Error::Newer {
                path: owned(),
                found: u32_at(head, 8),
                known: VERSION,
            });
        }
        let kind = match head[12] {
            0 => Kind::States,
            1 => Kind::Afterstates,
            _ => return Err(damaged("header: kind is neither states nor afterstates")),
        };
        let label = Label {
            kind,
            rows: head[13],
            cols: head[14],
            win: Exp::new(head[15]).ok_or_else(|| damaged("header: impossible winning tile"))?,
            key: PartKey {
                sum: u32_at(head, 16),
                max: Exp::of_tile(u32_at(head, 20))
                    .ok_or_else(|| damaged("header: impossible largest tile"))?,
            },
        };
        let header = Self {
            label,
            block: u32_at(head, 24),
            length: u64_at(head, 28),
        };
        let (expected, got) = (header.length, bytes.len() as u64);
        if expected == 0 {
            return Err(Error::Unfinished(owned()));
        }
        if got < expected {
            return Err(Error::Cut {
                path: owned(),
                expected,
                got,
            });
        }
        if got > expected {
            return Err(damaged(&format!("{} bytes after the end", got - expected)));
        }
        if got < (HEADER + FOOTER) as u64 || !(1..=MOST_IN_BLOCK).contains(&header.block) {
            return Err(damaged("header: impossible length or block size"));
        }
        Ok(header)
    }
}

/// A footer: what the blocks add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Footer {
    pub(crate) states: u64,
    pub(crate) blocks: u64,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) index_crc: u32,
}

impl Footer {
    pub(crate) fn to_bytes(self) -> [u8; FOOTER] {
        let mut out = Vec::with_capacity(FOOTER);
        out.extend(self.states.to_le_bytes());
        out.extend(self.blocks.to_le_bytes());
        out.extend(self.fingerprint.0.to_le_bytes());
        out.extend(self.index_crc.to_le_bytes());
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out.extend(END_MAGIC);
        out.try_into().expect("the fields fill the footer")
    }

    /// Read a footer, or say what is wrong with it.
    pub(crate) fn from_bytes(bytes: &[u8; FOOTER]) -> Result<Self, &'static str> {
        if crc32fast::hash(&bytes[..28]) != u32_at(bytes, 28) || bytes[32..] != *END_MAGIC {
            return Err("footer: checksum differs");
        }
        Ok(Self {
            states: u64_at(bytes, 0),
            blocks: u64_at(bytes, 8),
            fingerprint: Fingerprint(u64_at(bytes, 16)),
            index_crc: u32_at(bytes, 24),
        })
    }
}

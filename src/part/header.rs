//! The header and the footer of a file.

use std::path::Path;

use super::bytes::{u32_at, u64_at};
use super::contents::{ABOUT, About, Contents, Kind, Label, LayerLabel};
use super::fingerprint::Fingerprint;
use crate::error::{Error, Result};
use crate::game::{Board, Exp, PartKey, Size};

/// The format version of files whose game has no stones.
const VERSION: u32 = 1;
/// The format version of files whose game has stones; the latest version that this program reads.
const WITH_STONES: u32 = 2;

const MAGIC: &[u8; 8] = b"enum48pt";
const END_MAGIC: &[u8; 8] = b"enum48/.";

/// Bytes of a header without the fields about values.
pub(crate) const HEADER: usize = 40;
/// Bytes about locks, which follow if the game has masks, target cells or a horizon.
pub(super) const ABOUT_LOCKS: usize = 16;
/// Added to the number of stones if these bytes follow.
const HAS_LOCKS: u8 = 128;
/// Bytes of a footer.
pub(crate) const FOOTER: usize = 40;
/// Bytes of an index entry.
pub(crate) const ENTRY: usize = 16;

/// Maximum block size of any file, which bounds the memory that a damaged header can ask for.
const MOST_IN_BLOCK: u32 = 1 << 20;

/// Codes of the kinds of files.
const STATES: u8 = 0;
const AFTERSTATES: u8 = 1;
const VALUES: u8 = 2;
const MATRICES: u8 = 3;

/// A header: the contents, the block size and the length of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) contents: Contents,
    /// Number of states or values in a full block.
    pub(crate) block: u32,
    /// Bytes of the finished file; 0 while it is unfinished.
    pub(crate) length: u64,
}

impl Header {
    /// Bytes of the header; block 0 follows it.
    pub(crate) fn size(&self) -> usize {
        let locks = match has_locks(self.contents.label()) {
            true => ABOUT_LOCKS,
            false => 0,
        };
        let values = match self.contents {
            Contents::Boards(_) | Contents::Matrices(_) => 0,
            Contents::Values(_) => ABOUT,
        };
        HEADER + locks + values
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let label = self.contents.label();
        let kind = match (self.contents, label.kind) {
            (Contents::Boards(_), Kind::States) => STATES,
            (Contents::Boards(_), Kind::Afterstates) => AFTERSTATES,
            (Contents::Values(_), Kind::Afterstates) => VALUES,
            (Contents::Matrices(_), _) => MATRICES,
            (Contents::Values(_), Kind::States) => panic!("values belong to afterstates"),
        };
        let (rows, cols) = (label.size.rows(), label.size.cols());
        let has_locks = has_locks(label);
        let (version, size) = match label.size.stones() as u8 {
            0 => (VERSION, [rows, cols]),
            stones if !has_locks => (WITH_STONES, [rows << 4 | cols, stones]),
            stones => (WITH_STONES, [rows << 4 | cols, stones | HAS_LOCKS]),
        };
        let mut out = Vec::with_capacity(self.size());
        out.extend(MAGIC);
        out.extend(version.to_le_bytes());
        out.push(kind);
        out.extend(size);
        out.push(label.win.get());
        out.extend(label.key.sum.to_le_bytes());
        out.extend(label.key.max.tile().to_le_bytes());
        out.extend(self.block.to_le_bytes());
        out.extend(self.length.to_le_bytes());
        out.extend(crc32fast::hash(&out).to_le_bytes());
        if has_locks {
            let (begin, locks) = (out.len(), label.size.locks());
            let mut cells = locks.masks();
            cells.resize(3, 0);
            cells.push(locks.targets().unwrap_or(0));
            for cells in cells {
                out.extend(cells_of(cells).to_le_bytes());
            }
            out.extend(label.horizon.unwrap_or(0).to_le_bytes());
            out.extend(crc32fast::hash(&out[begin..]).to_le_bytes());
        }
        if let Contents::Values(about) = self.contents {
            out.extend(about.to_bytes());
        }
        out
    }

    /// Read the header of a file from its first bytes, and check its version and its length, `got`.
    pub(crate) fn of(path: &Path, bytes: &[u8], got: u64) -> Result<Self> {
        let owned = || path.to_owned();
        let cut = |expected| Error::Cut {
            path: owned(),
            expected,
            got,
        };
        let magic = bytes.len().min(MAGIC.len());
        if bytes.is_empty() || bytes[..magic] != MAGIC[..magic] {
            return Err(Error::Foreign(owned()));
        }
        let Some(head) = bytes.first_chunk::<HEADER>() else {
            return Err(cut((HEADER + FOOTER) as u64));
        };
        let damaged = |what: &str| Error::damaged(path, what);
        if crc32fast::hash(&head[..36]) != u32_at(head, 36) {
            return Err(damaged("header: checksum differs"));
        }
        let [rows, cols, stones] = match (u32_at(head, 8), head[13], head[14]) {
            (VERSION, rows, cols) => [rows, cols, 0],
            (WITH_STONES, sides, stones @ 1..) => [sides >> 4, sides & 15, stones],
            (found, ..) => {
                return Err(Error::Format {
                    path: owned(),
                    found,
                    known: WITH_STONES,
                });
            }
        };
        let (locked, stones) = (stones & HAS_LOCKS != 0, stones & !HAS_LOCKS);
        let size = Size::new(rows, cols).and_then(|size| size.with_stones(stones.into()));
        let (size, horizon, begin) = match bytes[HEADER..].first_chunk::<ABOUT_LOCKS>() {
            _ if !locked => (size, None, HEADER),
            Some(about) if crc32fast::hash(&about[..12]) == u32_at(about, 12) => {
                let size = size.and_then(|size| with_locks(size, about));
                let horizon = Some(u32_at(about, 8)).filter(|&horizon| horizon > 0);
                (size, horizon, HEADER + ABOUT_LOCKS)
            }
            Some(_) => return Err(damaged("header: checksum about locks differs")),
            None => return Err(damaged("header: impossible length")),
        };
        let label = Label {
            kind: match head[12] {
                STATES => Kind::States,
                _ => Kind::Afterstates,
            },
            size: size.map_err(|_| damaged("header: impossible size"))?,
            win: Exp::new(head[15]).ok_or_else(|| damaged("header: impossible winning tile"))?,
            horizon,
            key: PartKey {
                sum: u32_at(head, 16),
                max: Exp::of_tile(u32_at(head, 20))
                    .ok_or_else(|| damaged("header: impossible largest tile"))?,
            },
        };
        let (block, length) = (u32_at(head, 24), u64_at(head, 28));
        if length == 0 {
            return Err(Error::Unfinished(owned()));
        }
        if got < length {
            return Err(cut(length));
        }
        if got > length {
            return Err(damaged(&format!("{} bytes after the end", got - length)));
        }
        let contents = match head[12] {
            VALUES => bytes[begin..]
                .first_chunk()
                .ok_or("header: impossible length")
                .and_then(|about| About::from_bytes(label, about))
                .map(Contents::Values),
            MATRICES => LayerLabel::of(label).map(Contents::Matrices),
            STATES | AFTERSTATES => Ok(Contents::Boards(label)),
            _ => Err("header: kind is not states, afterstates, values or matrices"),
        };
        let contents = contents.map_err(damaged)?;
        let header = Self {
            contents,
            block,
            length,
        };
        if got < (header.size() + FOOTER) as u64 || !(1..=MOST_IN_BLOCK).contains(&block) {
            return Err(damaged("header: impossible length or block size"));
        }
        Ok(header)
    }
}

/// Whether a game has masks, target cells or a horizon.
fn has_locks(label: Label) -> bool {
    !label.size.locks().is_none() || label.horizon.is_some()
}

/// The size with the masks and the target cells that the bytes about locks begin with.
fn with_locks(size: Size, about: &[u8]) -> Result<Size> {
    let cells: Vec<Board> = (0..4).map(|at| mask_of(&about[2 * at..])).collect();
    let masks: Vec<Board> = cells[..3]
        .iter()
        .copied()
        .filter(|&mask| mask != 0)
        .collect();
    let size = match &masks[..] {
        [] => size,
        masks => size.with_masks(masks)?,
    };
    match cells[3] {
        0 => Ok(size),
        targets => size.with_targets(targets),
    }
}

/// A bit for each cell of a mask, the last cell least significant.
fn cells_of(mask: Board) -> u16 {
    (0..16).fold(0, |cells, cell| {
        cells | ((mask >> (4 * cell) & 1) as u16) << cell
    })
}

/// The mask of the first two bytes.
fn mask_of(bytes: &[u8]) -> Board {
    let cells = u16::from_le_bytes([bytes[0], bytes[1]]);
    (0..16).fold(0, |mask, cell| {
        mask | (u64::from(cells >> cell & 1) * 15) << (4 * cell)
    })
}

/// A footer: the totals of the blocks.
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

    /// Read a footer, or describe the damage.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;

    #[test]
    fn only_the_header_of_a_game_with_stones_has_version_2() {
        for (name, version, size) in [
            ("3x4-64", VERSION, [3, 4]),
            ("free6-64", WITH_STONES, [0x44, 10]),
            ("3x4free7-64", WITH_STONES, [0x34, 5]),
        ] {
            let game: Game = name.parse().unwrap();
            let key = PartKey {
                sum: 14,
                max: Exp::of_tile(8).unwrap(),
            };
            let header = Header {
                contents: Label::new(&game, Kind::States, key).into(),
                block: 1,
                length: (HEADER + FOOTER) as u64,
            };
            let mut bytes = header.to_bytes();
            assert_eq!(u32_at(&bytes, 8), version, "{name}");
            assert_eq!(bytes[13..15], size, "{name}");
            let read = |bytes: &[u8]| Header::of(Path::new("memory"), bytes, header.length);
            assert_eq!(read(&bytes).unwrap(), header);
            assert!(header.contents.label().to_string().contains(name));
            // Sides that no board has, and version 2 without stones.
            for (at, byte) in [(13, 0x51), (14, if version == VERSION { 9 } else { 0 })] {
                let before = std::mem::replace(&mut bytes[at], byte);
                let crc = crc32fast::hash(&bytes[..36]).to_le_bytes();
                bytes[36..40].copy_from_slice(&crc);
                assert!(read(&bytes).is_err(), "{name} {at}");
                bytes[at] = before;
            }
        }
    }
}

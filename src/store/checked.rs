//! JSON files with a checksum, for manifests.
//!
//! The last field is the CRC-32 of the other fields. Nobody should edit a manifest by hand, so the
//! reader refuses any byte that this program would not have written.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::file;
use crate::error::{Error, Result};

/// The most bytes of a file. Of all games that can be counted, 4x3 without a winning tile has the most
/// parts: at most 13 tiles in 8,192 layers, each with two entries of up to 500 bytes.
const MOST: u64 = 128 << 20;

/// The contents of a file and their checksum.
#[derive(Serialize)]
struct Checked<T> {
    #[serde(flatten)]
    contents: T,
    crc32: String,
}

/// The field that every format version has.
#[derive(Deserialize)]
struct AnyVersion {
    format: u32,
}

/// Read a file whose format version is at most `known`; `None` if it does not exist.
pub(super) fn load<T>(path: &Path, known: u32) -> Result<Option<T>>
where
    T: Serialize + DeserializeOwned,
{
    let damaged = |what: String| Error::Damaged {
        path: path.to_owned(),
        what,
    };
    let Some(found) = file::find(path)? else {
        return Ok(None);
    };
    if !found.is_file() {
        return Err(damaged("not a file".to_owned()));
    }
    if found.len() > MOST {
        let bytes = found.len();
        return Err(damaged(format!("{bytes} bytes: expected at most {MOST}")));
    }
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        read => read.map_err(Error::io(path, "read"))?,
    };
    let json = |error: serde_json::Error| damaged(error.to_string());
    let AnyVersion { format } = serde_json::from_slice(&bytes).map_err(json)?;
    if format > known {
        return Err(Error::Newer {
            path: path.to_owned(),
            found: format,
            known,
        });
    }
    // The checksum is compared as text, with all other bytes.
    let contents = serde_json::from_slice(&bytes).map_err(json)?;
    if to_bytes(&contents) != bytes {
        return Err(damaged("checksum differs".to_owned()));
    }
    Ok(Some(contents))
}

/// Replace a file, durably. The old file stays if [`load`] would refuse the new one.
pub(super) fn save<T: Serialize>(path: &Path, contents: &T) -> Result<()> {
    save_within(MOST, path, contents)
}

fn save_within<T: Serialize>(most: u64, path: &Path, contents: &T) -> Result<()> {
    let bytes = to_bytes(contents);
    if bytes.len() as u64 > most {
        let len = bytes.len();
        // Only segments are so many.
        let cause = io::Error::other(format!(
            "{len} bytes: expected at most {most}: count again in another --dir with a larger --segment"
        ));
        return Err(Error::io(path, "write")(cause));
    }
    file::write_atomic(path, &bytes)
}

pub(super) fn checksum(contents: &impl Serialize) -> u32 {
    let bytes = serde_json::to_vec(contents).expect("the contents have a form in JSON");
    crc32fast::hash(&bytes)
}

fn to_bytes<T: Serialize>(contents: &T) -> Vec<u8> {
    let crc32 = format!("{:08x}", checksum(contents));
    let mut bytes = serde_json::to_vec_pretty(&Checked { contents, crc32 })
        .expect("the contents have a form in JSON");
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_too_large_to_be_read_are_refused_and_the_old_file_stays() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Noted {
            format: u32,
            text: String,
        }
        let contents = |length: usize| Noted {
            format: 1,
            text: "x".repeat(length),
        };
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("manifest.json");
        let most = to_bytes(&contents(10)).len() as u64;
        save_within(most, &path, &contents(10)).unwrap();
        let refused = save_within(most, &path, &contents(11)).unwrap_err();
        let said = refused.to_string();
        assert!(said.ends_with(" with a larger --segment"), "{said}");
        assert!(!refused.is_lack_of_space(), "more space does not help");
        assert_eq!(load(&path, 1).unwrap(), Some(contents(10)));
    }
}

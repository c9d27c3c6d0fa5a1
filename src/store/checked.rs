//! JSON files with a format version and a checksum, for manifests.
//!
//! The last field is the CRC-32 of the other fields. Nobody should edit a manifest by hand, so the
//! reader refuses any byte that this program would not have written.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::file;
use crate::error::{Error, Result};

/// The most bytes of a file. Of all games that can be counted, 4x3 without a winning tile has the
/// most parts: at most 13 tiles in 8,192 layers, each with two entries of up to 500 bytes.
const MOST: u64 = 128 << 20;

/// Contents with their format version.
#[derive(Serialize)]
struct Formatted<'a, T> {
    format: u32,
    #[serde(flatten)]
    contents: &'a T,
}

/// The contents of a file and their checksum.
#[derive(Serialize)]
struct Checked<'a, T> {
    #[serde(flatten)]
    contents: Formatted<'a, T>,
    crc32: String,
}

/// The field that every format version has.
#[derive(Deserialize)]
struct AnyVersion {
    format: u32,
}

/// Read a file of the format version `known`; `None` if it does not exist.
pub(super) fn load<T>(path: &Path, known: u32) -> Result<Option<T>>
where
    T: Serialize + DeserializeOwned,
{
    let damaged = |what: String| Error::damaged(path, what);
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
    if format != known {
        return Err(Error::Format {
            path: path.to_owned(),
            found: format,
            known,
        });
    }
    // The checksum is compared as text, with all other bytes.
    let contents = serde_json::from_slice(&bytes).map_err(json)?;
    if to_bytes(format, &contents) != bytes {
        return Err(damaged("checksum differs".to_owned()));
    }
    Ok(Some(contents))
}

/// Replace a file, durably.
pub(super) fn save<T: Serialize>(path: &Path, format: u32, contents: &T) -> Result<()> {
    file::write_atomic(path, &to_bytes(format, contents))
}

pub(super) fn checksum(contents: &impl Serialize) -> u32 {
    let bytes = serde_json::to_vec(contents).expect("the contents have a form in JSON");
    crc32fast::hash(&bytes)
}

fn to_bytes<T: Serialize>(format: u32, contents: &T) -> Vec<u8> {
    let contents = Formatted { format, contents };
    let crc32 = format!("{:08x}", checksum(&contents));
    let mut bytes = serde_json::to_vec_pretty(&Checked { contents, crc32 })
        .expect("the contents have a form in JSON");
    bytes.push(b'\n');
    bytes
}

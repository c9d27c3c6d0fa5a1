use std::{error::Error, fs::File, path::Path};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

/// The number of states of a file, and the largest expected score.
pub(crate) fn load(path: &Path) -> Result<(u64, f64), Box<dyn Error>> {
    let (mut states, mut largest) = (0, 0.0);
    for row in SerializedFileReader::new(File::open(path)?)?.get_row_iter(None)? {
        let score = row?.get_double(3)?;
        (states, largest) = (states + 1, f64::max(largest, score));
    }
    Ok((states, largest))
}

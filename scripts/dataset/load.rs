use std::{error::Error, fs::File, path::Path};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use parquet::schema::parser::parse_message_type;

/// The number of states of a file, and the greatest expected score.
pub(crate) fn load(path: &Path) -> Result<(u64, f64), Box<dyn Error>> {
    let columns = parse_message_type("message states { required double score; }")?;
    let (mut states, mut greatest) = (0, 0.0);
    for row in SerializedFileReader::new(File::open(path)?)?.get_row_iter(Some(columns))? {
        (states, greatest) = (states + 1, f64::max(greatest, row?.get_double(0)?));
    }
    Ok((states, greatest))
}

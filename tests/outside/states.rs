//! Exported states, read by numpy, polars and duckdb.

use std::fs;
use std::process::Command;

use crate::command::{good, place, run};
use crate::required::can_import;

#[test]
fn numpy_polars_and_duckdb_read_what_is_written() {
    if !can_import(&["numpy", "polars", "duckdb"]) {
        return;
    }
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    good(&place, "states run --format npy -o all.npy");
    good(&place, "states run --format parquet -o all.parquet");
    let npy = run(&place, "states run --format npy").stdout;
    assert_eq!(npy, fs::read(place.path().join("all.npy")).unwrap());
    let script = r#"
import duckdb, numpy, polars
states = numpy.load("all.npy")
assert states.dtype == numpy.uint64 and states.shape == (57,), states
table = polars.read_parquet("all.parquet")
assert table.columns == ["state", "sum", "max_tile", "cells"], table
assert table["state"].dtype == polars.UInt64, table
assert table["state"].to_list() == states.tolist()
for state, total, largest, cells in table.iter_rows():
    digits = [state >> shift & 15 for shift in (12, 8, 4, 0)]
    assert cells == [2**digit if digit else 0 for digit in digits], (state, cells)
    assert (sum(cells), max(cells)) == (total, largest), (state, cells)
found = duckdb.sql("select count(*), sum(len(cells)), max(max_tile) from 'all.parquet'").fetchall()
assert found == [(57, 4 * 57, 16)], found
"#;
    let output = Command::new("python3")
        .args(["-c", script])
        .current_dir(&place)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

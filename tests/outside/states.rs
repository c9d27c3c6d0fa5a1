//! numpy, polars and duckdb read exported states.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use crate::command::{good, place, run, stderr};

tests! {
    &[Package("numpy"), Package("polars"), Package("duckdb")] => [
        numpy_polars_and_duckdb_read_exports,
        values_are_equal_in_every_format,
    ],
}

/// Runs a Python script in `place`, and expects success.
fn agrees(place: &TempDir, script: &str) {
    let output = Command::new("python3")
        .args(["-c", script])
        .current_dir(place)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

fn numpy_polars_and_duckdb_read_exports() {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet --dir run");
    good(&place, "states run --format npy -o all.npy");
    good(&place, "states run --format parquet -o plain.parquet");
    good(&place, "states run --format parquet --cells -o all.parquet");
    good(
        &place,
        "states run --sum 12 --max-tile 4 --format parquet -o part.parquet",
    );
    good(&place, "states run --format csv -o all.csv");
    let npy = run(&place, "states run --format npy").stdout;
    assert_eq!(npy, fs::read(place.path().join("all.npy")).unwrap());
    let script = r#"
import duckdb, numpy, polars
states = numpy.load("all.npy")
assert states.dtype == numpy.int64 and states.shape == (57,), states
table = polars.read_parquet("all.parquet")
assert table.columns == ["state", "sum", "max_tile", "cells"], table
assert table["state"].dtype == polars.Int64, table
assert table["state"].to_list() == states.tolist()
for state, total, largest, cells in table.iter_rows():
    digits = [state >> shift & 15 for shift in (12, 8, 4, 0)]
    assert cells == [2**digit if digit else 0 for digit in digits], (state, cells)
    assert (sum(cells), max(cells)) == (total, largest), (state, cells)
found = duckdb.sql("select count(*), sum(len(cells)), max(max_tile) from 'all.parquet'").fetchall()
assert found == [(57, 4 * 57, 16)], found
assert polars.read_parquet("plain.parquet").equals(table.drop("cells"))
encodings = duckdb.sql("select path_in_schema, encodings from parquet_metadata('plain.parquet')").fetchall()
assert "DELTA_BINARY_PACKED" in dict(encodings)["state"], encodings
def metadata(name):
    found = duckdb.sql(f"select key, value from parquet_kv_metadata('{name}')").fetchall()
    return {key.decode(): value.decode() for key, value in found}
about = metadata("plain.parquet")
assert about.pop("enum48.version"), about
assert about == {
    "enum48.game": "2x2-32",
    "enum48.selection": "all",
    "enum48.states": "57",
    "enum48.fingerprint": "x3d677fbe9d7b4c34",
}, about
about = metadata("part.parquet")
# The part has 0x0222 and 0x1122; the run's table has its fingerprint.
assert (about["enum48.selection"], about["enum48.states"]) == ("--sum 12 --max-tile 4", "2"), about
row = duckdb.sql("select fingerprint from 'run/layers.csv' where sum = 12 and max_tile = 4").fetchall()[0]
assert about["enum48.fingerprint"] == row[0], (about, row)
numbers = duckdb.sql("select number from 'all.csv'").fetchnumpy()["number"]
assert numbers.tolist() == states.tolist(), numbers
"#;
    agrees(&place, script);
}

fn values_are_equal_in_every_format() {
    let place = place();
    good(&place, "--size 2x3 --keep both --quiet --dir run");
    good(&place, "solve run --for score,moves,64 --quiet");
    for format in ["npy", "csv", "parquet"] {
        let file = format!("--format {format} -o all.{format}");
        good(&place, &format!("states run --values {file}"));
    }
    good(
        &place,
        "states run --values --for 64 --cells --format parquet -o chosen.parquet",
    );
    let script = r#"
import duckdb, numpy, polars
states = numpy.load("all.npy", mmap_mode="r")
names = ("state", "score", "moves", "tile_64")
assert states.dtype.names == names and states.shape == (17268,), states
assert [str(states.dtype[name]) for name in names] == ["int64"] + 3 * ["float64"], states.dtype
table = polars.read_parquet("all.parquet")
assert table.columns == ["state", "sum", "max_tile", "score", "moves", "tile_64"], table
four = duckdb.sql("select value from parquet_kv_metadata('all.parquet') where key = 'enum48.four'")
assert four.fetchall() == [(b"1/10",)], four
assert table.dtypes[3:] == 3 * [polars.Float64], table
text = polars.read_csv("all.csv")
for name in names:
    column = "number" if name == "state" else name
    assert states[name].tolist() == table[name].to_list() == text[column].to_list(), name
chosen = polars.read_parquet("chosen.parquet")
assert chosen.columns == ["state", "sum", "max_tile", "cells", "tile_64"], chosen
assert chosen["tile_64"].equals(table["tile_64"]), chosen
# The mean over starts with two 2s, weighted by images: DomTheDeveloper/2048-undo, paper/main.tex.
starts = duckdb.sql("select state, score, tile_64 from 'all.parquet' where sum = 4").fetchall()
images = {0x000011: 4, 0x000101: 2, 0x001001: 2, 0x001010: 4, 0x001100: 2, 0x010010: 1}
score = sum(images[state] * score for state, score, _ in starts) / 15
assert f"{score:.2f}" == "480.99", (score, starts)
"#;
    agrees(&place, script);
}

#!/bin/sh
# Hexadecimal text in a CSV: pyarrow and DuckDB read 0x0011 as the number 17, and write 17 back; pandas and Polars keep
# the text. So a CSV that passes through the first two loses its boards' form silently.
# Seen with pyarrow 26.0.1, DuckDB 2.0.1, pandas 3.1.1, Polars 2.1.0 (Python 3.11, Linux x86-64). Fails if that changes.
set -eu
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/v"
"$place/v/bin/pip" install -q pyarrow==26.0.1 duckdb==2.0.1 pandas==3.1.1 polars==2.1.0
cd "$place" && printf 'state,name\n0x0011,a\n0x0110,b\n' > s.csv
v/bin/python - > seen <<'P'
import duckdb, pandas, polars, pyarrow.csv
print("pyarrow", pyarrow.csv.read_csv("s.csv")["state"].to_pylist())
print("duckdb", [state for state, in duckdb.sql("select state from 's.csv'").fetchall()])
print("pandas", pandas.read_csv("s.csv")["state"].tolist())
print("polars", polars.read_csv("s.csv")["state"].to_list())
P
cat > expected <<'S'
pyarrow [17, 272]
duckdb [17, 272]
pandas ['0x0011', '0x0110']
polars ['0x0011', '0x0110']
S
diff expected seen && cat seen

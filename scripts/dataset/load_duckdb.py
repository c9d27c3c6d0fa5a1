#!/usr/bin/env python3
"""load_duckdb.py FILE: prints the number of states and the greatest expected score. Needs duckdb."""
import sys

import duckdb

if len(sys.argv) != 2:
    sys.exit(__doc__)
print(*duckdb.execute("select count(*), max(score) from read_parquet($1)", [sys.argv[1]]).fetchone())

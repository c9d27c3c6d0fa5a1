#!/usr/bin/env python3
"""load_duckdb.py FILE: prints the number of states and the largest expected score. Needs duckdb."""
import sys

import duckdb

print(*duckdb.execute("select count(*), max(score) from read_parquet($1)", [sys.argv[1]]).fetchone())

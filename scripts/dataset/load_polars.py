#!/usr/bin/env python3
"""load_polars.py FILE: prints the number of states and the largest expected score. Needs polars."""
import sys

import polars

table = polars.read_parquet(sys.argv[1])
print(len(table), table["score"].max())

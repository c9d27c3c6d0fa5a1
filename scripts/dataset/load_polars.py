#!/usr/bin/env python3
"""load_polars.py FILE: prints the number of states and the greatest expected score. Needs polars."""
import sys

import polars

if len(sys.argv) != 2:
    sys.exit(__doc__)
table = polars.read_parquet(sys.argv[1], columns=["score"])
print(len(table), table["score"].max())

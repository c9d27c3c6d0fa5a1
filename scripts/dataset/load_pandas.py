#!/usr/bin/env python3
"""load_pandas.py FILE: prints the number of states and the greatest expected score. Needs pandas and pyarrow."""
import sys

import pandas

if len(sys.argv) != 2:
    sys.exit(__doc__)
table = pandas.read_parquet(sys.argv[1], columns=["score"])
print(len(table), table["score"].max())

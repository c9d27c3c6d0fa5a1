#!/usr/bin/env python3
"""load_pandas.py FILE: prints the number of states and the largest expected score. Needs pandas and pyarrow."""
import sys

import pandas

table = pandas.read_parquet(sys.argv[1])
print(len(table), table["score"].max())

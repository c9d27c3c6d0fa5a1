#!/usr/bin/env python3
"""Measures the Python module on a layer, as the best of five times, for results/performance.md.

  pip install . -r scripts/requirements.txt
  enum48 --size 4 --max 32 --until 88 --dir RUN
  scripts/python_speed.py RUN 86
"""

import failure  # first, as it tells of missing packages

import pathlib
import sys
import time

import enum48
import numpy as np
import read_part_fast

if len(sys.argv) != 3:
    failure.usage()
run, total = enum48.open(sys.argv[1]), int(sys.argv[2])
MILLION = 1_000_000


def measure(name, number, act, unit="ns"):
    """Print the time of each of `number` elements, or millions of elements a second; return the result."""
    seconds = []
    for _ in range(5):
        begin = time.perf_counter()
        made = act()
        seconds.append(time.perf_counter() - begin)
    each = {"ns": 1e9 * min(seconds) / number, "us": 1e6 * min(seconds) / number, "M/s": number / min(seconds) / 1e6}
    print(f"{name:32}{each[unit]:8.1f} {unit}")
    return made


layer = run.layer(total)
random = np.random.default_rng(48)
few, shuffled = layer[:MILLION], random.permutation(layer)
table = run.table()
here = table["sum"] == total
tile = int(table["max_tile"][here][table["live"][here].argmax()])
part = run.part(total, tile)
path = pathlib.Path(run.dir) / f"sum-{total:05}-max-{tile:05}.states"
print(f"{run}, sum {total}: {len(layer):,} states, {len(part):,} of them with the largest tile {tile}")

measure("layer", len(layer), lambda: run.layer(total), "M/s")
measure("blocks", len(layer), lambda: sum(map(len, run.blocks(total))), "M/s")
measure("read_part_fast", len(part), lambda: read_part_fast.read(path), "M/s")
measure("position, in order", len(layer), lambda: run.position(layer))
measure("position, in any order", len(layer), lambda: run.position(shuffled))
measure("position, a million of them", MILLION, lambda: run.position(shuffled[:MILLION]))
places = random.integers(0, len(part), MILLION)
measure("states_at, a million", MILLION, lambda: run.states_at(total, tile, places))
measure("canonical", len(layer), lambda: enum48.canonical(layer, run.shape))
measure("canonical, a million", MILLION, lambda: enum48.canonical(few, run.shape))
for act in (enum48.moves, enum48.spawns, enum48.cells):
    measure(f"{act.__name__}, a million", MILLION, lambda: act(few, run.shape))
measure("in, one at a time", 300, lambda: [board in run for board in shuffled[:300]], "us")

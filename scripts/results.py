#!/usr/bin/env python3
"""results.py DIR: writes DIR/README.md from the summaries (GAME.json) and logs that reproduce.sh left in DIR."""

import failure

import json
import pathlib
import re
import sys

from page import size, table

INTRODUCTION = """# Results

This page lists the counted games of 2x2, 2x3, 2x4, 3x3 and 4x4, and one game of 4x3 as far as it was counted. For each
game there is

- the table, `GAME.csv`, with [these columns](../README.md#files-and-tables);
- the log of the count, `GAME.log`, and its summary, `GAME.json`;
- a picture of the live states by tile sum, stacked by largest tile, `GAME.svg`, and one on a logarithmic axis,
  `GAME-log.svg`.

`scripts/reproduce.sh` makes the files again, and fails if a number differs. The four longest games must be named. Other
pages say [how much solved games are worth](solved.md), [why to believe the numbers](trust.md),
[how fast the program is](performance.md), [how it scales](scaling.md), and [how several machines count
together](cluster.md).

Games marked "to sum" are partial: they have all states up to that sum, and none beyond. The total is the live states,
one more for the loss, and one more for the win where the game reached it. The fingerprint links to the table. The
crate's package has the pages and tables, without logs and most pictures.
"""

RECIPES = """Games that are not listed take less than a second, with the options `--size` and `--max` alone.

One version counted all games on [one machine](performance.md#machine), with nothing beside it. 4x4 to 256 was
stopped and resumed three times; its time is the sum over its four starts.
Games of 4x4 were counted as bits, all other games as lists. Times of a second or two also wait for the disk. Memory is
the peak of anonymous resident memory. Disk is the files of live states at the end. With `--keep last` only the
states of the last layer are left, but a count needs disk on the way, which `--dry-run` tells. `GAME.json` has the date
and the commit of each count.
"""
# The source of figures that nobody else has published.
FIRST = "first counted by enum48"
# Seconds of a count that is too short for a recipe.
SHORT = 1

PARTS = """
Lees-Miller's repository has sixteen games part by part. `enum48 check GAME.csv --size SIZE --max TILE` compares a table
with it. All 3,837 parts of the fourteen games on this page are equal. Only parts with live states are published.

4x3 without a winning tile is published, but not counted in full here: 1,152,817,492,752 live and dead states, and
739,648,886,170 afterstates (Kaneko and Yamashita, 2025).
"""

STRIPED = """## The striped board

The code is a game that ends in `4 8 16 32 / 16 32 16 32 / 32 16 32 16 / 16 32 16 32`, a board of the last layer of 4x4
to 64 (Lees-Miller, 2017):

```text
CODE
```

`enum48 witness 0x2345454554544545 --size 4 --max 64` found it. `enum48 replay - < striped.code` or
`scripts/replay_code.py < striped.code` checks it, and [`striped.html`](striped.html) plays it.
"""


def number(value):
    return f"{value:,}"


def key(run):
    return (run["rows"] * run["cols"], run["rows"], run["max"] or 1 << 20)


def main():
    if len(sys.argv) != 2:
        failure.usage()
    directory = pathlib.Path(sys.argv[1])
    runs = sorted((json.loads(path.read_text()) for path in directory.glob("*.json")), key=key)
    lines = [INTRODUCTION]
    rows = []
    for run in runs:
        name = run["game"] + ("" if run["complete"] else f", to sum {run['last_sum']}")
        counts = [number(run[column]) for column in ("live", "dead", "labeled", "afterstates", "total", "layers")]
        fingerprint = f"[`{run['fingerprint']}`]({run['game']}.csv)"
        rows.append([f"[{name}]({run['game']}.svg)", *counts, fingerprint])
    heads = "game|live|dead|labeled|afterstates|total|layers|fingerprint"
    lines += ["## Counts\n", table(heads, "--- --: --: --: --: --: --: ---", rows)]

    rows = []
    for run in runs:
        if run["seconds"] >= SHORT:
            sizes = [size(run["peak_memory"]), size(run["bytes"])]
            rows.append([f"`{run['command']}`", f"{run['seconds']:.2f} s", *sizes])
    heads = "command|time|memory|disk"
    lines += ["## Recipes\n", RECIPES, table(heads, "--- --: --: --:", rows)]

    rows, sources = [], []
    verdict = re.compile(r"^(agrees|DIFFERS) +(\S+) +(.+?) {2,}([\d,]+) +([\d,]+) +(.*)$", re.M)
    for run in runs:
        log = (directory / f"{run['game']}.log").read_text()
        for _, game, figure, published, counted, source in verdict.findall(log):
            if source.startswith(FIRST):
                continue
            if source not in sources:
                sources.append(source)
            rows.append([game, figure, published, counted, f"[{sources.index(source) + 1}]"])
    heads = "game|figure|published|counted|source"
    lines += ["## Against published numbers\n", table(heads, "--- --- --: --: ---", rows)]
    lines += [f"- [{number}] {source}" for number, source in enumerate(sources, 1)]
    lines.append(PARTS)
    lines.append(STRIPED.replace("CODE", (directory / "striped.code").read_text().strip()))
    (directory / "README.md").write_text("\n".join(lines))


main()

#!/usr/bin/env python3
"""results.py DIR: writes DIR/README.md from the summaries (GAME.json) and logs that reproduce.sh left there."""

import json
import pathlib
import re
import sys

from page import size, table

INTRODUCTION = """# Results

Every game that two cores can count in some hours, and larger ones as far as they went, as counted by
`scripts/reproduce.sh --long` on [the reference machine](performance.md). For each game there is

- the table, `GAME.csv`, with [these columns](../README.md#files-and-tables);
- the log of the count, `GAME.log`, and its summary, `GAME.json`;
- a picture of the live states by tile sum, stacked by largest tile, `GAME.svg`, and on a logarithmic axis,
  `GAME-log.svg`.

`scripts/reproduce.sh` makes all of this again and fails if a number differs. Other pages say
[what solved games are worth](solved.md), [why to believe the numbers](trust.md),
[how fast the program is](performance.md), and [what larger games would take](scaling.md).

Games marked "to sum" below are partial: they have all states up to that sum, and none beyond. Where no winning tile is
near, games agree: each part of 4x4 to 128 with tiles up to 32 is the same as in 4x4 to 64, with all its counts and its
fingerprint, and so it is with 4x4 to 64 and 4x4 to 32.
"""

RECIPES = """Each of these counts ran with other work on the machine; 4x4 to 128 and to 256 as bits, all others as lists. 4x4 to 64
was killed twice on the way and resumed, 4x4 to 128 three times, to go on with a faster version; the logs show where, and
the times are those of all starts together. Memory is the most that was anonymous and resident; disk is the files of all layers,
including those that `--keep last` deleted.
"""


def number(value):
    return f"{value:,}"


def key(run):
    return (run["rows"] * run["cols"], run["rows"], run["max"] or 1 << 20)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    runs = sorted((json.loads(path.read_text()) for path in directory.glob("*.json")), key=key)
    lines = [INTRODUCTION]
    rows = []
    for run in runs:
        name = run["game"] + ("" if run["complete"] else f", to sum {run['last_sum']}")
        counts = [number(run[column]) for column in ("live", "dead", "labeled", "afterstates")]
        reached = ["yes" if run[end] else "no" for end in ("win", "loss")]
        rows.append([f"[{name}]({run['game']}.svg)", *counts, *reached, number(run["total"]), number(run["layers"])])
    heads = "game|live|dead|labeled|afterstates|win|loss|total|layers"
    lines += ["## Counts\n", table(heads, "--- --: --: --: --: :-: :-: --: --:", rows)]

    rows = []
    for run in runs:
        cells = [
            f"[{run['game']}.csv]({run['game']}.csv)",
            f"`{run['command']}`",
            run["date"],
            run["commit"],
            f"{run['seconds']:.2f} s",
            size(run["peak_memory"]),
            size(run["bytes"]),
            f"`{run['fingerprint']}`",
        ]
        rows.append(cells)
    heads = "file|command|date|commit|time|memory|disk|fingerprint"
    lines += ["## Recipes\n", RECIPES, table(heads, "--- --- --- --- --: --: --: ---", rows)]

    rows = []
    verdict = re.compile(r"^(agrees|DIFFERS) +(\S+) +(.+?) {2,}([\d,]+) +([\d,]+) +(.*)$", re.M)
    for run in runs:
        log = (directory / f"{run['game']}.log").read_text()
        for _, game, figure, published, counted, source in verdict.findall(log):
            rows.append([game, figure, published, counted, source])
    heads = "game|figure|published|counted|source"
    lines += ["## Against published numbers\n", table(heads, "--- --- --: --: ---", rows)]
    lines.append(
        "Lees-Miller's repository has sixteen games part by part. `enum48 check GAME.csv --size SIZE --max TILE` compares: "
        "all\n3,837 parts of the fourteen that are here are equal."
    )
    lines.append(
        "\nPublished, but not counted here in full: 4x3 without a winning tile (1,152,817,492,752 live and dead states,\n"
        "739,648,886,170 afterstates; Kaneko and Yamashita, 2025)."
    )
    lines.append(
        "\n## The striped board\n\nThis game ends in `4 8 16 32 / 16 32 16 32 / 32 16 32 16 / 16 32 16 32`, a board of the "
        "last layer of 4x4 to 64\n(Lees-Miller, 2017):\n\n```text\n"
        + (directory / "striped.code").read_text()
        + "```\n\n`enum48 witness 0x2345454554544545 --size 4 --max 64` found it. `enum48 replay - < striped.code` or\n"
        "`scripts/replay_code.py < striped.code` checks it. [`striped.html`](striped.html) plays it."
    )
    (directory / "README.md").write_text("\n".join(lines) + "\n")


main()

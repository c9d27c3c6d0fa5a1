#!/usr/bin/env python3
"""results.py DIR: writes DIR/README.md from the summaries (GAME.json) that reproduce.sh left there."""

import json
import pathlib
import re
import sys

INTRODUCTION = """# Results

Every game that can be counted in an hour on two cores, and two larger ones as far as they went, as
`scripts/reproduce.sh --long` counts them on the reference machine: 2 cores of an AMD EPYC with AVX-512, 24 GiB. For each there is the table (`GAME.csv`, the columns
explained in the README above), the log of the count (`GAME.log`), its summary (`GAME.json`), and two pictures, live states
by tile sum, stacked by largest tile (`GAME.svg`) and on a logarithmic axis (`GAME-log.svg`).
`scripts/reproduce.sh` makes all of it again and fails where a number differs. [`scaling.md`](scaling.md) says
what larger games would take.

Tables that say "to sum" in their line below are partial: all states of those sums, and none of any greater. 4x4 to 64
was killed twice on the way and went on; the log shows where, and the time is that of all starts together.
Where no winning tile is near, games agree: each part of 4x4 to 128 with tiles up to 32 is that of 4x4 to 64, with
all its counts and its fingerprint, and so for 4x4 to 64 and 4x4 to 32.

The time is that of one count with other work on the machine; memory is the most that was anonymous and resident,
disk the files of all layers.
"""


def number(value):
    return f"{value:,}"


def size(value):
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def key(run):
    return (run["rows"] * run["cols"], run["rows"], run["max"] or 1 << 20)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    runs = sorted((json.loads(path.read_text()) for path in directory.glob("*.json")), key=key)
    lines = [INTRODUCTION]
    lines += ["## Counts\n", "| game | live | dead | labeled | afterstates | win | loss | total | layers |"]
    lines += ["|---|--:|--:|--:|--:|:-:|:-:|--:|--:|"]
    for run in runs:
        name = run["game"] + ("" if run["complete"] else f", to sum {run['last_sum']}")
        counts = [number(run[column]) for column in ("live", "dead", "labeled", "afterstates")]
        reached = ["yes" if run[end] else "no" for end in ("win", "loss")]
        cells = [f"[{name}]({run['game']}.svg)", *counts, *reached, number(run["total"]), number(run["layers"])]
        lines.append("| " + " | ".join(cells) + " |")

    lines += ["\n## Recipes\n", "| file | command | commit | time | memory | disk | fingerprint |"]
    lines += ["|---|---|---|--:|--:|--:|---|"]
    for run in runs:
        cells = [
            f"[{run['game']}.csv]({run['game']}.csv)",
            f"`{run['command']}`",
            run["commit"],
            f"{run['seconds']:.2f} s",
            size(run["peak_memory"]),
            size(run["bytes"]),
            f"`{run['fingerprint']}`",
        ]
        lines.append("| " + " | ".join(cells) + " |")

    lines += ["\n## Against published numbers\n", "| game | figure | published | counted | source |"]
    lines += ["|---|---|--:|--:|---|"]
    verdict = re.compile(r"^(agrees|DIFFERS) +(\S+) +(.+?) {2,}([\d,]+) +([\d,]+) +(.*)$", re.M)
    for run in runs:
        log = (directory / f"{run['game']}.log").read_text()
        for _, game, figure, published, counted, source in verdict.findall(log):
            lines.append(f"| {game} | {figure} | {published} | {counted} | {source} |")
    lines.append(
        "\nPublished and not counted here in full: 4x3 without a winning tile (1,152,817,492,752 live and dead states,\n"
        "739,648,886,170 afterstates, Kaneko and Yamashita, 2025)."
    )
    lines.append(
        "\n## The striped board\n\n`4 8 16 32 / 16 32 16 32 / 32 16 32 16 / 16 32 16 32`, of the last layer of 4x4 to 64 "
        "(Lees-Miller, 2017), is where this game ends:\n\n```text\n"
        + (directory / "striped.code").read_text()
        + "```\n\nFound by `enum48 witness 0x2345454554544545 --size 4 --max 64`; checked by `enum48 replay - < striped.code` or "
        "`scripts/replay_code.py < striped.code`;\n[`striped.html`](striped.html) plays it."
    )
    (directory / "README.md").write_text("\n".join(lines) + "\n")


main()

#!/usr/bin/env python3
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib"]
# ///
"""Plots what scripts/scaling.py measured: states a second by threads, by memory bound, and by size of layer.

The last is from the log of a count (what it wrote to stderr). If a layer was counted again after a kill, its
last time is used.

Needs matplotlib: pip install matplotlib, or start the script with "uv run", which fetches it.
"""

import re
from pathlib import Path

from plot_layers import fail, figure, natural, parse, parser, read, save

EXAMPLE = """example:
  scripts/plot_scaling.py results/scaling.csv results/4x4-64.log -o scaling.png"""

# Shorter times say more about the clock than about the layer.
SHORTEST = 0.05


def memory(text):
    number, unit = re.fullmatch(r"(\d+)([MG])", text).groups()
    return int(number) / (1024 if unit == "M" else 1)


def seconds(text):
    number = float(text)
    if not 0 < number < 1e9:
        raise ValueError
    return number


COLUMNS = {"sum": natural, "states": natural, "threads": natural, "memory": memory, "seconds": seconds}


def layers(log):
    """States and million states a second of each layer in a log."""
    try:
        text = log.read_text(encoding="utf-8")
    except OSError as error:
        fail(f"{log}: {error.strerror}")
    found = re.findall(r"^sum=(\d+) layer=(\d+) .*layer_sec=([\d.]+)", text, re.M)
    last = {total: (int(states), float(time)) for total, states, time in found}
    return [(states, states / time / 1e6) for states, time in last.values() if time > SHORTEST]


def main():
    args = parser(__doc__, EXAMPLE)
    args.add_argument("table", metavar="scaling.csv", type=Path)
    args.add_argument("log", metavar="LOG", type=Path)
    args = parse(args)

    picture = figure(args.o, 11, 4.5)
    rows = read(args.table, COLUMNS)
    most = max(row[2] for row in rows)
    usual = 8
    by_threads, by_memory, by_size = picture.subplots(1, 3, width_ratios=[1, 2, 3], sharey=True)

    threads = {row[2]: row[1] / row[4] / 1e6 for row in rows if row[3] == usual}
    by_threads.bar([str(number) for number in sorted(threads)], [threads[number] for number in sorted(threads)])
    by_threads.set_xlabel("Threads, 8G")
    by_threads.set_ylabel("Million states a second")

    bounds = sorted((row[3], row[1] / row[4] / 1e6) for row in rows if row[2] == most)
    by_memory.plot(*zip(*bounds), marker="o")
    by_memory.set_xscale("log", base=2)
    by_memory.set_xticks([bound for bound, _ in bounds], [f"{bound:g}" for bound, _ in bounds])
    by_memory.set_xlabel(f"--memory, GiB, {most} threads")

    by_size.scatter(*zip(*layers(args.log)), s=9)
    by_size.set_xscale("log")
    by_size.set_xlabel(f"States of a layer of {args.log.stem.replace('-', ' to ')}")
    for axes in (by_threads, by_memory, by_size):
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
    picture.suptitle(f"A layer of {rows[0][1]:,} states, and layers of all sizes")
    save(picture, args.o)


if __name__ == "__main__":
    main()

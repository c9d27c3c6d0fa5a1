#!/usr/bin/env python3
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib"]
# ///
"""Plots the table of scripts/scaling.py: states a second by threads, by memory bound, and by size of layer.

The sizes and times of layers are from the logs of counts, which a count writes to stderr. If a layer was counted again
after a kill, its last time is used.

Needs matplotlib: pip install matplotlib, or start the script with "uv run", which fetches it.
"""

import re
from pathlib import Path

from picture import fail, figure, natural, one_of, parse, parser, positive, read, save, spoken, tick_numbers

EXAMPLE = """example:
  scripts/plot_scaling.py results/scaling.csv results/4x4-64.log results/4x4-128.log -o scaling.png"""

# Shorter times say more about the clock than about the layer.
SHORTEST = 0.05


def memory(text):
    number, unit = re.fullmatch(r"(\d+)([MG])", text).groups()
    return int(number) / (1024 if unit == "M" else 1)


COLUMNS = {
    "sum": natural,
    "states": natural,
    "engine": one_of("lists", "bits"),
    "threads": natural,
    "memory": memory,
    "seconds": positive,
}


def layers(log):
    """States and million states a second of each layer in a log."""
    try:
        text = log.read_text(encoding="utf-8")
    except OSError as error:
        fail(f"{log}: {error.strerror}")
    found = re.findall(r"\bsum=(\d+) layer=(\d+) .*layer_sec=([\d.]+)", text, re.M)
    last = {total: (int(states), float(time)) for total, states, time in found}
    return [(states, states / time / 1e6) for states, time in last.values() if time > SHORTEST]


def main():
    args = parser(__doc__, EXAMPLE)
    args.add_argument("table", metavar="scaling.csv", type=Path)
    args.add_argument("log", metavar="LOG", type=Path, nargs="+")
    args = parse(args)

    picture = figure(args.o, 11, 4.5)
    rows = read(args.table, COLUMNS)
    rate = {tuple(row[2:5]): row[1] / row[5] / 1e6 for row in rows}
    most = max(threads for _, threads, _ in rate)
    usual = 8
    by_threads, by_memory, by_size = picture.subplots(1, 3, width_ratios=[1.2, 2, 3], sharey=True)

    for shift, name in [(-0.2, "lists"), (0.2, "bits")]:
        bars = {threads: speed for (engine, threads, bound), speed in rate.items() if (engine, bound) == (name, usual)}
        by_threads.bar([threads + shift for threads in bars], bars.values(), width=0.4, label=name)
    by_threads.set_xticks(range(1, most + 1))
    by_threads.set_xlabel("Threads, 8G")
    by_threads.set_ylabel("Million states a second")
    by_threads.legend(frameon=False)

    of_lists = {bound: speed for (engine, threads, bound), speed in rate.items() if (engine, threads) == ("lists", most)}
    bounds = sorted(of_lists.items())
    by_memory.plot(*zip(*bounds), marker="o")
    by_memory.set_xscale("log", base=2)
    by_memory.set_xticks([bound for bound, _ in bounds], [f"{bound:g}" for bound, _ in bounds])
    by_memory.set_xlabel(f"--memory, GiB, lists, {most} threads")

    for log in args.log:
        by_size.scatter(*zip(*layers(log)), s=9, label=spoken(log.stem))
    by_size.set_xscale("log")
    tick_numbers(by_size.xaxis)
    by_size.set_xlabel("States of a layer")
    by_size.legend(frameon=False)
    for axes in (by_threads, by_memory, by_size):
        axes.set_ylim(bottom=0)
    picture.suptitle(f"A layer of {rows[0][1]:,} states, and layers of all sizes")
    save(picture, args.o)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib"]
# ///
"""Plots the table of scripts/compression.sh: bits a state against speed, with a point for each zstd level.

Needs matplotlib: pip install matplotlib, or start the script with "uv run", which fetches it.
"""

from pathlib import Path

from picture import figure, label, parse, parser, read, save

EXAMPLE = """example:
  scripts/compression.sh --quick
  scripts/plot_compression.py compression.csv -o compression.png"""


def positive(text):
    number = float(text)
    if not 0 < number < 1e9:
        raise ValueError
    return number


COLUMNS = {
    "level": int,
    "bits_per_state": positive,
    "encode_ns_per_state": positive,
    "decode_ns_per_state": positive,
}


def main():
    args = parser(__doc__, EXAMPLE)
    args.add_argument("table", metavar="compression.csv", type=Path)
    args = parse(args)

    picture = figure(args.o, 11, 6)
    from matplotlib import ticker

    levels, bits, *times = zip(*read(args.table, COLUMNS))
    encoding, decoding = ([1e3 / time for time in nanoseconds] for nanoseconds in times)
    size, speed = picture.subplots(1, 2, width_ratios=[3, 2])

    points = list(zip(encoding, bits))
    # No other level is both faster and smaller than one of these.
    frontier = [a for a in points if not any(b[0] > a[0] and b[1] < a[1] for b in points)]
    size.plot(*zip(*sorted(frontier)), color="lightgrey", zorder=0)
    size.scatter(*zip(*points), s=16)
    size.set_xscale("log")
    size.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    size.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,g}"))
    size.xaxis.set_minor_formatter(ticker.NullFormatter())
    size.set_xlabel("Million states encoded a second, one core")
    size.set_ylabel("Bits a state")

    speed.bar(levels, decoding)
    speed.set_xticks(levels)
    speed.tick_params(axis="x", labelsize=8)
    speed.set_xlabel("Level")
    speed.set_ylabel("Million states decoded a second, one core")
    picture.suptitle(f"zstd levels {min(levels)} to {max(levels)}")
    label(size, [(level, point, "black") for level, point in zip(levels, points)], fontsize=8)
    save(picture, args.o)


if __name__ == "__main__":
    main()

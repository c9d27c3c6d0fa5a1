#!/usr/bin/env python3
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib"]
# ///
"""Plots the table of scripts/compression.sh: bits a live state against speed, with a point for each zstd level.

Needs matplotlib: pip install matplotlib, or start the script with "uv run",
which fetches it.
"""

from pathlib import Path

from picture import figure, label, one_of, parse, parser, positive, read, save

EXAMPLE = """example:
  scripts/compression.sh --quick
  scripts/plot_compression.py compression.csv -o compression.png"""


COLUMNS = {
    "level": int,
    "bits_per_state": positive,
    "encode_ns_per_state": positive,
    "decode_ns_per_state": positive,
    "form": one_of("lists", "matrices"),
}
COLORS = {"lists": "C0", "matrices": "C1"}


def main():
    args = parser(__doc__, EXAMPLE)
    args.add_argument("table", metavar="compression.csv", type=Path)
    args = parse(args)

    picture = figure(args.o, 11, 6)
    from matplotlib import ticker

    table = read(args.table, COLUMNS)
    axes = picture.subplots()
    names = []
    for kind, color in COLORS.items():
        levels = [(level, (1e3 / encoding, bits)) for level, bits, encoding, _, of in table if of == kind]
        if not levels:
            continue
        points = [point for _, point in levels]
        # No other level is both faster and smaller than one of these.
        best = [a for a in points if not any(b[0] > a[0] and b[1] < a[1] for b in points)]
        axes.plot(*zip(*sorted(best)), color="lightgrey", zorder=0)
        axes.scatter(*zip(*points), s=16, color=color, label=kind)
        names += [(level, point, "black") for level, point in levels]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(ticker.StrMethodFormatter("{x:,g}"))
        axis.set_minor_formatter(ticker.NullFormatter())
    axes.set_xlabel("Million states encoded a second, one core")
    axes.set_ylabel("Bits a live state")
    axes.legend()
    levels = [row[0] for row in table]
    axes.set_title(f"zstd levels {min(levels)} to {max(levels)}")
    label(axes, names, fontsize=8)
    save(picture, args.o)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib"]
# ///
"""Plots the values of a solved game by the sum of the tiles.

Reads a table of "enum48 solve --csv". For the score or for moves, plots two lines for each largest tile: the mean
value of its afterstates, and above it, thin, the greatest. For tiles, plots two lines for each tile: the chance to
reach it from the afterstates without it. The least values are left out: in most parts they are 0, or soon become 0.

Needs matplotlib: pip install matplotlib, or start the script with "uv run", which fetches it.
"""

import math
import re
from pathlib import Path

from picture import color_of, fail, figure, is_tile, natural, parse, parser, read, save, spoken, tick_sums

EXAMPLE = """examples:
  enum48 solve enum48-data/3x3 --for score,512,1024 --csv 3x3.csv
  scripts/plot_values.py 3x3.csv --for score -o 3x3-score.svg
  scripts/plot_values.py 3x3.csv --for 512,1024 -o 3x3-chances.svg"""

AXES = {"score": "Score to come", "moves": "Moves to come"}


def worth(text):
    number = float(text)
    if not 0 <= number < 2**32:
        raise ValueError
    return number


class Part:
    """The values of a part's afterstates, for each objective: the mean and the greatest."""

    def __init__(self, row, objectives):
        self.sum, self.max_tile, self.afterstates, *numbers = row
        self.worth = dict(zip(objectives, zip(numbers[::2], numbers[1::2])))


def read_parts(table, objectives):
    columns = dict.fromkeys(("sum", "max_tile", "afterstates"), natural)
    for name in objectives:
        columns |= {f"{name}_mean": worth, f"{name}_greatest": worth}
    parts = [Part(row, objectives) for row in read(table, columns)]
    for part in parts:
        if not is_tile(part.max_tile):
            fail(f"{table}: max_tile {part.max_tile}: not a tile")
        if part.afterstates == 0 or part.sum % 2 or part.sum > 16 * 65536:
            fail(f"{table}: sum {part.sum} with {part.afterstates} afterstates: no such part")
    return sorted(parts, key=lambda part: part.sum)


def joined(parts, name):
    """By sum, the values of all afterstates of these parts: the mean and the greatest."""
    layers = {}
    for part in parts:
        layers.setdefault(part.sum, []).append(part)
    for total, layer in layers.items():
        means, greatest = zip(*(part.worth[name] for part in layer))
        whole = sum(mean * part.afterstates for mean, part in zip(means, layer))
        yield total, whole / sum(part.afterstates for part in layer), max(greatest)


def curves(axes, parts, name, tile, unit=1):
    """Draw a line of means, and a thin line of the greatest, with gaps where sums are missing."""
    rows = []
    for total, *worth in joined(parts, name):
        if rows and total > rows[-1][0] + 2:
            rows.append((total - 2, math.nan, math.nan))
        rows.append((total, *(unit * number for number in worth)))
    sums, means, greatest = zip(*rows)
    # A single point needs a marker, because it has no line.
    alone = {"marker": "." if len(rows) == 1 else None}
    axes.plot(sums, greatest, color=color_of(tile), linewidth=0.6, **alone)
    axes.plot(sums, means, color=color_of(tile), linewidth=1.7, label=f"{tile:,}", **alone)


def finish(axes, title, what):
    axes.set_title(title)
    axes.set_xlabel("Sum of the tiles")
    axes.set_ylabel(what)
    axes.set_xlim(0, 1.02 * axes.dataLim.xmax)
    axes.set_ylim(0, 1.04 * axes.dataLim.ymax)
    tick_sums(axes.xaxis, 12)
    axes.yaxis.set_major_formatter("{x:,.0f}")


def main():
    args = parser(__doc__, EXAMPLE)
    args.add_argument("table", metavar="TABLE", type=Path, help='a table of "enum48 solve --csv"')
    args.add_argument(
        "--for",
        dest="objectives",
        metavar="OBJECTIVES",
        default="score",
        help="the objectives: score, moves, or tiles, separated by commas [default: score]",
    )
    args = parse(args)
    tiles = re.fullmatch(r"\d+(,\d+)*", args.objectives)
    if not tiles and args.objectives not in AXES:
        fail(f"--for: {args.objectives}: neither score nor moves nor tiles: see --help")
    objectives = args.objectives.split(",")
    parts = read_parts(args.table, objectives)

    picture = figure(args.o, 9, 5)
    axes = picture.subplots()
    name = spoken(args.table.stem)
    if tiles:
        for tile in map(int, objectives):
            without = [part for part in parts if part.max_tile < tile]
            curves(axes, without or fail(f"{args.table}: no part without {tile}"), str(tile), tile, unit=100)
        finish(axes, f"{name}: chance to reach a tile, mean and greatest of boards without it", "Chance (%)")
        picture.legend(loc="outside right upper", title="Tile", frameon=False)
    else:
        for tile in sorted({part.max_tile for part in parts}, reverse=True):
            curves(axes, [part for part in parts if part.max_tile == tile], args.objectives, tile)
        finish(axes, f"{name}: {AXES[args.objectives].lower()}, mean and greatest", AXES[args.objectives])
        picture.legend(loc="outside right upper", title="Largest tile", frameon=False)
    save(picture, args.o)


if __name__ == "__main__":
    main()

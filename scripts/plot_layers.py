#!/usr/bin/env python3
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib"]
# ///
"""Plots the live states of a counted game by the sum of the tiles.

Given one table (layers.csv from a run's directory, or a file that --csv wrote), plots the states of
each sum, stacked by largest tile; with --log, a line for each largest tile, and the total in black.
Given several, plots a line for the total of each game.

Needs matplotlib: pip install matplotlib, or start the script with "uv run", which fetches it.
"""

import argparse
import csv
import re
import sys
from pathlib import Path

EXAMPLE = """example:
  enum48 --size 3 --max 1024
  scripts/plot_layers.py enum48-data/3x3-1024/layers.csv -o 3x3-1024.svg"""

# Leave the date out, so that the same table gives the same file.
METADATA = {".svg": {"Date": None}, ".png": {}, ".pdf": {"CreationDate": None}}


def fail(what):
    print(f"{Path(sys.argv[0]).name}: {what}", file=sys.stderr)
    sys.exit(2)


def parser(doc, example):
    """An argument parser with the option -o."""
    result = argparse.ArgumentParser(
        description=doc,
        epilog=example,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    result.error = lambda what: fail(f"{what}: see --help")
    result.add_argument(
        "-o", metavar="FILE", type=Path, required=True, help="what to write: .svg, .png or .pdf"
    )
    return result


def parse(parser):
    """The parsed arguments. If there are none, print the help and exit."""
    if len(sys.argv) == 1:
        parser.print_help(sys.stderr)
        sys.exit(2)
    return parser.parse_args()


def figure(out, width, height):
    """An empty figure, to be written to `out`. Only this needs matplotlib."""
    if out.suffix not in METADATA:
        fail(f"{out}: must end in {', '.join(METADATA)}")
    try:
        import matplotlib
    except ModuleNotFoundError:
        fail("needs matplotlib: pip install matplotlib, or start it with uv run")
    from matplotlib.figure import Figure

    # Keep text as text, and make the ids in the file the same each time.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "enum48"})
    return Figure(figsize=(width, height), layout="constrained")


def save(figure, out):
    try:
        figure.savefig(out, dpi=150, metadata=METADATA[out.suffix])
    except OSError as error:
        fail(f"{out}: {error.strerror}")


def read(path, columns):
    """The rows of a table, each as the list of its numbers in `columns`."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            for name in columns:
                if name not in (table.fieldnames or []):
                    fail(f"{path}: no column {name}")
            rows = []
            for row in table:
                try:
                    rows.append([columns[name](row[name]) for name in columns])
                except (TypeError, ValueError):
                    fail(f"{path}: line {table.line_num}: not a row of numbers")
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    except (UnicodeDecodeError, csv.Error):
        fail(f"{path}: not a CSV file")
    return rows or fail(f"{path}: no rows")


def natural(text):
    number = int(text)
    if not 0 <= number < 2**64:
        raise ValueError
    return number


class Game:
    """A table: its name, its sums, and the live states of each sum, by largest tile and in total."""

    def __init__(self, path, name):
        rows = read(path, dict.fromkeys(("sum", "max_tile", "live", "afterstates"), natural))
        states = [row[:3] for row in rows if row[2] > 0] or fail(f"{path}: no live states")
        # Sums are even. None is left out, so that a layer without states shows as empty.
        self.sums = range(min(states)[0], max(states)[0] + 1, 2)
        if self.sums[-1] > 16 * 65536:
            fail(f"{path}: sum {self.sums[-1]}: more than any board has")
        self.tiles = {tile: [0] * len(self.sums) for tile in sorted({row[1] for row in states})}
        for total, tile, live in states:
            if total not in self.sums:
                fail(f"{path}: sum {total}: an odd distance from the first")
            self.tiles[tile][self.sums.index(total)] += live
        self.total = [sum(layer) for layer in zip(*self.tiles.values())]
        # Spawns lead from an afterstate to the next two sums: the count can go on if there is one.
        last = max(rows)[0]
        goes_on = any(row[3] for row in rows if row[0] > last - 4)
        name = name or named(path)
        until = f" up to sum {last:,}" if goes_on else ""
        self.title = f"{name}{until}: {sum(self.total):,} live states"

    def stairs(self, axes, values, **style):
        """A step for each sum, as wide as the distance to the next."""
        axes.stairs(values, [self.sums.start - 1, *(total + 1 for total in self.sums)], **style)


def named(path):
    """The game's name, from its file or directory: 3x3-1024 is "3x3 to 1024"."""
    path = path.resolve()
    name = path.parent.name if path.name == "layers.csv" else path.stem
    return re.sub(r"^(\d+x\d+)-(\d+)$", r"\1 to \2", name)


def stack(axes, game, shades):
    # From the top down, each drawn over the one before, so that no gaps show between them.
    above = list(game.total)
    for tile, shade in reversed(shades.items()):
        game.stairs(axes, above, fill=True, color=shade, label=f"{tile:,}")
        above = [high - low for high, low in zip(above, game.tiles[tile])]


def lines(axes, game, shades):
    # The total is drawn wider than what covers it, so that it shows where one tile has nearly all states.
    game.stairs(axes, gaps(game.total), baseline=None, color="black", label="all", linewidth=2.5)
    for tile, shade in reversed(shades.items()):
        values = gaps(game.tiles[tile])
        game.stairs(axes, values, baseline=None, color=shade, label=f"{tile:,}", linewidth=1.3)


def gaps(values):
    """The values without zeros, which a logarithmic axis cannot show."""
    return [value or float("nan") for value in values]


def main():
    args = parser(__doc__, EXAMPLE)
    args.add_argument("tables", metavar="layers.csv", type=Path, nargs="+", help="one for each game")
    args.add_argument("--log", action="store_true", help="use a logarithmic axis")
    args.add_argument(
        "--game",
        "--title",
        action="append",
        default=[],
        metavar="NAME",
        help="a game's name, once for each table [default: from the file or its directory]",
    )
    args = parse(args)
    if len(args.game) not in (0, len(args.tables)):
        fail(f"--game: {len(args.game)} names for {len(args.tables)} tables: see --help")

    picture = figure(args.o, 9, 5)
    from matplotlib import colormaps, ticker

    games = [Game(*pair) for pair in zip(args.tables, args.game or [None] * len(args.tables))]
    axes = picture.subplots()
    if len(games) > 1:
        for game in games:
            values = gaps(game.total) if args.log else game.total
            game.stairs(axes, values, baseline=None, label=game.title, linewidth=1.3)
        picture.legend(loc="outside upper left", frameon=False)
    else:
        [game] = games
        steps = max(len(game.tiles) - 1, 1)
        shades = [colormaps["Blues"](0.3 + 0.6 * at / steps) for at in range(len(game.tiles))]
        draw = lines if args.log else stack
        draw(axes, game, dict(zip(game.tiles, shades)))
        axes.set_title(game.title)
        picture.legend(loc="outside right upper", title="Largest tile", frameon=False)

    axes.set_xlabel("Sum of the tiles")
    axes.set_ylabel("Live states")
    most = max(max(game.total) for game in games)
    axes.set_xlim(min(game.sums[0] for game in games) - 1, max(game.sums[-1] for game in games) + 1)
    if args.log:
        axes.set_yscale("log")
        axes.set_ylim(0.7, max(1.5 * most, 12))
        axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    else:
        axes.set_ylim(0, 1.05 * most)
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "linear":
            axis.set_major_locator(ticker.MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
    axes.spines[["top", "right"]].set_visible(False)
    save(picture, args.o)


if __name__ == "__main__":
    main()

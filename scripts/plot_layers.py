#!/usr/bin/env python3
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib"]
# ///
"""Plots the live states of a counted game by the sum of the tiles.

Given one run (its directory, its layers.csv, or a file that --csv wrote), plots the states of each sum,
stacked by largest tile; with --log, a line for each largest tile, and the total in black. Given several
runs, plots a line for the total of each game. With --panels, each largest tile has its own axes.

Needs matplotlib: pip install matplotlib, or start the script with "uv run", which fetches it.
"""

import argparse
import json
import math
from pathlib import Path

from picture import (
    color,
    color_of,
    fail,
    figure,
    is_tile,
    label,
    natural,
    parse,
    parser,
    read,
    save,
    spoken,
    tick_numbers,
    tick_sums,
)

EXAMPLE = """examples:
  enum48 --size 3 --max 1024
  scripts/plot_layers.py enum48-data/3x3-1024 -o 3x3-1024.svg
  scripts/plot_layers.py results/4x4-32.csv results/4x4-64.csv --panels -o 4x4.svg"""


class Game:
    """A table: its name, its sums, and the live states of each sum, by largest tile and in total."""

    def __init__(self, path, name):
        table = path / "layers.csv" if path.is_dir() else path
        rows = read(table, dict.fromkeys(("sum", "max_tile", "live", "afterstates"), natural))
        states = [row[:3] for row in rows if row[2] > 0] or fail(f"{table}: no live states")
        # Sums are even. None is left out, so that a layer without states shows as empty.
        self.sums = range(min(states)[0], max(states)[0] + 1, 2)
        if self.sums[-1] > 16 * 65536:
            fail(f"{table}: sum {self.sums[-1]}: more than any board has")
        self.tiles = {tile: [0] * len(self.sums) for tile in sorted({row[1] for row in states})}
        for total, tile, live in states:
            if not is_tile(tile):
                fail(f"{table}: max_tile {tile}: not a tile")
            if total not in self.sums:
                fail(f"{table}: sum {total}: an odd distance from the first")
            self.tiles[tile][self.sums.index(total)] += live
        self.total = [sum(layer) for layer in zip(*self.tiles.values())]
        # Spawns lead from an afterstate to the next two sums, so a count with recent afterstates can go on.
        last = max(rows)[0]
        goes_on = any(row[3] for row in rows if row[0] > last - 4)
        name = name or named(table)
        until = f" up to sum {last:,}" if goes_on else ""
        self.title = f"{name}{until}: {sum(self.total):,} live states"

    def stairs(self, axes, values, **style):
        """A step for each sum, as wide as the distance to the next."""
        axes.stairs(values, [self.sums.start - 1, *(total + 1 for total in self.sums)], **style)

    def line(self, axes, values, **style):
        """The stairs without a floor. A sum without states is a gap, because a logarithmic axis has no 0."""
        self.stairs(axes, [value or math.nan for value in values], baseline=None, **style)

    def peak(self, values):
        most = max(values)
        return self.sums[values.index(most)], most


def named(table):
    """A game's name: from its file; for a layers.csv, from the manifest beside it, else from its directory."""
    if table.name != "layers.csv":
        return spoken(table.stem)
    manifest = table.parent / "manifest.json"
    try:
        return spoken(json.loads(manifest.read_text(encoding="utf-8"))["game"])
    except FileNotFoundError:
        return spoken(table.resolve().parent.name)
    except OSError as error:
        fail(f"{manifest}: {error.strerror}")
    except (ValueError, LookupError, TypeError):
        fail(f"{manifest}: names no game: see enum48 verify")


def stack(picture, game, scale):
    axes = picture.subplots(subplot_kw=scale)
    # From the top down, each drawn over the one before, so that no gaps show between them.
    above = list(game.total)
    for tile in reversed(game.tiles):
        game.stairs(axes, above, fill=True, color=color_of(tile), label=f"{tile:,}")
        above = [high - low for high, low in zip(above, game.tiles[tile])]
    finish(axes)
    axes.set_title(game.title)
    axes.set_xlabel("Sum of the tiles")
    axes.set_ylabel("Live states")
    picture.legend(loc="outside right upper", title="Largest tile", frameon=False)


def lines(picture, game, scale):
    axes = picture.subplots(subplot_kw=scale)
    # The total is wider than the lines of tiles, so that it shows where one tile has nearly all states.
    game.line(axes, game.total, color="black", linewidth=2.5)
    for tile in reversed(game.tiles):
        game.line(axes, game.tiles[tile], color=color_of(tile), linewidth=1.5)
    finish(axes)
    axes.set_title(game.title)
    axes.set_xlabel("Sum of the tiles")
    axes.set_ylabel("Live states, all and by largest tile")
    peaks = [("all", game.peak(game.total), "black")]
    peaks += [(f"{tile:,}", game.peak(live), color_of(tile)) for tile, live in game.tiles.items()]
    label(axes, peaks, weight="bold")


def totals(picture, games, scale):
    axes = picture.subplots(subplot_kw=scale)
    for at, game in enumerate(games):
        game.line(axes, game.total, color=color(at), linewidth=1.3)
    finish(axes)
    axes.set_xlabel("Sum of the tiles")
    axes.set_ylabel("Live states")
    name_games(picture, games)


def name_games(picture, games):
    """A title for one game, a legend for several."""
    from matplotlib.lines import Line2D

    if len(games) == 1:
        picture.suptitle(games[0].title)
    else:
        handles = [Line2D([], [], color=color(at), label=game.title) for at, game in enumerate(games)]
        picture.legend(handles=handles, loc="outside upper left", frameon=False)


def panels(picture, games, scale):
    """A panel with its own axes for each largest tile: shapes are alike, sizes are not."""
    tiles = sorted(set().union(*(game.tiles for game in games)))
    columns = min(len(tiles), 3)
    rows = math.ceil(len(tiles) / columns)
    picture.set_size_inches(9, 1 + 2 * rows)
    grid = picture.subplots(rows, columns, squeeze=False, subplot_kw=scale).flat
    for tile in tiles:
        axes = next(grid)
        for at, game in enumerate(games):
            if tile in game.tiles:
                game.line(axes, game.tiles[tile], color=color(at), linewidth=1.3)
        finish(axes, steps=5)
        axes.set_title(f"{tile:,}", fontsize=10)
    for axes in grid:
        axes.axis("off")
    picture.supxlabel("Sum of the tiles")
    picture.supylabel("Live states by largest tile")
    name_games(picture, games)


def finish(axes, steps=12):
    """Fit the axes to their lines, with room for labels above and to the right."""
    most = axes.dataLim.ymax
    top = 1.08 * most if axes.get_yscale() == "linear" else max(most**1.1, 12)
    axes.set_xlim(0, 1.04 * axes.dataLim.xmax)
    axes.set_ylim(0 if axes.get_yscale() == "linear" else 0.7, top)
    tick_sums(axes.xaxis, steps)
    tick_numbers(axes.yaxis)


def main():
    args = parser(__doc__, EXAMPLE)
    args.add_argument("runs", metavar="RUN", type=Path, nargs="+", help="a run's directory, or a table")
    args.add_argument(
        "--log",
        action=argparse.BooleanOptionalAction,
        help="use a logarithmic axis, or not [default: for several games, because a linear axis hides small games]",
    )
    args.add_argument("--panels", action="store_true", help="draw each largest tile on its own axes")
    args.add_argument(
        "--game",
        action="append",
        default=[],
        metavar="NAME",
        help="a game's name, once for each run [default: from the run, the file or its directory]",
    )
    args = parse(args)
    if len(args.game) not in (0, len(args.runs)):
        fail(f"--game: {len(args.game)} names for {len(args.runs)} runs: see --help")

    games = [Game(*pair) for pair in zip(args.runs, args.game or [None] * len(args.runs))]
    log = len(games) > 1 if args.log is None else args.log
    scale = {"yscale": "log" if log else "linear"}
    picture = figure(args.o, 9, 5)
    if args.panels:
        panels(picture, games, scale)
    elif len(games) > 1:
        totals(picture, games, scale)
    else:
        (lines if log else stack)(picture, *games, scale)
    save(picture, args.o)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib"]
# ///
"""Plots tables of enum48:

  plot.py layers       the live states of counted games, by the sum of the tiles
  plot.py values       the values of a solved game, by the sum of the tiles
  plot.py scaling      the table of scaling.py
  plot.py compression  the table of compression.sh
  plot.py locks        what locking costs a player

Needs matplotlib: pip install matplotlib, or start the script with "uv run", which fetches it.
"""

import argparse
import json
import math
import re
from pathlib import Path

from picture import (
    color,
    color_of,
    draws,
    fail,
    figure,
    is_tile,
    label,
    natural,
    one_of,
    parse,
    positive,
    read,
    save,
    spoken,
    terse,
    tick_numbers,
    tick_sums,
)

# Layers.


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


def layers(args):
    """Plots the live states of counted games by the sum of the tiles.

    Given one run (its directory, its layers.csv, or a file that --csv wrote), plots the states of each sum, stacked by
    largest tile; with --log, a line for each largest tile, and the total in black. Given several runs, plots a line for
    the total of each game. With --panels, each largest tile has its own axes.

    examples:
      enum48 --size 3 --max 1024
      scripts/plot.py layers enum48-data/3x3-1024 -o 3x3-1024.svg
      scripts/plot.py layers results/tables/4x4-32.csv results/tables/4x4-64.csv --panels -o 4x4.svg
    """
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
    return picture


# Values.

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
        column = f"tile_{name}" if name.isdigit() else name.replace("-", "_")
        columns |= {f"{column}_mean": worth, f"{column}_greatest": worth}
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


def finish_values(axes, title, what):
    axes.set_title(title)
    axes.set_xlabel("Sum of the tiles")
    axes.set_ylabel(what)
    axes.set_xlim(0, 1.02 * axes.dataLim.xmax)
    axes.set_ylim(0, 1.04 * axes.dataLim.ymax)
    tick_sums(axes.xaxis, 12)
    axes.yaxis.set_major_formatter("{x:,.0f}")


def values(args):
    """Plots the values of a solved game by the sum of the tiles.

    Reads a table of "enum48 solve --csv". For the score or for moves, plots two lines for each largest tile: the mean
    value of its afterstates, and above it, thin, the greatest. For tiles, plots two lines for each tile: the chance to
    reach it from the afterstates without it. The least values are left out: in most parts they are 0, or soon become 0.

    examples:
      enum48 solve enum48-data/3x3 --for score,512,1024 --csv 3x3.csv
      scripts/plot.py values 3x3.csv --for score -o 3x3-score.svg
      scripts/plot.py values 3x3.csv --for 512,1024 -o 3x3-chances.svg
    """
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
        finish_values(axes, f"{name}: chance to reach a tile, mean and greatest of boards without it", "Chance (%)")
        picture.legend(loc="outside right upper", title="Tile", frameon=False)
    else:
        for tile in sorted({part.max_tile for part in parts}, reverse=True):
            curves(axes, [part for part in parts if part.max_tile == tile], args.objectives, tile)
        finish_values(axes, f"{name}: {AXES[args.objectives].lower()}, mean and greatest", AXES[args.objectives])
        picture.legend(loc="outside right upper", title="Largest tile", frameon=False)
    return picture


# Measurements.

# Shorter times say more about the clock than about the layer.
SHORTEST = 0.05


def memory(text):
    number, unit = re.fullmatch(r"(\d+)([MG])", text).groups()
    return int(number) / (1024 if unit == "M" else 1)


SCALING = {
    "sum": natural,
    "states": natural,
    "engine": one_of("lists", "bits"),
    "threads": natural,
    "memory": memory,
    "seconds": positive,
}


def logged(log):
    """States and million states a second of each layer in a log."""
    try:
        text = log.read_text(encoding="utf-8")
    except OSError as error:
        fail(f"{log}: {error.strerror}")
    found = re.findall(r"\bsum=(\d+) layer=(\d+) .*layer_sec=([\d.]+)", text, re.M)
    last = {total: (int(states), float(time)) for total, states, time in found}
    return [(states, states / time / 1e6) for states, time in last.values() if time > SHORTEST]


def scaling(args):
    """Plots the table of scripts/scaling.py: states a second by threads, by memory bound, and by size of layer.

    The sizes and times of layers are from the logs of counts, which a count writes to stderr. If a layer was counted
    again after a kill, its last time is used.

    example:
      scripts/plot.py scaling results/tables/scaling.csv results/logs/4x4-64.log results/logs/4x4-128.log -o scaling.png
    """
    picture = figure(args.o, 11, 4.5)
    rows = read(args.table, SCALING)
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
        by_size.scatter(*zip(*logged(log)), s=9, label=spoken(log.stem))
    by_size.set_xscale("log")
    tick_numbers(by_size.xaxis)
    by_size.set_xlabel("States of a layer")
    by_size.legend(frameon=False)
    for axes in (by_threads, by_memory, by_size):
        axes.set_ylim(bottom=0)
    picture.suptitle(f"A layer of {rows[0][1]:,} states, and layers of all sizes")
    return picture


COMPRESSION = {
    "level": int,
    "bits_per_state": positive,
    "encode_ns_per_state": positive,
    "decode_ns_per_state": positive,
    "form": one_of("lists", "matrices"),
}
COLORS = {"lists": "C0", "matrices": "C1"}


def compression(args):
    """Plots the table of scripts/compression.sh: bits a live state against speed, with a point for each zstd level.

    example:
      scripts/compression.sh --quick
      scripts/plot.py compression tables/compression.csv -o compression.png
    """
    picture = figure(args.o, 11, 6)
    from matplotlib import ticker

    table = read(args.table, COMPRESSION)
    axes = picture.subplots()
    names = []
    for kind, ink in COLORS.items():
        levels = [(level, (1e3 / encoding, bits)) for level, bits, encoding, _, of in table if of == kind]
        if not levels:
            continue
        points = [point for _, point in levels]
        # No other level is both faster and smaller than one of these.
        best = [a for a in points if not any(b[0] > a[0] and b[1] < a[1] for b in points)]
        axes.plot(*zip(*sorted(best)), color="lightgrey", zorder=0)
        axes.scatter(*zip(*points), s=16, color=ink, label=kind)
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
    return picture


def mask(digits):
    if not re.fullmatch("[0f]{1,16}", digits):
        raise ValueError
    return digits.zfill(16)


LOCKS = {"mask": mask, "kept": worth, "free": worth}


def locks(args):
    """Plots the chances of endgames from the starts of a mask: if moves must keep the mask, and if they need not.

    Reads a table with the columns mask (hexadecimal, f in each cell of a stone), kept and free.

    example:
      scripts/plot.py locks results/values/locks.csv -o locks.svg
    """
    rows = sorted(read(args.table, LOCKS), key=lambda row: row[1])
    picture = figure(args.o, 9, 1.5 + 0.9 * len(rows))
    axes = picture.subplots()
    for at, (_, kept, free) in enumerate(rows):
        axes.plot([100 * kept, 100 * free], [at, at], color="lightgrey", zorder=0)
        axes.annotate(f"{100 * (kept - free):.1f}", (50 * (kept + free), at + 0.1), ha="center")
    for column, ink, name in [(1, "C3", "moves must keep the mask"), (2, "C0", "stones may go anywhere")]:
        axes.scatter([100 * row[column] for row in rows], range(len(rows)), color=ink, label=name)
    shapes = ["\n".join(cells[row : row + 4] for row in range(0, 16, 4)) for cells, *_ in rows]
    shapes = [shape.replace("0", "\N{MIDDLE DOT}").replace("f", "x") for shape in shapes]
    axes.set_yticks(range(len(rows)), shapes, family="monospace", fontsize=8, linespacing=0.9)
    axes.set_ylim(-0.5, len(rows) - 0.4)
    axes.set_xlabel("Chance (%)")
    axes.set_title("Eight stones, target 64: what a mask costs, in percentage points")
    axes.legend(loc="upper left", frameon=False)
    return picture


def main():
    parser = terse(argparse.ArgumentParser(description=__doc__))
    plots = parser.add_subparsers(metavar="PLOT", required=True)

    def add(plot):
        made = draws(plots.add_parser(plot.__name__, description=plot.__doc__))
        made.set_defaults(plot=plot)
        return made

    of_layers = add(layers)
    of_layers.add_argument("runs", metavar="RUN", type=Path, nargs="+", help="a run's directory, or a table")
    of_layers.add_argument(
        "--log",
        action=argparse.BooleanOptionalAction,
        help="use a logarithmic axis, or not [default: for several games, because a linear axis hides small games]",
    )
    of_layers.add_argument("--panels", action="store_true", help="draw each largest tile on its own axes")
    of_layers.add_argument(
        "--game",
        action="append",
        default=[],
        metavar="NAME",
        help="a game's name, once for each run [default: from the run, the file or its directory]",
    )
    of_values = add(values)
    of_values.add_argument("table", metavar="TABLE", type=Path, help='a table of "enum48 solve --csv"')
    of_values.add_argument(
        "--for",
        dest="objectives",
        metavar="OBJECTIVES",
        default="score",
        help="the objectives: score, moves, or tiles, separated by commas [default: score]",
    )
    of_scaling = add(scaling)
    of_scaling.add_argument("table", metavar="scaling.csv", type=Path)
    of_scaling.add_argument("log", metavar="LOG", type=Path, nargs="+")
    add(compression).add_argument("table", metavar="compression.csv", type=Path)
    add(locks).add_argument("table", metavar="locks.csv", type=Path)
    args = parse(parser, 2)
    save(args.plot(args), args.o)


if __name__ == "__main__":
    main()

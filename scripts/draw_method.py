#!/usr/bin/env python3
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib"]
# ///
"""Draws how a layer follows from the two layers before it: as lists, or as bits.

The numbers and bits are invented, but follow from each other as in a count.

  scripts/draw_method.py lists -o lists.svg

Needs matplotlib: pip install matplotlib, or start the script with "uv run", which fetches it.
"""

import argparse
import random

from picture import draws, figure, parse, save

BLUE, ORANGE, GREY = "#1f77b4", "#ff7f0e", "#555555"


def canvas(path, width, height):
    """Axes without a frame, a unit to a tenth of an inch."""
    picture = figure(path, width / 10, height / 10)
    picture.set_layout_engine("none")
    axes = picture.add_axes([0, 0, 1, 1])
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    return axes


def box(axes, x, y, width, height, **style):
    from matplotlib.patches import Rectangle

    style = {"facecolor": "none", "edgecolor": GREY, "linewidth": 0.8} | style
    axes.add_patch(Rectangle((x, y), width, height, **style))


def arrow(axes, start, end, text=None, at=None, **style):
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": GREY} | style)
    if text:
        axes.text(*at, text, ha="center", va="center", fontsize=9)


def title(axes, x, y, text, **style):
    axes.text(x, y, text, **({"ha": "center", "va": "bottom", "fontsize": 10} | style))


def list_of(axes, x, y, keys, color=BLUE):
    """Draw a list, with a line for each number."""
    for row, key in enumerate(keys):
        box(axes, x, y + 2 * row, 5, 2, facecolor=color, alpha=0.15)
        axes.text(x + 2.5, y + 2 * row + 1.05, str(key), ha="center", va="center", fontsize=8)


def buckets(axes, x, y, columns):
    """Draw buckets of three ranges, filled in order of arrival."""
    for column, keys in enumerate(columns):
        box(axes, x + 6 * column, y, 5, 12)
        for row, key in enumerate(keys):
            axes.text(x + 6 * column + 2.5, y + 2 * row + 1.05, str(key), ha="center", va="center", fontsize=8)
        axes.text(x + 6 * column + 2.5, y + 12.4, f"{10 * column} to {10 * column + 9}", ha="center", va="top", fontsize=7)


def draw_lists(path):
    axes = canvas(path, 100, 25)
    title(axes, 8, 5, "frontier: afterstates\nof $s-2$ and $s-4$")
    list_of(axes, 2, 6, [3, 8, 12, 21, 27])
    list_of(axes, 9, 6, [4, 11, 19, 24], ORANGE)
    arrow(axes, (15, 12), (22, 12), "expand", (18.5, 10.5))
    title(axes, 31, 5, "candidates, in the\nbucket of their range")
    buckets(axes, 22.5, 6, [[9, 5, 9, 2], [14, 10, 14, 17], [25, 22, 28, 22, 25]])
    arrow(axes, (41, 12), (48, 12), "reduce", (44.5, 10.5))
    title(axes, 50.7, 5, "states of $s$,\na file")
    list_of(axes, 48.2, 6, [2, 5, 9, 10, 14, 17, 22, 25, 28])
    arrow(axes, (54, 12), (61, 12), "move", (57.5, 10.5))
    title(axes, 70, 5, "candidates of\nafterstates")
    buckets(axes, 61.5, 6, [[7, 1, 7, 7], [16, 16, 13], [29, 20, 29]])
    arrow(axes, (80, 12), (87, 12), "reduce", (83.5, 10.5))
    title(axes, 90, 5, "afterstates of $s$:\nnext frontier")
    list_of(axes, 87.5, 6, [1, 7, 13, 16, 20, 29])
    axes.text(44.5, 13.7, "rank,\ndrop\nrepeats,\ncount", ha="center", va="top", fontsize=8, color=GREY)
    axes.text(18.5, 13.7, "spawn,\ncanonical\nform, key", ha="center", va="top", fontsize=8, color=GREY)
    return axes.figure


def matrix(axes, x, y, bits, rows=(), columns=()):
    """Draw a bit matrix, with some rows and columns colored."""
    height, width = len(bits), len(bits[0])
    box(axes, x, y, width, height)
    for row in rows:
        box(axes, x, y + row, width, 1, facecolor=BLUE, edgecolor="none", alpha=0.25)
    for column in columns:
        box(axes, x + column, y, 1, height, facecolor=ORANGE, edgecolor="none", alpha=0.25)
    for row, line in enumerate(bits):
        for column, bit in enumerate(line):
            if bit:
                box(axes, x + column + 0.2, y + row + 0.2, 0.6, 0.6, facecolor=GREY, edgecolor="none")


def board(axes, x, y):
    for row in range(4):
        for column in range(4):
            color = BLUE if row < 2 else ORANGE
            box(axes, x + 2.5 * column, y + 2.5 * row, 2.5, 2.5, facecolor=color, alpha=0.25)
    axes.text(x - 1, y + 2.5, "P", ha="right", va="center", fontsize=10)
    axes.text(x - 1, y + 7.5, "Q", ha="right", va="center", fontsize=10)


def draw_bits(path):
    draw = random.Random(2048)
    axes = canvas(path, 100, 23)
    title(axes, 8, 5, "a board: top half P,\nbottom half Q")
    board(axes, 4, 7)

    before = [[draw.random() < 0.2 for _ in range(16)] for _ in range(14)]
    lacking = [2, 6, 11]
    title(axes, 27, 5, "afterstates of $s-2$ and $s-4$:\na row for each P, a bit for each Q")
    matrix(axes, 19, 6, before, rows=lacking)

    row = [any(before[at][column] for at in lacking) for column in range(16)]
    arrow(axes, (35.5, 12.5), (43.5, 12.5), "spawn", (39.5, 11.2))
    axes.text(39.5, 13.7, "OR of the rows\nof P without\none of its tiles", ha="center", va="top", fontsize=7.5, color=GREY)
    title(axes, 52, 5, "states of $s$ with one P:\na row, soon forgotten")
    matrix(axes, 44, 12, [row], rows=[0])
    arrow(axes, (52, 14), (52, 18.5))
    axes.text(52, 19, "count bits under masks;\nname the canonical boards", ha="center", va="top", fontsize=8, color=GREY)

    arrow(axes, (60.5, 12.5), (68.5, 12.5), "move", (64.5, 11.2))
    axes.text(64.3, 13.7, "OR into the row\nof P moved left;\ntransposed,\nthe same with Q", ha="center", va="top", fontsize=7.5, color=GREY)
    after = [[draw.random() < 0.15 for _ in range(16)] for _ in range(14)]
    moved, joined = 4, [0, 1, 2, 3, 5, 7, 9, 12]
    after[moved] = [column in joined and (row[column] or after[moved][column]) for column in range(16)]
    title(axes, 77, 5, "afterstates of $s$, moved left;\nthe other moves are images")
    matrix(axes, 69, 6, after, rows=[moved], columns=[3])
    arrow(axes, (85.5, 12.5), (92.5, 12.5), "turn, flip", (89, 11.2))
    axes.text(93, 12.5, "all after-\nstates\nof $s$", ha="left", va="center", fontsize=10)
    return axes.figure


def main():
    parser = draws(argparse.ArgumentParser(description=__doc__))
    parser.add_argument("what", choices=["lists", "bits"], help="how a layer is held")
    args = parse(parser)
    draw = draw_lists if args.what == "lists" else draw_bits
    save(draw(args.o), args.o)


if __name__ == "__main__":
    main()

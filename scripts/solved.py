#!/usr/bin/env python3
"""solved.py DIR: writes DIR.md from the summaries (GAME.json) that solve.sh left in DIR. Fails if a value is not as
published, or if two games that must agree do not."""

import json
import math
import pathlib
import sys

from page import size, table

INTRODUCTION = """# Solved games

What the best play is worth in games that `enum48 solve` has solved in full: every afterstate has its value. A value is an
expectation, from the position on, under the play that is best for it: *score* is the score to come, *moves* the number
of moves to come, and a *tile* the chance to reach it. A merge that makes the winning tile scores, and ends the game.

A game starts with two tiles in two different cells, each a 2 with probability 0.9 and a 4 with 0.1. Some authors let both be
2s. The two conventions are about 0.73 points apart on most boards, so both are given where it matters.

`scripts/solve.sh` makes all of this again and fails if a number differs. For each game `solved/` has the summary,
`GAME.json`. For games without a winning tile and for those on 4x4 it also has the table, `GAME.csv`: the least, the mean
and the greatest value of each part's afterstates. Tables of the other games would double the size; `enum48 solve --csv`
makes them in seconds. [Why to believe the values](trust.md#values) is told elsewhere.
"""

VALUES = """## Values

*Off by* is the proven bound of what rounding did to any value of the game (numbers here are rounded again). *Values*
are those of all objectives: score, moves and the tiles below; what is empty is not solved here. *Bits* is the size of their files divided by their number;
in small games it is mostly headers.
"""

CHANCES = """## Chances of tiles

In percent, under the play that is best for that tile, from a start by its probability. A dash is a tile that is out of reach;
what is empty is not solved here. The chance to win a game with a winning tile is the chance of that tile in the game without:
the two are solved apart and agree within their bounds.
"""

PICTURES = """## Pictures

Thick lines are means over the afterstates of a part, each counted once, however likely it is to be met; thin ones are the
greatest. For tiles, only afterstates without the tile count.
"""

OBSERVATIONS = """## What the numbers show

*From sure to hopeless in three tiles.* Without a winning tile, the greatest tile of a board is reached with 1 to 8 %, the next
one with 74 to 96 %, and the one below that nearly always: 1.1, 73.7 and 99.6 % on 3x3.

*A full board is a poor one.* The means fall away from the greatest soon after each new largest tile, and jump up at
multiples of large powers of two. On 3x3, a sum of 1,020 with a largest tile of 512 takes at least eight tiles of the nine
that there is room for; the mean is 17 points to come, the greatest 438, and no chance of 1,024 is above 10 %. A sum of 1,024 takes
just two tiles: the mean is 299, the greatest 4,373, and some boards reach 1,024 for certain.

*On 4x4, small tiles are safe from the start, but not from everywhere.* A game to 32 is won for certain, to within 2.1e-8, and
with 99.5 % from its afterstates in the mean. Up to sum 42 none can be lost. At sum 46 some afterstate is won with 10 %,
and at sum 54 the first are lost.

*A crowd has no prospects.* In a game to 64 the first afterstates are lost at sum 54, too, yet up to sum 84 the mean of those
with a 32 is within 4 % of the greatest. At sum 164 it is 65 % of it, at sum 224 27 %: most of the many boards there are
crowded ones, which good play hardly ever meets.

*Who plays for length leaves little room.* The most moves to expect of a game to 64 are 132.1. A move adds 2.2 to the sum on
average, so such a game ends near sum 293, though there are boards up to sum 344. Up to sum 104 the mean of the afterstates with
a 32 is within 1 % of the greatest; at sum 204 the mean is 10 moves, the greatest 43.
"""

RECIPES = """## Recipes

Each game is counted first, with `--keep afterstates`; the time is that of solving, on
[another machine than the reference](performance.md#solving), 1.5 to 1.9 times as slow. Where a game is solved in turns, the
values of one are deleted before the next, and time, memory and fingerprint are of all together. 4x4 to 64 was solved in
three starts for either, most of the time beside other work; for moves the last third was solved by 93646a1.
In one go and on a quiet machine they take [49 and 47 minutes](performance.md#solving).
"""

DOM = "github.com/DomTheDeveloper/2048-undo, paper/main.tex"
# Published values: game, objective, which start, the value in its unit, and the source.
PUBLISHED = [
    *(
        (game, "score", start, value, DOM)
        for game, values in (
            ("2x2", ("66.96", "67.70")),
            ("2x3", ("480.26", "480.99")),
            ("2x4", ("2641.87", "2642.60")),
            ("3x3", ("5468.49", "5469.21")),
        )
        for start, value in zip(("start", "start_two_2s"), values)
    ),
    *(
        (game, tile, "start", value, DOM)
        for game, tile, value in (
            ("2x2", "16", "96.25 %"),
            ("2x2", "32", "8.29 %"),
            ("2x3", "64", "93.93 %"),
            ("2x3", "128", "5.70 %"),
            ("2x4", "256", "86.98 %"),
            ("2x4", "512", "2.46 %"),
            ("3x3", "512", "73.68 %"),
            ("3x3", "1024", "1.13 %"),
        )
    ),
    ("2x2-32", "32", "start", "0.08288728907155415", "github.com/jdleesmiller/twenty48, tests"),
]
STARTS = {"start": "by probability", "start_two_2s": "two 2s"}


def fail(what):
    sys.exit(f"solved.py: {what}")


def bound(error):
    """In two digits, rounded up."""
    unit = 10 ** (math.floor(math.log10(error)) - 1)
    digits, _, exponent = f"{math.ceil(error / unit - 1e-9) * unit:.1e}".partition("e")
    return f"{digits}e{int(exponent)}"


def board(game):
    return game.partition("-")[0]


def cells(game):
    rows, columns = map(int, board(game).split("x"))
    return rows * columns


def key(run):
    tile = run["game"].partition("-")[2]
    return (cells(run["game"]), board(run["game"]), int(tile or 1 << 20))


def objectives(run):
    return {objective["name"]: objective for objective in run["objectives"]}


def values(runs):
    rows = []
    for run in runs:
        game, solved = run["game"], objectives(run)
        number = len(solved) * run["afterstates"]
        cells = [
            f"[{game}](solved/{game}.json)",
            *worth(solved.get("score")),
            *worth(solved.get("moves")),
            f"{number:,}",
            size(run["bytes"]),
            f"{8 * run['bytes'] / number:.1f}",
            f"{run['seconds']:.2f} s",
        ]
        rows.append(cells)
    heads = "game|score|from two 2s|off by|moves|from two 2s|off by|values|bytes|bits|time"
    return table(heads, "--- --: --: --: --: --: --: --: --: --: --:", rows)


def worth(objective):
    """What a game is worth, or nothing if it is not solved for that."""
    if objective is None:
        return ["", "", ""]
    return [f"{objective['start']:,.4f}", f"{objective['start_two_2s']:,.4f}", bound(objective["error"])]


def chances(runs):
    """A row for each board: the game without a winning tile has most, those with one must agree."""
    boards = {}
    for run in sorted(runs, key=key, reverse=True):
        found = boards.setdefault(board(run["game"]), {})
        for name, solved in objectives(run).items():
            if name not in ("score", "moves"):
                other = found.setdefault(int(name), solved)
                if abs(other["start"] - solved["start"]) > other["error"] + solved["error"]:
                    fail(f"{run['game']}: chance of {name}: {solved['start']}, but {other['start']} in another game")
    tiles = sorted(set().union(*boards.values()))

    def cell(size, found, tile):
        if tile in found:
            return f"{100 * found[tile]['start']:.5f}"
        return "" if tile <= 1 << cells(size) + 1 else "–"

    rows = [[size, *(cell(size, found, tile) for tile in tiles)] for size, found in reversed(boards.items())]
    return table("|".join(("board", *map(str, tiles))), "--- " + "--: " * len(tiles), rows)


def published(runs):
    solved = {run["game"]: objectives(run) for run in runs}
    rows = []
    for game, name, start, value, source in PUBLISHED:
        objective = solved.get(game, {}).get(name)
        if objective is None:
            continue
        digits, percent, _ = value.partition(" %")
        scale = 100 if percent else 1
        here = scale * objective[start]
        decimals = len(digits.partition(".")[2])
        if abs(here - float(digits)) > 0.5 * 10**-decimals + scale * objective["error"]:
            fail(f"{game}: {name}, {STARTS[start]}: {here} here, {value} published")
        shown = f"{here:.{min(decimals + 2, 9)}f}{percent}"
        rows.append([game, name, STARTS[start], value, shown, source])
    return table("game|value|start|published|here|source", "--- --- --- --: --: ---", rows)


def recipes(runs):
    rows = []
    for run in runs:
        command = "<br>".join(f"`{command}`" for command in run["commands"][1:])
        memory = "-" if run["peak_memory"] is None else size(run["peak_memory"])
        rows.append([run["game"], command, run["date"], run["commit"], memory, f"`{run['fingerprint']}`"])
    return table("game|commands|date|commit|memory|fingerprint", "--- --- --- --- --: ---", rows)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    summaries = sorted(directory.glob("*.json")) or fail(f"{directory}: no solved games")
    runs = sorted((json.loads(path.read_text()) for path in summaries), key=key)
    pictures = sorted(path.name for path in directory.glob("*.svg"))
    page = [INTRODUCTION, VALUES, values(runs), CHANCES, chances(runs), PICTURES]
    page += [f"![{name.removesuffix('.svg')}](solved/{name})\n" for name in pictures]
    page += [
        OBSERVATIONS,
        "## Against published values\n",
        published(runs),
        "Published, but not solved here: 4x3, whose expected score from two 2s is 50,724.26 (Kaneko and Yamashita, Strongly\n"
        "Solving 2048 4x3, arXiv 2510.04580, 2025).\n",
        RECIPES,
        recipes(runs),
    ]
    directory.with_name(f"{directory.name}.md").write_text("\n".join(page))


main()

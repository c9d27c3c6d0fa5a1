#!/usr/bin/env python3
"""solved.py DIR: writes DIR.md from the summaries (GAME.json) that solve.sh left in DIR. Fails if a value differs from
a published one, or if two games contradict each other."""

import failure

import csv
import json
import math
import pathlib
import sys

from page import size, table

INTRODUCTION = """# Solved games

This page lists the games that `enum48 solve` has solved in full, and how much they are worth under the best play. Each
afterstate has a value: the expected score to come, the expected number of moves to come (*moves*), or the chance of a
tile. A merge that makes the winning tile scores, and ends the game.

A game starts with two tiles in two different cells, each a 2 with probability 0.9 and a 4 with 0.1. Some authors start
with two 2s, which adds about 0.73 points on most boards. So tables give both starts where it matters.

`scripts/solve.sh` makes the files again, and fails if a number differs. 4x4-64 must be named. `solved/GAME.json` is the
summary of a game, with date, commit, time, memory and bytes. `solved/GAME.csv` has the least, mean and greatest value
of each part, for 4x4 and for games without a winning tile. `enum48 solve --csv` makes the other tables in seconds.
[`trust.md`](trust.md#values) says why to believe the values.
"""

VALUES = """## Values

*Off by* bounds the error of any value, which comes from rounding in the solver. *Values* counts the values of all
objectives: score, moves and the tiles of the next table.
"""

CHANCES = """## Chances of tiles

In percent, under the play that is best for that tile, from a start by its probability. A dash is a tile out of reach.
An empty cell is not solved here. Games with and without a winning tile are solved separately, and agree within their bounds.
"""

RATES = """## Other rates of 4s

`enum48 solve --four 0.2` expects a 4 in one of five spawns; all other values of this page expect it in one of ten. The
first rows are the expected score, the others the chance of a tile in percent, each under the play that is best for it.

"""

RATES_SEEN = """![The score and the chances by the rate of 4s](solved/rates.svg)

*Mixed tiles are the hard ones.* On 3x3 the score is 7,172 with 2s alone, and 3,171 with six 4s in ten. With 4s alone
it is 14,344, because all tiles of the game with 2s alone are doubled. With one kind of tile the best play is sure of
its largest tile, wherever tiles appear: 512 on 3x3 with 2s alone, and 1,024 with 4s alone.
"""

FORCED = """## Tiles that can be forced

`enum48 solve --for sure-64` asks whether some play makes the tile 64 against every spawn, of a 2 or a 4 in any cell.
*Forced* is the largest such tile, from the best and from every start. The other columns count the live states from
which the tile can be forced, or which have it already.

"""

FORCED_SEEN = """On 4x4 the tile 256 can be forced (Slizkov, arXiv 2303.07266). Little is certain on smaller boards: the best play of 3x3
makes 256 with 99.6 %, but it can force only 32. No start of these boards forces a larger tile than another.

On larger boards a game that ends at the tile answers the question. Every start of 4x3 to 64 forces the 64, and every
start of 4x4 to 32 forces the 32 (`enum48 4x3-64 --keep afterstates`, then `enum48 solve enum48-data/4x3-64 --for
sure-64`). Games to larger tiles were not solved for it.
"""

PICTURES = """## Pictures

Thick lines are means over the afterstates of a part, each counted once. Thin lines are the greatest values. Pictures of
a tile leave out afterstates that have the tile.
"""

OBSERVATIONS = """## Observations

*From sure to hopeless in three tiles.* Without a winning tile, the best play reaches the greatest tile of a board with
1 to 8 %. It reaches the next one with 74 to 96 %, and the one below nearly always. On 3x3 it is 1.1, 73.7 and 99.6 %.

*A full board is a poor one.* Means fall soon after each new largest tile, and jump at multiples of large powers of two.
On 3x3, sum 1,020 with largest tile 512 fills at least eight of nine cells. The mean is 17 points to come, the greatest
438, and no chance of 1,024 is above 10 %. Sum 1,024 needs just two tiles: the mean is 299, the greatest 4,373, and some
boards reach 1,024 for certain.

*On 4x4, small tiles are safe from the start, but not from everywhere.* The best play wins a game to 32 for certain, to
within 2.1e-8. The mean over its afterstates is 99.5 %. Up to sum 42 none can be lost. At sum 46 some afterstate is won
with 10 %, and at sum 54 the first are lost.

*A crowd has no prospects.* In a game to 64 the mean of afterstates with a 32 is within 4 % of the greatest up to sum
92. At sum 164 it is 65 % of the greatest, at sum 224 27 %. Most of these boards are crowded, and good play hardly ever
meets them.

*Long games leave little room.* A game to 64 can expect 132.1 moves. A move adds 2.2 to the sum on average, so the game
ends near sum 293, though boards exist up to sum 348. At sum 204 the mean is 10 moves, the greatest 43.
"""

RECIPES = """## Recipes

Each game is counted first, with `--keep afterstates`. A game with a winning tile is solved by
`enum48 solve enum48-data/GAME --for score,moves,TILE`, except 4x4 to 64. That game is solved twice, and its score is
deleted before moves; the fingerprint is of both together. Other games that are not listed take less than a second.
Times are without the count. Memory is the peak of anonymous resident memory.
"""

DOM = "github.com/DomTheDeveloper/2048-undo"
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
    """An error bound in two digits, rounded up."""
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
            f"`{run['fingerprint']}`",
        ]
        rows.append(cells)
    heads = "game|score|from two 2s|off by|moves|from two 2s|off by|values|fingerprint"
    return table(heads, "--- --: --: --: --: --: --: --: ---", rows)


def worth(objective):
    """Three cells for an objective: both starts and the error, or nothing if the game is not solved for it."""
    if objective is None:
        return ["", "", ""]
    return [f"{objective['start']:,.4f}", f"{objective['start_two_2s']:,.4f}", bound(objective["error"])]


def chances(runs):
    """A row for each board. The game without a winning tile has the most tiles; the other games must agree with it."""
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


def rates(directory):
    """A row for each board and objective of rates.csv, with a column for each rate."""
    found = {}
    with open(directory / "rates.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault((row["objective"] != "score", row["board"], row["objective"]), {})[row["four"]] = row["start"]
    heads = ["board", "for", *next(iter(found.values()))]

    def cell(chance, start):
        return f"{100 * float(start):.3f}" if chance else f"{float(start):,.1f}"

    ordered = sorted(found.items(), key=lambda item: item[0][0])
    rows = [[size, name, *(cell(chance, start) for start in starts.values())] for (chance, size, name), starts in ordered]
    return table("|".join(heads), "--- --- " + "--: " * (len(heads) - 2), rows)


def forced(directory):
    """A row for each board of forced.csv."""
    found = {}
    with open(directory / "forced.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["board"], []).append({name: int(row[name]) for name in row if name != "board"})
    tiles = sorted({row["tile"] for rows in found.values() for row in rows if row["tile"] >= 16})
    lines = []
    for size, rows in found.items():
        best, worst = (max(row["tile"] for row in rows if row[start]) for start in ("best_start", "worst_start"))
        sure = {row["tile"]: f"{row['sure_states']:,}" for row in rows}
        lines.append([size, str(best), str(worst), f"{rows[0]['states']:,}", *(sure.get(tile, "–") for tile in tiles)])
    heads = ["board", "forced, best start", "every start", "live states", *map(str, tiles)]
    return table("|".join(heads), "--- " + "--: " * (len(heads) - 1), lines)


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
    """The commands and the cost of games that take a second or more, or are not solved by the usual command."""
    rows = []
    for run in runs:
        game, commands, seconds = run["game"], run["commands"][1:], run["seconds"]
        usual = [f"enum48 solve enum48-data/{game} --for score,moves,{game.partition('-')[2]}"]
        if commands != usual or seconds >= 1:
            commands = "<br>".join(f"`{command}`" for command in commands)
            rows.append([game, commands, f"{seconds:.2f} s", size(run["peak_memory"]), size(run["bytes"])])
    return table("game|commands|time|memory|values", "--- --- --: --: --:", rows)


def main():
    if len(sys.argv) != 2:
        failure.usage()
    # The page is beside the directory, which may be ".".
    directory = pathlib.Path(sys.argv[1]).resolve()
    summaries = sorted(directory.glob("*.json")) or failure.fail(f"{directory}: no solved games")
    runs = sorted((json.loads(path.read_text()) for path in summaries), key=key)
    pictures = sorted(path.name for path in directory.glob("*x*.svg"))
    page = [INTRODUCTION, VALUES, values(runs), CHANCES, chances(runs)]
    if (directory / "rates.csv").exists():
        page += [RATES + rates(directory), RATES_SEEN, FORCED + forced(directory), FORCED_SEEN]
    page += [PICTURES]
    page += [f"![{name.removesuffix('.svg')}](solved/{name})\n" for name in pictures]
    page += [
        OBSERVATIONS,
        "## Against published values\n",
        published(runs),
        "The 2048-undo values are in its `paper/main.tex`. The score of 4x3 from two 2s, 50,724.26, is published (Kaneko\n"
        "and Yamashita, Strongly Solving 2048 4x3, arXiv 2510.04580, 2025), but not solved here.\n",
        RECIPES,
        recipes(runs),
    ]
    directory.with_name(f"{directory.name}.md").write_text("\n".join(page))


main()

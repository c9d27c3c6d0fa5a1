#!/usr/bin/env python3
"""rates.py ENUM48 DIR WORK: solves the boards up to 3x3 for rates of 4s from 0 to 1, and for the tiles that can be forced.

ENUM48 is the program. Writes DIR/rates.csv (the value of the start for each objective and rate), DIR/rates.svg, and
DIR/forced.csv (for each tile: whether it can be forced from the best and from the worst start, and the number of live
states from which it can). If DIR has the tables, they must equal the new ones; otherwise nothing is written. Takes some
minutes, and under 1 GB of disk below WORK. scripts/solved.py writes the page.
"""

import failure

import csv
import io
import json
import pathlib
import subprocess
import sys

from picture import figure, save

# Without a winning tile: the largest tile of each board, and the tiles whose chance depends on the rate.
BOARDS = {"2x2": (32, [8, 16, 32]), "2x3": (128, [32, 64, 128]), "2x4": (512, [128, 256, 512]), "3x3": (1024, [256, 512, 1024])}
RATES = [f"{tenths}/10" for tenths in range(11)]


def run(program, *arguments):
    """The output of the program, which must not fail."""
    return subprocess.run((program, *map(str, arguments)), check=True, stdout=subprocess.PIPE, text=True).stdout


def solved(program, place, objectives, *options):
    """The summaries of the objectives."""
    text = run(program, "solve", place, "--for", ",".join(objectives), "--json", "--quiet", *options)
    return json.loads(text)["objectives"]


def rates(program, board, place):
    """A row for each rate and objective."""
    objectives = ["score", *map(str, BOARDS[board][1])]
    for four in RATES:
        for summary in solved(program, place, objectives, "--four", four, "--again"):
            yield board, four, summary["name"], summary["start"], summary["error"]


def forced(program, board, place):
    """A row for each tile."""
    tiles = [2**exp for exp in range(2, BOARDS[board][0].bit_length())]
    objectives = [f"sure-{tile}" for tile in tiles]
    summaries = solved(program, place, objectives)
    states, sure = 0, [0] * len(tiles)
    listing = (program, "states", place, "--values", "--for", ",".join(objectives), "--format", "csv")
    with subprocess.Popen(listing, stdout=subprocess.PIPE, text=True) as process:
        for states, line in enumerate(process.stdout):
            for at, value in enumerate(line.rstrip().split(",")[-len(tiles) :]):
                sure[at] += value == "1"
    if process.returncode:
        failure.fail(f"{board}: the states could not be listed")
    for tile, summary, number in zip(tiles, summaries, sure, strict=True):
        yield board, tile, int(summary["best_start"]), int(summary["worst_start"]), number, states


def table(path, names, rows):
    """The table as text, which must equal a kept one."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([names, *rows])
    if path.exists() and path.read_text(encoding="utf-8") != text.getvalue():
        sys.exit(f"rates.py: another table than {path}")
    return text.getvalue()


def draw(rows, out):
    """The expected score, relative to the usual rate, and the chance of each tile."""
    picture = figure(out, 11, 4.5)
    axes = picture.subplots(1, 1 + len(BOARDS))
    for board, place in zip(BOARDS, axes[1:], strict=True):
        for name in dict.fromkeys(row[2] for row in rows if row[0] == board and row[2] != "score"):
            chances = [100 * row[3] for row in rows if (row[0], row[2]) == (board, name)]
            place.plot([at / 10 for at in range(len(chances))], chances, label=name)
        place.set_title(f"{board}: chance, %", fontsize="medium")
        place.legend(frameon=False)
    for board in BOARDS:
        scores = [row[3] for row in rows if (row[0], row[2]) == (board, "score")]
        axes[0].plot([at / 10 for at in range(len(scores))], [score / scores[1] for score in scores], label=board)
    axes[0].set_title("score, 1 at rate 1/10", fontsize="medium")
    axes[0].legend(frameon=False)
    for place in axes:
        place.set_xlabel("rate of 4s")
        place.set_ylim(bottom=0)
    save(picture, out)


def main():
    if len(sys.argv) != 4:
        failure.usage()
    program, directory, work = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    all_rates, all_forced = [], []
    for board in BOARDS:
        place = work / f"{board}-rates"
        run(program, "--size", board, "--keep", "both", "--dir", place, "--quiet")
        all_forced += forced(program, board, place)
        all_rates += rates(program, board, place)
    rate_names = ["board", "four", "objective", "start", "error"]
    forced_names = ["board", "tile", "best_start", "worst_start", "sure_states", "states"]
    tables = {
        path: table(path, names, rows)
        for path, names, rows in [
            (directory / "rates.csv", rate_names, all_rates),
            (directory / "forced.csv", forced_names, all_forced),
        ]
    }
    for path, text in tables.items():
        path.write_text(text, encoding="utf-8")
    draw(all_rates, directory / "rates.svg")


main()

"""Checks the values of a solved run of 2x3 by the description in `src/part/mod.rs`, with rules on lists of cells.

usage: values.py SCRIPTS RUN STATES

SCRIPTS is the folder of read.py. In RUN, the integer of each afterstate must follow from the integers of later
afterstates. STATES is a file of `enum48 states --values --format npy`, with all states and their values.
"""

import json
import sys
import zlib
from pathlib import Path

import numpy

sys.path.insert(0, sys.argv[1])
import read

ROWS, COLS = 2, 3
CELLS = ROWS * COLS
# The cells of each row, and of each column.
LINES = [
    [[row * COLS + col for col in range(COLS)] for row in range(ROWS)],
    [[row * COLS + col for row in range(ROWS)] for col in range(COLS)],
]


def cells(board):
    return [board >> 4 * (CELLS - 1 - cell) & 15 for cell in range(CELLS)]


def number(cells):
    return int("".join(f"{digit:x}" for digit in cells), 16)


def canonical(cells):
    turned = cells[::-1]
    return min(map(number, (cells, turned, cells[COLS:] + cells[:COLS], turned[COLS:] + turned[:COLS])))


def slide(line):
    tiles, slid = [tile for tile in line if tile], []
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile = tiles.pop(0) + 1
        slid.append(tile)
    return slid + [0] * (len(line) - len(slid))


def moves(cells):
    for lines in LINES:
        for turn in (1, -1):
            after = [0] * CELLS
            for line in lines:
                for cell, tile in zip(line[::turn], slide([cells[cell] for cell in line[::turn]])):
                    after[cell] = tile
            if after != cells:
                yield after


def potential(cells):
    return sum((tile - 1) << tile for tile in cells if tile)


def integers(run, answer):
    """The integers of all afterstates, by board."""
    found = {}
    for file in answer["files"]:
        path = run / file["name"]
        part = file["name"].split(".")[0]
        fields, values, boards = read.values(path, run / f"{part}.afterstates")
        assert (fields["objective"], fields["fraction"]) == (answer["objective"], answer["fraction"])
        assert (fields["values"], fields["fingerprint"]) == (file["states"], "x" + file["fingerprint"])
        assert path.stat().st_size == file["bytes"]
        if answer["objective"] == "score":
            taken = [potential(cells(board)) for board in boards.tolist()]
            assert (read.expected(fields, values, boards) == values - taken).all()
        else:
            assert (read.expected(fields, values, boards) == values).all()
        found.update(zip(boards.tolist(), (values * 2 ** answer["fraction"]).astype(int).tolist()))
    return found


class Objective:
    """A solved objective: the integers of the files, and the integers of states, computed from them."""

    def __init__(self, run, game, answer):
        self.name, self.one = answer["objective"], 1 << answer["fraction"]
        self.column = f"tile_{self.name}" if self.name.isdigit() else self.name
        self.win = int(game.partition("-")[2] or 0)
        self.afterstates, self.states = integers(run, answer), {}

    def end(self, cells):
        if self.name == "score":
            return potential(cells) * self.one
        return 0 if self.name == "moves" else self.one * (1 << max(cells) >= int(self.name))

    def afterstate(self, cells):
        won = self.win and 1 << max(cells) >= self.win
        return self.end(cells) if won else self.afterstates[canonical(cells)]

    def state(self, cells):
        key = canonical(cells)
        if key not in self.states:
            values = [self.afterstate(after) for after in moves(cells)]
            step = self.one * (self.name == "moves")
            self.states[key] = max(values) + step if values else self.end(cells)
        return self.states[key]

    def mean(self, cells):
        empty, total = [cell for cell in range(CELLS) if not cells[cell]], 0
        for cell in empty:
            two, four = (self.state(cells[:cell] + [tile] + cells[cell + 1 :]) for tile in (1, 2))
            total += 9 * two + four - 4 * self.one * (self.name == "score")
        return (total + 5 * len(empty)) // (10 * len(empty))

    def expected(self, cells):
        return self.state(cells) / self.one - (potential(cells) if self.name == "score" else 0)


run, states = Path(sys.argv[2]), numpy.load(sys.argv[3])
solution = json.loads((run / "solution.json").read_text())
crc = solution.pop("crc32")
assert crc == "%08x" % zlib.crc32(json.dumps(solution, separators=(",", ":")).encode())
for answer in solution["answers"]:
    assert (answer["rounding"], answer["solved_sum"]) == ("nearest", 4), answer
    objective = Objective(run, solution["game"], answer)
    for board, value in objective.afterstates.items():
        assert value == objective.mean(cells(board)), (objective.name, hex(board))
    for board, value in zip(states["state"].tolist(), states[objective.column].tolist()):
        assert value == objective.expected(cells(board)), (objective.name, hex(board))

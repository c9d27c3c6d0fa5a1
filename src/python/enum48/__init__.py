"""Every reachable state of a game of 2048 on a small board, as numpy arrays.

>>> import enum48, tempfile
>>> place = tempfile.TemporaryDirectory()
>>> run = enum48.count("2x2-32", place.name)
>>> int(run.table()["live"].sum())
57
>>> [hex(board) for board in run.layer(6)]
['0x111', '0x12', '0x120']

A board is a number with one hexadecimal digit for each cell, row by row: 0 is an empty cell, and k is the tile
2**k. So 0x2310 on 2x2 is 4 8 / 2 and an empty cell. A function of boards takes one board or an array of boards.
Long work releases the interpreter's lock, uses all cores, and can be stopped with Ctrl-C.
"""

from ._enum48 import (
    Best,
    Blocks,
    DamagedError,
    Error,
    Replay,
    Run,
    __version__,
    boards,
    canonical,
    cells,
    count,
    moves,
    open,
    points,
    replay,
    spawns,
)

__all__ = [
    "Best",
    "Blocks",
    "DamagedError",
    "Error",
    "Replay",
    "Run",
    "__version__",
    "boards",
    "canonical",
    "cells",
    "count",
    "moves",
    "open",
    "points",
    "replay",
    "spawns",
]

"""Compares the rules on arrays with plain rules on one board."""

import itertools

import enum48
import numpy as np
import pytest

SHAPES = [(2, 2), (2, 3), (3, 2), (3, 3), (2, 4), (4, 3), (3, 4), (4, 4)]


def some(shape, count=2000, largest=9):
    """Cells of random boards; about half of the cells are empty."""
    random = np.random.default_rng(48)
    exps = random.integers(0, largest, (count, *shape)) * random.integers(0, 2, (count, *shape))
    return np.where(exps > 0, 1 << exps, 0)


def board(cells):
    """The number of a board, digit by digit, from its tiles."""
    return int("".join(f"{int(tile).bit_length() - 1 if tile else 0:x}" for tile in cells.flat), 16)


def images(cells):
    turned = [np.rot90(image, turns) for image in (cells, cells.T) for turns in range(4)]
    return [image for image in turned if image.shape == cells.shape]


def slid(line):
    """A line after a move toward its first cell, and the points of the move."""
    tiles, made, points = [int(tile) for tile in line if tile], [], 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile += tiles.pop(0)
            points += tile
        made.append(tile)
    return made + [0] * (len(line) - len(made)), points


def moved(cells, direction):
    """The board after a move: 0 up, 1 right, 2 down, 3 left. Returns 0 if the move changes nothing."""
    turned = np.rot90(cells, direction + 1)
    made = np.rot90(np.array([slid(line)[0] for line in turned]), -direction - 1)
    return 0 if (made == cells).all() else board(made)


@pytest.mark.parametrize("shape", SHAPES)
def test_boards_and_cells_convert_both_ways(shape):
    cells = some(shape)
    boards = enum48.boards(cells)
    assert boards.tolist() == [board(one) for one in cells]
    assert boards.dtype == np.uint64
    back = enum48.cells(boards, shape)
    assert (back == cells).all() and back.dtype == np.uint16


def test_boards_with_the_highest_bit_are_numbers_without_sign():
    # Large tiles in all corners put the highest bit into every image.
    cells = 1 << np.random.default_rng(63).integers(1, 16, (500, 4, 4))
    cells[::2, ::3, ::3] = 1 << 9
    expected = [min(map(board, images(one))) for one in cells]
    assert 250 <= sum(one >> 63 for one in expected) < 500
    assert enum48.canonical(enum48.boards(cells), 4).tolist() == expected


@pytest.mark.parametrize("shape", SHAPES)
def test_the_canonical_board_is_the_least_of_its_images(shape):
    cells = some(shape)
    expected = [min(map(board, images(one))) for one in cells]
    assert enum48.canonical(enum48.boards(cells), shape).tolist() == expected


@pytest.mark.parametrize("shape", SHAPES)
def test_moves_follow_the_rules(shape):
    cells = some(shape)
    expected = [[moved(one, direction) for direction in range(4)] for one in cells]
    assert enum48.moves(enum48.boards(cells), shape).tolist() == expected


@pytest.mark.parametrize("shape", SHAPES)
def test_a_move_gains_the_tiles_that_it_makes(shape):
    cells = some(shape, largest=4)
    boards = enum48.boards(cells)
    after = enum48.moves(boards, shape)
    gained = enum48.points(after, shape) - enum48.points(boards, shape)[:, None]
    for one, of_one, gains in zip(cells, after, gained):
        expected = [sum(slid(line)[1] for line in np.rot90(one, direction + 1)) for direction in range(4)]
        assert gains[of_one > 0].tolist() == [gain for gain, board in zip(expected, of_one) if board]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("tile", [2, 4])
def test_a_tile_spawns_in_every_empty_cell(shape, tile):
    cells = some(shape)
    made = enum48.spawns(enum48.boards(cells), shape, tile)
    for one, of_one in zip(cells, made.tolist()):
        for cell, spawned in enumerate(of_one):
            expected = one.copy()
            expected.flat[cell] = tile
            assert spawned == (0 if one.flat[cell] else board(expected))


def test_a_move_never_makes_65536():
    row = np.zeros((4, 4), int)
    row[0, :2] = 32768
    assert enum48.moves(enum48.boards(row), "4x4").tolist() == [0, 0, 0xFF00, 0]


def test_large_and_small_arrays_agree():
    cells = some((4, 4), 100_000)
    boards = enum48.boards(cells)
    for of_boards in (enum48.canonical, enum48.moves, enum48.spawns, enum48.cells):
        together = of_boards(boards, 4)
        apart = np.concatenate([of_boards(some, 4) for some in np.array_split(boards, 50)])
        assert (together == apart).all()
    assert (enum48.boards(enum48.cells(boards, 4)) == boards).all()
    cells[77_777, 2, 1] = 6
    with pytest.raises(ValueError, match="cells: 6: not a tile"):
        enum48.boards(cells)


def test_any_array_of_whole_numbers_is_accepted():
    expected = enum48.canonical(np.array([[0x2310, 0x2130], [0x0132, 0]], np.uint64), "2x2")
    assert expected.tolist() == [[0x132, 0x132], [0x132, 0]]
    for dtype in (np.int64, np.uint16, np.int32, ">u8", object):
        given = np.array([[0x2310, 0x2130], [0x0132, 0]], dtype)
        assert (enum48.canonical(given, "2x2") == expected).all()
    moved = np.frombuffer(b"\0" + np.array([0x2310, 0x2130], "<u8").tobytes(), "<u8", offset=1)
    assert not moved.flags.aligned and (enum48.canonical(moved, "2x2") == 0x132).all()
    turned = np.array([[0x2310, 0x0132], [0x2130, 0]], np.uint64).T
    assert (enum48.canonical(turned, "2x2") == expected).all()
    assert (enum48.canonical([[0x2310, 0x2130], [0x0132, 0]], "2x2") == expected).all()
    assert enum48.canonical(0x2310, "2x2") == 0x132
    assert enum48.canonical([], "2x2").tolist() == []
    assert enum48.moves(0x2310, "2x2").shape == (4,)
    assert enum48.cells([[0x2310]], "2x2").shape == (1, 1, 2, 2)
    largest = 0xFFFF_FFFF_FFFF_FFFF
    assert enum48.canonical([1, largest], 4).tolist() == [1, largest]


def test_columns_of_frames_are_accepted():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for column in (pandas.Series([0x2310, 0]), polars.Series([0x2310, 0])):
        assert enum48.canonical(column, 2).tolist() == [0x132, 0]


@pytest.mark.parametrize("shape", ["2x3", (2, 3), [2, 3]])
def test_a_shape_is_a_name_or_a_pair(shape):
    assert enum48.canonical(0x012345, shape) == 0x012345


@pytest.mark.parametrize(
    ("call", "error", "what"),
    [
        (lambda: enum48.canonical(1 << 16, "2x2"), ValueError, 'board "0x10000": not a board of 2x2'),
        (lambda: enum48.canonical([1, 1 << 40], "2x2"), ValueError, "0x10000000000"),
        (lambda: enum48.canonical(-1, "2x2"), ValueError, "expected numbers from 0 to 2^64 - 1"),
        (lambda: enum48.canonical(np.array([-1]), "2x2"), ValueError, "expected numbers from 0 to 2^64 - 1"),
        (lambda: enum48.canonical([1.5], "2x2"), TypeError, "expected whole numbers"),
        (lambda: enum48.canonical([float("nan")], "2x2"), TypeError, "expected whole numbers"),
        (lambda: enum48.canonical(["1"], "2x2"), TypeError, "expected whole numbers"),
        (lambda: enum48.canonical(None, "2x2"), TypeError, "expected whole numbers: 'NoneType' object"),
        (lambda: enum48.canonical(np.array([1.0, 2.0]), "2x2"), TypeError, "expected whole numbers: 'float' object"),
        (lambda: enum48.canonical([1, 1 << 64], "4x4"), ValueError, "boards: expected numbers from 0 to 2^64 - 1"),
        (lambda: enum48.canonical(1 << 64, "4x4"), ValueError, "boards: expected numbers from 0 to 2^64 - 1"),
        (lambda: enum48.canonical([1 << 63, -1], "4x4"), ValueError, "boards: expected numbers from 0 to 2^64 - 1"),
        (lambda: enum48.canonical(1, "5x5"), ValueError, "size 5x5: not the size"),
        (lambda: enum48.canonical(1, (4, 5)), ValueError, "size 4x5: not the size"),
        (lambda: enum48.canonical(1, None), ValueError, "size None: not the size"),
        (lambda: enum48.spawns(1, 2, 8), ValueError, "tile 8: expected"),
        (lambda: enum48.spawns(1, 2, -2), ValueError, "tile -2: expected"),
        (lambda: enum48.spawns(1, 2, None), TypeError, "tile None: expected"),
        (lambda: enum48.boards([[2, 3], [0, 0]]), ValueError, "cells: 3: not a tile"),
        (lambda: enum48.boards([[2, 65536], [0, 0]]), ValueError, "cells: 65536: not a tile"),
        (lambda: enum48.boards([2, 4]), ValueError, "rows and columns as the last two axes"),
        (lambda: enum48.boards(np.zeros((5, 5), int)), ValueError, "size 5x5"),
    ],
)
def test_invalid_boards_are_refused(call, error, what):
    with pytest.raises(error) as raised:
        call()
    assert what in str(raised.value)


def test_moves_of_all_small_boards():
    boards = np.array([board(np.array(cells).reshape(2, 2)) for cells in itertools.product([0, 2, 4, 8, 16], repeat=4)])
    cells = enum48.cells(boards, 2)
    assert enum48.moves(boards, 2).tolist() == [[moved(one, way) for way in range(4)] for one in cells]


def test_a_stone_is_a_1_that_slides_and_never_merges():
    board = enum48.boards([[1, 1], [2, 0]])
    assert board == 0xFF10
    assert enum48.cells(board, "2x2free2").tolist() == [[1, 1], [2, 0]]
    assert enum48.points(board, (2, 2, 2)) == 0
    for shape in ("2x2free2", (2, 2, 2)):
        assert enum48.moves(board, shape).tolist() == [0, 0xFF01, 0xF01F, 0]

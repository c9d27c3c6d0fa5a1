"""Compares values in Python with the output of the program."""

import csv
import io
import shutil

import enum48
import numpy as np
import pytest
from conftest import ROOT, said

OBJECTIVES = ["score", "moves", "64"]
COLUMNS = {"64": "tile_64"}


def rows(*arguments, text=None, code=0):
    return list(csv.DictReader(io.StringIO(said(*arguments, text=text, code=code))))


def test_a_run_lists_its_objectives(solved):
    assert solved.objectives == OBJECTIVES


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_values_of_states_equal_an_export(solved, objective):
    exported = rows("states", solved.dir, "--values", "--for", objective)
    expected = [float(row[COLUMNS.get(objective, objective)]) for row in exported]
    found = np.concatenate([solved.values(total, objective) for total in solved.sums])
    assert found.tolist() == expected and found.dtype == np.float64


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_values_of_afterstates_equal_the_files(solved, objective, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    read = pytest.importorskip("read")
    files = sorted(solved.dir.glob(f"*.{objective}.values"))
    assert len(files) > 100
    for path in files[::5]:
        part = path.with_name(path.name.replace(f".{objective}.values", ".afterstates"))
        fields, values, boards = read.values(path, part)
        expected = read.expected(fields, values, boards)
        layer = solved.layer(fields["sum"], kind="afterstates")
        found = solved.values(fields["sum"], objective, kind="afterstates")
        assert len(found) == len(layer)
        of_part = np.isin(layer, boards)
        assert found[of_part].tolist() == expected.tolist()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_best_moves_equal_the_program_s(solved, objective):
    random = np.random.default_rng(48)
    dead = 0x121212
    boards = [*solved.sample(400, 5).tolist(), dead, 0, 0x999999, *random.integers(1, 1 << 24, 50).tolist()]
    text = "".join(f"{board:#x}\n" for board in boards)
    told = rows("best", "-", "--csv", "--dir", solved.dir, "--for", objective, text=text, code=1)
    best = solved.best(boards, objective)
    ways = ["up", "right", "down", "left"]
    assert [ways[way] if way >= 0 else "" for way in best.directions] == [row["best"] for row in told]
    for at, way in enumerate(ways):
        expected = [float(row[f"after_{way}"] or "nan") for row in told]
        assert np.array_equal(best.moves[:, at], expected, equal_nan=True)
    expected = [float(row[COLUMNS.get(objective, objective)] or "nan") for row in told]
    assert np.array_equal(best.values, expected, equal_nan=True)


def test_a_single_board_gives_scalars(solved):
    board = int(solved.sample(1)[0])
    best = solved.best(board)
    assert best.directions.shape == best.values.shape == () and best.moves.shape == (4,)
    assert best.values == np.nanmax(best.moves) == solved.best([board], "score").values[0]
    assert best.moves[best.directions] == best.values
    assert "directions=" in repr(best)


def test_large_tiles_are_stones_as_the_program_has_them(endgame):
    random = np.random.default_rng(48)
    states = endgame.sample(300, 5)
    cells = enum48.cells(states, endgame.shape)
    large = random.permuted(np.tile([16, 32, 64, 128, 256, 32768], (len(cells), 1)), axis=1)
    cells[cells == 1] = large[:, :4].ravel()
    boards = enum48.boards(cells)
    told = rows("best", "-", "--csv", "--dir", endgame.dir, text="".join(f"{board:#x}\n" for board in boards))
    best, plain = endgame.best(boards), endgame.best(states)
    ways = ["up", "right", "down", "left"]
    assert [ways[way] if way >= 0 else "" for way in best.directions] == [row["best"] for row in told]
    moves = [[float(row[f"after_{way}"] or "nan") for way in ways] for row in told]
    assert np.array_equal(best.moves, moves, equal_nan=True)
    assert np.array_equal(best.moves, plain.moves, equal_nan=True) and not np.isnan(best.values).any()
    # Two equal tiles can merge; and then a stone too few, and one too many.
    others = [[[16, 16, 2], [64, 128, 2], [0, 0, 0]], [[16, 4, 2], [64, 128, 2], [0, 0, 0]]]
    others += [[[16, 32, 2], [64, 128, 256], [2, 0, 0]]]
    best = endgame.best(enum48.boards(others))
    assert best.directions.tolist() == [-1] * 3 and np.isnan(best.moves).all()


def test_boards_of_a_game_with_masks_are_turned_and_the_largest_tiles_are_stones(corner):
    random = np.random.default_rng(48)
    states = corner.sample(200, 5)
    cells = enum48.cells(states, corner.shape)
    large = random.permuted(np.tile([64, 128, 256, 32768], (len(cells), 1)), axis=1)
    cells[cells == 1] = large.ravel()
    assert (cells == 16).any(), "a tile 16 outside the target cell is no stone"
    first = corner.best(enum48.boards(cells))
    assert not np.isnan(first.values).any()
    # Every board also keeps the mask mirrored in the diagonal, but the target cell is elsewhere then. Live
    # boards come first, even before a board that is won there.
    values = np.concatenate([corner.values(total, 16) for total in corner.sums])
    as_it_lies = dict(zip(np.concatenate(list(corner.blocks())).tolist(), values.tolist()))
    mirrored = enum48.boards(np.where(cells > 32, 1, cells).swapaxes(1, 2)).tolist()
    ways = [[as_it_lies.get(board, 0) for board in pair] for pair in zip(states.tolist(), mirrored)]
    assert np.array_equal(first.values, np.max(ways, axis=1)) and any(one < two for one, two in ways)
    text = "".join(f"{board:#x}\n" for board in enum48.boards(cells))
    told = rows("best", "-", "--csv", "--dir", corner.dir, text=text)
    names = [f"after_{way}" for way in ("up", "right", "down", "left")]
    expected = [[float(row[name] or "nan") for name in names] for row in told]
    assert np.array_equal(first.moves, expected, equal_nan=True)
    # A quarter counterclockwise turns up, right, down and left into left, up, right and down.
    # Of two ways with equal values, either may be taken.
    moves, differ = first.moves, [one != two for one, two in ways]
    assert sum(differ) > 50
    for _ in range(4):
        cells, moves = np.rot90(cells, axes=(1, 2)), np.roll(moves, -1, axis=1)
        for image, expected in ((cells, moves), (cells[:, :, ::-1], moves[:, [0, 3, 2, 1]])):
            found = corner.best(enum48.boards(image))
            assert np.array_equal(found.moves[differ], expected[differ], equal_nan=True)
            assert found.values.tolist() == first.values.tolist()
    # Stones that are in no corner of two by two.
    assert np.isnan(corner.best(enum48.boards([[32, 2, 64], [2, 0, 4], [128, 4, 256]])).values)


def test_what_is_not_solved_is_said(solved):
    with pytest.raises(enum48.Error, match="solved for .*, not for"):
        solved.values(20, 32)
    with pytest.raises(ValueError, match="not something to play for"):
        solved.best(1, "glory")


def test_a_damaged_solution_is_an_error(solved, tmp_path):
    for name in ("solution.json", "manifest.json"):
        shutil.copytree(solved.dir, tmp_path / name)
        run = enum48.open(tmp_path / name)
        path = run.dir / name
        path.write_bytes(path.read_bytes().replace(b"1", b"2", 1))
        for ask in (lambda: run.objectives, lambda: run.values(20, "score"), lambda: run.best(0x12)):
            with pytest.raises(enum48.DamagedError, match=name):
                ask()


def test_a_later_solution_is_found(tmp_path):
    run = enum48.count("2x2-32", tmp_path, keep="both")
    said("solve", tmp_path, "--for", "score", "--quiet")
    score = run.best(0x12, "score").values
    assert (run.objectives, run.four) == (["score"], "1/10")
    said("solve", tmp_path, "--for", "moves", "--quiet")
    assert run.best(0x12, "moves").values > 0 and len(run.values(20, "moves")) == len(run.layer(20))
    said("solve", tmp_path, "--for", "score,moves", "--four", "1/5", "--again", "--quiet")
    assert (run.objectives, run.four) == (["score", "moves"], "1/5")
    assert run.best(0x12, "score").values != score


def test_a_replaced_run_is_refused(solved, tmp_path):
    other = enum48.count("2x2", tmp_path / "run")
    shutil.rmtree(other.dir)
    shutil.copytree(solved.dir, other.dir)
    for ask in (lambda: other.values(20, "score"), lambda: other.best(0x12), lambda: other.objectives):
        with pytest.raises(enum48.Error, match="holds the game 2x3, not 2x2"):
            ask()


def test_afterstates_of_a_solution_are_not_dropped(solved, tmp_path):
    shutil.copytree(solved.dir, tmp_path / "run")
    for keep in ("all", "last"):
        with pytest.raises(enum48.Error, match=f"--keep {keep}: the run is solved, .* delete solution.json first"):
            enum48.count("2x3", tmp_path / "run", keep=keep)
    run = enum48.count("2x3", tmp_path / "run", keep="afterstates")
    assert run.objectives == OBJECTIVES and run.best(0x12).values > 0

"""Compares a run in Python with the output of the program."""

import csv
import filecmp
import pickle
import subprocess
import sys

import enum48
import numpy as np
import pytest
from conftest import PROGRAM, counted, listed, said


def test_a_run_describes_itself(run, place):
    assert (run.game, run.shape, run.max, run.complete) == ("3x3-64", (3, 3), 64, True)
    assert run.dir == place and run.objectives == []
    assert repr(run).startswith("<enum48.Run of 3x3-64 in ")
    assert "live states" in repr(run)


def test_a_count_writes_the_same_files_as_the_program(place, tmp_path):
    run = enum48.count("3x3-64", tmp_path / "own", keep="both", memory="256M", threads=2)
    assert run.complete
    compared = filecmp.dircmp(place, tmp_path / "own")
    names = compared.common_files
    assert len(names) > 100 and compared.left_only == compared.right_only == []
    assert filecmp.cmpfiles(place, tmp_path / "own", names, shallow=False) == (names, [], [])


def test_a_count_resumes(tmp_path):
    run = enum48.count("2x2-32", tmp_path, until=20, memory=256 << 20)
    assert (run.complete, run.sums[-1]) == (False, 20)
    with pytest.raises(enum48.Error, match="sum 22 is not counted yet"):
        run.layer(22)
    assert enum48.count("2x2-32", tmp_path).complete
    # An open run keeps its old state, and does not block counts.
    assert not run.complete


def test_a_refused_count_changes_no_file(tmp_path):
    enum48.count("2x2-32", tmp_path / "run", keep="both")
    files = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    for game, name in (("2x2-32", "run"), ("2x2-32", "new"), ("4x4", "new")):
        with pytest.raises(ValueError):
            enum48.count(game, tmp_path / name, until=3 if game == "2x2-32" else None, keep="last")
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == files
    assert not (tmp_path / "new").exists()


def test_matrices_hold_the_boards_of_lists(tmp_path):
    lists, matrices = (enum48.count("4x4-8", tmp_path / keep, keep=keep) for keep in ("both", "matrices"))
    assert matrices.keep == "matrices" and matrices.sums == lists.sums
    for sum in (4, 20, 36, 50):
        for kind in ("states", "afterstates"):
            if sum < 50 or kind == "states":
                assert np.array_equal(matrices.layer(sum, kind=kind), lists.layer(sum, kind=kind))
    board = int(lists.layer(30)[100])
    assert board in matrices
    for other in (board ^ 1, board ^ 0x30):
        assert (other in matrices) == (other in lists)
    assert matrices.position(board) == lists.position(board)
    assert matrices.witness(board)


def test_progress_is_on_stderr(tmp_path):
    code = f"import enum48; enum48.count('2x3-32', {str(tmp_path)!r}, progress=True)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "" and "2x3-32 in " in told.stderr and "sum=" in told.stderr


def test_the_table_equals_layers_csv(run, place):
    with open(place / "layers.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    table = run.table()
    assert list(table) == list(rows[0])
    for name, column in table.items():
        is_print = name == "fingerprint"
        assert column.tolist() == [int(row[name][is_print:], 16 if is_print else 10) for row in rows]
        # A difference of unsigned counts would wrap around.
        assert column.dtype == (np.uint64 if is_print else np.int64)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_table_can_be_a_frame(run, library):
    pytest.importorskip(library)
    frame = run.table(library)
    assert type(frame).__module__.startswith(library)
    assert frame["live"].sum() == run.table()["live"].sum()
    assert (frame["dead"] - frame["live"]).min() < 0 and frame["live"].diff().min() < 0
    with pytest.raises(ValueError, match="expected pandas or polars"):
        run.table("spark")


def test_layers_and_parts_equal_the_program_s(run, place):
    table = run.table()
    assert run.sums == sorted({int(of) for of, live in zip(table["sum"], table["live"]) if live})
    for total in run.sums[::7]:
        layer = run.layer(total)
        assert layer.tolist() == listed("states", place, "--sum", total)
        for tile in (2, 4, 8, 16, 32):
            part = run.part(total, tile)
            if len(part):
                assert part.tolist() == listed("states", place, "--sum", total, "--max-tile", tile)
            else:
                said("states", place, "--sum", total, "--max-tile", tile, code=2)
            assert np.concatenate(list(run.blocks(total, tile)) + [part[:0]]).tolist() == part.tolist()
        assert np.concatenate(list(run.blocks(total))).tolist() == layer.tolist()
    assert run.layer(2).tolist() == run.layer(100_000).tolist() == []
    for ask in (run.layer, run.blocks, lambda total: run.part(total, 8), lambda total: run.sample(3, sum=total)):
        with pytest.raises(ValueError, match="sum 7: no layer has this sum: give an even number"):
            ask(7)


def test_blocks_contain_all_states(run, place):
    blocks = list(run.blocks())
    assert len(blocks) == np.count_nonzero(run.table()["live"])
    assert np.concatenate(blocks).tolist() == listed("states", place)
    one = run.blocks(run.sums[0])
    assert iter(one) is one
    list(one)
    with pytest.raises(StopIteration):
        next(one)


def test_a_large_part_is_in_several_blocks(large):
    table = large.table()
    total = int(table["sum"][table["live"].argmax()])
    for kind, size in (("states", 131_072), ("afterstates", 16_384)):
        part = large.part(total, 8, kind)
        blocks = list(large.blocks(total, 8, kind))
        assert [len(block) for block in blocks[:-1]] == [size] * (len(blocks) - 1) and len(blocks) > 2
        assert (np.concatenate(blocks) == part).all() and (part[1:] > part[:-1]).all()
        random = np.random.default_rng(48)
        for places in (np.arange(len(part)), random.permutation(len(part)), random.integers(0, len(part), 99)):
            assert (large.states_at(total, 8, places, kind) == part[places]).all()
            assert (large.position(part[places], kind) == places).all()
        near = enum48.canonical(part + np.uint64(1), 4)
        everything = np.concatenate(list(large.blocks(kind=kind)))
        assert ((large.position(near, kind) >= 0) == np.isin(near, everything)).all()
    drawn = listed("states", large.dir, "--sum", total, "--max-tile", 8, "--sample", 1000)
    assert large.sample(1000, sum=total, max_tile=8).tolist() == drawn


def test_afterstates_follow_from_the_moves(run):
    for total in (20, 60, 100):
        moves = enum48.moves(run.layer(total), run.shape).ravel()
        moves = np.unique(enum48.canonical(moves[moves > 0], run.shape))
        moves = moves[(enum48.cells(moves, run.shape) < 64).all(axis=(1, 2))]
        found = run.layer(total, kind="afterstates")
        assert np.sort(found).tolist() == moves.tolist()
        assert np.concatenate(list(run.blocks(total, kind="afterstates"))).tolist() == found.tolist()
        assert (run.position(found, kind="afterstates") >= 0).all()
    assert run.table()["afterstates"].sum() == sum(map(len, run.blocks(kind="afterstates")))


def test_positions_and_states_convert_both_ways(run):
    random = np.random.default_rng(48)
    for total in run.sums[::9]:
        for tile in (4, 8, 16, 32):
            part = run.part(total, tile)
            places = random.permutation(len(part))
            assert run.states_at(total, tile, places).tolist() == part[places].tolist()
            assert run.position(part[places]).tolist() == places.tolist()
    everything = random.permutation(np.concatenate(list(run.blocks())))
    assert (run.position(everything) >= 0).all()
    assert run.position(everything.reshape(2, -1)[:, :10]).shape == (2, 10)


def test_boards_are_found_in_any_orientation(run):
    part = run.part(100, 32)
    cells = enum48.cells(part, run.shape)
    for turned in (np.rot90(cells, 1, (1, 2)), cells[:, ::-1], np.swapaxes(cells, 1, 2)):
        boards = enum48.boards(turned)
        assert run.position(boards).tolist() == list(range(len(part)))
        assert int(boards[0]) in run and boards[0] in run


def test_unreached_boards_are_not_found(run):
    reached = set(np.concatenate(list(run.blocks())).tolist())
    random = np.random.default_rng(48)
    exps = random.integers(0, 6, (20_000, 3, 3))
    boards = np.unique(enum48.canonical(enum48.boards(np.where(exps, 1 << exps, 0)), 3))
    expected = [board in reached for board in boards.tolist()]
    assert 100 < sum(expected) < len(boards) - 100
    assert (run.position(boards) >= 0).tolist() == expected
    assert [board in run for board in boards[:200]] == expected[:200]
    assert 0 not in run and run.position(0) == -1


def test_boards_with_the_highest_bit_are_looked_up_among_others(tmp_path):
    run = enum48.count("4x4-8", tmp_path / "run")
    listed = np.concatenate(list(run.blocks()))
    high = listed[:50] | np.uint64(1 << 63)
    asked = np.stack([listed[:50], high], 1)
    found = run.position(asked)
    assert (found[:, 0] >= 0).all() and (found[:, 1] == -1).all()


def test_a_sample_equals_the_program_s(run, place):
    assert run.sample(50, 7).tolist() == listed("states", place, "--sample", 50, "--seed", 7)
    of_layer = listed("states", place, "--sum", 60, "--sample", 9, "--seed", 0)
    assert run.sample(9, sum=60).tolist() == of_layer
    of_part = listed("states", place, "--max-tile", 16, "--sample", 9, "--seed", 1)
    assert run.sample(9, 1, max_tile=16).tolist() == of_part
    assert run.sample(1 << 40, sum=20).tolist() == run.layer(20).tolist()


def test_a_witness_ends_in_its_board(run, place):
    for board in run.sample(20, 3).tolist():
        code = run.witness(board)
        assert code == said("witness", hex(board), "--dir", place).strip()
        game = enum48.replay(code)
        assert game.boards[-1] == board and game.state == "live"
        assert said("replay", code, "--json", code=0)
    assert run.witness(0x555555555) is None


def test_a_replay_equals_the_program_s(run):
    import json

    code = run.witness(int(run.part(100, 32)[0]))
    told = json.loads(said("replay", code, "--json", "--step"))
    game = enum48.replay(f" {code}\n")
    assert (game.code, game.game, game.score, game.state) == (code, "3x3-64", told["score"], told["state"])
    assert game.moves == [step["direction"] for step in told["steps"]]
    boards = [told["start"], *(step["cells"] for step in told["steps"])]
    assert enum48.cells(game.boards, 3).reshape(-1, 9).tolist() == boards
    assert np.diff(game.scores).tolist() == [step["gained"] for step in told["steps"]]
    with pytest.raises(ValueError, match="code: "):
        enum48.replay(code[:-1])
    # The space at the end of a code of 2048verse is a move and a tile.
    assert enum48.replay("replay_2x4%) \n").moves == ["up"]


def test_dropped_layers_are_errors(tmp_path):
    counted(tmp_path, 3, 16, "--keep", "last")
    run = enum48.open(tmp_path)
    assert len(run.sums) == 1
    assert run.keep == "last"
    for ask in (
        lambda: run.layer(20),
        lambda: run.part(20, 8),
        lambda: run.blocks(20),
        lambda: run.position(0x11),
        # Some of the states would look like all states, so these calls fail.
        lambda: run.blocks(),
        lambda: run.blocks(None, 16),
        lambda: run.sample(5),
        lambda: run.sample(5, max_tile=8),
    ):
        with pytest.raises(enum48.Error, match="were dropped .--keep last., the first that are left are of sum 60: "):
            ask()
    for ask in (lambda: run.layer(20, kind="afterstates"), lambda: run.blocks(kind="afterstates")):
        with pytest.raises(enum48.Error, match="afterstates .* were dropped .*, and none are left: .* --keep afterstates or both"):
            ask()
    (last,) = run.sums
    assert sum(map(len, run.blocks(last))) == len(run.layer(last)) == len(run.sample(1 << 40, sum=last))


def test_a_run_can_be_pickled(run):
    (copy,) = pickle.loads(pickle.dumps([run]))
    assert (copy.dir, copy.game) == (run.dir, run.game)
    game = enum48.replay(run.witness(run.layer(100)[0]))
    assert pickle.loads(pickle.dumps(game)).boards.tolist() == game.boards.tolist()


def test_a_run_survives_a_change_of_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    enum48.count("2x2-32")
    run = enum48.open("enum48-data/2x2-32")
    monkeypatch.chdir("/")
    assert len(run.layer(36)) == 2 and run.dir == tmp_path / "enum48-data/2x2-32"


@pytest.mark.parametrize(
    ("ask", "error", "what"),
    [
        (lambda run: run.part(60, 3), ValueError, "max_tile 3: expected a power of two"),
        (lambda run: run.layer(60, kind="dead"), ValueError, "kind dead: expected states or afterstates"),
        (lambda run: run.layer(-2), ValueError, "sum -2: expected a number from 0 to 524288"),
        (lambda run: run.layer("x"), TypeError, "sum x: expected a number from 0 to 524288"),
        (lambda run: run.sample(3, max_tile=3), ValueError, "max_tile 3: expected a power of two"),
        (lambda run: run.sample(-1), ValueError, "n -1: expected a number from 0 to 2^64 - 1"),
        (lambda run: run.sample(1, seed=1 << 64), ValueError, "seed 18446744073709551616: expected"),
        (lambda run: run.states_at(60, 16, 1 << 70), ValueError, "positions: expected numbers from 0 to 2^64 - 1"),
        (lambda run: run.witness([1, 2]), ValueError, "board: expected one board, got 2"),
        (lambda run: run.states_at(60, 16, 1 << 40), IndexError, "position 1099511627776: the part of sum 60 and largest tile 16 has 5681 boards"),
        (lambda run: run.states_at(60, 64, 0), IndexError, "has 0 boards"),
        (lambda run: run.states_at(60, 16, -1), ValueError, "positions: expected numbers from 0 to 2^64 - 1"),
        (lambda run: run.position(1 << 40), ValueError, "not a board of 3x3"),
        (lambda run: [1, 2] in run, ValueError, "in: expected one board, got 2"),
        (lambda run: run.witness(1 << 40), ValueError, "not a board of 3x3"),
        (lambda run: run.values(60, "score"), enum48.Error, "not solved yet: enum48 solve"),
        (lambda run: run.best(1), enum48.Error, "not solved yet: enum48 solve"),
        (lambda run: enum48.count("3x3-48"), ValueError, "max 48: not a winning tile"),
        (lambda run: enum48.count("3x3-64", run.dir, memory="much"), ValueError, "memory much: expected"),
        (lambda run: enum48.count("3x3-64", run.dir, threads=0), ValueError, "threads 0: expected a number from 1 to 1024"),
        (lambda run: enum48.count("3x3-64", run.dir, memory="1M"), ValueError, "too little"),
        (lambda run: enum48.count("4x4", run.dir.parent / "endless"), ValueError, "goes beyond the tile 32768"),
        (lambda run: enum48.count("3x3-64", run.dir, keep="none"), ValueError, "keep none: expected"),
        (lambda run: enum48.count("3x3-64", run.dir, until=2), ValueError, "until 2"),
        (lambda run: enum48.count("3x3-64", run.dir, until=-1), ValueError, "until -1: expected a number from 0"),
        (lambda run: enum48.count("3x3-32", run.dir), enum48.Error, "holds the game 3x3-64"),
        (lambda run: enum48.open(run.dir / "manifest.json"), enum48.Error, "manifest.json"),
        (lambda run: enum48.open(run.dir.parent), enum48.Error, "not a run's directory"),
        (lambda run: enum48.Run(), TypeError, "enum48.Run"),
    ],
)
def test_invalid_arguments_are_refused(run, ask, error, what):
    with pytest.raises(error) as raised:
        ask(run)
    assert what in str(raised.value)


def test_errors_equal_the_program_s(run, place):
    for command, ask in [
        (["best", "0x1", "--dir", place], lambda: run.best(1)),
        (["states", place / "none"], lambda: enum48.open(place / "none")),
    ]:
        ended = subprocess.run([PROGRAM, *command], capture_output=True, text=True)
        with pytest.raises(enum48.Error) as raised:
            ask()
        assert ended.stderr == f"enum48: {raised.value}\n"

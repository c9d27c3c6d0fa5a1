"""Runs of small games that the program counts and solves. Tests compare the module with the program."""

import os
import subprocess
from pathlib import Path

import enum48
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ENUM48_PROGRAM", ROOT / "target/debug/enum48")


def said(*arguments, text=None, code=0):
    """Run the program and return stdout."""
    command = [PROGRAM, *map(str, arguments)]
    ended = subprocess.run(command, input=text, capture_output=True, text=True)
    assert ended.returncode == code, ended.stderr
    return ended.stdout


def listed(*arguments):
    """Run the program and return the boards that it prints, one on each line."""
    return [int(line, 16) for line in said(*arguments).split()]


def counted(place, size, most, *more):
    said("--size", size, *(["--max", most] if most else []), "--dir", place, "--quiet", *more)
    return place


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A run of 3x3 to 64, which keeps states and afterstates."""
    return counted(tmp_path_factory.mktemp("runs") / "3x3-64", 3, 64, "--keep", "both")


@pytest.fixture(scope="session")
def run(place):
    return enum48.open(place)


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """A run of 4x4 to 16, whose large parts have several blocks."""
    place = tmp_path_factory.mktemp("large") / "4x4-16"
    return enum48.open(counted(place, 4, 16, "--keep", "both"))


@pytest.fixture(scope="session")
def matrices(tmp_path_factory):
    """A run of 4x4 to 16 in matrices. A part of its layer 44 is listed in a file, not in memory."""
    place = tmp_path_factory.mktemp("matrices") / "4x4-16"
    return counted(place, 4, 16, "--keep", "matrices", "--until", 44)


@pytest.fixture(scope="session")
def solved(tmp_path_factory):
    """A run of 2x3 without a winning tile, solved for score, moves and 64."""
    place = counted(tmp_path_factory.mktemp("solved") / "2x3", "2x3", None, "--keep", "both")
    said("solve", place, "--for", "score,moves,64", "--quiet")
    return enum48.open(place)


@pytest.fixture(scope="session")
def endgame(tmp_path_factory):
    """A run of 3x3 to 16 with four stones, solved for 16."""
    place = tmp_path_factory.mktemp("endgame") / "3x3free5-16"
    said("3x3free5-16", "--dir", place, "--quiet", "--keep", "both")
    said("solve", place, "--for", "16", "--quiet")
    return enum48.open(place)


@pytest.fixture(scope="session")
def corner(tmp_path_factory):
    """A run of 3x3 to 16 with stones in a corner of two by two and a target cell, solved for 16."""
    place = tmp_path_factory.mktemp("corner") / "run"
    said("3x3free5lockff0ffatf00000-16until40", "--dir", place, "--quiet", "--keep", "both")
    said("solve", place, "--for", "16", "--quiet")
    return enum48.open(place)

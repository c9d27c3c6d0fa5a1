"""The examples in docstrings and in the README, and the types."""

import csv
import doctest
import inspect
import subprocess
import sys

import enum48
from conftest import ROOT, said


def documented():
    """All public names of the module, and the members of its classes."""
    for name in enum48.__all__:
        item = getattr(enum48, name)
        yield name, item
        if inspect.isclass(item):
            yield from ((f"{name}.{at}", of) for at, of in vars(item).items() if not at.startswith("_"))


def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said("--size", 2, "--max", 32, "--keep", "both", "--quiet")
    said("solve", "enum48-data/2x2-32", "--for", "score,32", "--quiet")
    known = {"run": enum48.open("enum48-data/2x2-32")}
    tried = []
    for name, item in [("enum48", enum48), *documented()]:
        examples = doctest.DocTestParser().get_doctest(inspect.getdoc(item), dict(known), name, None, None)
        tried += examples.examples
        assert doctest.DocTestRunner().run(examples).failed == 0, name
    assert len(tried) >= 40, len(tried)


def test_the_example_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begin, end = "```python\n", "```\n"
    (example,) = [text.split(end)[0] for text in (ROOT / "README.md").read_text().split(begin)[1:]]
    known = {}
    exec(example, known)
    # The published number (Lees-Miller, 2017) also counts the win and the loss.
    assert known["run"].table()["live"].sum() == 25_179_014 - 2
    assert known["tiles"].shape == (len(known["states"]), 3, 3) and known["after"].shape[1:] == (4,)


def test_explore_draws_its_picture(tmp_path):
    command = [sys.executable, ROOT / "scripts/explore.py", tmp_path / "run", "-o", tmp_path / "3x3.svg"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    with open(ROOT / "results/tables/3x3-512.csv", newline="") as file:
        fingerprint = sum(int(row["fingerprint"][1:], 16) for row in csv.DictReader(file)) % 2**64
    assert f"12789511 live states> with fingerprint x{fingerprint:016x}" in told
    assert "Legal moves" in (tmp_path / "3x3.svg").read_text()


def test_every_public_name_has_a_docstring():
    short = [name for name, item in documented() if len(inspect.getdoc(item) or "") < 15]
    assert short == []


def test_the_stubs_agree_with_the_module():
    checked = subprocess.run([sys.executable, "-m", "mypy.stubtest", "enum48"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr

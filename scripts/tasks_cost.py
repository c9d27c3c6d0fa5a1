#!/usr/bin/env python3
"""Measures the cost of counting layers as tasks, compared with the engine on one machine.

Counts 4x4 to 64 up to sum 102 once, in a temporary directory. Then counts the next layers from two copies: as lists
with one thread, and as tasks of one thread, one after another. Repeats both in turn, --rounds times. For each state,
prints the processor time of both (user and system, all processes), and the time and written bytes of each stage. Then
prints the time of an almost empty layer. Every file is compared. Takes a quarter of an hour and 3 GB of disk.
"""

import failure

import argparse
import collections
import filecmp
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
GAME, UNTIL, LAYERS = ["--size", "4", "--max", "64"], 102, 3
QUICK = ["--size", "4", "--max", "32"], 76, 3
TINY = ["--size", "2x4", "--max", "256"]


class Meter:
    """Runs the program, and adds up its processor time."""

    def __init__(self, enum48):
        self.enum48, self.seconds = enum48, collections.Counter()

    def run(self, what, *args):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run([self.enum48, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.seconds[what] += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return ended.stdout


def written(directory):
    """Bytes of the files of each stage."""
    sizes = collections.Counter()
    for file in directory.iterdir():
        if file.suffix in (".states", ".afterstates"):
            sizes[file.name.split("-")[0]] += file.stat().st_size
    return sizes


def as_tasks(meter, game, until, task, memory, directory):
    """Count as tasks until a sum; return the bytes of each stage, and the number of layers."""
    sizes, layers = collections.Counter(), 0
    one = ["--threads", "1", "--memory", memory, "--dir", directory]
    while True:
        order = meter.run("coordinator", "cluster", "tasks", *game, *until, "--task", task, *one, "--json", "--quiet")
        order = json.loads(order)
        if order["stage"] == "none":
            return sizes, layers
        if order["stage"] == "seal":
            meter.run("coordinator", "cluster", "seal", "--dir", directory)
            layers += 1
            continue
        for name in order["tasks"]:
            meter.run(order["stage"], "cluster", "run", name, *one)
        if order["stage"] == "write":
            sizes += written(pathlib.Path(directory, name).parent)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda what: failure.fail(f"{what}: see --help")
    parser.add_argument("--rounds", metavar="N", type=int, default=2, help="measurements [default: 2]")
    parser.add_argument("--task", default=str(1 << 27), help="candidates of a task [default: 2^27]")
    parser.add_argument("--memory", default="1G", help="memory of a task, and of the lists [default: 1G]")
    parser.add_argument("--quick", action="store_true", help="use layers of 4x4 to 32 instead")
    parser.add_argument("--dir", metavar="DIR", help="where to make the temporary directory [default: $TMPDIR]")
    args = parser.parse_args()
    subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, check=True)
    enum48 = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/enum48"
    game, sum, layers = QUICK if args.quick else (GAME, UNTIL, LAYERS)
    until = ["--until", str(sum + 2 * layers)]
    lists = ["--engine", "lists", "--threads", "1", "--memory", args.memory, "--quiet"]
    with tempfile.TemporaryDirectory(prefix="enum48-tasks.", dir=args.dir) as place:
        base, one, many = (f"{place}/{name}" for name in ("base", "one", "many"))
        Meter(enum48).run("base", *game, "--until", str(sum), "--keep", "last", "--dir", base, "--quiet")
        for _ in range(args.rounds):
            shutil.rmtree(one, ignore_errors=True)
            shutil.rmtree(many, ignore_errors=True)
            shutil.copytree(base, one)
            shutil.copytree(base, many)
            alone, tasks = Meter(enum48), Meter(enum48)
            counted = json.loads(alone.run("lists", *game, *until, *lists, "--json", "--dir", one))["counted"]
            sizes, cut = as_tasks(tasks, game, until, args.task, args.memory, many)
            names = sorted(os.listdir(one))
            same = names == sorted(os.listdir(many)) and filecmp.cmpfiles(one, many, names, shallow=False)[0] == names
            ns, total = 1e9 / counted, tasks.seconds.total()
            print(f"{counted:,} states in {layers} layers, {cut} as tasks; files {'equal' if same else 'DIFFER'}")
            print(f"lists {alone.seconds['lists'] * ns:6.1f} ns a state")
            print(f"tasks {total * ns:6.1f} ns a state, {total / alone.seconds['lists']:.2f} times as much")
            for stage, seconds in tasks.seconds.items():
                print(f"  {stage:11} {seconds * ns:6.1f} ns {sizes[stage] / counted:6.2f} bytes a state", flush=True)
        begin, meter = time.monotonic(), Meter(enum48)
        _, cut = as_tasks(meter, TINY, [], "1", "64M", f"{place}/tiny")
        took = time.monotonic() - begin
        print(f"{cut} layers of nearly nothing: {1000 * took / cut:.0f} ms each")


main()

#!/usr/bin/env python3
"""Measures the cost of counting layers as tasks, compared with the engine on one machine.

Counts the first layers of a game once, in a temporary directory. Then counts the next layers from two copies: with one
thread of the engine, and as tasks of one thread, one after another. Repeats both in turn, --rounds times. For each
state, prints the processor time of both (user and system, all processes), and for each stage the time, the bytes read
and written, and the memory of a process. Then prints the time of an almost empty layer. Every file is compared.

The layers are of 4x4 to 64, as lists. With --sweeps they are of 4x4 to 128, as matrices, and a round takes five
minutes. The sweeps of the layer after the last count its afterstates; the output lists these sweeps as "after".
"""

import failure

import argparse
import collections
import filecmp
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The game, the sum up to which it is counted once, and the number of layers to measure.
LISTS = ["--size", "4", "--max", "64", "--keep", "both"], 102, 3
QUICK = ["--size", "4", "--max", "32", "--keep", "both"], 76, 3
SWEEPS = ["--size", "4", "--max", "128", "--keep", "matrices"], 158, 3
TINY = {
    "lists": ["--size", "2x4", "--max", "256"],
    "bits": ["--size", "4", "--max", "8", "--keep", "matrices"],
}


class Meter:
    """Runs the program, and adds up its processor time and its bytes."""

    def __init__(self, enum48):
        self.enum48, self.seconds = enum48, collections.Counter()
        self.bytes, self.memory = {"rchar": collections.Counter(), "wchar": collections.Counter()}, collections.Counter()

    def run(self, what, *args):
        process = subprocess.Popen([self.enum48, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        out = process.stdout.read()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        io = pathlib.Path("/proc", str(process.pid), "io").read_text()
        _, status, used = os.wait4(process.pid, 0)
        if status:
            failure.fail(f"{' '.join(args)}: ended with status {status}")
        self.seconds[what] += used.ru_utime + used.ru_stime
        self.memory[what] = max(self.memory[what], used.ru_maxrss << 10)
        for name, counter in self.bytes.items():
            counter[what] += int(io.split(f"{name}: ")[1].split()[0])
        return out


def as_tasks(meter, game, last, task, memory, directory):
    """Count as tasks until a sum; return the number of layers."""
    layers = 0
    one = ["--threads", "1", "--memory", memory, "--dir", directory]
    until = ["--until", str(last)] if last else []
    while True:
        order = meter.run("coordinator", "cluster", "tasks", *game, *until, "--task", task, *one, "--json", "--quiet")
        order = json.loads(order)
        if order["stage"] == "none":
            return layers
        if order["stage"] == "seal":
            meter.run("coordinator", "cluster", "seal", "--dir", directory)
            layers += 1
            continue
        for name in order["tasks"]:
            what = "after" if last and order["sum"] > last else order["stage"]
            meter.run(what, "cluster", "run", name, *one)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda what: failure.fail(f"{what}: see --help")
    parser.add_argument("--rounds", metavar="N", type=int, default=2, help="measurements [default: 2]")
    parser.add_argument("--task", default=str(1 << 27), help="candidates of a task [default: 2^27]")
    parser.add_argument("--memory", default="1G", help="memory of a task, and of the lists [default: 1G]")
    parser.add_argument("--quick", action="store_true", help="use layers of 4x4 to 32 instead")
    parser.add_argument("--sweeps", action="store_true", help="measure sweeps of matrices instead of lists")
    parser.add_argument("--dir", metavar="DIR", help="where to make the temporary directory [default: $TMPDIR]")
    args = parser.parse_args()
    subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, check=True)
    enum48 = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release/enum48"
    game, sum, layers = SWEEPS if args.sweeps else QUICK if args.quick else LISTS
    engine, last = "bits" if args.sweeps else "lists", sum + 2 * layers
    alone_with = ["--engine", engine, "--threads", "1", "--memory", args.memory, "--quiet"]
    with tempfile.TemporaryDirectory(prefix="enum48-tasks.", dir=args.dir) as place:
        base, one, many = (f"{place}/{name}" for name in ("base", "one", "many"))
        Meter(enum48).run("base", *game, "--until", str(sum), "--dir", base, "--quiet")
        for _ in range(args.rounds):
            shutil.rmtree(one, ignore_errors=True)
            shutil.rmtree(many, ignore_errors=True)
            shutil.copytree(base, one)
            shutil.copytree(base, many)
            alone, tasks = Meter(enum48), Meter(enum48)
            counted = alone.run(engine, *game, "--until", str(last), *alone_with, "--json", "--dir", one)
            counted = json.loads(counted)["counted"]
            cut = as_tasks(tasks, game, last, args.task, args.memory, many)
            names = sorted(os.listdir(one))
            same = names == sorted(os.listdir(many)) and filecmp.cmpfiles(one, many, names, shallow=False)[0] == names
            ns, total = 1e9 / counted, tasks.seconds.total() - tasks.seconds["after"]
            if not same:
                failure.fail(f"the files of {one} and {many} differ")
            print(f"{counted:,} states in {layers} layers, {cut} as tasks; files equal")
            memory = alone.memory[engine] / 1e9
            print(f"{engine:5} {alone.seconds[engine] * ns:6.2f} ns a state, {memory:.2f} GB of memory")
            print(f"tasks {total * ns:6.2f} ns a state, {total / alone.seconds[engine]:.2f} times as much")
            for stage, seconds in tasks.seconds.items():
                read, wrote = (tasks.bytes[name][stage] / counted for name in ("rchar", "wchar"))
                memory = f"{tasks.memory[stage] / 1e9:.2f} GB of memory"
                print(f"  {stage:11} {seconds * ns:6.2f} ns {read:6.2f} bytes read {wrote:6.2f} written, {memory}", flush=True)
        begin, meter = time.monotonic(), Meter(enum48)
        cut = as_tasks(meter, TINY[engine], None, "1", "64M", f"{place}/tiny")
        took = time.monotonic() - begin
        print(f"{cut} layers of nearly nothing: {1000 * took / cut:.0f} ms each")


main()

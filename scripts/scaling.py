#!/usr/bin/env python3
"""Measures how the time of one layer depends on threads and on the memory bound.

Counts 4x4 to 64 up to sum 102 once, in a temporary directory. Then counts the next layer, of 231 million
states, from copies. Lists count it under each memory bound with all threads. Lists and bits count it under 8G
with each number of threads. Each setting is measured --rounds times, in turn, and the best time counts: other
work on the machine only adds time. Writes DIR/tables/scaling.csv, and a picture of the table and of the layers
of each LOG to DIR/pictures/scaling.svg. Takes ten minutes on two cores and 2 GB of disk, and needs matplotlib.
"""

import failure

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GAME = ["--size", "4", "--max", "64"]
QUICK = ["--size", "4", "--max", "32"]
MEMORY = ["512M", "1G", "2G", "4G", "8G", "16G"]
COLUMNS = ["sum", "states", "engine", "threads", "memory", "seconds"]


def count(enum48, game, until, engine, threads, memory, directory):
    """Resume up to the layer `until`, and return the log."""
    # Bits list the states of the last layer and write a frontier, so the layer before the last is measured.
    last = until + 2 if engine == "bits" else until
    command = [enum48, *game, "--until", str(last), "--engine", engine, "--threads", str(threads), "--memory", memory]
    ended = subprocess.run([*command, "--keep", "last", "--dir", directory], capture_output=True, text=True)
    if ended.returncode:
        sys.exit(ended.stderr)
    return ended.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda what: failure.fail(f"{what}: see --help")
    parser.add_argument("log", metavar="LOG", type=pathlib.Path, nargs="+", help="logs of long counts: results/logs/4x4-64.log")
    parser.add_argument("-o", metavar="DIR", type=pathlib.Path, default=pathlib.Path("."), help="where to write [default: .]")
    parser.add_argument("--rounds", metavar="N", type=int, default=2, help="measurements of each setting [default: 2]")
    parser.add_argument("--quick", action="store_true", help="use a layer of 4x4 to 32 with 19 million states instead")
    parser.add_argument("--dir", metavar="DIR", help="where to make the temporary directory [default: $TMPDIR]")
    args = parser.parse_args()
    if not args.o.is_dir():
        parser.error(f"-o {args.o}: not a directory")
    for log in args.log:
        if not log.is_file():
            parser.error(f"{log}: not a file")

    subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, check=True)
    enum48 = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release/enum48"
    game, until = (QUICK, 68) if args.quick else (GAME, 104)
    cores = len(os.sched_getaffinity(0))
    settings = [("lists", cores, memory) for memory in MEMORY]
    settings += [("lists", threads, "8G") for threads in range(1, cores)]
    settings += [("bits", threads, "8G") for threads in range(cores, 0, -1)]
    best = {}
    with tempfile.TemporaryDirectory(prefix="enum48-scaling.", dir=args.dir) as place:
        base, copy = f"{place}/base", f"{place}/copy"
        count(enum48, game, until - 2, "lists", cores, "8G", base)
        for setting in settings * args.rounds:
            shutil.copytree(base, copy)
            log = count(enum48, game, until, *setting, copy)
            shutil.rmtree(copy)
            # A log has a line for the first layer of a count.
            layer = re.search(rf"\bsum={until} layer=(\d+) .*layer_sec=([\d.]+)", log, re.M)
            states, seconds = int(layer[1]), float(layer[2])
            engine, threads, memory = setting
            print(f"{engine:5} {threads} threads {memory:>5} {seconds:8.2f} s", flush=True)
            found = (seconds, states)
            best[setting] = min(found, best.get(setting, found))

    table, picture = args.o / "tables/scaling.csv", args.o / "pictures/scaling.svg"
    for path in (table, picture):
        path.parent.mkdir(exist_ok=True)
    rows = [(until, best[s][1], *s, best[s][0]) for s in settings]
    table.write_text("".join(",".join(map(str, row)) + "\n" for row in [COLUMNS, *rows]))
    plot = [sys.executable, ROOT / "scripts/plot.py", "scaling", table, *args.log, "-o", picture]
    subprocess.run(plot, check=True)


main()

#!/usr/bin/env python3
"""instructions.py [--write]: counts the instructions of each kernel, and of two small counts, under callgrind.

Compares instructions an element with benches/instructions.csv and fails if one is over 5 % more; --write updates
that file. Unlike seconds, instructions are the same on a busy machine. Needs valgrind, and x86-64 with
AVX2 (valgrind does not support AVX-512).
"""
import csv, json, pathlib, re, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ROOT / "benches/instructions.csv"
MORE = 1.05


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def executable():
    """Build the benchmark, on the library alone; return its path."""
    build = ["cargo", "bench", "--locked", "--no-default-features", "--no-run", "--bench", "instructions"]
    found = [json.loads(line) for line in run(*build, "--message-format=json").splitlines()]
    return next(item["executable"] for item in found if item.get("executable"))


def callgrind(out, *command):
    """What the command printed, and the instructions of each function, including its callees."""
    printed = run("valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}", *command)
    costs = run("callgrind_annotate", "--inclusive=yes", "--threshold=100", str(out))
    return printed, costs


def measure():
    figures = {}
    with tempfile.TemporaryDirectory() as place:
        out = pathlib.Path(place) / "callgrind"
        bench = executable()
        printed, costs = callgrind(out, bench)
        for kernel, elements in re.findall(r"^(\w+) (\d+)$", printed, re.M):
            cost = re.search(rf"^ *([\d,]+) .*::kernel_{kernel}\b", costs, re.M)
            figures[kernel] = int(cost[1].replace(",", "")) / int(elements)
        # The work is in other threads than the one that asked for it.
        for engine, count in [("lists", "count of 3x3 to 64"), ("bits", "4x4 to 16 by bits")]:
            printed, costs = callgrind(out, bench, engine)
            total = re.search(r"^ *([\d,]+).*PROGRAM TOTALS", costs, re.M)
            figures[count] = int(total[1].replace(",", "")) / int(printed.split()[1])
    return figures


def main():
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(__doc__)
    figures = measure()
    if sys.argv[1:]:
        rows = [["kernel", "instructions"], *([kernel, f"{cost:.3f}"] for kernel, cost in figures.items())]
        FIGURES.write_text("".join(",".join(row) + "\n" for row in rows))
    with FIGURES.open() as file:
        kept = {row["kernel"]: float(row["instructions"]) for row in csv.DictReader(file)}
    print(f"{'kernel':20} {'kept':>9} {'now':>9}")
    worse = figures.keys() != kept.keys()
    for kernel, cost in figures.items():
        ratio = cost / kept.get(kernel, cost)
        worse |= ratio > MORE
        print(f"{kernel:20} {kept.get(kernel, 0):9.3f} {cost:9.3f} {ratio - 1:+8.1%}", "WORSE" * (ratio > MORE))
    sys.exit(worse)


main()

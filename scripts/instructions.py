#!/usr/bin/env python3
"""instructions.py [--write]: counts the instructions of each kernel, and looks for gathers in them.

Runs the kernels and two small counts under callgrind, and compares the instructions for each element with
benches/instructions.csv. Fails if a kernel needs over 5 % more; --write updates the file. Unlike seconds, instructions
do not depend on other work of the machine. valgrind does not support AVX-512, so the script disassembles the AVX-512
code. It fails on a gather or a scatter, by which LLVM can make a kernel ten times slower. Needs valgrind, objdump, and
x86-64 with AVX2.
"""
import failure, csv, json, os, pathlib, re, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ROOT / "benches/instructions.csv"
MORE = 1.05

# The C library clears and copies much memory by one instruction, which callgrind counts once for each byte.
VECTORS = ":".join(f"glibc.cpu.x86_rep_{what}_threshold={2**40}" for what in ("stosb", "movsb"))


def run(*command, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout


def executable():
    """Build the benchmark with only the library; return its path."""
    build = ["cargo", "bench", "--locked", "--no-default-features", "--no-run", "--bench", "instructions"]
    found = [json.loads(line) for line in run(*build, "--message-format=json").splitlines()]
    return next(item["executable"] for item in found if item.get("executable"))


def callgrind(out, *command):
    """The command's output, and the instructions of each function, including its callees."""
    tool = ("valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}")
    printed = run(*tool, *command, GLIBC_TUNABLES=VECTORS)
    costs = run("callgrind_annotate", "--inclusive=yes", "--threshold=100", str(out))
    return printed, costs


def kernels():
    """The names of all functions that are compiled for several kinds of processor."""
    sources = [path.read_text() for path in (ROOT / "src").rglob("*.rs")]
    return {name for source in sources for name in re.findall(r"^(?:wide|kernel)! \{[^{]*?\bfn (\w+)", source, re.M)}


def gathers(bench):
    """The gathers and scatters in the AVX-512 code of each kernel."""
    found = dict.fromkeys(kernels())
    function = None
    for line in run("objdump", "--disassemble", "--no-show-raw-insn", bench).splitlines():
        if symbol := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            name = re.search(r".*\d([a-z]\w*?)_avx2_avx512\w*_version", symbol[1])
            function = name and name[1]
            if function:
                found[function] = found.get(function) or 0
        elif function and re.search(r"\tv\w*(gather|scatter)", line):
            found[function] += 1
    return found


def check_gathers(bench):
    """Print the kernels that gather; return whether all kernels were found and none gathers."""
    found = gathers(bench)
    missing = sorted(name for name, count in found.items() if count is None)
    bad = {name: count for name, count in found.items() if count}
    print(f"gathers and scatters in {len(found)} kernels: {bad or 'none'}")
    if missing:
        print(f"not in the benchmark, or without code for AVX-512: {', '.join(missing)}")
    return not (bad or missing)


def measure(bench):
    figures = {}
    with tempfile.TemporaryDirectory() as place:
        out = pathlib.Path(place) / "callgrind"
        printed, costs = callgrind(out, bench)
        for kernel, elements in re.findall(r"^(\w+) (\d+)$", printed, re.M):
            cost = re.search(rf"^ *([\d,]+) .*::kernel_{kernel}\b", costs, re.M)
            figures[kernel] = int(cost[1].replace(",", "")) / int(elements)
        # Other threads than the calling one do the work, so the total is read.
        for engine, count in [("lists", "count of 3x3 to 64"), ("bits", "4x4 to 16 by bits")]:
            printed, costs = callgrind(out, bench, engine)
            total = re.search(r"^ *([\d,]+).*PROGRAM TOTALS", costs, re.M)
            figures[count] = int(total[1].replace(",", "")) / int(printed.split()[1])
    return figures


def main():
    if sys.argv[1:] not in ([], ["--write"]):
        failure.usage()
    bench = executable()
    sound = check_gathers(bench)
    figures = measure(bench)
    if sys.argv[1:]:
        rows = [["kernel", "instructions"], *([kernel, f"{cost:.3f}"] for kernel, cost in figures.items())]
        FIGURES.write_text("".join(",".join(row) + "\n" for row in rows))
    with FIGURES.open() as file:
        kept = {row["kernel"]: float(row["instructions"]) for row in csv.DictReader(file)}
    print(f"{'kernel':20} {'kept':>9} {'now':>9}")
    worse = not sound or figures.keys() != kept.keys()
    for kernel, cost in figures.items():
        ratio = cost / kept.get(kernel, cost)
        worse |= ratio > MORE
        print(f"{kernel:20} {kept.get(kernel, 0):9.3f} {cost:9.3f} {ratio - 1:+8.1%}", "WORSE" * (ratio > MORE))
    for kernel in sorted(kept.keys() - figures.keys()):
        print(f"{kernel:20} {kept[kernel]:9.3f} not measured")
    sys.exit(worse)


main()

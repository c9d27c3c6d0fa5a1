#!/usr/bin/env bash
# Counts whole games with the release build and prints the time and memory of each; see --help.
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/bench.sh [--quick | --long] [--threads N] [--dir DIR]

Builds enum48 and counts whole games in a temporary directory, by bits or by lists, with all
states kept or only the last layers. Prints a line for each: seconds, states a second,
core-nanoseconds a state (live or dead), use of the cores in percent, peak anonymous memory,
bytes of the files, and bits a live state. If a game has goals, the next line says whether each
is met. Goals for seconds and memory are aims for the machine of results/performance.md. The goal
"1.25 x 4x4-16 lists all" holds for any machine: a state takes at most 1.25 times as long as one
of 4x4 to 16 by lists.

  --quick      leave out 4x4 to 32, which takes some minutes on two cores and 1 GB of disk
  --long       also count 4x4 to 64, which takes an hour and 20 GB
  --threads N  threads to use [default: all cores]
  --dir DIR    where to make the temporary directory [default: $TMPDIR, or the current one]

Exit code 1 if a game has the wrong number of live states.
END
}

refuse() {
    echo "${0##*/}: $*" >&2
    exit 2
}

games=3 threads=$(nproc) dir=${TMPDIR:-.}
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage; exit ;;
        --quick) games=2 ;;
        --long) games=4 ;;
        --threads) [ -n "${2:-}" ] || refuse "$1: which number?"; threads=$2; shift ;;
        --dir) [ -n "${2:-}" ] || refuse "$1: which directory?"; dir=$2; shift ;;
        *) refuse "unexpected $1: see --help" ;;
    esac
    shift
done

root=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd)
cargo build --release --locked --manifest-path "$root/Cargo.toml"
enum48=${CARGO_TARGET_DIR:-$root/target}/release/enum48
work=$(mktemp -d "$dir/enum48-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Runs the program and turns its JSON into a line; fails if the number of live states is wrong.
line=$(cat <<'END'
import json, pathlib, resource, subprocess, sys
work, threads, expected, goals = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
ended = subprocess.run(sys.argv[5:], stdout=subprocess.PIPE)
# 1: the count disagrees with a published number, and is printed all the same.
run = json.loads(ended.stdout) if ended.returncode in (0, 1) else sys.exit(2)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
game, live, seconds, size = (run[key] for key in ("game", "live", "seconds", "bytes"))
states, peak = live + run["dead"], run["peak_memory"]
memory = "-" if peak is None else f"{peak / 2**20:,.0f} MiB"
core_ns, bits = seconds * threads * 1e9 / states, 8 * size / live
busy = 100 * (used.ru_utime + used.ru_stime) / threads / seconds
name = f"{game} {run['engine']} {sys.argv[sys.argv.index('--keep') + 1]}"
print(f"{name:<18}{seconds:>9.2f}{states / seconds:>13,.0f}{core_ns:>9.1f}{busy:>6.1f}"
      f"{memory:>11}{size:>16,}{bits:>6.2f}", flush=True)
(work / name).write_text(str(core_ns))
found = {"s": seconds, "GiB": (peak or 0) / 2**30, "bits": bits, "% busy": busy}
verdicts = []
for goal in filter(None, goals.split(", ")):
    bound, unit = goal.split(" ", 1)
    if unit.startswith("x "):
        found[unit] = core_ns / float((work / unit[2:]).read_text())
    met = found[unit] >= float(bound) if unit == "% busy" else found[unit] <= float(bound)
    verdicts.append(f"{goal} met" if met else f"{goal} MISSED, {found[unit]:.3g}")
if verdicts:
    print("  goals:", "; ".join(verdicts), flush=True)
sys.exit(live != expected and f"bench.sh: {game}: expected {expected} live states, got {live}")
END
)
count() {
    local expected=$1 goals=$2
    shift 2
    python3 -c "$line" "$work" "$threads" "$expected" "$goals" \
        "$enum48" "$@" --threads "$threads" --dir "$work/run" --json --quiet
    rm -r "$work/run"
}

printf '%-18s%9s%13s%9s%6s%11s%16s%6s\n' game seconds states/s core-ns busy memory bytes bits
count 23482821 "" --size 4 --max 16 --memory 4G --engine lists --keep all
count 41325017 "2.6 s, 1.25 x 4x4-16 lists all" --size 3 --memory 4G --keep all
count 4088119 "0.5 s" --size 2x4 --memory 4G --keep all
[ $games -ge 3 ] || exit 0
count 1566798892 "10 s, 1 GiB" --size 4 --max 32 --memory 4G --engine bits --keep last
count 1566798892 "25 s, 2 GiB" --size 4 --max 32 --memory 4G --engine bits --keep all
count 1566798892 "75 s, 4 GiB, 95 % busy" --size 4 --max 32 --memory 4G --engine lists --keep all
[ $games -ge 4 ] || exit 0
count 40652843433 "180 s, 2 GiB" --size 4 --max 64 --memory 2G --engine bits --keep last
count 40652843433 "900 s, 8 GiB, 4 bits" --size 4 --max 64 --memory 8G --engine bits --keep all
count 40652843433 "2700 s, 8 GiB, 4 bits, 95 % busy, 1.3 x 4x4-32 lists all" \
    --size 4 --max 64 --memory 8G --engine lists --keep all

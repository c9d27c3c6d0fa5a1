#!/usr/bin/env bash
# Counts whole games with the release build and prints what each took; see --help.
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/bench.sh [--quick] [--threads N] [--dir DIR]

Builds enum48, counts whole games in a temporary directory, and prints a line for each:
seconds, states a second, nanoseconds that a core takes for a state (live or dead),
greatest anonymous memory, bytes of the files, and their bits for a live state.

  --quick      leave out 4x4 to 32, which takes a minute on two cores and 1 GB of disk
  --threads N  threads to use [default: all cores]
  --dir DIR    where to make the temporary directory [default: $TMPDIR, or the current one]

Exit code 1 if a game does not have as many live states as it should.
END
}

quick=false threads=$(nproc) dir=${TMPDIR:-.}
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage; exit ;;
        --quick) quick=true ;;
        --threads) threads=${2:?--threads: which number?}; shift ;;
        --dir) dir=${2:?--dir: which directory?}; shift ;;
        *) echo "bench.sh: unexpected $1: see --help" >&2; exit 2 ;;
    esac
    shift
done

root=$(cd "$(dirname "$0")/.." && pwd)
cargo build --release --locked --manifest-path "$root/Cargo.toml"
enum48=${CARGO_TARGET_DIR:-$root/target}/release/enum48
work=$(mktemp -d "$dir/enum48-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Turns the program's JSON into a line, and fails unless the live states are as many as expected.
line='
import json, sys
run, threads, expected = json.loads(sys.stdin.read() or sys.exit(2)), int(sys.argv[1]), int(sys.argv[2])
game, live, seconds, size = (run[key] for key in ("game", "live", "seconds", "bytes"))
states, peak = live + run["dead"], run["peak_memory"]
memory = "-" if peak is None else f"{peak / 2**20:.0f} MiB"
print(f"{game:<8}{seconds:>9.2f}{states / seconds:>13,.0f}{seconds * threads * 1e9 / states:>10.1f}"
      f"{memory:>11}{size:>15,}{8 * size / live:>7.2f}", flush=True)
sys.exit(live != expected and f"bench.sh: {game}: expected {expected} live states, got {live}")
'
count() {
    local expected=$1
    shift
    "$enum48" "$@" --threads "$threads" --dir "$work/$expected" --json --quiet |
        python3 -c "$line" "$threads" "$expected"
}

printf '%-8s%9s%13s%10s%11s%15s%7s\n' game seconds states/s core-ns memory bytes bits
count 41325017 --size 3
count 23482821 --size 4 --max 16 --memory 4G
$quick || count 1566798892 --size 4 --max 32 --memory 4G

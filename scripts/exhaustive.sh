#!/usr/bin/env bash
# Tests every case, of which each commit tests a share; see --help.
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/exhaustive.sh

Runs the tests with all cases, and adds a line to results/trust.md. Takes half an hour or more on two
cores. All changes must be committed, because the line names the commit.

Exit code 2 for arguments or for changes that are not committed, 101 if a test fails.
END
}

case $* in
    '') ;;
    -h | --help) usage; exit ;;
    *) echo "exhaustive.sh: unexpected $*: see --help" >&2; exit 2 ;;
esac

CDPATH='' cd -- "$(dirname "$0")/.."
commit=$(git rev-parse --short HEAD) || exit 2
if ! git diff --quiet HEAD; then
    echo "exhaustive.sh: there are changes: commit them first, so that the line can name a commit" >&2
    exit 2
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cargo test --locked --features parquet --no-run
cargo test --locked --features parquet --test cluster --no-run
start=$SECONDS
export ENUM48_TESTS=all
{ cargo test --locked --features parquet; cargo test --locked --features parquet --test cluster; } | tee "$log"
minutes=$(((SECONDS - start + 59) / 60))
passed=$(awk '/^test result: ok/ {sum += $4} END {print sum}' "$log")
processor=$(sed -n '/^model name/{s/[^:]*: //p;q}' /proc/cpuinfo)

echo "| $(date -u +%F) | $commit | $(nproc) cores, $processor | $minutes min | $passed tests |" \
    >> results/trust.md

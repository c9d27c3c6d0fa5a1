#!/usr/bin/env bash
# Makes the data of a publication, such as a record on Zenodo; see --help.
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/dataset.sh OUT [GAME...]

Counts and solves small games, and writes the folder OUT: all tables and summaries of results/, every state of the
games with its values as Parquet, a data dictionary, loaders, the licence, and checksums. A game is a solved game of
results/; without games the script takes 2x2, 2x3, 2x4 and 3x3. 3x3 takes some minutes on two cores, and 1 GB of disk.

Builds enum48, unless the variable ENUM48 names a program that writes Parquet.
END
}

fail() {
    echo "${0##*/}: $*" >&2
    exit 2
}

[ "${1:-}" != --help ] && [ "${1:-}" != -h ] || { usage; exit; }
case ${1:-} in "" | -*) usage >&2; exit 2 ;; esac
root=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd)
out=$1
shift
[ $# -gt 0 ] || set -- 2x2 2x3 2x4 3x3
[ ! -e "$out" ] || fail "$out: it is there already: name a new folder"
for tool in python3 sha256sum; do
    command -v "$tool" >/dev/null || fail "$tool: not found: install it"
done
# The objectives for which each game is solved in results/.
declare -A objectives
while read -r game names; do
    objectives[$game]=$names
done < <(python3 - "$root/results/summaries.jsonl" <<'END'
import json, sys
for run in map(json.loads, open(sys.argv[1])):
    if "objectives" in run:
        print(run["game"], ",".join(each["name"] for each in run["objectives"]))
END
)
for game; do
    [ -n "${objectives[$game]:-}" ] || fail "$game: not a solved game of results/summaries.jsonl: name one, such as 3x3-512"
done

if [ -z "${ENUM48:-}" ]; then
    cargo build --release --locked --features parquet --manifest-path "$root/Cargo.toml"
    ENUM48=${CARGO_TARGET_DIR:-$root/target}/release/enum48
fi
mkdir -p "$out" || exit 2
trap 'rm -rf "$out"' EXIT
work=$out/work
mkdir "$out"/{tables,values,states,work}

cp "$root/results/summaries.jsonl" "$out"
cp "$root"/results/tables/[0-9]*.csv "$out/tables"
cp "$root"/results/values/*.csv "$out/values"
for game; do
    echo "== $game: ${objectives[$game]}"
    "$ENUM48" "$game" --keep both --dir "$work/$game" --quiet >&2
    "$ENUM48" solve "$work/$game" --for "${objectives[$game]}" --quiet >&2
    "$ENUM48" states "$work/$game" --values -o "$out/states/$game.parquet"
    rm -r "${work:?}/$game"
done
rmdir "$work"
cp "$root/LICENSE" "$root"/scripts/dataset/* "$out"
version=$("$ENUM48" --version)
sed -i "s/VERSION/${version#* }/; s/DATE/$(date -u +%F)/" "$out/README.md"
(CDPATH='' cd -- "$out" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum >SHA256SUMS)
trap - EXIT

#!/usr/bin/env bash
# Makes the data of a publication, such as a record on Zenodo; see --help.
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/dataset.sh OUT [GAME...]

Counts and solves small games, and writes the folder OUT: all tables of results/, every state of the games with its
values as Parquet, a data dictionary, loaders, the licence, and checksums. A game is one of results/solved/; without
games the script takes 2x2, 2x3, 2x4 and 3x3. 3x3 takes some minutes on two cores, and 1 GB of disk.

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
for game; do
    [ -e "$root/results/solved/$game.json" ] || fail "$game: not a game of results/solved/: name one, such as 3x3-512"
done

if [ -z "${ENUM48:-}" ]; then
    cargo build --release --locked --features parquet --manifest-path "$root/Cargo.toml"
    ENUM48=${CARGO_TARGET_DIR:-$root/target}/release/enum48
fi
mkdir -p "$out" || exit 2
trap 'rm -rf "$out"' EXIT
work=$out/work
mkdir "$out"/{tables,solved,states,work}

cp "$root"/results/*-[0-9]*.{csv,json} "$root"/results/[0-9]x[0-9].{csv,json} "$out/tables"
cp "$root"/results/solved/*.{csv,json} "$out/solved"
for game; do
    # The results have the objectives of the game.
    objectives=$(python3 -c "import json, sys; print(*(each['name'] for each in json.load(open(sys.argv[1]))['objectives']), sep=',')" \
        "$root/results/solved/$game.json")
    echo "== $game: $objectives"
    "$ENUM48" "$game" --keep both --dir "$work/$game" --quiet >&2
    "$ENUM48" solve "$work/$game" --for "$objectives" --quiet >&2
    "$ENUM48" states "$work/$game" --values -o "$out/states/$game.parquet"
    rm -r "${work:?}/$game"
done
rmdir "$work"
cp "$root/LICENSE" "$root"/scripts/dataset/* "$out"
version=$("$ENUM48" --version)
sed -i "s/VERSION/${version#* }/; s/DATE/$(date -u +%F)/" "$out/README.md"
(CDPATH='' cd -- "$out" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum >SHA256SUMS)
trap - EXIT

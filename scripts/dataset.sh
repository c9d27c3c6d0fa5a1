#!/usr/bin/env bash
# Makes the data of a publication, such as a record on Zenodo; see --help.
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/dataset.sh OUT [GAME...]

Builds enum48, counts and solves small games, and writes the folder OUT: all tables of results/, every state of the
games with its values as Parquet, a data dictionary, loaders, the licence, and checksums. Without games it takes
2x2, 2x3, 2x4 and 3x3. 3x3 takes some minutes on two cores and 4 GB of disk beside OUT.
END
}

[ "${1:-}" != --help ] && [ "${1:-}" != -h ] || { usage; exit; }
[ $# -gt 0 ] || { usage >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
out=$1
shift
[ $# -gt 0 ] || set -- 2x2 2x3 2x4 3x3
[ ! -e "$out" ] || { echo "${0##*/}: $out: it is there already: name a new folder" >&2; exit 2; }

if [ -z "${ENUM48:-}" ]; then
    cargo build --release --locked --features parquet --manifest-path "$root/Cargo.toml"
    ENUM48=${CARGO_TARGET_DIR:-$root/target}/release/enum48
fi
mkdir -p "$out"/{tables,solved,states}
work=$(mktemp -d "$out/work.XXXXXX")
trap 'rm -rf "$work"' EXIT

cp "$root"/results/*-[0-9]*.csv "$root"/results/[0-9]x[0-9].csv "$out/tables"
cp "$root"/results/solved/*.csv "$out/solved"
for game; do
    # The objectives are those of the solved game in results/.
    objectives=$(python3 -c "import json, sys; print(*(each['name'] for each in json.load(open(sys.argv[1]))['objectives']), sep=',')" \
        "$root/results/solved/$game.json")
    echo "== $game: $objectives"
    "$ENUM48" "$game" --keep both --dir "$work/$game" --quiet >&2
    "$ENUM48" solve "$work/$game" --for "$objectives" --quiet >&2
    "$ENUM48" states "$work/$game" --values -o "$out/states/$game.parquet"
    rm -r "${work:?}/$game"
done
cp "$root/LICENSE" "$root"/scripts/dataset/* "$out"
rmdir "$work"
(cd "$out" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum >SHA256SUMS)

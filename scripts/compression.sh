#!/usr/bin/env bash
# Measures zstd's levels on the states of a part file and on a layer as matrices; see --help.
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/compression.sh [--quick] [-o DIR]

Counts 4x4 to 32 up to sum 64 in a temporary directory and takes the largest part file. Encodes and
decodes up to four million of its states on one core, at each zstd level from 1 to 19. Does likewise
with the matrices of the layer. Writes bits and times for each live state to
DIR/tables/compression.csv, and a picture of them to DIR/pictures/compression.svg. Takes two
minutes, mostly for the highest levels, and needs matplotlib.

  --quick  use 4x4 to 16 up to sum 44 instead
  -o DIR   where to write [default: the current directory]

The temporary directory is made in $TMPDIR, or in the current directory.
END
}

refuse() {
    echo "${0##*/}: $*" >&2
    exit 2
}

game=(--size 4 --max 32 --until 64) out=.
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage; exit ;;
        --quick) game=(--size 4 --max 16 --until 44) ;;
        -o) [ -n "${2:-}" ] || refuse "$1: which directory?"; out=$2; shift ;;
        *) refuse "unexpected $1: see --help" ;;
    esac
    shift
done
[ -d "$out" ] || refuse "$out: not a directory"

root=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd)
cargo build --release --locked --manifest-path "$root/Cargo.toml"
enum48=${CARGO_TARGET_DIR:-$root/target}/release/enum48
# Cargo runs benches in the package's directory, so the path must be absolute.
work=$(realpath "$(mktemp -d "${TMPDIR:-.}/enum48-compression.XXXXXX")")
trap 'rm -rf "$work"' EXIT

"$enum48" "${game[@]}" --keep last --dir "$work/run" --quiet >/dev/null
part=$(ls -S "$work"/run/*.states | head -n 1)
"$enum48" "${game[@]}" --keep matrices --dir "$work/matrices" --quiet >/dev/null
matrices=$(ls "$work"/matrices/*.matrices | tail -n 1)
live=$(awk -F, -v sum="${game[-1]}" '$1 == sum { live += $3 } END { print live }' "$work/matrices/layers.csv")
cargo bench --locked --manifest-path "$root/Cargo.toml" --bench compression -- "$part" "$matrices" "$live" \
    >"$work/compression.csv"
mkdir -p "$out"/{tables,pictures}
mv "$work/compression.csv" "$out/tables/"
awk -F, '{ printf "%5s%16s%21s%21s%10s\n", $1, $2, $3, $4, $5 }' "$out/tables/compression.csv"
python3 "$root/scripts/plot.py" compression "$out/tables/compression.csv" -o "$out/pictures/compression.svg"

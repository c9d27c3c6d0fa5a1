#!/usr/bin/env bash
# Counts the games of results/ again and compares; see --help.
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/reproduce.sh [--quick] [--dir DIR] [--out DIR] [GAME...]

Builds enum48 and counts games of results/ again in a temporary directory. Each table must equal the
table in results/, part by part, and agree with the published numbers and the laws. Then the script
writes CSV, log and pictures of the game again, and at the end results/README.md.

  GAME        a game of results/, such as 3x3-1024. Without games, the script counts all but the four
              longest, in some minutes on two cores. 4x4-64, 4x3 and 4x4-128 take up to an hour each, and
              4x4-256 eight hours. 4x3 is counted as far as results/ has it. 4x4-64 and 4x3 need
              8 GiB of memory, 4x4-128 and 4x4-256 need 16, and 4x4-64 needs 20 GB of disk.
  --quick     leave out 4x4-32, unless it is named
  --dir DIR   where to make the temporary directory [default: $TMPDIR, or the current one]
  --out DIR   where to write, and where to find the games to compare with [default: results/]

Exit code 1 if a number differs; that game's files are then left as they are. The pictures need
Python and matplotlib.
END
}

pages=results
long=(4x4-64 4x4-128 4x4-256 4x3)
# shellcheck source=scripts/again.sh
. "$(dirname "$0")/again.sh"

declare -A options=(
    [4x4-64]="--memory 8G"
    [4x4-128]="--keep last --memory 16G"
    [4x4-256]="--keep last --memory 16G"
    [4x3]="--until 656 --keep last --memory 8G"
)

plot=$root/scripts/plot_layers.py

for name in "${games[@]}"; do
    size=${name%-*} max=
    [ "$size" = "$name" ] || max=${name#*-}
    arguments="--size $size${max:+ --max $max}${options[$name]:+ ${options[$name]}}"
    echo "== enum48 $arguments"
    # shellcheck disable=SC2086 # the arguments are words
    "$enum48" $arguments --dir "$work/$name" --csv "$work/$name.csv" --json \
        > "$work/$name.json" 2> "$work/$name.log" || { cat "$work/$name.log"; failed=true; continue; }
    "$enum48" check "$work/$name.csv" --size "$size" ${max:+--max "$max"} >> "$work/$name.log" ||
        { tail -n 5 "$work/$name.log"; failed=true; continue; }
    if [ -e "$out/$name.csv" ]; then
        "$enum48" check "$out/$name.csv" "$work/$name.csv" || { failed=true; continue; }
    fi
    rm -rf "${work:?}/$name"
    log=$(< "$work/$name.log")
    printf '%s\n' "${log//"$work/"/}" > "$work/$name.log"
    mv "$work/$name.csv" "$work/$name.log" "$out/"
    python3 - "$arguments" "$commit" "$(date -u +%F)" "$work/$name.json" "$out/$name.json" <<'END'
import json, sys
arguments, commit, date, found, kept = sys.argv[1:]
run = json.load(open(found))
del run["dir"]
run |= {"command": f"enum48 {arguments}", "commit": commit, "date": date}
json.dump(run, open(kept, "w"), indent=2)
open(kept, "a").write("\n")
END
    python3 "$plot" "$out/$name.csv" -o "$out/$name.svg"
    python3 "$plot" "$out/$name.csv" -o "$out/$name-log.svg" --log
done
echo "== the striped board"
"$enum48" witness 0x2345454554544545 --size 4 --max 64 > "$work/striped.code"
"$enum48" replay "$(cat "$work/striped.code")" --html "$work/striped.html"
mv "$work"/striped.* "$out/"
python3 "$root/scripts/results.py" "$out"
! $failed

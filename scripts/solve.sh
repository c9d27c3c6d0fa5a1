#!/usr/bin/env bash
# Solves the games of results/solved/ again and compares; see --help.
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/solve.sh [--quick] [--dir DIR] [--out DIR] [GAME...]

Builds enum48, and counts and solves games of results/solved/ again in a temporary directory. All values,
by their fingerprints, the values of the starts and the tables must equal those in results/solved/. Then
the script writes summary, table and pictures of the game again, and at the end results/solved.md.

  GAME        a game of results/solved/, such as 3x3-1024. Without games, the script solves all but 4x4-64.
              It also solves boards up to 3x3 for other rates of 4s and for forced tiles. It takes ten minutes
              on two cores, 1 GiB of memory and 4 GB of disk. 4x4-64 takes 100 minutes, 12 GiB of memory and
              40 GB of disk.
  --quick     leave out 4x4-32, which takes most of the time and memory, unless it is named
  --dir DIR   where to make the temporary directory [default: $TMPDIR, or the current one]
  --out DIR   where to write, and where to find the games to compare with [default: results/solved/]

Exit code 1 if a number differs; that game's files are then left as they are. The pictures need
Python and matplotlib.
END
}

pages=results/solved
long=(4x4-64)
# shellcheck source=scripts/again.sh
. "$(dirname "$0")/again.sh"

# The objectives of each turn of a game. Values of a turn are deleted before the next turn, which may need their room.
# A game with a winning tile is solved for the score, moves and that tile. A game without a winning tile is solved for
# all tiles that are neither certain nor out of reach.
declare -A turns=(
    [2x2]="--for score,moves,16,32"
    [2x3]="--for score,moves,32,64,128"
    [2x4]="--for score,moves,64,128,256,512"
    [3x3]="--for score,moves,128,256,512,1024"
    [4x4-64]="--for score:8 --memory 12G;--for moves:8 --memory 12G"
)
# Games with a table. Tables of games with a winning tile on smaller boards would double the size of all tables.
tables=" 2x2 2x3 2x4 3x3 4x4-8 4x4-16 4x4-32 4x4-64 "

# Counts and solves a game, and keeps its summary, table and pictures.
solve() {
    local name=$1 size=${1%-*} max= run=$work/$1 kept=() turn stem csv list
    [ "$size" = "$name" ] || max=${name#*-}
    "$enum48" --size "$size" ${max:+--max "$max"} --keep afterstates --dir "$run" --quiet > "$work/log" || return
    IFS=';' read -ra list <<< "${turns[$name]:---for score,moves,$max}"
    for turn in "${list[@]}"; do
        stem=$work/$name.${#kept[@]}
        csv=
        [ "${tables/ $name /}" = "$tables" ] || csv=$stem.csv
        echo "== enum48 solve enum48-data/$name $turn"
        # shellcheck disable=SC2086 # the arguments are words
        "$enum48" solve "$run" $turn ${csv:+--csv "$csv"} --json --quiet > "$stem.json" || return
        rm -f "$run"/*.values "$run/solution.json"
        kept+=("$turn" "$stem")
    done
    python3 "$root/scripts/keep_solved.py" "$out" "$commit" "${kept[@]}" || return
    rm -rf "$run"
}

for name in "${games[@]}"; do
    solve "$name" || failed=true
done
! $all || python3 "$root/scripts/rates.py" "$enum48" "$out" "$work" || failed=true
python3 "$root/scripts/solved.py" "$out"
! $failed

#!/usr/bin/env bash
# Kills and resumes a count again and again, and compares the files it ends with; see --help.
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/kill-resume.sh [--dir DIR] [--keep WHAT] GAME MINUTES

Builds enum48 and counts GAME once, undisturbed, in a temporary directory. Then, for MINUTES,
counts it in a second directory, with a different memory bound and number of threads for each
start, and kills it with SIGKILL at random moments. When a count completes, its files must
equal the first count's files, byte for byte; then a new count starts. The last count is not
killed.

  GAME         3x3-1024, 4x3, or with the last tile sum, 4x4-32:60
  MINUTES      how long to go on killing, a whole number
  --keep WHAT  as for a count: all, last, afterstates or both
  --dir DIR    where to make the temporary directory [default: $TMPDIR, or the current one]

Exit code 1 if the files differ or a later start fails (the directories are then kept), 2 for bad
arguments.
END
}

refuse() {
    echo "${0##*/}: $*" >&2
    exit 2
}

dir=${TMPDIR:-.} kept=all words=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage; exit ;;
        --dir) [ -n "${2:-}" ] || refuse "$1: which directory?"; dir=$2; shift ;;
        --keep) [ -n "${2:-}" ] || refuse "$1: which files?"; kept=$2; shift ;;
        -*) refuse "unexpected $1: see --help" ;;
        *) words+=("$1") ;;
    esac
    shift
done
[ ${#words[@]} = 2 ] || refuse "expected GAME and MINUTES, got ${#words[@]} words: see --help"
game=${words[0]} minutes=${words[1]}
[[ $game =~ ^([0-9]+x[0-9]+)(-([0-9]+))?(:([0-9]+))?$ ]] || refuse "$game: not a game such as 3x3-1024"
args=(--size "${BASH_REMATCH[1]}" ${BASH_REMATCH[3]:+--max "${BASH_REMATCH[3]}"}
    ${BASH_REMATCH[5]:+--until "${BASH_REMATCH[5]}"} --keep "$kept" --quiet)
[[ $minutes =~ ^[0-9]{1,6}$ ]] || refuse "$minutes: not a whole number of minutes"
[ -d "$dir" ] || refuse "$dir: not a directory"

root=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd)
cargo build --release --locked --manifest-path "$root/Cargo.toml"
enum48=${CARGO_TARGET_DIR:-$root/target}/release/enum48
work=$(mktemp -d "$dir/enum48-kill.XXXXXX")
keep=false
trap '$keep || rm -rf "$work"' EXIT

fail() {
    keep=true
    cat "$work/said" >&2
    echo "kill-resume.sh: $game: $1, after $kills kills: see $work" >&2
    exit 1
}

now() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
below() { echo $(((RANDOM << 15 | RANDOM) % $1)); }

# Memory and threads are random each time. Two threads need 32M, each further one 8M.
count() {
    local memory most threads
    memory=$((32 + $(below 225)))
    most=$(((memory - 16) / 8))
    threads=$((1 + $(below $((most < cores ? most : cores)))))
    "$@" "$enum48" "${args[@]}" --dir "$work/killed" --threads "$threads" --memory "${memory}M" \
        >"$work/said" 2>&1
}

compare() {
    diff -rq "$work/whole" "$work/killed" >&2 || fail "the files differ"
    completed=$((completed + 1))
    echo "count $completed has equal files, after $kills kills"
    rm -rf "$work/killed"
}

cores=$(nproc) kills=0 completed=0
start=$(now)
"$enum48" "${args[@]}" --dir "$work/whole" >/dev/null
took=$(($(now) - start))

# Kill most starts early, and some late enough to have committed layers even in a long count.
usual=$((took / 4 < 400 ? 400 : took / 4 > 20000 ? 20000 : took / 4))
end=$(($(now) + 10#$minutes * 60000))
while [ "$(now)" -lt "$end" ]; do
    after=$((1 + $(below $((RANDOM % 4 ? usual : 4 * usual)))))
    printf -v after '%d.%03d' $((after / 1000)) $((after % 1000))
    status=0
    count timeout --foreground --preserve-status --signal=KILL "$after" || status=$?
    case $status in
        0) compare ;;
        137) kills=$((kills + 1)) ;;
        *) fail "exit code $status" ;;
    esac
done
count || fail "exit code $?"
compare
echo "$game: $kills kills, $completed counts completed, all with the same files"

# The options, games, program and working directory that reproduce.sh and solve.sh share. Both scripts define usage()
# and "pages", the default of --out, and then source this file.
# shellcheck shell=bash disable=SC2034 # both scripts use these variables

tier=usual dir=${TMPDIR:-.} root=$(cd "$(dirname "$0")/.." && pwd) out=
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage; exit ;;
        --quick | --long) tier=${1#--} ;;
        --dir) dir=${2:?--dir: which directory?}; shift ;;
        --out) out=${2:?--out: which directory?}; shift ;;
        *) echo "${0##*/}: unexpected $1: see --help" >&2; exit 2 ;;
    esac
    shift
done
out=${out:-$root/$pages}
mkdir -p "$out"

games=(2x2-{8,16,32} 2x2 2x3-{8,16,32,64,128} 2x3 2x4-{8,16,32,64,128,256,512} 2x4
    3x3-{8,16,32,64,128,256,512,1024} 3x3 4x4-{8,16})
[ $tier = quick ] || games+=(4x4-32)

cargo build --release --locked --manifest-path "$root/Cargo.toml"
enum48=${CARGO_TARGET_DIR:-$root/target}/release/enum48
work=$(mktemp -d "$dir/enum48-again.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=false

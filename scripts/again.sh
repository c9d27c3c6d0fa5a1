# The options, games, commit, program and working directory that reproduce.sh and solve.sh share. Before sourcing this
# file, a script defines usage(), "pages", the default of --out, and "long", the games that are made only by name.
# shellcheck shell=bash disable=SC2034,SC2154 # the scripts use and define these variables

quick=false dir=${TMPDIR:-.} root=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd) out= games=()
refuse() {
    echo "${0##*/}: $*" >&2
    exit 2
}
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage; exit ;;
        --quick) quick=true ;;
        --dir) [ -n "${2:-}" ] || refuse "$1: which directory?"; dir=$2; shift ;;
        --out) [ -n "${2:-}" ] || refuse "$1: which directory?"; out=$2; shift ;;
        -*) refuse "unexpected $1: see --help" ;;
        *) games+=("$1") ;;
    esac
    shift
done

usual=(2x2-{8,16,32} 2x2 2x3-{8,16,32,64,128} 2x3 2x4-{8,16,32,64,128,256,512} 2x4
    3x3-{8,16,32,64,128,256,512,1024} 3x3 4x4-{8,16})
for name in "${games[@]}"; do
    [[ " ${usual[*]} 4x4-32 ${long[*]} " = *" $name "* ]] ||
        refuse "$name: not a game of $pages/: name one, such as 3x3-1024"
done
all=false
if [ ${#games[@]} -eq 0 ]; then
    all=true games=("${usual[@]}")
    $quick || games+=(4x4-32)
fi

# Outside Git, or without the package that draws, this fails before games are counted.
commit=$(git -C "$root" rev-parse --short HEAD)
git -C "$root" diff --quiet HEAD -- src Cargo.toml Cargo.lock || commit+=-changed
python3 -c 'import matplotlib' 2> /dev/null || refuse "needs matplotlib: pip install -r scripts/requirements.txt"
out=${out:-$root/$pages}
mkdir -p "$out"
cargo build --release --locked --manifest-path "$root/Cargo.toml"
enum48=${CARGO_TARGET_DIR:-$root/target}/release/enum48
work=$(mktemp -d "$dir/enum48-again.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=false

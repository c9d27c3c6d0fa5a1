#!/bin/bash
# nfs.sh PROGRAM OUT: count on a network file system (NFS 4.2) that two machines share; copy the runs to OUT.
#
# A machine is a Linux kernel that runs as a program (user-mode Linux), so this system's kernel needs nothing and nothing
# of it changes. The root folder of both is this system's. The first machine serves the shared folder, /mnt/nfs, from a
# disk of its own, and the second drives the test. Needs root; Debian's packages are named in .ci/run. The caller starts
# the script in a network of its own, by `unshare --net --pid --fork --kill-child`, and compares OUT with local runs.
set -eu

# A machine's first process: this script under another name. The command line of no other kernel names a machine.
if [ "${0##*/}" = init ]; then
    mount -t proc proc /proc
    grep -q machine= /proc/cmdline || exit 2
    set +eu
    export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
    . "$(sed 's/.*place=\([^ ]*\).*/\1/' /proc/cmdline)/names"
    machine=$(sed 's/.*machine=\([^ ]*\).*/\1/' /proc/cmdline)
    mount -t sysfs sys /sys
    for folder in /run /mnt /var/lib/nfs; do mount -t tmpfs tmpfs "$folder"; done
    # modprobe looks below a root for the modules of the running kernel.
    mkdir -p /run/lib /mnt/nfs /mnt/disk
    ln -s /usr/lib/uml/modules /run/lib/modules
    modprobe --dirname /run --all nfsd nfs nfsv4
    # Machines of one name are one client for a server, so that their locks do not exclude each other.
    echo "$machine" >/proc/sys/kernel/hostname
    ip link set lo up
    ip link set eth0 up
    if [ "$machine" = first ]; then
        ip address add 10.48.1.1/24 dev eth0
        mount /dev/ubda /mnt/disk
        mkdir -p /var/lib/nfs/{rpc_pipefs,nfsdcld}
        touch /var/lib/nfs/{etab,rmtab}
        mount -t nfsd nfsd /proc/fs/nfsd
        mount -t rpc_pipefs rpc /var/lib/nfs/rpc_pipefs
        nfsdcld &
        sleep 0.3
        rpc.mountd -N 3 -N 2
        exportfs -o rw,no_root_squash,fsid=0,no_subtree_check,insecure,sync '*:/mnt/disk'
        # For 10 s in place of 90 the server waits for clients of its former life.
        rpc.nfsd -N 3 -V 4 -G 10 -L 10 4
    else
        ip address add 10.48.1.2/24 dev eth0
    fi
    # Waits a little, without a process, which takes long here.
    mkfifo /run/nothing
    exec 9<>/run/nothing
    nap() { read -rt 0.05 -u 9; }
    until mount -t nfs4 -o vers=4.2 10.48.1.1:/ /mnt/nfs; do nap; done
    cd /mnt/nfs
    if [ "$machine" = first ]; then
        # Does what the second machine asks for, until it has ended.
        for ((n = 1; ; n++)); do
            until [ -e "$PLACE/ask.$n" ]; do
                [ ! -e "$PLACE/end" ] || break 2
                nap
            done
            bash "$PLACE/ask.$n" &>"$PLACE/said.$n"
            echo $? >"$PLACE/code"
            mv "$PLACE/code" "$PLACE/code.$n"
        done
    else
        export -f nap
        bash -eu "$PLACE/test" && touch "$PLACE/passed"
        touch "$PLACE/end"
    fi
    # Without unmounting, which would wait for the other machine.
    echo o >/proc/sysrq-trigger
    sleep 10
fi

# This system: write what the machines do, and start them.
PLACE=$(mktemp -d)
trap 'rm -rf "$PLACE"' EXIT
printf "PLACE=%q PROGRAM=%q OUT=%q\n" "$PLACE" "$1" "$2" >"$PLACE/names"
cp "$0" "$PLACE/init"
chmod +x "$PLACE/init"
truncate -s 1G "$PLACE/disk"
mkfs.ext4 -q -F "$PLACE/disk"
cat >"$PLACE/test" <<'TEST'
. "${0%/*}/names"
asked=0
# Asks the first machine to run a command.
ask() {
    asked=$((asked + 1))
    echo "$*" >"$PLACE/new"
    mv "$PLACE/new" "$PLACE/ask.$asked"
}
# Waits for what the first machine says to the last question; returns its code.
answer() {
    until [ -e "$PLACE/code.$asked" ]; do nap || true; done
    said=$(cat "$PLACE/said.$asked")
    return "$(cat "$PLACE/code.$asked")"
}
first() {
    ask "$@"
    answer
}
fail() {
    echo "$1: $said"
    exit 1
}

echo "== a second writer is refused, on the other machine, and takes over when the first is killed"
game='--size 3 --max 256 --keep both --dir killed'
$PROGRAM $game 2>log >/dev/null &
until grep -q ' sum=' log; do nap || true; done
kill -STOP $!
! first "$PROGRAM $game --quiet" || fail "two writers"
grep -q 'killed.*another process' <<<"$said" || fail "another refusal"
kill -KILL $!
wait $! || true
! grep -q '"complete": *true' killed/manifest.json || { echo "it was not killed in its middle"; exit 1; }
first "$PROGRAM $game --quiet" || fail "no count"
$PROGRAM verify killed --quiet

share() {
    echo "== two machines share the tasks of $1"
    shared=0
    while $PROGRAM cluster tasks $1 --dir $2 --quiet >list; do
        if [ -s list ]; then
            ask "sed -n 'p;n' list | xargs -r -n 1 $PROGRAM cluster run --dir $2 --threads 1 --memory 64M"
            sed -n 'n;p' list | xargs -r -n 1 $PROGRAM cluster run --dir $2 --threads 1 --memory 64M
            answer || fail "no tasks"
            shared=$((shared + $(wc -l <list)))
        elif ! $PROGRAM cluster seal --dir $2 2>seal; then
            grep -q 'no layer is cut' seal || { cat seal; exit 1; }
            [ $shared -gt 5 ] || { echo "only $shared tasks"; exit 1; }
            return
        fi
    done
    exit 1
}
share '--size 4 --max 16 --until 34 --task 20000' lists
share '--size 4 --max 8 --keep last --task 100' sweeps
first "$PROGRAM verify --deep lists" || fail "not sound"
cp -r killed lists sweeps "$OUT"
TEST
machine() {
    linux.uml mem=1G rootfstype=hostfs rootflags=/ rw "init=$PLACE/init" "place=$PLACE" "machine=$1" "eth0=ucast,,127.0.0.1,$2" \
        "${@:3}" con=null con0=fd:0,fd:1 quiet </dev/null &>"$PLACE/$1.log" || true
}
ip link set lo up
machine first 4801,4802 "ubda=$PLACE/disk" &
machine second 4802,4801
wait
cat "$PLACE"/*.log
[ -e "$PLACE/passed" ]

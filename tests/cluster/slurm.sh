#!/bin/bash
# slurm.sh PROGRAM ONE MANY OUT: run the batch scripts ONE (one machine) and MANY (Ray on two) under Slurm, stop them, and
# let them resume; copy the runs from the folder `shared` to OUT.
#
# A node is a daemon of Slurm with its own network, host name and processes. The control daemon runs beside them. Needs
# root, and Debian's slurmctld, slurmd, slurm-client and munge. The caller starts this script in namespaces of its own, by
# `unshare --net --uts --mount --pid --fork --kill-child --mount-proc`.
set -eu

PLACE=$(mktemp -d)
chmod 755 "$PLACE"
trap 'rm -rf "$PLACE"' EXIT
export HOME=$PLACE RAY_TMPDIR=$PLACE SLURM_CONF=$PLACE/slurm.conf PATH=${1%/*}:$PATH
OUT=$4
cp "$2" "$PLACE/one"
cp "$3" "$PLACE/many"
cd "$PLACE"
mkdir state shared

NETWORK=10.48.2
ip link set lo up
ip link add switch type bridge
ip address add $NETWORK.100/24 dev switch
ip link set switch up
hostname control
printf '%s\n' "127.0.0.1 localhost" "$NETWORK.100 control" "$NETWORK.1 one" "$NETWORK.2 two" >hosts
mount --bind hosts /etc/hosts

head -c 128 /dev/urandom >key
chmod 600 key
munged --force --socket="$PLACE/socket" --key-file="$PLACE/key" --pid-file="$PLACE/munged.pid" \
    --log-file="$PLACE/munged.log" --seed-file="$PLACE/seed" 2>/dev/null
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=control($NETWORK.100)
AuthInfo=socket=$PLACE/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$PLACE/state
SlurmctldPidFile=$PLACE/slurmctld.pid
SlurmctldLogFile=$PLACE/slurmctld.log
SlurmdSpoolDir=$PLACE/spool.%n
SlurmdPidFile=$PLACE/slurmd.%n.pid
SlurmdLogFile=$PLACE/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
# A job starts at once. The machine may be slow.
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MessageTimeout=100
BatchStartTimeout=300
KillWait=300
UnkillableStepTimeout=600
SlurmdParameters=config_overrides
NodeName=one,two CPUs=2 RealMemory=4000
PartitionName=main Nodes=one,two Default=YES MaxTime=INFINITE
CONF
printf 'CgroupPlugin=autodetect\nIgnoreSystemd=yes\n' >cgroup.conf

# The first process of a node is the shell, because `ray stop` waits until somebody reaps the orphans it kills.
node() {
    unshare --net --uts --pid --fork --kill-child --mount-proc bash -euc "
        until ip link set eth0 up 2>/dev/null; do sleep 0.02; done
        ip address add $NETWORK.$2/24 dev eth0
        ip link set lo up
        hostname $1
        slurmd -D &
        wait" &>"$1.log" &
    until [ "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done
    ip link add "$1" type veth peer name eth0 netns $!
    ip link set "$1" master switch up
}
slurmctld
node one 1
node two 2

# Waits for an event of a job; prints the logs if there is none.
until_() {
    local n
    for ((n = 0; n < 18000; n++)); do
        if eval "$1"; then return; fi
        sleep 0.1
    done
    squeue
    tail -n 20 ./*.log ./*.out
    echo "waited for: $1"
    exit 1
}
ended='[ "$(squeue --noheader && echo none)" = none ]'
until_ '[ "$(sinfo --noheader --format %T)" = idle ]'

# Runs a script until its count is under way, and does with the job what the arguments say.
begin() {
    echo "== $1"
    rm -f "$1.out"
    job=$(sbatch --parsable --output="$1.out" "$1")
    until_ "grep -qs ' sum=.* layer=' $1.out || $ended"
    "${@:2}" "$job"
}
expect() {
    grep -q "$1" "$2" || { cat "$2"; echo "expected in $2: $1"; exit 1; }
}

# Runs `one`, stops it with the other arguments, has the first run it again, and waits for its end. A count that ends
# before it is told to stop begins anew. Slurm may close the output before the program has said what it keeps: only the
# second run tells.
resume() {
    local n
    for ((n = 0; n < 20; n++)); do
        rm -rf shared/one
        begin one "${@:2}"
        "$1"
        until_ "$ended"
        if grep -q 'resuming at sum' one.out; then return; fi
    done
    expect 'resuming at sum' one.out
}
same_file() {
    until_ "$ended"
    echo "== one: the same file resumes"
    job=$(sbatch --parsable --output=one.out one)
}
# Slurm runs a job again two minutes later, unless it is asked to begin sooner. It refuses as long as the job has not
# ended. A node starts no job in the second in which it ended.
requeued() {
    until_ "scontrol update job=$job starttime=now+2 2>/dev/null || $ended"
}
resume same_file scancel
mv shared/one shared/cancelled

# As at the end of its time, which is told to the program a minute or more before.
resume requeued scancel --signal=TERM
expect ', up to sum' one.out

begin many scancel
until_ "$ended"
# The job may end before its `ray stop`, which would stop the next job's Ray.
until_ '! pgrep "ray|gcs_server" >/dev/null'
echo "== many: the same file resumes"
job=$(sbatch --parsable --output=many.out many)
# At the end Ray takes a minute to stop on the second node.
until_ "grep -q 'layer .*: counted' many.out || $ended"
expect 'layer .*: counted' many.out
cp -r shared/* "$OUT"

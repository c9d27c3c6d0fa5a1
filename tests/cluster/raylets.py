"""Count on two machines of a Ray cluster, and disturb it.

raylets.py PROGRAM DRIVER PLACE STAGE ARGS..: DRIVER (scripts/enum48_ray.py) counts in PLACE/run with the options ARGS.
The layers of sums 50 and 60 have tasks of STAGE. Start the script by
`unshare --net --pid --fork --kill-child --mount-proc`, which gives it a network of its own, and ends its processes with
it. A machine has its own processes and its own network, and a cable to the first.

During the count, every tenth task is killed with -9. Then the driver is killed and started again, and then the cable of
the second machine is pulled: its processes live on, and nobody hears of them. The caller compares the files.
"""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

PROGRAM, DRIVER, PLACE, STAGE, *ARGS = sys.argv[1:]
PLACE = Path(PLACE)
FIRST, SECOND = "10.48.0.1", "10.48.0.2"
PORT = 6379
ADDRESS = f"{FIRST}:{PORT}"
# Tasks that the second machine must have done before it is lost, and tasks that must be aborted. A count by sweeps has
# fewer tasks.
SHARE, ABORTS = {"reduce": (50, 20), "sweep": (20, 5)}[STAGE]
# Seconds to wait for an event before the test fails.
PATIENCE = 1200
MEMORY = "--object-store-memory=80000000"
STARTED = "Ray runtime started"

# The driver starts this script in place of the program. It logs each task, and kills some tasks after some hundredths
# of a second. A hash of the task's name and of the number of attempts selects these tasks. Once the file TRAP exists,
# the script stops a task of the second machine halfway. A stage of the layers 50 and 60 waits in its middle until a file
# lets it go on. The trap is not for layer 50, of which a task of the killed driver may be late.
LOG, TRAP, WRAPPER = PLACE / "tasks.log", PLACE / "trap", PLACE / "enum48"
WRAPPER_TEXT = f"""#!/bin/sh
[ "$2" = run ] || exec {PROGRAM} "$@"
echo "$MACHINE begins $3" >> {LOG}
layer=${{3#tasks-000}}
layer=${{layer%%-*}}
case $3 in
tasks-000[56]0-*/{STAGE}-*)
    while [ ! -e {PLACE}/go-$layer ] && ls {PLACE}/run/tasks-000$layer-*/{STAGE}-*.json >/dev/null 2>&1; do sleep 0.1; done
    ;;
esac
if [ "$MACHINE" = second ] && [ "$layer" != 50 ] && [ -e {TRAP} ]; then
    echo "$MACHINE stops $3" >> {LOG}
    kill -STOP $$
fi
draw=$(echo "$3 $(grep -c "begins $3" {LOG})" | cksum)
draw=${{draw%% *}}
if [ $((draw % 10)) = 0 ]; then
    echo "$MACHINE aborts $3" >> {LOG}
    timeout --signal KILL 0.0$((draw / 10 % 30 + 10)) {PROGRAM} "$@"
    kill -KILL $$
fi
{PROGRAM} "$@" && echo "$MACHINE ends $3" >> {LOG}
"""

# Seconds in which Ray's head must answer.
WAIT = "RAY_gcs_server_port_wait_time_s"
# Without the variables of other Ray clusters. Ray stores the token below HOME. After three health checks without an
# answer, eighteen seconds at most, Ray takes a machine for lost; by default that takes a minute.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
ENVIRONMENT |= {"HOME": str(PLACE), "RAY_AUTH_MODE": "token"}
ENVIRONMENT |= {"RAY_health_check_period_ms": "1000", "RAY_health_check_timeout_ms": "5000"}
ENVIRONMENT |= {"RAY_health_check_failure_threshold": "3", WAIT: "120"}
# Seconds in which the tasks of a lost machine must be given to others. Without keepalives that takes seven minutes.
LOSS = 60


def ray(*command):
    return [sys.executable, "-m", "ray.scripts.scripts", *command]


def ip(*command):
    subprocess.run(["ip", *command], check=True)


# A machine apart gets its end of the cable, and begins when it has it.
PLUGGED = f"""
until ip link set eth0 up 2>/dev/null; do sleep 0.1; done
ip address add {SECOND}/24 dev eth0
ip link set lo up
exec "$@"
"""


def machine(name, address, *options, **other):
    own = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if address == SECOND:
        own += ["--net", "sh", "-euc", PLUGGED, "sh"]
    start = ray("start", "--block", "--num-cpus=1", "--disable-usage-stats", MEMORY)
    log = PLACE / f"{name}.log"
    with log.open("wb") as says:
        process = subprocess.Popen(
            [*own, *start, f"--node-ip-address={address}", *options],
            env=ENVIRONMENT | {"MACHINE": name} | other,
            stdout=says,
            stderr=says,
        )
    if address == SECOND:
        here = os.readlink("/proc/self/ns/net")
        until(lambda: os.readlink(f"/proc/{process.pid}/ns/net") != here, "a network")
        ip("link", "set", "eth0", "netns", str(process.pid))
    until(lambda: STARTED in log.read_text(), f"the {name} machine")
    return process


def drive(**other):
    command = [sys.executable, DRIVER, "--address", ADDRESS, "--dir", PLACE / "run"]
    with (PLACE / "driver.log").open("ab") as says:
        return subprocess.Popen(
            [*command, "--enum48", WRAPPER, *ARGS], env=ENVIRONMENT | other, stderr=says
        )


def until(condition, what):
    """Wait until the condition returns a true value; return the value."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() > deadline:
            give_up(f"waited for {what}")
        time.sleep(0.01)
    return found


def expect(true, what):
    if not true:
        give_up(f"expected {what}")


def give_up(why):
    logs = [f"== {log.name}\n{log.read_text()}" for log in sorted(PLACE.glob("*.log"))]
    sys.exit("\n".join([*logs, why]))


def ended(process):
    """Wait for a process to end; return its exit code."""
    return until(lambda: process.poll() is not None and [process.returncode], "an end")[0]


def logged(pattern):
    return re.findall(f"^{pattern}$", LOG.read_text(), re.MULTILINE)


def receipts(layer):
    """The names of the stage's finished tasks."""
    found = PLACE.glob(f"run/tasks-{layer:05}-*/{STAGE}-*.json")
    return [f"{path.parent.name}/{path.stem}" for path in found]


def strangers_are_refused():
    for name, value in [("HOME", "/nonexistent"), ("RAY_AUTH_TOKEN", "0" * 64)]:
        expect(ended(drive(**{name: value, WAIT: "1"})) == 2, f"a refusal with another {name}")
        said = (PLACE / "driver.log").read_text()
        expect("token" in said.splitlines()[-1].lower(), f"the token's name with another {name}")
    expect(not logged(".+"), "no task for a stranger")


def open_cluster_is_refused():
    options = ["--head", f"--port={PORT}", f"--temp-dir={PLACE}/open"]
    anyones = machine("open", FIRST, *options, RAY_AUTH_MODE="disabled")
    expect(ended(drive()) == 2, "a refusal of a cluster without a token")
    said = (PLACE / "driver.log").read_text()
    expect("without a token" in said.splitlines()[-1], "the reason")
    anyones.kill()
    ended(anyones)
    # Its processes may be ending still.
    until(lambda: socket.socket().connect_ex((FIRST, PORT)), "the head's port")


def driver_is_killed(driver):
    until(lambda: receipts(50), "a receipt")
    driver.kill()
    ended(driver)
    done, begun = receipts(50), len(logged(".+"))
    expect(done, "a layer in the middle")
    driver = drive()
    (PLACE / "go-50").touch()
    until(lambda: receipts(60), "a later receipt")
    again = [line for line in logged(".+")[begun:] for task in done if line.endswith(f"begins {task}")]
    expect(not again, f"what is done not to be done again: {again}")
    return driver


def machine_vanishes():
    TRAP.touch()
    (PLACE / "go-60").touch()
    (task,) = until(lambda: logged("second stops (.*)"), "a task of the second machine")
    expect(len(logged("second ends .*")) > SHARE, "the second machine to have done its share")
    ip("link", "set", "cable", "down")
    began = time.monotonic()
    until(lambda: logged(f"first ends {task}"), "the first machine to do what the second left")
    took = time.monotonic() - began
    print(f"{task} was done again {took:.0f} s after its machine was lost")
    expect(took < LOSS, f"the task to be done again sooner than after {took:.0f} s")
    lost = re.compile(f"^{task}: .*node.* dead.* {SECOND}", re.MULTILINE)
    # The driver looks each second whether a machine is lost, so it can say so after the task's loss.
    told = f"({SECOND}): Ray has lost this machine"
    until(lambda: told in (PLACE / "driver.log").read_text(), "the driver to say what it awaits")
    said = (PLACE / "driver.log").read_text()
    expect(lost.search(said), "the driver to say what was lost, and where")
    expect(f"{task}: given to another worker, attempt " in said, "the driver to say that the task was given away")


WRAPPER.write_text(WRAPPER_TEXT)
WRAPPER.chmod(0o755)
LOG.touch()
ip("link", "set", "lo", "up")
ip("link", "add", "cable", "type", "veth", "peer", "name", "eth0")
ip("address", "add", f"{FIRST}/24", "dev", "cable")
ip("link", "set", "cable", "up")
subprocess.run(ray("get-auth-token", "--generate"), env=ENVIRONMENT, check=True, capture_output=True)
open_cluster_is_refused()
machine("first", FIRST, "--head", f"--port={PORT}", f"--temp-dir={PLACE}/ray")
machine("second", SECOND, f"--address={ADDRESS}")
strangers_are_refused()
driver = driver_is_killed(drive())
machine_vanishes()
expect(ended(driver) == 0, "the count to end")
expect(len(logged(r"\w+ aborts .*")) > ABORTS, "tasks to be aborted")

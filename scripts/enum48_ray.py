#!/usr/bin/env python3
"""Count a game on several machines: hand the tasks of `enum48 cluster` to Ray.

All machines see the run's directory under one path, and have the program and Ray
(scripts/requirements-ray.txt). A failed task is done again. After a stop, the same command resumes
the count. The files equal the files of one machine, byte for byte.

  scripts/enum48_ray.py --dir /nfs/run --size 4 --max 256       joins the cluster that `ray start`
                                                                made here, or starts one
  scripts/enum48_ray.py --dir run --size 4 --max 64 --local 4   4 processes, without Ray

All other options are passed on to `enum48 cluster tasks`: --size, --max, --until, --keep,
--level, --task, and --threads and --memory, for small layers that it counts alone. Details:
results/cluster.md.
"""

import failure

import argparse
import concurrent.futures
import csv
import datetime
import json
import os
import platform
import select
import shutil
import signal
import subprocess
import sys
import time

# Attempts at a task that is killed, and rounds without a finished task before giving up.
PATIENCE = 3

# Seconds between two lines of progress.
EVERY = 10

# On a terminal, a layer gets a line of its own if it took at least this time in seconds.
WORTH_A_LINE = 0.5

# Signals that stop the driver.
STOPS = (signal.SIGINT, signal.SIGTERM)

# Milliseconds until Ray asks a silent machine for a sign of life, and until it takes the machine for lost. By default
# the calls that run tasks wait for minutes after Ray has marked their machine as dead.
SILENT = "5000"

# Units of time, in seconds.
TIMES = [(1, "s"), (60, "min"), (3600, "h"), (86_400, "days"), (31_557_600, "years")]


def arguments():
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form, allow_abbrev=False)
    parser.error = lambda what: refuse(f"{what}: see --help")
    add = parser.add_argument
    add("--dir", required=True, help="directory of the run, shared by all machines")
    add("--local", type=int, metavar="N", help="run N processes on this machine, without Ray")
    address = "address of the Ray cluster [default: RAY_ADDRESS, or a cluster here]"
    add("--address", default=os.environ.get("RAY_ADDRESS"), help=address)
    add("--enum48", default="enum48", metavar="PATH", help="the program, on every machine")
    add("--task-threads", type=int, default=1, metavar="N", help="threads of a task [1]")
    add("--task-memory", default="1G", metavar="SIZE", help="memory of a task [1G]")
    own, game = parser.parse_known_args()
    if not own.dir:
        parser.error("--dir: which directory?")
    own.dir = os.path.abspath(own.dir)
    if own.local is not None and own.local < 1:
        parser.error(f"--local {own.local}: no process would count")
    program = shutil.which(own.enum48) or parser.error(f"--enum48 {own.enum48}: no such program")
    own.enum48 = os.path.abspath(program)
    return own, game


class Display:
    """Progress in the form of a count on one machine: lines of key=value, or a display on a terminal."""

    def __init__(self):
        self.begin = self.drawn = self.sealed = time.monotonic()
        self.terminal = sys.stderr.isatty()
        self.answer = self.first = None
        self.tasks, self.lines = (0, 0), 0

    def clear(self):
        """Erase the display of a terminal."""
        if self.lines:
            sys.stderr.write(f"\r\033[{self.lines - 1}A\033[J")
            self.lines = 0

    def say(self, text):
        """Print a line above the display."""
        self.clear()
        print(text, file=sys.stderr, flush=True)

    def asked(self, answer):
        """Show the state of the run after an answer of `enum48 cluster tasks`."""
        before, self.answer, self.first = self.answer, answer, self.first or answer
        self.tasks = (answer["of"] - len(answer["tasks"]), answer["of"])
        # `enum48 cluster tasks` has told the layers that it counted without tasks, perhaps after this layer.
        if before and before["stage"] == "seal" and answer["sealed"] >= before["sum"]:
            layer, took = states_of(answer["dir"], before["sum"]), time.monotonic() - self.sealed
            if self.terminal and took >= WORTH_A_LINE:
                self.say(f"sum {before['sum']:>5}  {layer:>17,} states  {took:>8.1f} s")
            self.show(f"sum={before['sum']} layer={layer}")
        if not before or answer["sealed"] > before["sealed"]:
            self.sealed = time.monotonic()

    def finished(self, tasks):
        """Show that this many more tasks of the stage are done."""
        self.tasks = (self.tasks[0] + tasks, self.tasks[1])
        self.show(self.stage() if self.tasks[0] == self.tasks[1] else None)

    def stage(self):
        ready, of = self.tasks
        return f"sum={self.answer['sum']} stage={self.answer['stage']} tasks={ready} of={of}"

    def show(self, what=None):
        """Draw; or write a line, if there is something to tell or if the last line is old."""
        now, answer = time.monotonic(), self.answer
        sec, states = now - self.begin, answer["states"]
        rate, done = (states - self.first["states"]) / max(sec, 0.1), answer["done"]
        counted = done - self.first["done"]
        left = sec * (1 - done) / counted if counted > 0 and sec >= 3 else None
        if self.terminal:
            return self.draw(sec, rate, left)
        if what or now - self.drawn >= EVERY:
            self.drawn = now
            rest = ""
            if left is not None:
                rest = f" done={done:.4f} left_sec={rounded(left)} left={duration(left).replace(' ', '')}"
            date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            counts = f"states={states} states_per_sec={rate:.0f} sec={sec:.3f}"
            self.say(f"time={date} {what or self.stage()} {counts}{rest}")

    def draw(self, sec, rate, left):
        answer, (ready, of) = self.answer, self.tasks
        hours, seconds = divmod(int(sec), 3600)
        clock = f"{hours:02}:{seconds // 60:02}:{seconds % 60:02}"
        lines = [f"sum {answer['sum']}, {answer['stage']}: {ready:,} of {of:,} tasks"]
        lines.append(f"  {answer['states']:,} states, {number(rate)} states/s")
        if left is None:
            lines[0] = f"{clock}  {lines[0]}"
        else:
            done, rest = answer["done"], f" {answer['done']:.0%}, about {duration(left)} left"
            width = max(shutil.get_terminal_size().columns - len(clock) - 3 - len(rest), 1)
            bar = ("█" * int(done * width)).ljust(width, "░")
            lines = [f"{clock}  {bar}{rest}", f"  {lines[0]}", lines[1]]
        self.clear()
        sys.stderr.write("\n".join(["", *lines]))
        sys.stderr.flush()
        self.lines = len(lines) + 1


def states_of(run, layer):
    """The number of states of a sealed layer, live and dead."""
    with open(os.path.join(run, "layers.csv")) as table:
        rows = [row for row in csv.DictReader(table) if int(row["sum"]) == layer]
    return sum(int(row["live"]) + int(row["dead"]) for row in rows)


def rounded(n):
    """A number rounded to two digits."""
    return f"{float(f'{n:.1e}'):.15g}"


def number(n):
    """A number of two digits with a unit: "9.5 M"."""
    units = ["", " k", " M", " G", " T"]
    power = min(max(len(str(int(float(rounded(n))))) - 1, 0) // 3, len(units) - 1)
    return rounded(n / 1000**power) + units[power]


def duration(seconds):
    """A time of two digits with a unit: "2.5 h"."""
    fits = [unit for unit in TIMES if seconds >= 2 * unit[0]] or TIMES[:1]
    return f"{rounded(seconds / fits[-1][0])} {fits[-1][1]}"


display = Display()


class Stopped(Exception):
    """The driver was told to stop, by the signal `by`."""

    by = None


# The processes that the driver started here.
begun = []


def stop(number, _frame):
    """Have all processes end. It raises nothing, because a process may be starting just now."""
    Stopped.by = number
    for process in begun:
        process.terminate()


def begin(command, **pipes):
    """Start a process that ends when the driver is told to stop."""
    process = subprocess.Popen(command, **pipes)
    begun[:] = [process, *(other for other in begun if other.returncode is None)]
    if Stopped.by:
        process.terminate()
    return process


def go_on():
    """Raise `Stopped` if the driver was told to stop."""
    if Stopped.by:
        raise Stopped


def refuse(why):
    """Print the reason and exit with code 2."""
    display.say(f"enum48_ray.py: {why}")
    sys.exit(2)


def attempt(command, begin=subprocess.Popen):
    """Run a command; return whether it was killed, and its error or None. Ray takes it to other machines."""
    try:
        process = begin(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        return False, f"{platform.node()}: {error}"
    said, code = process.communicate()[1], process.returncode
    if code:
        # A shell adds 128 to the number of a signal.
        return code < 0 or code > 128, f"{platform.node()}: exit {code}: {said.strip()}"
    return False, None


class Here:
    """Runs commands on this machine, without Ray."""

    def __init__(self, processes):
        self.pool = concurrent.futures.ThreadPoolExecutor(processes)

    def submit(self, command):
        return self.pool.submit(attempt, command, begin)

    def watch(self):
        """Nothing to see: a lost machine loses the driver, too."""


def seal(command):
    """Seal a layer, and show that the seal waits while another process uses the run. Return the error or None."""
    try:
        process = begin(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        return f"{platform.node()}: {error}"
    said = []
    with process:
        while True:
            if not select.select([process.stderr], [], [], 0.5)[0]:
                # The program goes on after these lines, so they do not tell its result.
                for line in said:
                    display.say(line)
                said.clear()
                display.show()
            elif line := process.stderr.readline():
                said.append(line.strip())
            else:
                break
    code = process.returncode
    return f"{platform.node()}: exit {code}: {' '.join(said)}" if code else None


class OnRay:
    """Runs commands on the machines of a Ray cluster, each on this number of cores. Joins or starts the cluster."""

    def __init__(self, address, threads):
        mode = os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        for name in ("time", "timeout"):
            os.environ.setdefault(f"RAY_grpc_client_keepalive_{name}_ms", SILENT)
        if address:
            # Otherwise Ray tries an unreachable address for a quarter of an hour.
            os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
        try:
            import ray

            ray.init(address=address, log_to_driver=False, logging_level="error")
        except ModuleNotFoundError:
            refuse("Ray is missing: install scripts/requirements-ray.txt, or give --local N")
        except Exception as error:
            cause = str(error.__cause__ or error).strip().splitlines()[-1]
            refuse(f"Ray at {address or 'this machine'}: {cause}")
        if mode == "token" and talks_to_strangers(ray.get_runtime_context().gcs_address):
            refuse("Ray runs without a token, so anybody can run anything: start it with RAY_AUTH_MODE=token")
        self.nodes, self.alive = ray.nodes, {}
        most = max(machine["Resources"].get("CPU", 0) for machine in self.nodes())
        if most < threads:
            less = "" if most < 1 else " or give less --task-threads"
            refuse(
                f"no machine of the cluster has {threads} cores for Ray, but {most:g} at most: "
                f"start Ray with --num-cpus={threads}{less}"
            )
        # Spread tasks over all machines: by default Ray fills one after the other. Lost tasks are in the next round.
        options = {"num_cpus": threads, "max_retries": 0, "scheduling_strategy": "SPREAD"}
        self.remote = ray.remote(**options)(attempt)

    def submit(self, command):
        return self.remote.remote(command).future()

    def watch(self):
        """Tell the machines that Ray has lost since the last look."""
        nodes = self.nodes()
        for node in nodes:
            if node["NodeID"] in self.alive and not node["Alive"]:
                display.say(f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']}): Ray has lost this machine, "
                            "and gives its tasks to others in some seconds")
        self.alive = {node["NodeID"] for node in nodes if node["Alive"]}


def talks_to_strangers(address):
    """Whether a Ray cluster answers a client without a token."""
    check = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    without = {**os.environ, "RAY_AUTH_MODE": "disabled"}
    return subprocess.run(check, env=without, capture_output=True).returncode == 0


def do(machines, commands):
    """Run commands, each named by its task. Return the number of tasks that were done."""
    running = {machines.submit(command): (task, 1) for task, command in commands.items()}
    done = 0
    try:
        while running:
            ended, _ = concurrent.futures.wait(running, 1, concurrent.futures.FIRST_COMPLETED)
            go_on()
            machines.watch()
            for future in ended:
                task, attempts = running.pop(future)
                error = future.exception()
                killed, wrong = (True, str(error)) if error else future.result()
                if wrong:
                    display.say(f"{task}: {wrong}")
                if killed and attempts < PATIENCE:
                    running[machines.submit(commands[task])] = (task, attempts + 1)
                    display.say(f"{task}: given to another worker, attempt {attempts + 1} of {PATIENCE}")
                done += not wrong
                display.finished(not wrong)
            display.show()
    finally:
        for future in running:
            future.cancel()
    return done


def main():
    own, game = arguments()
    cluster = [own.enum48, "cluster"]
    machines = Here(own.local) if own.local else OnRay(own.address, own.task_threads)
    # After Ray, which has a way of its own.
    for each in STOPS:
        signal.signal(each, stop)
    resources = ["--dir", own.dir, "--threads", str(own.task_threads), "--memory", own.task_memory]
    failed = 0
    while failed < PATIENCE:
        tasks = [*cluster, "tasks", *game, "--dir", own.dir, "--json"]
        display.clear()
        process = begin(tasks, stdout=subprocess.PIPE)
        answer, code = process.communicate()[0], process.returncode
        go_on()
        if code < 0:
            refuse(f"{platform.node()}: enum48 cluster tasks: exit {code}")
        if code:
            return code
        answer = json.loads(answer)
        display.asked(answer)
        if answer["stage"] == "none":
            end = " to the end of the game" if answer["complete"] else ""
            display.say(f"layer {answer['sum']}: counted{end}")
            return 0
        if answer["stage"] == "seal":
            wrong = seal([*cluster, "seal", "--dir", own.dir])
            go_on()
            done = not wrong
            if wrong:
                display.say(f"layer {answer['sum']}: {wrong}")
        else:
            done = do(machines, {task: [*cluster, "run", task, *resources] for task in answer["tasks"]})
        failed = 0 if done else failed + 1
    refuse(f"gave up: nothing could be done {PATIENCE} times")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (KeyboardInterrupt, Stopped):
        display.say("stopped: the same command resumes the count")
        sys.exit(128 + (Stopped.by or signal.SIGINT))

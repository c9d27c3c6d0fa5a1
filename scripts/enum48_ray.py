#!/usr/bin/env python3
"""Count a game on several machines: hand the tasks of `enum48 cluster` to Ray.

All machines see the run's directory under one path, and have the program and Ray
(scripts/requirements-ray.txt). A failed task is done again. After a stop, the same command resumes
the count. The files equal the files of one machine, byte for byte.

  scripts/enum48_ray.py --dir /nfs/run --size 4 --max 256       joins the cluster that `ray start`
                                                                made here, or starts one
  scripts/enum48_ray.py --dir run --size 4 --max 64 --local 4   4 processes, without Ray

All other options are passed on to `enum48 cluster tasks`: --size, --max, --until, --keep, --segment,
--level, --task, and --threads and --memory, for small layers that it counts alone. Details:
results/cluster.md.
"""

import failure

import argparse
import concurrent.futures
import functools
import json
import os
import platform
import shutil
import subprocess
import sys
import time

PATIENCE = 3  # Rounds without a finished task before giving up.


def arguments():
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form, allow_abbrev=False)
    parser.error = lambda what: refuse(f"{what}: see --help")
    add = parser.add_argument
    add("--dir", required=True, type=os.path.abspath, help="directory of the run, shared by all machines")
    add("--local", type=int, metavar="N", help="run N processes on this machine, without Ray")
    address = "address of the Ray cluster [default: RAY_ADDRESS, or a cluster here]"
    add("--address", default=os.environ.get("RAY_ADDRESS"), help=address)
    add("--enum48", default="enum48", metavar="PATH", help="the program, on every machine")
    add("--task-threads", type=int, default=1, metavar="N", help="threads of a task [1]")
    add("--task-memory", default="1G", metavar="SIZE", help="memory of a task [1G]")
    own, game = parser.parse_known_args()
    if own.local is not None and own.local < 1:
        parser.error(f"--local {own.local}: no process would count")
    program = shutil.which(own.enum48) or parser.error(f"--enum48 {own.enum48}: no such program")
    own.enum48 = os.path.abspath(program)
    return own, game


def say(text, end="\n"):
    """Print on stderr; on a terminal, over the progress."""
    print(text, end="\033[K" + end if sys.stderr.isatty() else end, file=sys.stderr, flush=True)


def refuse(why):
    """Print the reason and exit with code 2."""
    say(f"enum48_ray.py: {why}")
    sys.exit(2)


def attempt(command):
    """Run a command; return its error, or None."""
    try:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        return f"{platform.node()}: {error}"
    if ended.returncode:
        return f"{platform.node()}: exit {ended.returncode}: {ended.stderr.strip()}"
    return None


def on_ray(address, threads):
    """Join or start a Ray cluster; return a function that runs a command there on this number of cores."""
    mode = os.environ.setdefault("RAY_AUTH_MODE", "token")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
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
    if not any(machine["Resources"].get("CPU", 0) >= threads for machine in ray.nodes()):
        refuse(f"no machine of the cluster has {threads} cores: give less --task-threads")
    # Spread tasks over all machines: by default Ray fills one after the other. Lost tasks are in the next round.
    options = {"num_cpus": threads, "max_retries": 0, "scheduling_strategy": "SPREAD"}
    remote = ray.remote(**options)(attempt)
    return lambda command: remote.remote(command).future()


def talks_to_strangers(address):
    """Whether a Ray cluster answers a client without a token."""
    check = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    without = {**os.environ, "RAY_AUTH_MODE": "disabled"}
    return subprocess.run(check, env=without, capture_output=True).returncode == 0


def ended(submit, commands):
    """Run commands; yield the name and the error, or None, of each as it ends."""
    running = {submit(command): name for name, command in commands.items()}
    try:
        for done in concurrent.futures.as_completed(running):
            error = done.exception()
            yield running[done], str(error) if error else done.result()
    finally:
        for future in running:
            future.cancel()


def main():
    own, game = arguments()
    cluster = [own.enum48, "cluster"]
    if own.local:
        submit = functools.partial(concurrent.futures.ThreadPoolExecutor(own.local).submit, attempt)
    else:
        submit = on_ray(own.address, own.task_threads)
    resources = ["--dir", own.dir, "--threads", str(own.task_threads), "--memory", own.task_memory]
    failed = 0
    while failed < PATIENCE:
        tasks = [*cluster, "tasks", *game, "--dir", own.dir, "--json", "--quiet"]
        answer = subprocess.run(tasks, stdout=subprocess.PIPE)
        if answer.returncode:
            return answer.returncode
        answer = json.loads(answer.stdout)
        layer, stage = f"layer {answer['sum']}", answer["stage"]
        if stage == "none":
            say(f"{layer}: counted{' to the end of the game' if answer['complete'] else ''}")
            return 0
        if stage == "seal":
            wrong = attempt([*cluster, "seal", "--dir", own.dir])
            failed = failed + 1 if wrong else 0
            say(f"{layer}: {wrong or 'sealed'}")
            continue
        begin, done = time.monotonic(), 0
        commands = {task: [*cluster, "run", task, *resources] for task in answer["tasks"]}
        for task, wrong in ended(submit, commands):
            if wrong:
                say(f"{task}: {wrong}")
            done += not wrong
            if sys.stderr.isatty():
                say(f"{layer}: {stage}: {done} of {len(commands)}", end="\r")
        say(f"{layer}: {stage}: {done} of {len(commands)} tasks, {time.monotonic() - begin:.1f} s")
        failed = 0 if done else failed + 1
    refuse(f"gave up: nothing could be done {PATIENCE} times")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("\nstopped: the same command goes on")
        sys.exit(130)

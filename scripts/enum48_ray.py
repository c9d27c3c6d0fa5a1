#!/usr/bin/env python3
"""Count a game on several machines: hand the tasks of `enum48 cluster` to Ray.

All machines see the run's directory under the same path, and have the program and Ray
(scripts/requirements-ray.txt). Every task is done again wherever it failed; the same command, run
again, goes on where this one was stopped. The files are those of one machine, byte for byte.

  scripts/enum48_ray.py --dir /nfs/run --size 4 --max 256       joins the cluster that `ray start`
                                                                made here, or starts one
  scripts/enum48_ray.py --dir run --size 4 --max 64 --local 4   4 processes, without Ray

What is not listed below is passed on to `enum48 cluster tasks`: --size, --max, --until, --keep,
--segment, --level, --task, and --threads and --memory for what it counts alone. Details:
results/cluster.md.
"""

import argparse
import concurrent.futures
import json
import os
import platform
import shutil
import subprocess
import sys
import time

# Rounds in which no task could be done, before giving up.
PATIENCE = 3


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--dir", required=True, help="directory of the run, shared by all machines")
    parser.add_argument("--local", type=int, metavar="N", help="N processes here, without Ray")
    parser.add_argument(
        "--address",
        default=os.environ.get("RAY_ADDRESS"),
        help="of the Ray cluster [default: RAY_ADDRESS, or one here]",
    )
    parser.add_argument("--enum48", default="enum48", metavar="PATH", help="the program, everywhere")
    parser.add_argument("--task-threads", type=int, default=1, metavar="N", help="of a task [1]")
    parser.add_argument("--task-memory", default="1G", metavar="SIZE", help="of a task [1G]")
    own, game = parser.parse_known_args()
    if own.local is not None and own.local < 1:
        parser.error(f"--local {own.local}: no process would count")
    own.dir = os.path.abspath(own.dir)
    own.enum48 = shutil.which(own.enum48) or parser.error(f"--enum48 {own.enum48}: no such program")
    own.enum48 = os.path.abspath(own.enum48)
    return own, game


def say(text, end="\n"):
    """Print on stderr, over the progress if that is a terminal."""
    print(text, end="\033[K" + end if sys.stderr.isatty() else end, file=sys.stderr, flush=True)


def refuse(why):
    """End, as it cannot be done."""
    say(f"enum48_ray.py: {why}")
    sys.exit(2)


def attempt(command):
    """Run a command; return what is wrong, if anything."""
    try:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        return f"{platform.node()}: {error}"
    if ended.returncode:
        return f"{platform.node()}: exit {ended.returncode}: {ended.stderr.strip()}"
    return None


def local_pool(processes):
    """A function that runs commands and gives (name, what is wrong) as each of them ends."""

    def each(commands):
        pool = concurrent.futures.ThreadPoolExecutor(processes)
        running = {pool.submit(attempt, command): name for name, command in commands.items()}
        try:
            for done in concurrent.futures.as_completed(running):
                yield running[done], done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    return each


def ray_pool(address, threads):
    """The same on a Ray cluster, which it joins or starts."""
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    if address:
        # Else it tries for a quarter of an hour where nobody is.
        os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
    try:
        import ray

        ray.init(address=address, log_to_driver=False, logging_level="error")
    except ModuleNotFoundError:
        refuse("Ray is missing: install scripts/requirements-ray.txt, or give --local N")
    except Exception as error:
        cause = str(error.__cause__ or error).strip().splitlines()[-1]
        refuse(f"Ray at {address or 'this machine'}: {cause}")
    if not any(machine["Resources"].get("CPU", 0) >= threads for machine in ray.nodes()):
        refuse(f"no machine of the cluster has {threads} cores: give less --task-threads")
    # On all machines alike: Ray would fill one after the other. What is lost is in the next round.
    options = {"num_cpus": threads, "max_retries": 0, "scheduling_strategy": "SPREAD"}
    remote = ray.remote(**options)(attempt)

    def each(commands):
        running = {remote.remote(command): name for name, command in commands.items()}
        while running:
            (done,), _ = ray.wait(list(running), num_returns=1)
            name = running.pop(done)
            try:
                yield name, ray.get(done)
            except ray.exceptions.RayError as error:
                yield name, str(error)

    return each


def main():
    own, game = arguments()
    cluster = [own.enum48, "cluster"]
    each = local_pool(own.local) if own.local else ray_pool(own.address, own.task_threads)
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
            say(f"{layer}: counted")
            return 0
        if stage == "seal":
            wrong = attempt([*cluster, "seal", "--dir", own.dir])
            failed = failed + 1 if wrong else 0
            say(f"{layer}: {wrong or 'sealed'}")
            continue
        begin, done = time.monotonic(), 0
        commands = {task: [*cluster, "run", task, *resources] for task in answer["tasks"]}
        for task, wrong in each(commands):
            if wrong:
                say(f"{task}: {wrong}")
            done += not wrong
            if sys.stderr.isatty():
                say(f"{layer}: {stage}: {done} of {len(commands)}", end="\r")
        took = time.monotonic() - begin
        say(f"{layer}: {stage}: {done} of {len(commands)} tasks, {took:.1f} s")
        failed = 0 if done else failed + 1
    refuse(f"gave up: nothing could be done {PATIENCE} times")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("\nstopped: the same command goes on")
        sys.exit(130)

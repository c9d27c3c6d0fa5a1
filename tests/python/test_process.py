"""Interrupts, threads, memory, forks, and damaged files."""

import os
import shutil
import signal
import subprocess
import sys
import threading

import enum48
import numpy as np
import pytest
from conftest import PROGRAM, said

HAS_SIGNALS = pytest.mark.skipif(os.name != "posix", reason="Windows cannot send Ctrl-C to one process")
HAS_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

COUNT = """
import sys, threading, enum48
def wait_and_count():
    while not stopped.wait(0.01):
        turns.append(1)
turns, stopped = [], threading.Event()
threading.Thread(target=wait_and_count, daemon=True).start()
try:
    enum48.count("4x4-64", sys.argv[1], memory="256M", threads=2, progress=True)
except KeyboardInterrupt:
    print("interrupted", len(turns) > 10)
"""


@HAS_SIGNALS
def test_ctrl_c_ends_a_count_and_keeps_its_layers(tmp_path):
    command = [sys.executable, "-c", COUNT, tmp_path]
    count = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # The progress shows that a layer is under way, which takes seconds.
    assert any(" found=" in line for line in count.stderr)
    count.send_signal(signal.SIGINT)
    # Other Python threads ran during the count.
    assert count.communicate()[0] == "interrupted True\n"
    assert count.returncode == 0
    assert not list(tmp_path.glob("*.tmp"))
    assert "sound" in said("verify", tmp_path, "--quiet")
    assert enum48.count("4x4-64", tmp_path, until=30).sums[-1] >= 30


INTERRUPTED = """
import signal, sys, enum48, numpy as np
run = enum48.open(sys.argv[1])
boards = np.random.default_rng(48).permutation(np.tile(np.concatenate(list(run.blocks())), 3))
made = None
# A timer interrupts as Ctrl-C does, however late a thread would.
signal.signal(signal.SIGALRM, signal.default_int_handler)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    made = CALL
except KeyboardInterrupt:
    pass
print(made is None, len(run.layer(40)))
"""


@HAS_SIGNALS
@pytest.mark.parametrize("call", ["run.position(boards)", "list(run.blocks())", "enum48.spawns(boards, 4)"])
def test_ctrl_c_ends_calls_on_arrays(large, call):
    command = [sys.executable, "-c", INTERRUPTED.replace("CALL", call), large.dir]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.stdout, ended.returncode) == (f"True {len(large.layer(40))}\n", 0), ended.stderr


DAEMON = """
import os, sys, threading, time, enum48
class Last:
    # The interpreter is ending now. The wait is longer than the time between two checks for Ctrl-C.
    def __del__(self, sleep=time.sleep):
        sleep(0.15)
last = Last()
def count():
    enum48.count("4x4-32", sys.argv[1], threads=1, until=80, memory="256M")
counting = threading.Thread(target=count, daemon=True)
counting.start()
while counting.is_alive() and not os.path.exists(os.path.join(sys.argv[1], "manifest.json")):
    pass
"""


def test_the_interpreter_ends_during_a_call_of_a_daemon_thread(tmp_path):
    command = [sys.executable, "-c", DAEMON, tmp_path / "run"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def turns_during(act):
    """The number of times that another Python thread ran during `act`."""
    turns, stopped = [], threading.Event()

    def wait_and_count():
        while not stopped.wait(0.001):
            turns.append(1)

    waiting = threading.Thread(target=wait_and_count)
    waiting.start()
    before = len(turns)
    act()
    during = len(turns) - before
    stopped.set()
    waiting.join()
    return during


def others_run(turns, act):
    """Whether another Python thread ran more often than this during one of many calls of `act`."""
    return any(turns_during(act) > turns for _ in range(100))


def test_other_threads_run_while_tiles_are_read():
    # Pages of zeros take no memory until they are written.
    cells = np.zeros((1 << 25, 4, 4), np.uint64)
    assert others_run(10, lambda: enum48.boards(cells))


def test_other_threads_run_while_a_layer_is_listed(matrices):
    # The part is small, so the call takes the time of the listing of its layer.
    assert others_run(5, lambda: enum48.open(matrices).part(44, 4))


SHORT = """
import resource, sys, enum48, numpy as np
run = enum48.open(sys.argv[1])
total, tile = 72, 8
boards = np.resize(run.part(total, tile), 1 << 24)
places = np.arange(len(boards), dtype=np.uint64) % np.uint64(len(run.part(total, tile)))
calls = ["run.position(boards)", "run.states_at(total, tile, places)", "run.sample(1 << 23)", "enum48.spawns(boards, 4)"]
for call in calls:
    for room in (30, 200, 400, 600):
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (room << 20), resource.RLIM_INFINITY))
        try:
            eval(call)
        except MemoryError as error:
            print(room, call, "no memory for" in str(error))
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory in use is read from /proc")
def test_running_out_of_memory_is_an_exception(large):
    ended = subprocess.run([sys.executable, "-c", SHORT, large.dir], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    told = set(ended.stdout.splitlines())
    # Allocations of this module fail with its message, allocations of numpy with another.
    for call in ("run.position(boards)", "run.states_at(total, tile, places)", "run.sample(1 << 23)"):
        assert f"200 {call} True" in told
    assert "200 enum48.spawns(boards, 4) False" in told


def test_several_threads_can_read_at_once(run):
    expected = run.layer(100)
    found = []
    threads = [threading.Thread(target=lambda: found.append(run.layer(100))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all((layer == expected).all() for layer in found)


def holds_in_a_child(ask):
    """Whether `ask` returns true in a forked process."""
    child = os.fork()
    if child == 0:
        # Without the alarm, a child with dead threads would wait forever.
        signal.alarm(600)
        code = 1
        try:
            code = 0 if ask() else 1
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


@HAS_FORK
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_starts_its_own_threads(run):
    boards = np.tile(run.layer(100), 10)
    assert len(boards) > 1 << 16
    expected = enum48.canonical(boards, 3)
    assert holds_in_a_child(lambda: (enum48.canonical(boards, 3) == expected).all() and len(run.layer(100)) > 0)


@HAS_FORK
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_leaves_the_listed_layers_of_its_parent(matrices):
    run = enum48.open(matrices)
    layer = run.layer(44)
    # A run keeps six listed layers, so the child drops the layer that it has inherited.
    others = range(30, 42, 2)
    assert holds_in_a_child(lambda: (run.layer(44) == layer).all() and all(len(run.layer(total)) for total in others))
    assert (run.layer(44) == layer).all()


@HAS_FORK
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_is_forked_while_a_thread_lists_lists_layers_itself(matrices):
    run = enum48.open(matrices)
    listed, stopped = threading.Event(), threading.Event()

    def list_layers():
        while not stopped.is_set():
            # A run keeps six listed layers, so each call lists a layer.
            for total in range(28, 44, 2):
                run.layer(total)
            listed.set()

    listing = threading.Thread(target=list_layers)
    listing.start()
    assert listed.wait(600)
    board = int(run.layer(6)[0])
    answers = [holds_in_a_child(lambda: len(run.layer(6)) > 0 and board in run) for _ in range(3)]
    stopped.set()
    listing.join()
    assert all(answers)


@HAS_FORK
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_is_forked_while_a_thread_reads_blocks_does_not_wait(matrices):
    blocks, began, found = enum48.open(matrices).blocks(), threading.Event(), []

    def read():
        began.set()
        found.extend(blocks)

    def ask():
        try:
            next(blocks, None)
        except RuntimeError:
            pass  # the thread was reading
        return True

    reading = threading.Thread(target=read)
    reading.start()
    assert began.wait(600)
    answers = [holds_in_a_child(ask) for _ in range(3)]
    reading.join()
    assert all(answers) and len(found) > 10


def flipped(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 4
    path.write_bytes(data)


@pytest.mark.parametrize("part", [(100, 32), (60, 16)])
def test_damage_is_an_exception_with_the_program_s_message(place, tmp_path, part):
    name = "sum-{:05}-max-{:05}.states".format(*part)
    length = (place / name).stat().st_size
    for at in [*range(0, 60, 7), *range(60, length, length // 20), length - 1, length - 30]:
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        shutil.copytree(place, tmp_path / "run")
        flipped(tmp_path / "run" / name, at)
        run = enum48.open(tmp_path / "run")
        with pytest.raises(enum48.DamagedError) as raised:
            run.layer(part[0])
        told = subprocess.run([PROGRAM, "states", run.dir, "--sum", str(part[0])], capture_output=True, text=True)
        assert told.returncode == 2
        assert told.stderr == f"enum48: {raised.value}\n"
        blocks = run.blocks(*part)
        for ask in (lambda: list(blocks), lambda: run.sample(1 << 20, sum=part[0])):
            with pytest.raises(enum48.DamagedError):
                ask()
        assert list(blocks) == [], "nothing comes after an error"
    (tmp_path / "run" / name).unlink()
    with pytest.raises(enum48.DamagedError, match="missing"):
        run.part(*part)
    flipped(tmp_path / "run" / "manifest.json", 100)
    with pytest.raises(enum48.DamagedError, match="manifest.json"):
        enum48.open(tmp_path / "run")


def test_an_impossible_array_is_a_memory_error(run):
    with pytest.raises((MemoryError, ValueError)):
        enum48.spawns(np.broadcast_to(np.uint64(1), (1 << 50,)), 3)

"""A cluster over TCP, of which one process is killed in the middle: the bits are those of one process."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from gammond.engine.errors import StateError
from gammond.tools.parallel.cluster import ClusterExecutor
from gammond.tools.parallel.cluster_key import make_key_file

pytest.importorskip("distributed")
pytest.importorskip("cryptography")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 300.0

_SOME_PROGRESS = re.compile(rb" [1-9]\d? %")

_SAY_MORE = """
import sys
from gammond.engine.runtime import compilation
from gammond.__main__ import main
compilation.LINE_EVERY_S = 0.05
sys.exit(main())
"""
"""The program, with lines of progress in its log at short intervals."""


@dataclass(frozen=True)
class Job:
    """A command that takes some seconds, and what must be the same however it was done."""

    command: str
    resume: str
    read: Callable[[Path, bytes], object]

    def make_words(self, out: Path, *more: str) -> list[str]:
        resume = self.resume.split() if any(out.parent.iterdir()) else []
        return [*self.command.format(out=out).split(), *resume, *more]


def read_report(out, printed):
    report = json.loads(printed)
    report.pop("seconds", None)
    return report


def read_labels(out, printed):
    shards = [np.load(file) for file in sorted(out.glob("labels-*.npz"))]
    return [{name: shard[name].tobytes() for name in shard.files} for shard in shards]


JOBS = {
    "rollout": Job(
        "rollout startpos --dice 3 1 --trials 864 --truncate 5 --candidates 2 --stop-jsd 0"
        " --state {out} --json",
        "",
        read_report,
    ),
    "tournament": Job("tournament pubeval random --games 16384 --keep {out} --json", "", read_report),
    "label": Job(
        "train label {out} --net fast --positions 16384 --sources selfplay", "--resume", read_labels
    ),
}


class Processes:
    """Programs that run beside the test, all ended with it."""

    def __init__(self, folder):
        self.folder = folder
        self.started = []

    def start(self, *words):
        errors = (self.folder / f"stderr{len(self.started)}").open("wb+")
        process = subprocess.Popen(
            [sys.executable, "-c", _SAY_MORE, *words],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        process.errors = Path(errors.name)
        errors.close()
        self.started.append(process)
        return process

    def end_all(self):
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()

    def run(self, words):
        process = self.start(*words)
        printed, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, process.errors.read_text()
        return printed


@pytest.fixture
def processes(tmp_path):
    folder = tmp_path / "stderr"
    folder.mkdir()
    processes = Processes(folder)
    yield processes
    processes.end_all()


@pytest.fixture
def cluster(processes):
    """A scheduler and two workers, each a `gammond cluster` of its own; their address comes first."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
    make_key_file()  # else a worker may look for it before the scheduler has made it
    scheduler = processes.start("cluster", "start", "--port", address.rpartition(":")[2])
    workers = [processes.start("cluster", "worker", address, "--threads", "1") for _ in range(2)]
    end_s = time.monotonic() + PATIENCE_S
    while not has_workers(address, 2):
        assert time.monotonic() < end_s
        time.sleep(0.1)
    return address, scheduler, workers


def has_workers(address, count):
    try:
        with ClusterExecutor(address) as executor:
            return executor.count_workers() == count
    except StateError:
        return False


def halt_at_progress(clients):
    """Let each client do something, and halt it there, so that all are in the middle at the same time.

    One may say what it did only when it has done all.
    """
    end_s, running, done = time.monotonic() + PATIENCE_S, list(clients), 0
    while running:
        for client in running[:]:
            if client.poll() is not None:
                assert client.returncode == 0, client.errors.read_text()
                done += 1
                running.remove(client)
            elif _SOME_PROGRESS.search(client.errors.read_bytes()):
                client.send_signal(signal.SIGSTOP)
                running.remove(client)
        assert time.monotonic() < end_s
        time.sleep(0.02)
    assert done <= 1


def list_children(process):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, check=True)
    return [int(pid) for pid in found.stdout.split()]


def make_out(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    return folder / "out.npz"


def find_expected(processes, tmp_path):
    """What each job gives without a cluster."""
    found = {}
    for name, job in JOBS.items():
        out = make_out(tmp_path, f"{name}-alone")
        found[name] = job.read(out, processes.run(job.make_words(out)))
    return found


def begin_jobs(processes, address, tmp_path, victim):
    """Start all jobs on one cluster; return them halted, once each has done something."""
    outs = {name: make_out(tmp_path, f"{name}-{victim}") for name in JOBS}
    clients = {
        name: processes.start(*job.make_words(outs[name], "--cluster", address)) for name, job in JOBS.items()
    }
    halt_at_progress(clients.values())
    return outs, clients


def go_on(clients):
    for client in clients.values():
        client.send_signal(signal.SIGCONT)


def test_whichever_process_is_killed_the_bits_are_those_of_one_process(cluster, processes, tmp_path):
    """One cluster for all: starting it, and doing each job alone, takes as long as the rest."""
    expected = find_expected(processes, tmp_path)
    check_killed_client(cluster, processes, tmp_path, expected)
    check_killed_workers(cluster, processes, tmp_path, expected)
    check_killed_scheduler(cluster, processes, tmp_path, expected)


def check_killed_client(cluster, processes, tmp_path, expected):
    """It goes on with what is finished."""
    address, _, _ = cluster
    outs, clients = begin_jobs(processes, address, tmp_path, "client")
    for client in clients.values():
        with suppress(ProcessLookupError):
            os.killpg(client.pid, signal.SIGKILL)
        client.communicate(timeout=PATIENCE_S)
    for name, job in JOBS.items():
        printed = processes.run(job.make_words(outs[name], "--cluster", address))
        assert job.read(outs[name], printed) == expected[name]


def check_killed_workers(cluster, processes, tmp_path, expected):
    """Others do the work of a killed one: here that which is started in its place."""
    address, _, workers = cluster
    outs, clients = begin_jobs(processes, address, tmp_path, "worker")
    go_on(clients)
    os.kill(list_children(workers[0])[-1], signal.SIGKILL)
    time.sleep(0.5)
    os.killpg(workers[1].pid, signal.SIGKILL)
    for name, job in JOBS.items():
        printed, _ = clients[name].communicate(timeout=PATIENCE_S)
        assert clients[name].returncode == 0, clients[name].errors.read_text()
        assert job.read(outs[name], printed) == expected[name]


def check_killed_scheduler(cluster, processes, tmp_path, expected):
    """What is finished remains."""
    address, scheduler, _ = cluster
    outs, clients = begin_jobs(processes, address, tmp_path, "scheduler")
    os.killpg(scheduler.pid, signal.SIGKILL)
    go_on(clients)
    cut_off = 0
    for name, job in JOBS.items():
        clients[name].communicate(timeout=PATIENCE_S)
        if clients[name].returncode:  # else it had all its results just before
            cut_off += 1
            assert clients[name].returncode == 2
            assert "the same command goes on from there" in clients[name].errors.read_text()
        assert job.read(outs[name], processes.run(job.make_words(outs[name]))) == expected[name]
    assert cut_off >= 2

"""Another user of the machine, who wants the processes of a cluster to run a program of his."""

from __future__ import annotations

import asyncio
import http.client
import os
import pickle
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.attacks.server import HOST, Home, run_gammond, start_gammond
from tests.attacks.trial import Attack, Trial, expect
from tests.support.waiting import wait_for

_START_S = 180.0
_ANSWER_S = 5.0
_POLL_S = 0.2

_PORTS = 5
"""Scheduler and worker listen on two each, and what starts the worker again on one."""

_REQUESTS = ("run", "run_function")
"""By which workers and schedulers of the library are asked to run any function."""

_PAGES = ("/health", "/metrics", "/json/identity.json", "/info/main/workers.html")


def send_programs(trial: Trial) -> str:
    """Send a program to each port of a cluster's processes, without a key and with one of his own."""
    if find_spec("distributed") is None:
        return "the extra 'cluster' is not installed: there is nothing to attack"
    tried = 0
    for name, start in (("cluster", _start_cluster), ("command", _start_command)):
        folder = trial.home.folder / name
        with start(replace(trial.home, folder=folder), _set_trap(folder)) as processes:
            ports = _list_ports(processes)
            trial.note(f"{name}: {len(ports)} ports")
            expect(len(ports) >= _PORTS, f"{name}: expected {_PORTS} ports to attack, found {ports}")
            marks = {port: folder / f"ran-{port}" for port in ports}
            answered = asyncio.run(_try_all(marks))
            ran = [port for port, mark in marks.items() if mark.exists()]
            expect(not ran, f"{name}: a stranger's program ran, sent to ports {ran}")
            expect(not answered, f"{name}: pages for anybody: {answered}")
            _check_secrets(processes, folder)
        tried += len(ports)
    return f"{tried} ports, none of them runs a stranger's program or tells him anything"


def _set_trap(folder: Path) -> Path:
    """Make a folder for temporary files where the library's own is there already, and he can write it."""
    scratch = folder / "tmp"
    trap = scratch / "dask-scratch-space"
    trap.mkdir(parents=True)
    scratch.chmod(0o1777)
    trap.chmod(0o777)
    return scratch


@contextmanager
def _start_cluster(home: Home, scratch: Path) -> Iterator[list[int]]:
    """Start a scheduler and a worker, whose key is in a data folder of their own."""
    home = replace(home, data=home.folder / "data")
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    address = f"{HOST}:{port}"
    with _run(home, scratch, "cluster", "start", "--port", str(port)) as scheduler:
        _wait_for(lambda: port in _list_ports(_list_tree(scheduler)), home)
        with _run(home, scratch, "cluster", "worker", address, "--threads", "1") as worker:
            _wait_for(lambda: "1 worker;" in run_gammond(home, "cluster", "status", address).stdout, home)
            yield [*_list_tree(scheduler), *_list_tree(worker)]
            done = run_gammond(home, "cluster", "status", address)
            expect(done.returncode == 0, f"the cluster does not work for its user: {done.stderr}")


@contextmanager
def _start_command(home: Home, scratch: Path) -> Iterator[list[int]]:
    """Start a command that lasts, with a worker of its own."""
    rollout = "rollout", "startpos", "--dice", "3", "1", "--trials", "1000000", "--cluster", "local:1"
    with _run(home, scratch, *rollout) as command:
        _wait_for(lambda: len(_list_ports(_list_tree(command))) >= _PORTS, home)
        yield _list_tree(command)


@contextmanager
def _run(home: Home, scratch: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command of gammond, and end it and all its children with the block."""
    with (home.folder / "log").open("ab") as log:
        more = {"environment": {"TMPDIR": str(scratch)}, "stdout": log, "stderr": log}
        process = start_gammond(home, *words, **more, start_new_session=True)
    try:
        yield process
    finally:
        children = _list_tree(process)
        process.kill()
        process.wait()
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


def _wait_for(is_ready: Callable[[], bool], home: Home) -> None:
    has_started = wait_for(is_ready, _START_S, _POLL_S)
    log = (home.folder / "log").read_text("utf-8", "replace")
    expect(has_started, f"the cluster does not start: {log[-500:]}")


def _list_tree(process: subprocess.Popen[bytes]) -> list[int]:
    """List a process and all its children."""
    import psutil

    with suppress(psutil.NoSuchProcess):
        return [process.pid, *(each.pid for each in psutil.Process(process.pid).children(recursive=True))]
    return []


def _list_ports(processes: Sequence[int]) -> list[int]:
    """List the ports on which processes listen."""
    import psutil

    ports = set()
    for pid in processes:
        with suppress(psutil.NoSuchProcess):
            for each in psutil.Process(pid).net_connections("tcp"):
                if each.status == psutil.CONN_LISTEN:
                    expect(each.laddr.ip == HOST, f"it listens on {each.laddr.ip}")
                    ports.add(each.laddr.port)
    return sorted(ports)


async def _try_all(marks: dict[int, Path]) -> list[str]:
    """Send programs to ports, each of which would make a folder; return the pages that they have."""
    from distributed.security import Security

    ways = [("tcp", Security()), ("tls", Security.temporary())]
    programs = [
        _send_program(f"{scheme}://{HOST}:{port}", security, request, mark)
        for port, mark in marks.items()
        for scheme, security in ways
        for request in _REQUESTS
    ]
    pages = [asyncio.to_thread(_find_page, port, page) for port in marks for page in _PAGES]
    await asyncio.gather(*programs)
    return [each for each in await asyncio.gather(*pages) if each]


async def _send_program(address: str, security: Any, request: str, mark: Path) -> None:
    from distributed.core import connect

    program = {"function": pickle.dumps(os.mkdir), "args": pickle.dumps((str(mark),))}
    with suppress(OSError, TimeoutError, ValueError):
        async with asyncio.timeout(_ANSWER_S):
            comm = await connect(address, **security.get_connection_args("client"))
            await comm.write({"op": request, **program, "reply": True})
            await comm.read()
            comm.abort()


def _find_page(port: int, page: str) -> str:
    """Return the page's address if there is one."""
    connection = http.client.HTTPConnection(HOST, port, timeout=_ANSWER_S)
    with suppress(OSError, http.client.HTTPException), closing(connection):
        connection.request("GET", page)
        if connection.getresponse().status == HTTPStatus.OK:
            return f"{HOST}:{port}{page}"
    return ""


def _check_secrets(processes: Sequence[int], folder: Path) -> None:
    """Check that others can neither read a key nor put a module where a worker looks for it."""
    for pid in processes:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
        expect(b"PRIVATE KEY" not in words, f"the words of process {pid} have a key")
    for file in folder.rglob("*.pem"):
        expect(file.stat().st_mode & 0o077 == 0, f"others can read {file}")
    trap = folder / "tmp" / "dask-scratch-space"
    left = [each.name for each in trap.iterdir()]
    expect(not left, f"modules are looked for where a stranger can put them: {left}")
    for each in trap.parent.iterdir():
        is_private = each.stat().st_mode & 0o077 == 0
        expect(each == trap or is_private, f"others can look into {each}")


ATTACKS = (
    Attack(
        "strangers",
        "another user of the machine asks a cluster's processes to run a program of his",
        send_programs,
    ),
)

"""A real server for an attack: its process, its folders, and what the system says of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess, Popen
from typing import Any

from tests.support.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"

_START_S = 180.0
_END_S = 20.0
_POLL_S = 0.02
_LISTENING = re.compile(r"(listens on \S+ port |shows the board at \S+:)(\d+)")


class AttackError(AssertionError):
    """What an attack found wrong."""


@dataclass(frozen=True)
class Sample:
    """What a process uses.

    Attributes:
        rss_mib: Memory that is its own and in use (`VmRSS`).
        threads: Its threads.
        descriptors: Its open files.
        cpu_s: Processor time so far.
    """

    rss_mib: float
    threads: int
    descriptors: int
    cpu_s: float


@dataclass(frozen=True)
class Home:
    """The folders of the programs that an attack starts.

    Attributes:
        folder: Where it may write.
        cache: Of compiled kernels (`GAMMOND_CACHE`).
        data: Of databases (`GAMMOND_DATA`).
    """

    folder: Path
    cache: Path
    data: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a program that uses these folders, and searches what it is asked for."""
        folders = {"GAMMOND_CACHE": str(self.cache), "GAMMOND_DATA": str(self.data)}
        return {**os.environ, **folders, "GAMMOND_STORE": "off"}

    def make_subfolder(self, name: str) -> Home:
        """Return the same caches with an empty folder of its own."""
        folder = self.folder / f"{name}-{time.monotonic_ns()}"
        folder.mkdir(parents=True)
        return Home(folder, self.cache, self.data)


def gammond_command(*arguments: str) -> list[str]:
    """Return the command line of this checkout's `gammond`."""
    return [sys.executable, "-m", "gammond", *arguments]


def start_gammond(
    home: Home, *words: str, environment: Mapping[str, str] | None = None, **more: Any
) -> Popen[Any]:
    """Start a command of `gammond`, which reads and writes nothing unless it is told otherwise.

    Args:
        home: Its folders.
        *words: The command.
        environment: Variables besides those of `home`.
        **more: Of `Popen`.
    """
    nowhere = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    own = {**home.environment, **(environment or {})}
    return Popen(gammond_command(*words), cwd=ROOT, env=own, **{**nowhere, **more})


def run_gammond(home: Home, *words: str, timeout_s: float = 600.0, **more: Any) -> CompletedProcess[str]:
    """Run a command of `gammond` to its end, whatever its exit status; more as for `Popen`."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with start_gammond(home, *words, **{**pipes, **more}) as process:
        try:
            out, errors = process.communicate(timeout=timeout_s)
        except BaseException:
            process.kill()
            raise
    return CompletedProcess(process.args, process.returncode, out, errors)


class Server:
    """A running `gammond serve`.

    Args:
        home: Its folders; its log goes there.
        options: Of `gammond serve`.
        dialect: `--tcp`, `--web` or `--gnubg`.
        before_start: Called in the child process before it becomes the server.
        environment: Variables besides those of `home`.
    """

    def __init__(
        self,
        home: Home,
        options: Sequence[str] = (),
        dialect: str = "--tcp",
        before_start: Callable[[], None] | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.log_file = home.folder / f"server{time.monotonic_ns()}.log"
        with self.log_file.open("wb") as log:
            self.process = start_gammond(
                *(home, "serve", dialect, "0", *options),
                environment=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the attack, which ends its servers
                preexec_fn=before_start,
            )
        self._listener_count = 1 + ("--tcp" in options)
        self.port = self.web_port = 0

    def wait_until_listening(self) -> None:
        """Wait for the ports: `port` is that of lines where there are such, `web_port` that of pages.

        Raises:
            AttackError: The server ended first, or takes too long.
        """
        found: list[tuple[str, str]] = []

        def is_over() -> bool:
            found[:] = _LISTENING.findall(self.read_log())
            return len(found) >= self._listener_count or self.process.poll() is not None

        wait_for(is_over, _START_S, _POLL_S)
        if len(found) < self._listener_count:
            raise AttackError(f"the server does not listen: {self.read_log()[-500:]!r}")
        ports = {words[0]: int(port) for words, port in found}
        self.web_port = ports.get("s", 0)
        self.port = ports.get("l", self.web_port)

    def read_log(self) -> str:
        """Return what the server has written."""
        return self.log_file.read_text("utf-8", "replace")

    def sample(self) -> Sample:
        """Return what the process uses now; needs Linux's `/proc`."""
        return sample_process(self.process.pid)

    def measure_idle_cpu(self) -> float:
        """Return the processor time of a second in which nobody asks for anything, in seconds."""
        before_s = self.sample().cpu_s
        time.sleep(1.0)
        return self.sample().cpu_s - before_s

    def end(self, kind: signal.Signals = signal.SIGTERM) -> int:
        """End the server with a signal, and return its exit status; one that does not end is killed.

        Raises:
            AttackError: It had to be killed.
        """
        if self.process.poll() is None:
            self.process.send_signal(kind)
        try:
            return self.process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AttackError(f"the server did not end within {_END_S:g} s of {kind.name}") from None

    def kill(self) -> None:
        """Kill the server."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Peak:
    """The most memory that a server has had, beyond what it had at first.

    Attributes:
        mib: How much, in MiB.
    """

    def __init__(self, server: Server) -> None:
        self.before = server.sample()
        self.mib = 0.0
        self._server = server

    def look(self) -> Sample:
        """See what the server uses now."""
        sample = self._server.sample()
        self.mib = max(self.mib, sample.rss_mib - self.before.rss_mib)
        return sample


def sample_process(process_id: int) -> Sample:
    """Return what a process uses now; needs Linux's `/proc`."""
    folder = Path(f"/proc/{process_id}")
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    times = (folder / "stat").read_text().rpartition(")")[2].split()
    return Sample(
        rss_mib=int(status["VmRSS"].split()[0]) / 1024,
        threads=int(status["Threads"]),
        descriptors=len(os.listdir(folder / "fd")),
        cpu_s=(int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK"),
    )


@contextmanager
def serve(
    home: Home,
    *options: str,
    dialect: str = "--tcp",
    before_start: Callable[[], None] | None = None,
    environment: dict[str, str] | None = None,
) -> Iterator[Server]:
    """Run a server as long as the context lasts; it is killed at the end if it still runs.

    Raises:
        AttackError: The server does not start, or has logged a fault of its own by the end.
    """
    server = Server(home, options, dialect, before_start, environment)
    try:
        server.wait_until_listening()
        yield server
    finally:
        server.kill()
    if "Traceback" in server.read_log():
        raise AttackError(f"the server logged a fault: {server.read_log()[-600:]!r}")


@contextmanager
def serve_pages(home: Home, *options: str, **more: Any) -> Iterator[Server]:
    """Run a server of pages as `serve` does, which keeps no games unless an option says where."""
    where = () if "--archive" in options else ("--archive", "off")
    with serve(home, *options, *where, "--quiet", dialect="--web", **more) as server:
        yield server

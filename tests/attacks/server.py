"""A real server for an attack: its process, its folders, and what the system says of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

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


def run_gammond(home: Home, *arguments: str, timeout_s: float = 600.0) -> subprocess.CompletedProcess[str]:
    """Run a command of `gammond` to its end, whatever its exit status."""
    return subprocess.run(
        gammond_command(*arguments),
        cwd=ROOT,
        env=home.environment,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        stdin=subprocess.DEVNULL,
        check=False,
    )


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
            self.process = subprocess.Popen(
                gammond_command("serve", dialect, "0", *options),
                cwd=ROOT,
                env={**home.environment, **(environment or {})},
                stdin=subprocess.DEVNULL,
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
        deadline = time.monotonic() + _START_S
        while len(found := _LISTENING.findall(self.read_log())) < self._listener_count:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AttackError(f"the server does not listen: {self.read_log()[-500:]!r}")
            time.sleep(_POLL_S)
        ports = {words[0]: int(port) for words, port in found}
        self.web_port = ports.get("s", 0)
        self.port = ports.get("l", self.web_port)

    def read_log(self) -> str:
        """Return what the server has written."""
        return self.log_file.read_text("utf-8", "replace")

    def sample(self) -> Sample:
        """Return what the process uses now; needs Linux's `/proc`."""
        return sample_process(self.process.pid)

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

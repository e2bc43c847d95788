"""Commands that are killed and resumed: how each begins, goes on, and what of it must be the same."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.positions import collect_positions
from tests.attacks.server import Home, run_gammond, serve
from tests.attacks.trial import expect
from tests.attacks.wire import run_clients

_GAMES = "--benchmark-games 4 --opponents random"


@dataclass(frozen=True)
class KillableJob:
    """A command that may be killed at any time.

    Attributes:
        name: In figures.
        command: Its arguments; ``OUT`` is where it writes, ``IN`` the folder of inputs.
        files: What it leaves below ``OUT`` that must be the same: arrays (``.npz``), a log but for its times
            (``.jsonl``), the bytes of others; ``.`` is ``OUT`` itself.
        resume: What is added to go on; nothing where the same command does.
        needs: Modules without which the job is left out.
        inputs: Names of the jobs, or of files, that it reads.
    """

    name: str
    command: str
    files: tuple[str, ...] = ("checkpoint.npz",)
    resume: str = "--resume"
    needs: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()

    def make_command(self, out: Path) -> str:
        """Return what starts it, or goes on where it has left something."""
        return f"{self.command} {self.resume}" if out.exists() else self.command


_JOBS: tuple[KillableJob, ...] = (
    KillableJob(
        "batch",
        "batch IN/positions.txt --plies 1 --threads 2 --output OUT",
        files=(".",),
        inputs=("positions.txt",),
    ),
    KillableJob(
        "rollout",
        "rollout 4HPwATDgc/ABMA --dice 3 1 --trials 3888 --truncate 7 --candidates 2 --stop-jsd 0"
        " --state OUT",
        files=(".",),
        resume="",
    ),
    KillableJob(
        "tournament",
        "tournament pubeval random --games 60000 --threads 2 --keep OUT",
        files=(".",),
        resume="",
    ),
    KillableJob(
        "td",
        "train td OUT --games 4000 --hidden 24 --race-hidden 12 --threads 2 --round-games 100"
        f" --checkpoint-every 1000 {_GAMES}",
    ),
    KillableJob(
        "label",
        "train label OUT --net IN/td --positions 6000 --plies 1 --sources selfplay --threads 2",
        files=("*.npz",),
        inputs=("td",),
    ),
    KillableJob(
        "fit",
        "train fit OUT --from IN/td --labels IN/label --hidden 24 --epochs 12 --batch 64 --games 0"
        " --threads 1",
        needs=("torch",),
        inputs=("td", "label"),
    ),
    KillableJob(
        "refine",
        "train refine OUT --from IN/td --hidden 24 --generations 4 --positions 1000 --window 2 --epochs 2"
        " --batch 64 --plies 1 --sources selfplay --games 0 --threads 1",
        needs=("torch",),
        inputs=("td",),
    ),
    KillableJob(
        "validation-set",
        "train validation-set OUT --net IN/td --classes contact=8,race=8 --plies 0 --trials 144"
        " --min-trials 72 --threads 2",
        files=("*.npz",),
        inputs=("td",),
    ),
    KillableJob(
        "classic",
        f"heritage classic OUT --hidden 10 --games 600 --checkpoint-every 100 {_GAMES}",
    ),
    KillableJob(
        "mimic",
        "heritage mimic OUT --method play --positions 40 --trials 2 --round-generations 10 --rounds 4"
        " --population 16 --fitness 2 --games 0 --threads 2",
    ),
    KillableJob(
        "climb",
        f"heritage climb OUT --trials 24 --games 200 --measure-every 12 --threads 2 {_GAMES}",
        files=("log.jsonl",),
    ),
    KillableJob(
        "heuristic-net",
        "heritage heuristic-net OUT --random-games 16 --epochs 2 --rounds 4 --round-games 16"
        " --round-epochs 1 --games 0",
        needs=("torch",),
    ),
    KillableJob(
        "ascend",
        "heritage ascend OUT --steps 4 --games 20 --reference-games 20 --threads 2",
    ),
    KillableJob(
        "barca-ascend",
        "train barca-ascend OUT --steps 6 --games 100 --reference-games 200 --threads 2",
    ),
    KillableJob(
        "barca-fit",
        "train barca-fit OUT --generations 6 --games 1000 --reference-games 200 --threads 2",
    ),
)


JOBS = {job.name: job for job in _JOBS}


def fill_in(text: str, out: Path, inputs: Path) -> list[str]:
    """Return the words of a command with its places filled in."""
    return [word.replace("OUT", str(out)).replace("IN/", f"{inputs}/") for word in text.split()]


def write_positions(file: Path, home: Home, count: int, rng: random.Random) -> None:
    """Write a file of positions, from games that a server plays."""
    with serve(home) as server:
        lines = run_clients(collect_positions(server.port, count, rng))
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def list_results(job: KillableJob, out: Path) -> dict[str, Callable[[], object]]:
    """Return what of a finished job must be the same, by name: functions that read it."""
    results: dict[str, Callable[[], object]] = {}
    for pattern in job.files:
        found = [out] if pattern == "." else sorted(out.rglob(pattern))
        expect(found, f"{job.name} left no {pattern}")
        for file in found:
            name = "." if file == out else str(file.relative_to(out))
            results[name] = lambda file=file: _read_result(file)
    return results


def _read_result(file: Path) -> object:
    """Return the bytes of a file, of an archive of arrays those of each array, of a log all but times."""
    if file.suffix == ".jsonl":
        return [
            {key: value for key, value in json.loads(line).items() if not key.endswith(("seconds", "_per_s"))}
            for line in file.read_text("utf-8").splitlines()
        ]
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    return file.read_bytes()


def check_same(job: KillableJob, one: Path, other: Path, after: str) -> int:
    """Check that a job has the same results in two places; return how many.

    Raises:
        AttackError: They differ.
    """
    first, second = list_results(job, one), list_results(job, other)
    expect(
        list(first) == list(second), f"{job.name} left {list(second)} after {after}, {list(first)} without"
    )
    for name in first:
        expect(first[name]() == second[name](), f"{job.name}: {name} differs after {after} and resuming")
    return len(first)


def run_job(job: KillableJob, home: Home, out: Path, inputs: Path) -> None:
    """Run a job to its end, from where it has left something.

    Raises:
        AttackError: It fails.
    """
    command = job.make_command(out)
    done = run_gammond(home, *fill_in(command, out, inputs))
    expect(done.returncode == 0, f"'{command}' ended with {done.returncode}: {done.stderr[-300:]!r}")

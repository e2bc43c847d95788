"""kill -9 at random points, then resume: what comes out is what comes out without a kill."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from tests.attacks.jobs import JOBS, KillableJob, fill_in, list_results, run_job, write_positions
from tests.attacks.server import ROOT, AttackError, gammond_command
from tests.attacks.trial import Attack, Trial, expect

_JOB_S = 600.0


def make_kill(job: KillableJob) -> Callable[[Trial], str]:
    """Return an attack that kills and resumes a job."""

    def kill(trial: Trial) -> str:
        missing = [name for name in job.needs if importlib.util.find_spec(name) is None]
        if missing:
            return f"left out: {job.name} needs the package {missing[0]}"
        folder = trial.home.folder
        _make_inputs(job, trial, folder)
        trial.note("without a kill")
        began_s = time.monotonic()
        run_job(job, trial.home, folder / "whole", folder)
        whole_s = time.monotonic() - began_s
        kills = trial.dose(1, 4)
        out = folder / "killed"
        for number in range(kills):
            trial.note(f"kill {number + 1} of {kills}")
            _start_and_kill(job, trial, out, folder, trial.rng.uniform(0.3, 0.9) * whole_s)
        trial.note("to the end")
        _finish(job, trial, out, folder)
        _compare(job, folder / "whole", out)
        return f"{kills} kills within {whole_s:.1f} s of work, {len(list_results(job, out))} files the same"

    return kill


def _make_inputs(job: KillableJob, trial: Trial, folder: Path) -> None:
    """Make what a job reads."""
    for name in job.inputs:
        trial.note(f"making {name}")
        if name == "positions.txt":
            write_positions(folder / name, trial.home, trial.dose(1200, 4000), trial.rng)
        else:
            (other,) = [each for each in JOBS if each.name == name]
            run_job(other, trial.home, folder / name, folder)


def _start_and_kill(job: KillableJob, trial: Trial, out: Path, folder: Path, after_s: float) -> None:
    """Start or resume a job, and kill it and all its processes after some time."""
    words = fill_in(job.make_command(out), out, folder)
    with (folder / "killed.log").open("ab") as log:
        process = subprocess.Popen(
            gammond_command(*words),
            cwd=ROOT,
            env=trial.home.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        status: int | None = process.wait(after_s)
    except subprocess.TimeoutExpired:
        status = None
    finally:
        _kill_group(process)
    expect(status in (None, 0), f"{job.name} ended with {status}: {_read_end(folder / 'killed.log')!r}")


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _finish(job: KillableJob, trial: Trial, out: Path, folder: Path) -> None:
    done = subprocess.run(
        gammond_command(*fill_in(job.make_command(out), out, folder)),
        cwd=ROOT,
        env=trial.home.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_JOB_S,
        check=False,
    )
    if done.returncode:
        raise AttackError(f"{job.name} does not resume: {done.stderr[-300:]!r}")


def _compare(job: KillableJob, whole: Path, killed: Path) -> None:
    """Check that two jobs have the same results.

    Raises:
        AttackError: They differ.
    """
    first, second = list_results(job, whole), list_results(job, killed)
    expect(list(first) == list(second), f"{job.name} left {list(second)} after kills, {list(first)} without")
    for name in first:
        expect(first[name]() == second[name](), f"{job.name}: {name} differs after kills and resuming")


def _read_end(file: Path) -> str:
    return file.read_text("utf-8", "replace")[-300:]


ATTACKS: Sequence[Attack] = tuple(
    Attack(f"kill-{job.name}", f"kill -9 of '{job.command.split(' OUT')[0]}', and resume", make_kill(job))
    for job in JOBS
)

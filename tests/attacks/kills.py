"""kill -9 at random points, then resume: what comes out is what comes out without a kill."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from tests.attacks.jobs import JOBS, KillableJob, check_same, fill_in, run_job, write_positions
from tests.attacks.server import start_gammond
from tests.attacks.trial import Attack, Trial, expect


def kill(job: KillableJob, trial: Trial) -> str:
    """Kill and resume a job."""
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
    run_job(job, trial.home, out, folder)
    same = check_same(job, folder / "whole", out, "kills")
    return f"{kills} kills within {whole_s:.1f} s of work, {same} files the same"


def _make_inputs(job: KillableJob, trial: Trial, folder: Path) -> None:
    """Make what a job reads."""
    for name in job.inputs:
        trial.note(f"making {name}")
        if name == "positions.txt":
            write_positions(folder / name, trial.home, trial.dose(1200, 4000), trial.rng)
        else:
            run_job(JOBS[name], trial.home, folder / name, folder)


def _start_and_kill(job: KillableJob, trial: Trial, out: Path, folder: Path, after_s: float) -> None:
    """Start or resume a job, and kill it and all its processes after some time."""
    words = fill_in(job.make_command(out), out, folder)
    with (folder / "killed.log").open("ab") as log:
        process = start_gammond(trial.home, *words, stdout=log, stderr=log, start_new_session=True)
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


def _read_end(file: Path) -> str:
    return file.read_text("utf-8", "replace")[-300:]


ATTACKS: Sequence[Attack] = tuple(
    Attack(f"kill-{job.name}", f"kill -9 of '{job.command.split(' OUT')[0]}', and resume", partial(kill, job))
    for job in JOBS.values()
)

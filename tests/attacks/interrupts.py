"""Ctrl-C, SIGTERM and SIGHUP at random moments of long work: the exit status, the advice, and resuming."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from tests.attacks.jobs import JOBS, KillableJob, check_same, fill_in, run_job, write_positions
from tests.attacks.server import AttackError, start_gammond
from tests.attacks.trial import Attack, Trial, expect

_KINDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_ENDS_S, _POLL_S = 20.0, 0.02
_STATUS = 130


def _list_jobs(trial: Trial) -> list[KillableJob]:
    """Return what is interrupted: `batch` as deep as it goes in that time, and others that resume."""
    deep = [
        replace(
            JOBS["batch"], name=f"batch {options}", command=f"batch IN/positions.txt {options} --output OUT"
        )
        for plies in (2, 3)[: trial.dose(1, 2)]
        for options in (f"--plies {plies} --threads 1", f"--plies {plies} --want moves,cube --threads 2")
    ]
    part = trial.dose(4, 1)

    def shorten(job: KillableJob) -> KillableJob:
        command = re.sub(r"--(trials|games) (\d+)", lambda m: f"--{m[1]} {int(m[2]) // part}", job.command)
        return replace(job, command=command)

    return [*deep, shorten(JOBS["rollout"]), shorten(JOBS["tournament"])]


def interrupt_work(trial: Trial) -> str:
    """Interrupt jobs by each signal, and resume them to the same results as without."""
    folder = trial.home.folder
    write_positions(folder / "positions.txt", trial.home, trial.dose(200, 600), trial.rng)
    sent, slowest_s = 0, 0.0
    for place, job in enumerate(_list_jobs(trial)):
        trial.note(f"{job.name}, without a signal")
        began_s = time.monotonic()
        whole, out = folder / f"{place}-whole", folder / f"{place}-stopped"
        run_job(job, trial.home, whole, folder)
        whole_s = time.monotonic() - began_s
        for kind in _KINDS * trial.dose(1, 4):
            trial.note(f"{job.name}, {kind.name}")
            slowest_s = max(
                slowest_s, _interrupt(job, trial, out, kind, trial.rng.uniform(0.2, 0.9) * whole_s)
            )
            sent += 1
        trial.note(f"{job.name}, to the end")
        run_job(job, trial.home, out, folder)
        check_same(job, whole, out, "interrupts")
    return f"{sent} signals, the slowest end after {slowest_s:.1f} s, the same results after resuming"


def _interrupt(job: KillableJob, trial: Trial, out: Path, kind: signal.Signals, after_s: float) -> float:
    """Start or resume a job, and send it a signal after some time; return how long it takes to end."""
    words, log = fill_in(job.make_command(out), out, trial.home.folder), trial.home.folder / "interrupted.log"
    with log.open("wb") as stderr:
        process = start_gammond(trial.home, *words, stderr=stderr, start_new_session=True)
    what = f"{job.name} after {kind.name}"
    try:
        began_s = time.monotonic()
        while not _handles_signals(process.pid) or time.monotonic() - began_s < after_s:
            if process.poll() is not None:
                break
            time.sleep(_POLL_S)
        process.send_signal(kind)
        began_s = time.monotonic()
        process.wait(_ENDS_S)
    except subprocess.TimeoutExpired:
        raise AttackError(f"{what} goes on for more than {_ENDS_S:g} s") from None
    finally:
        process.kill()
        process.wait()
    said = log.read_text("utf-8", "replace")
    expect("Traceback" not in said, f"{what}: {said[-400:]!r}")
    if process.returncode != 0:  # it had ended before
        expect(process.returncode == _STATUS, f"{what}: exit status {process.returncode}, {said[-300:]!r}")
        expect("interrupted" in said, f"{what} says {said[-300:]!r}")
        if job.command.startswith("batch") and "%" in said:  # it had begun
            expect("--resume goes on from here" in said, f"{what} does not say how to go on: {said[-300:]!r}")
    return time.monotonic() - began_s


def _handles_signals(pid: int) -> bool:
    """Return whether a process has got so far that it catches SIGTERM; also if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return True
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return caught is None or bool(int(caught[1], 16) >> (signal.SIGTERM - 1) & 1)


ATTACKS = (Attack("interrupts", "Ctrl-C, SIGTERM and SIGHUP amid long work, and resuming", interrupt_work),)

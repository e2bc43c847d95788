"""Folders that are full, that cannot be written, or that two processes fill at once."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.attacks.beside import warm_up
from tests.attacks.jobs import JOBS, KillableJob, check_same, fill_in, run_job, write_positions
from tests.attacks.server import Home, run_gammond, serve, start_gammond
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import ask_once, run_clients

_DISK_KIB = 64
_DATABASES = ("two-sided-6x6-cubeful.bearoff", "one-sided-6x15.bearoff")


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """Mount a disk of few kilobytes, if this process may; yields None where it may not."""
    folder.mkdir()
    if not _mount(folder, f"size={_DISK_KIB}k"):
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)


def _mount(folder: Path, options: str, *what: str) -> bool:
    """Mount, and return whether that was possible."""
    if not hasattr(os, "geteuid") or os.geteuid():
        return False
    command = ["mount", *(what or ("-t", "tmpfs")), "-o", options, "none" if not what else "", str(folder)]
    done = subprocess.run([word for word in command if word], check=False, capture_output=True)
    return done.returncode == 0


def full_disk(trial: Trial) -> str:
    """A batch on a full disk ends with a message and status, and resumes to the same bytes with more room."""
    folder = trial.home.folder
    positions = folder / "positions.txt"
    write_positions(positions, trial.home, trial.dose(1200, 4000), trial.rng)
    job, whole = JOBS["batch"], folder / "whole.csv"
    run_job(job, trial.home, whole, folder)
    with small_disk(folder / "disk") as disk:
        if disk is None:
            return _full_device(trial, job, folder)
        out = disk / "out.csv"
        done = run_gammond(trial.home, *fill_in(job.command, out, folder))
        _check_full(done)
        have = out.stat().st_size
        remounted = _mount(disk, "remount,size=4m")
        expect(remounted, "the disk cannot be made larger")
        run_job(job, trial.home, out, folder)
        check_same(job, whole, out, "a full disk")
    return (
        f"batch stopped at {have:,} of {whole.stat().st_size:,} bytes with a message, and resumed to the same"
    )


def _full_device(trial: Trial, job: KillableJob, folder: Path) -> str:
    """Write to a device that is always full: without the rights to mount a disk, that is all there is."""
    command = fill_in(job.command.replace(" --output OUT", ""), folder, folder)
    with Path("/dev/full").open("wb") as full:
        _check_full(run_gammond(trial.home, *command, stdout=full))
    return "batch to /dev/full ended with a message"


def _check_full(done: subprocess.CompletedProcess[str]) -> None:
    expect(done.returncode not in (0, -6, -11), f"batch on a full disk ended with {done.returncode}")
    expect("Traceback" not in done.stderr, f"batch on a full disk: {done.stderr[-300:]!r}")
    expect("space" in done.stderr.lower(), f"batch on a full disk says {done.stderr[-300:]!r}")


def read_only(trial: Trial) -> str:
    """A server whose data folder cannot be made answers all the same, with the same numbers."""
    nowhere = Path("/dev/null/gammond")
    answers = []
    for home in (trial.home, replace(trial.home, data=nowhere)):
        with serve(home) as server:
            answers.append(run_clients(_ask_all(server.port)))
            log = server.read_log()
    expect(answers[0] == answers[1], f"answers differ: {answers}")
    expect("/dev/null" in log, f"nothing is said of the folder: {log[-300:]!r}")
    cache = ""
    if not trial.is_small:
        with serve(replace(trial.home, cache=nowhere)) as server:
            expect(run_clients(_ask_all(server.port, is_short=True)) == answers[0][:1], "answers differ")
            expect("/dev/null" in server.read_log(), "nothing is said of the cache")
        cache = ", and without a cache"
    return f"the same answers with a data folder that cannot be made{cache}"


async def _ask_all(port: int, *, is_short: bool = False) -> list[str]:
    """Ask for evaluations, one of them from a bearoff database."""
    answers = [await ask_once(port, "newgame", "eval")]
    if not is_short:
        bearoff = "position xgid XGID=-BBBBBC------------ccccc--:0:0:1:00:0:0:0:0:10"
        answers.append(await ask_once(port, bearoff, "eval"))
        await warm_up(port)
    return answers


def two_builders(trial: Trial) -> str:
    """Two processes build databases and kernels in the same empty folders: both succeed, all is whole."""
    data = trial.home.folder / "data"
    cache = trial.home.cache if trial.is_small else trial.home.folder / "cache"
    home = Home(trial.home.folder, cache, data)
    lines = "newgame\neval\nposition xgid XGID=-BBBBBC------------ccccc--:0:0:1:00:0:0:0:0:10\neval\nquit\n"
    texts, statuses = _run_at_once(home, 2, lines)
    expect(statuses == [0, 0], f"two builders ended with {statuses}")
    expect(texts[0] == texts[1], f"two builders answer differently: {texts}")
    once, _ = _run_at_once(trial.home, 1, lines)
    expect(texts[0] == once[0], "an answer from what two built differs")
    same = [
        name for name in _DATABASES if (data / name).read_bytes() == (trial.home.data / name).read_bytes()
    ]
    expect(len(same) == len(_DATABASES), f"of the databases only {same} are as one process builds them")
    left = [file.name for file in data.rglob("*") if file.is_file() and file.name not in _DATABASES]
    odd = [name for name in left if "tmp" in name or "partial" in name]
    expect(not odd, f"left behind: {odd}")
    what = "databases" if trial.is_small else "databases and kernels"
    return f"two processes built {what} in the same empty folders, whole and with the same answers"


def _run_at_once(home: Home, count: int, lines: str) -> tuple[list[str], list[int]]:
    """Start several processes on standard input at once; return their answers and exit statuses."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [start_gammond(home, **pipes) for _ in range(count)]
    try:
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(lines)
            process.stdin.flush()
        texts = [process.communicate(timeout=600)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    return texts, [process.returncode for process in processes]


ATTACKS: Sequence[Attack] = (
    Attack("full-disk", "a batch on a disk of 64 KiB, resumed with more room", full_disk),
    Attack("read-only", "folders for data and kernels that cannot be made", read_only),
    Attack("two-builders", "two processes that fill the same empty folders", two_builders),
)

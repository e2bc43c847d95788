"""The folder of compiled kernels: made by many processes at once, marked, done without where it must be."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine import kernels

COMPILE = "from engine.position import Position; Position.start().phase"


def start(cache, code=COMPILE, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "GAMMOND_CACHE": str(cache), **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stderr


def test_the_first_start_says_that_it_compiles_and_the_second_does_not(tmp_path):
    assert "compiling kernels once" in start(tmp_path)
    assert start(tmp_path) == ""


def test_a_start_after_one_that_was_killed_says_it_again(tmp_path):
    killed = f"{COMPILE}; import os; os.kill(os.getpid(), 9)"
    with pytest.raises(subprocess.CalledProcessError):
        start(tmp_path, killed)
    assert "compiling kernels once" in start(tmp_path)


def test_processes_that_start_at_once_all_make_the_folder_theirs(tmp_path):
    folder = tmp_path / "kernels" / "stamp"
    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(lambda _: kernels.prepare_cache(folder), range(64)))
    assert made == [folder] * 64


def test_a_folder_that_cannot_be_written_is_replaced_for_this_process_alone(tmp_path):
    in_the_way = tmp_path / "kernels"
    in_the_way.write_text("a file")
    report = start(tmp_path, f"{COMPILE}; from engine import kernels; print(kernels._FOLDER.exists())")
    assert "cannot be written" in report
    private = start(
        tmp_path, "import sys; from engine import kernels; sys.stderr.write(str(kernels._FOLDER))"
    )
    assert not os.path.exists(private.splitlines()[-1])


def test_without_any_folder_kernels_still_run(tmp_path):
    (tmp_path / "kernels").write_text("a file")
    code = f"import tempfile; tempfile.mkdtemp = lambda **_: open('/no/such/folder'); {COMPILE}"
    assert "cannot be written" in start(tmp_path, code)


def test_folders_unused_for_a_month_are_dropped(tmp_path):
    stale, used = tmp_path / "stale", tmp_path / "used"
    stale.mkdir()
    used.mkdir()
    long_ago = time.time() - 40 * 24 * 3600
    os.utime(stale, (long_ago, long_ago))
    kernels.prepare_cache(tmp_path / "present")
    assert not stale.exists()
    assert used.exists()

"""What the machine has, cores and room on its disks; what it is told at the end of a command."""

import argparse
import errno
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from gammond.engine.errors import LimitError
from gammond.engine.runtime.machine import (
    check_disk_space,
    choose_thread_count,
    count_usable_cores,
    is_disk_full,
)
from gammond.protocol.transports.workers import WorkerPool


def test_cores_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 4, 7}, raising=False)
    assert count_usable_cores() == 3
    assert choose_thread_count(None) == 3
    pool = WorkerPool()
    assert pool.threads == 3
    pool.close()


def test_all_cores_count_where_the_system_does_not_say(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for count, expected in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert count_usable_cores() == expected


def test_a_folder_with_room_passes_and_stays_as_it_is(tmp_path):
    check_disk_space(tmp_path / "not" / "there", 1000, "GAMMOND_CACHE")
    check_disk_space(tmp_path, 1000, "GAMMOND_CACHE")
    assert list(tmp_path.iterdir()) == []


def test_too_little_room_is_an_error_with_both_sizes_and_the_variable(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: argparse.Namespace(free=300_000))
    said = f"the disk of {tmp_path} is full: expected 17.0 MB free, got 0.3 MB; make room there, or set V to"
    with pytest.raises(LimitError, match=said):
        check_disk_space(tmp_path, 17_000_000, "V")


def test_a_quota_is_found_by_writing(tmp_path, monkeypatch):
    def fail(**_):
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(tempfile, "TemporaryFile", fail)
    with pytest.raises(LimitError, match=r"got 0\.0 MB"):
        check_disk_space(tmp_path, 1, "V")


def test_other_errors_are_not_those_of_a_full_disk():
    assert is_disk_full(OSError(errno.ENOSPC, ""))
    assert not is_disk_full(OSError(errno.EACCES, ""))


ROOT = Path(__file__).parents[3]


def test_no_command_returns_a_code_that_has_no_name():
    bare = re.compile(
        r"^ +(?:return [1-9]\d* if .* else 0|return 0 if .* else [1-9]\d*|sys\.exit\([1-9]\d*\))$", re.M
    )
    assert [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tools").rglob("*.py"))
        if "kernels" not in path.parts and bare.search(path.read_text("utf-8"))
    ] == []

from __future__ import annotations

import argparse
import errno
import os
import shutil
import tempfile

import pytest

from engine.errors import LimitError
from engine.runtime.disk_space import check_disk_space, is_disk_full


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

"""Memory that is free goes back to the system."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gammond.protocol.transports.shared_work import return_free_memory


def read_rss_mib():
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_is_free_between_what_is_in_use_is_given_back():
    pieces = [bytes(10_000) for _ in range(10_000)]  # on the heap: larger ones go back by themselves
    kept = pieces[::1000]
    del pieces
    before_mib = read_rss_mib()
    return_free_memory()
    assert before_mib - read_rss_mib() > 50
    assert all(len(piece) == 10_000 for piece in kept)


def test_another_c_library_is_no_error(monkeypatch):
    monkeypatch.setattr("gammond.protocol.transports.shared_work.ctypes.CDLL", lambda name: object())
    return_free_memory()

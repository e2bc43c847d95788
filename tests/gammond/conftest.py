"""A server for the tests of clients."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def port():
    """The port of a server of the line protocol that all tests ask."""
    command = [sys.executable, "-m", "gammond", "serve", "--tcp", "0"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as server:
        for line in server.stderr:
            if found := re.search(r"listens on \S+ port (\d+)", line):
                yield int(found.group(1))
                break
        server.terminate()
        server.communicate()

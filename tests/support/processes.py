"""The command, and programs beside it, in a process of their own."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_python(code, **options):
    """Run a program to its end, in the folder of the source; give its exit status and what it wrote."""
    return _run(["-c", code], options)


def run_gammond(*words, **options):
    """Run the command to its end, in the folder of the source; give its exit status and what it wrote."""
    return _run(["-m", "gammond", *map(str, words)], options)


def _run(words, options):
    settings = {"cwd": ROOT, "capture_output": True, "text": True, "timeout": 120, "check": False}
    return subprocess.run([sys.executable, *words], **(settings | options))


@contextmanager
def serving(*options, command=("-m", "gammond", "serve"), **pipes):
    """Start a server; yield it with the line that says where it listens, and its port; end it at last."""
    words = [sys.executable, *command, *options]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True, **pipes) as server:
        try:
            said = next(line for line in server.stderr if " listens on " in line)
            yield server, said, int(said.split()[-1])
        except BaseException:
            server.kill()
            raise
        server.terminate()

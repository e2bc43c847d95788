"""GNU Backgammon's program without its window: commands go in, what it says comes out."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import LimitError, UnsupportedError
from tools.gnubg import find_gnubg

TIMEOUT_S = 120.0

_SETTINGS = (
    "set automatic game off",
    "set automatic roll off",
    "set confirm new off",
    "set confirm save off",
    "set threads 1",
)
_REPORT_TIME = ">import time; print('processor seconds', time.process_time())"
_TIME = re.compile(r"^processor seconds ([0-9.]+)$", re.MULTILINE)
_TAIL_CHARS = 200


@dataclass(frozen=True)
class GnubgOutput:
    """What gnubg made of some commands.

    Attributes:
        text: All that it wrote.
        processor_s: The processor time that it took; None where it has no Python inside.
    """

    text: str
    processor_s: float | None

    @property
    def version(self) -> str:
        """What gnubg calls itself."""
        return self.text.partition("\n")[0].strip()


def ask_gnubg(commands: Sequence[str], folder: Path, timeout_s: float = TIMEOUT_S) -> GnubgOutput:
    """Let gnubg carry out commands in one thread, with its own settings and no question asked.

    Args:
        commands: As a person would type them; files are below the folder.
        folder: Where it runs, and what it takes for the user's home.
        timeout_s: How long it may take.

    Raises:
        UnsupportedError: It is not installed, or it ended with a fault.
        LimitError: It took longer.
    """
    program = find_gnubg()
    if program is None:
        raise UnsupportedError("gnubg is not installed (Debian: apt-get install gnubg)", field="gnubg")
    lines = [*_SETTINGS, *commands, _REPORT_TIME, "quit", "y"]
    try:
        ended = subprocess.run(
            [program, "-t", "-q", "-r"],
            input="\n".join(lines) + "\n",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_s,
            cwd=folder,
            env={**os.environ, "HOME": str(folder), "LC_ALL": "C"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LimitError(f"gnubg was not done within {timeout_s:.0f} s", field="gnubg") from None
    if ended.returncode:
        raise UnsupportedError(
            f"gnubg ended with status {ended.returncode}: {ended.stdout[-_TAIL_CHARS:]!r}", field="gnubg"
        )
    found = _TIME.search(ended.stdout)
    return GnubgOutput(ended.stdout, float(found[1]) if found else None)

"""The lines of answers, taken apart."""

from __future__ import annotations

import shlex


def read_values(line: str) -> dict[str, str]:
    """Return the ``key=value`` pairs of a line, without the quotes of values that have blanks."""
    return dict(pair.split("=", 1) for pair in shlex.split(line) if "=" in pair)

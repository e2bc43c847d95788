"""Words in the headers of servers' match files."""

from __future__ import annotations

import re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"\s*[A-Za-z]+day,?\s+([A-Za-z]{3})[a-z]*\s+([0-9]{1,2}),?\s+([0-9]{4}).*")


def read_date(line: str) -> str:
    """Return the date of a line such as ``Saturday November 8, 2025`` as ``2025.11.08``; empty for others."""
    found = _DATE.fullmatch(line)
    if found is None or found[1].lower() not in _MONTHS:
        return ""
    return f"{found[3]}.{_MONTHS.index(found[1].lower()) + 1:02}.{int(found[2]):02}"

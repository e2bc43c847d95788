"""The number of files and sockets that this process may have open."""

from __future__ import annotations

import sys


def raise_open_file_limit(wanted: int) -> int:
    """Raise the limit of open files as far as the system allows, if it is below a number.

    Args:
        wanted: The number of files and sockets to have room for.

    Returns:
        How many may be open; the number itself where there is no such limit.
    """
    if sys.platform == "win32":
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        except (OSError, ValueError):  # the system has a lower limit of its own
            return soft
    return allowed

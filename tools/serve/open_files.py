"""How many clients the limit of open files leaves room for."""

from __future__ import annotations

import logging
import sys

from gammond.engine.errors import LimitError

_LOG = logging.getLogger(__name__)

_OWN_FILES = 64
"""Files that a server has open besides its clients."""

_CLIENT_FILES = 2
"""Files for a client: as many more may be on their way out."""

_RAISE_LIMIT = "raise the limit with 'ulimit -n', or LimitNOFILE= in a unit of systemd"


def fit_clients(clients: int, others: int = 0) -> int:
    """Return how many clients the limit of open files leaves room for, and say so if they are fewer.

    Args:
        clients: How many are wanted.
        others: Files and sockets that are open besides: those of other listeners, connections of no client.

    Raises:
        LimitError: There is room for none.
    """
    kept = _OWN_FILES + others
    allowed = _raise_open_file_limit(count_files(clients) + kept)
    room = (allowed - kept) // _CLIENT_FILES
    if room < 1:
        raise LimitError(
            f"expected {kept + _CLIENT_FILES} open files or more, the system allows {allowed}: "
            f"{_RAISE_LIMIT}",
            field="clients",
        )
    if room < clients:
        _LOG.warning(
            "the system allows %s open files, so %s clients, not %s: %s",
            *(f"{number:,}" for number in (allowed, room, clients)),
            _RAISE_LIMIT,
        )
    return min(clients, room)


def count_files(clients: int) -> int:
    """Return how many files and sockets clients may have open."""
    return _CLIENT_FILES * clients


def _raise_open_file_limit(wanted: int) -> int:
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

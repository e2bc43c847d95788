"""What a supervisor such as systemd hands over and is told: sockets that it holds, and what the server does.

*Source:* sd_listen_fds(3) and sd_notify(3). Other supervisors speak the same.
"""

from __future__ import annotations

import os
import socket
from collections import defaultdict
from collections.abc import Mapping, MutableMapping
from contextlib import suppress

from gammond.engine.errors import StateError, UnsupportedError

SYSTEMD = "systemd"
"""In place of an address: the sockets that are handed over."""

_FIRST_FILE = 3


Sockets = Mapping[str, tuple[socket.socket, ...]]
"""Sockets of systemd, by the dialect that is spoken on them."""


def take_sockets(environment: MutableMapping[str, str] = os.environ) -> dict[str, list[socket.socket]]:
    """Return the sockets that are for this process, by their names, and let no child have them.

    Args:
        environment: Has ``LISTEN_PID``, ``LISTEN_FDS`` and ``LISTEN_FDNAMES``, which are removed.

    Raises:
        UnsupportedError: One is no listening socket of TCP.
    """
    process, count, names = (environment.pop(f"LISTEN_{each}", "") for each in ("PID", "FDS", "FDNAMES"))
    found: dict[str, list[socket.socket]] = defaultdict(list)
    if process != str(os.getpid()) or not count.isdigit():
        return found
    given = names.split(":")
    for index in range(int(count)):
        file = _FIRST_FILE + index
        try:
            os.set_inheritable(file, False)
            each = socket.socket(fileno=file)
            is_right = each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        except OSError as error:
            raise UnsupportedError(
                f"expected a listening socket as file {file}, which LISTEN_FDS names: {error.strerror}",
                field="systemd",
            ) from error
        if not is_right or each.family not in (socket.AF_INET, socket.AF_INET6):
            raise UnsupportedError(
                f"expected a listening socket of TCP as file {file} (ListenStream=PORT), "
                f"got {each.family.name}",
                field="systemd",
            )
        found[given[index] if index < len(given) else ""].append(each)
    return found


def choose_sockets(
    sockets: Mapping[str, list[socket.socket]], name: str, *, is_alone: bool
) -> tuple[socket.socket, ...]:
    """Return the sockets for a listener.

    Args:
        sockets: As of `take_sockets`.
        name: What they are called: ``tcp``, ``web`` or ``gnubg``.
        is_alone: Whether all are for it, whatever they are called.

    Raises:
        StateError: There is none.
    """
    chosen = tuple(sockets.get(name, ()))
    if not chosen and is_alone:
        chosen = tuple(each for group in sockets.values() for each in group)
    if not chosen:
        have = ", ".join(repr(each) for each in sockets) or "none"
        raise StateError(
            f"expected a socket called {name!r} from systemd (FileDescriptorName={name} in a socket unit), "
            f"got {have}: is that unit started?",
            field=name,
        )
    return chosen


def notify(text: str, environment: Mapping[str, str] = os.environ) -> None:
    """Tell the supervisor something, if there is one that listens.

    Args:
        text: Assignments, one a line, such as ``READY=1``.
        environment: Has ``NOTIFY_SOCKET``.
    """
    place = environment.get("NOTIFY_SOCKET", "")
    if place[:1] not in ("/", "@") or not hasattr(socket, "AF_UNIX"):
        return
    address = f"\0{place[1:]}" if place.startswith("@") else place
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as messenger, suppress(OSError):
        messenger.setblocking(False)
        messenger.sendto(text.encode(), address)

"""Sockets that a supervisor hands over, and what it is told."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from gammond.engine.errors import StateError
from gammond.protocol.transports.systemd import choose_sockets, notify, take_sockets
from tests.protocol.transports.activation import make_activated

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no such supervisor")


def test_sockets_for_another_process_are_left_alone():
    environment = {"LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "tcp", "HOME": "/"}
    assert take_sockets(environment) == {}
    assert environment == {"HOME": "/"}
    assert take_sockets({}) == {}


def run_activated(code, *sockets):
    """Run code in a process that has sockets of this one, as systemd hands them over."""
    program = f"import os; from gammond.protocol.transports.systemd import take_sockets; {code}"
    command = make_activated([sys.executable, "-c", program], sockets)
    files = [each.fileno() for _, each in sockets]
    return subprocess.run(command, pass_fds=files, capture_output=True, text=True, timeout=60, check=False)


def test_sockets_come_by_their_names_and_children_get_none():
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        code = (
            "found = take_sockets(); print({name: each[0].getsockname()[1] for name, each in found.items()},"
            "os.get_inheritable(3), 'LISTEN_FDS' in os.environ)"
        )
        done = run_activated(code, ("tcp", one), ("web", other))
        ports = {"tcp": one.getsockname()[1], "web": other.getsockname()[1]}
        assert done.stdout == f"{ports} False False\n"


def test_what_is_no_listening_socket_of_tcp_is_refused():
    with socket.socket() as idle, open(os.devnull, encoding="utf-8") as file:
        for each in (idle, file):
            done = run_activated("take_sockets()", ("tcp", each))
            assert "expected a listening socket" in done.stderr.splitlines()[-1]


def test_a_listener_gets_the_sockets_of_its_name_or_alone_all():
    with socket.socket() as one, socket.socket() as other:
        both = {"tcp": [one], "gammond.socket": [other]}
        assert choose_sockets(both, "tcp", is_alone=True) == (one,)
        assert choose_sockets({"gammond.socket": [one, other]}, "web", is_alone=True) == (one, other)
        with pytest.raises(StateError, match=r"called 'web' .*FileDescriptorName=web.* got 'tcp', 'gammond"):
            choose_sockets(both, "web", is_alone=False)
        with pytest.raises(StateError, match="got none"):
            choose_sockets({}, "web", is_alone=True)


@pytest.mark.parametrize("is_abstract", [False, True])
def test_a_supervisor_is_told_where_it_listens(tmp_path, is_abstract):
    place = f"@gammond-test-{os.getpid()}" if is_abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(f"\0{place[1:]}" if is_abstract else place)
        supervisor.settimeout(60)
        notify("READY=1", {"NOTIFY_SOCKET": place})
        assert supervisor.recv(100) == b"READY=1"


@pytest.mark.parametrize("place", [None, "", "nowhere", "/no/such/socket"])
def test_without_a_supervisor_nothing_is_told_and_nothing_fails(place):
    notify("READY=1", {} if place is None else {"NOTIFY_SOCKET": place})

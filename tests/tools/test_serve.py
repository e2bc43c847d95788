from __future__ import annotations

import argparse

import pytest

from engine.errors import UnsupportedError, ValueRangeError
from tools import serve


def parsed(*arguments):
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    return parser.parse_args(arguments)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("4000", ("127.0.0.1", 4000)),
        ("localhost:4000", ("localhost", 4000)),
        ("[::1]:4000", ("::1", 4000)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),
    ],
)
def test_an_address_is_a_port_with_or_without_a_host(text, address):
    assert serve.parse_address(text) == address


@pytest.mark.parametrize("text", ["", "x", ":4000", "host:", "70000", "-1", "host:port", "\u0664\u0660"])
def test_a_bad_address_is_refused(text):
    with pytest.raises(ValueRangeError, match="PORT"):
        serve.parse_address(text)


@pytest.mark.parametrize("dialect", ["--tcp", "--gnubg"])
def test_a_host_that_others_reach_needs_to_be_allowed(dialect):
    with pytest.raises(UnsupportedError, match="--allow-remote"):
        serve.main(parsed(dialect, "0.0.0.0:0"))


@pytest.mark.parametrize("option", ["--threads=0", "--clients=-1", "--idle-timeout=0"])
def test_caps_must_be_above_0(option):
    with pytest.raises(ValueRangeError, match="above 0"):
        serve.main(parsed("--tcp", "0", option))


def test_one_dialect_must_be_chosen():
    for arguments in ([], ["--tcp", "0", "--gnubg", "0"]):
        with pytest.raises(SystemExit):
            parsed(*arguments)

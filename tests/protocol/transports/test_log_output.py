"""The log of a server: one line a record, in text and in JSON, whatever a client puts into it."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from contextlib import contextmanager

import pytest

from gammond.protocol.core.event_log import log_event
from gammond.protocol.core.fault_log import FaultLog
from gammond.protocol.transports.log_output import LogSettings, write_logs

LOG = logging.getLogger("gammond.of_a_test")
NASTY = "a\nb\r\x1b[31mred\x7f\x9b2J\u202e\u2028\x00"


@contextmanager
def written(monkeypatch, **settings):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with write_logs(LogSettings(**settings)):
        yield stream
    assert sys.stderr is stream


def test_text_is_a_line_for_a_person_with_the_level_unless_it_is_info(monkeypatch):
    with written(monkeypatch) as stream:
        log_event(LOG, "ending", "ending", clients=2)
        LOG.warning("a file of %d bytes", 3)
        LOG.debug("nobody reads this")
        logging.getLogger("other_package").info("nor this")
    assert stream.getvalue() == "gammond: ending\ngammond: WARNING: a file of 3 bytes\n"


def test_json_has_time_level_event_message_and_fields(monkeypatch):
    with written(monkeypatch, format="json") as stream:
        log_event(LOG, "client_left", "127.0.0.1 leaves", client=3, seconds=1.5)
        LOG.warning("plain")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert first.pop("time").endswith("Z")
    assert first == {
        "level": "info",
        "event": "client_left",
        "message": "127.0.0.1 leaves",
        "client": 3,
        "seconds": 1.5,
    }
    assert (second["level"], second["event"]) == ("warning", "message")


@pytest.mark.parametrize("form", ["text", "json"])
def test_text_of_clients_breaks_no_line_and_reaches_no_terminal(monkeypatch, form):
    with written(monkeypatch, format=form) as stream:
        log_event(LOG, "client_left", f"left: {NASTY}", reason=NASTY)
        try:
            raise ValueError(f"{NASTY}\ngammond: forged")
        except ValueError as error:
            FaultLog().log("a command failed", error)
    lines = stream.getvalue().split("\n")
    assert "".join(lines).isprintable()
    assert "".join(lines).isascii()
    if form == "json":
        assert [json.loads(line)["event"] for line in lines[:-1]] == ["client_left", "fault"]
        assert json.loads(lines[0])["reason"] == NASTY
        assert "forged" in json.loads(lines[1])["trace"]
    else:
        assert [line for line in lines if line.startswith("gammond")] == lines[:2]
        assert lines[1] == "gammond: ERROR: a command failed"
        assert any("forged" in line for line in lines[2:])
        assert all(line.startswith("    ") for line in lines[2:-1])


def test_with_json_whatever_is_written_to_stderr_becomes_a_record(monkeypatch):
    with written(monkeypatch, format="json") as stream:
        sys.stderr.write("gammond: compiling kernels once: 4 in 9 s\nhalf ")
        sys.stderr.write("a line\n")
    assert [json.loads(line)["message"] for line in stream.getvalue().splitlines()] == [
        "compiling kernels once: 4 in 9 s",
        "half a line",
    ]


def test_the_level_and_quiet_leave_out_what_is_below_them(monkeypatch):
    clients = logging.getLogger("gammond.protocol.transports.connection_log")
    for settings, lines in (
        ({"level": "debug"}, 3),
        ({"has_clients": False}, 1),
        ({"level": "error"}, 0),
    ):
        with written(monkeypatch, **settings) as stream:
            clients.info("a client")
            LOG.info("something")
            LOG.debug("details")
        assert len(stream.getvalue().splitlines()) == lines


SLEEPY = """
import logging, time
from gammond.protocol.transports.log_output import LogSettings, write_logs
began_s = time.monotonic()
with write_logs(LogSettings()):
    for number in range(5000):
        logging.getLogger("gammond").info("x" * 1000)
assert time.monotonic() - began_s < 100
"""


def test_a_reader_that_sleeps_holds_nobody_up():
    with subprocess.Popen([sys.executable, "-c", SLEEPY], stderr=subprocess.PIPE) as writer:
        assert writer.wait(180) == 0

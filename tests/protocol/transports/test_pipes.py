from __future__ import annotations

import errno
import os
import queue
import threading
import time

import pytest

from gammond.protocol.transports import pipes
from gammond.protocol.transports.pipes import Inbox, Outbox


@pytest.fixture(params=[True, False], ids=["select", "threads"])
def waits(request, monkeypatch):
    """Both ways of waiting, on any system that has both."""
    if request.param and os.name != "posix":
        pytest.skip("no select on pipes")
    monkeypatch.setattr(pipes, "_CAN_SELECT", request.param)


def make_pipe():
    return os.pipe()


@pytest.mark.usefixtures("waits")
def test_calls_of_threads_and_input_are_taken_as_they_come_and_none_is_lost():
    source, sink = make_pipe()
    inbox, seen = Inbox(source), []
    for number in range(50):
        threading.Thread(target=inbox.put, args=(lambda number=number: seen.append(number),)).start()
    for _ in range(50):
        inbox.take(60.0)()
    assert sorted(seen) == list(range(50))
    inbox.request_input(seen.append)
    os.write(sink, b"some text\n")
    inbox.take(60.0)()
    assert seen[-1] == b"some text\n"
    os.write(sink, b"not asked for")
    with pytest.raises(queue.Empty):
        inbox.take(0.05)
    inbox.request_input(seen.append)
    inbox.take(60.0)()
    os.close(sink)
    inbox.request_input(seen.append)
    inbox.take(60.0)()
    assert seen[-2:] == [b"not asked for", b""]


@pytest.mark.usefixtures("waits")
def test_a_call_that_comes_while_nothing_else_does_wakes_the_thread_at_once():
    inbox = Inbox(make_pipe()[0])
    threading.Timer(0.2, inbox.put, [lambda: None]).start()
    began_s = time.monotonic()
    inbox.take(60.0)
    assert time.monotonic() - began_s < 30.0


@pytest.mark.usefixtures("waits")
def test_output_that_nobody_reads_yet_waits_without_blocking_and_comes_whole():
    source, sink = make_pipe()
    inbox = Inbox(make_pipe()[0])
    outbox = Outbox(sink, inbox, lambda error: None)
    text = bytes(range(256)) * 4000
    outbox.write(text[:700_000])
    outbox.write(text[700_000:])
    assert outbox.unsent > 500_000
    received = b""
    while len(received) < len(text):
        received += os.read(source, 1 << 16)
    assert received == text
    while outbox.unsent:
        inbox.take(60.0)()


@pytest.mark.usefixtures("waits")
def test_a_reader_that_goes_away_is_noticed_once():
    source, sink = make_pipe()
    inbox, broken = Inbox(make_pipe()[0]), []
    outbox = Outbox(sink, inbox, broken.append)
    os.close(source)
    outbox.write(b"anybody there?\n")
    inbox.take(60.0)()
    assert [error.errno for error in broken] == [errno.EPIPE]


@pytest.mark.usefixtures("waits")
def test_a_closed_input_is_at_its_end():
    source, sink = make_pipe()
    os.close(sink)
    os.close(source)
    inbox, seen = Inbox(source), []
    inbox.request_input(seen.append)
    inbox.take(60.0)()
    assert seen == [b""]


@pytest.mark.skipif(os.name != "posix", reason="nothing is watched there")
def test_a_reader_that_has_gone_is_noticed_but_not_one_that_cannot_be_watched(monkeypatch):
    source, sink = make_pipe()
    broken = []
    outbox = Outbox(sink, Inbox(source), broken.append)
    outbox.check_reader()
    assert broken == []

    class DevicePoll:  # of macOS
        def register(self, *_):
            pass

        def poll(self, _):
            return [(sink, pipes.select.POLLNVAL)]

    with monkeypatch.context() as patch:
        patch.setattr(pipes.select, "poll", DevicePoll)
        outbox.check_reader()
    assert broken == []
    os.close(source)
    outbox.check_reader()
    assert isinstance(broken[0], BrokenPipeError)

"""A client for tests: a service with a small fixed evaluator, and talks over the sans-IO connection."""

from __future__ import annotations

from gammond.engine.analysis.engine import Engine
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.core.replies import make_info_reply
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.games import GAMES
from gammond.protocol.state.readiness import ReadyState
from gammond.protocol.state.service import EngineCatalogue, Service
from gammond.protocol.state.session import Session
from tests.support.evaluators import RacingEvaluator

SEED = 1

for _entry in GAMES.values():  # so that no line waits, unless a test wants it
    _entry.load_commands().readiness.warm()


def cool(monkeypatch, readiness, load):
    """Let a group of kernels be cold; ``load`` is what readies it."""
    for name, value in (("state", ReadyState.COLD), ("_load", load), ("_error", None)):
        monkeypatch.setattr(readiness, name, value)


def make_service(evaluator=None, limits=None):
    """Make a service with one evaluator, ``racing``."""
    found = Engine(evaluator or RacingEvaluator())
    nets = [{"name": "racing", "phase": "contact", "encoder": "none", "sha256": "0" * 64}]
    evaluators = EngineCatalogue("default", lambda: ["racing"], lambda name: found, lambda: nets)
    return Service(evaluators, limits)


def make_connection(evaluator=None, **limits):
    """Make a connection of a fresh client."""
    connection = connect(Session(make_service(evaluator, ClientLimits(**limits)), SEED))
    connection.handler.session.service.client_count += 1
    return connection


def hear(connection, data):
    """Take in bytes, None for the end of input, and serve the lines in them."""
    if data is None:
        connection.receive_eof()
    else:
        connection.receive_data(data)
    connection.advance()


def take_jobs(connection):
    """Return the jobs that a connection has for workers now."""
    jobs = []
    while (job := connection.next_job()) is not None:
        jobs.append(job)
    return jobs


def finish(connection, job):
    """Run a job of a connection on the spot."""
    connection.receive_result(job, job.run(lambda reply: connection.receive_progress(job, reply)))


def sent(connection):
    """Return the lines that a connection has for its client now."""
    return connection.data_to_send().decode().splitlines()


def pump(connection, stops_long=False):
    """Run all work of a connection on the spot, stopped at once if long; return the lines that come of it."""
    out = bytearray()
    while True:
        connection.advance()
        data = connection.data_to_send()
        job = connection.next_job()
        out += data
        if job is not None:
            if stops_long and job.work.is_long:
                job.control.stop()
            finish(connection, job)
        elif not data and not connection.has_lines:
            return out.decode().splitlines()


def talk(text, connection=None):
    """Send lines, run their work, return the lines that come back."""
    connection = connection or make_connection()
    hear(connection, text.encode() + b"\n")
    return pump(connection)


def make_info(text):
    """Return the report that is written as ``info`` and a text."""
    pairs, _, play = text.partition(" pv ")
    words = pairs.split()
    numbers = [float(word) if "." in word else int(word) for word in words[1::2]]
    values = dict(zip(words[::2], numbers, strict=True))
    return make_info_reply({**values, "pv": play} if play else values)

"""Handlers run in the thread that serves the clients: the kernels that they call are there.

Kernels can be watched with the compiler off, when they are Python's own functions.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import Future
from pathlib import PurePath
from random import Random

import numba
import pytest

from gammond.engine.play.decider import Decider
from gammond.protocol.barca.commands import BARCA, BARCA_COMMANDS
from gammond.protocol.commands.readiness import ID_KERNELS, PLAY_KERNELS, READY_TEXTS, TEXT_KERNELS
from gammond.protocol.commands.table import BACKGAMMON, COMMANDS
from gammond.protocol.core.requests import Task, Unready
from gammond.protocol.dialects.gnubg_external import GnubgClient, GnubgService
from gammond.protocol.dialects.json_parts import PARTS
from gammond.protocol.state.readiness import ReadyState
from gammond.protocol.web.answers import JSON, WebRequest
from gammond.protocol.web.endpoints import _QUESTIONS, ENDPOINTS
from tests.protocol.dialects.test_bgweb import SMOKE_TEST
from tests.protocol.dialects.test_gnubg_external import SEAT_0_PLAY
from tests.protocol.dialects.test_json_match import MATCH
from tests.protocol.dialects.test_nodots import REQUEST as NODOTS_REQUEST
from tests.protocol.tables.visiting import PERSON, Site, play_at_random
from tests.protocol.talking import make_connection

pytestmark = [
    pytest.mark.nojit,
    pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="compiled kernels cannot be watched"),
]

NO_KERNELS = {"__init__.py", "disk_cache.py", "linking.py"}

MATCH_LINES = (
    "set game.length 3",
    "set game.keep true",
    "set engine.xgid true",
    "newgame",
    "roll",
    "undo",
    "dice 3 1",
    "play 8/5 6/5",
    "play double",
    "play take",
    "dice 3 3",
    "play 8/5(2) 6/3(2)",
    "play resign single",
    "play accept",
    "newgame",
    "position gnubgid 4HPwATDgc/ABMA",
    "position ogid 11ccccchhhjjjjj:66666888dddddoo:N0N:31:B::0:0:0:0",
    "position xgid XGID=-AA---------------------a-:0:0:1:21:0:0:0:0:10",
    "play 2/off 1/off",
    "undo",
    "redo",
    "dice 2 1",
    'rollout trials=1 truncate=1 play="6/4 6/5"',
    "board",
)
"""A match to its first end and what surrounds it, besides the examples of the commands."""


QUERIES = (
    {"position": "4HPwATDgc/ABMA"},
    {"position": "4HPwATDgc/ABMA", "plies": 2, "want": ["eval", "cube"]},
    {"position": "4HPwATDgc/ABMA", "dice": [3, 1], "want": ["moves"]},
    {"position": "XGID=-b----E-C---eE---c-e----B-:1:-1:1:33:3:2:0:7:10", "plies": 1, "want": ["moves"]},
    {"position": "OGID=11ccccchhhjjjjj:66666888dddddoo:N0N:31:B::0:0:0:0", "want": ["moves"]},
    {"positions": [READY_TEXTS[-1], "junk"], "want": ["moves", "eval"], "dice": [3, 1]},
    *({"position": "4HPwATDgc/ABMA", "plies": 1, "want": [part]} for part in PARTS),
    {"want": ["analyse"], "match_text": MATCH},
    {"variant": "barca", "position": "startpos", "want": ["legal", "moves"]},
)
REQUESTS = {
    "/nodots/v1/move": json.dumps(NODOTS_REQUEST),
    "/api/v1/getmoves": json.dumps(SMOKE_TEST),
    "/api/v1/evaluate": '{"position": "4HPwATDgc/ABMA", "plies": 2}',
    "/api/v1/plays": '{"position": "4HPwATDgc/ABMA", "dice": [3, 1]}',
    "/api/v1/rollout": '{"position": "4HPwATDgc/ABMA"}',
    "/api/v1/query": '{"variant": "barca", "position": "startpos", "want": ["legal"]}',
    "/api/v1/analyse": json.dumps({"match_text": MATCH}),
    "/api/v1/convert": json.dumps({"match_text": MATCH, "to": "mat"}),
}
EXAMPLES = {
    **{name: command.example for name, command in COMMANDS.items()},
    "match": MATCH_LINES,
    **{f"barca {name}": ("set game.variant barca", *row.example) for name, row in BARCA_COMMANDS.items()},
    "barca game": ("set game.variant barca", "newgame", "play e2-e5", "play e9-e6", "undo", "redo", "board"),
}


GROUPS = (ID_KERNELS, TEXT_KERNELS, PLAY_KERNELS, BARCA.readiness)


@pytest.fixture(params=[ReadyState.COLD, ReadyState.READY])
def state(request, monkeypatch):
    """The state of all groups of kernels: a handler may find either."""
    for group in GROUPS:
        monkeypatch.setattr(group, "state", request.param)
    return request.param


def is_kernel(frame):
    file = PurePath(frame.f_code.co_filename)
    is_module = frame.f_code.co_name == "<module>"
    return "kernels" in file.parts and file.name not in NO_KERNELS and not is_module


def watch_kernels(act, *args):
    """Call a function; return what it returns, and the names of the kernels that were called from outside."""
    calls = set()

    def profile(frame, event, _):
        if event == "call" and is_kernel(frame) and not is_kernel(frame.f_back):
            calls.add(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        return act(*args), calls
    finally:
        sys.setprofile(None)


def list_kernel_calls(lines):
    """Send lines, without doing the work for which they ask; list the kernels that each line called."""
    handler = make_connection().handler
    for line in lines:
        answer, calls = watch_kernels(handler.answer, line, lambda key: False)
        assert not calls or not isinstance(answer, Unready)
        yield line, calls


def list_known(*groups):
    """Return the kernels that are called to ready some groups."""
    return {name for group in groups for name in watch_kernels(group._load)[1]}


@pytest.mark.parametrize("lines", EXAMPLES.values(), ids=EXAMPLES)
def test_a_handler_calls_only_kernels_of_the_group_that_it_waits_for(lines, state):
    game = BARCA if lines[0] == "set game.variant barca" else BACKGAMMON
    for line, calls in list_kernel_calls(lines):
        needs = game.commands[line.split()[0]].needs
        assert calls <= (set() if needs is None or state is ReadyState.COLD else list_known(needs)), line


@pytest.mark.parametrize("query", QUERIES, ids=json.dumps)
def test_a_query_is_read_with_kernels_that_are_ready(query, state):
    known = list_known(TEXT_KERNELS) if state is ReadyState.READY else set()
    lines = [json.dumps({"id": number, **query}) for number in (1, 2)]
    for line, calls in list_kernel_calls(lines):
        assert calls <= known, line


@pytest.mark.parametrize("path", REQUESTS)
def test_a_request_over_http_is_read_with_kernels_that_are_ready(path, state):
    (endpoint,) = [each for each in ENDPOINTS if each.path == path]
    request = WebRequest(REQUESTS[path].encode(), JSON)
    is_imported = endpoint.needs is _QUESTIONS
    if is_imported:
        _QUESTIONS.warm()
    plan, calls = watch_kernels(endpoint.plan, make_connection().handler.session, request)
    assert isinstance(plan, Task)
    needs = TEXT_KERNELS if is_imported or endpoint.needs is None else endpoint.needs
    assert calls <= (set() if state is ReadyState.COLD else list_known(needs))


def test_a_board_of_gnubg_is_read_with_kernels_that_are_ready():
    service = Future()
    service.set_result(GnubgService(Decider(make_connection().handler.session.service.get_engine("default"))))
    _, calls = watch_kernels(GnubgClient(service).answer, SEAT_0_PLAY, lambda key: False)
    assert calls
    assert calls <= list_known(TEXT_KERNELS)


@pytest.mark.parametrize("fields", [{}, {"doubles": "two"}, {"variant": "barca"}], ids=str)
def test_what_people_do_at_a_table_calls_kernels_that_are_ready(fields):
    random, site = Random(1), Site()
    guest = site.visit()
    table = guest.create(PERSON, {**PERSON, "name": "Bob"}, **fields)["table"]
    called = set()
    for _ in range(30 if "variant" in fields else 200):
        site.settle(1.0)
        guest.hear()
        _, calls = watch_kernels(lambda: play_at_random(guest, table, random, seats=(0, 1)))
        called |= calls
        if guest.states[table]["phase"] == "finished":
            break
    assert called
    assert called <= list_known(*([BARCA.readiness] if fields.get("variant") == "barca" else GROUPS[:-1]))


def test_kernels_are_watched(state):
    own = set().union(*[calls for _, calls in list_kernel_calls(MATCH_LINES)])
    other = set().union(*[calls for _, calls in list_kernel_calls(EXAMPLES["barca game"])])
    if state is ReadyState.READY:
        assert {"decode_ids", "expand", "write_all_finished"} <= own
        assert "list_moves" in other
    assert {"decode_ids", "decode_xgids", "decode_fibs_boards", "expand"} <= list_known(*GROUPS)

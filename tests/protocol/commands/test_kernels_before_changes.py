"""Requests are done anew once a kernel that they need is compiled: so none is called after a change.

Kernels can be watched with the compiler off, when they are Python's own functions.
"""

from __future__ import annotations

import sys
from pathlib import PurePath

import numba
import pytest

from protocol.barca.commands import BARCA_COMMANDS
from protocol.barca.table import BarcaTable
from protocol.commands.table import COMMANDS
from tests.protocol.talking import make_connection

pytestmark = [
    pytest.mark.nojit,
    pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="compiled kernels cannot be watched"),
]

NO_KERNELS = {"__init__.py", "disk_cache.py", "linking.py"}

MATCH_LINES = (
    "set game.length 3",
    "set game.keep true",
    "set engine.xgids true",
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
    "position xgid XGID=-AA---------------------a-:0:0:1:21:0:0:0:0:10",
    "play 2/off 1/off",
    "undo",
    "redo",
    "board",
)
"""A match to its first end and what surrounds it, besides the examples of the commands."""


def watch_kernels(session, calls):
    """Return a profiler that adds each kernel that is called, and whether the session had changed by then."""

    def describe():
        barca = session.get_table(BarcaTable)
        own = session.game, session.log, session.rolls, session.can_redo, session.engine_settings
        return *own, session.game_name, barca.game, barca.can_redo, barca.settings

    before = describe()

    def profile(frame, event, _):
        file = PurePath(frame.f_code.co_filename)
        if event == "call" and file.parent.name == "kernels" and file.name not in NO_KERNELS:
            calls.append((frame.f_code.co_name, describe() != before))

    return profile


def list_kernel_calls(lines):
    """Send lines, without doing the work for which they ask; list the kernels that reading them called."""
    connection, calls = make_connection(), []
    for line in lines:
        sys.setprofile(watch_kernels(connection.handler.session, calls))
        try:
            connection.handler.answer(line, lambda key: False)
        finally:
            sys.setprofile(None)
    return calls


EXAMPLES = {
    **{name: command.example for name, command in COMMANDS.items()},
    "match": MATCH_LINES,
    **{f"barca {name}": ("set game.variant barca", *row.example) for name, row in BARCA_COMMANDS.items()},
    "barca game": ("set game.variant barca", "newgame", "play e2-e5", "play e9-e6", "undo", "redo", "board"),
}


@pytest.mark.parametrize("lines", EXAMPLES.values(), ids=EXAMPLES)
def test_no_kernel_is_called_once_a_request_has_changed_the_session(lines):
    assert [name for name, has_changed in list_kernel_calls(lines) if has_changed] == []


def test_kernels_are_watched():
    assert {"decode_ids", "expand"} <= {name for name, _ in list_kernel_calls(MATCH_LINES)}
    assert "list_moves" in {name for name, _ in list_kernel_calls(EXAMPLES["barca game"])}

"""Answers leave nothing for the garbage collector: the more there is, the longer it stops everybody."""

import gc

import pytest

from tests.protocol.mixed_lines import BAD_LINES, GOOD_LINES
from tests.protocol.talking import make_connection, talk

SET_UP = "position gnubgid 4HPwATDgc/ABMA\ndice 3 1"
REFUSED_LINES = (
    "play 24/23 22/21",
    "play",
    "play resign dearly",
    "set engine.nothing 1",
    "set engine.level nobody",
    "take",
    "legal point=1",
    "stop nothing",
    "@1 @2",
    "x" * 2000,
    '{"id":"s","position":"4HPwATDgc/ABMA","want":["moves"]}',
    '{"id":"t","positions":[],"want":["eval"]}',
    '{"id":"u","' + "x" * 2000 + '":1}',
)


@pytest.fixture
def no_collection():
    """No search for garbage but those of the test, and only among what the test makes."""
    gc.disable()
    gc.freeze()
    yield
    gc.unfreeze()
    gc.enable()


@pytest.mark.parametrize("line", [*GOOD_LINES, *BAD_LINES, *REFUSED_LINES], ids=lambda line: line[:30])
def test_an_answer_leaves_no_garbage(line, no_collection):
    connection = make_connection(line_bytes=1000)
    talk(f"{SET_UP}\n{line}", connection)  # what is made once
    gc.collect()
    talk("\n".join(10 * [line]), connection)
    assert gc.collect() == 0

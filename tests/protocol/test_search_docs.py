"""The transcript of docs/search.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.protocol.talking import make_connection, talk
from tests.protocol.test_docs import exchanges, matches

TEXT = (Path(__file__).parents[2] / "docs" / "search.md").read_text("utf-8")
TRANSCRIPTS = re.findall(r"```transcript\n(.*?)```", TEXT, re.DOTALL)


def test_there_is_a_transcript():
    assert TRANSCRIPTS


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.splitlines()[0][2:40])
def test_each_transcript_is_what_a_session_answers(transcript):
    connection = make_connection()
    for request, expected in exchanges(transcript):
        got = talk(request, connection)
        assert matches(expected, got), f"{request!r} was answered by {got}"

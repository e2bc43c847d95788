"""The transcript of docs/reference/search.md: the shipped nets give its figures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from protocol.dialects.line_client import connect
from protocol.state.service import Service, make_shipped_catalogue
from protocol.state.session import Session
from tests.protocol.talking import SEED, talk
from tests.protocol.test_docs import exchanges

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "search.md").read_text("utf-8")
TRANSCRIPTS = re.findall(r"```transcript\n(.*?)```", TEXT, re.DOTALL)
SAME_NET_WITHIN = 1e-4

_FIGURE = re.compile(r"-?[0-9]+\.[0-9]{6}")


def shape(lines):
    """The lines without their figures, as a pattern in which ``...`` is anything."""
    text = re.escape(_FIGURE.sub("FIGURE", "\n".join(lines)))
    return re.compile(text.replace(r"\.\.\.", ".*"), re.DOTALL)


def figures(lines):
    return [float(figure) for figure in _FIGURE.findall("\n".join(lines))]


def differences(expected, got):
    """What an answer has otherwise than the page; None if nothing."""
    if not shape(expected).fullmatch(_FIGURE.sub("FIGURE", "\n".join(got))):
        return f"other words: {got}"
    last = figures(got)[-len(figures(expected)) :]  # what ``...`` left out comes first
    if figures(expected) and figures(expected) != pytest.approx(last, abs=SAME_NET_WITHIN):
        return f"other figures: {got}"
    return None


def test_there_is_a_transcript():
    assert TRANSCRIPTS


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.splitlines()[0][2:40])
def test_each_transcript_is_what_a_session_with_the_shipped_nets_answers(transcript):
    connection = connect(Session(Service(make_shipped_catalogue()), SEED))
    for request, expected in exchanges(transcript):
        assert differences(expected, talk(request, connection)) is None, request


def test_the_comparison_can_fail():
    line = "move rank=1 play=24/20 win=0.500000"
    assert differences(["...", line], ["info depth 2", line]) is None
    assert differences([line], [line.replace("0.5", "0.6")])
    assert differences([line], [line.replace("24/20", "13/9")])

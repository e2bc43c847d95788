"""Limits of ``go``: what they let a session do."""

from __future__ import annotations

import pytest

from engine.errors import ValueRangeError
from engine.levels import Depth
from engine.search import MAX_PLIES
from protocol.errors import CommandError
from protocol.handlers.go_limits import GoLimits, read_limits
from protocol.session import EngineSettings

EXPERT = EngineSettings("default", 1)
DEEP = EngineSettings("default", 1, ply=3, filter_name="narrow", is_cubeful=False)
ERRING = EngineSettings("default", 1, noise=120)


@pytest.mark.parametrize(
    ("text", "engine", "depth"),
    [
        ("", EXPERT, Depth(0)),
        ("", DEEP, Depth(2, "narrow", False)),
        ("plies 1", DEEP, Depth(1, "narrow", False)),
        ("depth 2 filter huge", DEEP, Depth(1, "huge", False)),
        ("movetime 500", EXPERT, Depth(MAX_PLIES)),
        ("movetime 500 plies 2", EXPERT, Depth(2)),
        ("movetime 500", ERRING, Depth(0)),
        ("plies 2", ERRING, Depth(2)),
    ],
)
def test_how_deep_a_session_looks(text, engine, depth):
    assert read_limits(text.split()).depth(engine) == depth


def test_a_time_is_read_in_milliseconds():
    assert read_limits(["movetime", "1500"]).movetime_s == 1.5
    assert read_limits([]) == GoLimits()


def test_the_form_of_ubgi_01_has_no_bounds():
    limits = read_limits(
        ["depth", "99", "movetime", "99999999999", "nodes", "5", "trials", "6"], is_role=True
    )
    assert limits == GoLimits(MAX_PLIES, 86_400.0)


@pytest.mark.parametrize(
    "text", ["plies", "plies 1 plies 2", "plies 1 depth 1", "speed 5", "1 plies", "nodes 5"]
)
def test_what_are_no_pairs_is_refused(text):
    with pytest.raises(CommandError):
        read_limits(text.split())


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("plies 5", "plies"),
        ("depth 0", "depth"),
        ("depth 6", "depth"),
        ("movetime 0", "movetime"),
        ("movetime 86400001", "movetime"),
        ("filter fine", "filter"),
    ],
)
def test_a_value_out_of_range_names_its_limit(text, field):
    with pytest.raises(ValueRangeError) as caught:
        read_limits(text.split())
    assert caught.value.field == field

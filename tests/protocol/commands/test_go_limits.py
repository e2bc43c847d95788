"""Limits of ``go``."""

from __future__ import annotations

import pytest

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.search import MAX_PLIES
from gammond.protocol.commands.decisions import GoLimits, parse_limits
from gammond.protocol.core.errors import CommandError
from gammond.protocol.state.session import EngineSettings, Session
from tests.protocol.talking import SEED, make_service

EXPERT = EngineSettings(seed=1, threads=1)
DEEP = EngineSettings(seed=1, threads=1, ply=3, filter_name="narrow", is_cubeful=False)
ERRING = EngineSettings(seed=1, threads=1, noise=120)


@pytest.mark.parametrize(
    ("text", "engine", "depth"),
    [
        ("", EXPERT, EvalSettings(0)),
        ("", DEEP, EvalSettings(2, "narrow", False)),
        ("plies 1", DEEP, EvalSettings(1, "narrow", False)),
        ("depth 2 filter huge", DEEP, EvalSettings(1, "huge", False)),
        ("depth=2 filter=huge", DEEP, EvalSettings(1, "huge", False)),
        ("plies=2 filter tiny", EXPERT, EvalSettings(2, "tiny")),
        ("movetime 500", EXPERT, EvalSettings(MAX_PLIES)),
        ("movetime 500 plies 2", EXPERT, EvalSettings(2)),
        ("movetime 500", ERRING, EvalSettings(0)),
        ("plies 2", ERRING, EvalSettings(2)),
    ],
)
def test_how_deep_a_session_looks(text, engine, depth):
    session = Session(make_service(), SEED)
    session.engine_settings = engine
    assert parse_limits(text.split()).make_eval_settings(session) == depth


def test_a_time_is_read_in_milliseconds():
    assert parse_limits(["movetime", "1500"]).movetime_s == 1.5
    assert parse_limits([]) == GoLimits()


@pytest.mark.parametrize("form_01", [[], ["nodes", "5", "trials", "6"]])
def test_a_depth_or_time_beyond_what_is_offered_means_the_most_that_is(form_01):
    words = ["depth", "99", "movetime", "99999999999", *form_01]
    assert parse_limits(words, is_role=bool(form_01)) == GoLimits(MAX_PLIES, 86_400.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plies", "expected a whole number 0..4 after 'plies', got nothing"),
        ("plies 1 plies=2", "duplicate argument 'plies'"),
        ("plies 1 depth 1", "got both"),
        ("filtre tiny", "got 'filtre' (did you mean 'filter'?)"),
        ("1 plies", "expected plies|depth|movetime|filter, each followed by its value, got '1'"),
        ("nodes 5", "got 'nodes'"),
    ],
)
def test_what_are_no_pairs_is_refused(text, message):
    with pytest.raises(CommandError) as caught:
        parse_limits(text.split())
    assert message in caught.value.message

"""GNU match IDs."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammond.engine.errors import FormatError, GammondError, PositionError, UnsupportedError, ValueRangeError
from gammond.engine.formats.match_id import decode_match_id, encode_match_id
from gammond.engine.rules.match import MatchState
from tests.support.match_states import random_match_state

OBSERVED = [
    ("cAkAAAAAAAAE", MatchState(on_roll=1)),
    ("cAkAAAAAAAAA", MatchState(on_roll=1, jacoby=True)),
    ("cBEAAAAAAAAA", MatchState(on_roll=1, doubled=True, jacoby=True)),
    ("MBkAAAAAAAAA", MatchState(on_roll=0, doubled=True, jacoby=True)),
    ("QQkAAAAAAAAA", MatchState(on_roll=1, cube=2, cube_owner=0, jacoby=True)),
    ("cEEAAAAAAAAA", MatchState(on_roll=1, resigned=2, jacoby=True)),
    ("MDEAAAAAAAAA", MatchState(on_roll=0, doubled=True, resigned=1, jacoby=True)),
    ("cKEFAAAAAAAA", MatchState(on_roll=1, roll=(3, 1), resigned=1, jacoby=True)),
    ("EQGvACAACAAE", MatchState(length=5, score=(2, 1), cube=2, cube_owner=1, on_roll=0, roll=(6, 3))),
    ("8AnmABAAMAAE", MatchState(length=7, score=(1, 6), crawford=True, on_roll=1, roll=(4, 1))),
]
"""IDs that gnubg 1.07 showed, and the states it showed them for."""


@pytest.mark.parametrize(("text", "match"), OBSERVED)
def test_ids_seen_in_gnubg_mean_what_they_meant_there(text, match):
    assert decode_match_id(text) == match
    assert encode_match_id(match) == text


def test_random_states_survive_the_round_trip():
    generator = random.Random(8)
    for _ in range(2000):
        match = random_match_state(generator, resignations=True)
        expected = MatchState(**{**vars(match), "beavers": True})
        assert decode_match_id(encode_match_id(match)) == expected


def test_a_match_has_no_jacoby_rule():
    assert encode_match_id(MatchState(length=5, jacoby=True)) == encode_match_id(MatchState(length=5))


@pytest.mark.parametrize(
    ("text", "error", "message", "field"),
    [
        ("cAkAAAAAAAA", FormatError, "has 12 characters", "match"),
        ("cAkAAAAA*AAA", FormatError, r"'\*' as character 9", "match"),
        ("cAkAAAAAAA==", FormatError, "'=' as character 11", "match"),
        ("UQTgACAAGAAE", UnsupportedError, "the game is dropped", "match"),
        ("cAEAAAAAAAAA", PositionError, "seat 0 is to decide", "on_roll"),
        ("YAkAAAAAAAAA", FormatError, "expected 0 or 1 or 3 as cube_owner, got 2", "cube_owner"),
        ("cAkAAAAAAACA", FormatError, "expected 0 as unused, got 16", "unused"),
        ("fgkAAAAAAAAA", ValueRangeError, "power of two up to 4096", "cube"),
        ("cAkQAAAAAAAA", ValueRangeError, "expected dice of 1 to 6 or both 0, got 0 and 4", "dice"),
    ],
)
def test_a_refusal_says_what_is_wrong(text, error, message, field):
    with pytest.raises(error, match=message) as caught:
        decode_match_id(text)
    assert caught.value.field == field


@given(st.text(max_size=16) | st.from_regex(r"[A-Za-z0-9+/]{12}", fullmatch=True))
def test_any_text_is_read_or_refused_with_a_typed_error(text):
    try:
        match = decode_match_id(text)
    except GammondError:
        return
    assert decode_match_id(encode_match_id(match)) == match


def test_a_beaver_that_waits_is_read_back():
    match = MatchState(doubled=True, beavered=True, cube=2, cube_owner=1)
    assert encode_match_id(match) == "EREAAAAAAAAE"
    assert decode_match_id("EREAAAAAAAAE") == match

from __future__ import annotations

import pytest

from gammond.engine.errors import FormatError, GammondError, ValueRangeError
from gammond.engine.options import Field
from gammond.protocol.core.arguments import (
    ArgumentParser,
    choice_argument,
    integer_argument,
    named_argument,
    parse_pairs,
    rest_argument,
    switch_argument,
    word_argument,
)

NUMBER = integer_argument("n", 1, 9, "a number", default=4)
NAMED = integer_argument("plies", 0, 3, "named", is_named=True)
PLAY = named_argument("play", "PLAY", "", is_repeatable=True)
WORD = word_argument("w", "W", "")
REST = rest_argument("r", "R", "")
WHAT = choice_argument("what", ("a", "b"), "", default="a", is_required=False)
LIMITS = rest_argument("limits", "L", "", is_required=False, choices=("n",))
NEEDED = (choice_argument("x", ("a",), ""), choice_argument("y", ("b",), ""))


def read(text, *arguments):
    return ArgumentParser(arguments, "usage").parse(text)


@pytest.mark.parametrize(
    ("text", "arguments", "values"),
    [
        ("", (NUMBER, NAMED), {"n": 4, "plies": None}),
        ("3 plies=2", (NUMBER, NAMED), {"n": 3, "plies": 2}),
        ("plies=2 3", (NUMBER, NAMED), {"n": 3, "plies": 2}),
        ("", (NUMBER, PLAY), {"n": 4, "play": None}),
        ('play="8/5  6/5" 3 play=8/5,6/5', (NUMBER, PLAY), {"n": 3, "play": ("8/5  6/5", "8/5,6/5")}),
        ("a  b  c ", (WORD, REST), {"w": "a", "r": "b  c"}),
        ("XGID=-a:1", (REST,), {"r": "XGID=-a:1"}),
        ('"8/5 6/5"', (REST,), {"r": "8/5 6/5"}),
        ('"8/5 6/5" plies=2', (REST, NAMED), {"r": "8/5 6/5", "plies": 2}),
        ('"', (REST,), {"r": '"'}),
        ('"a', (REST,), {"r": '"a'}),
        ('"a" "b"', (REST,), {"r": '"a" "b"'}),
        ("n 3", (WHAT, LIMITS), {"what": "a", "limits": "n 3"}),
        ("a n 3", (WHAT, LIMITS), {"what": "a", "limits": "n 3"}),
        ("n=3", (WHAT, LIMITS), {"what": "a", "limits": "n=3"}),
    ],
)
def test_the_arguments_of_a_line_are_read(text, arguments, values):
    assert read(text, *arguments) == values


@pytest.mark.parametrize(
    ("text", "arguments", "field", "message"),
    [
        ("1 2", (NUMBER, NAMED), "arguments", "expected 'usage', got the extra argument '2'"),
        ("colour=1", (NUMBER, NAMED), "arguments", "expected 'usage', got the extra argument 'colour=1'"),
        ("ples=1", (NUMBER, NAMED), "arguments", "unknown argument 'ples' (did you mean 'plies'?)"),
        ("plies=1 plies=2 3", (NUMBER, NAMED), "plies", "duplicate argument 'plies'"),
        ("a", NEEDED, "y", "expected 'usage', but 'y' is missing"),
        (" ", (REST,), "r", "expected 'usage', got nothing after 'usage'"),
        ("m 3", (WHAT, LIMITS), "what", "expected one of a|b for what, got 'm'"),
    ],
)
def test_a_line_that_does_not_fit_is_refused_with_its_field_and_reason(text, arguments, field, message):
    with pytest.raises(GammondError) as caught:
        read(text, *arguments)
    assert (caught.value.field, caught.value.message) == (field, message)


def test_usage_says_that_an_argument_may_be_repeated():
    assert PLAY.usage == "[play=PLAY ...]"


@pytest.mark.parametrize("text", ["", "x", "1.0", "1e1", "0x1", "\u0663", " 1", "1_0", "10", "9" * 5000])
def test_only_whole_numbers_in_range_are_read(text):
    with pytest.raises((FormatError, ValueRangeError)) as caught:
        NUMBER.parse(text)
    assert caught.value.code == "bad_value"
    assert caught.value.field == "n"
    assert len(caught.value.message) < 120


def test_switches():
    switch = switch_argument("s", "")
    assert [switch.parse(text) for text in ("true", "On", "FALSE", "off")] == [True, True, False, False]
    with pytest.raises(FormatError):
        switch.parse("yes")


def test_pairs_are_written_with_or_without_an_equals_sign():
    fields = (NUMBER.field, Field("owner", str, choices=("p0", "p1")))
    for text in ("n 3 owner p1", "owner=p1 n=3", "n=3 owner p1"):
        assert parse_pairs(text.split(), fields, error_field="terms") == {"n": 3, "owner": "p1"}
    assert parse_pairs([], fields, error_field="terms") == {}

from __future__ import annotations

import pytest

from gammond.engine.errors import FormatError, ValueRangeError
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
from gammond.protocol.core.errors import CommandError

NUMBER = integer_argument("n", 1, 9, "a number", default=4)
NAMED = integer_argument("plies", 0, 3, "named", is_named=True)


def read(text, *arguments):
    return ArgumentParser(arguments, "usage").parse(text)


def test_named_arguments_may_be_anywhere():
    assert read("3 plies=2", NUMBER, NAMED) == read("plies=2 3", NUMBER, NAMED) == {"n": 3, "plies": 2}


def test_values_in_quotes_keep_their_blanks_and_some_arguments_may_be_repeated():
    play = named_argument("play", "PLAY", "", is_repeatable=True)
    assert read('play="8/5  6/5" 3 play=8/5,6/5', NUMBER, play) == {"n": 3, "play": ("8/5  6/5", "8/5,6/5")}
    assert read("", NUMBER, play) == {"n": 4, "play": None}
    assert play.usage == "[play=PLAY ...]"


def test_what_is_left_out_has_its_default():
    assert read("", NUMBER, NAMED) == {"n": 4, "plies": None}


def test_the_rest_of_a_line_keeps_its_blanks():
    assert read("a  b  c ", word_argument("w", "W", ""), rest_argument("r", "R", "")) == {
        "w": "a",
        "r": "b  c",
    }


def test_the_rest_of_a_line_may_be_in_quotes():
    rest = rest_argument("r", "R", "")
    assert read('"8/5 6/5"', rest) == {"r": "8/5 6/5"}
    assert read('"8/5 6/5" plies=2', rest, NAMED) == {"r": "8/5 6/5", "plies": 2}
    assert [read(text, rest)["r"] for text in ('"', '"a', '"a" "b"')] == ['"', '"a', '"a" "b"']


def test_a_rest_may_hold_an_equals_sign():
    assert read("XGID=-a:1", rest_argument("r", "R", "")) == {"r": "XGID=-a:1"}


@pytest.mark.parametrize("text", ["1 2", "foo=3", "plies=1 plies=2 3"])
def test_one_argument_too_many_is_refused(text):
    with pytest.raises((CommandError, ValueRangeError)):
        read(text, NUMBER, NAMED)


def test_a_missing_argument_is_named():
    with pytest.raises(CommandError) as caught:
        read("a", choice_argument("x", ("a",), ""), choice_argument("y", ("b",), ""))
    assert caught.value.field == "y"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plies=1 plies=1", "duplicate argument 'plies'"),
        ("ples=1", "unknown argument 'ples' (did you mean 'plies'?)"),
        ("colour=1", "expected 'usage', got the extra argument 'colour=1'"),
    ],
)
def test_named_arguments_that_do_not_fit_are_reported(text, message):
    with pytest.raises(CommandError) as caught:
        read(text, NUMBER, NAMED)
    assert caught.value.message == message


def test_a_line_without_what_it_needs_says_so():
    with pytest.raises(CommandError, match="expected 'usage', got nothing after 'usage'"):
        read(" ", rest_argument("r", "R", ""))


def test_a_word_of_the_rest_passes_over_what_may_be_left_out():
    what = choice_argument("what", ("a", "b"), "", default="a", is_required=False)
    limits = rest_argument("limits", "L", "", is_required=False, choices=("n",))
    assert read("n 3", what, limits) == read("a n 3", what, limits) == {"what": "a", "limits": "n 3"}
    assert read("n=3", what, limits) == {"what": "a", "limits": "n=3"}
    with pytest.raises(ValueRangeError):
        read("m 3", what, limits)


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

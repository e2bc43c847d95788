"""What the queries of all games share is read in one way, with one wording."""

from __future__ import annotations

import math

import pytest

from gammond.engine.errors import FormatError, LimitError, ValueRangeError
from gammond.protocol.barca.queries import QUERIES as BARCA
from gammond.protocol.dialects.json_documents import check_position_count
from gammond.protocol.dialects.json_fields import QUERIES as BACKGAMMON

GAMES = pytest.mark.parametrize("queries", [BACKGAMMON, BARCA], ids=["backgammon", "barca"])


@GAMES
@pytest.mark.parametrize(
    ("fields", "name", "message"),
    [
        ({"id": None}, "id", "expected a string of 1 to 256 characters or a whole number for id, got null"),
        ({"id": ""}, "id", 'expected a string of 1 to 256 characters or a whole number for id, got ""'),
        ({"position": 3}, "position", "expected a string for position, got 3"),
        ({"positions": []}, "positions", "expected a list of one or more strings for positions, got []"),
        ({"positions": ["a", 2]}, "positions[1]", "expected a string for positions[1], got 2"),
        ({"priority": None}, "priority", "expected a whole number -100..100 for priority, got null"),
        ({"action": "ask"}, "action", "expected one of query|terminate for action, got 'ask'"),
    ],
)
def test_a_faulty_field_has_the_same_message_in_every_game(queries, fields, name, message):
    with pytest.raises((FormatError, ValueRangeError)) as caught:
        queries.read({"id": 1, **fields}, {})
    assert (caught.value.field, caught.value.message) == (name, message)


def list_wrong_values(field):
    """List values that a field cannot be."""
    ends = [field.bounds.low - 1, field.bounds.high + 1] if field.type in (int, float) else []
    return [
        {"a": 1},
        *filter(math.isfinite, ends),
        *(["no-such-word"] if field.choices and not field.form else []),
    ]


@pytest.mark.parametrize(
    ("queries", "field"),
    [
        pytest.param(queries, field, id=f"{game} {field.name}")
        for game, queries in (("backgammon", BACKGAMMON), ("barca", BARCA))
        for field in queries.scalars.values()
    ],
)
def test_a_value_that_a_field_cannot_be_is_refused_by_its_name(queries, field):
    for value in list_wrong_values(field):
        with pytest.raises(
            (FormatError, ValueRangeError), match=f"^expected .* for {field.name}, got "
        ) as caught:
            queries.read({"id": 1, field.name: value}, {})
        assert caught.value.field == field.name


@GAMES
def test_fields_may_be_null_where_they_have_no_default(queries):
    query = queries.read({"id": "q", "position": None, "positions": ["a", "b"], "time_ms": None}, {})
    assert (query.texts, query.name_position(1), query.time_ms) == (["a", "b"], "positions[1]", None)
    assert queries.read({"id": 1, "position": "a"}, {}).name_position(0) == "position"


@GAMES
def test_unknown_fields_are_warned_of_with_the_one_that_may_be_meant(queries):
    head = {}
    queries.read({"id": 1, "positon": "a"}, head)
    (warning,) = head["warnings"]
    assert warning.startswith("unknown field 'positon'")
    assert warning.endswith("(did you mean 'position'?)")


@GAMES
def test_one_field_has_positions_and_no_more_than_the_cap(queries):
    for fields, came in (({}, "neither"), ({"position": "a", "positions": ["a"]}, "both")):
        with pytest.raises(ValueRangeError, match=f"got {came}"):
            check_position_count(queries.read({"id": 1, **fields}, {}), 2)
    query = queries.read({"id": 1, "positions": ["a"] * 3}, {})
    check_position_count(query, 3)
    with pytest.raises(LimitError, match="expected at most 2 positions, got 3: send several queries"):
        check_position_count(query, 2)

"""What errors carry besides their message."""

from __future__ import annotations

import pickle

from engine.errors import FormatError, StateError


def test_the_advice_of_a_state_error_follows_its_problem():
    error = StateError("no dice", field="dice", missing="dice", advice="send 'roll' first")
    assert error.message == "no dice: send 'roll' first"
    assert (error.problem, error.missing, error.advice) == ("no dice", "dice", "send 'roll' first")


def test_an_error_of_another_field_keeps_everything_else():
    for error in (FormatError("bad"), StateError("no dice", missing="dice", advice="roll")):
        other = error.with_field("other")
        assert type(other) is type(error)
        assert vars(other) == {**vars(error), "field": "other"}
        assert other.message == error.message


def test_errors_survive_the_way_between_processes():
    error = StateError("no dice", field="dice", missing="dice", advice="roll")
    same = pickle.loads(pickle.dumps(error))
    assert (same.message, vars(same)) == (error.message, vars(error))

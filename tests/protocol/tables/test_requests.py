"""Requests: what is read, and what each wrong field is told."""

from __future__ import annotations

import json

import pytest

from tests.protocol.tables.visiting import BOB, ENGINE, OPEN, PERSON, Party, Site


@pytest.fixture
def guest():
    return Site().visit()


def answer_of(guest, frame):
    guest.send(frame)
    (answer,) = guest.hear()
    return answer


@pytest.mark.parametrize(
    "frame",
    ["", "x", "[]", "1", "null", '"do"', "{", "{}", '{"do":1}', '{"do":"fly"}', '{"id":1}', "[" * 5000],
)
def test_what_is_no_request_is_a_bad_command(guest, frame):
    answer = answer_of(guest, frame)
    assert answer["ok"] is False
    assert answer["error"]["code"] == "bad_command"
    assert set(answer["error"]) == {"code", "field", "message"}


def test_an_error_has_the_id_of_its_request(guest):
    assert answer_of(guest, '{"id":7,"do":"act"}')["id"] == 7
    assert answer_of(guest, '{"id":"x","do":"ping"}')["id"] is None
    assert answer_of(guest, "{")["id"] is None
    assert answer_of(guest, '{"id":8,"do":"ping"}') == {"id": 8, "ok": True}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"do": "join"}, "request"),
        ({"do": "join", "table": 5}, "table"),
        ({"do": "join", "table": "t", "after": "x"}, "after"),
        ({"do": "act", "table": "t", "act": "roll", "seat": 2}, "seat"),
        ({"do": "act", "table": "t", "act": "dice", "dice": [1, 2, 3]}, "dice"),
        ({"do": "act", "table": "t", "act": "play", "play": 5}, "play"),
        ({"do": "act", "table": "t", "act": "roll", "wrong": 1}, "request"),
        ({"do": "create", "seats": [PERSON]}, "seats"),
        ({"do": "create", "seats": [PERSON, {"kind": "robot"}]}, "seats"),
        ({"do": "create", "seats": [PERSON, ENGINE], "dice": "loaded"}, "dice"),
        ({"do": "create", "seats": [PERSON, ENGINE], "length": "5"}, "length"),
    ],
)
def test_a_field_of_a_wrong_type_is_named(guest, fields, field):
    error = answer_of(guest, json.dumps({"id": 1, **fields}))["error"]
    assert error["field"] == field


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"variant": "chess"}, "unsupported", "variant"),
        ({"length": -1}, "bad_value", "length"),
        ({"length": 40_000}, "bad_value", "length"),
        ({"variant": "barca", "length": 3}, "unsupported", "length"),
        ({"variant": "barca", "dice": "typed"}, "unsupported", "dice"),
        ({"variant": "barca", "doubles": "two"}, "unsupported", "doubles"),
        ({"variant": "barca", "begins": 1}, "unsupported", "begins"),
        ({"position": "nonsense"}, "bad_value", "position"),
        ({"position": "AAAAhgAAAAAAAA"}, "bad_state", "position"),
        ({"position": "x" * 3000}, "limit", "position"),
        ({"position": "XGID=-A----------------------a-:0:0:1:31:0:0:0:3:10\nquit"}, "bad_value", "position"),
        ({"pace_ms": -1}, "bad_value", "pace_ms"),
        ({"pace_ms": 99_999}, "bad_value", "pace_ms"),
        ({"clock": {"bank_s": 0}}, "bad_value", "clock"),
        ({"clock": {"bank_s": 1e9}}, "bad_value", "clock"),
        ({"clock": {"bank_s": 5, "move_s": -1}}, "bad_value", "clock"),
        ({"clock": {"move_s": 5}}, "bad_value", "clock"),
        ({"seats": [{"kind": "person", "name": "a;b"}, ENGINE]}, "bad_value", "seats"),
        ({"seats": [PERSON, {"kind": "engine", "level": "divine"}]}, "bad_value", "seats"),
        ({"seats": [PERSON, {"kind": "engine", "player": "nobody"}]}, "bad_value", "seats"),
        ({"seats": [PERSON, {"kind": "engine", "player": "../../etc/passwd"}]}, "bad_value", "seats"),
        ({"seats": [PERSON, {"kind": "engine", "player": "run:/tmp"}]}, "bad_value", "seats"),
        ({"seats": [PERSON, {"kind": "engine", "player": "wildbg:/etc"}]}, "bad_value", "seats"),
        ({"seats": [PERSON, {"kind": "engine", "player": "x" * 300}]}, "limit", "seats"),
        ({"seats": [ENGINE, ENGINE], "dice": "typed"}, "bad_value", "dice"),
        ({"seats": [PERSON, {**ENGINE, "level": "master"}], "doubles": "two"}, "unsupported", "seats"),
        ({"seats": [PERSON, {**ENGINE, "player": "hard"}], "doubles": "two"}, "unsupported", "seats"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_the_field_at_fault(guest, fields, code, field):
    assert guest.refuse("create", **{"seats": [PERSON, OPEN], **fields})[:2] == (code, field)
    assert not guest.site.hub.tables


def test_a_request_that_is_too_long_is_refused(guest):
    assert (
        answer_of(guest, json.dumps({"id": 1, "do": "ping", "pad": "x" * 20_000}))["error"]["code"] == "limit"
    )


OWN_CUBE = {
    "value": 2,
    "owner": 1,
    "offered": False,
    "beavered": False,
    "may_double": False,
    "may_beaver": False,
}


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        (
            {"position": (xgid := "XGID=-b----E-C---eE---c-e----B-:1:1:1:31:2:1:0:5:10")},
            {"xgid": xgid, "length": 5, "dice": [3, 1], "on_roll": 1, "score": [1, 2], "cube": OWN_CUBE},
        ),
        (
            {"position": "4HPwATDgc/ABMA", "length": 3},
            {"phase": "roll", "length": 3, "on_roll": 0},
        ),
        (
            {"variant": "barca", "position": (text := "4ee4/3lmml3/10/10/10/10/10/10/3LMML3/4EE4 b")},
            {"position": text, "to_act": 1},
        ),
    ],
    ids=["XGID", "position ID", "Barca"],
)
def test_a_table_begins_in_a_position_of_any_format(fields, shown):
    state = Party(PERSON, BOB, **fields).state
    assert {key: state[key] for key in shown} == shown


def test_a_bearoff_position_of_hypergammon_has_its_checkers():
    state = Party(PERSON, ENGINE, variant="hypergammon1").state
    assert [sum(row) for row in state["checkers"]] == [1, 1]

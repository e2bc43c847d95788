from __future__ import annotations

import json

import pytest

from gammond.engine.formats.position_id import decode_position_id, encode_position_id
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import BAR, Position, swap_sides
from gammond.protocol.dialects.nodots import MAX_CANDIDATES
from tests.protocol.talking import make_service
from tests.protocol.web_asking import ask
from tests.support.boards import position
from tests.support.evaluators import WatchedEvaluator

START = "4HPwATDgc/ABMA"
REQUEST = {
    "positionId": START,
    "positionIdConvention": "opponent-first",
    "dice": [3, 1],
    "activePlayerColor": "white",
    "activePlayerDirection": "clockwise",
    "cubeValue": 1,
    "cubeOwner": None,
    "matchScore": [0, 0],
    "matchLength": 0,
    "crawford": False,
    "jacoby": True,
    "beavers": False,
}
BOTH_ON_A_POINT = "20ZVBQDAzNg2QA"
"""An older vector of the protocol, impossible in both orders."""

EVALUATION = ["win", "winGammon", "winBackgammon", "loseGammon", "loseBackgammon", "equity", "cubefulEquity"]

OPPONENT_FIRST = {
    "omfwESDgc/ARQA": ([4, 4], {0: 1, -1: 1}, 14),
    "4HOHEQSiZ/ABUA": ([2, 2], {0: 1, -4: 1}, 61),
    "ambwASjgc4cRQA": ([4, 2], {0: 1, -23: 1}, 4),
    "yGeHERA0M/gAVA": ([1, 3], {0: 1, 4: 2}, 12),
    "tmpbAQDatlYBAA": ([3, 2], {11: 1, -14: 1}, 62),
    "1raqAQDa1qoBAA": ([2, 5], {11: 2, -14: 2}, 46),
}
ON_ROLL_FIRST = {
    "u9sNAAC33Q0AAA": ([4, 4], None, 8),
    "t+0OAAB3tw0AAA": ([1, 4], None, 16),
    "290OAAC32w4AAA": ([6, 2], None, 5),
    "t90OAAC72w4AAA": ([3, 2], None, 18),
    "u9sOAAB32w4AAA": ([6, 6], None, 1),
    "u9sNAAC3uw0AAA": ([3, 3], None, 25),
}
"""Conformance vectors of the protocol: the dice; checkers by point, 0 for the bar, those of the opponent at
negative points; how many plays are legal."""


def send(kind, request, **more):
    answer = ask(f"/nodots/v1/{kind}", request, **more)
    assert answer.media_type == "application/json"
    return answer.status, json.loads(answer.body)


def send_changed(kind, changes):
    request = {key: value for key, value in {**REQUEST, **changes}.items() if value != "left out"}
    return send(kind, request)


def apply_steps(board, steps):
    """Apply steps to a board as the suite of the protocol does: by arithmetic, hits derived."""
    own, other = board[0].astype(int), board[1].astype(int)
    for step in steps:
        own[step["from"] or BAR] -= 1
        own[step["to"]] += 1
        assert own.min() >= 0
        opposite = BAR - step["to"]
        is_hit = bool(step["to"]) and other[opposite] == 1
        assert step["isHit"] == is_hit
        if is_hit:
            other[opposite], other[BAR] = 0, other[BAR] + 1
    return own.tolist(), other.tolist()


@pytest.mark.parametrize(
    ("convention", "position_id", "dice", "checkers", "count"),
    [
        (convention, position_id, *vector)
        for convention, vectors in (("opponent-first", OPPONENT_FIRST), ("on-roll-first", ON_ROLL_FIRST))
        for position_id, vector in vectors.items()
    ],
)
def test_a_conformance_vector_gets_a_legal_play(convention, position_id, dice, checkers, count):
    board = decode_position_id(position_id).board
    start = Position(swap_sides(board) if convention == "on-roll-first" else board)
    for point, expected in (checkers or {}).items():
        place = (0, point or BAR) if point >= 0 else (1, BAR + point)
        assert start.board[place] == expected
    plays = legal_plays(start, tuple(dice))
    legal = [swap_sides(play.result.board).astype(int).tolist() for play in plays]
    assert len(legal) == count
    status, document = send_changed(
        "move", {"positionId": position_id, "positionIdConvention": convention, "dice": dice}
    )
    assert status == 200
    assert list(apply_steps(start.board, document["moves"])) in legal
    for candidate in document["candidates"]:
        assert list(apply_steps(start.board, candidate["moves"])) in legal


def test_a_position_id_begins_with_the_opponent_unless_said_otherwise():
    uneven = "omfwESDgc/ARQA"
    without = send_changed("move", {"positionId": uneven, "positionIdConvention": "left out"})
    assert without == send_changed("move", {"positionId": uneven})
    assert without != send_changed("move", {"positionId": uneven, "positionIdConvention": "on-roll-first"})


def test_a_step_names_its_containers_and_its_kind():
    entering = {"positionId": "ambwASjgc4cRQA", "dice": [4, 2], "activePlayerColor": "black"}
    _, document = send_changed("move", entering)
    assert document["moves"][0] == {
        "from": 0,
        "to": 23,
        "moveKind": "reenter",
        "isHit": True,
        "player": "black",
        "fromContainer": "bar",
        "toContainer": "point",
    }
    bearing_off = {"positionId": "u9sOAAB32w4AAA", "positionIdConvention": "on-roll-first", "dice": [6, 6]}
    _, document = send_changed("move", bearing_off)
    assert {(step["moveKind"], step["to"], step["toContainer"]) for step in document["moves"]} == {
        ("bear-off", 0, "off")
    }


def test_candidates_are_ranked_with_consistent_evaluations():
    _, document = send_changed("move", {})
    candidates = document["candidates"]
    assert 1 <= len(candidates) <= MAX_CANDIDATES
    assert candidates[0]["moves"] == document["moves"]
    assert candidates[0]["equity"] == document["equity"]
    for rank, each in enumerate(candidates, 1):
        evaluation = each["evaluation"]
        assert list(evaluation) == EVALUATION
        assert each["rank"] == rank
        assert each["difference"] <= 0
        assert evaluation["win"] >= evaluation["winGammon"] >= evaluation["winBackgammon"]
        assert 1 - evaluation["win"] >= evaluation["loseGammon"] >= evaluation["loseBackgammon"]


def test_a_dance_has_no_steps():
    closed = {"positionId": encode_position_id(position({25: 1}, {19 + i: 2 for i in range(6)}))}
    status, document = send_changed("move", closed)
    assert (status, document["moves"]) == (200, [])


def test_cube_actions_are_in_the_words_of_the_protocol():
    no_dice = {"dice": "left out"}
    assert send_changed("double", no_dice)[1]["action"] == "no-double"
    close = {**no_dice, "positionId": encode_position_id(position({1: 2}, {24: 2}))}
    assert send_changed("double", close)[1]["action"] == "double"
    assert send_changed("double", {**close, "cubeOwner": "white", "cubeValue": 2})[1]["action"] == "redouble"
    assert send_changed("double", {**close, "cubeOwner": "black", "cubeValue": 2})[1]["action"] == "no-double"
    crawford = {**no_dice, "matchLength": 5, "matchScore": [4, 2], "crawford": True}
    assert send_changed("double", crawford)[1]["action"] == "no-double"


def test_who_takes_is_the_player_of_the_position():
    taker = {"dice": "left out", "activePlayerColor": "black"}
    _, even = send_changed("take", taker)
    assert (even["action"], even["dropEquity"]) == ("take", -1)
    assert even["takeEquity"] > -1
    lost = encode_position_id(Position(swap_sides(decode_position_id("2M7IATDgdw8GAA").board)))
    _, worse = send_changed("take", {**taker, "positionId": lost})
    assert worse["takeEquity"] < even["takeEquity"]
    owned = {**taker, "cubeOwner": "black", "cubeValue": 2}
    status, document = send_changed("take", owned)
    assert (status, document["error"]["code"], document["error"]["field"]) == (
        400,
        "invalid_request",
        "cubeOwner",
    )


def test_a_resignation_is_offered_where_the_game_is_lost_for_sure():
    no_dice = {"dice": "left out"}
    assert send_changed("resign", no_dice)[1]["action"] == "none"
    lost = encode_position_id(position({6: 5, 5: 5}, {24: 1}))
    assert send_changed("resign", {**no_dice, "positionId": lost})[1]["action"] == "single"


def test_a_length_of_one_is_money_play_too():
    assert send_changed("move", {"matchLength": 1}) == send_changed("move", {})
    assert send_changed("move", {"matchLength": 7, "matchScore": [3, 2]})[0] == 200


def test_health_names_engine_and_protocol():
    status, document = send("health", None)
    assert status == 200
    assert (document["status"], document["engineName"], document["protocolVersion"]) == ("ok", "gammond", "1")
    assert document["engineVersion"]


@pytest.mark.parametrize(
    ("kind", "changes", "code", "field"),
    [
        ("move", {"positionId": "!!!not-a-position!!!"}, "invalid_position_id", "positionId"),
        ("move", {"positionId": "//////////////"}, "invalid_position_id", "positionId"),
        ("move", {"positionId": BOTH_ON_A_POINT}, "invalid_position_id", "positionId"),
        ("move", {"positionId": "left out"}, "invalid_request", "positionId"),
        ("move", {"positionId": None}, "invalid_request", "positionId"),
        ("move", {"positionId": "AAAAhgAAAAAAAA"}, "invalid_request", "positionId"),
        ("move", {"dice": [9, 0]}, "invalid_request", "dice[0]"),
        ("move", {"dice": "left out"}, "invalid_request", "dice"),
        ("move", {"positionIdConvention": "wildbg"}, "invalid_request", "positionIdConvention"),
        ("move", {"activePlayerColor": "red"}, "invalid_request", "activePlayerColor"),
        ("move", {"crawford": "left out"}, "invalid_request", "crawford"),
        ("double", {"cubeValue": 3}, "invalid_request", "cubeValue"),
        ("double", {"cubeOwner": "white"}, "invalid_request", "cubeOwner"),
        ("double", {"matchLength": 5, "matchScore": [5, 0]}, "invalid_request", "matchScore"),
        ("resign", {"matchScore": [1]}, "invalid_request", "matchScore"),
    ],
)
def test_a_request_that_is_wrong_has_a_code_of_the_protocol(kind, changes, code, field):
    status, document = send_changed(kind, changes)
    assert status == 400
    assert (document["error"]["code"], document["error"]["field"]) == (code, field)
    assert document["error"]["message"]


def test_a_body_that_is_no_json_is_an_invalid_request():
    for body in (b"{not json", b"", b"[]"):
        status, document = send("move", body, media_type="application/json")
        assert (status, document["error"]["code"]) == (400, "invalid_request")


def test_a_fault_of_the_engine_is_internal():
    service = make_service(WatchedEvaluator(lambda _: 1 // 0))
    status, document = send("move", REQUEST, service=service)
    assert (status, document["error"]["code"]) == (500, "internal")
    assert "division" not in document["error"]["message"]

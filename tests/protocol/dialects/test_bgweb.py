from __future__ import annotations

import json

import pytest

from gammond.protocol.dialects.bgweb import DECIMALS
from tests.protocol.web_asking import ask, get_error

OPENING = {"6": 5, "8": 3, "13": 5, "24": 2}
SMOKE_TEST = {
    "board": {"o": OPENING, "x": OPENING},
    "cubeful": False,
    "dice": [3, 1],
    "max-moves": 3,
    "player": "x",
    "score-moves": True,
}
"""The request of bgweb-api's own Postman collection."""


def get_moves(media_type="application/json", **changes):
    request = {**SMOKE_TEST, **changes}
    answer = ask(
        "getmoves", {key: value for key, value in request.items() if value is not None}, media_type=media_type
    )
    assert answer.status == 200, answer.body
    return json.loads(answer.body)


def write(move):
    return " ".join(f"{step['from']}/{step['to']}" for step in move["play"])


def test_the_smoke_test_of_its_collection_is_answered_in_its_form():
    moves = get_moves()
    assert len(moves) == 3
    for move in moves:
        assert set(move) == {"play", "evaluation"}
        assert set(move["evaluation"]) == {"info", "eq", "diff", "probability"}
        assert move["evaluation"]["info"]["cubeful"] is False
        probability = move["evaluation"]["probability"]
        assert list(probability) == ["win", "winG", "winBG", "lose", "loseG", "loseBG"]
        assert probability["win"] + probability["lose"] == pytest.approx(1, abs=2e-3)
        for value in (move["evaluation"]["eq"], move["evaluation"]["diff"], *probability.values()):
            assert value == round(value, DECIMALS)
    differences = [move["evaluation"]["diff"] for move in moves]
    assert differences[0] == 0
    assert sorted(differences, reverse=True) == differences
    assert moves[0]["evaluation"]["info"]["plies"] == 3


def test_each_difference_is_one_of_a_single_depth():
    moves = get_moves(**{"max-moves": 0})
    assert len(moves) == 16
    assert {move["evaluation"]["info"]["plies"] for move in moves} == {3}
    equities = [move["evaluation"]["eq"] for move in moves]
    assert equities == sorted(equities, reverse=True)
    for move, equity in zip(moves, equities, strict=True):
        assert move["evaluation"]["diff"] == pytest.approx(equity - equities[0], abs=2e-3)


def test_its_client_in_the_browser_asks_for_all_plays_without_values():
    moves = get_moves(**{"max-moves": 0, "score-moves": False, "cubeful": None})
    assert all(set(move) == {"play"} for move in moves)
    assert len(moves) == 16
    assert "24/21 21/20" in map(write, moves)


def test_each_side_is_numbered_from_its_own_view():
    board = {"x": {"1": 1}, "o": {"1": 4, "2": 3, "3": 1, "4": 2, "5": 2, "6": 3}}
    moves = get_moves(board=board, dice=[4, 1], player="o", **{"max-moves": None})
    assert "4/off 3/2" in map(write, moves)
    (only,) = get_moves(board={"x": {"1": 1}, "o": {"2": 1}}, dice=[6, 1], **{"score-moves": False})
    assert write(only) == "1/off"


def test_a_checker_on_the_bar_enters_first():
    board = {
        "o": {"6": 5, "8": 4, "13": 4, "15": 1, "24": 1},
        "x": {"6": 5, "7": 2, "8": 3, "13": 2, "24": 2, "bar": 1},
    }
    moves = get_moves(board=board, dice=[6, 1], **{"max-moves": 9, "score-moves": False})
    assert {write(move) for move in moves} == {"bar/24 24/18", "bar/24 13/7", "bar/24 8/2", "bar/24 7/1"}


def test_a_roll_without_a_play_has_an_empty_list():
    closed = {"1": 2, "2": 2, "3": 2, "4": 2, "5": 2, "6": 2}
    for scores in (True, False):
        assert get_moves(board={"x": {"bar": 1}, "o": closed}, **{"score-moves": scores}) == []


def test_clients_that_name_no_media_type_or_another_one_are_served():
    assert get_moves("text/plain") == get_moves("") == get_moves()


def test_fields_that_it_does_not_know_count_for_nothing():
    assert get_moves(coffee=1) == get_moves()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"board": None}, "body"),
        ({"board": 1}, "board"),
        ({"board": {"x": OPENING}}, "board"),
        ({"board": {"x": {"25": 1}, "o": OPENING}}, "board.x"),
        ({"board": {"x": {"6": -1}, "o": OPENING}}, "board"),
        ({"board": {"x": {"6": 10, "5": 10}, "o": OPENING}}, "board.x"),
        ({"board": {"x": {"6": 2}, "o": {"19": 2}}}, "board"),
        ({"board": {"x": {}, "o": OPENING}}, "board"),
        ({"dice": [3]}, "dice"),
        ({"dice": [0, 7]}, "dice"),
        ({"dice": ["3", "1"]}, "dice"),
        ({"player": "z"}, "player"),
        ({"max-moves": -1}, "max-moves"),
        ({"score-moves": "yes"}, "score-moves"),
        ({"cubeful": 1}, "cubeful"),
    ],
)
def test_a_request_that_is_wrong_is_a_bad_request(changes, field):
    request = {key: value for key, value in {**SMOKE_TEST, **changes}.items() if value is not None}
    status, _, name = get_error("getmoves", request)
    assert (status, name) == (400, field)


def test_a_body_that_is_no_object_is_a_bad_request():
    for body in (b"", b"[]", b"{"):
        assert get_error("getmoves", body)[0] == 400

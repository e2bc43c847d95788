from __future__ import annotations

import json

import pytest

from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.dialects.json_query import GameQueries
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import WebAnswer
from gammond.protocol.web.endpoints import ENDPOINTS
from gammond.protocol.web.plans import API
from gammond.protocol.web.positions import QUERY_NAMES, plan_query
from tests.protocol.talking import make_service, talk
from tests.protocol.web_asking import ask, get_error, get_json
from tests.support.evaluators import WatchedEvaluator

START = "4HPwATDgc/ABMA"
WITH_DICE = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
ROLLOUT = {"trials": 36, "truncate": 3, "seed": 5}


@pytest.mark.parametrize(
    ("path", "query", "want"),
    [
        ("evaluate", {"positions": [START, WITH_DICE]}, ["eval"]),
        ("evaluate", {"position": START, "plies": 1, "cubeful": False}, ["eval"]),
        ("plays", {"position": WITH_DICE, "max_moves": 3}, ["moves"]),
        ("plays", {"position": START, "dice": [6, 6], "plies": 1, "filter": "tiny"}, ["moves"]),
        ("plays", {"position": START, "dice": [4, 1], "plies": 1, "candidates": 7}, ["moves"]),
        ("cube", {"position": "2M7IATDgdw8GAA", "plies": 1}, ["cube"]),
        ("rollout", {"position": WITH_DICE, "rollout": {**ROLLOUT, "what": "position"}}, ["rollout"]),
    ],
)
def test_an_endpoint_says_what_the_json_query_says(path, query, want):
    status, document = get_json(path, query)
    (line,) = talk(json.dumps({"id": 1, **query, "want": want}))
    expected = json.loads(line)
    assert status == 200
    assert document == {key: value for key, value in expected.items() if key not in ("id", "final")}
    assert document["results"]


def test_a_position_may_stand_in_a_link_and_the_body_begin_with_a_byte_order_mark():
    link = f"see <https://example.org/?{WITH_DICE.replace(':', '%3A')}&a=b>."
    body = b"\xef\xbb\xbf" + json.dumps({"position": link}).encode()
    found = get_json("plays", body, media_type="application/json")
    assert found == get_json("plays", {"position": WITH_DICE})
    assert found[0] == 200


def test_any_query_about_positions_can_be_asked_of_any_game():
    _, matrix = get_json("query", {"position": START, "want": ["matrix", "legal"], "away": 2, "dice": [3, 1]})
    assert set(matrix["results"][0]) == {"position", "matrix", "legal"}
    status, barca = get_json("query", {"variant": "barca", "position": "startpos", "want": ["legal"]})
    assert status == 200
    assert len(barca["results"][0]["legal"]) > 10


def test_an_answer_that_is_kept_as_it_was_written_has_the_same_form():
    session = Session(make_service(), 0)
    written = b'{"id":0,"final":true,"net":"racing","results":[]}\n'
    queries = GameQueries(lambda *_: written, (), ())
    assert plan_query(session, {}, queries) == WebAnswer(200, b'{"net":"racing","results":[]}\n')


def test_fields_of_lines_and_of_other_endpoints_are_refused_by_name():
    fields = {endpoint.path: endpoint.fields for endpoint in ENDPOINTS}
    for path in ("evaluate", "plays", "cube", "rollout", "query"):
        assert set(fields[f"{API}/{path}"] or ()) <= set(QUERY_NAMES)
        for name in ("id", "action", "terminate_id", "priority", "progress_every", "match_text"):
            assert get_error(path, {"position": START, name: 1}) == (422, "bad_value", name)
    assert get_error("evaluate", {"position": START, "want": ["cube"]}) == (422, "bad_value", "want")
    assert get_error("cube", {"position": START, "dice": [1, 2]}) == (422, "bad_value", "dice")
    assert get_error("query", {"variant": "barca", "id": 1}) == (422, "bad_value", "id")


@pytest.mark.parametrize(
    ("path", "body", "error"),
    [
        ("evaluate", b"", (400, "bad_value", "body")),
        ("evaluate", b"[]", (400, "bad_value", "body")),
        ("evaluate", b"{", (400, "bad_value", "body")),
        ("evaluate", b'{"position":"\xff"}', (400, "bad_value", "body")),
        ("evaluate", b'{"a":' * 5000, (400, "bad_value", "body")),
        ("evaluate", {}, (422, "bad_value", "positions")),
        ("evaluate", {"positions": [START, "x"]}, (422, "bad_value", "positions[1]")),
        ("evaluate", {"position": START, "variant": "chess"}, (422, "unsupported", "variant")),
        ("evaluate", {"position": START, "variant": "barca"}, (422, "bad_value", "variant")),
        ("plays", {"position": START}, (422, "bad_state", "dice")),
        ("rollout", {"positions": [START] * 6, "rollout": {"trials": 100_000}}, (422, "limit", "rollout")),
    ],
)
def test_a_request_that_is_wrong_is_told_what(path, body, error):
    assert get_error(path, body, media_type="application/json") == error


def test_caps_are_those_of_the_line_protocol():
    service = make_service(limits=ClientLimits(query_positions=2, query_plays=20))
    assert get_error("evaluate", {"positions": [START] * 3}, service=service) == (422, "limit", "positions")
    many_plays = {"positions": [START] * 2, "dice": [1, 1]}
    assert get_error("plays", many_plays, service=service) == (422, "limit", "positions")


def test_a_request_ends_with_its_time_and_says_that_it_was_cut():
    ticks = iter(range(100_000))
    service = make_service()
    service.clock = lambda: next(ticks)
    status, document = get_json(
        "evaluate", {"positions": [START] * 8, "time_ms": 1, "plies": 1}, service=service
    )
    assert status == 200
    assert document["stopped"] is True
    assert document["results"] == []


def test_a_request_whose_client_is_gone_stops():
    answer = ask("plays", {"position": WITH_DICE, "plies": 2}, stops=True)
    assert json.loads(answer.body)["stopped"] is True


def test_a_fault_of_the_server_shows_no_details_and_is_counted():
    service = make_service(WatchedEvaluator(lambda _: 1 // 0))
    assert get_error("evaluate", {"position": START}, service=service) == (500, "internal", "server")
    assert sum(service.error_counts.values()) == service.request_count == 1

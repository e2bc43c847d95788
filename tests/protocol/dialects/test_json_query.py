from __future__ import annotations

import json
from typing import get_args

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from gammond.protocol.core.replies import format_value
from gammond.protocol.dialects.json_analysis import TEXT_CHUNK
from gammond.protocol.dialects.json_backgammon import MAX_QUICK_POSITIONS
from gammond.protocol.dialects.json_fields import QUERIES, Want
from tests.protocol.dialects.slow_evaluations import connect_slowly
from tests.protocol.talking import hear, make_connection, pump, talk
from tests.support.evaluators import RacingEvaluator, WatchedEvaluator

START = "4HPwATDgc/ABMA"
CHUNK = TEXT_CHUNK
UNOWNED = f"{START}:{encode_match_id(MatchState(length=7, cube=4))}"
"""A match with an impossible cube: at 4 without an owner."""


def send_command(query, connection=None):
    text = query if isinstance(query, str) else json.dumps(query)
    return [json.loads(line) for line in talk(text, connection)]


def many(count):
    plays = legal_plays(Position.start(), (3, 1))
    return [encode_position_id(plays[i % len(plays)].result) for i in range(count)]


@pytest.mark.parametrize("want", [["eval"], ["eval", "moves"]])
def test_a_result_says_what_was_assumed_of_its_position(want):
    ogid, plain = "OGID=11ccccchhhjjjjj:66666888dddddoo:N0N:31:W:R:2:1:5:0", f"{START}:cIkFAAAAAAAE"
    (answer,) = send_command({"id": 1, "positions": [plain, ogid], "want": want})
    first, second = answer["results"]
    assert "assumed" not in first
    assert second["assumed"].endswith("Black is on roll (some programs write who is on roll)")


def test_positions_of_a_query_may_stand_in_quotes_and_links():
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:2:0:10"
    texts = [xgid, f'"{xgid}".', f"<{xgid}>", f"https://example.org/?{xgid.replace(':', '%3A')}&a=b"]
    (answer,) = send_command({"id": 1, "positions": texts, "want": ["eval", "moves"]})
    assert len(answer["results"]) == len(texts)
    assert all(result == answer["results"][0] for result in answer["results"])


@pytest.mark.parametrize(
    ("fields", "deep"),
    [
        ({}, 5),
        ({"max_moves": 3}, 3),
        ({"max_moves": 8}, 8),
        ({"max_moves": 1}, 1),
        ({"candidates": 7}, 7),
        ({"candidates": 2}, 5),
        ({"candidates": 7, "max_moves": 6}, 6),
        ({"candidates": 1}, 2),  # those that the filter lets through
    ],
)
def test_the_plays_that_are_compared_have_one_depth_whatever_the_filter_says(fields, deep):
    query = {"id": 1, "position": START, "dice": [4, 1], "want": ["moves"], "plies": 1, "filter": "tiny"}
    (answer,) = send_command(query | fields)
    moves = answer["results"][0]["moves"]
    assert [each["plies"] for each in moves[:deep]] == [1] * deep
    assert all(each["plies"] == 0 for each in moves[deep:])
    assert [each["survived"] for each in moves] == [each["plies"] == 1 for each in moves]


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("{", "bad_value", "line"),
        ("{}", "bad_value", "id"),
        ("{]", "bad_value", "line"),
        ('{"id":' + "[" * 5000, "bad_value", "line"),
        ('{"id":"\\ud800","position":"x"}', "bad_value", None),
        ({"id": 1.5}, "bad_value", "id"),
        ({"id": 1, "positions": [START, "x"]}, "bad_value", "positions[1]"),
        ({"id": 1, "position": "x"}, "bad_value", "position"),
        ({"id": 1, "position": START, "dice": [3]}, "bad_value", "dice"),
        ({"id": 1, "position": START, "dice": [0, 7]}, "bad_value", "dice"),
        ({"id": 1, "position": START, "want": ["moves"]}, "bad_state", "dice"),
        ({"id": 1, "position": START, "want": []}, "bad_value", "want"),
        ({"id": 1, "position": START, "cubeful": False, "want": ["cube"]}, "bad_value", "cubeful"),
        ({"id": 1, "position": "AAAAhgAAAAAAAA", "want": ["cube"]}, "bad_state", "position"),
        ({"id": 1, "position": UNOWNED}, "bad_value", "position"),
        ({"id": 1, "position": UNOWNED, "plies": 1}, "bad_value", "position"),
        ({"id": 1, "positions": [START, UNOWNED]}, "bad_value", "positions[1]"),
    ],
)
def test_a_bad_query_gets_one_error_that_names_the_field(query, code, field):
    connection = make_connection()
    (answer,) = send_command(query, connection)
    assert answer["final"] is True
    assert answer["error"]["code"] == code
    assert field is None or answer["error"]["field"] == field
    assert connection.is_idle


def test_unknown_fields_are_named_in_a_warning():
    (answer,) = send_command(
        {"id": 1, "position": START, "coffee": 3, "max_move": 2, "level": "master", "match": 5}
    )
    assert answer["warnings"] == [
        "unknown field 'coffee'",
        "unknown field 'level' (a query has no level: send 'plies' and 'filter')",
        "unknown field 'match' (score, cube and rules come with the position: send an XGID, or ID:MATCHID)",
        "unknown field 'max_move' (did you mean 'max_moves'?)",
    ]
    assert answer["results"]


def test_progress_comes_on_request_only():
    ids = many(3 * CHUNK + 1)
    answers = send_command({"id": 1, "positions": ids, "progress_every": CHUNK})
    assert [(a["final"], a.get("done")) for a in answers] == [
        (False, CHUNK),
        (False, 2 * CHUNK),
        (False, 3 * CHUNK),
        (True, None),
    ]
    assert len(send_command({"id": 1, "positions": ids})) == 1


def test_a_terminated_query_ends_with_the_results_so_far():
    stop = b'{"action":"terminate","id":"other","terminate_id":"big"}\n'
    connection = make_connection(WatchedEvaluator(lambda _: hear(connection, stop)))
    query = {"id": "big", "positions": many(3 * CHUNK)}
    answers = {answer["id"]: answer for answer in send_command(query, connection)}
    assert answers["other"] == {"id": "other", "action": "terminate", "final": True, "stopped": 1}
    assert answers["big"]["stopped"] is True
    assert len(answers["big"]["results"]) == CHUNK


@pytest.mark.parametrize(("want", "step"), [("eval", CHUNK), ("moves", 1)])
def test_a_query_out_of_time_ends_with_the_results_so_far(want, step):
    query = {"id": 1, "positions": many(4 * CHUNK), "want": [want], "dice": [3, 1], "time_ms": 1500}
    (answer,) = send_command(query, connect_slowly())
    assert answer["stopped"] is True
    assert len(answer["results"]) == 2 * step
    assert all(want in result for result in answer["results"])


def test_the_time_of_a_query_runs_from_its_arrival():
    connection = connect_slowly()
    clock = connection.handler.session.service.clock
    hear(connection, b'{"id":1,"position":"%s","time_ms":1000}\n' % START.encode())
    clock.now_s += 1.5
    began_s = clock.now_s
    (line,) = pump(connection)
    assert json.loads(line)["results"] == []
    assert json.loads(line)["stopped"] is True
    assert clock.now_s == began_s, "something was evaluated"


def test_the_time_to_load_the_nets_counts_too():
    def load(_):
        service.clock.now_s += 10.0
        return Engine(RacingEvaluator())

    connection = connect_slowly()
    service = connection.handler.session.service
    object.__setattr__(service.catalogue, "load", load)
    query = {"id": 1, "position": START, "time_ms": 9000}
    assert [len(send_command(query, connection)[0]["results"]) for _ in range(2)] == [0, 1]


def test_a_stopped_query_ranks_no_further_position():
    asked = []

    def stop_at_the_third(boards):
        asked.append(boards)
        if len(asked) == 3:
            hear(connection, b"@s stop\n")

    connection = make_connection(WatchedEvaluator(stop_at_the_third))
    query = {"id": 1, "positions": many(100), "want": ["moves"], "dice": [3, 1]}
    answers = [json.loads(line) for line in talk(json.dumps(query), connection) if line.startswith("{")]
    assert len(answers[0]["results"]) == len(asked) == 3


def test_plays_beyond_the_cap_are_an_error_that_asks_for_less():
    query = {"id": 1, "positions": [START] * 5, "want": ["moves"], "dice": [3, 1], "max_moves": 1}
    assert len(send_command(query, make_connection(query_plays=80))[0]["results"]) == 5
    (answer,) = send_command(query, make_connection(query_plays=79))
    assert (answer["error"]["code"], answer["error"]["field"]) == ("limit", "positions")


def test_an_id_in_use_is_refused():
    connection = make_connection()
    query = json.dumps({"id": "a", "position": START})
    refused, answer = send_command(f"{query}\n{query}", connection)
    assert refused["id"] is None
    assert refused["error"]["field"] == "id"
    assert '"a" is the id of an unfinished query' in refused["error"]["message"]
    assert answer["id"] == "a"
    assert "results" in send_command(query, connection)[0]


@pytest.mark.parametrize(
    "query",
    [
        {"id": "a", "want": ["foo"]},
        {"id": "a", "action": "terminate", "terminate_id": "b"},
        {"id": "a", "action": "terminate", "priority": "high"},
    ],
)
def test_no_error_carries_an_id_in_use(query):
    connection = make_connection()
    first = json.dumps({"id": "a", "position": START})
    refused, answer = send_command(f"{first}\n{json.dumps(query)}", connection)
    assert (refused["id"], answer["id"]) == (None, "a")
    assert "results" in answer


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"want": ["foo"]},
            f'expected a list of one or more of {", ".join(get_args(Want))} for want, got ["foo"]',
        ),
        ({"net": "/etc/passwd"}, "expected one of default|racing, got '/etc/passwd'"),
        ({"cube": 3}, "expected a power of two 1..2048 for cube, got 3"),
        (
            {"want": ["rollout"], "rollout": {"what": "take"}},
            "expected one of moves|position|cube for what, got 'take'",
        ),
    ],
)
def test_a_message_says_what_was_expected_and_what_came(fields, message):
    (answer,) = send_command({"id": 1, "position": START} | fields)
    assert (answer["final"], answer["error"]["code"], answer["error"]["message"]) == (
        True,
        "bad_value",
        message,
    )
    assert answer["error"]["field"].partition(".")[0] in QUERIES.names


def test_messages_know_what_each_field_may_be():
    assert {*QUERIES.scalars, *QUERIES.lists} == set(QUERIES.names)


def test_a_fault_of_the_server_is_reported_in_json(caplog):
    connection = make_connection(WatchedEvaluator(lambda _: 1 // 0))
    (answer,) = send_command({"id": "x", "position": START}, connection)
    assert (answer["id"], answer["error"]["code"]) == ("x", "internal")
    assert "ZeroDivisionError" in caplog.text


def test_a_query_leaves_the_session_alone():
    connection = make_connection()
    before = connection.handler.session.game
    send_command({"id": 1, "position": START, "dice": [3, 1], "want": ["moves"]}, connection)
    assert connection.handler.session.game == before


@pytest.mark.parametrize("plies", [0, 1])
@pytest.mark.parametrize("match", [MatchState(), MatchState(length=5, score=(1, 3))], ids=["money", "match"])
def test_numbers_are_those_of_eval_moves_and_cube(plies, match):
    position = f"{START}:{encode_match_id(match)}"
    query = {"id": 1, "position": position, "dice": [4, 3], "plies": plies, "filter": "tiny"}
    (answer,) = send_command(query | {"want": ["eval", "moves", "cube"]})
    lines = talk(
        f"position gnubgid {position}\neval plies={plies}\ncube plies={plies}\ndice 4 3\n"
        f"moves plies={plies} filter=tiny"
    )
    (result,) = answer["results"]
    said = {line.split()[0]: line for line in lines if line.split()[0] in ("eval", "cube")}
    of_match = ["mwc"] if match.length else []
    for name in ("equity", "cubeful", "win", *of_match):
        assert f" {name}={format_value(float(result['eval'][name]))}" in said["eval"]
    for name in ("no_double", "take", "drop", *(f"{name}_take" for name in of_match)):
        assert f" {name}={format_value(float(result['cube'][name]))}" in said["cube"]
    assert answer["plies"] == result["eval"]["plies"] == result["cube"]["plies"] == plies
    moves = [line for line in lines if line.startswith("move ")]
    for move, line in zip(result["moves"], moves, strict=True):
        assert f" plies={move['plies']} survived={format_value(move['survived'])}" in line
        assert line.endswith(f" gnubgid={move['gnubgid']}")
        assert all(f" {name}={format_value(move[name])} " in line for name in ("equity", *of_match))


@pytest.mark.parametrize("plies", [0, 1])
def test_positions_of_several_matches_are_each_evaluated_in_their_own(plies):
    matches = [
        MatchState(),
        MatchState(length=5),
        MatchState(length=5, score=(4, 0), crawford=True),
        MatchState(),
    ]
    texts = [f"{text}:{encode_match_id(match)}" for text in many(3) for match in matches]
    (answer,) = send_command({"id": 1, "positions": texts, "plies": plies})
    assert answer["final"] is True
    assert [result["position"] for result in answer["results"]] == [text.partition(":")[0] for text in texts]
    for text, result in zip(texts, answer["results"], strict=True):
        assert send_command({"id": 1, "position": text, "plies": plies})[0]["results"] == [result]
    assert ["mwc" in result["eval"] for result in answer["results"]] == [False, True, True, False] * 3


def test_a_stop_inside_a_search_leaves_what_the_last_depth_found():
    def stop_at_depth(boards):
        if len(boards) > 100:
            hear(connection, b"@s stop\n")

    connection = make_connection(WatchedEvaluator(stop_at_depth))
    query = {"id": 1, "positions": many(3), "plies": 3, "want": ["eval", "moves"], "dice": [3, 1]}
    (answer,) = [json.loads(line) for line in talk(json.dumps(query), connection) if line.startswith("{")]
    assert answer["stopped"] is True
    assert answer["plies"] == 3
    assert all(result["eval"]["plies"] < 3 for result in answer["results"])


def test_progress_within_a_search_counts_nodes(monkeypatch):
    monkeypatch.setattr("gammond.engine.search.watch.PROGRESS_EVERY_S", 0.0)
    *reported, final = send_command({"id": 1, "position": START, "plies": 2, "progress_every": 1})
    assert reported
    assert all((each["done"], each["total"], each["final"]) == (0, 1, False) for each in reported)
    assert [each["nodes"] for each in reported] == sorted(each["nodes"] for each in reported)
    assert final["final"] is True
    assert len(send_command({"id": 1, "position": START, "plies": 2})) == 1


WIDE = "BAAAUFKqVKQAAA"
XGID_31 = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


@pytest.mark.parametrize(
    ("fields", "is_long"),
    [
        ({"positions": [START]}, False),
        ({"positions": [START], "plies": 1}, True),
        ({"positions": [START] * (MAX_QUICK_POSITIONS + 1)}, True),
        ({"positions": [WIDE] * 46, "want": ["moves"], "dice": [1, 1]}, True),
        ({"positions": [WIDE] * 46, "want": ["moves"], "dice": [2, 1]}, True),
        ({"positions": [WIDE], "want": ["moves"], "dice": [2, 1]}, False),
        ({"positions": [START] * 46, "want": ["moves"], "dice": [3, 1]}, False),
        ({"positions": [XGID_31] * 46, "want": ["moves"]}, False),
        ({"positions": [XGID_31] * 46, "want": ["moves"], "dice": [1, 1]}, True),
    ],
)
def test_queries_are_quick_or_long_work_by_look_ahead_and_an_estimate_of_their_plays(fields, is_long):
    connection = make_connection()
    hear(connection, json.dumps({"id": 1, **fields}).encode() + b"\n")
    assert connection.next_job().work.is_long is is_long


@pytest.mark.parametrize(
    ("positions", "more"),
    [([WIDE], {}), ([START] * 20, {}), ([WIDE] * 3, {"max_moves": 5}), ([START] * 300, {"max_moves": 3})],
)
def test_the_size_of_an_answer_is_estimated_and_counted(positions, more):
    connection = make_connection()
    query = {"id": 1, "positions": positions, "dice": [1, 1], "want": ["moves", "eval"], **more}
    hear(connection, json.dumps(query).encode() + b"\n")
    job = connection.next_job()
    result = job.run(lambda _: None)
    answer = result if isinstance(result, bytes) else b"".join(result)
    assert 0.5 * len(answer) < job.work.answer_bytes < 4 * len(answer)
    assert 0.5 * len(answer) - 250 * len(positions) < job.control.answer_bytes < len(answer)

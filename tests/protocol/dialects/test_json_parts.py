"""Parts of queries that commands answer: their keys and numbers are those of the commands."""

from __future__ import annotations

import json

import pytest

from gammond.protocol.core.replies import format_value
from tests.protocol.talking import hear, make_connection, talk
from tests.support.replies import read_values

START = "4HPwATDgc/ABMA"


def ask(**fields):
    """The answer to a query about the start."""
    (line,) = talk(json.dumps({"id": 1, "position": START, **fields}))
    answer = json.loads(line)
    assert answer["final"] is True
    return answer


def ask_result(**fields):
    """The result of a query about the start."""
    (result,) = ask(**fields)["results"]
    return result


def ask_error(**fields):
    """Code and field of the error of a query about the start."""
    error = ask(**fields)["error"]
    return error["code"], error["field"]


def read_lines(request):
    """The words of the lines of a command at the start, each with its pairs."""
    lines = talk(f"newgame\n{request}")
    rows = [(line.split()[0], read_values(line)) for line in lines]
    return [row for row in rows if row[0] not in ("ok", "info")]


def to_texts(document):
    """The values of an object as a line has them."""
    texts = {}
    for key, value in document.items():
        texts[key] = format_value(value)[1:-1] if " " in format_value(value) else format_value(value)
    return texts


def test_legal_lists_the_plays_of_the_command():
    plays = ask_result(dice=[6, 1], want=["legal"])["legal"]
    rows = [values for word, values in read_lines("dice 6 1\nlegal") if word == "play"]
    assert plays == [{"play": row["play"], "gnubgid": row["gnubgid"]} for row in rows]


def walk_tree(tree, node=0):
    """The texts of the plays that can be reached from a node."""
    texts = {tree[node]["play"]} - {None}
    return texts.union(*(walk_tree(tree, following) for _, _, following in tree[node]["moves"]))


@pytest.mark.parametrize("dice", [[6, 1], [3, 3]])
def test_the_tree_leads_to_every_legal_play(dice):
    result = ask_result(dice=dice, want=["legal", "tree"])
    assert walk_tree(result["tree"]) == {play["play"] for play in result["legal"]}
    assert all((node["play"] is None) == bool(node["moves"]) for node in result["tree"])


def test_a_roll_without_a_legal_move_has_a_tree_of_one_node():
    shut_out = "XGID=aBBBBBB-----------------c-:0:0:-1:21:0:0:0:0:10"
    assert ask_result(position=shut_out, want=["tree"])["tree"] == [{"moves": [], "play": "pass"}]


LITTLE = {"trials": 8, "truncate": 2}
ROLL_OUT = "rollout trials=8 truncate=2"


@pytest.mark.parametrize(
    ("want", "fields", "request_line"),
    [
        ("resign", {}, "resign"),
        ("resign", {"resignation": "gammon"}, "resign gammon"),
        ("resign", {"plies": 1}, "resign plies=1"),
        ("matrix", {"away": 4, "cube": 2}, "matrix away=4 cube=2"),
        ("rollout", {"rollout": LITTLE}, ROLL_OUT),
        ("rollout", {"rollout": {"what": "cube", **LITTLE}}, "rollout cube trials=8 truncate=2"),
        (
            "rollout",
            {"dice": [3, 1], "rollout": {**LITTLE, "candidates": 2}},
            f"dice 3 1\n{ROLL_OUT} candidates=2",
        ),
        (
            "rollout",
            {"dice": [3, 1], "rollout": {**LITTLE, "play": ["24/20", "8/5 6/5"]}},
            f'dice 3 1\n{ROLL_OUT} play=24/20 play="8/5 6/5"',
        ),
    ],
)
def test_a_part_has_the_lines_and_keys_of_its_command(want, fields, request_line):
    found = ask_result(want=[want], **fields)[want]
    *rows, (_, values) = read_lines(request_line)
    lists = [found.pop(name) for name in ("rows", "candidates", "estimates") if name in found]
    assert [to_texts(row) for part in lists for row in part] == [row for _, row in rows]
    left_out = ("net", "elapsed_ms")
    assert to_texts(found) == {key: value for key, value in values.items() if key not in left_out}


def test_a_matrix_has_equities_on_request():
    rows = ask_result(want=["matrix"], away=2, equities=True)["matrix"]["rows"]
    assert [len(row["no_double"]) for row in rows] == [2, 2]
    assert rows[0]["double"] == rows[0]["take"] == [None, None]
    for letter, double, take, drop in zip(
        *(rows[1][key] for key in ("actions", "double", "take", "drop")), strict=True
    ):
        if letter != "-":
            assert double == min(take, drop)
            assert drop == 1.0


def test_parts_stand_beside_the_others():
    result = ask_result(
        dice=[3, 1], want=["rollout", "moves", "eval", "legal"], rollout={"trials": 2, "truncate": 1}
    )
    assert set(result) == {"position", "eval", "moves", "legal", "rollout"}


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"want": ["legal"]}, ("bad_state", "dice")),
        ({"want": ["tree"]}, ("bad_state", "dice")),
        ({"want": ["matrix"], "cube": 3}, ("bad_value", "cube")),
        ({"want": ["rollout"], "rollout": 3}, ("bad_value", "rollout")),
        ({"want": ["rollout"], "rollout": {"coffee": 3}}, ("bad_value", "rollout.coffee")),
        ({"want": ["rollout"], "rollout": {"trials": 0}}, ("bad_value", "rollout.trials")),
        ({"want": ["rollout"], "rollout": {"trials": "1"}}, ("bad_value", "rollout.trials")),
        ({"want": ["rollout"], "rollout": {"what": "continue"}}, ("bad_value", "rollout.what")),
        ({"want": ["rollout"], "rollout": {"play": "8/5"}}, ("bad_value", "rollout.play")),
        ({"want": ["rollout"], "rollout": {"what": "moves"}}, ("bad_state", "dice")),
        ({"want": ["rollout"], "rollout": {"play": ["8/5 6/5"]}}, ("bad_state", "dice")),
        ({"want": ["rollout"], "dice": [3, 1], "rollout": {"play": ["8/2"]}}, ("bad_value", "rollout.play")),
        (
            {"want": ["rollout"], "dice": [3, 1], "rollout": {"trials": 100_000, "candidates": 6}},
            ("limit", "rollout"),
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_name(fields, error):
    assert ask_error(**fields) == error


@pytest.mark.parametrize("want", ["legal", "tree", "resign", "matrix", "rollout"])
def test_a_finished_game_has_none_of_them(want):
    assert ask_error(position="AAAAhgAAAAAAAA", want=[want], dice=[2, 1]) == ("bad_state", "position")


def test_the_games_of_all_rollouts_of_a_query_are_bounded():
    query = {"id": 1, "positions": [START] * 2, "want": ["rollout"]}
    (line,) = talk(
        json.dumps({**query, "rollout": {"what": "position", "trials": 51}}),
        make_connection(rollout_games=100),
    )
    assert json.loads(line)["error"]["code"] == "limit"


def test_a_query_that_is_stopped_gives_the_rollouts_so_far():
    connection = make_connection()
    query = {"id": 1, "positions": [START] * 3, "want": ["rollout"], "rollout": {"trials": 500}}
    hear(connection, json.dumps(query).encode() + b"\n")
    job = connection.next_job()
    assert job.work.is_long
    job.control.stop()
    answer = json.loads(job.run(lambda _: None))
    assert answer["stopped"] is True
    assert answer["results"] == []


def read_progress(monkeypatch, **fields):
    """What a query that wants progress reports before its answer, without what positions report too."""
    monkeypatch.setattr("gammond.engine.search.watch.PROGRESS_EVERY_S", 0.0)
    monkeypatch.setattr("gammond.protocol.questions.rollouts.PROGRESS_INTERVAL_S", 0.0)
    query = {"id": 1, "position": START, "progress_every": 1, **fields}
    *reported, final = map(json.loads, talk(json.dumps(query)))
    assert final["final"] is True
    head = {"id": 1, "final": False, "done": 0, "total": 1}
    assert all(head.items() <= each.items() for each in reported)
    return [{key: value for key, value in each.items() if key not in head} for each in reported]


def test_a_rollout_reports_the_trials_and_the_best_play_so_far(monkeypatch):
    rollout = {"trials": 200, "truncate": 2, "candidates": 2}
    reported = read_progress(monkeypatch, dice=[3, 1], want=["rollout"], rollout=rollout)
    assert all(each["want"] == "rollout" and each["of"] == 200 for each in reported)
    assert [each["trials"] for each in reported] == sorted(each["trials"] for each in reported)
    last = reported[-1]
    assert last["trials"] > 0
    assert {type(last["equity"]), type(last["se"]), type(last["pv"])} == {float, str}


@pytest.mark.parametrize("fields", [{"want": ["matrix"], "away": 3}, {"want": ["resign"]}])
def test_searches_of_parts_count_nodes(monkeypatch, fields):
    reported = read_progress(monkeypatch, plies=2, **fields)
    assert reported
    assert all(set(each) == {"want", "nodes", "time_ms"} for each in reported)
    assert {each["want"] for each in reported} == {*fields["want"]}


def test_parts_report_nothing_unasked(monkeypatch):
    few = {"rollout": {"trials": 36, "truncate": 2}}
    for fields in ({"want": ["rollout"], **few}, {"want": ["matrix"], "away": 3}, {"want": ["resign"]}):
        assert read_progress(monkeypatch, **fields, plies=1, progress_every=None) == []

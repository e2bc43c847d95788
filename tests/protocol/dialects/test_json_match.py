"""The JSON query ``analyse``."""

from __future__ import annotations

import json

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.match_analysis.analysis import AnalysisSettings, analyse_match, count_decisions
from gammond.engine.match_analysis.rollouts import DecisionRollouts, roll_out_decisions
from gammond.engine.match_files.reading import read_matches
from gammond.engine.rollout import RolloutSettings
from tests.protocol.dialects.slow_evaluations import connect_slowly
from tests.protocol.short_match import MATCH
from tests.protocol.talking import hear, make_connection, talk
from tests.support.evaluators import RacingEvaluator, WatchedEvaluator


def ask(connection=None, **fields):
    query = {"id": "m", "match_text": MATCH, "want": ["analyse"]} | fields
    return [json.loads(line) for line in talk(json.dumps(query), connection) if line.startswith("{")]


def count(text):
    return sum(map(count_decisions, read_matches(text.encode())))


def test_the_answer_is_the_analysis_of_the_match():
    (answer,) = ask(plies=1)
    (result,) = answer["results"]
    assert (answer["final"], answer["plies"], answer["net"]) == (True, 1, "racing")
    assert "file" not in result
    assert result["names"] == ["Ann", "Bob"]
    assert len(result["decisions"]) >= 7
    assert [each["decision"] for each in result["decisions"]].count("double") == 1
    (match,) = read_matches(MATCH.encode())
    noted = analyse_match(Engine(RacingEvaluator()), match, AnalysisSettings(1))
    notes = [game_notes for game in noted.games for _, game_notes in game.notes.items()]
    best = [each.candidates[0].evaluation.equity for each in notes if each.candidates]
    said = [each["candidates"][0]["equity"] for each in result["decisions"] if each["roll"]]
    assert said == pytest.approx(best, abs=1e-6)
    assert all(each["depth"] == "1-ply" for each in result["decisions"])


def test_close_and_wrong_decisions_are_analysed_deeper_on_request():
    depths = {each["depth"] for each in ask(plies=0, deeper=1)[0]["results"][0]["decisions"]}
    assert "1-ply" in depths
    assert {each["depth"] for each in ask(plies=0)[0]["results"][0]["decisions"]} == {"0-ply"}


QUICK = {"trials": 4, "truncate": 3, "candidates": 2}


def test_decisions_that_are_close_or_wrong_are_rolled_out_on_request():
    (answer,) = ask(plies=0, rollout=QUICK)
    (result,) = answer["results"]
    assert "rolled out (4 trials, 3 plies, then 0-ply, 0-ply, seed 0)" in result["method"]
    rolled = [each for each in result["decisions"] if each.get("trials")]
    assert rolled
    assert {(each["trials"], each["depth"]) for each in rolled} == {(4, "rollout of 3 plies")}
    (match,) = read_matches(MATCH.encode())
    engine, settings = Engine(RacingEvaluator()), RolloutSettings(trials=4, truncation=3, min_trials=108)
    searched = analyse_match(engine, match, AnalysisSettings(0))
    expected = roll_out_decisions(engine, searched, DecisionRollouts(settings, max_plays=2))
    best = [
        notes.candidates[0].evaluation
        for game in expected.games
        for _, notes in sorted(game.notes.items())
        if notes.candidates and notes.candidates[0].evaluation.trials
    ]
    said = [each["candidates"][0] for each in rolled if each["roll"]]
    assert [(each["equity"], each["se"]) for each in said] == [
        pytest.approx((each.equity, each.error), abs=1e-6) for each in best
    ]


def test_the_progress_of_rollouts_counts_trials():
    *reported, final = ask(connect_slowly(), plies=0, rollout=QUICK, progress_every=1000)
    assert final["results"]
    total = count(MATCH)
    assert {(each["done"], each["total"], each["final"]) for each in reported} == {(total, total, False)}
    trials = [each["trials"] for each in reported]
    assert trials == sorted(trials)
    assert {each["of"] % QUICK["trials"] for each in reported} == {0}
    assert 0 <= trials[0] < trials[-1] <= reported[0]["of"]


def test_rollouts_end_with_the_query():
    connection = make_connection()
    query = {"id": "m", "match_text": MATCH, "want": ["analyse"], "rollout": QUICK, "progress_every": 1}
    hear(connection, json.dumps(query).encode() + b"\n")
    job = connection.next_job()
    found = json.loads(job.run(lambda reply: "trials" in reply.document and job.control.stop()))
    assert (found["stopped"], found["results"]) == (True, [])


def test_the_games_of_all_rollouts_are_capped():
    connection = make_connection(rollout_games=4)
    (answer,) = ask(connection, plies=0, rollout=QUICK)
    assert (answer["error"]["code"], answer["error"]["field"]) == ("limit", "rollout")
    assert "expected at most 4 games in all rollouts, got " in answer["error"]["message"]
    assert connection.is_idle


def test_max_moves_caps_the_plays_of_each_roll():
    (short,), (long,) = ask(max_moves=1), ask()
    listed = [
        [len(each["candidates"]) for each in answer["results"][0]["decisions"] if each["roll"]]
        for answer in (short, long)
    ]
    assert set(listed[0]) == {1}
    assert max(listed[1]) > 1


def test_progress_comes_on_request_only_and_counts_decisions():
    *reported, final = ask(progress_every=2)
    total = count(MATCH)
    assert [each["done"] for each in reported] == list(range(2, total, 2))
    assert {(each["total"], each["final"], each["id"]) for each in reported} == {(total, False, "m")}
    assert final["final"] is True
    assert len(ask()) == 1


def test_a_terminated_query_ends_without_the_match_under_way():
    stop = b'{"action":"terminate","id":"other","terminate_id":"m"}\n'
    connection = make_connection(WatchedEvaluator(lambda _: hear(connection, stop)))
    answers = {answer["id"]: answer for answer in ask(connection)}
    assert answers["other"]["stopped"] >= 1
    assert (answers["m"]["stopped"], answers["m"]["results"]) == (True, [])
    assert connection.is_idle


def test_a_query_out_of_time_ends():
    (answer,) = ask(connect_slowly(), time_ms=1500)
    assert (answer["stopped"], answer["results"]) == (True, [])


@pytest.mark.parametrize(
    ("fields", "code", "field", "said"),
    [
        ({"match_text": "no match"}, "bad_value", "match_text", "match_text: expected a match file"),
        ({"match_text": ""}, "bad_value", "match_text", "expected a match file"),
        ({"match_text": "/etc/passwd"}, "bad_value", "match_text", "expected a match file"),
        ({"match_text": None}, "bad_value", "match_text", "it is missing"),
        (
            {"position": "startpos"},
            "bad_value",
            "position",
            "expected match_text for 'analyse', got",
        ),
        ({"positions": ["startpos"]}, "bad_value", "positions", "got positions"),
        ({"want": ["analyse", "eval"]}, "bad_value", "want", 'got ["analyse","eval"]'),
        ({"want": ["eval"]}, "bad_value", "want", 'expected ["analyse"] for want of a match'),
        ({"cubeful": False}, "bad_value", "cubeful", "with 'analyse' in 'want'"),
        (
            {"rollout": {"what": "cube"}},
            "bad_value",
            "rollout.what",
            "expected no what in rollout for 'analyse', got \"cube\"",
        ),
        ({"rollout": {"play": ["8/5 6/5"]}}, "bad_value", "rollout.play", "expected no play"),
        (
            {"rollout": {"candidates": 1}},
            "bad_value",
            "rollout.candidates",
            "expected 2 plays or more, got 1",
        ),
        ({"rollout": {"trials": 0}}, "bad_value", "rollout.trials", "1..100000"),
        ({"rollout": {"depth": 3}}, "bad_value", "rollout.depth", 'got "depth"'),
    ],
)
def test_an_error_names_the_field(fields, code, field, said):
    connection = make_connection()
    (answer,) = ask(connection, **fields)
    assert (answer["error"]["code"], answer["error"]["field"]) == (code, field)
    assert said in answer["error"]["message"]
    assert connection.is_idle


def test_too_many_decisions_are_refused():
    total = count(MATCH)
    assert ask(make_connection(query_decisions=total))[0]["results"]
    (answer,) = ask(make_connection(query_decisions=total - 1))
    assert (answer["error"]["code"], answer["error"]["field"]) == ("limit", "match_text")
    assert f"got {total}" in answer["error"]["message"]


def test_what_cannot_be_read_is_an_issue_of_the_match():
    (answer,) = ask(match_text=MATCH.replace("42: 8/4 6/4", "42: 1/2"))
    (result,) = answer["results"]
    assert "illegal play" in result["issues"][0]
    assert result["decisions"]


def test_an_analysis_is_long_work_whose_answer_is_estimated():
    connection = make_connection()
    query = {"id": 1, "match_text": MATCH, "want": ["analyse"]}
    hear(connection, json.dumps(query).encode() + b"\n")
    job = connection.next_job()
    assert job.work.is_long
    result = job.run(lambda _: None)
    answer = result if isinstance(result, bytes) else b"".join(result)
    assert 0.3 * len(answer) < job.work.answer_bytes < 4 * len(answer)
    assert 0.8 * len(answer) < job.control.answer_bytes < len(answer)


def test_the_answer_names_what_analysed_its_matches():
    solved = '; [Variation "HyperGammon (1)"]\n' + MATCH.replace("31: 8/5 6/5", "31: 24/20").replace(
        "65: 24/13", "65: Cannot Move"
    )
    (answer,) = ask(match_text=solved, plies=0)
    assert answer["net"] == "hypergammon-1"
    assert "net hypergammon-1" in answer["results"][0]["method"]
    assert ask(plies=0)[0]["net"] == "racing"

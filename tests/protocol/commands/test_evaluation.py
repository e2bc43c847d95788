"""``eval`` and ``moves``: the engine's numbers, at the depth that was asked for."""

from __future__ import annotations

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.protocol.commands.evaluation import make_search_watch
from gammond.protocol.core.replies import format_reply, format_value
from gammond.protocol.core.requests import WorkControl
from tests.protocol.talking import hear, make_connection, pump, talk
from tests.support.evaluators import RacingEvaluator
from tests.support.replies import read_values

ENGINE = Engine(RacingEvaluator())
START = Position.start()


def numbers(evaluated, plies):
    """Return the fields that a line should have for an evaluation."""
    shown = {**evaluated.outcome._asdict(), "equity": evaluated.cubeless_equity}
    for name in ("cubeful", "mwc"):
        if getattr(evaluated, name) is not None:
            shown[name] = getattr(evaluated, name)
    return {name: format_value(float(value)) for name, value in shown.items()} | {"plies": str(plies)}


@pytest.mark.parametrize(
    ("settings", "match", "request_text", "depth"),
    [
        ("", MatchState(), "eval", EvalSettings(0)),
        ("", MatchState(), "eval plies=1", EvalSettings(1)),
        ("", MatchState(), "eval plies=1 cubeful=false", EvalSettings(1, is_cubeful=False)),
        ("set game.length 7\nset game.score_p0 3", MatchState(7, (3, 0)), "eval", EvalSettings(0)),
        ("set game.length 7", MatchState(7), "eval cubeful=false", EvalSettings(0, is_cubeful=False)),
        (
            "set engine.ply 2\nset engine.cubeful false",
            MatchState(),
            "eval",
            EvalSettings(1, is_cubeful=False),
        ),
    ],
)
def test_eval_gives_the_numbers_of_the_engine(settings, match, request_text, depth):
    line = talk(f"{settings}\nnewgame\n{request_text}")[-1]
    evaluated = ENGINE.evaluate(START, match, depth)
    said = read_values(line)
    assert said.pop("net") == "racing"
    assert said == numbers(evaluated, evaluated.effort.plies)
    assert ("cubeful" in said) == depth.is_cubeful
    assert ("mwc" in said) == (match.length > 0)


def test_dice_and_a_waiting_double_do_not_change_what_eval_says():
    plain = talk("newgame\neval")[-1]
    assert talk("newgame\ndice 3 1\neval")[-1] == plain
    assert talk("newgame\nplay double\neval")[-1] == plain


def test_moves_come_as_the_engine_ranks_them_with_the_survivors_of_the_filter():
    lines = talk("set game.length 5\nnewgame\ndice 4 3\nmoves plies=1 filter=tiny")
    moves = [read_values(line) for line in lines if line.startswith("move ")]
    ranked = ENGINE.rank_plays(START, (4, 3), MatchState(5), EvalSettings(1, "tiny").with_list())
    assert len(moves) == len(ranked)
    for said, evaluated in zip(moves, ranked, strict=True):
        assert said["survived"] == ("true" if evaluated.survived else "false")
        assert numbers(evaluated.evaluation, evaluated.evaluation.plies).items() <= said.items()
    survived = [said["survived"] for said in moves]
    assert survived == sorted(survived, reverse=True)
    assert {"true", "false"} == set(survived)
    assert {said["plies"] for said in moves if said["survived"] == "true"} == {"1"}


@pytest.mark.parametrize(("asked", "searched"), [("", 5), ("1 ", 2), ("2 ", 5), ("7 ", 7), ("500 ", None)])
def test_the_plays_of_a_list_have_one_depth_and_how_many_have_it_is_said(asked, searched):
    lines = talk(f"newgame\ndice 4 1\nmoves {asked}plies=1 filter=tiny")
    moves = [read_values(line) for line in lines if line.startswith("move ")]
    total = read_values(lines[-1])
    assert total.get("searched") == (None if searched is None else str(searched))
    searched = searched or len(moves)
    assert [said["plies"] for said in moves] == ["1"] * min(searched, len(moves)) + ["0"] * (
        len(moves) - searched
    )
    deep = [float(said["cubeful"]) for said in moves if said["survived"] == "true"]
    assert deep == sorted(deep, reverse=True)
    assert "searched" not in read_values(talk("newgame\ndice 4 1\nmoves 2")[-1])


def test_each_ranked_play_comes_with_the_position_that_play_reaches():
    for setup in ("position startpos", "dice 6 6"), ("set game.doubles two", "newgame", "dice 3 3"):
        lines = talk("\n".join([*setup, "moves", "legal"]))
        moves = [read_values(line) for line in lines if line.startswith("move ")]
        plays = [read_values(line) for line in lines if line.startswith("play ")]
        reached = {said["play"]: said["gnubgid"] for said in plays}
        assert len(moves) == len(plays) > 2
        assert {said["play"]: said["gnubgid"] for said in moves} == reached


@pytest.mark.parametrize("line", ["eval plies=3", "moves plies=3", "cube plies=4", "take plies=4"])
def test_what_is_stopped_says_so_with_the_depth_that_it_got_to(line):
    connection = make_connection()
    hear(connection, f"newgame\ndice 3 1\n{line}\n".encode())
    final = pump(connection, stops_long=True)[-1]
    assert final.startswith(f"{line.split()[0]} ")
    assert " plies=0 " in final
    assert final.endswith(" stopped=true")


def test_effort_is_reported_within_a_depth_but_not_at_0_ply(monkeypatch):
    monkeypatch.setattr("gammond.engine.search.watch.PROGRESS_EVERY_S", 0.0)
    lines = []
    watch = make_search_watch(WorkControl(lambda reply: lines.append(format_reply(reply))), from_plies=9)
    for plies in (0, 2):
        watch.begin_depth(plies)
        watch.count(7)
    assert [line.partition(" time_ms")[0] for line in lines] == ["info nodes 14"]

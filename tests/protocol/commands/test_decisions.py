"""``go``: the decisions of a player of the session's level, within its limits."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import LEVELS, EvalSettings
from gammond.engine.errors import DataFileError
from gammond.engine.play.decider import Decider
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import format_moves_plain, format_play
from gammond.engine.rules.position import Position
from gammond.nets.catalogue import load_player
from gammond.nets.players.entry import RandomSpec
from gammond.protocol.core.replies import format_value
from tests.protocol.talking import hear, make_connection, pump, talk
from tests.support.evaluators import FixedEvaluator, RacingEvaluator
from tests.support.terminals import Clock

START = Position.start()


def chosen(level, seed=1):
    """Return the opening 6-4 of a player of a level."""
    decider = Decider(
        Engine(RacingEvaluator()), EvalSettings(level.plies, level.filter_name), level.noise_points, seed
    )
    return format_moves_plain(decider.choose_play(START, (6, 4), MatchState()).play)


@pytest.mark.parametrize("name", ["beginner", "intermediate", "expert", "world-class"])
def test_the_choice_is_that_of_the_level(name):
    for seed in range(3):
        lines = talk(f"set engine.seed {seed}\nset engine.level {name}\nnewgame\ndice 6 4\ngo")
        assert lines[-1] == f"bestmove {chosen(LEVELS[name], seed)}"


def test_a_level_that_errs_tells_of_its_choice_alone():
    for seed in range(20):
        lines = talk(f"set engine.seed {seed}\nset engine.level beginner\nnewgame\ndice 6 4\ngo")
        (info,) = [line for line in lines if line.startswith("info")]
        assert info.partition(" pv ")[2] == lines[-1].removeprefix("bestmove ")


def test_the_forms_of_both_standards_are_one_decision():
    answers = [
        talk(f"newgame\ndice 6 4\ngo {text}")[-1]
        for text in (
            "chequer plies 1",
            "plies 1",
            "depth=2",
            "chequer depth 2",
            "role chequer depth 2 nodes 5 trials 3",
        )
    ]
    assert len(set(answers)) == 1


def test_a_time_that_is_over_leaves_the_play_of_the_net_alone():
    connection, clock = make_connection(), Clock(0.0)
    connection.handler.session.service.clock = clock
    hear(connection, b"newgame\ndice 6 4\ngo chequer movetime 50\n")
    clock.now_s = 1.0
    lines = pump(connection)
    assert [line.split()[2] for line in lines if line.startswith("info depth")] == ["1"]
    assert lines[-1] == f"bestmove {chosen(LEVELS['expert'])}"


def test_a_turn_leaves_half_of_its_time_to_the_play():
    connection, clock = make_connection(), Clock(0.0)
    connection.handler.session.service.clock = clock
    hear(connection, b"newgame\ndice 6 4\ngo turn movetime 1000 plies 1\n")
    clock.now_s = 0.6
    lines = pump(connection)
    depths = [(line.split()[2], "pv" in line) for line in lines if line.startswith("info depth")]
    assert depths[0] == ("1", False)  # the cube had 500 ms, which are over
    assert ("2", False) not in depths
    assert depths[-1] == ("1", True) or depths[-1] == ("2", True)
    assert lines[-1].startswith("bestturn cube=nodouble move=")


@pytest.mark.parametrize(
    ("outcome", "settings", "answer"),
    [
        ((0.65, 0.1, 0, 0.1, 0), "", "take"),
        ((0.95, 0.5, 0, 0, 0), "", "drop"),
        ((0.3, 0, 0, 0.1, 0), "", "beaver"),
        ((0.3, 0, 0, 0.1, 0), "set game.beavers false", "take"),
        ((0.3, 0, 0, 0.1, 0), "set game.length 9", "take"),
    ],
)
def test_take_answers_for_the_seat_that_was_doubled(outcome, settings, answer):
    lines = talk(f"{settings}\nnewgame\nplay double\ngo take", make_connection(FixedEvaluator(*outcome)))
    assert lines[-1] == f"besttake {answer}"


def test_offers_and_questions_must_fit():
    lines = talk("newgame\ngo take\nplay double\ngo cube\nplay drop\nundo\nundo\nplay resign single\ngo cube")
    assert lines[1].startswith("error bad_state what: no double is pending")
    assert lines[3].startswith("error bad_state what: a double is pending")
    assert lines[-1].startswith("error bad_state what: a resignation is pending")


@pytest.mark.parametrize(
    ("line", "is_long", "deadline_s"),
    [
        ("eval", False, None),
        ("eval plies=1", True, None),
        ("moves", False, None),
        ("moves plies=1", True, None),
        ("go", False, None),
        ("go chequer plies 1", True, None),
        ("go chequer movetime 500", True, 100.5),
        ("set engine.player pubeval\ngo", False, None),
        ("set engine.player pubeval\ngo turn plies 1", True, None),
        ("set engine.player racing\ngo", False, None),
        ("set engine.player racing:plies=1\ngo", True, None),
    ],
)
def test_work_that_looks_ahead_is_long_and_has_its_deadline(line, is_long, deadline_s):
    connection = make_connection()
    connection.handler.session.service.clock = Clock(100.0)
    hear(connection, f"newgame\ndice 6 4\n{line}\n".encode())
    work = connection.next_job().work
    assert (work.is_long, work.deadline_s) == (is_long, deadline_s)


def play_of(name, write=format_moves_plain):
    """Return the opening 6-4 of a player by name."""
    result = load_player(name).choose(START.board[None].copy(), np.array([[6, 4]], np.int8))[0]
    (play,) = [play for play in legal_plays(START, (6, 4)) if np.array_equal(play.result.board, result)]
    return write(play)


@pytest.mark.parametrize("name", ["pubeval", "random", "random:seed=1", "random:seed=2"])
def test_another_player_chooses_the_plays(name):
    asked = f"set engine.player {name}\nnewgame\ndice 6 4\n"
    assert talk(asked + "go")[-1] == f"bestmove {play_of(name)}"
    assert talk(asked + "go chequer plies 2")[-1] == f"bestmove {play_of(name)}"
    assert talk(asked + "go turn")[-1] == f"bestturn cube=nodouble move={play_of(name)}"


def test_the_choice_of_another_player_is_reported_with_its_equity_by_the_evaluator():
    lines = talk("set engine.player random:seed=1\nnewgame\ndice 6 4\ngo\nmoves")
    (info,) = [line for line in lines if line.startswith("info")]
    assert info.endswith(f" pv {play_of('random:seed=1')}")
    written = format_value(play_of("random:seed=1", format_play))
    (row,) = [line for line in lines if line.startswith("move ") and f" play={written} " in line]
    assert re.search(r"score (\S+)", info)[1] == re.search(r"cubeful=(\S+)", row)[1]


def test_an_evaluator_by_name_plays_without_the_cube_and_the_level_of_the_session():
    asked = "set engine.player racing:plies=1,filter=tiny\nset engine.level beginner\nnewgame\ndice 6 4\ngo"
    decider = Decider(Engine(RacingEvaluator()), EvalSettings(1, "tiny", is_cubeful=False))
    expected = format_moves_plain(decider.choose_play(START, (6, 4), MatchState()).play)
    for seed in range(5):
        assert talk(f"set engine.seed {seed}\n{asked}")[-1] == f"bestmove {expected}"


def test_the_cube_stays_with_the_evaluator():
    sure = FixedEvaluator(0.95, 0.5, 0, 0, 0)
    for name in ("net", "random"):
        lines = talk(f"set engine.player {name}\nnewgame\nplay double\ngo take", make_connection(sure))
        assert lines[-1] == "besttake drop"
        lines = talk(f"set engine.player {name}\nset game.length 3\nnewgame\ngo cube", make_connection(sure))
        assert lines[-1] == talk("set game.length 3\nnewgame\ngo cube", make_connection(sure))[-1]


def test_nobody_decides_for_people():
    lines = talk(
        "set engine.player human\nnewgame\ndice 6 4\ngo\ngo cube\nmoves 1\nset engine.player net\ngo"
    )
    assert [line.partition(":")[0] for line in lines[3:5]] == ["error bad_state what"] * 2
    assert lines[-1].startswith("bestmove ")


def test_the_player_is_that_of_the_moment_at_which_it_was_asked():
    connection = make_connection()
    hear(connection, b"newgame\ndice 6 4\nset engine.player random:seed=1\ngo\nset engine.player pubeval\n")
    lines = pump(connection)
    assert f"bestmove {play_of('random:seed=1')}" in lines


def test_a_player_whose_file_is_damaged_is_an_error_of_the_request_and_of_isready(monkeypatch):
    def fail(spec):
        raise DataFileError("its weights are gone", field="net")

    monkeypatch.setattr(RandomSpec, "make", fail)
    lines = talk("set engine.player random\nisready\nnewgame\ndice 6 4\ngo\nmoves 1\ngo cube")
    assert lines[1].startswith("error data_file net: its weights are gone")
    assert lines[4].startswith("error data_file net: its weights are gone")
    assert lines[-1].startswith("error data_file")

"""Winning chances shown during a game: whose they are, and by which evaluator."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gammond.engine.rules.outcome import invert_outcomes
from gammond.nets.catalogue import load_player
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.game.games import play_against
from gammond.protocol.repl.game.playing import make_play, roll, take_action
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.game.views import show_chances
from tests.protocol.repl.tables import dealt, game_at, make_session, make_talk
from tests.support.boards import position
from tests.support.evaluators import RacingEvaluator

CONTROL = WorkControl()


def win_of(line):
    return float(re.match(r"    win ([0-9.]+) % \(gammon", line)[1])


def seen_by(evaluator, board, *, is_turned):
    outcomes = evaluator.evaluate(board[None])
    return round(100 * float((invert_outcomes(outcomes) if is_turned else outcomes)[0, 0]), 1)


def test_chances_are_shown_after_each_play_until_switched_off():
    game, _ = dealt((3, 1), (5, 2), (6, 4), (4, 2))
    assert show_chances(game, is_shown=True) == ["Showing winning chances by racing after each play."]
    own, after_own, other, after_other = make_play(game, CONTROL, "8/5 6/5")
    assert own == "You play 8/5 6/5."
    assert other.startswith("5-2: gammond plays ")
    assert all("lose gammon" in line for line in (after_own, after_other))
    assert roll(game, CONTROL) == ["You roll 6-4."]
    assert show_chances(game, is_shown=False) == ["Winning chances are no longer shown."]
    assert not any(line.startswith("    win ") for line in make_play(game, CONTROL, "24/18 13/9"))


def test_both_are_the_chances_of_the_person():
    game, _ = dealt((6, 5), (5, 2))
    show_chances(game, is_shown=True)
    past = []
    game.session.push_state, change = (
        lambda state: (past.append(state), change(state)),
        game.session.push_state,
    )
    lines = make_play(game, CONTROL, "24/13")
    boards = [state.position.board for state in past if state.match.roll is None]
    assert win_of(lines[1]) == seen_by(RacingEvaluator(), boards[0], is_turned=True)
    assert win_of(lines[3]) == seen_by(RacingEvaluator(), boards[1], is_turned=False)


@pytest.mark.parametrize("name", ["fast", "fast:noise=20"])
def test_another_evaluator_shows_its_own_chances(name):
    evaluator = load_player("fast").evaluator
    game = ReplGame(make_session([(3, 1), (5, 2)]))
    game.session.service.players.find = lambda text, threads=1: load_player(text)
    game.session.service.players.check_player = lambda text: text
    game.session.service.players.uses_look_ahead = lambda text: False
    play_against(game, CONTROL, name)
    assert show_chances(game, is_shown=True) == ["Showing winning chances by fast after each play."]
    make_play(game, CONTROL, "8/5 6/5")
    board = game.session.game.position.board
    assert win_of(show_chances(game, is_shown=True)[-1]) == seen_by(evaluator, board, is_turned=False)


def test_a_player_that_knows_no_outcomes_leaves_them_to_the_net():
    game = ReplGame(make_session([(3, 1), (5, 2)]))
    show_chances(game, is_shown=True)
    assert "Chances are" not in "".join(play_against(game, CONTROL, "pubeval"))
    assert play_against(game, CONTROL, "random") == [
        "The game continues against random.",
        "Winning chances by racing.",
    ]


def test_among_people_they_are_those_of_the_seat_that_is_to_roll():
    game = ReplGame(make_session([(6, 5)]))
    play_against(game, CONTROL, "human")
    show_chances(game, is_shown=True)
    _, chances = make_play(game, CONTROL, "24/13")
    board = game.session.game.position.board
    assert win_of(chances) == seen_by(RacingEvaluator(), board, is_turned=False)
    assert np.isclose(win_of(chances), 50, atol=20)


def test_chances_are_shown_at_once_before_a_roll_and_never_while_an_offer_is_pending():
    game = game_at(position({3: 2}, {24: 1}))
    assert show_chances(game, is_shown=True)[-1].startswith("    win ")
    assert not any(line.startswith("    win ") for line in take_action(game, CONTROL, "resign single"))


def test_chances_are_shown_where_doubles_are_two_moves():
    talk = make_talk("set game.doubles two", "play against random", "chances", rolls=[(3, 1), (5, 2)])
    lines = talk.answer("8/5 6/5")
    assert lines[1].startswith("    win ")
    assert lines[3].startswith("    win ")


@pytest.mark.parametrize("opponent", ["net", "racing"])
def test_where_all_is_solved_they_are_those_of_the_solution(opponent):
    talk = make_talk(
        *("set game.variant hypergammon1", f"play against {opponent}", "chances"), rolls=[(3, 1), (5, 2)]
    )
    assert talk.answer("chances")[0] == "Showing winning chances by hypergammon-1 after each play."
    shown = talk.answer("24/20")[3]
    assert shown in talk.answer("eval")
    assert "gammon 0.0" not in shown

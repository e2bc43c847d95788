"""Opponents: other players than the evaluator, and people."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.errors import GammondError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import format_play
from gammond.nets.catalogue import load_player
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.game.games import play_against, undo
from gammond.protocol.repl.game.playing import make_play, roll
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.game.views import show_board, show_score
from tests.protocol.repl.tables import make_session, make_talk
from tests.support.boards import position

CONTROL = WorkControl()


def game_against(player, *rolls):
    session = make_session(rolls)
    game = ReplGame(session)
    return game, play_against(game, CONTROL, player)


def test_the_other_player_plays_and_has_its_name():
    game, lines = game_against("random:seed=4", (1, 3))
    assert lines[0] == "You roll 1, random 3. random starts with 3-1."
    start = position({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5})
    result = load_player("random:seed=4").choose(start.board[None].copy(), np.array([[3, 1]], np.int8))[0]
    (play,) = [play for play in legal_plays(start, (3, 1)) if np.array_equal(play.result.board, result)]
    assert lines[1] == f"3-1: random plays {format_play(play)}."
    assert show_score(game) == ["You 0, random 0 in money play, cube 1 centred; no Jacoby rule, beavers."]
    assert show_board(game)[1].endswith("X: random")


def test_a_player_there_is_not_changes_nothing():
    game = ReplGame(make_session())
    with pytest.raises(GammondError, match="got 'nobody'"):
        play_against(game, CONTROL, "nobody")
    assert game.human_seat is None
    assert game.session.engine_settings.player == "net"


def test_people_play_both_seats():
    game, lines = game_against("human", (3, 1), (5, 2))
    assert lines == ["O rolls 3, X 1. O starts with 3-1."]
    assert make_play(game, CONTROL, "8/5 6/5") == ["3-1: O plays 8/5 6/5."]
    assert game.session.game.match.to_act == 1
    assert roll(game, CONTROL) == ["X rolls 5-2."]
    assert make_play(game, CONTROL, "13/8 24/22")[0].startswith("5-2: X plays ")
    assert game.session.game.match.to_act == 0
    assert undo(game, CONTROL) == ["Undone: you are to play 5-2."]
    assert game.session.game.match.to_act == 1


def test_the_board_turns_to_whoever_is_to_act_among_people():
    game, _ = game_against("human", (3, 1))
    assert show_board(game)[-2].endswith("+   O")
    make_play(game, CONTROL, "8/5 6/5")
    assert show_board(game)[-2].endswith("+   X")


def test_a_turn_without_a_play_passes_by_itself_among_people_too():
    session = make_session([(6, 5)])
    closed = position({25: 1, 1: 14}, {19: 3, 20: 3, 21: 3, 22: 2, 23: 2, 24: 2})
    session.set_position(closed, MatchState())
    game = ReplGame(session)
    assert play_against(game, CONTROL, "human") == ["You play O and X from here."]
    assert roll(game, CONTROL) == ["O rolls 6-5.", "6-5: O cannot move."]
    assert session.game.match.to_act == 1


def test_an_engine_takes_over_from_people():
    game, _ = game_against("human", (3, 1), (5, 2))
    make_play(game, CONTROL, "8/5 6/5")
    lines = play_against(game, CONTROL, "net")
    assert lines[0] == "The game continues against net."
    assert lines[1].startswith("5-2: gammond plays ")


def test_the_word_play_names_the_player_and_the_level_says_what_it_leaves_to_it():
    talk = make_talk("play against pubeval", rolls=[(3, 1)])
    assert talk.session.engine_settings.player == "pubeval"
    assert talk.answer("level")[-1].endswith("normal. pubeval chooses the plays (engine.player).")
    talk.answer("leave")
    assert talk.answer("set engine.player net") == ["ok set engine.player=net"]
    assert talk.answer("level")[-1].endswith("filter normal.")

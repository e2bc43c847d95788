"""Entrants: players loaded before the games, with the cube or without."""

import numpy as np
import pytest

from gammond.engine.errors import UnsupportedError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.nets.catalogue import collect_net_hashes, load_player
from gammond.tools.tournament.backgammon import TournamentRules
from gammond.tools.tournament.entrants import load_cube_player
from tests.support import boards

LAST_ROLL = boards.position({4: 1, 1: 1}, {24: 1})


def test_entrants_know_their_nets_and_whether_they_take_their_time():
    names = ["default", "default:plies=1,filter=tiny", "random"]
    plain, deep, random = TournamentRules().load_entrants(names)
    assert plain.nets == collect_net_hashes("default")
    assert deep.nets == collect_net_hashes("default:plies=1,filter=tiny")
    assert (plain.is_deep, deep.is_deep, random.is_deep) == (False, True, False)
    assert (random.name, random.title, random.nets) == ("random", "random", {})


def test_an_evaluator_may_handle_the_cube_for_another_player():
    table = load_cube_player("pubeval", "default")
    chosen = table.choose_play(Position.start(), (3, 1), MatchState()).play.result.board
    own = load_player("pubeval").choose(Position.start().board[None].copy(), np.array([[3, 1]], np.int8))[0]
    assert chosen.tolist() == own.tolist()
    assert table.should_double(LAST_ROLL, MatchState())
    assert load_cube_player("default", "pubeval").engine.name == load_cube_player("default").engine.name
    with pytest.raises(UnsupportedError, match="'random' has no cube decisions"):
        load_cube_player("pubeval", "random")


def test_the_cube_counts_for_cube_players_as_deep_as_they_look_and_err():
    plain, deep = load_cube_player("default"), load_cube_player("default:plies=1,filter=tiny,seed=2")
    assert plain.settings.is_cubeful
    assert deep.settings.is_cubeful
    assert (plain.settings.plies, deep.settings.plies, deep.settings.filter_name) == (0, 1, "tiny")


def test_errors_stay_those_of_the_options():
    sound, erring = load_cube_player("default"), load_cube_player("default:noise=900,seed=2")
    same = load_cube_player("default:noise=900,seed=2")
    rolls = [(die, other) for die in range(2, 7) for other in range(1, die)]
    choices = [
        [player.choose_play(Position.start(), roll, MatchState()).play for roll in rolls]
        for player in (sound, erring, same)
    ]
    assert choices[1] == choices[2]
    assert choices[0] != choices[1]


def test_cube_players_double_before_their_last_roll():
    assert load_cube_player("default").should_double(LAST_ROLL, MatchState())
    assert not load_cube_player("default").should_double(Position.start(), MatchState())

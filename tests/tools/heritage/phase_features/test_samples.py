"""Positions of games with their winners."""

import numpy as np

from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import RandomPlayer
from gammond.engine.rules.position import CHECKERS, OFF
from gammond.tools.heritage.phase_features.command import sample_games

PLAYERS = RandomPlayer(1), RandomPlayer(2)


def test_every_turn_of_every_game_is_there_and_the_last_one_won():
    samples = sample_games(*PLAYERS, 10, seed=3)
    points = play_games(*PLAYERS, 10, seed=3).kinds
    assert sorted(set(samples.games.tolist())) == list(range(10))
    for game in range(10):
        own = samples.games == game
        boards, won = samples.boards[own], samples.won[own]
        over = (boards[:, 1, OFF] == CHECKERS).tolist()
        assert over == [False] * (len(over) - 1) + [True]
        assert won[-1] == 1.0
        assert won.tolist() == [float((len(won) - 1 - turn) % 2 == 0) for turn in range(len(won))]
        first_player_played_last = (game + len(won) - 1) % 2 == 0
        assert (points[game] > 0) == first_player_played_last


def test_whole_games_are_set_aside_the_last_one_in_twenty_but_two_at_least():
    samples = sample_games(*PLAYERS, 10, seed=3)
    learned, aside = samples.split(10)
    assert set(aside.games.tolist()) == {8, 9}
    assert len(learned) + len(aside) == len(samples)
    assert set(learned.games.tolist()).isdisjoint(aside.games.tolist())
    assert set(samples.split(100)[1].games.tolist()) == set()
    np.testing.assert_array_equal(aside.won, samples.won[samples.games >= 8])


def test_games_that_do_not_end_leave_nothing_to_learn(monkeypatch):
    whole = sample_games(*PLAYERS, 10, seed=3)
    lengths = np.bincount(whole.games)
    limit = int(np.sort(lengths)[5])
    monkeypatch.setattr("gammond.engine.play.lockstep.MAX_TURNS", limit)
    cut = sample_games(*PLAYERS, 10, seed=3)
    assert set(cut.games.tolist()) == set(np.flatnonzero(lengths <= limit).tolist())

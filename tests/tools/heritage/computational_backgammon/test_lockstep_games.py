"""Games side by side: from the start to the end, every play legal."""

from itertools import pairwise

import numpy as np

from engine.play.player import RandomPlayer
from engine.rules.moves import expand_rolls
from engine.rules.position import Position
from nets.players.pubeval import PubevalPlayer
from tools.heritage.computational_backgammon.lockstep_games import _draw_rolls, play_in_lockstep


def test_every_position_follows_from_the_one_before():
    games = list(play_in_lockstep(PubevalPlayer(), RandomPlayer(), 6, np.random.default_rng(1)))
    assert len(games) == 6
    rolls = np.array([(high, low) for high in range(1, 7) for low in range(1, high + 1)], np.int8)
    for boards in games:
        assert (boards[0] == Position.start().board).all()
        assert boards[-1, 1, 0] == 15
        assert not (boards[:-1, :, 0] == 15).any()
        for before, after in pairwise(boards):
            children, _, _ = expand_rolls(np.repeat(before[None], 21, axis=0), rolls)
            assert (children == after).all(axis=(1, 2)).any()


def test_the_first_player_begins_the_even_games_and_pubeval_wins_them_all():
    games = play_in_lockstep(PubevalPlayer(), RandomPlayer(), 8, np.random.default_rng(2))
    starters_won = [len(boards) % 2 == 0 for boards in games]  # the last position is seen by the loser
    assert sum(starters_won) == 4


def test_openings_have_two_different_dice_and_other_rolls_any():
    opening = _draw_rolls(np.random.default_rng(3), 3000, unequal=True)
    assert len(np.unique(opening, axis=0)) == 30
    assert (opening[:, 0] != opening[:, 1]).all()
    assert len(np.unique(_draw_rolls(np.random.default_rng(3), 3000, unequal=False), axis=0)) == 36

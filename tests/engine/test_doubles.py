"""Players in games where doubles are two moves."""

from __future__ import annotations

import numpy as np
import pytest

from engine.doubles import Doubles, TwoMovePlayer, playing_doubles
from engine.errors import UnsupportedError
from engine.games import play_games
from engine.moves import expand_rolls, expand_two_moves
from engine.players import EvaluatorPlayer, PlayPicker, RandomPlayer, ScorerPlayer
from nets.loading import load_player
from nets.pubeval import PubevalPlayer
from tests import boards


class PipScorer:
    """Likes to have gone far."""

    def scores(self, positions):
        return -(positions[:, 1] @ np.arange(26)).astype(np.float32)


PICKERS = [
    EvaluatorPlayer(boards.RacingJudge()),
    ScorerPlayer("pips", PipScorer()),
    RandomPlayer(3),
    PubevalPlayer(),
    load_player("heuristic"),
]


@pytest.mark.parametrize("player", PICKERS, ids=lambda player: player.name)
def test_what_a_player_picks_among_the_usual_plays_is_what_it_chooses(player):
    assert isinstance(player, PlayPicker)
    sample, dice = boards.played_boards(boards.RacingJudge(), 200, seed=1), boards.random_rolls(200, seed=2)
    children, _, offsets = expand_rolls(sample, dice)
    assert np.array_equal(children[player.pick(sample, dice, children, offsets)], player.choose(sample, dice))


@pytest.mark.parametrize("player", PICKERS, ids=lambda player: player.name)
def test_a_double_takes_a_player_two_moves_far(player):
    sample = boards.played_boards(boards.RacingJudge(), 100, seed=3)
    dice = np.full((100, 2), 2, np.int8)
    two = TwoMovePlayer(player)
    assert two.name == player.name
    children, _, offsets = expand_two_moves(sample, dice)
    for i, chosen in enumerate(two.choose(sample, dice)):
        assert (children[offsets[i] : offsets[i + 1]] == chosen).all(axis=(1, 2)).any()


def test_games_without_long_doubles_take_longer():
    class Turns:
        count = 0

        def add(self, games, seat, dice, after):
            self.count += len(games)

    turns = []
    for doubles in Doubles:
        player, log = playing_doubles(PICKERS[0], doubles), Turns()
        play_games(player, player, 200, seed=4, log=log)
        turns.append(log.count)
    assert 1.1 * turns[0] < turns[1]


def test_a_player_that_looks_ahead_is_refused():
    class Deep:
        name = "deep"

        def choose(self, positions, dice):
            raise AssertionError

    assert playing_doubles(Deep(), Doubles.FOUR).name == "deep"
    with pytest.raises(UnsupportedError, match="deep plays doubles as four moves alone") as caught:
        playing_doubles(Deep(), Doubles.TWO)
    assert caught.value.field == "doubles"

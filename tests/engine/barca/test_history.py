"""The positions of a game, packed."""

from __future__ import annotations

import random

import pytest

from engine.barca.history import PositionHistory
from engine.barca.position import KEY_BYTES, BarcaPosition
from tests.engine.barca.naive_search import play_randomly

pytestmark = pytest.mark.nojit


def test_a_history_is_the_list_of_its_keys():
    """Keys of two values only: many begin in the middle of others."""
    draw = random.Random(1)
    keys = [bytes(draw.choices((0, 1), weights=(9, 1), k=KEY_BYTES)) for _ in range(300)]
    history = PositionHistory(b"")
    for key in keys:
        history = history.append(key)
    assert list(history) == keys
    assert len(history) == len(keys)
    assert history.first == keys[0]
    assert [history.count(key) for key in keys] == [keys.count(key) for key in keys]
    assert max(map(keys.count, keys)) > 10


def test_keys_have_the_length_that_histories_expect():
    assert len(BarcaPosition.start().key) == KEY_BYTES


def test_a_game_has_its_moves_and_positions():
    game = play_randomly(30, seed=2)
    replayed = [type(game).start()]
    for move in game.moves:
        replayed.append(replayed[-1].play(move))
    assert replayed[-1] == game
    assert game.last_move == game.moves[-1]
    assert list(game.history) == [each.position.key for each in replayed]

"""``random`` as people write it."""

import numpy as np

from gammond.engine.play.player import RandomPlayer
from gammond.nets.catalogue import load_player
from tests.support import boards

SAMPLE = boards.random_boards(300, seed=1)
DICE = boards.random_rolls(300, seed=2)


def test_the_seed_is_that_of_the_name():
    assert load_player("random").name == "random"
    assert load_player("random:seed=7").name == "random:seed=7"
    chosen = load_player("random:seed=7").choose(SAMPLE, DICE)
    assert np.array_equal(chosen, RandomPlayer(7).choose(SAMPLE, DICE))
    assert not np.array_equal(chosen, load_player("random").choose(SAMPLE, DICE))

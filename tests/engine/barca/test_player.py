"""Players of Barca: levels, the choice by merit, names with options."""

from collections import Counter

import numpy as np
import pytest

from gammond.engine.barca.evaluation import HAND_WEIGHTS, EvaluationVector
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.kernels.search import WIN_SCORE
from gammond.engine.barca.player import (
    LEVELS,
    BarcaRandomPlayer,
    BarcaSearchPlayer,
    choose_by_merit,
    compute_choice_weights,
    make_player,
)
from gammond.engine.barca.search import SearchLimits, search
from gammond.engine.errors import FormatError, ValueRangeError
from tests.engine.barca import naive_search


@pytest.mark.nojit
def test_better_moves_are_likelier_and_those_that_lose_are_left_out_unless_all_do():
    weights = compute_choice_weights([50, 40, 40, -10, -30])
    assert weights.sum() == pytest.approx(1.0)
    assert (weights > 0).all()
    assert (np.diff(weights) < 0).all()
    assert compute_choice_weights([7, 7, 7]).tolist() == pytest.approx([1 / 3] * 3)
    assert compute_choice_weights([10, 5, 2 - WIN_SCORE])[2] == 0.0
    assert (compute_choice_weights([4 - WIN_SCORE, 2 - WIN_SCORE]) > 0).all()
    assert compute_choice_weights([WIN_SCORE - 1, 50, 40, 30, 20])[0] > 0.9


def test_choices_are_seeded_and_follow_merit():
    game = naive_search.play_randomly(6, seed=1)
    lines = search(game, SearchLimits(1, multipv=5)).lines
    chosen = [choose_by_merit(lines, game, seed) for seed in range(400)]
    assert chosen == [choose_by_merit(lines, game, seed) for seed in range(400)]
    shares = compute_choice_weights([line.score for line in lines])
    counts = Counter(chosen)
    for line, share in zip(lines, shares, strict=True):
        assert counts[line.move] / 400 == pytest.approx(share, abs=0.1)


def test_a_player_that_takes_the_best_plays_that_of_the_search():
    game = naive_search.play_randomly(8, seed=2)
    assert make_player("search:depth=3").choose(game) == search(game, SearchLimits(3)).move


@pytest.mark.parametrize("name", ["easy", "medium", "random", "search:nodes=2000", "hard:depth=2"])
def test_players_play_legal_moves_and_the_same_ones_again(name):
    game = BarcaGame.start()
    player, other = make_player(name), make_player(name)
    for _ in range(6):
        move = player.choose(game)
        assert move in game.legal_moves()
        assert move == other.choose(game)
        game = game.play(move)


def test_seeds_make_different_games():
    moves = {make_player(f"easy:seed={seed}").choose(BarcaGame.start()) for seed in range(12)}
    assert len(moves) > 1
    assert len({make_player(f"random:seed={seed}").choose(BarcaGame.start()) for seed in range(12)}) > 5


def test_a_level_has_its_options_and_takes_others():
    hard, weak = make_player("hard"), make_player("hard:depth=1,among=3")
    assert isinstance(hard, BarcaSearchPlayer)
    assert isinstance(weak, BarcaSearchPlayer)
    assert (hard.limits.depth, hard.limits.multipv) == (LEVELS["hard"].depth, LEVELS["hard"].among)
    assert (weak.limits.depth, weak.limits.multipv) == (1, 3)
    assert isinstance(make_player("random:seed=4"), BarcaRandomPlayer)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("best", ValueRangeError),
        ("search:depth=99", ValueRangeError),
        ("search", ValueRangeError),
        ("random:depth=2", FormatError),
    ],
)
def test_names_that_are_none_are_refused(name, error):
    with pytest.raises(error, match="expected"):
        make_player(name)


def test_a_player_plays_by_twelve_numbers_of_ones_own():
    edge = EvaluationVector((0, 0, 0, 0), (0, 0, 0, 0), 0, 0, -100, 0)
    assert edge.to_text() == "0/0/0/0/0/0/0/0/0/0/-100/0"
    player = make_player(f"search:depth=1,weights={edge.to_text()}")
    assert player.vector == edge
    assert player.choose(BarcaGame.start()) != make_player("search:depth=1").choose(BarcaGame.start())
    hand = make_player(f"search:depth=1,weights={HAND_WEIGHTS.to_text()}")
    assert hand.vector == HAND_WEIGHTS


@pytest.mark.parametrize(
    "weights", ["1/2/3", "0/0/0/0/0/0/0/0/0/0/0/x", "1/2/3/4/5/6/7/8/9/10/11/10001", "0/0/0/0/0/0/0/0/0/0/0/"]
)
def test_other_numbers_than_twelve_integers_within_bounds_are_refused(weights):
    with pytest.raises(ValueRangeError, match="expected") as caught:
        make_player(f"search:depth=1,weights={weights}")
    assert caught.value.field == "weights"

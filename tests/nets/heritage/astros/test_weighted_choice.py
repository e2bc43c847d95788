"""A choice among the best five by merit."""

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.evaluator import choose_best_children
from gammond.engine.rules.position import Position
from gammond.engine.search import IterativeSearch, TreeSearch
from gammond.engine.search.tree import Objective
from gammond.nets.heritage.astros.leaf_evaluators import EquityLeafEvaluator
from gammond.nets.heritage.astros.star_evaluator import Cutoffs
from gammond.nets.heritage.astros.star_search import StarSearch
from gammond.nets.heritage.astros.weighted_choice import (
    DeepWeightedChoicePlayer,
    WeightedChoicePlayer,
    WeightedDraw,
    average_exactly,
    compute_choice_weights,
    rank_few,
)
from tests.support import boards
from tests.support.evaluators import RacingEvaluator
from tests.support.players import rank_choices

SAMPLE = boards.played_boards(RacingEvaluator(), 400, seed=3)[:200]
DICE = boards.random_rolls(200, seed=4)
LEAVES = EquityLeafEvaluator(RacingEvaluator())


def rank(player):
    return rank_choices(player, SAMPLE, DICE, lambda children: -LEAVES.evaluate(children))


def test_weights_are_merits_or_rising_sums_of_them():
    values = [0.4, 0.3, 0.2, 0.1, 0.0]
    merits = np.array([0.404, 0.304, 0.204, 0.104, 0.004])
    assert compute_choice_weights(values, is_cumulative=False) == pytest.approx(merits / merits.sum())
    sums = np.array([1.02, 0.616, 0.312, 0.108, 0.004])
    assert compute_choice_weights(values) == pytest.approx(sums / sums.sum())
    assert compute_choice_weights(values)[0] == pytest.approx(0.495, abs=1e-3)
    assert compute_choice_weights(1000 * np.array(values) - 7) == pytest.approx(sums / sums.sum())
    assert compute_choice_weights([0.2, 0.2, 0.2]) == pytest.approx([1 / 3] * 3)
    assert compute_choice_weights([-0.7]) == pytest.approx([1.0])


def test_choices_are_among_the_best_five_and_the_better_ones_more_often():
    found, counts = rank(WeightedChoicePlayer("merit", LEAVES, WeightedDraw()))
    assert found.max() < 5
    wide = found[counts >= 8]
    shares = np.bincount(wide, minlength=5) / len(wide)
    assert shares[0] > 0.35
    assert shares[0] > shares[1] > shares[4]
    plain, _ = rank(WeightedChoicePlayer("merit", LEAVES, WeightedDraw(is_cumulative=False)))
    assert plain.mean() > found.mean()


def test_among_one_it_plays_the_best():
    chosen = WeightedChoicePlayer("merit", LEAVES, WeightedDraw(1)).choose(SAMPLE, DICE)
    assert np.array_equal(chosen, choose_best_children(RacingEvaluator(), SAMPLE, DICE)[0])


def test_the_order_of_the_dice_does_not_matter():
    player = WeightedChoicePlayer("merit", LEAVES, WeightedDraw(seed=3))
    assert np.array_equal(player.choose(SAMPLE, DICE[:, ::-1].copy()), player.choose(SAMPLE, DICE))


def test_at_0_ply_it_chooses_as_without_search_and_deeper_among_the_best_by_depth():
    few, dice = SAMPLE[::40], DICE[::40]
    at_0_ply = WeightedChoicePlayer("merit", LEAVES, WeightedDraw(seed=3)).choose(few, dice)
    search = StarSearch(LEAVES)
    for none in (average_exactly(search, 0), rank_few(usual_search(), 0)):
        assert np.array_equal(
            DeepWeightedChoicePlayer("merit", none, WeightedDraw(seed=3)).choose(few, dice), at_0_ply
        )
    deep = DeepWeightedChoicePlayer("merit", average_exactly(search, 1), WeightedDraw(2))
    for board, roll, choice in zip(few, dice.tolist(), deep.choose(few, dice), strict=True):
        best = search.search(Position(board), tuple(roll), 1, count=2).best
        assert any(np.array_equal(choice, play.result) for play in best)


def usual_search():
    return IterativeSearch(Objective(RacingEvaluator()), TreeSearch())


def test_the_engines_look_ahead_takes_the_best_plays_at_0_ply():
    looked, exact = rank_few(usual_search(), 1), StarSearch(LEAVES, cutoffs=Cutoffs.NONE)
    for board, roll in zip(SAMPLE[::40], DICE[::40].tolist(), strict=True):
        position, roll = Position(board), tuple(roll)
        shallow = {play.result.tobytes() for play in exact.search(position, roll, 0, count=3).best}
        deep = {p.result.tobytes(): p.value for p in exact.search(position, roll, 1, count=200).best}
        found = looked(position, roll, 3, None)
        assert {result.tobytes() for _, result in found} == shallow
        values = [value for value, _ in found]
        assert values == sorted(values, reverse=True)
        if len(deep) > 1:  # a single play costs no look-ahead
            assert values == pytest.approx([deep[result.tobytes()] for _, result in found], abs=1e-5)


def test_bad_arguments_are_named():
    with pytest.raises(ValueRangeError, match="expected 1 candidate or more, got 0") as caught:
        WeightedDraw(0)
    assert caught.value.field == "among"
    with pytest.raises(ValueRangeError, match="expected a seed of 0 or more"):
        WeightedDraw(seed=-1)

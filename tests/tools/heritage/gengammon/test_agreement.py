"""Packed expert moves: nets place the experts' plays there as they do when each board is scored by itself."""

import functools

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.nets.heritage.gengammon.net import ACTIVATIONS, GengammonNet, encode_counts
from gammond.tools.heritage.gengammon.agreement import (
    FITNESSES,
    compute_ranked_first,
    count_moves,
    measure_agreements,
    pack_moves,
    rank_by_net,
)
from gammond.tools.heritage.gengammon.expert_moves.dataset import list_candidates
from gammond.tools.heritage.gengammon.kernels import mimic as kernel
from tests.tools.heritage.gengammon.teaching import expert_moves, random_net, random_player, rank_by_ratings

EVERY = np.arange(60)


@functools.cache
def moves_of_experts():
    return expert_moves(len(EVERY), seed=3)


@functools.cache
def plays_of_experts():
    return list_candidates(moves_of_experts())


@functools.cache
def pack_all():
    return pack_moves(moves_of_experts().boards, plays_of_experts())


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_net_places_experts_as_it_scores_the_boards(activation):
    net = random_net(1, activation)
    found = rank_by_net(pack_all(), EVERY, net)
    expected = rank_by_ratings(
        net.score_boards(plays_of_experts().boards), plays_of_experts().offsets, plays_of_experts().chosen
    )
    np.testing.assert_array_equal(found.candidates, expected.candidates)
    for name in ("rating", "lowest", "highest"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-4)
    assert (found.above == expected.above).mean() > 0.98  # sums in another order may tip near ties
    assert (found.equal == expected.equal).mean() > 0.98


def test_moves_can_be_scored_in_part_and_in_any_order():
    net = random_net(2)
    every = rank_by_net(pack_all(), EVERY, net)
    some = rank_by_net(pack_all(), np.array([7, 3, 50]), net)
    np.testing.assert_array_equal(some.rating, every.rating[[7, 3, 50]])
    np.testing.assert_array_equal(some.above, every.above[[7, 3, 50]])


def test_whoever_chose_agrees_with_himself():
    moves = expert_moves(200, seed=4, expert=random_player(5))
    packed = pack_moves(moves.boards, list_candidates(moves))
    nets = [random_net(5), random_net(6)]
    own, other = measure_agreements(packed, nets, "2", np.arange(200), threads=1)
    assert own.ranked_first > 0.97
    assert own.fitness > 0.99
    assert other.ranked_first < own.ranked_first - 0.25


def test_a_net_without_ideas_ties_everything():
    nothing = GengammonNet(np.zeros((26, 52), np.float32), "linear")
    (found,) = measure_agreements(pack_all(), [nothing], "2", EVERY, threads=1)
    counts = np.diff(plays_of_experts().offsets)
    assert found.ranked_first == pytest.approx((1 / counts).mean())
    assert found.fitness == pytest.approx(np.where(counts > 1, 0.5, 1.0).mean())


def test_threads_do_not_change_what_comes_out():
    nets = [random_net(seed) for seed in range(5)]
    alone = measure_agreements(pack_all(), nets, "3-nearness", EVERY, threads=1)
    assert measure_agreements(pack_all(), nets, "3-nearness", EVERY, threads=3) == alone
    one = rank_by_net(pack_all(), EVERY, nets[2])
    assert alone[2].fitness == FITNESSES["3-nearness"](one).mean()
    assert alone[2].ranked_first == compute_ranked_first(one).mean()


def test_no_expert_move_is_a_data_file_error():
    none = moves_of_experts().select(np.zeros(len(moves_of_experts()), np.bool_))
    with pytest.raises(DataFileError, match="at least one expert move") as caught:
        pack_moves(none.boards, list_candidates(none))
    assert caught.value.field == "moves"


def _slow_loss(weights, activation: str, sharpness: float) -> float:
    """The cross entropy in double precision, board by board."""
    entering = encode_counts(plays_of_experts().boards).astype(np.float64) @ weights
    units = entering if activation == "linear" else entering / (1 + np.abs(entering))
    ratings = sharpness * units.sum(axis=1)
    loss = 0.0
    for i in range(len(moves_of_experts())):
        own = ratings[plays_of_experts().offsets[i] : plays_of_experts().offsets[i + 1]]
        loss += np.log(np.exp(own - own.max()).sum()) + own.max() - ratings[plays_of_experts().chosen[i]]
    return loss


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_gradient_is_that_of_the_cross_entropy(activation):
    net = random_net(7, activation, spread=0.05)
    gradient = np.zeros_like(net.padded_weights)
    loss = kernel.add_gradient(pack_all(), EVERY, net.padded_weights, ACTIVATIONS[activation], 2.0, gradient)
    weights = net.padded_weights.astype(np.float64)
    assert loss == pytest.approx(_slow_loss(weights, activation, 2.0), rel=1e-4)
    for place, unit in [(5, 0), (24, 3), (31, 25), (51, 7), (12, 12)]:
        moved = [weights.copy(), weights.copy()]
        moved[0][place, unit] += 1e-4
        moved[1][place, unit] -= 1e-4
        slope = (_slow_loss(moved[0], activation, 2.0) - _slow_loss(moved[1], activation, 2.0)) / 2e-4
        assert gradient[place, unit] == pytest.approx(slope, rel=0.02, abs=0.01)
    assert count_moves(pack_all()) == len(moves_of_experts())

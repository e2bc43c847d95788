"""Genes: what mutation and crossover may change, and the nets that genes stand for."""

import numpy as np
import pytest

from gammond.tools.heritage.gengammon import genetic_algorithm as genes

GENERATOR = np.random.default_rng(1)
FIRST, SECOND = genes.make_random_genes(2, GENERATOR)


def _differing_bits(one, other) -> int:
    return int(np.unpackbits((one ^ other).view(np.uint8)).sum())


def test_a_gene_has_a_number_for_each_weight_of_the_hidden_layer():
    net = genes.decode_net(FIRST, "linear")
    assert FIRST.shape == (26 * 52,)
    assert net.weights.shape == (26, 52)
    np.testing.assert_allclose(net.weights.ravel(), FIRST / 2.0**28, rtol=1e-6)
    assert 0.2 < np.abs(net.weights).max() <= 0.25


def test_any_number_is_a_weight_below_8():
    ends = np.array([-(2**31), 2**31 - 1] * 676, np.int32)
    assert np.abs(genes.decode_net(ends, "linear").weights).max() == 8.0


def test_a_swap_lets_two_weights_change_places():
    changed = genes.mutate_by_swaps(FIRST, 1, np.random.default_rng(2))
    moved = np.flatnonzero(changed != FIRST)
    assert len(moved) == 2
    np.testing.assert_array_equal(changed[moved], FIRST[moved[::-1]])
    many = genes.mutate_by_swaps(FIRST, 500, np.random.default_rng(3))
    np.testing.assert_array_equal(np.sort(many), np.sort(FIRST))


@pytest.mark.parametrize("bits", [1, 3])
def test_a_bit_mutation_changes_as_many_bits_as_given(bits):
    changed = genes.mutate_by_bits(FIRST, bits, np.random.default_rng(4))
    assert _differing_bits(changed, FIRST) == bits


def test_any_bit_can_be_changed_the_sign_too():
    generator = np.random.default_rng(5)
    changes = np.array([genes.mutate_by_bits(FIRST, 1, generator) ^ FIRST for _ in range(2000)])
    assert len(np.unique(changes[changes != 0].view(np.uint32))) == 32


def test_a_crossover_by_weights_takes_each_whole_from_one_parent():
    child = genes.cross_by_weights(FIRST, SECOND, np.random.default_rng(6))
    assert ((child == FIRST) | (child == SECOND)).all()
    assert 0.4 < (child == FIRST).mean() < 0.6


def test_a_crossover_by_bits_takes_each_bit_from_one_parent():
    child = genes.cross_by_bits(FIRST, SECOND, np.random.default_rng(7))
    assert not ((child ^ FIRST) & (child ^ SECOND)).any()
    assert (child == FIRST).mean() < 0.01
    share = _differing_bits(child, FIRST) / _differing_bits(SECOND, FIRST)
    assert 0.45 < share < 0.55


def test_parents_stay_as_they_are():
    before = FIRST.copy(), SECOND.copy()
    genes.mutate_by_swaps(FIRST, 9, GENERATOR)
    genes.mutate_by_bits(FIRST, 9, GENERATOR)
    genes.cross_by_bits(FIRST, SECOND, GENERATOR)
    np.testing.assert_array_equal((FIRST, SECOND), before)

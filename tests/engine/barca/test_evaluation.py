"""The board evaluation vector: each heuristic by name, and all together against a slow twin."""

import pytest

from gammond.engine.barca.evaluation import (
    HAND_WEIGHTS,
    LEARNED_WEIGHTS,
    MAX_WEIGHT,
    EvaluationVector,
    evaluate,
    list_conditions,
    load_weights,
)
from gammond.engine.barca.position import BarcaPosition, parse_square
from gammond.engine.errors import ValueRangeError
from tests.engine.barca import naive_search

ODD_WEIGHTS = EvaluationVector.from_list([-211, -97, 89, 5003, 7, 11, 31, 101, 13, -29, 5, 17])
ASIDE = "b1 i1 a3 j3 a5 j5 b10 i10 a8 j8 e10 f10"
"""Squares on which animals have no way to a hole, and are beside none and no other kind of their side."""


def place(**squares):
    """Make a position with White to move, from names of animals, as in `e1="d4"`, for elephants."""
    names = ["e1", "e2", "l1", "l2", "m1", "m2", "E1", "E2", "L1", "L2", "M1", "M2"]
    places = dict(zip(names, ASIDE.split(), strict=True)) | squares
    return BarcaPosition([parse_square(places[name]) for name in names], 0)


def conditions(position, side=0):
    return list_conditions(position)[side].tolist()


@pytest.mark.nojit
def test_watering_holes_are_counted_from_none_to_three():
    assert conditions(place())[:4] == [1, 0, 0, 0]
    assert conditions(place(e1="d4"))[:4] == [0, 1, 0, 0]
    assert conditions(place(e1="d4", m1="g7"))[:4] == [0, 0, 1, 0]
    assert conditions(place(E1="d4", E2="g4", L1="g7"), side=1)[:4] == [0, 0, 0, 1]


@pytest.mark.nojit
def test_holes_next_turn_are_counted_by_the_ways_to_them():
    assert conditions(place(m1="d1"))[4:8] == [0, 2, 0, 0]
    assert conditions(place(m1="d4", m2="g1", E1="d7"))[4:8] == [0, 0, 3, 0]


@pytest.mark.nojit
def test_a_way_ends_at_the_first_animal():
    free = place(m1="d1")
    blocked = place(m1="d1", L1="d2")
    assert sum(conditions(free)[4:8]) == 2
    assert sum(conditions(blocked)[4:8]) == 0


@pytest.mark.nojit
def test_an_animal_goes_to_a_hole_only_as_it_moves():
    for animal, ways in (("m1", 0), ("l1", 2), ("e1", 2)):
        assert sum(conditions(place(**{animal: "b2"}))[4:8]) == ways
    for animal, ways in (("m1", 2), ("l1", 1), ("e1", 3)):
        assert sum(conditions(place(**{animal: "d1"}))[4:8]) == ways


@pytest.mark.nojit
def test_an_animal_that_fears_the_place_has_no_way_to_it():
    assert sum(conditions(place(m1="d1", L1="c5"))[4:8]) == 1
    assert sum(conditions(place(m1="d1", E1="c5"))[4:8]) == 2


@pytest.mark.nojit
def test_from_hole_to_hole_there_is_a_way_but_no_gain():
    position = place(m1="d4")
    assert conditions(position)[4:8] == [0, 2, 0, 0]


@pytest.mark.nojit
def test_animals_beside_holes_are_counted_and_those_on_them_are_not():
    assert conditions(place(e1="d5", m1="h8", l1="d7"))[8] == 2


@pytest.mark.nojit
def test_scared_animals_are_counted_once_each():
    assert conditions(place(m1="d2", L1="d1", L2="e1", e1="a2"))[9] == 1
    assert conditions(place(m1="e5", l1="f6", e1="d6", L1="e4", E1="g6", M1="d7"))[9] == 3


@pytest.mark.nojit
def test_proximity_to_the_center_goes_from_the_edge_to_four():
    base = conditions(place())[10]
    for square, steps in (("a6", 0), ("b6", 1), ("c8", 2), ("d6", 3), ("e5", 4), ("f6", 4)):
        assert conditions(place(m1=square))[10] - base == steps


@pytest.mark.nojit
def test_neighbours_of_different_kinds_are_pairs_and_of_the_same_kind_are_not():
    assert conditions(place(e1="e1", l1="e2", m1="f2"))[11] == 3
    assert conditions(place(e1="e1", e2="e2"))[11] == 0
    assert conditions(place(e1="e1", L1="e2"))[11] == 0


@pytest.mark.nojit
@pytest.mark.parametrize("weights", [HAND_WEIGHTS, ODD_WEIGHTS])
def test_evaluation_is_that_of_the_slow_twin(weights):
    for position in naive_search.make_random_positions(60, seed=1) + naive_search.make_random_positions(
        60, seed=2, spread=25
    ):
        assert evaluate(position, weights) == naive_search.evaluate(position, weights)


def test_scared_animals_are_those_of_the_rules():
    for position in naive_search.make_random_positions(200, seed=3, spread=40):
        for side in range(2):
            assert conditions(position, side)[9] == naive_search.count_scared(position, side)


def test_evaluation_is_the_product_of_conditions_and_vector():
    for position in naive_search.make_random_positions(100, seed=4):
        own, other = list_conditions(position)[[position.side, 1 - position.side]]
        assert evaluate(position, ODD_WEIGHTS) == (own - other) @ ODD_WEIGHTS.to_array()


def test_what_one_side_gains_the_other_loses():
    for position in naive_search.make_random_positions(50, seed=5):
        if max(list_conditions(position)[:, 3]) == 0:
            mirrored = BarcaPosition(position.squares, 1 - position.side)
            assert evaluate(mirrored) == -evaluate(position)


def test_the_start_is_even():
    assert evaluate(BarcaPosition.start()) == 0


def test_weights_go_through_a_list_and_a_text():
    assert EvaluationVector.from_list(ODD_WEIGHTS.to_list()) == ODD_WEIGHTS
    assert load_weights(ODD_WEIGHTS.to_text()) == ODD_WEIGHTS


def test_weights_beyond_the_bound_are_refused():
    with pytest.raises(ValueRangeError, match="-10000 to 10000, got 10001"):
        EvaluationVector.from_list([MAX_WEIGHT + 1, *[0] * 11])
    with pytest.raises(ValueRangeError, match="expected 12 weights, got 3"):
        EvaluationVector.from_list([1, 2, 3])


def test_the_weights_by_hand_are_the_default():
    assert load_weights() == load_weights("hand") == HAND_WEIGHTS
    assert load_weights("learned") == LEARNED_WEIGHTS
    with pytest.raises(ValueRangeError, match="expected hand or learned, or 12 integers"):
        load_weights("best")

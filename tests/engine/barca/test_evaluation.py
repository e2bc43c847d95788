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

HOLDS, WAYS, BESIDE, SCARED, CENTER, MATES = slice(4), slice(4, 8), 8, 9, 10, 11


def conditions(places="", side=0):
    """Count the conditions where animals stand as named, ``e1 d4`` for the first of White's elephants."""
    names = ["e1", "e2", "l1", "l2", "m1", "m2", "E1", "E2", "L1", "L2", "M1", "M2"]
    words = places.split()
    squares = dict(zip(names, ASIDE.split(), strict=True)) | dict(zip(words[::2], words[1::2], strict=True))
    position = BarcaPosition([parse_square(squares[name]) for name in names], 0)
    return list_conditions(position)[side].tolist()


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("places", "side", "condition", "expected"),
    [
        ("", 0, HOLDS, [1, 0, 0, 0]),
        ("e1 d4 m1 g7", 0, HOLDS, [0, 0, 1, 0]),
        ("E1 d4 E2 g4 L1 g7", 1, HOLDS, [0, 0, 0, 1]),
        ("m1 d1", 0, WAYS, [0, 2, 0, 0]),
        ("m1 d4 m2 g1 E1 d7", 0, WAYS, [0, 0, 3, 0]),
        ("m1 d4", 0, WAYS, [0, 2, 0, 0]),  # from hole to hole there is a way, but no gain
        ("m1 d1 L1 d2", 0, WAYS, [0, 0, 0, 0]),  # a way ends at the first animal
        ("m1 b2", 0, WAYS, [0, 0, 0, 0]),
        ("e1 d1", 0, WAYS, [0, 3, 0, 0]),
        ("m1 d1 L1 c5", 0, WAYS, [0, 1, 0, 0]),  # the lion frightens the mouse from d4
        ("e1 d5 m1 h8 l1 d7", 0, BESIDE, 2),
        ("m1 d2 L1 d1 L2 e1 e1 a2", 0, SCARED, 1),
        ("m1 e5 l1 f6 e1 d6 L1 e4 E1 g6 M1 d7", 0, SCARED, 3),
        ("e1 e1 l1 e2 m1 f2", 0, MATES, 3),
        ("e1 e1 e2 e2", 0, MATES, 0),
        ("e1 e1 L1 e2", 0, MATES, 0),
    ],
)
def test_conditions_are_those_that_one_counts_by_hand(places, side, condition, expected):
    assert conditions(places, side)[condition] == expected


@pytest.mark.nojit
def test_proximity_to_the_center_goes_from_the_edge_to_four():
    for square, steps in (("a6", 0), ("b6", 1), ("c8", 2), ("d6", 3), ("e5", 4), ("f6", 4)):
        assert conditions(f"m1 {square}")[CENTER] - conditions()[CENTER] == steps


@pytest.mark.nojit
def test_conditions_and_evaluation_are_those_of_the_slow_twin():
    wide, narrow = (naive_search.make_random_positions(60, *each) for each in ((1,), (2, 25)))
    for position in [*wide, *narrow]:
        own, other = (naive_search.count_conditions(position, position.side ^ each) for each in (0, 1))
        assert list_conditions(position)[[position.side, 1 - position.side]].tolist() == [own, other]
        for weights in (HAND_WEIGHTS, ODD_WEIGHTS):
            products = zip(own, other, weights.to_list(), strict=True)
            assert evaluate(position, weights) == sum((a - b) * weight for a, b, weight in products)


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

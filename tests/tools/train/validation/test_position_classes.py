"""Classes of positions: what makes a position one of them, for either side."""

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.rules.position import Position, swap_sides
from gammond.tools.train.labels.sampling import SOURCES
from gammond.tools.train.validation.position_classes import (
    MOST_BACK,
    PLAYED_CLASSES,
    POSITION_CLASSES,
    count_back,
    has_two_anchors,
    parse_classes,
)
from tests.support import boards

COMING_HOME = {2: 4, 3: 3, 4: 3, 5: 3, 12: 2}
"""A side that brings its last two checkers home, in the numbering of the other side's home board."""


def make(own: dict[int, int], other: dict[int, int]) -> np.ndarray:
    """A board from counts by point of each side's own numbering; the other checkers are borne off."""
    return boards.position(own, {25 - point: count for point, count in other.items()}).board


# a class, positions of it, and positions that lack one thing to be of it
EXAMPLES = {
    "timed-backgame": (
        [make({24: 2, 22: 3, 13: 5, 8: 3, 6: 2}, {5: 3, 4: 3, 6: 4, 7: 3, 8: 2})],
        [
            make({24: 2, 22: 3, 6: 5, 5: 3, 4: 2}, {5: 3, 4: 3, 6: 4, 7: 3, 8: 2}),
            make({24: 4, 22: 1, 13: 5, 8: 3, 6: 2}, {5: 3, 4: 3, 6: 4, 7: 3, 8: 2}),
        ],
    ),
    "massive-backgame": (
        [make({24: 2, 22: 3, 21: 2, 13: 4, 8: 3, 6: 1}, {5: 3, 2: 3, 6: 4, 7: 3, 8: 2})],
        [make({24: 2, 22: 3, 13: 5, 8: 3, 6: 2}, {5: 3, 4: 3, 6: 4, 7: 3, 8: 2})],
    ),
    "crunched-backgame": (
        [make({24: 2, 22: 3, 6: 2, 3: 4, 2: 4}, {5: 3, 4: 3, 6: 4, 7: 3, 8: 2})],
        [make({24: 2, 22: 3, 16: 1, 6: 2, 3: 3, 2: 4}, {5: 3, 4: 3, 6: 4, 7: 3, 8: 2})],
    ),
    "backgame-1-3": (
        [make({24: 2, 22: 3, 6: 5, 8: 5}, {5: 3, 4: 3, 6: 4, 7: 3, 8: 2})],
        [
            make({24: 2, 23: 3, 6: 5, 8: 5}, {5: 3, 4: 3, 6: 4, 7: 3, 8: 2}),
            make({24: 2, 22: 3, 20: 2, 6: 5, 8: 3}, {4: 6, 6: 4, 7: 3, 8: 2}),
        ],
    ),
    "prime-against-prime": (
        [make({24: 2, 4: 2, 5: 3, 6: 3, 7: 2, 8: 3}, {24: 2, 4: 2, 5: 3, 6: 3, 7: 2, 8: 3})],
        [
            make({24: 2, 4: 2, 5: 3, 6: 3, 7: 2, 8: 3}, {24: 2, 4: 2, 5: 3, 6: 3, 13: 5}),
            make({24: 2, 4: 2, 5: 3, 6: 3, 7: 2, 8: 3}, {16: 2, 4: 2, 5: 3, 6: 3, 7: 2, 8: 3}),
        ],
    ),
    "containing": (
        [make({4: 2, 5: 2, 6: 3, 7: 3, 8: 3, 9: 2}, {25: 1, 3: 4, 2: 4, 1: 1})],
        [
            make({4: 2, 5: 2, 6: 3, 14: 8}, {25: 1, 3: 4, 2: 4, 1: 1}),
            make({4: 2, 5: 2, 6: 3, 7: 3, 8: 3, 9: 2}, {25: 1, 3: 4, 2: 4, 10: 1}),
            make({4: 2, 5: 2, 6: 3, 7: 3, 8: 3, 9: 2}, {25: 1, 3: 4, 2: 2}),
        ],
    ),
    "late-containment": (
        [make({4: 2, 5: 2, 6: 3, 7: 3, 8: 3, 9: 2}, {25: 1, 3: 4, 2: 2})],
        [make({4: 2, 5: 2, 6: 3, 7: 3, 8: 3, 9: 2}, {25: 1, 3: 4, 2: 3})],
    ),
    "crunched": (
        [make({24: 2, 1: 4, 2: 4, 6: 5}, COMING_HOME)],
        [make({24: 2, 1: 4, 2: 3, 6: 6}, COMING_HOME), make({18: 2, 1: 4, 2: 4, 6: 5}, COMING_HOME)],
    ),
    "ace-point": (
        [make({24: 2, 1: 3, 4: 5, 6: 5}, {2: 5, 4: 5, 6: 3})],
        [
            make({23: 2, 1: 3, 4: 5, 6: 5}, {1: 5, 4: 5, 6: 3}),
            make({24: 2, 1: 3, 4: 5, 6: 5}, {2: 5, 4: 5, 7: 3}),
            make({24: 2, 21: 1, 1: 3, 4: 5, 6: 4}, {2: 5, 5: 5, 6: 3}),
        ],
    ),
    "bear-in": (
        [make(COMING_HOME, {25: 1, 6: 6, 5: 4, 4: 4})],
        [
            make(COMING_HOME, {14: 1, 6: 6, 5: 4, 4: 4}),
            make({1: 2, 2: 2, 3: 3, 4: 4, 5: 4}, {25: 1, 6: 6, 5: 4, 4: 4}),
            make({6: 13, 14: 2}, {25: 1, 6: 6, 5: 4, 4: 4}),
        ],
    ),
    "many-off": (
        [make({24: 1, 6: 6}, {2: 5, 4: 5, 6: 3})],
        [make({24: 1, 6: 7}, {2: 5, 4: 5, 6: 3})],
    ),
    "long-race": ([make({7: 15}, {7: 15})], [make({3: 15}, {7: 15})]),
    "short-race": ([make({7: 5}, {7: 15})], [make({7: 6}, {7: 15})]),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_position_is_of_a_class_by_what_it_is_for_either_side(name):
    members, others = EXAMPLES[name]
    sample = np.stack([*members, *others])
    expected = [True] * len(members) + [False] * len(others)
    find = POSITION_CLASSES[name].find_members
    assert find(sample).tolist() == expected
    assert find(swap_sides(sample)).tolist() == expected


def test_positions_of_another_phase_are_of_no_class():
    race = make({6: 15}, {6: 7})[None]
    assert POSITION_CLASSES["race"].find_members(race).all()
    assert not POSITION_CLASSES["many-off"].find_members(race).any()
    assert not POSITION_CLASSES["contact"].find_members(race).any()


def test_each_contact_position_has_one_number_of_checkers_back_of_each_side():
    start = Position.start().board[None]
    deep = make({25: 1, 22: 4, 20: 2, 6: 8}, {18: 3, 6: 12})[None]
    assert count_back(np.concatenate([start, deep])).tolist() == [[2, 2], [MOST_BACK, 0]]
    for board, counts in ((start, (2, 2)), (deep, (MOST_BACK, 0))):
        for side, count in zip(("own", "other"), counts, strict=True):
            found = [
                POSITION_CLASSES[f"{side}-back-{number}"].find_members(board)[0]
                for number in range(MOST_BACK + 1)
            ]
            assert found == [number == count for number in range(MOST_BACK + 1)]


def test_classes_come_from_sources_that_there_are():
    assert {kind.source for kind in POSITION_CLASSES.values()} <= set(SOURCES)
    assert set(EXAMPLES) <= set(PLAYED_CLASSES) <= set(POSITION_CLASSES)
    assert "containment" not in PLAYED_CLASSES


def test_two_anchors_are_two_points_in_the_home_of_the_other():
    start = Position.start().board
    back = boards.position({24: 2, 22: 3, 6: 5, 8: 5}, {19: 5, 18: 5, 17: 5}).board
    blots = boards.position({24: 2, 22: 1, 20: 1, 6: 5, 8: 6}, {19: 5, 18: 5, 17: 5}).board
    sample = np.stack([start, back, back[::-1], blots])
    assert has_two_anchors(sample).tolist() == [False, True, True, False]


def test_classes_are_read_with_their_numbers():
    assert parse_classes(["contact=2000", "race=1"]) == {"contact": 2000, "race": 1}


@pytest.mark.parametrize(
    "texts", [[], ["contact"], ["contact=0"], ["contact=x"], ["contact=1", "contact=2"], ["nothing=1"]]
)
def test_classes_that_cannot_be_are_refused(texts):
    with pytest.raises(ValueRangeError) as caught:
        parse_classes(texts)
    assert caught.value.field == "classes"

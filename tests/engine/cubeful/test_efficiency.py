"""Cube efficiencies by phase and pips, and by what is added to them."""

import numpy as np
import pytest

from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, CubeEfficiencies, EfficiencyFormula, are_all_home
from gammond.engine.rules.position import Position
from tests.support.boards import position

EVEN = np.array([[0.5, 0.1, 0, 0.1, 0]], np.float32)
BUSTED = position({1: 7, 2: 7, 24: 1}, {23: 2, 20: 13})
ODD = EfficiencyFormula(0.8, 0.75, (0.7, 0.8), (0.0, 0.3, 0.5, 0.7, 0.9))


def efficiencies(where: Position, outcomes=EVEN, by: CubeEfficiencies | None = None) -> list[float]:
    return (by or DEFAULT_EFFICIENCIES).for_boards(where.board[None], outcomes)[0].tolist()


def test_without_numbers_efficiencies_are_the_published_ones():
    published = CubeEfficiencies()
    for where, expected in (
        (Position.start(), 0.68),
        (position({12: 5}, {19: 15}), 0.625),
        (position({1: 2}, {24: 2}), 0.6),
    ):
        assert efficiencies(where, by=published) == pytest.approx([expected] * 3, abs=1e-6)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Position.start(), 0.8),
        (BUSTED, 0.75),
        (position({12: 5}, {19: 15}), 0.725),
        (position({12: 3}, {19: 15}), 0.7),
        (position({12: 15}, {19: 15}), 0.8),
        (position({2: 1}, {24: 2}), 0.0),
        (position({6: 1}, {24: 2}), 0.15),
        (position({6: 4}, {24: 2}), 0.6),
        (position({6: 15}, {19: 15}), 0.9),
    ],
)
def test_numbers_are_those_of_phase_and_pips(where, expected):
    assert efficiencies(where, by=CubeEfficiencies.make_equal(ODD)) == pytest.approx([expected] * 3, abs=1e-6)


def test_each_state_of_the_cube_has_its_formula():
    by = CubeEfficiencies(EfficiencyFormula(contact=0.2), EfficiencyFormula(contact=0.4, win=0.5))
    assert efficiencies(Position.start(), by=by) == pytest.approx([0.2, 0.4, 0.68])
    assert efficiencies(Position.start(), EVEN + 0.2, by) == pytest.approx([0.2, 0.5, 0.68])


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ({"win": 1.0}, 0.7),
        ({"gammons_won": 0.4}, 0.7),
        ({"gammons_lost": -0.5}, 0.25),
        ({"own_pips": 0.1}, 0.567),
        ({"other_pips": 0.1}, 0.543),
        ({"win": 9.0}, 1.0),
        ({"gammons_lost": -9.0}, 0.0),
    ],
)
def test_a_formula_adds_what_position_and_outcome_have(added, expected):
    where = position({12: 5, 7: 1}, {20: 5, 19: 3})
    assert where.pips == (67, 43)
    outcomes = np.array([[0.7, 0.35, 0, 0.15, 0]], np.float32)
    by = CubeEfficiencies.make_equal(EfficiencyFormula(race=(0.5, 0.5), **added))
    assert efficiencies(where, outcomes, by) == pytest.approx([expected] * 3, abs=1e-6)


def test_in_a_bearoff_the_cube_dies_with_the_last_rolls():
    last, first = (efficiencies(where) for where in (position({1: 2}, {24: 2}), position({6: 15}, {19: 15})))
    assert max(last) < 0.4 < min(first)


def test_many_positions_at_once_keep_their_order():
    cases = [Position.start(), position({6: 15}, {19: 15}), Position.start()]
    boards, outcomes = np.stack([each.board for each in cases]), np.repeat(EVEN, 3, axis=0)
    assert DEFAULT_EFFICIENCIES.for_boards(boards, outcomes).tolist() == [
        efficiencies(each) for each in cases
    ]
    assert DEFAULT_EFFICIENCIES.for_boards(boards[:0], outcomes[:0]).shape == (0, 3)


def test_all_are_home_only_where_neither_side_has_a_checker_outside_or_on_the_bar():
    cases = {
        position({6: 15}, {19: 15}): True,
        position({7: 1, 6: 14}, {19: 15}): False,
        position({6: 15}, {19: 14, 18: 1}): False,
        position({6: 14, 25: 1}, {19: 15}): False,
    }
    boards = np.stack([where.board for where in cases])
    assert are_all_home(boards).tolist() == list(cases.values())

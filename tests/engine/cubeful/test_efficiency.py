"""Cube efficiencies by phase and by pips."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cubeful import CubeEfficiencies, are_all_home, cube_efficiencies
from engine.rules.position import Position
from tests.boards import position


def efficiency(where: Position) -> float:
    return float(cube_efficiencies(where.board[None])[0])


def test_contact_and_crashed_positions_have_the_usual_efficiency():
    assert efficiency(Position.start()) == pytest.approx(0.68)
    assert efficiency(position({1: 7, 2: 7, 24: 1}, {23: 2, 20: 13})) == pytest.approx(0.68)


@pytest.mark.parametrize(
    ("pips", "expected"), [(39, 0.63), (40, 0.63), (80, 0.72), (100, 0.765), (120, 0.81), (180, 0.81)]
)
def test_races_go_from_63_to_81_percent_by_the_pips_of_the_side_on_roll(pips, expected):
    far, near = divmod(pips, 12)
    where = position({12: far, near: 1} if near else {12: far}, {19: 15})
    assert where.pips[0] == pips
    assert efficiency(where) == pytest.approx(expected, abs=1e-6)


def test_in_a_bearoff_the_cube_dies_with_the_last_rolls():
    assert efficiency(position({6: 15}, {19: 15})) == pytest.approx(0.69)
    assert efficiency(position({6: 6}, {24: 2})) == pytest.approx(0.64625)
    assert efficiency(position({1: 2}, {24: 2})) == pytest.approx(0.04)


def test_the_defaults_of_efficiencies_are_the_published_numbers():
    published = CubeEfficiencies()
    boards = np.stack(
        [Position.start().board, position({12: 5}, {19: 15}).board, position({1: 2}, {24: 2}).board]
    )
    assert published.for_boards(boards) == pytest.approx([0.68, 0.625, 0.6], abs=1e-6)


def test_many_positions_at_once_keep_their_order():
    boards = np.stack([Position.start().board, position({6: 15}, {19: 15}).board, Position.start().board])
    assert cube_efficiencies(boards).tolist() == pytest.approx([0.68, 0.69, 0.68])
    assert cube_efficiencies(boards[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Position.start(), 0.8),
        (position({1: 7, 2: 7, 24: 1}, {23: 2, 20: 13}), 0.75),
        (position({12: 5}, {19: 15}), 0.725),
        (position({2: 1}, {24: 2}), 0.0),
        (position({6: 1}, {24: 2}), 0.15),
        (position({6: 4}, {24: 2}), 0.6),
        (position({6: 15}, {19: 15}), 0.9),
    ],
)
def test_other_efficiencies_are_those_of_phase_and_pips(where, expected):
    efficiencies = CubeEfficiencies(0.8, 0.75, (0.7, 0.8), (0.0, 0.3, 0.5, 0.7, 0.9))
    assert efficiencies.for_boards(where.board[None]) == pytest.approx([expected], abs=1e-6)


def test_all_are_home_only_where_neither_side_has_a_checker_outside_or_on_the_bar():
    cases = {
        position({6: 15}, {19: 15}): True,
        position({7: 1, 6: 14}, {19: 15}): False,
        position({6: 15}, {19: 14, 18: 1}): False,
        position({6: 14, 25: 1}, {19: 15}): False,
    }
    boards = np.stack([where.board for where in cases])
    assert are_all_home(boards).tolist() == list(cases.values())

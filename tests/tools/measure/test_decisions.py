"""Decisions that are drawn from the games of a net."""

from __future__ import annotations

from engine.rules.position import Phase
from tests.boards import RacingEvaluator
from tools.measure.decisions import draw_contact_decisions


def test_decisions_have_contact_differ_and_depend_on_the_seed_alone():
    first = draw_contact_decisions(RacingEvaluator(), 150, seed=2)
    assert len(first) == 150
    assert all(position.phase is Phase.CONTACT for position, _ in first)
    assert len({position for position, _ in first}) > 100
    assert len({roll for _, roll in first}) > 15
    assert draw_contact_decisions(RacingEvaluator(), 150, seed=2) == first
    assert draw_contact_decisions(RacingEvaluator(), 150, seed=3) != first

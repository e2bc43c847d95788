"""Decisions that are drawn from the games of a net."""

from __future__ import annotations

from gammond.engine.rules.position import Phase
from gammond.tools.bench.measure import GAMES_AT_ONCE
from gammond.tools.measure.decisions import draw_contact_decisions
from tests.support.evaluators import RacingEvaluator


def test_decisions_have_contact_differ_and_depend_on_the_seed_alone():
    first, games = draw_contact_decisions(RacingEvaluator(), 150, seed=2)
    assert len(first) == len(games) == 150
    assert all(position.phase is Phase.CONTACT for position, _ in first)
    assert len({position for position, _ in first}) > 100
    assert len({roll for _, roll in first}) > 15
    assert draw_contact_decisions(RacingEvaluator(), 150, seed=2)[0] == first
    assert draw_contact_decisions(RacingEvaluator(), 150, seed=3)[0] != first


def test_decisions_know_their_games():
    """Some are of the same game, and a game that ends is followed by another."""
    _, games = draw_contact_decisions(RacingEvaluator(), 1500, seed=2)
    assert 20 < len(set(games.tolist())) < 1500
    assert games.max() >= GAMES_AT_ONCE

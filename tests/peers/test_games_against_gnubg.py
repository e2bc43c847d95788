"""Whole games and matches on gnubg's board, in both seats, each replayed by the rules afterwards."""

from __future__ import annotations

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.play.decider import Decider
from gammond.nets.catalogue import load_engine
from gammond.protocol.dialects import gnubg_external
from gammond.tools.gnubg import find_gnubg
from gammond.tools.gnubg.match import GnubgSession, play_session
from tests.support.evaluators import RacingEvaluator

pytestmark = pytest.mark.peer

SITTINGS = [
    (GnubgSession(0, 10, 0, 11), 0),
    (GnubgSession(1, 10, 0, 12), 0),
    (GnubgSession(0, 2, 5, 13), 0),
    (GnubgSession(1, 2, 5, 14), 0),
    (GnubgSession(0, 1, 0, 15, gnubg_plies=2), 2),
    (GnubgSession(1, 1, 3, 16, gnubg_plies=2), 2),
]
"""The games, and the look-ahead of this engine."""


@pytest.fixture(scope="module")
def gnubg() -> str:
    program = find_gnubg()
    if program is None:
        pytest.skip("needs the program gnubg (Debian: apt-get install gnubg)")
    return program


@pytest.fixture(scope="module")
def engine():
    return load_engine()


@pytest.mark.parametrize(("sitting", "plies"), SITTINGS)
def test_games_on_gnubgs_board_end_without_a_fault(sitting, plies, gnubg, engine, tmp_path, capsys):
    result = play_session(sitting, Decider(engine, EvalSettings(plies)), gnubg, tmp_path)
    with capsys.disabled():
        print(f"\n{result.as_text(sitting.name, sitting.length)}", end="")  # noqa: T201
    assert result.faults == []
    assert len(result.points) >= sitting.count
    assert len(result.matches) == (sitting.count if sitting.length else 0)
    assert result.rolls > 10 * len(result.points)


def test_an_illegal_answer_that_gnubg_swallows_is_found(gnubg, tmp_path, monkeypatch):
    """gnubg says nothing about a play from an empty point; its record has the roll alone."""
    monkeypatch.setattr(gnubg_external, "format_moves_plain", lambda play: "2/1 2/1")
    result = play_session(GnubgSession(0, 1, 0, 5), Decider(Engine(RacingEvaluator())), gnubg, tmp_path)
    assert any("illegal play: " in fault for fault in result.faults), result.faults

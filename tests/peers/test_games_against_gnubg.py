"""Whole games and matches on gnubg's board, in both seats, each replayed by the rules afterwards."""

from __future__ import annotations

import pytest

from nets.loading import load_evaluator
from protocol import gnubg_external
from tests.boards import RacingJudge
from tools.gnubg_match import Result, Sitting, find_gnubg, play

pytestmark = pytest.mark.peer

SITTINGS = [Sitting(0, 10, 0, 11), Sitting(1, 10, 0, 12), Sitting(0, 2, 5, 13), Sitting(1, 2, 5, 14)]


@pytest.fixture(scope="module")
def gnubg() -> str:
    program = find_gnubg()
    if program is None:
        pytest.skip("needs the program gnubg (Debian: apt-get install gnubg)")
    return program


@pytest.fixture(scope="module")
def evaluator():
    return load_evaluator()


@pytest.mark.parametrize("sitting", SITTINGS, ids=lambda sitting: sitting.name.replace(" ", "-"))
def test_games_on_gnubgs_board_end_without_a_fault(sitting, gnubg, evaluator, tmp_path, capsys):
    result = play(sitting, evaluator, gnubg, tmp_path, stall_s=30)
    with capsys.disabled():
        print(f"\n{result.as_text(sitting)}", end="")  # noqa: T201
    assert result.faults == []
    assert result.games >= sitting.count
    assert result.rolls > 10 * result.games


def test_an_illegal_answer_that_gnubg_swallows_is_found(gnubg, tmp_path, monkeypatch):
    """gnubg says nothing about a play from an empty point; the replay does."""
    monkeypatch.setattr(gnubg_external, "format_moves_plain", lambda play: "2/1 2/1")
    result: Result = play(Sitting(0, 1, 0, 5), RacingJudge(), gnubg, tmp_path, stall_s=30)
    assert any("which is not legal" in fault for fault in result.faults)

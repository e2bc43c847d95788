"""`gammond measure cube`: its report and its refusals."""

from __future__ import annotations

import json
import os
import signal
import time

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.errors import CancelledWork
from gammond.tools import cli
from gammond.tools.measure.cube import command as cube_efficiency
from gammond.tools.measure.cube.fit import EFFICIENCY_NAMES, EFFICIENCY_TARGETS
from gammond.tools.measure.cube.values import CubeValueEvaluator
from tests.support.boards import position
from tests.support.evaluators import RacingEvaluator

TABLE = build_two_sided(6, 4, threads=1)
SMALL = ["measure", "cube", "race", "ending", "--positions", "6", "--trials", "36", "--threads", "1"]


@pytest.fixture
def quick(monkeypatch):
    """An evaluator without nets, a small table, and short games in place of those that are drawn."""

    def drawn(evaluators, kinds, count, game, seed, progress):
        places = [(far, near) for far in (7, 8) for near in range(1, 7)][seed : seed + count]
        of_kind = {
            "race": [position({far: 1, near: 1}, {18: 2, 21: 1}) for far, near in places],
            "ending": [position({far - 4: 2, near: 1}, {21: 2}) for far, near in places],
        }
        return np.stack([board.board for row in zip(*map(of_kind.get, kinds), strict=True) for board in row])

    monkeypatch.setattr(
        cube_efficiency, "load_net_engine", lambda name: Engine(RacingEvaluator(), exact=(TABLE,))
    )
    monkeypatch.setattr(cube_efficiency, "draw_positions", drawn)


def test_the_report_has_efficiencies_kinds_and_decisions(quick, capsys):
    assert cli.main([*SMALL, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert list(report["efficiencies"]) == list(EFFICIENCY_TARGETS)
    assert list(report["efficiencies"]["values"]) == list(EFFICIENCY_NAMES) == list(report["in_use"])
    assert report["efficiencies"]["values"]["contact"] == {"efficiency": None, "error": None}
    assert report["efficiencies"]["choices"]["race, 40 pips"]["error"] > 0.0
    assert report["in_use"]["contact"] is None
    assert 0.0 < report["in_use"]["race, 40 pips"] < 1.0
    assert [(kind["kind"], kind["positions"]) for kind in report["kinds"]] == [("race", 6), ("ending", 6)]
    race, ending = report["kinds"]
    assert set(race["efficiencies"]) == {*EFFICIENCY_TARGETS, "centred", "own", "other"}
    assert [each["decision"] for each in race["decisions"]] == ["double", "redouble", "take"]
    assert set(race["decisions"][0]["savings"]) == set(EFFICIENCY_TARGETS)
    assert ending["decisions"] is None
    assert cli.main(SMALL) == 0
    text = capsys.readouterr().out
    assert "racing, seed 1: 12 positions near the doubling window, 36 trials each" in text
    measured = report["efficiencies"]["values"]["race, 40 pips"]
    assert f"{measured['efficiency']:.3f} ± {measured['error']:.3f}" in text
    assert "\ncontact" not in text
    assert "redouble" in text


def test_the_same_seed_gives_the_same_figures(quick, capsys):
    reports = []
    for seed in ("3", "3", "4"):
        assert cli.main([*SMALL, "--seed", seed, "--json"]) == 0
        reports.append(json.loads(capsys.readouterr().out)["efficiencies"])
    assert reports[0] == reports[1] != reports[2]


def test_doubles_of_the_rollouts_can_rest_on_another_efficiency(quick, capsys):
    assert cli.main([*SMALL, "--decide-by", "0.2"]) == 0
    assert "36 trials each, doubles by efficiency 0.2" in capsys.readouterr().out


def test_an_interrupted_run_reports_what_was_done(quick, monkeypatch, capsys):
    real = CubeValueEvaluator._roll_out_position
    begun = []

    def interrupting(self, board, place):
        begun.append(place)
        if len(begun) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            while not self._cancelled():
                time.sleep(0.01)
        return real(self, board, place)

    monkeypatch.setattr(CubeValueEvaluator, "_roll_out_position", interrupting)
    assert cli.main([*SMALL, "--json"]) == cli.EXIT_INTERRUPTED
    report = json.loads(capsys.readouterr().out)
    assert [(kind["kind"], kind["positions"]) for kind in report["kinds"]] == [("ending", 6)]
    assert report["efficiencies"]["values"]["race, 40 pips"]["efficiency"] is not None


def test_a_run_interrupted_at_once_reports_nothing(quick, monkeypatch, capsys):
    def interrupted(self, board, place):
        os.kill(os.getpid(), signal.SIGINT)
        raise CancelledWork("stopped")

    monkeypatch.setattr(CubeValueEvaluator, "_roll_out_position", interrupted)
    arguments = ["measure", "cube", "race", *SMALL[4:]]
    assert cli.main(arguments) == cli.EXIT_INTERRUPTED
    captured = capsys.readouterr()
    assert captured.err == "gammond: interrupted\n"
    assert captured.out == ""

"""`gammond measure cutoffs`: the work that cut-offs save, and that they change nothing."""

import json

import pytest

from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.tools import cli
from gammond.tools.heritage.astros import cutoffs as star
from tests.support.evaluators import RacingEvaluator


@pytest.fixture
def quick(monkeypatch):
    """An evaluator without nets, and a pruner of its own mind."""
    monkeypatch.setattr(star, "load_net_evaluator", lambda name: RacingEvaluator())
    monkeypatch.setattr(star, "load_pruner", lambda: EvaluatorPruner(RacingEvaluator()))


def test_the_report_says_what_was_saved_and_that_choices_are_the_same(quick, capsys):
    assert cli.main(["measure", "cutoffs", "--decisions", "3", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["decisions"], report["plies"], report["net"]) == (3, 1, "racing")
    rows = {row["name"]: row for row in report["rows"]}
    full, both = rows["full average"], rows["star1 and star2"]
    assert (both["same_play"], both["same_value"]) == (3, 3)
    assert both["leaves"] < 0.6 * full["leaves"]
    assert both["share"] == pytest.approx(both["leaves"] / full["leaves"], abs=1e-4)
    assert rows["the engine's, all replies"]["same_play"] == 3


def test_the_table_has_a_line_for_each_way_and_a_difference_is_a_failure(quick, capsys, monkeypatch):
    searches = star.make_searches

    def broken(*args):
        ways = searches(*args)
        right = ways["star1"]

        def wrong(position, roll):
            result, value, leaves = right(position, roll)
            return result, value + 1e-6, leaves

        return {"full average": ways["full average"], "star1": wrong}

    monkeypatch.setattr(star, "make_searches", broken)
    assert cli.main(["measure", "cutoffs", "--decisions", "2"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "racing, 1-ply, seed 1: 2 contact decisions" in lines[0]
    assert [line.split("  ")[0] for line in lines[2:]] == ["full average", "star1"]

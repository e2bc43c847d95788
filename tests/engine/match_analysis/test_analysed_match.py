"""What judged a match: a net, or the solution of its variant, and whose match equities count."""

from __future__ import annotations

import pytest

from engine.cubeful.match_equity import load_default_table
from engine.hypergammon import databases
from engine.match_analysis.analysed_match import find_table, make_analysed_match
from engine.match_analysis.analysis import AnalysisSettings, analyse_match
from engine.match_files.mat.reader import parse_mat
from engine.rules.rules import HYPERGAMMON, Rules
from nets.catalogue import load_engine

MATCH = """; [Variation "HyperGammon (1)"]

 3 point match

 Game 1
 ann : 0                        bob : 0
  1)                            51: 24/19 19/18
  2) 34: 24/20 20/17             Doubles => 2
  3)  Takes                     42: 18/14 14/12
  4) 61: 17/11 11/10            23: 12/9 9/7
  5) 43: 10/6 6/3               11: 7/6 6/5 5/4 4/3
  6) 11: 3/2 2/1 1/0
      Wins 4 points and the match
"""
SETTINGS = AnalysisSettings(0)


@pytest.fixture(scope="module")
def judged():
    (match,) = parse_mat(MATCH)
    assert match.issues == ()
    return analyse_match(load_engine(), match, SETTINGS)


def test_a_match_of_hypergammon_is_judged_by_its_solution_and_its_match_equities(judged):
    analysed = make_analysed_match(load_engine(), judged, SETTINGS, nets={"strong": "0" * 64})
    assert analysed.method.endswith(", net hypergammon-1, 0-ply, match equities of hypergammon-1")
    assert analysed.table.name == find_table(judged.rules.rules).name == "hypergammon-1"
    assert analysed.nets == {}
    other = type(analysed)("", judged, "", load_default_table())
    assert analysed.statistics[0].luck_mwc != pytest.approx(other.statistics[0].luck_mwc, abs=1e-3)


def test_where_there_is_no_solution_the_match_equities_are_those_of_backgammon(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    databases.forget_solutions()
    assert find_table(Rules(HYPERGAMMON)) is load_default_table()
    assert find_table(Rules()) is load_default_table()
    assert list(tmp_path.iterdir()) == []

"""What analysed a match: a net, or the solution of its variant, and whose match equities count."""

import re
from datetime import datetime

import pytest

from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.match_analysis.analysed_match import find_table, make_analysed_match
from gammond.engine.match_analysis.analysis import AnalysisSettings, analyse_match
from gammond.engine.match_analysis.documents import describe_match
from gammond.engine.match_analysis.rollouts import DecisionRollouts, roll_out_decisions
from gammond.engine.match_files import model
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.match_reports.html_report import format_html
from gammond.engine.match_reports.text_report import format_text
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rules.game_record import replay
from gammond.engine.rules.rules import HYPERGAMMON, Rules

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

FAR_AHEAD = """ 99 point match

 Game 1
 ann : 97                            bob : 0
  1) 31: 8/5 6/5                      42: 8/4 6/4
  2)  Doubles => 2                     Takes
  3) 65: 24/18 18/13                   Doubles => 4
  4)  Takes                           63: 24/18 13/10
  5)  Doubles => 8                     Takes
  6) 21: 13/11 6/5                     Doubles => 16
  7)  Takes                           43: 13/9 13/10
  8)  Doubles => 32                    Takes
  9) 21: 13/11 24/23                   Doubles => 64
 10)  Takes                           31: 10/7 7/6
 11)  Doubles => 128                   Takes
 12) 21: 6/5 24/23                     Doubles => 256
 13)  Takes                           31: 10/7 7/6
"""


@pytest.fixture(scope="module")
def noted(engine):
    (match,) = parse_mat(MATCH)
    assert match.issues == ()
    return analyse_match(engine, match, SETTINGS)


def test_a_match_of_hypergammon_is_analysed_by_its_solution_and_its_match_equities(noted, engine):
    analysed = make_analysed_match(engine, noted, SETTINGS, nets={"strong": "0" * 64})
    assert analysed.method.endswith(", net hypergammon-1, 0-ply, match equities of hypergammon-1")
    assert analysed.table.name == find_table(noted.rules.rules).name == "hypergammon-1"
    assert analysed.nets == {}
    other = type(analysed)("", noted, "", load_default_table())
    assert analysed.statistics[0].luck_mwc != pytest.approx(other.statistics[0].luck_mwc, abs=1e-3)


@pytest.fixture(scope="module")
def far_ahead(engine):
    """A match at 97-0 of 99 points, in which nothing matters until the cube is high enough for all of it."""
    (match,) = parse_mat(FAR_AHEAD)
    return make_analysed_match(engine, analyse_match(engine, match, SETTINGS), SETTINGS)


def test_errors_at_a_score_where_points_have_no_scale_make_no_rating_and_keep_their_winning_chances(
    far_ahead,
):
    ann, bob = far_ahead.statistics
    assert ann.unscaled + bob.unscaled > 10
    for player in (ann, bob):
        assert player.performance_rating is None or player.performance_rating < 1000
        assert player.total.error_mwc < 1.0
    takes = [each for each in far_ahead.decisions if each.chosen == "take" and each.loss.points is None]
    worst = max(takes, key=lambda each: each.loss.size)
    assert worst.loss.equity > 50
    assert worst.loss.size == 2 * worst.loss.mwc < 2
    assert ann.errors >= 1


def test_numbers_without_a_scale_are_null_in_documents_and_named_in_reports(far_ahead):
    document = describe_match(far_ahead)
    assert sum(player["unscaled"] for player in document["players"]) > 10
    opening = [each for each in document["decisions"] if each["move"] < 8]
    assert {each["error"] for each in opening} == {None}
    assert all(each["error_mwc"] is not None for each in opening)
    assert {each["equity"] for one in opening for each in one.get("candidates", [])} == {None}
    text, page = format_text(far_ahead, 20), format_html(far_ahead, datetime(2026, 1, 1))
    for shown in (text, page):
        assert "not meaningful here" in shown
        assert "No rating or rate counts" in shown
        assert not re.search(r"[0-9]{4}\.[0-9]{2}", shown)


def test_where_there_is_no_solution_the_match_equities_are_those_of_backgammon(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    assert find_table(Rules(HYPERGAMMON)) is load_default_table()
    assert find_table(Rules()) is load_default_table()
    assert list(tmp_path.iterdir()) == []


def test_a_game_is_replayed_once_for_its_analysis_and_all_that_is_written_of_it(monkeypatch, engine):
    replayed = []
    monkeypatch.setattr(model, "replay", lambda *start: replayed.append(start) or replay(*start))
    (match,) = parse_mat(FAR_AHEAD)
    noted = analyse_match(engine, match, SETTINGS)
    rolled = roll_out_decisions(engine, noted, DecisionRollouts(RolloutSettings(trials=1, truncation=1)))
    analysed = make_analysed_match(engine, rolled, SETTINGS)
    describe_match(analysed)
    format_html(analysed, datetime(2026, 1, 1))
    format_text(analysed, 20)
    format_sgf(analysed.marked_match)
    assert len(replayed) == len(match.games) == 1

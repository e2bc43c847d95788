"""`gammond measure pruning`: the cost of pruning and filters, on positions drawn from the net's own games."""

import json
from dataclasses import astuple

import numpy as np
import pytest

from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rules.position import Phase
from gammond.tools import cli
from gammond.tools.bench.measure import GAMES_AT_ONCE
from gammond.tools.measure import pruning as search_quality
from gammond.tools.measure.decisions import draw_contact_decisions, estimate_mean_by_game
from tests.engine.search.naive_search import SmoothEvaluator
from tests.support.evaluators import RacingEvaluator


@pytest.fixture
def quick(monkeypatch):
    """An evaluator without nets, whose pruner disagrees with it."""
    monkeypatch.setattr(search_quality, "load_net_evaluator", lambda name: RacingEvaluator())
    monkeypatch.setattr(search_quality, "load_pruner", lambda: EvaluatorPruner(SmoothEvaluator(seed=3)))


def test_the_report_says_what_was_lost_and_where_most(quick, capsys):
    assert cli.main(["measure", "pruning", "--decisions", "30", "--filter", "tiny", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["decisions"], report["plies"], report["filter"]) == (30, 1, "tiny")
    assert 0.0 < report["mean"] <= report["worst"]
    assert 0 < report["wrong"] <= 30
    assert report["standard_error"] > 0.0
    assert 2 <= report["games"] <= 30
    assert cli.main(["measure", "pruning", "--decisions", "30", "--filter", "tiny"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "1-ply, filter tiny, seed 1: 30 contact decisions" in lines[0]
    assert f"{report['mean']:.3f} ±" in lines[1]
    assert report["worst_position"] in lines[2]


def test_decisions_of_one_game_have_no_standard_error(quick, capsys, monkeypatch):
    def draw_of_one_game(*given, **more):
        decisions, games = draw_contact_decisions(*given, **more)
        return decisions, np.zeros_like(games)

    monkeypatch.setattr(search_quality, "draw_contact_decisions", draw_of_one_game)
    words = ["measure", "pruning", "--decisions", "4", "--filter", "tiny"]
    assert cli.main([*words, "--json"]) == 0
    assert '"standard_error": null' in capsys.readouterr().out
    assert cli.main(words) == 0
    assert "±" not in capsys.readouterr().out


def test_no_worst_choice_is_named_where_nothing_was_lost():
    decisions, games = draw_contact_decisions(RacingEvaluator(), 3, seed=1)
    args = type("Args", (), {"plies": 1, "filter": "huge", "seed": 1})
    report = search_quality.make_report(args, "net", decisions, games, np.zeros(3), 1.0)
    assert (report.worst, report.worst_position, report.worst_roll) == (0.0, None, None)
    assert len(report.as_text().splitlines()) == 2
    assert "worst:" not in report.as_text()


def test_decisions_of_one_game_are_not_taken_for_independent():
    """Each cost counted twice, as by two equal decisions of its game, makes no mean surer."""
    costs = np.random.default_rng(1).exponential(size=50)
    games = np.arange(50)
    expected = [costs.mean(), costs.std(ddof=1) / np.sqrt(50)]
    assert astuple(estimate_mean_by_game(costs, games)) == pytest.approx(expected)
    twice = estimate_mean_by_game(np.concatenate([costs, costs]), np.concatenate([games, games]))
    assert astuple(twice) == pytest.approx(expected)
    of_one_game = estimate_mean_by_game(costs, np.zeros(50, np.int64))
    assert astuple(of_one_game) == pytest.approx((costs.mean(), np.nan), nan_ok=True)


def test_the_error_of_a_mean_by_games_is_that_of_many_samples():
    rng = np.random.default_rng(2)
    means, errors = [], []
    for _ in range(400):
        sizes = rng.integers(1, 30, 60)
        games = np.repeat(np.arange(60), sizes)
        costs = rng.normal(size=60)[games] + rng.normal(size=len(games))
        found = estimate_mean_by_game(costs, games)
        means.append(found.value)
        errors.append(found.error)
    assert np.mean(errors) == pytest.approx(np.std(means), rel=0.1)
    naive = np.sqrt(2.0 / 60 / 15)
    assert np.mean(errors) > 2.0 * naive


def test_threads_change_no_figure(quick, capsys):
    reports = []
    for threads in ("1", "2"):
        assert cli.main(["measure", "pruning", "--decisions", "10", "--threads", threads, "--json"]) == 0
        reports.append(json.loads(capsys.readouterr().out))
        reports[-1].pop("seconds")
    assert reports[0] == reports[1]


def test_the_worst_decision_is_the_one_with_the_greatest_cost():
    decisions, games = draw_contact_decisions(RacingEvaluator(), 3, seed=1)
    args = type("Args", (), {"plies": 2, "filter": "normal", "seed": 1})
    report = search_quality.make_report(args, "net", decisions, games, np.array([0.0, 0.03, 0.001]), 1.0)
    assert (report.worst, report.wrong, report.worst_roll) == (30.0, 2, decisions[1][1])


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

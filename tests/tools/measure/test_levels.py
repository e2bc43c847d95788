"""`gammond measure levels`: the cost of errors by a reference search, deeper or not."""

import json
import math

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import LEVELS, EvalSettings, Level
from gammond.engine.play.decider import Decider
from gammond.tools import cli
from gammond.tools.measure import levels as error_rate
from tests.support.evaluators import GammonEvaluator


def level_with(noise_points, plies=0):
    return Level("test", plies, "normal", noise_points, 0.0, "for tests")


def measured(noise_points, decisions=300, plies=0, reference_plies=0, seed=1):
    engine = Engine(GammonEvaluator())
    return error_rate.measure_error_rate(
        level_with(noise_points, plies), engine, EvalSettings(reference_plies, "huge"), decisions, seed
    )


def test_a_level_measured_by_itself_makes_no_errors():
    rate = measured(0.0)
    assert (rate.play_error, rate.play_standard_error) == (0.0, 0.0)
    assert rate.cube_error == pytest.approx(0.0, abs=0.01)
    assert rate.plays == 300
    assert rate.games >= 2


def test_more_noise_loses_more_and_never_more_than_four_times_the_noise():
    rates = [measured(noise, 150) for noise in (0.01, 0.04, 0.16)]
    errors = [rate.play_error for rate in rates]
    assert errors == sorted(errors)
    assert 0.0 < errors[0] < 40.0
    assert errors[2] > 4 * errors[0]
    assert all(rate.play_standard_error > 0.0 for rate in rates)


def test_a_deeper_search_finds_errors_of_a_level_without_look_ahead():
    assert measured(0.0, decisions=40, reference_plies=1).play_error > 0.0


def test_the_same_seed_measures_the_same_and_another_one_otherwise():
    def figures(seed):
        rate = measured(0.05, decisions=60, seed=seed)
        return rate.play_error, rate.cube_error, rate.cubes, rate.games

    assert figures(3) == figures(3)
    assert figures(3) != figures(4)


def test_forced_plays_do_not_count():
    """Only plays with a choice count; here each game has plays of both kinds."""
    reported = []
    engine = Engine(GammonEvaluator())
    rate = error_rate.measure_error_rate(level_with(0.0), engine, EvalSettings(), 50, 1, reported.append)
    assert reported == sorted(reported)
    assert reported[-1] == rate.plays == 50
    assert len(reported) > len(set(reported))


def test_costs_of_cube_decisions_are_counted_where_they_are_close_or_wrong():
    sitting = error_rate._MeasuredDecider(Decider(Engine(GammonEvaluator())), EvalSettings())
    sitting.games = 1
    for first, second, chose_first in (
        (0.5, 0.45, True),
        (0.5, 0.45, False),
        (0.9, 0.1, True),
        (0.1, 0.9, True),
    ):
        sitting._note_cube_cost(first, second, chose_first=chose_first)
    assert [cost for _, cost in sitting.cube_costs] == pytest.approx([0.0, 0.05, 0.8])
    assert {game for game, _ in sitting.cube_costs} == {1}


def test_means_are_in_thousandths_with_their_standard_error():
    found = error_rate._estimate_cost([(1, 0.0), (2, 0.02), (3, 0.04)])
    assert found.value == 20.0
    assert found.error == pytest.approx(20.0 / np.sqrt(3), abs=1e-3)
    assert math.isnan(error_rate._estimate_cost([]).value)
    of_one_game = error_rate._estimate_cost([(1, 0.01), (1, 0.03)])
    assert (of_one_game.value, math.isnan(of_one_game.error)) == (20.0, True)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(error_rate, "load_net_engine", lambda name, threads: Engine(GammonEvaluator()))


def test_the_table_has_a_row_for_each_level_that_was_asked_for(quick, capsys):
    arguments = ["measure", "levels", "casual", "expert", "--decisions", "20", "--reference-plies", "0"]
    assert cli.main(arguments) == 0
    title, head, casual, expert = capsys.readouterr().out.splitlines()
    assert "reference racing at 0 plies (large), seed 1" in title
    assert "millipoints" in head
    assert casual.split()[:2] == ["casual", "20"]
    assert expert.split()[:3] == ["expert", "20", "0.0"]


def test_json_is_one_object_with_all_levels(quick, capsys):
    assert cli.main(["measure", "levels", "--decisions", "2", "--reference-plies", "0", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [each["level"] for each in report["levels"]] == list(LEVELS)
    assert report["reference"]["plies"] == 0


@pytest.mark.parametrize(
    ("stopped", "form"), [("expert", ["--json"]), ("casual", ["--json"]), ("casual", [])]
)
def test_an_interrupted_run_reports_the_finished_levels_or_that_there_are_none(
    quick, monkeypatch, capsys, stopped, form
):
    real = error_rate.measure_error_rate

    def interrupted(level, *rest):
        if level.name == stopped:
            raise KeyboardInterrupt
        return real(level, *rest)

    monkeypatch.setattr(error_rate, "measure_error_rate", interrupted)
    few = ["--decisions", "5", "--reference-plies", "0"]
    assert cli.main(["measure", "levels", "casual", "expert", *few, *form]) == cli.EXIT_INTERRUPTED
    out, err = capsys.readouterr()
    if stopped == "expert":
        assert [each["level"] for each in json.loads(out)["levels"]] if form else "casual" in out
        assert "expert" not in out
    else:
        assert err == "gammond: interrupted, no level was finished\n"
        assert "casual" not in out
        assert "{" not in out

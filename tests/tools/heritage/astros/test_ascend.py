"""``gammond heritage ascend``: it learns, goes back when it is stuck, and resumes."""

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.rules.position import Position
from gammond.engine.statistics import ValueWithError
from gammond.nets.heritage.astros.bev import HAND_WEIGHTS
from gammond.tools import cli
from gammond.tools.common.files import write_arrays
from gammond.tools.common.journal import read_records
from gammond.tools.common.opponents import load_opponent
from gammond.tools.heritage.astros import command as ascending
from gammond.tools.heritage.astros.command import AscendSettings, FamilyMatches
from gammond.tools.heritage.astros.families import FAMILIES
from gammond.tools.parallel.processes import ProcessPool
from gammond.tools.train.ascent.learner import AscentLearner, AscentState, Gradient
from gammond.tools.train.ascent.matches import RatedVector


def run(folder, *options):
    return cli.main(["heritage", "ascend", str(folder), *options])


@pytest.mark.slow
def test_a_few_steps_win_by_far_against_the_first_vector(tmp_path, capsys):
    folder = tmp_path / "run"
    assert run(folder, "--steps", "3", "--games", "100", "--reference-games", "200", "--rate", "2") == 0
    out = capsys.readouterr().out
    assert "bev, 3 steps" in out
    best = read_array_file(folder / "best.npz")
    assert best["ppg"] - 4 * best["ppg_error"] > 0.3
    records = read_records(folder / "log.jsonl")
    assert [record["step"] for record in records] == [0, 1, 2, 3]
    assert records[0]["ppg"] == 0.0
    assert max(record["ppg"] for record in records) == best["ppg"]
    player = load_opponent(f"run:{folder}")
    called = out.partition("the best as a player: ")[2].partition("\n")[0]
    sample = np.repeat(Position.start().board[None], 6, axis=0)
    dice = np.array([(a, a % 6 + 1) for a in range(1, 7)], np.int8)
    assert np.array_equal(player.choose(sample, dice), load_opponent(called).choose(sample, dice))


def test_each_step_prints_a_line_but_the_first_point(tmp_path, capsys):
    few = ["--games", "4", "--reference-games", "4"]
    assert run(tmp_path, "--player", "phase-heuristic", "--steps", "1", *few) == 0
    out, err = capsys.readouterr()
    (line,) = err.splitlines()
    assert line.startswith("step 1: ")
    assert "phase-heuristic, 1 steps" in out
    assert [record["step"] for record in read_records(tmp_path / "log.jsonl")] == [0, 1]


@pytest.mark.slow
def test_how_games_are_dealt_out_to_workers_changes_nothing(monkeypatch):
    settings = AscendSettings(games=20, reference_games=4)
    gradients = []
    for games in (8, 1000):
        monkeypatch.setattr(ascending, "GAMES_PER_TASK", games)
        climb = AscentLearner(settings, FamilyMatches(settings, ProcessPool(1)), "bev")
        gradients.append(climb.take_step(climb.rate_start())[1])
    assert np.allclose(gradients[0].slopes, gradients[1].slopes)
    assert np.allclose(gradients[0].errors, gradients[1].errors)


class Scripted(AscentLearner):
    """An ascent with set scores of its points."""

    def __init__(self, settings, points):
        super().__init__(settings, FamilyMatches(settings, ProcessPool(1)), "bev")
        left = iter(points)
        self.matches.rate = lambda vector: RatedVector(vector, ValueWithError(next(left), 0.01))

    def _estimate_gradient(self, state):
        slopes = np.zeros(len(self.matches.start))
        slopes[0] = 0.3
        return Gradient(slopes, np.full(len(slopes), 0.1))


def walked(settings, points):
    climb = Scripted(settings, points)
    standings = [climb.rate_start()]
    for _ in points[1:]:
        try:
            standings.append(climb.take_step(standings[-1])[0])
        except StopIteration:
            break
    return standings


def test_a_step_goes_the_rate_along_the_gradient():
    first, second = walked(AscendSettings(rate=1.5), [0.0, 0.1])
    moved = (second.now.vector - first.now.vector) / FAMILIES["bev"].space.scales
    assert moved[0] == pytest.approx(1.5)
    assert not moved[1:].any()


def test_a_run_that_is_stuck_goes_back_to_its_best_point_with_another_delta_and_rate():
    settings = AscendSettings(patience=2, restart_factor=0.5, delta=0.4, rate=1.0)
    standings = walked(settings, [0.0, 0.3, 0.1, 0.2, 0.4])
    assert [each.returns for each in standings] == [0, 0, 0, 1, 0]
    back = standings[3]
    assert back.now is standings[1].now
    assert (back.delta, back.rate, back.since_best) == (0.2, 0.5, 0)
    assert standings[4].best.points.value == standings[4].best_ever.points.value == 0.4


def test_after_enough_returns_it_goes_on_from_a_random_point_and_forgets_no_best():
    settings = AscendSettings(patience=1, random_after=1, delta=0.4)
    standings = walked(settings, [0.5, 0.1, 0.2, -0.6, -0.5])
    assert [each.random_points for each in standings] == [0, 0, 1, 1]
    away = standings[2]
    assert (away.now.points.value, away.best.points.value, away.best_ever.points.value) == (
        -0.6,
        -0.6,
        0.5,
    )
    assert (away.delta, away.returns) == (0.4, 0)
    assert standings[3].best.points.value == -0.5
    assert standings[3].best_ever.points.value == 0.5


def test_a_weight_at_its_limit_is_tried_the_other_way():
    settings = AscendSettings(player="heuristic", start=(1.0, 1.0, 5.0, 1.0, 1.0, 3.0, 0.3), games=4)
    climb = AscentLearner(settings, FamilyMatches(settings, ProcessPool(1)), "bev")
    tried = []
    rated = RatedVector(climb.matches.start, ValueWithError(1.0, 0.1))
    climb.matches.score_changes = lambda others, now, seed: tried.extend(others) or [rated] * 7
    state = AscentState(
        0, 0, *[RatedVector(climb.matches.start, ValueWithError(0.0, 0.0))] * 3, delta=0.5, rate=1.0
    )
    gradient = climb._estimate_gradient(state)
    assert gradient.slopes[1:3].tolist() == [2.0, -2.0]
    assert tried[2][2] == pytest.approx(4.75)
    assert tried[1][1] == pytest.approx(1.5)


def test_a_file_of_another_kind_is_no_player(tmp_path):
    arrays = {"player": np.array("nobody"), "vector": np.zeros(3)}
    write_arrays(tmp_path / "best.npz", {**arrays, "kind": np.array("ascend")})
    with pytest.raises(DataFileError, match="weights of 'nobody'"):
        load_opponent(f"run:{tmp_path}/best.npz")
    write_arrays(tmp_path / "best.npz", {**arrays, "kind": np.array("ascend"), "player": np.array("bev")})
    with pytest.raises(DataFileError, match="expected vector as 15 finite weights of bev"):
        load_opponent(f"run:{tmp_path}/best.npz")
    write_arrays(tmp_path / "best.npz", {"player": np.array("bev"), "vector": HAND_WEIGHTS.vector})
    with pytest.raises(DataFileError, match="the file names no trainer"):
        load_opponent(f"run:{tmp_path}/best.npz")

"""``gammond heritage ascend``: it learns, goes back when it is stuck, and resumes."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.rules.position import Position
from gammond.nets.heritage.astros.bev import HAND_WEIGHTS
from gammond.tools import cli
from gammond.tools.common.files import read_records, write_arrays
from gammond.tools.common.opponents import load_opponent
from gammond.tools.heritage.astros import command as ascending
from gammond.tools.heritage.astros.command import AscendSettings, FamilyMatches
from gammond.tools.heritage.astros.families import FAMILIES
from gammond.tools.parallel.processes import ProcessPool
from gammond.tools.train.ascent.learner import (
    AscentLearner,
    AscentState,
    Gradient,
    state_from_arrays,
    state_to_arrays,
)
from gammond.tools.train.ascent.matches import RatedVector
from gammond.tools.train.runs import run as run_module

FEW = ["--games", "20", "--reference-games", "20"]


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
def test_a_run_that_was_killed_comes_to_the_same(tmp_path, capsys, monkeypatch):
    assert run(tmp_path / "whole", "--steps", "3", *FEW) == 0
    keep, kept = run_module.Run._save_checkpoint, []

    def killed(*args):
        text = keep(*args)
        kept.append(args)
        if len(kept) == 3:
            raise KeyboardInterrupt
        return text

    monkeypatch.setattr(run_module.Run, "_save_checkpoint", killed)
    assert run(tmp_path / "cut", "--steps", "3", *FEW) == cli.EXIT_INTERRUPTED
    monkeypatch.setattr(run_module.Run, "_save_checkpoint", keep)
    assert run(tmp_path / "cut", "--resume") == 0
    whole, cut = (read_array_file(tmp_path / name / "best.npz") for name in ("whole", "cut"))
    assert np.array_equal(whole["vector"], cut["vector"])
    steps = [read_records(tmp_path / name / "log.jsonl") for name in ("whole", "cut")]
    assert [record["gradient"] for record in steps[0][1:]] == [record["gradient"] for record in steps[1][1:]]


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
        self.matches.rate = lambda vector: RatedVector(vector, next(left), 0.01)

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
    assert standings[4].best.points_per_game == standings[4].best_ever.points_per_game == 0.4


def test_after_enough_returns_it_goes_on_from_a_random_point_and_forgets_no_best():
    settings = AscendSettings(patience=1, random_after=1, delta=0.4)
    standings = walked(settings, [0.5, 0.1, 0.2, -0.6, -0.5])
    assert [each.random_points for each in standings] == [0, 0, 1, 1]
    away = standings[2]
    assert (away.now.points_per_game, away.best.points_per_game, away.best_ever.points_per_game) == (
        -0.6,
        -0.6,
        0.5,
    )
    assert (away.delta, away.returns) == (0.4, 0)
    assert standings[3].best.points_per_game == -0.5
    assert standings[3].best_ever.points_per_game == 0.5


def test_a_weight_at_its_limit_is_tried_the_other_way():
    settings = AscendSettings(player="heuristic", start=(1.0, 1.0, 5.0, 1.0, 1.0, 3.0, 0.3), games=4)
    climb = AscentLearner(settings, FamilyMatches(settings, ProcessPool(1)), "bev")
    tried = []
    rated = RatedVector(climb.matches.start, 1.0, 0.1)
    climb.matches.score_changes = lambda others, now, seed: tried.extend(others) or [rated] * 7
    state = AscentState(0, 0, *[RatedVector(climb.matches.start, 0.0, 0.0)] * 3, delta=0.5, rate=1.0)
    gradient = climb._estimate_gradient(state)
    assert gradient.slopes[1:3].tolist() == [2.0, -2.0]
    assert tried[2][2] == pytest.approx(4.75)
    assert tried[1][1] == pytest.approx(1.5)


def test_standings_come_back_as_they_were(tmp_path):
    point = RatedVector(FAMILIES["bev"].space.start, 0.1, 0.02)
    standing = AscentState(3, 900, point, point, point, 0.25, 0.5, 1, 2, 1)
    write_arrays(tmp_path / "s.npz", state_to_arrays(FAMILIES["bev"].space, standing))
    arrays = read_array_file(tmp_path / "s.npz")
    again = state_from_arrays(arrays, FAMILIES["bev"].space)
    assert (again.step, again.games, again.delta, again.rate) == (3, 900, 0.25, 0.5)
    assert (again.since_best, again.returns, again.random_points) == (1, 2, 1)
    assert np.array_equal(again.best_ever.vector, point.vector)
    with pytest.raises(DataFileError, match="expected now_vector as 7 finite weights of heuristic"):
        state_from_arrays(arrays, FAMILIES["heuristic"].space)
    with pytest.raises(DataFileError, match="expected the state of an ascent"):
        state_from_arrays({"step": np.array(1)}, FAMILIES["bev"].space)


@pytest.mark.parametrize(
    ("options", "field", "said"),
    [
        (["--games", "7"], "games", "multiple of 2"),
        (["--start", "1,2"], "start", "expected 15 weights of bev"),
        (["--player", "heuristic", "--start", "1,1,9,1,1,1,1"], "start", "expected 0..5 for cb, got 9"),
        (["--player", "nobody"], "player", "expected one of bev|heuristic|phase-heuristic for player"),
        (["--reference", "nobody"], "player", "expected a player"),
    ],
)
def test_settings_that_cannot_be_are_named_and_no_run_is_begun(tmp_path, capsys, options, field, said):
    assert run(tmp_path / "run", *options) == cli.EXIT_USAGE
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


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


def test_weights_beyond_their_range_are_refused_in_the_settings():
    with pytest.raises(ValueRangeError) as caught:
        AscendSettings(start=(2000.0,) * 15).check()
    assert caught.value.field == "start"

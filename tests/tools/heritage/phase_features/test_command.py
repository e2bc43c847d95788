"""``gammond heritage heuristic-net``: each part learns."""

import re
from functools import partial

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import ScorerPlayer
from gammond.nets.heritage.phase_features.net import PhaseNet
from gammond.tools.common.journal import read_records
from gammond.tools.common.opponents import load_opponent
from gammond.tools.heritage.phase_features import command
from gammond.tools.heritage.phase_features.settings import HeuristicNetSettings
from gammond.tools.train.runs.settings import read_settings
from tests.support.commands import run_tool

pytestmark = pytest.mark.slow

TINY = [
    *("--random-games", "8", "--epochs", "2", "--rounds", "3", "--round-games", "8", "--round-epochs", "1"),
    *("--games", "4", "--measure-every", "2", "--opponents", "phase-heuristic,pubeval"),
]
run_command = partial(run_tool, command)


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A run long enough to learn: 5,800 positions imitated, 120,000 learned by their outcome."""
    folder = tmp_path_factory.mktemp("learned") / "run"
    parts = ["--random-games", "60", "--epochs", "8", "--rounds", "4", "--round-games", "400"]
    run_command(str(folder), *parts, "--round-epochs", "1", "--chooser", "net", "--games", "0")
    return folder


def test_imitating_teaches_the_heuristics_values_and_plays(learned):
    epochs = [record for record in read_records(learned / "log.jsonl") if "epoch" in record]
    assert epochs[-1]["aside_loss"] < 0.1 * epochs[0]["loss"]
    assert epochs[-1]["aside_loss"] < 0.01**2
    assert min(epochs[-1][f"agreement_{name}"] for name in ("random", "chosen")) > 0.8
    untrained = ScorerPlayer("untrained", PhaseNet.untrained(np.random.default_rng(1)))
    imitation = load_opponent(f"run:{learned / 'imitation.npz'}")
    gained = play_games(imitation, load_opponent("random"), 100, seed=1)
    before = play_games(untrained, load_opponent("random"), 100, seed=1)
    error = np.hypot(gained.score.error, before.score.error)
    assert gained.score.value - before.score.value > 4 * error


def test_outcomes_make_the_net_stronger_than_the_one_that_imitates_and_than_the_heuristic(learned):
    rounds = [record for record in read_records(learned / "log.jsonl") if "round" in record]
    assert [record["round"] for record in rounds] == [1, 2, 3, 4]
    assert max(record["aside_loss"] for record in rounds) < 0.9 * 0.5**2
    last = load_opponent(f"run:{learned / 'checkpoint.npz'}")
    for other in (f"run:{learned / 'imitation.npz'}", "phase-heuristic"):
        results = play_games(last, load_opponent(other), 600, seed=2)
        assert results.score.value > 4 * results.score.error


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert run_command(str(folder), *TINY) == 0
    return folder


def test_the_log_tells_of_epochs_rounds_errors_and_strength(whole):
    records = read_records(whole / "log.jsonl")
    assert [record["number"] for record in records] == [1, 2, 3, 4, 5]
    assert [record.get("epoch") for record in records] == [1, 2, None, None, None]
    assert [record.get("round") for record in records] == [None, None, 1, 2, 3]
    assert ["ppg" in record for record in records] == [False, True, False, True, True]
    for record in records:
        assert record["error_points"] == pytest.approx(2 * record["aside_loss"] ** 0.5)
        assert record["learned"] > 0
    assert records[1]["others"][0]["opponent"] == "pubeval"
    assert set(records[1]["win_shares"]) == {"phase-heuristic", "pubeval"}
    settings = read_settings(whole / "run.toml", HeuristicNetSettings)
    assert (settings.random_games, settings.rounds, settings.chooser) == (8, 3, "heuristic")


def test_a_run_plays_by_its_best_net_and_by_the_one_that_imitates(whole):
    player = load_opponent(f"run:{whole}")
    np.testing.assert_array_equal(player.scorer.weights.w1, read_array_file(whole / "best.npz")["w1"])
    assert (player.name, len(player.nets)) == ("run", 1)
    assert load_opponent(f"run:{whole / 'imitation.npz'}").name == "run-imitation"


def test_the_result_is_printed_in_lines_to_paste(whole, capsys):
    assert run_command(str(whole), "--resume") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("imitation, 2 epochs of ")
    assert [line.partition(":")[0] for line in lines[1:]] == ["imitation", "round 2", "round 3", "outcomes"]
    assert "% won) against phase-heuristic, " in lines[1]


@pytest.mark.parametrize("inputs", ["plain", "counts"])
def test_nets_that_see_something_else_learn(tmp_path, inputs):
    run_command(str(tmp_path / "run"), *TINY, "--inputs", inputs)
    blocks = read_array_file(tmp_path / "run" / "best.npz")["w1"].reshape(3, 16, -1)
    assert np.array_equal(blocks[0], blocks[1]) == (inputs == "plain")


def test_a_measured_step_prints_the_shares_of_games_won(tmp_path, capsys):
    few = ["--random-games", "8", "--epochs", "1", "--rounds", "0", "--games", "4"]
    run_command(str(tmp_path), *few, "--opponents", "random,phase-heuristic")
    (line,) = capsys.readouterr().err.splitlines()
    shares = read_records(tmp_path / "log.jsonl")[0]["win_shares"]
    won = f"{100 * shares['random']:.1f} % and {100 * shares['phase-heuristic']:.1f} % won, "
    assert re.search(rf"validation 0\.\d+, {re.escape(won)}\S+ ± \S+ against random", line)


def test_without_imitation_it_learns_from_outcomes_alone(tmp_path, capsys):
    options = ["--epochs", "0", "--rounds", "4", "--round-games", "300", "--games", "0"]
    run_command(str(tmp_path / "run"), *options)
    records = read_records(tmp_path / "run" / "log.jsonl")
    assert [(record["number"], record["round"]) for record in records] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert not (tmp_path / "run" / "imitation.npz").exists()
    assert capsys.readouterr().out.startswith("outcomes: RMS error aside 0.")
    learned, untrained = (
        load_opponent(f"run:{tmp_path / 'run'}"),
        PhaseNet.untrained(np.random.default_rng(1)),
    )
    result = play_games(learned, ScorerPlayer("untrained", untrained), 200, seed=1)
    assert result.score.value > 4 * result.score.error


def test_another_chooser_changes_what_comes_after_the_imitation(whole, tmp_path):
    run_command(str(tmp_path / "run"), *TINY, "--chooser", "net")
    for name, is_same in (("imitation.npz", True), ("checkpoint.npz", False)):
        nets = [read_array_file(folder / name)["w1"] for folder in (whole, tmp_path / "run")]
        assert np.array_equal(*nets) == is_same


def test_the_hidden_layers_may_have_other_sizes(tmp_path):
    run = str(tmp_path / "run")
    assert run_command(run, *TINY, "--games", "0", "--hidden", "8,4") == 0
    assert run_command(run, "--resume", "--rounds", "4") == 0
    assert PhaseNet.from_arrays(read_array_file(tmp_path / "run" / "checkpoint.npz")).hidden == (8, 4)
    assert play_games(load_opponent(f"run:{run}"), load_opponent("random"), 4).games == 4


def test_a_file_with_a_net_of_other_shapes_plays_nothing(whole, tmp_path):
    arrays = read_array_file(whole / "best.npz") | {"w1": np.zeros((52, 64), np.float32)}
    np.savez(tmp_path / "wrong.npz", **arrays)
    with pytest.raises(DataFileError, match=r"wrong\.npz: expected weights of 48 inputs"):
        load_opponent(f"run:{tmp_path / 'wrong.npz'}")

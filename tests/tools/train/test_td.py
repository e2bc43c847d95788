"""The training command: it learns, it resumes, it refuses."""

import argparse
import json

import numpy as np
import pytest

from engine.errors import DataFileError, StateError
from engine.games import play_games
from engine.players import EvaluatorPlayer, RandomPlayer
from nets.pubeval import PubevalPlayer
from tools.train import td
from tools.train.network import load_trainee
from tools.train.run_folder import RunFolder
from tools.train.self_play import SelfPlay, TdConfig


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    td.add_arguments(parser)
    return td.main(parser.parse_args(arguments))


def strength(trainee, opponent, games=1000):
    result = play_games(EvaluatorPlayer(trainee), opponent, games, seed=4)
    return result.points_per_game, result.standard_error


def test_it_learns_to_beat_random_and_gains_on_pubeval():
    run = SelfPlay(TdConfig(games=12_000, hidden=24, race_hidden=12, learning_rate=0.05, final_rate=0.01))
    early, late = None, None
    for report in run.rounds():
        if early is None and report.games >= 1_000:
            early = run.trainee.copy()
    late = run.trainee
    points, error = strength(late, RandomPlayer(seed=1))
    assert points - 4 * error > 1.0
    before, error_before = strength(early, PubevalPlayer())
    after, error_after = strength(late, PubevalPlayer())
    assert after - before > 4 * np.hypot(error_before, error_after)


def test_a_run_that_was_killed_goes_on_from_its_checkpoint_to_the_same_weights(tmp_path):
    config = TdConfig(games=640, hidden=8, race_hidden=4, threads=2, round_games=16)
    whole = SelfPlay(config)
    for _ in whole.rounds():
        pass
    folder = RunFolder(tmp_path / "run")
    killed = folder.start(config)
    for report in killed.rounds():
        if report.games >= 320:
            folder.checkpoint(killed, {"games": report.games})
            break
    resumed = folder.resume()
    assert resumed.games_done == 320
    for _ in resumed.rounds():
        pass
    for one, other in zip(whole.trainee.contact.arrays, resumed.trainee.contact.arrays, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_command_writes_configuration_checkpoint_best_and_log(tmp_path):
    folder = RunFolder(tmp_path / "run")
    options = ["--games", "256", "--hidden", "8", "--race-hidden", "4", "--round-games", "32"]
    assert (
        run_command(str(folder.path), *options, "--checkpoint-every", "128", "--benchmark-games", "20") == 0
    )
    log = [json.loads(line) for line in folder.log_file.read_text().splitlines()]
    assert [entry["games"] for entry in log] == [128, 256]
    assert all(entry["opponent"] == "pubeval" and entry["ppg_games"] == 20 for entry in log)
    assert folder.config() == TdConfig(games=256, hidden=8, race_hidden=4, round_games=32)
    assert load_trainee(folder.checkpoint_file)[1]["games_done"] == 256
    best = max(entry["ppg"] for entry in log)
    assert load_trainee(folder.best_file)[1]["games_done"] in [e["games"] for e in log if e["ppg"] == best]


def test_a_folder_with_a_run_is_not_overwritten(tmp_path):
    folder = RunFolder(tmp_path)
    folder.start(TdConfig())
    with pytest.raises(StateError, match="--resume"):
        folder.start(TdConfig())


@pytest.mark.parametrize("content", ["games = ", "games = 5\ncolour = 1\n"])
def test_a_configuration_that_cannot_be_read_is_refused(tmp_path, content):
    folder = RunFolder(tmp_path)
    folder.config_file.write_text(content)
    with pytest.raises(DataFileError, match=r"run\.toml"):
        folder.resume()


def test_a_cut_checkpoint_is_refused(tmp_path):
    folder = RunFolder(tmp_path)
    run = folder.start(TdConfig(hidden=8, race_hidden=4))
    folder.checkpoint(run, {"games": 0})
    content = folder.checkpoint_file.read_bytes()
    folder.checkpoint_file.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataFileError, match="checkpoint"):
        folder.resume()

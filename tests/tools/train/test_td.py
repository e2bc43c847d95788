"""The training command: it learns, it resumes, it refuses."""

import argparse
import json

import numpy as np
import pytest

from engine.errors import DataFileError, GammondError, StateError
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"games = ", "no configuration"),
        (b"\xff\xfe", "no configuration"),
        (TdConfig().to_toml().encode() + b"colour = 1\n", "unknown fields: colour"),
        (
            b"",
            "has no games, hidden, race_hidden, learning_rate, final_rate, trace, threads, round_games, seed",
        ),
        (TdConfig().to_toml().replace("seed = 1\n", "").encode(), "has no seed"),
        (TdConfig().to_toml().replace("seed = 1\n", 'seed = "x"\n').encode(), "seed is int, not 'x'"),
        (TdConfig().to_toml().replace("seed = 1\n", "seed = 1.5\n").encode(), "seed is int, not 1.5"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_refused(tmp_path, content, message):
    folder = RunFolder(tmp_path)
    folder.config_file.write_bytes(content)
    with pytest.raises(DataFileError, match=message) as caught:
        folder.resume()
    assert "run.toml" in caught.value.message


def test_whole_numbers_are_good_rates(tmp_path):
    folder = RunFolder(tmp_path)
    folder.start(TdConfig(hidden=8, race_hidden=4, learning_rate=1, trace=0))
    assert folder.config().rate(0) == 1.0


def test_a_configuration_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    def killed(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", killed)
    folder = RunFolder(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        folder.start(TdConfig(hidden=8, race_hidden=4))
    assert not folder.config_file.exists()
    monkeypatch.undo()
    assert folder.start(TdConfig(hidden=8, race_hidden=4)).games_done == 0


@pytest.mark.parametrize(
    "options",
    [
        ["--opponent", "nobody"],
        ["--games", "0"],
        ["--seed", "-1"],
        ["--learning-rate", "nan"],
        ["--checkpoint-every", "0"],
        ["--benchmark-games", "3"],
        ["--benchmark-games", "-2"],
        ["--benchmark-games", "2"],
    ],
)
def test_a_command_that_cannot_be_leaves_no_run_behind(tmp_path, options):
    small = ["--games", "64", "--hidden", "8", "--race-hidden", "4", "--round-games", "16"]
    with pytest.raises(GammondError):
        run_command(str(tmp_path / "run"), *small, *options)
    assert not (tmp_path / "run").exists()


def test_a_path_that_is_no_folder_is_refused(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(DataFileError, match="cannot hold a run"):
        RunFolder(tmp_path / "run").start(TdConfig(hidden=8, race_hidden=4))


def small_run(path, *records):
    folder = RunFolder(path)
    run = folder.start(TdConfig(hidden=8, race_hidden=4))
    for record in records:
        folder.checkpoint(run, record)
    return folder


def test_a_log_line_that_a_kill_cut_short_is_left_out_and_then_replaced(tmp_path):
    first = {"games": 3600, "games_per_s": 1.0, "ppg": 0.25}
    second = {"games": 7200, "games_per_s": 1.0, "ppg": 0.5}
    folder = small_run(tmp_path, first, second)
    whole = folder.log_file.read_bytes()
    start_of_second = whole.index(b"\n") + 1
    for cut in range(start_of_second, len(whole)):
        folder.log_file.write_bytes(whole[:cut])
        assert folder.hours() == 1.0
        folder.checkpoint(folder.resume(), second)
        assert folder.log_file.read_bytes() == whole
    assert folder.hours() == 2.0


@pytest.mark.parametrize("line", ["{", "[1]", '{"ppg": 1.0}', "\x00"])
def test_a_damaged_line_within_the_log_is_an_error_that_names_it(tmp_path, line):
    folder = small_run(tmp_path, {"games": 10})
    folder.log_file.write_text('{"games": 5}\n' + line + "\n" + '{"games": 10}\n')
    with pytest.raises(DataFileError, match=r"log\.jsonl line 2"):
        folder.hours()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games_done": None}, "has no games_done"),
        ({"dice": None}, "has no dice"),
        ({"games_done": np.array([1, 2])}, "games_done is one whole number"),
        ({"games_done": np.float64(1.5)}, "games_done is one whole number"),
        ({"dice": np.array([1.0, 2.0])}, r"dice is uint64\[threads\], not float64\[2\]"),
        ({"dice": np.ones(3, np.uint64)}, "threads 3, run.toml beside it 2"),
        ({"contact_b1": np.zeros(9, np.float32)}, "wrong shapes"),
        ({"contact_b1": np.float32(0)}, "wrong shapes"),
        ({"race_b2": np.zeros(5)}, "not float32"),
        ({"race_w1": None}, "no checkpoint"),
    ],
)
def test_a_checkpoint_that_lacks_something_is_refused(tmp_path, changes, message):
    folder = small_run(tmp_path, {"games": 10})
    with np.load(folder.checkpoint_file) as file:
        arrays = {name: file[name] for name in file.files}
    for name, array in changes.items():
        arrays.pop(name) if array is None else arrays.update({name: array})
    np.savez(folder.checkpoint_file, **arrays)
    with pytest.raises(DataFileError, match=message):
        folder.resume()


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    folder = small_run(tmp_path / "run", {"games": 10})
    other = RunFolder(tmp_path / "other")
    other.checkpoint(other.start(TdConfig(hidden=9, race_hidden=4)), {"games": 10})
    folder.checkpoint_file.write_bytes(other.checkpoint_file.read_bytes())
    with pytest.raises(DataFileError, match=r"hidden 9, run\.toml beside it 8"):
        folder.resume()


def test_a_cut_checkpoint_is_refused(tmp_path):
    folder = RunFolder(tmp_path)
    run = folder.start(TdConfig(hidden=8, race_hidden=4))
    folder.checkpoint(run, {"games": 0})
    content = folder.checkpoint_file.read_bytes()
    folder.checkpoint_file.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataFileError, match="checkpoint"):
        folder.resume()

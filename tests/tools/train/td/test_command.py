"""The training command: it learns, it goes back to its best nets, it resumes, it refuses."""

import argparse

import msgspec
import numpy as np
import pytest

from gammond.engine.errors import (
    DataFileError,
    FormatError,
    GammondError,
    StateError,
    UnsupportedError,
)
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.play.lockstep import PairedGameResults, play_games
from gammond.engine.play.player import EvaluatorPlayer, RandomPlayer
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools.common.files import read_records, write_arrays
from gammond.tools.common.locks import hold_lock
from gammond.tools.train.runs import game_learner
from gammond.tools.train.runs import run as run_module
from gammond.tools.train.runs import strength_games as measuring
from gammond.tools.train.runs.run_folder import ProvenanceStep, begin_run, read_run_provenance
from gammond.tools.train.runs.settings import read_settings
from gammond.tools.train.td import command as td
from gammond.tools.train.td.self_play import SelfPlay, TdSettings

SMALL = {"hidden": 8, "race_hidden": 4, "round_games": 16}
OPTIONS = ["--hidden", "8", "--race-hidden", "4", "--round-games", "16", "--benchmark-games", "4"]
EVERY = ["--games", "320", "--checkpoint-every", "32"]


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    td.add_arguments(parser)
    return td.main(parser.parse_args(arguments))


def strength(trainee, opponent, games=1000):
    result = play_games(EvaluatorPlayer(trainee), opponent, games, seed=4)
    return result.points_per_game, result.standard_error


def strengths_in_turn(*points):
    """Measurements with set results, in points per game of four games."""
    left = [PairedGameResults(np.array(each, np.int8)) for each in points]
    return lambda player, other, games, seed, **how: left.pop(0)


def strength_by_weights(player, other, games, seed, **how):
    """A measurement that rises and falls, the same whenever the weights are the same."""
    generator = np.random.default_rng(player.evaluator.contact.one_layer_weights[0].view(np.uint32).ravel())
    return PairedGameResults(generator.integers(-3, 4, 4).astype(np.int8))


@pytest.mark.slow
def test_it_learns_to_beat_random_and_gains_on_pubeval():
    shape = {"hidden": 24, "race_hidden": 12}
    run = SelfPlay(TdSettings(games=8_000, learning_rate=0.05, final_rate=0.01, trace=0.7, **shape))
    early, late = None, None
    for report in run.play_rounds():
        if early is None and report.games_done >= 1_000:
            early = run.nets.copy()
    late = run.nets
    points, error = strength(late, RandomPlayer(seed=1))
    assert points - 4 * error > 1.0
    before, error_before = strength(early, PubevalPlayer())
    after, error_after = strength(late, PubevalPlayer())
    assert after - before > 4 * np.hypot(error_before, error_after)


def test_the_command_writes_settings_checkpoint_best_and_log(tmp_path):
    run = tmp_path / "run"
    options = ["--games", "256", "--checkpoint-every", "128", "--opponents", "pubeval,random"]
    assert run_command(str(run), *OPTIONS, *options, "--benchmark-games", "20") == 0
    log = read_records(run / "log.jsonl")
    assert [record["games"] for record in log] == [128, 256]
    assert all(record["opponent"] == "pubeval" and record["ppg_games"] == 20 for record in log)
    assert all(record["others"][0]["opponent"] == "random" for record in log)
    assert all(record["seconds"] >= 128 / record["games_per_s"] for record in log)
    settings = read_settings(run / "run.toml", TdSettings)
    given = {"games": 256, "checkpoint_every": 128, "benchmark_games": 20}
    assert settings == TdSettings(**SMALL, **given, opponents=("pubeval", "random"))
    assert SelfPlay.from_arrays(settings, "run", read_array_file(run / "checkpoint.npz")).games_done == 256
    means = {record["games"]: (record["ppg"] + record["others"][0]["ppg"]) / 2 for record in log}
    best = read_array_file(run / "best.npz")
    assert best["ppg"].mean() == max(means.values()) == means[int(best["games_done"])]


def test_a_record_covers_all_rounds_since_the_last(tmp_path):
    games = ["--games", "64", "--benchmark-games", "0", "--threads", "1"]
    run_command(str(tmp_path), *OPTIONS, *games)
    reports = list(SelfPlay(TdSettings(**SMALL, games=64, threads=1)).play_rounds())
    (record,) = read_records(tmp_path / "log.jsonl")
    plies = sum(report.plies for report in reports)
    assert len(reports) == 4
    assert record["plies"] == plies / sum(report.games_played for report in reports)
    squares = sum(report.squared_error for report in reports)
    assert record["error_points"] == pytest.approx((squares / plies) ** 0.5)


def test_options_win_over_the_file_of_settings(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('games = 32\nhidden = 8\nrace_hidden = 4\nopponents = ["random"]\nbenchmark_games = 4\n')
    run_command(str(tmp_path / "run"), "--config", str(file), "--games", "64", "--backtrack", "0.5")
    settings = read_settings(tmp_path / "run" / "run.toml", TdSettings)
    assert (settings.games, settings.hidden, settings.opponents) == (64, 8, ("random",))
    assert settings.backtrack == 0.5


def test_nets_that_fall_behind_give_way_to_the_best_at_a_lower_rate(tmp_path, monkeypatch, capsys):
    """Measured 1.5, 1.25 (within the threshold), 0.5 (fallen behind), 2, 0 (fallen behind), then 3."""
    reported = [2, 2, 1, 1], [2, 1, 1, 1], [1, 1, 0, 0], [2, 2, 2, 2], [0, 0, 0, 0]
    monkeypatch.setattr(measuring, "play_games", strengths_in_turn(*reported, *([3, 3, 3, 3],) * 5))
    before_and_after, save_checkpoint = [], run_module.Run._save_checkpoint

    def save_and_watch(self, *arguments):
        before = self._learner.play.nets.contact.layers[0][0].copy()
        text = save_checkpoint(self, *arguments)
        before_and_after.append((before, self._learner.play.nets.contact.layers[0][0].copy()))
        return text

    monkeypatch.setattr(run_module.Run, "_save_checkpoint", save_and_watch)
    back = ["--backtrack", "0.5", "--backtrack-factor", "0.25"]
    run_command(str(tmp_path), *OPTIONS, *EVERY, *back, "--learning-rate", "0.4")
    log = read_records(tmp_path / "log.jsonl")
    assert [record.get("back_to") for record in log] == [None, None, 32, None, 128, *[None] * 5]
    assert [record.get("cuts") for record in log] == [None, None, 1, None, 2, *[None] * 5]
    planned = [
        TdSettings(games=320, learning_rate=0.4).learning_rate_at(games) for games in range(0, 320, 32)
    ]
    cut = [1, 1, 1, 1 / 4, 1 / 4, *[1 / 16] * 5]
    assert [record["rate"] for record in log] == pytest.approx(
        [max(rate * share, 0.001) for rate, share in zip(planned, cut, strict=True)]
    )
    for fallen, best in ((2, 0), (4, 3)):
        np.testing.assert_array_equal(before_and_after[fallen][1], before_and_after[best][0])
        assert not np.array_equal(*before_and_after[fallen])
    lines = [line for line in capsys.readouterr().err.splitlines() if " games, rate " in line]
    printed = [line.partition("; ")[2] for line in lines]
    assert printed[2] == f"fallen behind: back to the nets of 32 games, rate {planned[3] / 4:.4f}"
    assert printed[4] == f"fallen behind: back to the nets of 128 games, rate {planned[5] / 16:.4f}"
    assert not any(printed[:2] + printed[3:4] + printed[5:])


def test_a_rate_that_cannot_be_cut_any_more_sends_no_run_back(tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "play_games", strengths_in_turn([3, 3, 3, 3], *([-3, -3, -3, -3],) * 3))
    games = ["--games", "128", "--checkpoint-every", "32", "--backtrack", "0.5", "--final-rate", "0.02"]
    run_command(str(tmp_path), *OPTIONS, *games)
    assert all("back_to" not in record for record in read_records(tmp_path / "log.jsonl"))


def test_without_the_option_a_run_never_goes_back(tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "play_games", strengths_in_turn([3, 3, 3, 3], *([-3, -3, -3, -3],) * 9))
    run_command(str(tmp_path), *OPTIONS, *EVERY)
    settings = read_settings(tmp_path / "run.toml", TdSettings)
    whole = SelfPlay(settings)
    for _ in whole.play_rounds():
        pass
    checkpoint = SelfPlay.from_arrays(settings, "run", read_array_file(tmp_path / "checkpoint.npz"))
    np.testing.assert_array_equal(checkpoint.nets.contact.layers[0][0], whole.nets.contact.layers[0][0])
    assert checkpoint.cuts == 0
    assert all("back_to" not in record for record in read_records(tmp_path / "log.jsonl"))


BACK = ["--backtrack", "0.25", "--backtrack-factor", "0.7"]
KILLS = [(run_module, "append_new_record", False), (run_module, "append_new_record", True)]
KILLS += [(game_learner, "play_opponents", False)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that goes back several times without being killed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(measuring, "play_games", strength_by_weights)
        run_command(str(folder), *OPTIONS, *EVERY, *BACK)
    assert sum("back_to" in record for record in read_records(folder / "log.jsonl")) >= 2
    return folder


@pytest.mark.parametrize(
    ("module", "killed_in", "is_done"), KILLS, ids=["before log", "after log", "in measuring"]
)
@pytest.mark.parametrize("call", [1, 2, 4, 5, 7])
def test_a_run_that_was_killed_goes_on_to_the_same_nets(
    whole, tmp_path, monkeypatch, module, killed_in, is_done, call
):
    monkeypatch.setattr(measuring, "play_games", strength_by_weights)
    run = tmp_path / "run"
    real, calls = getattr(module, killed_in), []

    def kill(*arguments):
        calls.append(arguments)
        if len(calls) == call:
            if is_done:
                real(*arguments)
            raise KeyboardInterrupt
        return real(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(module, killed_in, kill)
        with pytest.raises(KeyboardInterrupt):
            run_command(str(run), *OPTIONS, *EVERY, *BACK)
    assert run_command(str(run), "--resume") == 0
    for name in ("checkpoint.npz", "best.npz"):
        one, other = read_array_file(whole / name), read_array_file(run / name)
        assert one.keys() == other.keys()
        assert all((one[key] == other[key]).all() for key in one)
    reported = [
        [(each["games"], each["ppg"], each["rate"], each.get("back_to")) for each in read_records(log)]
        for log in (whole / "log.jsonl", run / "log.jsonl")
    ]
    assert reported[0] == reported[1]


def test_the_progress_line_says_error_and_strength_last_and_best(tmp_path, monkeypatch):
    monkeypatch.setattr(
        measuring, "play_games", strengths_in_turn([1] * 4, [2, 2, 1, 1], [1, 1, 0, 0], [0] * 4)
    )
    reported = []
    monkeypatch.setattr(run_module.Progress, "update", lambda self, done, extra="": reported.append(extra))
    run_command(str(tmp_path), *OPTIONS, "--games", "128", "--checkpoint-every", "32")
    standing = [text.partition(", ")[2] for text in reported]
    assert standing[0] == ""
    assert standing[2:] == ["strength +1.500 (best +1.500)", "strength +0.500 (best +1.500)"]
    assert reported[0].startswith("error 0.")


def test_the_bench_prints_games_a_second_and_saves_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(td, "BENCH_WARM_UP_GAMES", 64)
    monkeypatch.chdir(tmp_path)
    assert run_command("--bench", *OPTIONS, "--games", "96") == 0
    assert "8 and 4 hidden units" in (out := capsys.readouterr().out)
    assert "games/s (96 in " in out
    assert not list(tmp_path.iterdir())


def test_a_folder_with_a_run_is_not_overwritten(tmp_path):
    begin_run(tmp_path, "train td", TdSettings(), ())
    with pytest.raises(StateError, match="--resume"):
        run_command(str(tmp_path), *OPTIONS)


def test_a_run_that_another_process_continues_is_not_resumed(tmp_path):
    begin_run(tmp_path, "train td", TdSettings(**SMALL, games=32, benchmark_games=0), ())
    with hold_lock(tmp_path), pytest.raises(StateError, match="another process writes"):
        run_command(str(tmp_path), "--resume")
    assert not (tmp_path / "checkpoint.npz").exists()
    assert run_command(str(tmp_path), "--resume") == 0


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (b"games = ", DataFileError, "no configuration"),
        (b"\xff\xfe", DataFileError, "no configuration"),
        (b"games = 1\ncolour = 1\n", DataFileError, "unknown fields: colour"),
        (b'seed = "x"\n', FormatError, "run.toml: expected .* for seed"),
        (b"seed = 1.5\n", FormatError, "run.toml: expected .* for seed"),
    ],
)
def test_settings_that_cannot_be_read_are_refused(tmp_path, content, error, message):
    (tmp_path / "run.toml").write_bytes(content)
    with pytest.raises(error, match=message):
        run_command(str(tmp_path), "--resume")


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (["--opponents", "nobody"], "player"),
        (["--games", "0"], "games"),
        (["--hidden", "0"], "hidden"),
        (["--threads", "0"], "threads"),
        (["--trace", "1.5"], "trace"),
        (["--seed", "-1"], "seed"),
        (["--learning-rate", "nan"], "learning_rate"),
        (["--learning-rate", "0.001", "--final-rate", "0.01"], "learning_rate"),
        (["--checkpoint-every", "0"], "checkpoint_every"),
        (["--benchmark-games", "3"], "games"),
        (["--benchmark-games", "-2"], "benchmark_games"),
        (["--benchmark-games", "2"], "games"),
        (["--backtrack", "-0.1"], "backtrack"),
        (["--backtrack", "0.1", "--benchmark-games", "0"], "backtrack"),
        (["--backtrack-factor", "0"], "backtrack_factor"),
        (["--plot", "strength.gif"], "plot"),
    ],
)
def test_a_command_that_cannot_be_leaves_no_run_behind(tmp_path, options, field):
    with pytest.raises(GammondError) as caught:
        run_command(str(tmp_path / "run"), *OPTIONS, "--games", "64", *options)
    assert caught.value.field == field
    assert not (tmp_path / "run").exists()


def test_a_run_needs_a_folder():
    with pytest.raises(UnsupportedError, match="--bench"):
        run_command(*OPTIONS)


def test_a_path_that_is_no_folder_is_refused(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(DataFileError, match="cannot be written"):
        run_command(str(tmp_path / "run"), *OPTIONS)


@pytest.fixture
def run_folder(tmp_path):
    """A finished run of 64 games."""
    run_command(str(tmp_path / "run"), *OPTIONS, "--games", "64", "--benchmark-games", "0")
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games_done": None}, "missing games_done"),
        ({"dice": None}, "missing dice"),
        ({"games_done": np.array([1, 2])}, "expected games_done as one whole number"),
        ({"games_done": np.float64(1.5)}, "expected games_done as one whole number"),
        ({"cuts": np.int64(-1)}, "expected cuts as one whole number"),
        ({"dice": np.array([1.0, 2.0])}, r"expected dice as uint64\[threads\], got float64\[2\]"),
        ({"dice": np.ones(3, np.uint64)}, "expected threads 2 as in run.toml, got 3"),
        ({"contact_b1": np.zeros(9, np.float32)}, "with one hidden layer, got shapes"),
        ({"contact_b1": np.float32(0)}, "with one hidden layer, got shapes"),
        ({"race_b2": np.zeros(5)}, "expected float32 weights"),
        ({"race_w1": None}, "missing 'race_w1'"),
    ],
)
def test_a_checkpoint_that_lacks_something_is_refused(run_folder, changes, message):
    file = run_folder / "checkpoint.npz"
    arrays = read_array_file(file)
    for name, array in changes.items():
        arrays.pop(name) if array is None else arrays.update({name: array})
    np.savez(file, **arrays)
    with pytest.raises(DataFileError, match=message):
        run_command(str(run_folder), "--resume")


def test_a_checkpoint_of_another_run_is_refused(run_folder, tmp_path):
    run_command(str(tmp_path / "other"), *OPTIONS, "--games", "32", "--hidden", "9")
    content = (tmp_path / "other" / "checkpoint.npz").read_bytes()
    (run_folder / "checkpoint.npz").write_bytes(content)
    with pytest.raises(DataFileError, match=r"expected hidden 8 as in run\.toml, got 9"):
        run_command(str(run_folder), "--resume")


def test_a_cut_checkpoint_is_refused(run_folder):
    content = (run_folder / "checkpoint.npz").read_bytes()
    (run_folder / "checkpoint.npz").write_bytes(content[: len(content) // 2])
    with pytest.raises(DataFileError, match="checkpoint"):
        run_command(str(run_folder), "--resume")


FLAT = """games = 128
hidden = 8
race_hidden = 4
learning_rate = 0.02
final_rate = 0.0007
trace = 0.0
threads = 2
round_games = 16
seed = 1
"""
"""A run.toml of self-play without its origin."""


def test_a_run_without_origin_and_seconds_is_read_and_goes_on(run_folder, monkeypatch):
    monkeypatch.setattr(measuring, "play_games", strength_by_weights)
    (run_folder / "run.toml").write_text(FLAT)
    (run_folder / "log.jsonl").write_text(
        '{"games": 32, "games_per_s": 0.01}\n{"games": 64, "games_per_s": 0.02}\n'
        '{"games": 96, "games_per_s": 1}\n'
    )
    state = read_array_file(run_folder / "checkpoint.npz")
    state.pop("cuts")
    np.savez(run_folder / "checkpoint.npz", **state)
    (step,) = read_run_provenance(run_folder, run_folder / "checkpoint.npz")
    command = f"gammond train td {run_folder} --games 128 --hidden 8 --race-hidden 4 --final-rate 0.0007"
    assert step == ProvenanceStep(f"{command} --round-games 16", 64, 0, pytest.approx(4800 / 3600))
    assert run_command(str(run_folder), "--resume") == 0
    assert read_array_file(run_folder / "checkpoint.npz")["games_done"] == 128


def test_a_run_knows_its_command_games_and_hours(tmp_path):
    run = tmp_path / "run"
    run_command(str(run), *OPTIONS, "--games", "96", "--checkpoint-every", "32", "--benchmark-games", "0")
    seconds = [record["seconds"] for record in read_records(run / "log.jsonl")]
    arrays = read_array_file(run / "checkpoint.npz")
    write_arrays(run / "best.npz", {**arrays, "games_done": np.array(64)})
    for file, games in (("checkpoint.npz", 96), ("best.npz", 64)):
        (step,) = read_run_provenance(run, run / file)
        assert step.command.startswith(
            f"gammond train td {run} --games 96 --hidden 8 --race-hidden 4 --round"
        )
        assert step.games == games
        assert step.hours == pytest.approx(sum(seconds[: games // 32]) / 3600)


def test_settings_of_a_run_come_back_from_its_file(tmp_path):
    settings = TdSettings(hidden=8, learning_rate=1, trace=0, backtrack=0.05, opponents=("random",))
    begin_run(tmp_path, "train td", settings, ())
    assert read_settings(tmp_path / "run.toml", TdSettings) == settings
    assert msgspec.structs.replace(settings, games=10).learning_rate_at(0) == 1.0

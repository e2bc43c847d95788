"""``gammond heritage heuristic-net``: each part learns, runs go on after a kill, bad input is refused."""

import argparse
import re

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, GammondError, StateError
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import ScorerPlayer
from gammond.nets.heritage.phase_features.net import PhaseNet, parse_phase_onnx
from gammond.nets.manifest import read_manifest, read_net_file
from gammond.tools import cli
from gammond.tools.common.files import read_records
from gammond.tools.common.net_records import read_provenance
from gammond.tools.common.opponents import load_opponent
from gammond.tools.export import PROVENANCE_HEADING
from gammond.tools.heritage.phase_features import command
from gammond.tools.heritage.phase_features import command as heuristic_run
from gammond.tools.heritage.phase_features.settings import HeuristicNetSettings
from gammond.tools.train.runs import run as run_module
from gammond.tools.train.runs.settings import read_settings

pytestmark = pytest.mark.slow

TINY = [
    *("--random-games", "8", "--epochs", "2", "--rounds", "3", "--round-games", "8", "--round-epochs", "1"),
    *("--games", "4", "--measure-every", "2", "--opponents", "phase-heuristic,pubeval"),
]


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.main(parser.parse_args(arguments))


def arrays_of(folder):
    return {file.name: read_array_file(file) for file in sorted(folder.glob("*.npz"))}


def reported(folder):
    return [
        {name: value for name, value in record.items() if name != "seconds"}
        for record in read_records(folder / "log.jsonl")
    ]


def assert_same(one, other):
    assert reported(one) == reported(other)
    own, others = arrays_of(one), arrays_of(other)
    assert own.keys() == others.keys() == {"best.npz", "checkpoint.npz", "imitation.npz"}
    for name, arrays in own.items():
        assert arrays.keys() == others[name].keys()
        assert all(np.array_equal(arrays[key], others[name][key]) for key in arrays), name


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
    error = np.hypot(gained.standard_error, before.standard_error)
    assert gained.points_per_game - before.points_per_game > 4 * error


def test_outcomes_make_the_net_stronger_than_the_one_that_imitates_and_than_the_heuristic(learned):
    rounds = [record for record in read_records(learned / "log.jsonl") if "round" in record]
    assert [record["round"] for record in rounds] == [1, 2, 3, 4]
    assert max(record["aside_loss"] for record in rounds) < 0.9 * 0.5**2
    last = load_opponent(f"run:{learned / 'checkpoint.npz'}")
    for other in (f"run:{learned / 'imitation.npz'}", "phase-heuristic"):
        results = play_games(last, load_opponent(other), 600, seed=2)
        assert results.points_per_game > 4 * results.standard_error


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


def test_the_best_net_is_the_best_measured_and_runs_play_by_name(whole):
    records = [record for record in read_records(whole / "log.jsonl") if "ppg" in record]
    means = {record["number"]: (record["ppg"] + record["others"][0]["ppg"]) / 2 for record in records}
    best = read_array_file(whole / "best.npz")
    assert means[int(best["done"])] == max(means.values()) == best["ppg"].mean()
    player = load_opponent(f"run:{whole}")
    assert player.name == "run"
    np.testing.assert_array_equal(player.scorer.weights.w1, best["w1"])
    assert load_opponent(f"run:{whole / 'imitation.npz'}").name == "run-imitation"
    assert len(player.nets) == 1


def test_the_result_is_printed_in_lines_to_paste(whole, capsys):
    assert run_command(str(whole), "--resume") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("imitation, 2 epochs of ")
    assert [line.partition(":")[0] for line in lines[1:]] == ["imitation", "round 2", "round 3", "outcomes"]
    assert "% won) against phase-heuristic, " in lines[1]


@pytest.mark.parametrize("inputs", ["plain", "counts"])
def test_nets_that_see_something_else_learn_and_play_and_go_on_after_a_kill(tmp_path, monkeypatch, inputs):
    options = [*TINY, "--inputs", inputs]
    run_command(str(tmp_path / "one"), *options)
    killed, real = tmp_path / "two", run_module.write_arrays

    def kill(file, arrays):
        real(file, arrays)
        if file.name == "checkpoint.npz" and int(arrays["done"]) in (1, 3):
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(run_module, "write_arrays", kill)
        for resumed in ([], ["--resume"]):
            with pytest.raises(KeyboardInterrupt):
                run_command(str(killed), *(resumed or options))
    run_command(str(killed), "--resume")
    own, others = arrays_of(tmp_path / "one"), arrays_of(killed)
    for name, arrays in own.items():
        assert all(np.array_equal(arrays[key], others[name][key]) for key in arrays), name
    player = load_opponent(f"run:{killed}")
    assert abs(play_games(player, load_opponent("random"), 4, seed=1).points_per_game) <= 3
    blocks = own["best.npz"]["w1"].reshape(3, 16, -1)
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
    assert result.points_per_game > 4 * result.standard_error


KILLS = [
    *(("append_new_record", call, is_done) for call in (1, 2, 4) for is_done in (False, True)),
    *(("write_arrays", call, False) for call in (1, 2, 3, 5)),
    ("play_opponents", 2, False),
]


@pytest.mark.parametrize(("killed_in", "call", "is_done"), KILLS)
def test_a_run_that_was_killed_goes_on_to_the_same_nets(
    whole, tmp_path, monkeypatch, killed_in, call, is_done
):
    run = tmp_path / "run"
    modules = [module for module in (heuristic_run, run_module) if hasattr(module, killed_in)]
    real, calls = getattr(modules[0], killed_in), []

    def kill(*arguments):
        calls.append(arguments)
        if len(calls) == call:
            if is_done:
                real(*arguments)
            raise KeyboardInterrupt
        return real(*arguments)

    with monkeypatch.context() as patched:
        for module in modules:
            patched.setattr(module, killed_in, kill)
        with pytest.raises(KeyboardInterrupt):
            run_command(str(run), *TINY)
    assert run_command(str(run), "--resume") == 0
    assert_same(run, whole)


def test_another_seed_makes_another_net_and_another_chooser_too(whole, tmp_path):
    run_command(str(tmp_path / "seed"), *TINY, "--seed", "2")
    run_command(str(tmp_path / "chooser"), *TINY, "--chooser", "net")
    first = read_array_file(whole / "imitation.npz")["w1"]
    assert not np.array_equal(read_array_file(tmp_path / "seed" / "imitation.npz")["w1"], first)
    assert np.array_equal(read_array_file(tmp_path / "chooser" / "imitation.npz")["w1"], first)
    ends = [read_array_file(folder / "checkpoint.npz")["w1"] for folder in (whole, tmp_path / "chooser")]
    assert not np.array_equal(*ends)


def test_a_run_is_exported_as_weights_and_manifest_entries(whole, tmp_path, capsys):
    assert cli.main(["export", str(whole), "--best", "--name", "mine", "--folder", str(tmp_path)]) == 0
    manifest_file = tmp_path / "manifest.toml"
    entries, _, provenance = capsys.readouterr().out.partition(PROVENANCE_HEADING)
    manifest_file.write_text(entries)
    (tmp_path / "provenance.toml").write_text(provenance)
    manifest = read_manifest(manifest_file)
    best = PhaseNet.from_arrays(read_array_file(whole / "best.npz"))
    entry = manifest.find_scorer("mine")
    exported = parse_phase_onnx("mine", read_net_file(entry, tmp_path), entry.activation)
    np.testing.assert_array_equal(exported.weights.w1, best.weights.w1)
    training = read_provenance(manifest_file).find_training("mine")
    assert training.commands[0].startswith(f"gammond heritage heuristic-net {whole} --random-games 8")
    assert (training.name, training.games) == ("mine", 24)
    assert cli.main(["export", str(whole), "--name", "mine", "--folder", str(tmp_path)]) == 2
    assert "--force" in capsys.readouterr().err
    options = "--name", "mine", "--folder", str(tmp_path)
    assert cli.main(["export", str(whole), *options, "--force", "--last"]) == 0
    last = PhaseNet.from_arrays(read_array_file(whole / "checkpoint.npz"))
    found = parse_phase_onnx("mine", (tmp_path / "mine.onnx").read_bytes(), "relu")
    np.testing.assert_array_equal(found.weights.w1, last.weights.w1)


def test_the_hidden_layers_may_have_other_sizes(tmp_path):
    run = str(tmp_path / "run")
    assert run_command(run, *TINY, "--games", "0", "--hidden", "8,4") == 0
    assert run_command(run, "--resume", "--rounds", "4") == 0
    assert PhaseNet.from_arrays(read_array_file(tmp_path / "run" / "checkpoint.npz")).hidden == (8, 4)
    assert play_games(load_opponent(f"run:{run}"), load_opponent("random"), 4).games == 4
    assert cli.main(["export", run, "--last", "--name", "mine", "--folder", str(tmp_path)]) == 0
    assert parse_phase_onnx("mine", (tmp_path / "mine.onnx").read_bytes(), "relu").hidden == (8, 4)


def test_a_picture_is_drawn_where_it_is_asked_for(tmp_path):
    pytest.importorskip("matplotlib")
    run_command(str(tmp_path / "run"), *TINY, "--rounds", "0", "--plot", str(tmp_path / "run.svg"))
    assert "positions learned from" in (tmp_path / "run.svg").read_text()


def test_a_folder_with_a_run_is_not_overwritten_and_none_cannot_be_resumed(whole, tmp_path):
    with pytest.raises(StateError, match="--resume"):
        run_command(str(whole), *TINY)
    with pytest.raises(DataFileError, match="no configuration"):
        run_command(str(tmp_path / "nothing"), "--resume")


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (["--random-games", "2"], "random_games"),
        (["--random-games", "7"], "random_games"),
        (["--epochs", "-1"], "epochs"),
        (["--epochs", "0", "--rounds", "0"], "rounds"),
        (["--inputs", "phases"], "inputs"),
        (["--round-games", "5"], "round_games"),
        (["--chooser", "pubeval"], "chooser"),
        (["--among", "0"], "among"),
        (["--rate", "0"], "rate"),
        (["--hidden", "8"], "hidden"),
        (["--hidden", "8,0"], "hidden"),
        (["--rate", "1e-6"], "rate"),
        (["--games", "3"], "games"),
        (["--opponents", "nobody"], "player"),
        (["--seed", "-1"], "seed"),
        (["--plot", "strength.gif"], "plot"),
    ],
)
def test_a_command_that_cannot_be_leaves_no_run_behind(tmp_path, options, field):
    with pytest.raises(GammondError) as caught:
        run_command(str(tmp_path / "run"), *TINY, *options)
    assert caught.value.field == field
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"w2": None}, "w2 missing"),
        ({"b3": np.zeros(5, np.float32)}, "48 inputs"),
        ({"adam_mean": np.zeros(3, np.float32)}, "optimizer state"),
        ({"done": None}, "expected done as one whole number"),
        ({"done": np.array(-1)}, "expected done as one whole number"),
        ({"done": np.array([1.5])}, "expected done as one whole number"),
    ],
)
def test_a_checkpoint_that_lacks_something_is_refused(whole, tmp_path, changes, message):
    for name in ("run.toml", "log.jsonl"):
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    arrays = read_array_file(whole / "checkpoint.npz")
    for name, array in changes.items():
        arrays.pop(name) if array is None else arrays.update({name: array})
    np.savez(tmp_path / "checkpoint.npz", **arrays)
    with pytest.raises(DataFileError, match=message):
        run_command(str(tmp_path), "--resume")
    (tmp_path / "checkpoint.npz").write_bytes(b"PK")
    with pytest.raises(DataFileError, match="cannot be read"):
        run_command(str(tmp_path), "--resume")


def test_a_file_with_a_net_of_other_shapes_plays_nothing(whole, tmp_path):
    arrays = read_array_file(whole / "best.npz") | {"w1": np.zeros((52, 64), np.float32)}
    np.savez(tmp_path / "wrong.npz", **arrays)
    with pytest.raises(DataFileError, match=r"wrong\.npz: expected weights of 48 inputs"):
        load_opponent(f"run:{tmp_path / 'wrong.npz'}")

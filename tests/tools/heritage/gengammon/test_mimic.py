"""The command: its files, resuming, refusals, and its nets played and exported."""

import argparse
import shutil
import tomllib

import msgspec
import numpy as np
import pytest

from gammond.engine.errors import DataFileError, GammondError, StateError, ValueRangeError
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import RandomPlayer
from gammond.nets.heritage.gengammon.net import parse_onnx_net, read_net_text
from gammond.nets.manifest import ScorerEntry, read_net_file
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools import export
from gammond.tools.common.files import read_records
from gammond.tools.common.opponents import load_opponent
from gammond.tools.heritage.gengammon import command
from gammond.tools.heritage.gengammon.expert_moves.dataset import write_expert_moves
from gammond.tools.heritage.gengammon.learners import SelfPlayLearner
from gammond.tools.heritage.gengammon.settings import MimicSettings
from gammond.tools.train.runs import run as run_module
from gammond.tools.train.runs.settings import read_settings
from tests.tools.heritage.gengammon.teaching import expert_moves

SMALL = ["--population", "8", "--games", "0", "--threads", "1", "--fitness", "2"]
PLAY = ["--method", "play", "--positions", "20", "--trials", "2", "--round-generations", "3", "--rounds", "2"]


def run_command(*arguments, module=command) -> int:
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    return module.main(parser.parse_args([str(each) for each in arguments]))


@pytest.fixture(scope="module")
def moves(tmp_path_factory):
    file = tmp_path_factory.mktemp("moves") / "moves.npz"
    write_expert_moves(file, expert_moves(200, seed=1))
    return ["--moves", str(file)]


METHODS = {
    "genetic": ["--method", "genetic", "--generations", "6", "--validate-every", "2"],
    "backprop": ["--method", "backprop", "--epochs", "3"],
    "play": PLAY,
}


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_run_has_settings_a_log_a_checkpoint_and_its_net_as_text(tmp_path, moves, method):
    assert run_command(tmp_path / "run", *SMALL, *moves, *METHODS[method]) == 0
    settings = read_settings(tmp_path / "run" / "run.toml", MimicSettings)
    assert (settings.method, settings.population) == (method, 8)
    log = read_records(tmp_path / "run" / "log.jsonl")
    unit = {"genetic": "generation", "backprop": "epoch", "play": "round"}[method]
    expected = {"genetic": [2, 4, 6], "backprop": [1, 2, 3], "play": [1, 2]}[method]
    assert [record[unit] for record in log] == expected
    for record in log:
        assert 0 < record["unseen_first"] <= 1
        assert 0 < record["fitness"] <= 1.0
        assert record["seconds"] > 0
    net = read_net_text(tmp_path / "run" / "net.txt")
    assert net.activation == "softsign"
    assert int(read_array_file(tmp_path / "run" / "checkpoint.npz")[unit]) == expected[-1]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_killed_run_comes_out_as_one_that_was_not_killed(tmp_path, moves, method, monkeypatch):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run_command(whole, *SMALL, *moves, *METHODS[method])

    kept = []
    keep = run_module.Run._save_checkpoint

    def keep_once(self, since_s):
        if kept:
            raise KeyboardInterrupt
        kept.append(since_s)
        return keep(self, since_s)

    with monkeypatch.context() as patch:
        patch.setattr(run_module.Run, "_save_checkpoint", keep_once)
        with pytest.raises(KeyboardInterrupt):
            run_command(killed, *SMALL, *moves, *METHODS[method])
    assert len(read_records(killed / "log.jsonl")) == 1
    run_command(killed, "--resume", "--threads", "2")
    assert (killed / "net.txt").read_text() == (whole / "net.txt").read_text()
    logs = [read_records(run / "log.jsonl") for run in (whole, killed)]
    assert [record["unseen_first"] for record in logs[0]] == [record["unseen_first"] for record in logs[1]]


def test_at_the_end_its_net_plays_against_opponents_who_have_names(tmp_path, moves):
    run_command(tmp_path, *SMALL, *moves, *METHODS["genetic"], "--games", "20", "--opponents", "random")
    log = read_records(tmp_path / "log.jsonl")
    assert [record.get("opponent") for record in log] == [None, None, "random"]
    assert log[-1]["ppg_games"] == 20


@pytest.mark.slow
def test_play_without_experts_learns_to_lead_by_home_bound_pips():
    options = {"positions": 80, "trials": 8, "round_generations": 40, "rounds": 1, "population": 32}
    settings = MimicSettings(
        method="play", activation="linear", fitness="2", **options, crossover="weights", seed=2
    )
    learner = SelfPlayLearner(settings, threads=2)
    record = learner.learn()
    assert record["lead"] > 4 * record["lead_error"]


@pytest.mark.slow
def test_a_net_that_mimics_pubeval_beats_random_play(tmp_path):
    file = tmp_path / "moves.npz"
    write_expert_moves(file, expert_moves(3000, seed=5))
    options = ["--method", "backprop", "--epochs", "5", "--games", "0", "--moves", file]
    run_command(tmp_path / "run", *options)
    player = load_opponent(f"run:{tmp_path / 'run'}")
    result = play_games(player, RandomPlayer(1), 400, 3)
    assert result.points_per_game > 1.0
    assert play_games(PubevalPlayer(), player, 400, 3).points_per_game > 0


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (["--population", "1"], "population"),
        (["--population", "0"], "population"),
        (["--fitness", "4"], "fitness"),
        (["--method", "gradient"], "method"),
        (["--activation", "relu"], "activation"),
        (["--elite", "1"], "elite"),
        (["--games", "3"], "games"),
        (["--opponents", "nobody", "--games", "20"], "player"),
        (["--threads", "0"], "threads"),
        (["--learned", "100000"], "learned"),
    ],
)
def test_options_that_cannot_be_are_refused_before_a_run_begins(tmp_path, moves, options, field):
    with pytest.raises(GammondError) as caught:
        run_command(tmp_path / "run", *SMALL, *moves, *options)
    assert caught.value.field == field
    assert not (tmp_path / "run").exists()


def test_without_moves_only_play_learns(tmp_path):
    with pytest.raises(ValueRangeError, match="expected --moves FILE") as caught:
        run_command(tmp_path / "run", *SMALL)
    assert caught.value.field == "moves"


def test_an_empty_set_of_moves_is_a_data_file_error(tmp_path):
    file = tmp_path / "none.npz"
    none = expert_moves(20, seed=1)
    write_expert_moves(file, none.select(np.zeros(20, np.bool_)))
    with pytest.raises(DataFileError):
        run_command(tmp_path / "run", *SMALL, "--moves", file)
    assert not (tmp_path / "run").exists()


def test_a_run_is_not_begun_twice_and_none_is_not_resumed(tmp_path, moves):
    run_command(tmp_path / "run", *SMALL, *moves, *METHODS["genetic"])
    with pytest.raises(StateError, match="already holds a run"):
        run_command(tmp_path / "run", *SMALL, *moves)
    with pytest.raises(DataFileError):
        run_command(tmp_path / "other", "--resume")


def test_a_checkpoint_of_another_population_is_a_data_file_error(tmp_path, moves):
    run_command(tmp_path / "run", *SMALL, *moves, *METHODS["genetic"])
    run_command(tmp_path / "more", *SMALL, *moves, *METHODS["genetic"], "--population", "10")
    shutil.copy(tmp_path / "more" / "checkpoint.npz", tmp_path / "run" / "checkpoint.npz")
    with pytest.raises(DataFileError, match=r"genes of shape \[8, 1352\]"):
        run_command(tmp_path / "run", "--resume")


def test_a_run_plays_by_its_folder_and_by_its_text(tmp_path, moves):
    run_command(tmp_path / "run", *SMALL, *moves, *METHODS["genetic"])
    text = tmp_path / "mine.txt"
    shutil.copy(tmp_path / "run" / "net.txt", text)
    players = [load_opponent(f"run:{path}") for path in (tmp_path / "run", text)]
    assert [player.name for player in players] == ["run", "mine"]
    assert play_games(*players, 40, 1).points.reshape(-1, 2).sum() == 0
    (hashed,) = players[1].nets.values()
    assert len(hashed) == 64
    text.write_text("nonsense")
    with pytest.raises(DataFileError, match="line 1"):
        load_opponent(f"run:{text}")


def test_an_exported_net_plays_as_the_run_and_its_entry_fits(tmp_path, moves, capsys):
    pytest.importorskip("onnx", reason="export needs the package onnx (extra 'train')")
    run_command(tmp_path / "run", *SMALL, *moves, *METHODS["genetic"])
    weights = tmp_path / "nets" / "weights"
    capsys.readouterr()
    arguments = [tmp_path / "run", "--name", "tiny", "--folder", weights]
    assert run_command(*arguments, module=export) == 0
    printed = tomllib.loads(capsys.readouterr().out)
    (entry,) = msgspec.convert(printed["scorer"], tuple[ScorerEntry, ...])
    assert any("heritage mimic" in each for each in printed["training"][0]["commands"])
    content = read_net_file(entry, tmp_path)
    net, original = parse_onnx_net("tiny", content, "softsign"), read_net_text(tmp_path / "run" / "net.txt")
    np.testing.assert_array_equal(net.weights, original.weights)
    with pytest.raises(StateError, match="exists"):
        run_command(*arguments, module=export)
    assert (entry.name, entry.activation) == ("tiny", "softsign")
    with pytest.raises(DataFileError, match="of net tiny with linear units, got"):
        parse_onnx_net("tiny", content, "linear")
    (weights / "tiny.onnx").write_bytes(b"")
    with pytest.raises(DataFileError, match="sha256"):
        read_net_file(entry, tmp_path)


def test_agreement_is_drawn(tmp_path, moves):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "a.svg"
    run_command(tmp_path / "run", *SMALL, *moves, *METHODS["genetic"], "--plot", picture)
    assert "ranked first, unseen matches" in picture.read_text() or picture.stat().st_size > 5000

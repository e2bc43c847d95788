"""Export: the written nets are the trained ones, and their manifest entries fit them."""

import argparse
import tomllib

import msgspec
import numpy as np
import pytest

from engine.errors import DataFileError
from nets.manifest import NetEntry, load_net
from tools import export
from tools.train.network import Network
from tools.train.positions import sample_positions
from tools.train.run_folder import RunFolder
from tools.train.self_play import TdConfig

pytest.importorskip("onnx", reason="export needs the package onnx (extra 'train')")


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    export.add_arguments(parser)
    return export.main(parser.parse_args(arguments))


@pytest.fixture
def run_folder(tmp_path):
    folder = RunFolder(tmp_path / "run")
    run = folder.start(TdConfig(games=64, hidden=8, race_hidden=4, round_games=32))
    for report in run.rounds():
        folder.checkpoint(run, {"games": report.games, "games_per_s": 100.0})
    return folder


def test_exported_nets_load_by_their_entries_and_judge_like_the_trainee(run_folder, tmp_path, capsys):
    weights = tmp_path / "nets" / "weights"
    assert run_command(str(run_folder.path), "--name", "tiny", "--folder", str(weights)) == 0
    printed = tomllib.loads(capsys.readouterr().out)["net"]
    entries = msgspec.convert(printed, tuple[NetEntry, ...])
    assert [(entry.name, entry.phase, entry.hidden) for entry in entries] == [
        ("tiny-contact", "contact", (8,)),
        ("tiny-race", "race", (4,)),
    ]
    trainee = run_folder.resume().trainee
    boards = sample_positions(500, seed=2)
    for entry, net in zip(entries, (trainee.contact, trainee.race), strict=True):
        loaded = load_net(entry, tmp_path / "nets")
        np.testing.assert_allclose(
            loaded.evaluate(boards), net.outputs(export.encode_tesauro196(boards)), atol=export.TOLERANCE
        )


def test_a_net_that_came_out_different_is_an_error(run_folder, tmp_path, monkeypatch):
    real = export.write_onnx

    def write_other(net: Network, file):
        real(Network(net.w1 * np.float32(1.001), net.b1, net.w2, net.b2), file)

    monkeypatch.setattr(export, "write_onnx", write_other)
    with pytest.raises(DataFileError, match="differs"):
        run_command(str(run_folder.path), "--name", "tiny", "--folder", str(tmp_path))


def test_a_folder_without_a_run_is_an_error(tmp_path):
    with pytest.raises(DataFileError, match="checkpoint"):
        run_command(str(tmp_path), "--name", "tiny", "--folder", str(tmp_path))

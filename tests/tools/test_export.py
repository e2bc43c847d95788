"""Export: the written nets are the trained ones, and their manifest entries fit them."""

import argparse
import tomllib

import msgspec
import numpy as np
import pytest

from engine.errors import DataFileError, StateError, ValueRangeError
from nets.manifest import MANIFEST_FILE, NetEntry, load_net
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


@pytest.mark.parametrize("different", ["contact", "race"])
def test_a_net_that_came_out_different_is_an_error_and_replaces_nothing(
    run_folder, tmp_path, monkeypatch, capsys, different
):
    weights = tmp_path / "weights"
    arguments = str(run_folder.path), "--name", "tiny", "--folder", str(weights)
    run_command(*arguments)
    before = {file.name: file.read_bytes() for file in weights.iterdir()}
    capsys.readouterr()
    real = export.onnx_bytes

    def other_bytes(net: Network, name: str) -> bytes:
        factor = np.float32(1.001 if different in name else 1.0)
        return real(Network(net.w1 * factor, net.b1, net.w2, net.b2), name)

    monkeypatch.setattr(export, "onnx_bytes", other_bytes)
    with pytest.raises(DataFileError, match=f"tiny-{different} differs"):
        run_command(*arguments, "--force")
    assert {file.name: file.read_bytes() for file in weights.iterdir()} == before
    assert capsys.readouterr().out == ""


def test_nets_that_exist_are_replaced_only_when_that_is_asked_for(run_folder, tmp_path):
    for phase in ("contact", "race"):
        (tmp_path / f"tiny-{phase}.onnx").write_text("shipped")
    arguments = str(run_folder.path), "--name", "tiny", "--folder", str(tmp_path)
    with pytest.raises(StateError, match="--force"):
        run_command(*arguments)
    assert (tmp_path / "tiny-race.onnx").read_text() == "shipped"
    assert run_command(*arguments, "--force") == 0
    assert (tmp_path / "tiny-race.onnx").read_bytes()[:7] != b"shipped"
    assert not list(tmp_path.glob("*.part"))


def test_the_shipped_nets_are_refused_as_a_target_before_the_run_is_even_looked_at(tmp_path):
    with pytest.raises(StateError, match=r"td128-contact\.onnx exists"):
        run_command(str(tmp_path / "no run"), "--name", "td128")


def test_nets_that_cannot_be_written_leave_those_of_the_same_name_alone(run_folder, tmp_path):
    file = tmp_path / "tiny-contact.onnx"
    file.write_text("there already")
    (tmp_path / "tiny-race.part").mkdir()
    with pytest.raises(DataFileError, match="cannot be written"):
        run_command(str(run_folder.path), "--name", "tiny", "--folder", str(tmp_path), "--force")
    assert file.read_text() == "there already"


@pytest.mark.parametrize("name", ["", "Tiny", "../tiny", "tiny net", "x" * 33, '"'])
def test_a_name_that_the_manifest_would_refuse_is_refused_before_anything_is_read(tmp_path, name):
    with pytest.raises(ValueRangeError, match="a name has") as caught:
        run_command(str(tmp_path / "no run"), "--name", name, "--folder", str(tmp_path))
    assert caught.value.field == "name"


def test_an_entry_names_its_file_as_the_manifest_finds_it(run_folder, tmp_path):
    home = MANIFEST_FILE.parent
    inside = export.manifest_entry(home / "weights" / "sub" / "a.onnx", "race", 4, b"x", "{}")
    assert 'file = "weights/sub/a.onnx"' in inside
    outside = export.manifest_entry(tmp_path / "a.onnx", "race", 4, b"x", "{}")
    assert tomllib.loads(outside)["net"][0]["file"] == str(tmp_path.resolve() / "a.onnx")


def test_an_entry_says_when_the_best_weights_were_taken(run_folder, tmp_path, capsys):
    trainee = run_folder.resume().trainee
    trainee.save(run_folder.best_file, games_done=np.int64(32), dice=np.zeros(2, np.uint64))
    run_command(str(run_folder.path), "--name", "tiny", "--folder", str(tmp_path), "--best")
    trained = tomllib.loads(capsys.readouterr().out)["net"][0]["trained"]
    assert trained["games"] == 32
    assert trained["commands"][1] == f"gammond export {run_folder.path} --name tiny --best"


def test_a_checkpoint_without_the_number_of_games_is_an_error(run_folder, tmp_path):
    run_folder.resume().trainee.save(run_folder.checkpoint_file)
    with pytest.raises(DataFileError, match="no games_done"):
        run_command(str(run_folder.path), "--name", "tiny", "--folder", str(tmp_path))


def test_a_folder_without_a_run_is_an_error(tmp_path):
    with pytest.raises(DataFileError, match="checkpoint"):
        run_command(str(tmp_path), "--name", "tiny", "--folder", str(tmp_path))

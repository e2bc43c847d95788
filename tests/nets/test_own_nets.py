"""Nets of one's own: found by name beside the shipped ones; one with a fault disturbs no other."""

import hashlib
import logging
import math
import os
import shutil

import numpy as np
import onnx
import pytest

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, CubeEfficiencies, EfficiencyFormula
from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.nets import catalogue, manifest
from gammond.nets.compiled_net import CompiledNet
from gammond.nets.manifest import MANIFEST_FILE, read_manifest
from gammond.nets.onnx_model import NetEvaluator
from gammond.protocol.state.player_registry import SESSION_PLAYERS
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.tools import cli
from gammond.tools.common import opponents
from gammond.tools.common.own_nets import remove_own_net
from tests.nets.net_files import write_manifest, write_net
from tests.support.data_folders import link_databases
from tests.support.waiting import in_time

OPENING = Position.start().board[None]


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A data folder with the databases of the usual one, and no nets."""
    link_databases(tmp_path)
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    manifest.warn_once.cache_clear()
    return tmp_path


def write_own(data, name="mine", **changes):
    """Write two nets as an evaluator of one's own; its folder."""
    folder = data / "nets" / name
    folder.mkdir(parents=True)
    file = write_manifest(folder, **changes)
    file.write_text(file.read_text().replace('"tiny', f'"{name}'))
    for phase in ("contact", "race"):
        (folder / f"tiny-{phase}.onnx").rename(folder / f"{name}-{phase}.onnx")
    return folder


def hash_anew(folder, net):
    """Put the hash of a net's file into the manifest."""
    file = folder / "manifest.toml"
    old = read_manifest(file).find_net(net).sha256
    new = hashlib.sha256((folder / f"{net}.onnx").read_bytes()).hexdigest()
    file.write_text(file.read_text().replace(old, new))


def test_an_own_net_is_found_by_name_after_the_shipped_ones(data):
    write_own(data)
    names = catalogue.SHIPPED.list_evaluators()
    assert names[0] == read_manifest().default
    assert names[-1] == "mine"
    evaluator = catalogue.load_evaluator("mine")
    assert evaluator.name == "mine"
    assert catalogue.load_engine("mine").name == "mine"
    assert catalogue.load_player("mine:noise=30,seed=2").name == "mine:noise=30,seed=2"
    player = catalogue.load_player("mine")
    assert set(player.nets) == set(catalogue.collect_net_hashes("mine")) == {"mine-contact", "mine-race"}
    assert np.array_equal(player.evaluator.evaluate(OPENING), evaluator.evaluate(OPENING))


@pytest.mark.parametrize("plies", [0, 1])
def test_the_cube_is_worth_what_the_efficiencies_in_its_manifest_say(data, plies):
    file, settings = write_own(data) / "manifest.toml", EvalSettings(plies)
    match = MatchState(jacoby=False, beavers=False)
    own = CubeEfficiencies.make_equal(EfficiencyFormula(contact=0.0))
    usual = catalogue.load_engine("mine")
    states = "".join(f"[evaluator.cube.{state}]\ncontact = 0.0\n" for state in ("centred", "own", "other"))
    file.write_text(file.read_text() + states)
    engine = catalogue.load_engine("mine")
    assert (usual.efficiencies, engine.efficiencies) == (DEFAULT_EFFICIENCIES, own)
    assert engine.make_cube_game(match).efficiencies == own
    dead, live = (each.evaluate(Position.start(), match, settings).decision for each in (engine, usual))
    assert plies or dead.double_take.equity == pytest.approx(2 * dead.no_double.equity)
    assert dead.no_double.equity != live.no_double.equity


def test_sessions_find_it_and_describe_its_nets(data):
    service = Service(make_shipped_catalogue())
    with pytest.raises(ValueRangeError, match="got 'mine'"):
        service.check_evaluator_name("mine")
    write_own(data)
    assert service.check_evaluator_name("mine") == "mine"
    assert service.players.check_player("mine:plies=1") == "mine:plies=1"
    assert "mine" in service.players.list_names()
    described = [net["name"] for net in service.catalogue.describe_nets()]
    assert described[-2:] == ["mine-contact", "mine-race"]
    assert len(described) == len(set(described))


def test_a_shipped_shape_is_compiled_and_another_one_runs_by_onnxruntime(data):
    folder = write_own(data)
    found = catalogue.SHIPPED.find_evaluator("mine")
    assert isinstance(found.load_net("contact"), CompiledNet)
    model = onnx.load(folder / "mine-contact.onnx")
    model.graph.node[1].op_type = "Tanh"
    onnx.save(model, str(folder / "mine-contact.onnx"))
    hash_anew(folder, "mine-contact")
    assert isinstance(catalogue.SHIPPED.find_evaluator("mine").load_net("contact"), NetEvaluator)
    assert catalogue.load_evaluator("mine").evaluate(OPENING).shape == (1, 5)


@pytest.mark.parametrize("file", ["../bad-contact.onnx", "/etc/passwd", ".bad-contact.onnx"])
def test_a_faulty_manifest_disables_its_net_alone_and_says_so(data, caplog, file):
    write_own(data, "good")
    write_own(data, "bad", file=f'"{file}"')
    with caplog.at_level(logging.WARNING):
        names = catalogue.SHIPPED.list_evaluators()
        catalogue.SHIPPED.list_evaluators()
    assert "good" in names
    assert "bad" not in names
    assert catalogue.load_evaluator("good").evaluate(OPENING).shape == (1, 5)
    (warning,) = caplog.messages
    assert warning.startswith(f"net bad in {data / 'nets' / 'bad'}: ")
    service = Service(make_shipped_catalogue())
    for use in (
        lambda: catalogue.load_evaluator("bad"),
        lambda: catalogue.load_player("bad:plies=1"),
        lambda: service.check_evaluator_name("bad"),
        lambda: service.players.check_player("bad:plies=1"),
    ):
        with pytest.raises(DataFileError, match="expected a file in the manifest's folder"):
            use()


def _nest_within_limits(folder):
    depth = 500
    text = f"strength = [{{a = {'[' * depth}{']' * depth}}}]\n"
    file = folder / "manifest.toml"
    file.write_text(file.read_text().replace("[[evaluator]]\n", f"[[evaluator]]\n{text}"))


def _replace_manifest(make):
    def spoil(folder):
        file = folder / "manifest.toml"
        file.unlink()
        make(file)

    return spoil


def _loop(folder):
    shutil.rmtree(folder)
    folder.symlink_to(folder)


SPOILED = {
    "nested": _replace_manifest(lambda file: file.write_text("default = " + "[" * 200_000)),
    "nested within limits": _nest_within_limits,
    "swollen": _replace_manifest(lambda file: file.write_text("# " + "x" * 2_000_000)),
    "folder": _replace_manifest(lambda file: file.mkdir()),
    "pipe": _replace_manifest(lambda file: os.mkfifo(file)),
    "device": _replace_manifest(lambda file: file.symlink_to("/dev/zero")),
    "text": _replace_manifest(lambda file: file.write_bytes(b"default = '\xff'")),
    "loop": _loop,
    "name": lambda folder: os.rename(folder, os.fsencode(folder) + b"\n\xff"),
}


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such files")
@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_whatever_a_folder_of_nets_holds_the_others_are_there(data, caplog, capsys, spoil):
    """No traceback, no memory for what has no end, and nothing is waited for."""
    write_own(data, "good")
    folder = write_own(data, "bad")
    spoil(folder)
    names = in_time(catalogue.SHIPPED.list_evaluators)
    assert "good" in names
    assert "bad" not in names
    assert catalogue.load_evaluator("good").evaluate(OPENING).shape == (1, 5)
    with pytest.raises((DataFileError, ValueRangeError)):
        in_time(lambda: catalogue.load_evaluator("bad"))
    assert in_time(lambda: cli.main(["nets"])) == 0
    assert in_time(lambda: cli.main(["nets", "--json"])) == 0
    assert "good" in capsys.readouterr().out
    assert all(message.isprintable() for message in caplog.messages)


def test_a_net_of_a_player_kind_that_there_is_not_is_left_out_of_the_players(data, caplog, capsys):
    folder = data / "nets" / "bad"
    folder.mkdir(parents=True)
    entry = f'name = "bad"\nfile = "bad.onnx"\nactivation = "relu"\nsha256 = "{"0" * 64}"\nplayer = "none"'
    (folder / "manifest.toml").write_text(f"[[scorer]]\n{entry}\n")
    names = Service(make_shipped_catalogue()).players.list_names()
    assert "net" in names
    assert "bad" not in names
    assert cli.main(["players"]) == 0
    assert "pubeval" in capsys.readouterr().out
    (warning,) = [record.getMessage() for record in caplog.records if record.name == manifest.__name__]
    assert "expected a player kind that plays nets of one's own, got 'none': it is left out" in warning
    with pytest.raises(DataFileError, match="got 'none'"):
        catalogue.load_player("bad")


def test_a_net_larger_than_any_is_not_read(data, monkeypatch):
    monkeypatch.setattr("gammond.nets.manifest.MAX_NET_BYTES", 1000)
    write_own(data)
    with pytest.raises(DataFileError, match="expected at most 1,000 bytes"):
        catalogue.load_evaluator("mine")


@pytest.mark.parametrize(
    ("number", "is_compiled"),
    [(math.nan, True), (math.inf, True), (-math.inf, True), (1e30, True), (math.nan, False)],
)
def test_weights_that_are_no_numbers_are_refused_though_their_hash_is_right(data, number, is_compiled):
    """The large ones are numbers, and their products are none."""
    folder = write_own(data)
    model = onnx.load(folder / "mine-contact.onnx")
    if not is_compiled:
        model.graph.node[1].op_type = "LeakyRelu"
    for tensor in model.graph.initializer:
        weights = np.full_like(onnx.numpy_helper.to_array(tensor), number)
        if tensor.name == "w1" and abs(number) < math.inf:
            weights[::2] *= -1.0
        tensor.CopyFrom(onnx.numpy_helper.from_array(weights, tensor.name))
    onnx.save(model, str(folder / "mine-contact.onnx"))
    hash_anew(folder, "mine-contact")
    assert "mine" in catalogue.SHIPPED.list_evaluators()
    with pytest.raises(DataFileError, match="no numbers"):
        catalogue.load_evaluator("mine").evaluate(OPENING)


def test_a_net_that_is_a_link_or_whose_manifest_is_a_folder_can_be_removed(data, tmp_path):
    folder = write_own(data)
    SPOILED["folder"](folder)
    assert remove_own_net("mine") == folder
    assert not folder.exists()
    elsewhere = tmp_path / "elsewhere"
    os.rename(write_own(data), elsewhere)
    folder.symlink_to(elsewhere)
    remove_own_net("mine")
    assert not folder.is_symlink()
    assert len(list(elsewhere.iterdir())) == 3


@pytest.mark.parametrize(
    "name", ["strong", "fast", "default", "pubeval", "random", "human", "run", "Mine", ".."]
)
def test_names_that_are_taken_or_that_no_manifest_allows_are_refused(name):
    with pytest.raises(ValueRangeError, match="name"):
        manifest.check_free_name(name, read_manifest())


def test_a_net_that_is_called_like_a_shipped_one_is_refused(data):
    file = write_own(data) / "manifest.toml"
    file.write_text(file.read_text().replace('"mine-contact"', '"fast-contact"'))
    with pytest.raises(DataFileError, match="names that no shipped net has, got 'fast-contact'"):
        catalogue.load_evaluator("mine")


def test_a_folder_with_a_shipped_name_shadows_nothing(data, capsys):
    write_own(data, "fast")
    write_own(data, "random")
    assert catalogue.load_player("random").name == "random"
    assert catalogue.SHIPPED.list_evaluators().count("fast") == 1
    assert catalogue.SHIPPED.find_evaluator("fast").file == MANIFEST_FILE
    assert cli.main(["nets"]) == 0
    listed = capsys.readouterr().out.split("\nfast: ")
    assert [each.partition("\n")[0] for each in listed[1:]] == ["shipped", "your own"]
    assert ["cannot be used: net fast in" in each for each in listed[1:]] == [False, True]


def test_the_names_of_all_other_players_are_reserved():
    words = {"default", *SESSION_PLAYERS, *opponents.PLAYERS._file_kinds}
    assert set(manifest.RESERVED_NAMES) == words


def test_without_a_folder_there_are_none_and_files_beside_are_left_alone(data):
    assert manifest.list_own_folders() == []
    (data / "nets").mkdir()
    (data / "nets" / "note.txt").write_text("mine")
    (data / "nets" / ".hidden").mkdir()
    assert manifest.list_own_folders() == []


def test_a_net_that_was_replaced_is_read_anew(data):
    folder = write_own(data)
    before = catalogue.load_evaluator("mine").evaluate(OPENING)
    write_net(folder / "mine-contact.onnx", seed=99)
    hash_anew(folder, "mine-contact")
    assert not np.array_equal(catalogue.load_evaluator("mine").evaluate(OPENING), before)

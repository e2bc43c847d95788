"""Export: the written nets are the trained ones, and their manifest entries fit them."""

import json
import shlex
import tomllib
from functools import partial

import msgspec
import numpy as np
import pytest

from gammond.engine.errors import DataFileError, StateError, UnsupportedError, ValueRangeError
from gammond.engine.formats.array_file import read_array_file
from gammond.nets.compiled_net import load_net
from gammond.nets.encoders import encode_tesauro196, get_encoder
from gammond.nets.heritage.astros.bev import HAND_WEIGHTS
from gammond.nets.heritage.gengammon.net import GengammonNet, format_net
from gammond.nets.heritage.phase_features.net import PhaseNet
from gammond.nets.manifest import CONTACT_CLASSES, MANIFEST_FILE, NetEntry, find_own_folder, read_manifest
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.tools import cli, export
from gammond.tools.common.files import write_arrays
from gammond.tools.common.journal import Journal
from gammond.tools.common.locks import hold_lock
from gammond.tools.common.net_records import StrengthRecord
from gammond.tools.common.opponents import collect_net_hashes, load_net_evaluator, load_opponent
from gammond.tools.heritage.computational_backgammon.command import ClassicLearner
from gammond.tools.heritage.computational_backgammon.settings import ClassicSettings
from gammond.tools.heritage.gengammon.settings import MimicSettings
from gammond.tools.heritage.phase_features.settings import HeuristicNetSettings
from gammond.tools.nets import describe_net
from gammond.tools.train.fitting.recipe import Recipe
from gammond.tools.train.runs.run_folder import begin_run, read_provenance
from gammond.tools.train.runs.strength_games import strengths_to_arrays
from gammond.tools.train.td.self_play import SelfPlay, TdSettings
from gammond.tools.train.weights import onnx_files
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import NetSet, load_net_set
from gammond.tools.train.weights.random_positions import sample_random_positions
from gammond.tools.train.weights.td_nets import td_nets_from_arrays
from tests.support.commands import run_tool

pytest.importorskip("onnx", reason="export needs the package onnx (extra 'train')")


run_command = partial(run_tool, export)


def write_td(folder):
    """A run of self-play, 64 games long."""
    settings = TdSettings(games=64, hidden=8, race_hidden=4, round_games=32)
    begin_run(folder, "train td", settings, ())
    play = SelfPlay(settings)
    with Journal(folder / "log.jsonl") as log:
        for report in play.play_rounds():
            write_arrays(folder / "checkpoint.npz", {**play.state_dict(), **play.nets.to_arrays()})
            log.append({"games": report.games_done, "seconds": 1.0})
    nets, _ = td_nets_from_arrays("run", read_array_file(folder / "checkpoint.npz"))
    return {
        name: ("tesauro196", (hidden,), lambda boards, net=net: net.forward(encode_tesauro196(boards)))
        for name, hidden, net in (("contact", 8, nets.contact), ("race", 4, nets.race))
    }


def write_classic(folder, outputs, own):
    settings = ClassicSettings(games=50, hidden=6, own=own, own_hidden=4, outputs=outputs)
    begin_run(folder, "heritage classic", settings, ())
    learner = ClassicLearner(settings)
    done = {"games_done": np.array(50), "kind": np.array("classic")}
    write_arrays(folder / "checkpoint.npz", learner.state_dict() | done)
    with Journal(folder / "log.jsonl") as log:
        log.append({"games": 50, "seconds": 1.0})
    return {name: (None, None, net.evaluate) for name, net in learner.nets.nets.items()}


def write_set(folder, nets, hidden, generations):
    """A run of nets of several layers, whose best are those of its second generation."""
    begin_run(folder, "train refine", Recipe(parent="fast", hidden=hidden), ["fast"])
    for number in range(1, generations + 1):
        with Journal(folder / "log.jsonl") as log:
            log.append({"generation": number, "labelled": 500, "seconds": 90.0})
        if number in (2, generations):
            name = "best" if number == 2 else "checkpoint"
            arrays = {"generation": np.array(number), **NetSet("set", nets).to_arrays()}
            write_arrays(folder / f"{name}.npz", arrays)
    return {
        name: (
            net.encoder_id,
            net.hidden,
            lambda boards, net=net: net.forward(get_encoder(net.encoder_id).encode(boards)),
        )
        for name, net in nets.items()
    }


def write_layered(folder):
    generator = np.random.default_rng(1)
    contact = LayeredNet.make_untrained("expert248", (24, 16), generator)
    race = LayeredNet.make_untrained("tesauro196", (12,), generator)
    return write_set(folder, {"contact": contact, "race": race}, (24, 16), 3)


def write_sharing(folder, seed=3):
    """A run of nets for the contact classes whose first layers are the same."""
    first, *others = LayeredNet.make_untrained("patterns285", (64, 8), np.random.default_rng(seed)).layers
    race = LayeredNet.make_untrained("tesauro196", (12,), np.random.default_rng(4))
    classes = {
        name: LayeredNet("patterns285", (first, *((w / factor, b) for w, b in others)))
        for factor, name in enumerate(CONTACT_CLASSES, 1)
    }
    return write_set(folder, {**classes, "race": race}, (64, 8), 1)


WRITERS = {
    "td": write_td,
    "classic of one output": lambda folder: write_classic(folder, 1, "none"),
    "classic of two outputs": lambda folder: write_classic(folder, 2, "race"),
    "classic of five outputs": lambda folder: write_classic(folder, 5, "none"),
    "several layers": write_layered,
}
"""Kind of run -> what writes one, and returns encoder, hidden layers and values of each of its nets."""


@pytest.fixture
def run_folder(tmp_path):
    write_td(tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITERS)
def test_exported_nets_load_by_their_entries_and_evaluate_like_the_trained_ones(tmp_path, capsys, kind):
    expected = WRITERS[kind](tmp_path / "run")
    weights = tmp_path / "nets" / "weights"
    assert run_command(tmp_path / "run", "--name", "tiny", "--folder", weights) == 0
    printed = tomllib.loads(capsys.readouterr().out)
    entries = msgspec.convert(printed["net"], tuple[NetEntry, ...])
    assert [(entry.name, entry.phase) for entry in entries] == [(f"tiny-{name}", name) for name in expected]
    boards = sample_random_positions(300, seed=2)
    for entry, (encoder, hidden, evaluate) in zip(entries, expected.values(), strict=True):
        assert encoder is None or (entry.encoder, entry.hidden) == (encoder, hidden)
        loaded = load_net(entry, tmp_path / "nets").evaluate(boards)
        np.testing.assert_allclose(loaded, evaluate(boards), atol=export.TOLERANCE)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ("NOWHERE --name strong", ValueRangeError, "got 'strong': choose another name"),
        *(
            (f"NOWHERE --folder FOLDER --name {name!r}", ValueRangeError, "expected a name")
            for name in ("", "Tiny", "../tiny", "tiny net", "x" * 33, "'")
        ),
        ("NOWHERE --name tiny --folder FOLDER", DataFileError, "expected the folder of a training run, got"),
        ("FOLDER --name tiny", DataFileError, "checkpoint"),
        ("RUN --name deep --folder FOLDER --phases opening", UnsupportedError, "got 'opening'"),
        ("RUN --name deep --folder FOLDER --phases crashed", UnsupportedError, "no net for"),
    ],
)
def test_what_cannot_be_exported_is_refused(tmp_path, options, error, message):
    write_layered(tmp_path / "run")
    (tmp_path / "folder").mkdir()
    places = {"NOWHERE": "nowhere", "FOLDER": "folder", "RUN": "run"}
    with pytest.raises(error, match=message):
        run_command(*(tmp_path / places[word] if word in places else word for word in shlex.split(options)))
    assert list((tmp_path / "folder").iterdir()) == []


@pytest.mark.parametrize(("which", "games"), [("--best", 32), ("", 32), ("--last", 64)])
def test_an_entry_says_when_its_weights_were_taken(run_folder, tmp_path, capsys, which, games):
    trainee, _ = td_nets_from_arrays("run", read_array_file(run_folder / "checkpoint.npz"))
    state = {"games_done": np.array(32), "dice": np.zeros(2, np.uint64)}
    write_arrays(run_folder / "best.npz", {**state, **trainee.to_arrays()})
    run_command(run_folder, "--name", "tiny", "--folder", tmp_path, *which.split())
    (training,) = tomllib.loads(capsys.readouterr().out)["training"]
    command = f"gammond export {run_folder} --name tiny {which or '--best'}"
    assert (training["games"], training["commands"][1]) == (games, command)
    write_arrays(run_folder / "best.npz", trainee.to_arrays())
    with pytest.raises(DataFileError, match="no games_done"):
        run_command(run_folder, "--name", "tidy", "--folder", tmp_path, "--best")


@pytest.mark.parametrize("different", ["contact", "race"])
def test_a_net_that_came_out_different_is_an_error_and_replaces_nothing(
    run_folder, tmp_path, monkeypatch, capsys, different
):
    weights = tmp_path / "weights"
    arguments = run_folder, "--name", "tiny", "--folder", weights
    run_command(*arguments)
    before = {file.name: file.read_bytes() for file in weights.iterdir()}
    capsys.readouterr()
    real = onnx_files.net_to_onnx

    def other_bytes(net: LayeredNet, name: str) -> bytes:
        factor = np.float32(1.001 if different in name else 1.0)
        (weights, bias), *others = net.layers
        return real(LayeredNet(net.encoder_id, ((weights * factor, bias), *others)), name)

    monkeypatch.setattr(onnx_files, "net_to_onnx", other_bytes)
    with pytest.raises(DataFileError, match=f"tiny-{different} differs"):
        run_command(*arguments, "--force")
    assert {file.name: file.read_bytes() for file in weights.iterdir()} == before
    assert capsys.readouterr().out == ""


def test_nets_that_exist_are_replaced_only_when_that_is_asked_for(run_folder, tmp_path):
    for phase in ("contact", "race"):
        (tmp_path / f"tiny-{phase}.onnx").write_text("shipped")
    arguments = run_folder, "--name", "tiny", "--folder", tmp_path
    with pytest.raises(StateError, match="--force"):
        run_command(*arguments)
    assert (tmp_path / "tiny-race.onnx").read_text() == "shipped"
    assert run_command(*arguments, "--force") == 0
    assert (tmp_path / "tiny-race.onnx").read_bytes()[:7] != b"shipped"
    assert not list(tmp_path.glob("*.part"))


@pytest.fixture
def data(tmp_path, monkeypatch):
    """An empty data folder."""
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def list_installed_files():
    return sorted(file for file in MANIFEST_FILE.parent.rglob("*") if "__pycache__" not in file.parts)


def test_an_exported_net_is_found_by_name_and_plays_as_the_run_does(run_folder, data, capsys):
    installed = list_installed_files()
    assert run_command(run_folder, "--name", "mine") == 0
    assert "set engine.net mine" in capsys.readouterr().out
    assert list_installed_files() == installed
    assert {file.name.split("-")[0] for file in (data / "nets" / "mine").iterdir()} == {
        "contact",
        "race",
        "manifest.toml",
        "provenance.toml",
    }
    boards = sample_random_positions(300, seed=2)
    by_name = load_net_evaluator("mine").evaluate(boards)
    np.testing.assert_allclose(
        by_name, load_net_evaluator(f"run:{run_folder}").evaluate(boards), atol=export.TOLERANCE
    )
    assert load_opponent("mine").nets.keys() == {"mine-contact", "mine-race"}


def test_a_registered_net_tells_how_it_was_made_and_can_be_trained_on(run_folder, data):
    arrays = read_array_file(run_folder / "checkpoint.npz")
    strength = StrengthRecord("pubeval", 0.25, 0.03, 2000)
    write_arrays(run_folder / "best.npz", {**arrays, **strengths_to_arrays([strength])})
    run_command(run_folder, "--name", "mine")
    listed = describe_net("mine", is_own=True)
    assert listed.is_own
    assert listed.strengths == (strength,)
    assert listed.commands[-1] == f"gammond export {run_folder} --name mine --best"
    assert [step.games for step in read_provenance("mine")] == [64]
    assert load_net_set("mine").nets.keys() == {"contact", "race"}


def test_a_name_that_is_registered_is_replaced_only_when_that_is_asked_for(run_folder, data):
    run_command(run_folder, "--name", "mine")
    before = collect_net_hashes("mine")
    with pytest.raises(StateError, match="replace it with --force"):
        run_command(run_folder, "--name", "mine")
    arrays = read_array_file(run_folder / "checkpoint.npz")
    write_arrays(run_folder / "checkpoint.npz", {**arrays, "contact_b1": arrays["contact_b1"] + 1})
    run_command(run_folder, "--name", "mine", "--force")
    after = collect_net_hashes("mine")
    assert after["mine-contact"] != before["mine-contact"]
    assert after["mine-race"] == before["mine-race"]
    assert len(list((data / "nets" / "mine").glob("*.onnx"))) == 2
    load_net_evaluator("mine")


def test_two_processes_do_not_register_one_name_at_the_same_time(run_folder, data):
    with hold_lock(find_own_folder("mine")), pytest.raises(StateError, match="another process writes"):
        run_command(run_folder, "--name", "mine")
    assert not find_own_folder("mine").exists()


def test_a_data_folder_that_cannot_be_written_is_an_error_that_names_the_variable(run_folder, data):
    data.write_text("a file")
    with pytest.raises(DataFileError, match="GAMMOND_DATA"):
        run_command(run_folder, "--name", "mine")


def test_nets_are_listed_checked_and_removed(run_folder, data, capsys):
    run_command(run_folder, "--name", "mine")
    capsys.readouterr()
    assert cli.main(["nets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "mine: your own" in lines
    assert "    contact tesauro196 8" in lines
    assert f"{read_manifest().default}: shipped" == lines[0]
    assert cli.main(["nets", "check", "mine"]) == 0
    assert capsys.readouterr().out == "mine: 2 nets as the manifest says (2 compiled)\n"
    (file,) = (data / "nets" / "mine").glob("race-*")
    file.write_bytes(b"other")
    assert cli.main(["nets", "check", "mine"]) == 1
    assert "mine: cannot be used: net mine-race" in capsys.readouterr().out
    (data / "nets" / "mine" / "manifest.toml").write_text("")
    assert cli.main(["nets", "--json"]) == 0
    listed = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
    assert listed["mine"]["is_own"]
    assert "expected one evaluator, mine" in listed["mine"]["problem"]
    assert not listed["strong"]["problem"]
    assert cli.main(["nets", "remove", "mine"]) == 0
    assert not (data / "nets" / "mine").exists()
    assert cli.main(["nets", "remove", "mine"]) == cli.main(["nets", "remove", "strong"]) == 2
    assert cli.main(["nets", "remove"]) == cli.main(["nets", "check", "mine"]) == 2


def write_mimic(folder):
    begin_run(folder, "heritage mimic", MimicSettings(), ())
    weights = np.random.default_rng(1).normal(size=(26, 52)).astype(np.float32)
    (folder / "net.txt").write_text(format_net(GengammonNet(weights, "softsign")))


def write_phase_net(folder):
    begin_run(folder, "heritage heuristic-net", HeuristicNetSettings(), ())
    arrays = PhaseNet.untrained(np.random.default_rng(1), (6, 5)).to_arrays()
    write_arrays(folder / "best.npz", {**arrays, "kind": np.array("heuristic-net")})


@pytest.mark.parametrize(("write", "kind"), [(write_mimic, "gengammon"), (write_phase_net, "phase-net")])
def test_nets_that_only_rate_plays_play_by_name_everywhere(tmp_path, data, capsys, write, kind):
    run = tmp_path / "run"
    write(run)
    run_command(run, "--name", "mine")
    assert "set engine.player mine" in capsys.readouterr().out
    boards = sample_random_positions(40, seed=2)
    dice = np.array([(1 + i % 6, 1 + i // 7) for i in range(40)], np.int8)
    expected = load_opponent(f"run:{run}").choose(boards.copy(), dice)
    assert np.array_equal(load_opponent("mine").choose(boards.copy(), dice), expected)
    players = Service(make_shipped_catalogue()).players
    assert "mine" in players.list_names()
    assert players.check_player("mine") == "mine"
    assert np.array_equal(players.find("mine").choose(boards.copy(), dice), expected)
    assert players.find("mine") is players.find("mine")
    assert [*collect_net_hashes("mine")] == ["mine"]
    with pytest.raises(ValueRangeError, match="mine chooses plays and gives no values"):
        load_net_evaluator("mine")

    assert cli.main(["nets", "--json"]) == 0
    listed = {each["name"]: each for each in json.loads(capsys.readouterr().out)}["mine"]
    assert (listed["problem"], listed["nets"]) == ("", [f"a net of one's own that plays as {kind} does"])
    assert cli.main(["nets", "check", "mine"]) == 0
    with pytest.raises(StateError, match="there already"):
        run_command(run, "--name", "mine")
    run_command(run, "--name", "mine", "--force")
    (file,) = (data / "nets" / "mine").glob("*.onnx")
    file.write_bytes(b"another")
    assert cli.main(["nets", "check", "mine"]) == 1
    (data / "nets" / "mine" / "manifest.toml").write_text("")
    with pytest.raises(DataFileError, match="net mine in"):
        load_opponent("mine")
    assert "mine" not in players.list_names()
    assert cli.main(["nets", "remove", "mine"]) == 0


def test_the_run_of_a_player_without_nets_has_no_net_to_name(tmp_path, data):
    write_arrays(
        tmp_path / "best.npz",
        {"kind": np.array("ascend"), "player": np.array("bev"), "vector": HAND_WEIGHTS.vector},
    )
    with pytest.raises(UnsupportedError, match=f"it plays wherever players play, as run:{tmp_path}"):
        run_command(tmp_path, "--name", "mine")
    assert not data.exists()


def test_nets_that_cannot_be_written_leave_those_of_the_same_name_alone(run_folder, tmp_path):
    file = tmp_path / "tiny-contact.onnx"
    file.write_text("there already")
    (tmp_path / "tiny-race.onnx").mkdir()
    with pytest.raises(DataFileError, match="is a folder"):
        run_command(run_folder, "--name", "tiny", "--folder", tmp_path, "--force")
    assert file.read_text() == "there already"


@pytest.mark.slow
def test_rows_that_nets_share_are_written_once_and_go_with_a_net_that_is_replaced(tmp_path, data, capsys):
    write_sharing(tmp_path / "run")
    assert run_command(tmp_path / "run", "--name", "shared") == 0
    folder = find_own_folder("shared")
    (rows,) = folder.glob("*.bin")
    assert sum(file.stat().st_size for file in folder.glob("*.onnx")) < rows.stat().st_size
    evaluator = load_net_evaluator("shared")
    boards = sample_random_positions(200, seed=2)
    expected = load_net_set(tmp_path / "run" / "checkpoint.npz").make_evaluator().evaluate(boards)
    np.testing.assert_allclose(evaluator.evaluate(boards), expected, atol=1e-5)
    assert len(evaluator.leaves.nets.packed.patterns) == rows.stat().st_size
    assert load_net_set("shared").nets["loose"].inputs == 285
    write_sharing(tmp_path / "other", seed=5)
    assert run_command(tmp_path / "other", "--name", "shared", "--force") == 0
    assert len(list(folder.glob("*.bin"))) == 1
    assert not rows.exists()
    load_net_evaluator("shared").evaluate(boards)


def test_an_entry_lists_the_whole_lineage_up_to_its_weights(tmp_path, capsys):
    folder = tmp_path / "deep"
    write_layered(folder)
    run_command(folder, "--name", "deep", "--folder", tmp_path, "--best", "--phases", "contact")
    printed = tomllib.loads(capsys.readouterr().out)
    (training,) = printed["training"]
    assert [net["name"] for net in printed["net"]] == training["nets"]
    before = read_provenance("fast")
    assert training["commands"][: len(before)] == [step.command for step in before]
    assert training["commands"][len(before) :] == [
        f"gammond train refine {folder} --from fast --hidden 24,16",
        f"gammond export {folder} --name deep --best --phases contact",
    ]
    assert (training["games"], training["positions"]) == (
        sum(step.games for step in before),
        sum(step.positions for step in before) + 1000,
    )
    assert not (tmp_path / "deep-race.onnx").exists()

"""The manifest: what it must hold, and every way in which nets and manifest can disagree."""

import hashlib
import os

import pytest

from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, CubeEfficiencies, EfficiencyFormula
from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.nets import manifest as manifest_module
from gammond.nets.compiled_net import load_net
from gammond.nets.manifest import MANIFEST_FILE, check_name, read_manifest
from tests.nets.net_files import write_manifest, write_net
from tests.support import boards


def _refused(manifest, message: str) -> None:
    with pytest.raises(DataFileError, match=message):
        read_manifest(manifest)


def test_a_manifest_names_its_nets_and_evaluators(tmp_path):
    manifest = read_manifest(write_manifest(tmp_path))
    assert manifest.default == "tiny"
    assert [net.name for net in manifest.nets] == ["tiny-contact", "tiny-race"]
    assert manifest.find_net("tiny-race").hidden == (8,)
    with pytest.raises(DataFileError, match=r"no entry \[\[net\]\] called 'huge-contact'"):
        manifest.find_net("huge-contact")
    assert [(entry.contact, entry.crashed, entry.race) for entry in manifest.evaluators] == [
        ("tiny-contact", None, "tiny-race")
    ]


def test_nets_of_players_are_distinguished_from_those_of_evaluators(tmp_path):
    file = write_manifest(tmp_path)
    file.write_text(file.read_text().replace('race = "tiny-race"\n', ""))
    manifest = read_manifest(file)
    assert manifest.find_net("tiny-race").phase == "race"
    assert [net.name for net in manifest.evaluator_nets] == ["tiny-contact"]


def test_the_shipped_manifest_and_all_its_nets_are_in_order():
    manifest = read_manifest(MANIFEST_FILE)
    for entry in manifest.nets:
        load_net(entry)


def test_a_manifest_without_nets_needs_no_default(tmp_path):
    file = tmp_path / "manifest.toml"
    file.write_text("# nothing yet\n")
    assert read_manifest(file).evaluators == ()


def test_a_manifest_is_read_once_and_again_when_it_was_written_anew(tmp_path):
    file = write_manifest(tmp_path)
    first = read_manifest(file)
    assert read_manifest(file) is first
    new = tmp_path / "new.toml"
    new.write_text(file.read_text().replace('"tiny"', '"tidy"'))
    new.replace(file)
    assert read_manifest(file).default == "tidy"
    file.unlink()
    _refused(file, "cannot be read")


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read"), ("default = \n", "not TOML"), ('default = "tiny"\n', "tiny")],
)
def test_a_file_that_is_no_manifest_is_an_error(tmp_path, content, message):
    file = tmp_path / "manifest.toml"
    if content is not None:
        file.write_text(content)
    _refused(file, message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sha256": ""}, "missing required field `sha256`"),
        ({"sha256": '"abc"'}, "sha256"),
        ({"wheels": "4"}, "unknown field `wheels`"),
        ({"hidden": '"8"'}, "hidden"),
        ({"phase": '"opening"'}, "phase"),
        ({"phase": '"race"'}, "expected a net for contact, 'tiny-contact' is one for race"),
        ({"encoder": '"tesauro198"'}, r"expected an encoder \(.*\), got 'tesauro198'"),
        ({"outputs": '"exclusive6"'}, "'exclusive6' - at .*outputs"),
        ({"name": '"tiny-race"'}, r"two entries \[\[net\]\] are called 'tiny-race'"),
        ({"name": '"Tiny Net"'}, "name"),
        ({"name": '"other"'}, "'tiny-contact' is no net of this manifest"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(f"{k}={v}" for k, v in value.items()),
)
def test_a_faulty_entry_is_an_error_that_names_the_fault(tmp_path, changes, message):
    _refused(write_manifest(tmp_path, **changes), message)


def test_an_evaluator_may_have_cube_efficiencies_of_its_own(tmp_path):
    file = write_manifest(tmp_path)
    (entry,) = read_manifest(file).evaluators
    assert entry.efficiencies == DEFAULT_EFFICIENCIES
    text = file.read_text()
    file.write_text(f"{text}[evaluator.cube.own]\ncontact = 0.3\nrace = [0.1, 0.2]\n")
    (entry,) = read_manifest(file).evaluators
    assert entry.efficiencies == CubeEfficiencies(own=EfficiencyFormula(contact=0.3, race=(0.1, 0.2)))
    for fault, message in (
        ("race = [0.1]", "length 2.*cube.own.race"),
        ("crushed = 0.3", "unknown field `crushed`"),
        ('contact = "live"', "cube.own.contact"),
        ("win = nan", "evaluator tiny: expected finite numbers for cube"),
        ("bearoff = [0.1, 0.2, inf, 0.4, 0.5]", "evaluator tiny: expected finite numbers for cube"),
    ):
        file.write_text(f"{text}[evaluator.cube.own]\n{fault}\n")
        _refused(file, message)


@pytest.mark.parametrize("activation", ["linear", "softsign", "relu", "tanh"])
def test_a_net_with_one_output_has_an_activation_that_some_player_knows(tmp_path, activation):
    file = write_manifest(tmp_path)
    scorer = {
        "name": "rater",
        "file": "rater.onnx",
        "activation": activation,
        "sha256": "0" * 64,
    }
    lines = "\n".join(f'{key} = "{value}"' for key, value in scorer.items())
    file.write_text(f"{file.read_text()}\n[[scorer]]\n{lines}\n")
    if activation == "tanh":
        _refused(file, "tanh")
    else:
        assert read_manifest(file).find_scorer("rater").activation == activation


def test_a_default_that_is_no_evaluator_is_an_error(tmp_path):
    file = write_manifest(tmp_path)
    file.write_text(file.read_text().replace('default = "tiny"', 'default = "huge"'))
    _refused(file, "expected default to be one of the evaluators tiny, got 'huge'")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"file": '"gone.onnx"'}, r"tiny-contact: gone\.onnx cannot be read"),
        ({"file": '"a\\u0000b.onnx"'}, "no file can have this name"),
        ({"file": '"tiny-race.onnx"'}, r"has sha256 \w{64}, the manifest expects \w{64}"),
        ({"hidden": "[9]"}, "hidden layers of 8 units, the manifest expects 9"),
    ],
)
def test_a_file_that_is_not_the_net_of_its_entry_is_an_error(tmp_path, changes, message):
    entry = read_manifest(write_manifest(tmp_path, **changes)).nets[0]
    with pytest.raises(DataFileError, match=message):
        load_net(entry, tmp_path)


def test_the_bytes_that_were_hashed_are_the_bytes_that_run(tmp_path, monkeypatch):
    entry = read_manifest(write_manifest(tmp_path)).nets[0]
    sample = boards.random_boards(20, seed=2)
    expected = load_net(entry, tmp_path).evaluate(sample).tobytes()

    def hash_while_the_file_is_replaced(content: bytes = b""):
        write_net(tmp_path / entry.file, seed=99)
        return hashlib.new("sha256", content)

    monkeypatch.setattr(manifest_module.hashlib, "sha256", hash_while_the_file_is_replaced)
    assert load_net(entry, tmp_path).evaluate(sample).tobytes() == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
def test_a_forked_process_runs_the_bytes_that_were_hashed_though_the_file_is_gone(tmp_path):
    entry = read_manifest(write_manifest(tmp_path)).nets[0]
    sample = boards.random_boards(20, seed=2)
    net = load_net(entry, tmp_path)
    expected = net.evaluate(sample).tobytes()
    (tmp_path / entry.file).unlink()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, b"y" if net.evaluate(sample).tobytes() == expected else b"n")
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    assert os.read(reader, 1) == b"y"


@pytest.mark.parametrize("name", ["strong", "td-1.5", "a" * 40])
def test_a_name_in_small_letters_digits_dots_and_hyphens_can_be_given(name):
    check_name(name)


@pytest.mark.parametrize("name", ["", "TD128", "-td", "../td", "td 128", "td/128", "strong\n", "a" * 41])
def test_a_name_that_the_manifest_would_refuse_is_refused(name):
    with pytest.raises(ValueRangeError, match="expected a name") as caught:
        check_name(name)
    assert caught.value.field == "name"

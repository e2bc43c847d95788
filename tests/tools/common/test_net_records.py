"""How nets were made: the file beside the manifest, and entries as text."""

import tomllib

import msgspec
import pytest

from gammond.engine.errors import DataFileError
from gammond.nets.manifest import ContactClassEntries, EvaluatorEntry, NetEntry, ScorerEntry, read_manifest
from gammond.tools.common.net_records import EvaluatorStrength, TrainingRecord, format_entry, read_provenance
from tests.nets.net_files import write_manifest

TRAINING = """[[training]]
name = "first"
nets = ["tiny-contact"]
commands = ["gammond train td a"]
games = 10
hours = 0.5
"""

STRENGTH = """[[strength]]
evaluator = "tiny"
opponent = "pubeval"
points_per_game = 0.5
standard_error = 0.1
games = 20
"""


def write_provenance(folder, text):
    manifest = write_manifest(folder)
    (folder / "provenance.toml").write_text(text)
    return manifest


def test_the_file_beside_the_manifest_has_trainings_and_strengths(tmp_path):
    provenance = read_provenance(write_provenance(tmp_path, TRAINING + STRENGTH))
    training = TrainingRecord("first", ("gammond train td a",), 10, 0.5, nets=("tiny-contact",))
    assert provenance.find_training("tiny-contact") == training
    assert provenance.strengths == (EvaluatorStrength("pubeval", 0.5, 0.1, 20, evaluator="tiny"),)
    with pytest.raises(DataFileError, match="lists the net 'tiny-race'"):
        provenance.find_training("tiny-race")


def test_a_manifest_needs_none(tmp_path):
    assert read_provenance(write_manifest(tmp_path)).trainings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("= 1", "not TOML"),
        (TRAINING.replace("games", "matches"), "unknown field `matches`"),
        (TRAINING.replace("games = 10", "games = 0.5"), "games"),
        (TRAINING + TRAINING, "two entries"),
        (TRAINING.replace("tiny-contact", "huge"), "the manifest has no net 'huge'"),
        (STRENGTH.replace("tiny", "huge"), "the manifest has no evaluator 'huge'"),
    ],
)
def test_a_faulty_file_is_an_error_that_names_the_fault(tmp_path, text, message):
    with pytest.raises(DataFileError, match=message):
        read_provenance(write_provenance(tmp_path, text))


def test_every_shipped_net_has_its_training():
    manifest, provenance = read_manifest(), read_provenance()
    listed = [net for training in provenance.trainings for net in training.nets]
    names = [entry.name for entry in manifest.nets] + [entry.name for entry in manifest.scorers]
    assert sorted(listed) == sorted(names)
    assert {strength.evaluator for strength in provenance.strengths} == {e.name for e in manifest.evaluators}


@pytest.mark.parametrize(
    ("kind", "entry"),
    [
        ("net", NetEntry("a", "a.onnx", "race", "tesauro196", (4, 3), "cumulative5", "0" * 64)),
        ("scorer", ScorerEntry("a", "a.onnx", "relu", "0" * 64, player="phase-net")),
        ("evaluator", EvaluatorEntry("a", contact="b", race="c")),
        ("evaluator", EvaluatorEntry("a", None, ContactClassEntries("b", "c", "d", "e"), race="f")),
        ("strength", EvaluatorStrength("pubeval", 0.5, 0.1, 20, evaluator="tiny")),
        (
            "training",
            TrainingRecord("a", ("gammond train td a", 'say "ä"' + "!" * 99), 64, 0.75, 100, ("b", "c")),
        ),
        ("training", TrainingRecord("a", (), 64, 0.75)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_entry_that_is_written_is_read_as_it_was(kind, entry):
    text = format_entry(kind, entry)
    assert msgspec.convert(tomllib.loads(text)[kind], list[type(entry)]) == [entry]
    assert "null" not in text
    assert max(map(len, text.splitlines())) < 130

"""How nets were made: the file beside the manifest, and the tables of older manifests."""

from __future__ import annotations

import pytest

from engine.errors import DataFileError
from nets.manifest import read_manifest
from nets.provenance import EvaluatorStrength, TrainingRecord, read_provenance
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

OLDER_TRAINING = TRAINING.replace('nets = ["tiny-contact"]\n', "")
OLDER_STRENGTH = STRENGTH.replace("[[strength]]", "[[evaluator.strength]]").replace(
    'evaluator = "tiny"\n', ""
)


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


def test_tables_of_an_older_manifest_count(tmp_path):
    manifest = write_manifest(tmp_path, trained='"first"')
    text = manifest.read_text()
    manifest.write_text(f"{text}{OLDER_STRENGTH}\n{OLDER_TRAINING}")
    assert len(read_manifest(manifest).evaluators) == 1
    provenance = read_provenance(manifest)
    assert provenance.find_training("tiny-contact").commands == ("gammond train td a",)
    assert provenance.strengths == (EvaluatorStrength("pubeval", 0.5, 0.1, 20, evaluator="tiny"),)


def test_a_net_of_an_older_manifest_names_a_training_of_it(tmp_path):
    manifest = write_manifest(tmp_path, trained='"other"')
    manifest.write_text(f"{manifest.read_text()}\n{OLDER_TRAINING}")
    with pytest.raises(DataFileError, match="expected one of the trainings first, got 'other'"):
        read_provenance(manifest)


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

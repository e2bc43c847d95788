"""Entries of the manifest: written ones can be read back."""

import hashlib
import tomllib

import msgspec
import numpy as np

from nets.manifest import MANIFEST_FILE, NetEntry, ScorerEntry
from nets.provenance import TrainingRecord
from tools.train.runs.manifest_entries import format_net_entry, format_scorer_entry, format_training_entry
from tools.train.runs.run_folder import ProvenanceStep
from tools.train.weights.layers import LayeredNet

WEIGHTS = MANIFEST_FILE.parent / "weights"


def test_a_training_lists_all_commands_and_the_work_of_all():
    steps = (
        ProvenanceStep("gammond train td a", games=64, hours=0.5),
        ProvenanceStep('say "ä"', positions=100, hours=0.25),
    )
    entry = format_training_entry("mine", ["a", "b"], steps, "gammond export a")
    (read,) = tomllib.loads(entry)["training"]
    commands = ("gammond train td a", 'say "ä"', "gammond export a")
    assert msgspec.convert(read, TrainingRecord) == TrainingRecord(
        "mine", commands, 64, 0.75, 100, ("a", "b")
    )


def test_a_training_without_labelled_positions_lists_none():
    assert "positions" not in format_training_entry(
        "mine", ["a"], (ProvenanceStep("gammond train td a", games=64),), "last"
    )


def test_a_net_is_described_by_its_weights_and_hashed():
    net = LayeredNet.make_untrained("tesauro196", (4, 3), np.random.default_rng(1))
    (read,) = tomllib.loads(format_net_entry("a", WEIGHTS / "a.onnx", "race", net, b"x"))["net"]
    sha256 = hashlib.sha256(b"x").hexdigest()
    expected = NetEntry("a", "weights/a.onnx", "race", "tesauro196", (4, 3), "cumulative5", sha256)
    assert msgspec.convert(read, NetEntry) == expected


def test_a_net_with_one_output_names_its_activation():
    (read,) = tomllib.loads(format_scorer_entry("a", WEIGHTS / "a.npy", "relu", b"x"))["scorer"]
    expected = ScorerEntry("a", "weights/a.npy", "relu", hashlib.sha256(b"x").hexdigest())
    assert msgspec.convert(read, ScorerEntry) == expected


def test_an_entry_names_its_file_as_the_manifest_finds_it(tmp_path):
    assert 'file = "weights/sub/a.npy"' in format_scorer_entry("a", WEIGHTS / "sub" / "a.npy", "relu", b"x")
    outside = format_scorer_entry("a", tmp_path / "a.npy", "relu", b"x")
    assert tomllib.loads(outside)["scorer"][0]["file"] == str(tmp_path.resolve() / "a.npy")

"""``gammond train barca-ascend`` and ``barca-fit``."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.formats.array_file import read_array_file
from gammond.tools import cli
from gammond.tools.barca.fit import VectorSamples, fit_vector
from gammond.tools.barca.weights import SPACE, read_run_weights
from gammond.tools.common.files import read_records
from gammond.tools.train.runs import run as run_module

ASCEND = ["train", "barca-ascend", "--steps", "3", "--games", "4", "--reference-games", "10"]
FIT = ["train", "barca-fit", "--generations", "3", "--games", "40", "--reference-games", "10"]


def run(words, folder, *options):
    return cli.main([*words[:2], str(folder), *words[2:], *options])


def test_a_fit_finds_the_weights_that_made_the_results():
    generator = np.random.default_rng(1)
    conditions = generator.integers(-3, 4, (20_000, len(SPACE.names))).astype(np.int16)
    true = SPACE.start / 60.0
    chances = 1.0 / (1.0 + np.exp(-conditions @ true))
    results = (generator.random(len(chances)) < chances).astype(np.float32)
    found = fit_vector(VectorSamples(conditions, results))
    assert found[2] - found[0] == pytest.approx(120.0)
    assert np.abs(found - SPACE.start).max() < 8.0


@pytest.mark.parametrize("words", [ASCEND, FIT], ids=["ascend", "fit"])
def test_a_run_that_was_killed_comes_to_the_same(words, tmp_path, capsys, monkeypatch):
    assert run(words, tmp_path / "whole") == 0
    keep, kept = run_module.Run._save_checkpoint, []

    def killed(*args):
        text = keep(*args)
        kept.append(args)
        if len(kept) == 3:
            raise KeyboardInterrupt
        return text

    monkeypatch.setattr(run_module.Run, "_save_checkpoint", killed)
    assert run(words, tmp_path / "cut") == cli.EXIT_INTERRUPTED
    monkeypatch.setattr(run_module.Run, "_save_checkpoint", keep)
    assert cli.main([*words[:2], str(tmp_path / "cut"), "--resume"]) == 0
    whole, cut = (read_array_file(tmp_path / name / "checkpoint.npz") for name in ("whole", "cut"))
    assert whole.keys() == cut.keys()
    assert all(np.array_equal(whole[name], cut[name]) for name in whole)
    logs = [read_records(tmp_path / name / "log.jsonl") for name in ("whole", "cut")]
    assert [each["vector"] for each in logs[0]] == [each["vector"] for each in logs[1]]
    assert "best against first, with fresh openings" in capsys.readouterr().out
    assert read_run_weights(f"run:{tmp_path / 'cut'}") == read_run_weights(f"run:{tmp_path / 'whole'}")


@pytest.mark.slow
def test_a_fit_beats_the_vector_by_hand(tmp_path):
    options = ["--generations", "1", "--games", "1000", "--reference-games", "400"]
    assert cli.main(["train", "barca-fit", str(tmp_path / "run"), *options]) == 0
    best = read_array_file(tmp_path / "run" / "best.npz")
    assert best["ppg"] > 2 * best["ppg_error"] > 0.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["barca-ascend", "--games", "5"], "multiple of 2"),
        (["barca-ascend", "--start", "1,2"], "expected 10 weights of barca"),
        (["barca-fit", "--plies", "0"], "plies"),
    ],
)
def test_settings_that_cannot_be_are_named_and_no_run_is_begun(words, said, tmp_path, capsys):
    assert cli.main(["train", words[0], str(tmp_path / "run"), *words[1:]]) == cli.EXIT_USAGE
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()

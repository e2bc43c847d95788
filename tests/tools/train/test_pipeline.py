"""The whole pipeline in short: self-play, labels, a fit, generations, export; each stage plays better.

All seeds are fixed and fits run on one thread, so what is measured is the same each time but for rounding,
which differs between processors. Self-play looks a few moves back with the returns of its games: without, so
few hidden units may take ten times as many games before they begin to learn.
"""

import contextlib
import io
from pathlib import Path
from typing import NamedTuple

import pytest

from gammond.engine.formats.array_file import read_array_file
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.paired_scores import PairedScores
from gammond.nets.catalogue import Catalogue
from gammond.tools import cli
from gammond.tools.common.journal import read_records
from gammond.tools.common.opponents import load_opponent
from gammond.tools.export import PROVENANCE_HEADING
from gammond.tools.train.weights.net_set import load_net_set

pytestmark = [pytest.mark.slow, pytest.mark.training]

GAMES = 4000
"""Paired games that tell generations apart."""

FEWER_GAMES = 2000
"""Paired games of other comparisons: stages differ by nearly twice the margins asked for, or more."""


class Lineage(NamedTuple):
    """The folders of the stages, and a manifest of the nets exported from the first and the last."""

    td: Path
    labels: Path
    wide: Path
    better: Path
    manifest: Path


@pytest.fixture(scope="module")
def lineage(tmp_path_factory):
    root = tmp_path_factory.mktemp("pipeline")
    runs = [root / name for name in ("td", "labels", "wide", "better")]
    td, labels, wide, better = runs
    for stage, run, options in (
        ("td", td, "--games 8000 --hidden 16 --race-hidden 12 --learning-rate 0.05 --final-rate 0.01"),
        ("label", labels, f"--net {td} --positions 8000 --sources selfplay"),
        ("fit", wide, f"--from {td} --labels {labels} --encoder expert248 --hidden 48 --epochs 4"),
        ("refine", better, f"--from {wide} --hidden 64 --generations 3 --positions 10000 --window 2"),
    ):
        assert run_stage(stage, run, options) == 0
    manifest = root / "manifest.toml"
    manifest.write_text(_MANIFEST + exported(td, "first") + exported(better, "last"))
    return Lineage(*runs, manifest)


_MANIFEST = """
default = "last"
finder = "first"

[[evaluator]]
name = "first"
contact = "first-contact"
race = "first-race"

[[evaluator]]
name = "last"
contact = "last-contact"
race = "last-race"

"""

_OPTIONS = {
    "td": f"--trace 0.7 --threads 1 --checkpoint-every 2000 --benchmark-games {FEWER_GAMES}",
    "label": "--threads 2",
    "fit": "--batch 128 --rate 3e-3 --average 0.98 --games 0 --threads 1",
    "refine": "--batch 128 --rate 2e-3 --average 0.98 --epochs 2 --sources selfplay --opponents pubeval "
    f"--games {GAMES} --measure-every 3 --threads 2",
}


def run_stage(stage: str, run: Path, options: str) -> int:
    return cli.main(["train", stage, str(run), *options.split(), *_OPTIONS[stage].split()])


def exported(run: Path, name: str) -> str:
    """Export the last nets of a run beside it; return their entries, for a manifest in the folder above."""
    entries = io.StringIO()
    with contextlib.redirect_stdout(entries):
        assert cli.main(["export", str(run), "--name", name, "--folder", str(run / "onnx")]) == 0
    return entries.getvalue().partition(PROVENANCE_HEADING)[0]


def played(first, second, games: int = FEWER_GAMES) -> PairedScores:
    return play_games(first, second, games, 5, may_be_endless=True)


def standard_errors_above(results: PairedScores, points: float = 0.0) -> float:
    return (results.score.value - points) / results.score.error


def test_self_play_improves_from_its_first_checkpoint_to_its_last(lineage):
    first, *_, last = read_records(lineage.td / "log.jsonl")
    assert (first["opponent"], first["ppg_games"]) == ("pubeval", FEWER_GAMES)
    joint_error = (first["ppg_error"] ** 2 + last["ppg_error"] ** 2) ** 0.5
    assert last["ppg"] - first["ppg"] > 4 * joint_error


def test_a_fit_to_its_labels_makes_the_net_wider_and_stronger(lineage):
    epochs = read_records(lineage.wide / "log.jsonl")
    assert epochs[-1]["averaged_points"] < epochs[0]["averaged_points"]
    fitted = load_net_set(str(lineage.wide)).nets["contact"]
    assert (fitted.encoder_id, fitted.hidden) == ("expert248", (48,))
    results = played(load_opponent(f"run:{lineage.wide}"), load_opponent(f"run:{lineage.td}"))
    assert standard_errors_above(results) > 4


def test_generations_beat_self_play_against_pubeval_too(lineage):
    last = read_records(lineage.td / "log.jsonl")[-1]
    best = read_array_file(lineage.better / "best.npz")
    joint_error = (last["ppg_error"] ** 2 + float(best["ppg_error"][0]) ** 2) ** 0.5
    assert best["opponent"].tolist() == ["pubeval"]
    assert float(best["ppg"][0]) - last["ppg"] > 4 * joint_error


def test_the_exported_nets_play_as_the_run_does_and_beat_all_that_came_before(lineage):
    first, last = (Catalogue(lineage.manifest).load_player(name) for name in ("first", "last"))
    refined = load_opponent(f"run:{lineage.better}/checkpoint.npz")
    same = played(last, refined, 200)
    assert (same.score.value, same.score.error) == (0.0, 0.0)
    assert standard_errors_above(played(first, load_opponent("random"), 400), 1.0) > 4
    assert standard_errors_above(played(last, load_opponent("random"), 400), 1.0) > 4
    assert standard_errors_above(played(last, first)) > 4
    assert standard_errors_above(played(last, load_opponent(f"run:{lineage.wide}"), GAMES)) > 4


def test_the_exported_nets_look_ahead_with_the_first_as_their_pruning_net(lineage):
    deep = Catalogue(lineage.manifest).load_player("default:plies=1,filter=tiny")
    assert standard_errors_above(played(deep, load_opponent("random"), 40), 1.0) > 2

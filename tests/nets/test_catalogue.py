"""Evaluators and players by name."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.bearoff import BearoffEvaluators
from engine.bearoff.one_sided import build_one_sided
from engine.bearoff.two_sided import build_two_sided
from engine.errors import DataFileError, ValueRangeError
from engine.rules.position import Phase, Position, classify_phases
from engine.runtime import sources, version
from nets import catalogue as loading
from nets.manifest import load_net, read_manifest
from nets.player_kinds import list_kind_names
from tests import boards
from tests.nets.net_files import write_manifest


@pytest.fixture(autouse=True)
def _no_bearoff(monkeypatch):
    """Leave the databases out: building them is tested elsewhere."""
    monkeypatch.setattr(loading, "defer_bearoff", lambda **_: ())


@pytest.fixture
def manifest(tmp_path):
    """A manifest with the evaluator ``tiny``."""
    return write_manifest(tmp_path)


@pytest.mark.parametrize("name", ["default", "tiny"])
def test_an_evaluator_sends_positions_to_the_nets_of_their_phases(manifest, name):
    evaluator = loading.load_evaluator(name, manifest)
    contact, race = (load_net(entry, manifest.parent) for entry in read_manifest(manifest).nets)
    sample = boards.random_boards(200, seed=1)
    raw = np.where(
        (classify_phases(sample) == Phase.RACE)[:, None], race.evaluate(sample), contact.evaluate(sample)
    )
    assert evaluator.name == "tiny"
    assert evaluator.plies == 0
    assert np.array_equal(evaluator.evaluate(sample)[:, 0], raw[:, 0])


def test_a_bearoff_database_is_asked_before_the_race_net(manifest, monkeypatch):
    class Sure:
        is_optimal = True

        def covers(self, positions):
            return np.ones(len(positions), np.bool_)

        def evaluate(self, positions):
            return np.tile(np.array([0.25, 0, 0, 0, 0], np.float32), (len(positions), 1))

    monkeypatch.setattr(loading, "defer_bearoff", lambda **_: (Sure(),))
    race = boards.position(x={6: 3}, o={20: 4})
    assert loading.load_evaluator("tiny", manifest).evaluate(race.board[None])[0, 0] == 0.25


@pytest.mark.parametrize("name", ["default", "tiny", "pubeval", "random"])
def test_every_player_of_the_list_plays(manifest, name):
    player = loading.load_player(name, manifest)
    chosen = player.choose(Position.start().board[None], np.array([[3, 1]], np.int8))
    assert chosen.shape == (1, 2, 26)
    assert player.name in (*loading.list_evaluator_names(manifest), *list_kind_names())


def test_names_are_listed(manifest):
    assert loading.list_evaluator_names(manifest) == ["tiny"]


def test_hashes_of_nets_are_those_of_the_manifest(manifest):
    entries = read_manifest(manifest).nets
    assert loading.collect_net_hashes("default", manifest) == {entry.name: entry.sha256 for entry in entries}
    assert loading.collect_net_hashes("pubeval", manifest) == {}
    assert loading.load_player("tiny", manifest).nets == loading.collect_net_hashes("tiny", manifest)


def test_sources_load_players_that_the_catalogue_does_not_know(manifest):
    asked = []

    def load(name):
        asked.append(name)
        return loading.load_player("random", manifest)

    assert loading.load_player("other:FILE", manifest, {"other": load}).name == "random"
    assert asked == ["other:FILE"]
    with pytest.raises(ValueRangeError, match=r"player \(other, .*did you mean 'other'"):
        loading.load_player("othr", manifest, {"other": load})


@pytest.mark.parametrize("load", [loading.load_evaluator, loading.load_player, loading.collect_net_hashes])
def test_an_unknown_name_is_an_error_that_lists_the_names(manifest, load):
    with pytest.raises(ValueRangeError, match=r"\(.*tiny.*\), got 'huge'"):
        load("huge", manifest)


def test_pubeval_is_no_evaluator(manifest):
    with pytest.raises(ValueRangeError, match="pubeval chooses plays and gives no values of positions"):
        loading.load_evaluator("pubeval", manifest)


def test_without_nets_the_error_says_so(tmp_path):
    empty = tmp_path / "manifest.toml"
    empty.write_text("")
    with pytest.raises(DataFileError, match="no nets are installed"):
        loading.load_evaluator("default", empty)


def test_the_identity_of_an_engine_changes_with_any_of_its_nets_and_not_with_its_name(tmp_path):
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    first, second = map(write_manifest, folders)
    assert loading.identify_engine("tiny", first) == loading.identify_engine("default", second)
    text = second.read_text("utf-8")
    digest = read_manifest(second).nets[0].sha256
    second.write_text(text.replace(digest, "0" * 64), "utf-8")
    assert loading.identify_engine("tiny", second).digest != loading.identify_engine("tiny", first).digest


def test_the_identity_of_an_engine_changes_with_the_nets_that_prune_plays(tmp_path):
    """They decide which replies a search considers, so what it finds."""
    manifest = write_manifest(tmp_path)
    known = loading.identify_engine("tiny", manifest)
    text = manifest.read_text("utf-8")
    other = text.replace('name = "tiny-', 'name = "other-').replace('"tiny-contact"', '"other-contact"')
    other = other.replace('"tiny-race"', '"other-race"').replace('name = "tiny"', 'name = "other"')
    other = other.replace(read_manifest(manifest).nets[0].sha256, "0" * 64)
    others = other[other.index("[[net]]") :]
    manifest.write_text(f'finder = "other"\n{text}{others}', "utf-8")
    assert loading.identify_engine("tiny", manifest).nets != known.nets


@pytest.mark.parametrize(
    "module",
    [
        *("engine.search.tree", "engine.kernels.search", "engine.cubeful.efficiency", "engine.rules.moves"),
        *("nets.compiled_net", "nets.kernels.expert248", "nets.kernels.pruning", "nets.encoders"),
    ],
)
def test_in_a_checkout_the_identity_of_an_engine_changes_with_what_searches_and_evaluates(
    manifest, monkeypatch, module
):
    known = loading.identify_engine("tiny", manifest)
    assert known.program.startswith(f"{version.read_version()}+")
    hash_source = sources._hash_source
    monkeypatch.setattr(sources, "_hash_source", lambda name: b"" if name == module else hash_source(name))
    version.identify_program.cache_clear()
    other = loading.identify_engine("tiny", manifest)
    version.identify_program.cache_clear()
    assert other.digest != known.digest
    assert other.of_book == known.of_book  # a book is tested with its program


def test_an_installed_program_is_identified_by_its_version_alone(monkeypatch):
    monkeypatch.setattr(version, "IS_CHECKOUT", False)
    version.identify_program.cache_clear()
    assert version.identify_program("engine.search.tree") == version.read_version()
    version.identify_program.cache_clear()


def test_the_identity_of_an_engine_changes_with_the_bearoff_databases(manifest, monkeypatch):
    known = loading.identify_engine("tiny", manifest)
    larger = BearoffEvaluators(build_two_sided(2, 3), build_one_sided(2, 3))
    monkeypatch.setattr(loading, "defer_bearoff", lambda **_: larger)
    assert loading.identify_engine("tiny", manifest).digest != known.digest


def test_the_identity_of_an_engine_changes_with_the_program_and_the_match_equity_table(manifest, monkeypatch):
    known = loading.identify_engine("tiny", manifest)
    monkeypatch.setattr(loading, "identify_program", lambda *_: "another")
    other_program = loading.identify_engine("tiny", manifest)
    table = loading.load_default_table()
    changed = dataclasses.replace(table, pre_crawford=table.pre_crawford + 1e-12)
    monkeypatch.setattr(loading, "load_default_table", lambda: changed)
    other_table = loading.identify_engine("tiny", manifest)
    assert len({known.digest, other_program.digest, other_table.digest}) == 3

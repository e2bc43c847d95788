"""Evaluators and players by name."""

import dataclasses

import numpy as np
import pytest

from gammond.engine.bearoff import BearoffEvaluators
from gammond.engine.bearoff.file_format import BearoffHeader, BearoffKind
from gammond.engine.bearoff.one_sided import build_one_sided
from gammond.engine.bearoff.two_sided import TwoSidedTable, build_two_sided
from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.kernels import disk_cache
from gammond.engine.play.player import EvaluatorPlayer
from gammond.engine.rules.position import Phase, classify_phases
from gammond.engine.runtime import version
from gammond.nets import catalogue as loading
from gammond.nets.catalogue import Catalogue
from gammond.nets.compiled_net import load_net
from gammond.nets.manifest import read_manifest
from gammond.nets.players.entry import RandomSpec
from tests.nets.net_files import write_manifest
from tests.support import boards


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
    evaluator = Catalogue(manifest).load_evaluator(name)
    contact, race = (load_net(entry, manifest.parent) for entry in read_manifest(manifest).nets)
    sample = boards.random_boards(200, seed=1)
    raw = np.where(
        (classify_phases(sample) == Phase.RACE)[:, None], race.evaluate(sample), contact.evaluate(sample)
    )
    assert evaluator.name == "tiny"
    assert evaluator.plies == 0
    assert np.array_equal(evaluator.evaluate(sample)[:, 0], raw[:, 0])


def test_a_bearoff_database_is_asked_before_the_race_net(manifest, monkeypatch):
    header = BearoffHeader(BearoffKind.TWO_SIDED, 6, 6)
    sure = TwoSidedTable(header, lambda: (np.full((924, 924), 0.25, np.float32),))
    monkeypatch.setattr(loading, "defer_bearoff", lambda **_: (sure,))
    race = boards.position(x={6: 3}, o={20: 4})
    assert Catalogue(manifest).load_evaluator("tiny").evaluate(race.board[None])[0, 0] == 0.25


def test_an_evaluator_goes_before_a_player_kind_of_its_name(manifest):
    manifest.write_text(manifest.read_text().replace('"tiny"', '"random"'))
    assert isinstance(Catalogue(manifest).load_player("random"), EvaluatorPlayer)


def test_names_and_hashes_of_nets_are_those_of_the_manifest(manifest):
    assert Catalogue(manifest).list_evaluators() == ["tiny"]
    entries = read_manifest(manifest).nets
    assert Catalogue(manifest).collect_net_hashes("default") == {
        entry.name: entry.sha256 for entry in entries
    }
    assert Catalogue(manifest).collect_net_hashes("pubeval") == {}
    assert Catalogue(manifest).load_player("tiny").nets == Catalogue(manifest).collect_net_hashes("tiny")


def test_a_catalogue_may_have_players_that_name_files_or_programs(manifest):
    catalogue = Catalogue(manifest, lambda: {"other": lambda: RandomSpec})
    assert catalogue.load_player("other:seed=2").name == "random:seed=2"
    assert "other" not in catalogue.list_kind_names()
    with pytest.raises(ValueRangeError, match=r"player \(.*, other.*did you mean 'other'"):
        catalogue.load_player("othr")


@pytest.mark.parametrize(
    "load", [Catalogue.load_evaluator, Catalogue.load_player, Catalogue.collect_net_hashes]
)
def test_an_unknown_name_is_an_error_that_lists_the_names(manifest, load):
    with pytest.raises(ValueRangeError, match=r"\(.*tiny.*\), got 'huge'"):
        load(Catalogue(manifest), "huge")


def test_pubeval_is_no_evaluator(manifest):
    with pytest.raises(ValueRangeError, match="pubeval chooses plays and gives no values of positions"):
        Catalogue(manifest).load_evaluator("pubeval")


def test_without_nets_the_error_says_so(tmp_path):
    empty = tmp_path / "manifest.toml"
    empty.write_text("")
    with pytest.raises(DataFileError, match="no nets are installed"):
        Catalogue(empty).load_evaluator("default")


def change_net(manifest, monkeypatch):
    manifest.write_text(manifest.read_text().replace(read_manifest(manifest).nets[0].sha256, "0" * 64))


def change_pruning_net(manifest, monkeypatch):
    """They decide which replies a search considers, so what it finds."""
    text = manifest.read_text()
    other = text.replace('name = "tiny-', 'name = "other-').replace('"tiny-contact"', '"other-contact"')
    other = other.replace('"tiny-race"', '"other-race"').replace('name = "tiny"', 'name = "other"')
    other = other.replace(read_manifest(manifest).nets[0].sha256, "0" * 64)
    manifest.write_text(f'finder = "other"\n{text}{other[other.index("[[net]]") :]}')


def change_databases(manifest, monkeypatch):
    larger = BearoffEvaluators(build_two_sided(2, 3), build_one_sided(2, 3))
    monkeypatch.setattr(loading, "defer_bearoff", lambda **_: larger)


def change_program(manifest, monkeypatch):
    monkeypatch.setattr(loading, "identify_program", lambda *_: "another")


def change_efficiencies(manifest, monkeypatch):
    manifest.write_text(f"{manifest.read_text()}[evaluator.cube.centred]\ncontact = 0.3\n")


def change_match_equities(manifest, monkeypatch):
    table = loading.load_default_table()
    changed = dataclasses.replace(table, pre_crawford=table.pre_crawford + 1e-12)
    monkeypatch.setattr(loading, "load_default_table", lambda: changed)


@pytest.mark.parametrize(
    "change",
    [
        *(change_net, change_pruning_net, change_databases),
        *(change_program, change_efficiencies, change_match_equities),
    ],
)
def test_the_identity_of_an_engine_changes_with_all_that_it_finds_by(manifest, monkeypatch, change):
    known = Catalogue(manifest).identify_engine("tiny")
    assert Catalogue(manifest).identify_engine("default") == known
    change(manifest, monkeypatch)
    assert Catalogue(manifest).identify_engine("tiny").digest != known.digest


@pytest.mark.parametrize(
    "module",
    [
        *(
            "gammond.engine.search.tree",
            "gammond.engine.kernels.search",
            "gammond.engine.cubeful.efficiency",
            "gammond.engine.rules.moves",
        ),
        *(
            "gammond.nets.compiled_net",
            "gammond.engine.kernels.nets.expert248",
            "gammond.engine.kernels.nets.play_evaluation",
            "gammond.nets.encoders",
        ),
    ],
)
def test_in_a_checkout_the_identity_of_an_engine_changes_with_what_searches_and_evaluates(
    manifest, monkeypatch, module
):
    known = Catalogue(manifest).identify_engine("tiny")
    assert known.program.startswith(f"{version.read_version()}+")
    read = version._read_module
    monkeypatch.setattr(
        version, "_read_module", lambda name: (b"", read(name)[1]) if name == module else read(name)
    )
    version.identify_program.cache_clear()
    other = Catalogue(manifest).identify_engine("tiny")
    version.identify_program.cache_clear()
    assert other.digest != known.digest
    assert other.of_book == known.of_book  # a book is tested with its program


def test_an_installed_program_is_identified_by_its_version_alone(monkeypatch):
    monkeypatch.setattr(version, "IS_CHECKOUT", False)
    version.identify_program.cache_clear()
    assert version.identify_program(version) == version.read_version()
    version.identify_program.cache_clear()


@pytest.mark.parametrize(
    ("machine", "features", "family"),
    [
        ("x86_64", "+avx,+fma", ""),
        ("AMD64", "+fma", ""),
        ("x86_64", "+avx,-fma", "x86_64"),
        ("arm64", "", "arm64"),
    ],
)
def test_the_identity_of_an_engine_names_a_processor_that_rounds_sums_otherwise(
    manifest, monkeypatch, machine, features, family
):
    monkeypatch.setattr(disk_cache.platform, "machine", lambda: machine)
    monkeypatch.setattr(disk_cache.numba.config, "CPU_FEATURES", features)
    program = version.identify_program(*loading._import_searching())
    assert Catalogue(manifest).identify_engine("tiny").program == f"{program} {family}".rstrip()

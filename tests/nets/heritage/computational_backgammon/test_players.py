"""``classic`` by name: which nets play, their outputs, and what evaluates races."""

import itertools

import numpy as np
import pytest

from gammond.engine.bearoff import load_bearoff
from gammond.engine.errors import DataFileError
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import EvaluatorPlayer, RandomPlayer
from gammond.engine.rules.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G
from gammond.engine.rules.position import Phase, Position, classify_phases
from gammond.nets.catalogue import SHIPPED, collect_net_hashes, load_player
from gammond.nets.compiled_net import load_net
from gammond.nets.manifest import read_manifest
from tests.nets.net_files import write_entries
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

NAMES = [
    f"classic:hidden={hidden},outputs={outputs},layout={layout}"
    for layout, outputs, hidden in itertools.product(("normal", "symmetric"), (1, 2, 5), (10, 20, 40, 80))
]
SAMPLE = boards.played_boards(RacingEvaluator(), 3000, seed=5)
RACES = SAMPLE[classify_phases(SAMPLE) == Phase.RACE]
BEAROFFS = RACES[load_bearoff().two_sided.covers(RACES)]
OPENING = Position.start().board


@pytest.fixture
def manifest(tmp_path, monkeypatch):
    """A manifest with one net of 10 units and one for races, both untrained."""
    file = tmp_path / "manifest.toml"
    file.write_text(
        write_entries(tmp_path, {"classic-10-5-normal-contact": "contact", "classic-race": "race"})
    )
    monkeypatch.setattr(SHIPPED, "file", file)
    return file


def evaluated(name, sample):
    """Return a player's outcomes for positions, ``float32[n, 5]``."""
    player = load_player(name)
    assert isinstance(player, EvaluatorPlayer)
    return player.evaluator.evaluate(np.ascontiguousarray(sample))


@pytest.mark.parametrize("name", NAMES)
def test_each_net_is_the_one_of_its_size_outputs_and_layout_and_beats_random(name):
    hidden, outputs, layout = (part.partition("=")[2] for part in name.split(","))
    (net,) = collect_net_hashes(name)
    assert net == f"classic-{hidden}-{outputs}-{layout}-contact"
    assert read_manifest().find_net(net).hidden == (int(hidden),)
    said = evaluated(name, SAMPLE[classify_phases(SAMPLE) == Phase.CONTACT]).max(axis=0) > 0
    expected = {"1": [WIN], "2": [WIN, WIN_G, LOSE_G], "5": [WIN, WIN_G, WIN_BG, LOSE_G, LOSE_BG]}[outputs]
    assert np.flatnonzero(said).tolist() == expected
    result = play_games(load_player(name), RandomPlayer(seed=1), 100, seed=7)
    assert result.score.value - 4 * result.score.error > 0.5


def test_only_symmetric_nets_take_a_sure_win_for_the_opening():
    sure_win = boards.position({1: 2}, {24: 2}).board
    for name in NAMES:
        opening, sure = evaluated(name, np.stack([OPENING, sure_win]))[:, WIN]
        if "symmetric" in name:
            assert sure == pytest.approx(opening, abs=1e-5)
        else:
            assert sure > opening + 0.1


def test_hashes_name_the_net_for_races_where_there_is_one(manifest):
    nets = read_manifest(manifest)
    for races, names in (("one", 1), ("own", 2), ("bearoff", 2)):
        assert collect_net_hashes(f"classic:hidden=10,races={races}") == {
            name: nets.find_net(name).sha256
            for name in ("classic-10-5-normal-contact", "classic-race")[:names]
        }


def test_races_are_evaluated_by_the_race_net_of_the_player(manifest):
    contact, race = (load_net(entry, manifest.parent) for entry in read_manifest(manifest).nets)
    sample = np.concatenate([SAMPLE[classify_phases(SAMPLE) == Phase.CONTACT][:200], RACES[:200]])
    by_contact, by_race = (net.evaluate(sample)[:, WIN] for net in (contact, race))
    assert (np.abs(by_contact - by_race) > 1e-3).mean() > 0.9
    one, own = (evaluated(f"classic:hidden=10,races={races}", sample)[:, WIN] for races in ("one", "own"))
    assert np.array_equal(one, by_contact)
    assert np.array_equal(own, np.concatenate([by_contact[:200], by_race[200:]]))


def test_bearoffs_are_looked_up_and_other_races_are_not(manifest):
    exact = load_bearoff().two_sided.evaluate(BEAROFFS)
    assert np.array_equal(evaluated("classic:hidden=10,races=bearoff", BEAROFFS), exact)
    own, bearoff = (evaluated(f"classic:hidden=10,races={races}", RACES) for races in ("own", "bearoff"))
    is_other = ~load_bearoff().two_sided.covers(RACES)
    assert np.array_equal(own[is_other], bearoff[is_other])


def test_the_shipped_net_for_races_knows_who_is_ahead():
    long = RACES[~load_bearoff().two_sided.covers(RACES)]
    pips = (long * np.arange(26)).sum(axis=2)
    ahead = (pips[:, 1] - pips[:, 0]) / pips.sum(axis=1)
    win = evaluated("classic:races=own", long)[:, WIN]
    assert win[ahead > 0.1].mean() > 0.85
    assert win[ahead < -0.2].mean() < 0.15


def test_what_cannot_be_is_refused(manifest):
    with pytest.raises(DataFileError, match=r"no entry \[\[net\]\] called 'classic-10-1-normal-contact'"):
        load_player("classic:hidden=10,outputs=1")
    with pytest.raises(DataFileError, match=r"no entry \[\[net\]\] called 'classic-40-5-normal-contact'"):
        collect_net_hashes("classic")
    (manifest.parent / "classic-race.onnx").unlink()
    assert load_player("classic:hidden=10").name == "classic:hidden=10"
    with pytest.raises(DataFileError, match=r"net classic-race: classic-race\.onnx cannot be read"):
        load_player("classic:hidden=10,races=own")

"""``gengammon`` by name: which net plays, and that its file is hashed."""

import pytest

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.nets import player_specs
from gammond.nets.catalogue import collect_net_hashes, load_player
from gammond.nets.heritage.gengammon.net import GengammonPlayer
from gammond.nets.manifest import read_manifest

LEARNED = ("genetic", "linear", "backprop", "play")


@pytest.mark.parametrize("learned", LEARNED)
def test_each_net_plays_by_the_way_it_learned(learned):
    player = load_player(f"gengammon:learned={learned}")
    assert isinstance(player, GengammonPlayer)
    assert player.name == ("gengammon" if learned == "genetic" else f"gengammon:learned={learned}")
    entry = read_manifest().find_scorer(f"gengammon-{learned}")
    assert player.net.activation == entry.activation
    assert collect_net_hashes(f"gengammon:learned={learned}") == {entry.name: entry.sha256}


def test_another_way_of_learning_is_refused():
    with pytest.raises(ValueRangeError) as caught:
        load_player("gengammon:learned=cramming")
    assert caught.value.field == "learned"


def test_a_manifest_without_its_net_is_a_data_file_error(tmp_path, monkeypatch):
    manifest = tmp_path / "manifest.toml"
    manifest.write_text("")
    monkeypatch.setattr(player_specs, "MANIFEST_FILE", manifest)
    with pytest.raises(DataFileError, match=r"no entry \[\[scorer\]\] called 'gengammon-genetic'"):
        load_player("gengammon")

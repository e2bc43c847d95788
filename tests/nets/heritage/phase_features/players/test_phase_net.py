"""``phase-net`` as people write it, and how it plays."""

from __future__ import annotations

import pytest

from engine.errors import DataFileError, ValueRangeError
from engine.play.lockstep import play_games
from nets.catalogue import collect_net_hashes, load_player

LEARNED = ["phase-net", "phase-net:learned=self"]


@pytest.mark.parametrize("name", LEARNED)
def test_it_beats_the_heuristic_that_taught_it(name):
    player = load_player(name)
    assert player.name == name
    results = play_games(player, load_player("phase-heuristic"), 400, seed=3)
    assert results.points_per_game > 4 * results.standard_error


def test_each_has_weights_of_its_own():
    assert [*collect_net_hashes("phase-net")] == ["phase-net-outcomes"]
    assert [*collect_net_hashes("phase-net:learned=self")] == ["phase-net-self"]
    assert collect_net_hashes("phase-net") != collect_net_hashes("phase-net:learned=self")


def test_what_cannot_be_is_refused(tmp_path):
    with pytest.raises(ValueRangeError, match="one of outcomes") as caught:
        load_player("phase-net:learned=nothing")
    assert caught.value.field == "learned"
    (tmp_path / "manifest.toml").write_text("")
    with pytest.raises(DataFileError, match="no entry"):
        load_player("phase-net", tmp_path / "manifest.toml")

"""``pubeval`` by name."""

from nets.catalogue import load_player
from nets.pubeval import PubevalPlayer


def test_it_is_tesauros_player():
    player = load_player("pubeval")
    assert isinstance(player, PubevalPlayer)
    assert player.name == "pubeval"

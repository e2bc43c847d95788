"""Opponents by name, gnubg-nn being missing; with it: tests/peers/test_gnubg_nets_as_opponents.py."""

from __future__ import annotations

import sys

import pytest

from engine.errors import FormatError, UnsupportedError, ValueRangeError
from engine.search_player import SearchPlayer
from tools import cli
from tools.opponents import is_deep, load_opponent, opponent_hashes


@pytest.fixture(autouse=True)
def _no_gnubg_nn(monkeypatch):
    """Hide the package where it is installed."""
    monkeypatch.setitem(sys.modules, "gnubg_nn", None)


def test_other_players_are_those_of_the_nets():
    assert load_opponent("pubeval").name == "pubeval"
    assert opponent_hashes("pubeval") == opponent_hashes("gnubg") == {}
    assert "td32-contact" in opponent_hashes("td32")
    assert not is_deep(load_opponent("td32"))
    player = load_opponent("td32:plies=1")
    assert isinstance(player, SearchPlayer)
    assert is_deep(player)


def test_a_missing_package_is_named_with_the_command_that_installs_it(capsys):
    with pytest.raises(UnsupportedError, match="pip install gnubg-nn"):
        load_opponent("gnubg")
    assert cli.main(["tournament", "gnubg", "random", "--games", "4"]) == cli.EXIT_USAGE
    assert "pip install gnubg-nn" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["gnubg:", "gnubg:filter=narrow", "gnubg:plies=", "gnubg:plies=1,seed=3"])
def test_gnubg_has_no_other_options_than_plies(name):
    with pytest.raises(FormatError, match="plies alone") as caught:
        load_opponent(name)
    assert caught.value.field == "player"


def test_gnubg_looks_two_plies_ahead_at_most():
    with pytest.raises(ValueRangeError, match="0 to 2 plies") as caught:
        load_opponent("gnubg:plies=3")
    assert caught.value.field == "plies"

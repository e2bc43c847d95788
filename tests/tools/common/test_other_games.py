import pytest
from msgspec import Struct

from gammond.engine.errors import UnsupportedError
from gammond.protocol.games import GAMES
from gammond.tools.common.other_games import make_query, refuse_options
from tests.protocol import noughts


class Options(Struct, frozen=True, kw_only=True):
    plies: int | None = None
    weights: str | None = None
    cubeless: bool = False


@pytest.fixture(autouse=True)
def third_game(monkeypatch):
    monkeypatch.setitem(GAMES, "noughts", noughts.ENTRY)


def test_a_game_is_asked_for_what_its_queries_have():
    asked = {"want": ["eval", "moves"], "depth": 3, "weights": None, "max_moves": 2}
    assert make_query("noughts", "12", asked) == {"variant": "noughts", "position": "12", "want": ["moves"]}
    assert make_query("barca", "startpos", asked) == {
        **{"variant": "barca", "position": "startpos"},
        **{"want": ["eval", "moves"], "depth": 3, "max_moves": 2},
    }


def test_what_no_query_of_a_game_has_is_refused():
    with pytest.raises(UnsupportedError, match="noughts has no answer to eval"):
        make_query("noughts", "12", {"want": ["eval"]})
    refuse_options(Options(), "noughts", ("cubeless",))
    with pytest.raises(UnsupportedError, match="--plies is not for noughts") as refused:
        refuse_options(Options(plies=2), "noughts", ("cubeless",))
    assert refused.value.field == "plies"
    with pytest.raises(UnsupportedError, match="--cubeless is for backgammon"):
        refuse_options(Options(cubeless=True), "noughts", ("cubeless",))

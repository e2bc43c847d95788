"""``opinion``: what players think, on a line, in a query and at the terminal."""

import json

import pytest

from gammond.protocol.core.limits import ClientLimits
from tests.protocol.repl.tables import make_talk
from tests.protocol.talking import talk
from tests.support.replies import read_values

START = "4HPwATDgc/ABMA"


def ask(**fields):
    """The opinion of a query about the start."""
    (line,) = talk(json.dumps({"id": 1, "position": START, "want": ["opinion"], **fields}))
    answer = json.loads(line)
    return answer["results"][0]["opinion"] if "results" in answer else answer["error"]


def test_the_player_of_the_session_is_asked_where_none_is_named():
    lines = talk("newgame\nset engine.player pubeval\nopinion")
    assert lines[-1].endswith("player=pubeval")


@pytest.mark.parametrize(
    ("request_line", "error"),
    [
        ("opinion", "error unsupported player: expected a player other than net: 'eval' and 'moves' show "),
        ("opinion player=random", "error unsupported player: random chooses plays without a number for each"),
        (
            "opinion player=phase-net:learned=all",
            "error bad_value player: expected one of outcomes|self for learned",
        ),
        ("opinion player=nobody", "error bad_value player: "),
    ],
)
def test_what_cannot_be_answered_is_refused_with_its_reason(request_line, error):
    assert talk(f"newgame\n{request_line}")[-1].startswith(error)


@pytest.mark.parametrize("player", ["phase-net", "classic"])
def test_a_query_says_the_same(player):
    line = read_values(talk(f"newgame\nopinion player={player}")[-1])
    said = ask(player=player)
    assert said.keys() == line.keys()
    assert said["score"] == pytest.approx(float(line["score"]), abs=1e-6)
    plays = ask(player=player, dice=[3, 1], max_moves=3)
    assert [row["rank"] for row in plays["moves"]] == [1, 2, 3]
    assert (plays["count"], plays["shown"], plays["player"]) == (16, 3, player)


def test_a_query_names_the_field_at_fault():
    assert ask(player="nobody")["field"] == "player"
    assert ask(player=3)["field"] == "player"
    assert ask(player="x" * ClientLimits.command_chars)["code"] == "bad_value"


def test_the_terminal_lays_out_numbers_features_and_plays():
    game = make_talk()
    game.answer("newgame")
    lines = game.answer("opinion player=phase-net")
    assert lines[0].endswith(" by phase-net")
    assert "    phase                     early" in lines
    game.answer("dice 3 1")
    _, head, first, second, _, last = game.answer("opinion 3 player=classic")
    assert head.split()[:2] == ["score", "behind"]
    assert first.endswith("8/5 6/5")
    assert float(second.split()[2]) < 0
    assert last == "    3 of 16 plays by classic"
    assert head.narrow.split() == ["score", "behind", "play"]
    assert second.narrow.split()[:3] == second.split()[:3]

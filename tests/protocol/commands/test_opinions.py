"""``opinion``: what players think, on a line, in a query and at the terminal."""

import json
import shlex

import pytest

from gammond.protocol.core.limits import ClientLimits
from tests.protocol.repl.tables import make_talk
from tests.protocol.talking import talk

START = "4HPwATDgc/ABMA"


def read_values(line):
    """The ``key=value`` pairs of a line."""
    return dict(pair.split("=", 1) for pair in shlex.split(line) if "=" in pair)


def ask(**fields):
    """The opinion of a query about the start."""
    (line,) = talk(json.dumps({"id": 1, "position": START, "want": ["opinion"], **fields}))
    answer = json.loads(line)
    return answer["results"][0]["opinion"] if "results" in answer else answer["error"]


def test_a_scorer_shows_its_score_its_phase_and_its_features():
    values = read_values(talk("newgame\nopinion player=phase-net")[-1])
    assert 0.0 <= float(values["score"]) <= 1.0
    assert values["phase"] == "early"
    assert values["occupied_points"] == "0.571429"
    assert values["player"] == "phase-net"


def test_an_evaluator_with_options_shows_its_outcome():
    values = read_values(talk("newgame\nopinion player=classic:hidden=10,outputs=2,races=own")[-1])
    assert values["player"] == "classic:hidden=10,outputs=2,races=own"
    assert 0.0 < float(values["win_g"]) < float(values["win"])
    assert values["win_bg"] == "0.000000"


def test_with_dice_the_plays_are_ranked_by_the_player():
    *plays, final = map(read_values, talk("newgame\ndice 3 1\nopinion 2 player=phase-heuristic")[2:])
    assert [row["play"] for row in plays] == ["8/5 6/5", "13/9"]
    assert final == {"count": "16", "shown": "2", "player": "phase-heuristic"}


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
        ("opinion 0 player=pubeval", "error bad_value n: "),
    ],
)
def test_what_cannot_be_answered_is_refused_with_its_reason(request_line, error):
    assert talk(f"newgame\n{request_line}")[-1].startswith(error)


def test_there_is_no_opinion_without_a_game():
    assert talk("opinion player=pubeval")[-1].startswith("error bad_state position: ")


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

import pytest

from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.protocol.commands.decisions import ROLL_ACTION, choose_action
from gammond.protocol.core.requests import WorkControl
from tests.protocol.repl.tables import make_session
from tests.support.boards import position

AHEAD = position({1: 4, 2: 2}, {19: 5, 20: 5, 21: 4})


def action(board, **match):
    """Return the engine's action as the seat to act."""
    session = make_session()
    session.set_position(board, MatchState(**match))
    return choose_action(session, WorkControl(), rejected_kind=0)


@pytest.mark.parametrize(
    ("board", "match", "expected"),
    [
        (Position.start(), {}, ROLL_ACTION),
        (Position.start(), {"roll": (3, 1)}, None),
        (AHEAD, {"length": 5}, "double"),
        (AHEAD, {"length": 5, "score": (4, 2), "crawford": True}, ROLL_ACTION),
        (AHEAD, {"length": 5, "cube": 2, "cube_owner": 1}, ROLL_ACTION),
        (AHEAD, {"length": 5, "doubled": True}, "drop"),
        (AHEAD.swap_sides(), {"length": 5, "doubled": True}, "take"),
        (AHEAD.swap_sides(), {"doubled": True}, "beaver"),
        (AHEAD, {"length": 5, "resigned": 1}, "accept"),
    ],
)
def test_the_engine_acts_as_the_seat_to_act_should(board, match, expected):
    found = action(board, **match)
    assert found == expected if expected else "/" in found


def test_a_won_game_is_not_resigned_whatever_was_refused():
    session = make_session()
    session.set_position(position({1: 1, 2: 1}, {24: 15}), MatchState())
    for kind in (0, 2):
        assert choose_action(session, WorkControl(), rejected_kind=kind) in (ROLL_ACTION, "double")

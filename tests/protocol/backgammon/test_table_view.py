"""The view of backgammon: what tables show of a game, and what it sends for each act."""

from __future__ import annotations

import pytest

from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import VARIANTS
from gammond.protocol.backgammon.table_view import BackgammonView
from gammond.protocol.commands import decisions
from gammond.protocol.commands.dispatch import run_line
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.questions.decisions import ChooseDouble
from gammond.protocol.questions.positions import Resign
from gammond.protocol.state.session import Session
from gammond.protocol.tables.game_view import TablePhase
from gammond.protocol.tables.requests import SeatSpec, TableSpec
from tests.protocol.talking import make_service

SEATS = (SeatSpec("open"), SeatSpec("open"))


def make_view(*lines, **fields):
    session = Session(make_service(), 1)
    view = BackgammonView(session, TableSpec(SEATS, **fields))
    for line in (f"set game.variant {view.spec.variant}", *view.list_setup_lines(), *lines):
        replies, _ = run_line(session, line)
        assert replies[-1].word != "error", replies
    return view


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_seat_has_its_checkers_in_its_own_numbering(variant):
    view = make_view("newgame", variant=variant)
    start = VARIANTS[variant].starting_position
    assert view.describe()["checkers"] == [start.board[0].tolist(), start.board[1].tolist()]
    assert view.describe()["pips"] == list(start.pips)


def test_the_checkers_of_a_seat_stay_its_own_when_the_turn_passes():
    view = make_view("newgame", "dice 3 1", "play 8/5 6/5")
    after = view.describe()
    assert after["on_roll"] == 1
    assert after["checkers"][0][5] == 2
    assert after["checkers"][1] == Position.start().board[0].tolist()


def test_a_table_waits_for_its_game_and_lists_no_plays_without_dice():
    assert make_view().phase is TablePhase.WAITING
    assert make_view("newgame").describe_choices() == {"tree": None}


def test_there_is_no_xgid_while_a_beaver_or_a_resignation_waits():
    lines = ["newgame", "dice 3 1", "play 8/5 6/5"]
    assert make_view(*lines, "play double").describe()["xgid"]
    assert make_view(*lines, "play double", "play beaver").describe()["xgid"] is None
    assert make_view(*lines, "play resign gammon").describe()["xgid"] is None


@pytest.fixture
def asked(monkeypatch):
    """The kinds of the questions that a decision asks."""
    found = []
    for name in ("decide", "ask"):
        answer = getattr(decisions, name)

        def note(session, question, control, answer=answer):
            found.append(type(question))
            return answer(session, question, control)

        monkeypatch.setattr(decisions, name, note)
    return found


def decide(view, rejected_kind=0):
    """Return what a view decides."""
    decision = view.plan_decision(rejected_kind)
    return decision if isinstance(decision, str) else decision.run(WorkControl())


def test_an_engine_before_its_roll_thinks_of_resigning_and_doubling(asked):
    line = decide(make_view("newgame", "dice 3 1", "play 8/5 6/5"))
    assert asked == [Resign, ChooseDouble]
    assert line in ("roll", "play double")
    asked.clear()
    decide(make_view("newgame", "dice 3 1", "play 8/5 6/5", cube=False))
    assert asked == [Resign]


def test_an_engine_gives_a_lost_game_up_but_not_again_once_that_was_rejected():
    lost = f"position xgid XGID={'-' * 23}Oa-:0:0:1:00:0:0:0:0:10"
    assert decide(make_view(lost)) == "play resign single"
    assert decide(make_view(lost), rejected_kind=1) != "play resign single"


def test_an_engine_decides_about_the_game_as_it_was_when_it_was_asked():
    view = make_view("newgame", "dice 3 1")
    decision = view.plan_decision(0)
    run_line(view.session, "play 8/5 6/5")
    assert decision.run(WorkControl()).startswith("play ")


@pytest.mark.parametrize(("level", "is_long"), [("expert", False), ("master", True)])
def test_a_decision_is_long_where_the_engine_looks_ahead(level, is_long):
    view = make_view("newgame", "dice 3 1", f"set engine.level {level}")
    assert view.plan_decision(0).is_long == is_long


def test_a_seat_can_begin_every_game_from_the_start_or_from_a_position():
    view = make_view(begins=1, position="4HPwATDgc/ABMA")
    assert view.list_start_lines(1) == ["set game.turn p1", "position gnubgid 4HPwATDgc/ABMA"]
    assert view.list_start_lines(2) == ["newgame p1"]
    view = make_view("newgame p1", begins=1)
    assert (view.phase, view.to_act, view.is_opening) == (TablePhase.ROLL, 1, False)


def test_with_doubles_as_two_moves_there_is_no_cube_and_no_advice():
    view = make_view("newgame p0", "dice 6 6", doubles="two")
    state = view.describe()
    assert (state["doubles"], state["cube"], state["xgid"], view.may_double) == ("two", None, None, False)
    assert max(len((node["play"] or "").split()) for node in view.describe_choices()["tree"]) <= 2
    assert view.resigns_at_once
    assert not make_view("newgame").resigns_at_once

"""Questions: how the work on them is planned, and that they return the engine's own results."""

from __future__ import annotations

import pytest

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.formats.position_id import decode_position_id
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.search import SearchWatch
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.questions.decisions import ChooseResponse
from gammond.protocol.questions.plays import Rank
from gammond.protocol.questions.positions import DecideCube, Evaluate, FindMatrix, Resign
from gammond.protocol.questions.question import MAX_SHORT_PLAYS, Plan, make_work
from gammond.protocol.state.session import Session
from tests.protocol.talking import make_service
from tests.support.boards import position

START, MONEY = Position.start(), MatchState()
WIDE = decode_position_id("BAAAUFKqVKQAAA")
"""A position with more plays of a double than short work ranks."""

AHEAD = position({1: 4, 2: 2}, {19: 5, 20: 5, 21: 4})


def make_session():
    session = Session(make_service(), seed=1)
    session.set_position(START, MONEY)
    return session


def see_quick(session, question):
    """Have a question answered until it is seen to be quick."""
    work = make_work(session, question, lambda *_: [], lambda control: SearchWatch())
    for _ in range(200):
        work.run(WorkControl())
        if question.plan(session).is_quick:
            return question.plan(session)
    raise AssertionError("it stays slow")


@pytest.mark.parametrize(
    "question",
    [
        Evaluate(START, MONEY, EvalSettings()),
        DecideCube(START, MONEY, EvalSettings()),
        Resign(START, MONEY, EvalSettings()),
        Rank(START, MONEY, EvalSettings(), (3, 1)),
    ],
)
def test_a_question_at_0_ply_is_quick_once_its_kind_was_and_long_where_it_looks_ahead(question):
    session = make_session()
    assert (question.plan(session).is_quick, question.plan(session).is_long) == (False, False)
    assert see_quick(session, question).kept == ()
    deeper = type(question)(START, MONEY, EvalSettings(1), *([(3, 1)] if isinstance(question, Rank) else []))
    assert (deeper.plan(session).is_quick, deeper.plan(session).is_long) == (False, True)


def test_rankings_of_many_plays_are_no_quick_work_and_of_very_many_long():
    session = make_session()
    few, many = (Rank(WIDE, MONEY, EvalSettings(), roll) for roll in ((2, 1), (1, 1)))
    see_quick(session, Rank(START, MONEY, EvalSettings(), (3, 1)))
    assert many.plan(session).size > MAX_SHORT_PLAYS
    assert (many.plan(session).is_quick, many.plan(session).is_long) == (False, True)
    assert not few.plan(session).is_long


def test_questions_of_one_kind_and_position_differ_by_what_they_ask():
    session = make_session()
    evaluated = Evaluate(START, MONEY, EvalSettings()).plan(session).kind
    decided = DecideCube(START, MONEY, EvalSettings()).plan(session).kind
    assert evaluated != decided == Resign(START, MONEY, EvalSettings(), kind=2).plan(session).kind


def test_a_matrix_is_long_at_any_depth():
    assert FindMatrix(START, MONEY, EvalSettings(), away=3).plan(make_session()) == Plan(
        "matrix", is_long=True
    )


def test_a_beaver_is_no_question_that_others_ask():
    assert ChooseResponse(AHEAD, MONEY).asks == (None,)
    assert ChooseResponse(AHEAD, MONEY, is_beaver=True).asks == ()

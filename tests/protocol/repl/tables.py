"""Tables for tests of the REPL: a session with a small fixed judge and scripted dice."""

from __future__ import annotations

from engine.dice import ScriptedDice
from engine.errors import DataFileError
from engine.match import MatchState
from protocol.repl.game import Game
from protocol.repl.talk import Talk
from protocol.repl.writing import ERROR_MARK
from protocol.requests import Control
from protocol.service import Judges, Service
from protocol.session import Session
from tests.protocol.talking import SEED, make_service


def make_session(rolls=(), judge=None):
    """Make a session with the evaluator ``racing`` or a given one, and dice that show the rolls, if any."""
    session = Session(make_service(judge), SEED)
    if rolls:
        session.dice = ScriptedDice(rolls)
    return session


def make_talk(*lines, rolls=(), judge=None):
    """Make a talk in which lines have been said; none of them may have failed."""
    talk = Talk(make_session(rolls, judge))
    for line in lines:
        answer = talk.answer(line)
        assert not any(text.startswith(ERROR_MARK) for text in answer), answer
    return talk


def game_at(board, *, rolls=(), judge=None, **match):
    """A game against the engine, taken up from a position by the seat on roll."""
    session = make_session(rolls, judge)
    session.set_position(board, MatchState(**match))
    game = Game(session)
    game.take_up(Control())
    return game


def dealt(*rolls):
    session = make_session(rolls)
    game = Game(session)
    return game, game.deal(Control())


def session_without_nets():
    """Make a session whose evaluator cannot be loaded."""

    def fail(name=None):
        raise DataFileError("the net strong-contact is missing", field="net")

    return Session(Service(Judges("default", fail, fail, fail)), SEED)

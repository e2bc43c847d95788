"""Tables for tests of the REPL: a session with a small fixed judge and scripted dice."""

from __future__ import annotations

from engine.dice import ScriptedDice
from engine.errors import DataFileError
from protocol.repl.talk import Talk
from protocol.repl.writing import ERROR_MARK
from protocol.service import Judges, Service
from protocol.session import Session
from tests.protocol.talking import SEED, make_service


def make_session(rolls=()):
    """Make a session with the evaluator ``racing``; its dice show the rolls if any are given."""
    session = Session(make_service(), SEED)
    if rolls:
        session.dice = ScriptedDice(rolls)
    return session


def make_talk(*lines, rolls=()):
    """Make a talk in which lines have been said; none of them may have failed."""
    talk = Talk(make_session(rolls))
    for line in lines:
        answer = talk.answer(line)
        assert not any(text.startswith(ERROR_MARK) for text in answer), answer
    return talk


def session_without_nets():
    """Make a session whose evaluator cannot be loaded."""

    def fail(name=None):
        raise DataFileError("the net td128-contact is missing", field="net")

    return Session(Service(Judges("default", fail, fail, fail)), SEED)

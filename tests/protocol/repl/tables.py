"""Tables for tests of the REPL: a session with a small fixed evaluator and scripted dice."""

from __future__ import annotations

from gammond.engine.errors import DataFileError
from gammond.engine.rules.match import MatchState
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import ERROR_MARK
from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from gammond.protocol.repl.game.games import play_from_here, start_game
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.terminal.prompt_loop import keep_game
from gammond.protocol.state.service import EngineCatalogue, Service
from gammond.protocol.state.session import Session
from tests.protocol.talking import SEED, make_service


class ScriptedDice:
    """Dice that show given rolls in order."""

    def __init__(self, rolls):
        self._rolls = iter(rolls)

    def roll(self):
        """Return the next roll."""
        return next(self._rolls)


def make_session(rolls=(), evaluator=None):
    """Make a session with the evaluator ``racing`` or a given one, and dice that show the rolls, if any."""
    session = Session(make_service(evaluator), SEED)
    if rolls:
        session.dice = ScriptedDice(rolls)
    return session


def make_talk(*lines, rolls=(), evaluator=None):
    """Make a talk in which lines have been said; none of them may have failed."""
    talk = LineInterpreter(make_session(rolls, evaluator))
    for line in lines:
        answer = talk.answer(line)
        assert not any(text.startswith(ERROR_MARK) for text in answer), answer
    return talk


def game_at(board, *, rolls=(), evaluator=None, **match):
    """A game against the engine, taken up from a position by the seat on roll."""
    session = make_session(rolls, evaluator)
    session.set_position(board, MatchState(**match))
    game = ReplGame(session)
    play_from_here(game, WorkControl())
    return game


def dealt(*rolls):
    session = make_session(rolls)
    game = ReplGame(session)
    return game, start_game(game, WorkControl())


def answer_and_leave(file, *lines, talk=None):
    """Open a terminal that keeps its game in a file, answer lines and leave; return what was shown."""
    said, talk = [], talk or make_talk()
    with keep_game(talk, file, said.extend) as keep_it:
        for line in lines:
            said += talk.answer(line)
            keep_it()
    return said


def session_without_nets():
    """Make a session whose evaluator cannot be loaded."""

    def fail(name=None):
        raise DataFileError("the net strong-contact is missing", field="net")

    return Session(Service(EngineCatalogue("default", fail, fail, fail)), SEED)

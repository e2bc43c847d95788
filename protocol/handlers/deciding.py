"""Decisions for the player on roll: ``go chequer``, ``go cube``, ``go turn``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.choice import best_play, cube_decision
from engine.dice import Roll
from engine.errors import UnsupportedError
from engine.evaluator import Evaluator
from engine.match import MatchState
from engine.notation import format_moves_plain
from engine.position import Position
from engine.ranking import rank_plays
from protocol.arguments import SHOWN, blaming, parse_choice
from protocol.command import Call
from protocol.errors import CommandError
from protocol.handlers.judging import wanted_plies
from protocol.replies import DECIMALS
from protocol.requests import Answer, Control, Reply, Work
from protocol.session import Session
from protocol.ubgi01 import check_limits

DECISIONS = ("chequer", "cube", "turn")


@dataclass(frozen=True)
class Question:
    """What a decision is about, captured when the request came.

    Attributes:
        position: The checkers, the player on roll first.
        match: Score and cube, as before the roll.
        find_judge: Fetches the evaluator.
    """

    position: Position
    match: MatchState
    find_judge: Callable[[], Evaluator]


def handle_go(call: Call) -> Answer:
    """Decide; a ``go role`` of UBGI 0.1 is the same with limits behind it, which 0 plies never reach."""
    session, what, rest = call.session, call.values["what"], call.values["rest"]
    if what == "role":
        session.speaks_ubgi01 = True
        what, _, limits = (rest or "").partition(" ")
        parse_choice("rest", what, DECISIONS)
        with blaming("rest"):
            check_limits(limits.split())
    elif rest is not None:
        raise CommandError(f"expected nothing after 'go {what}', got {rest[:SHOWN]!r}", field="rest")
    wanted_plies(session)
    return _DECIDERS[what](session)


def _question(session: Session) -> Question:
    position = session.need_game()
    return Question(position, replace(session.game.match, roll=None), session.judge_source())


def _go_chequer(session: Session) -> Work:
    question = _question(session)
    _, roll = session.need_roll()

    def run(_: Control) -> list[Reply]:
        info, payload = _best_play(question, roll)
        return [info, Reply("bestmove", payload)]

    return Work(run)


def _go_cube(session: Session) -> Work:
    question = _question(session)
    _check_no_double(question.match)
    return Work(lambda _: [Reply("bestcube", _cube_word(question))])


def _go_turn(session: Session) -> Work:
    question = _question(session)
    _, roll = session.need_roll()
    _check_no_double(question.match)

    def run(_: Control) -> list[Reply]:
        info, payload = _best_play(question, roll)
        return [info, Reply("bestturn", f"cube={_cube_word(question)} move={payload}")]

    return Work(run)


_DECIDERS: dict[str, Callable[[Session], Work]] = {
    "chequer": _go_chequer,
    "cube": _go_cube,
    "turn": _go_turn,
}


def _check_no_double(match: MatchState) -> None:
    if match.doubled:
        raise UnsupportedError("'go' decides for the player on roll, not whether to take", field="what")


def _best_play(question: Question, roll: Roll) -> tuple[Reply, str]:
    ranked = rank_plays(question.find_judge(), question.position, roll)
    best = best_play(ranked, question.match)
    payload = format_moves_plain(best.play)
    info = (
        f"depth {best.plies + 1} nodes {len(ranked)} multipv 1 score {best.equity:.{DECIMALS}f} pv {payload}"
    )
    return Reply("info", info, is_final=False), payload


def _cube_word(question: Question) -> str:
    if not question.match.may_double(question.match.on_roll):
        return "nodouble"
    decision = cube_decision(question.find_judge(), question.position, question.match)
    return "double" if decision.should_double else "nodouble"

"""Decisions for the player who is to act: ``go chequer``, ``go cube``, ``go turn``, ``go take``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.choice import Choice, Chooser
from engine.cubeful import Response
from engine.dice import Roll
from engine.errors import StateError
from engine.levels import Depth
from engine.match import MatchState
from engine.notation import format_moves_plain
from engine.position import Position
from engine.search import MAX_PLIES, SearchWatch
from protocol.arguments import parse_choice
from protocol.command import Call
from protocol.errors import CommandError
from protocol.handlers.cubes import RESPONSE_WORDS
from protocol.handlers.go_limits import GoLimits, read_limits
from protocol.handlers.watching import choice_text, search_watch
from protocol.players import OWN
from protocol.requests import Answer, Control, Reply, Work
from protocol.session import Session

DECISIONS = ("chequer", "cube", "turn", "take")

ROLE = "role"
"""The word that begins the form of UBGI 0.1."""


@dataclass(frozen=True)
class GoQuestion:
    """What a decision is about, captured when the request came.

    Attributes:
        position: The checkers, those of the seat on roll first.
        match: The match state; for a play and a double as before the roll.
        depth: How deep to look.
        find_chooser: Fetches who decides.
        clock: Seconds.
        asked_s: When the request came, by the clock.
        deadline_s: When it is to be answered, by the clock; None for no end.
        may_differ: Whether the choice need not be the play that a search of the evaluator finds best: the
            level errs, or another player chooses.
        is_long: Whether it takes longer than one look.
    """

    position: Position
    match: MatchState
    depth: Depth
    find_chooser: Callable[[], Chooser]
    clock: Callable[[], float]
    asked_s: float
    deadline_s: float | None
    may_differ: bool
    is_long: bool

    def watch(self, control: Control, share: float = 1.0) -> SearchWatch:
        """Make the watch of a search that may take a share of the time."""
        deadline_s = self.deadline_s
        if deadline_s is not None:
            deadline_s -= (1.0 - share) * (deadline_s - self.asked_s)
        from_plies = MAX_PLIES + 1 if self.may_differ else 0
        return search_watch(control, deadline_s, self.clock, from_plies=from_plies)


def handle_go(call: Call) -> Answer:
    """Decide, within the limits that stand behind the question."""
    session, what, rest = call.session, call.values["what"], call.values["limits"] or ""
    is_role = what == ROLE
    if is_role:
        session.speaks_ubgi01 = True
        what, _, rest = rest.partition(" ")
        if not what:
            raise CommandError(
                f"expected 'go role {'|'.join(DECISIONS)}', got nothing after 'role'", field="what"
            )
        parse_choice("what", what, DECISIONS)
    question = _question(session, what, read_limits(rest.split(), is_role=is_role))
    return _DECIDERS[what](session, question)


def _question(session: Session, what: str, limits: GoLimits) -> GoQuestion:
    """Capture what a decision is about, once it is sure that it can be asked for."""
    position, match, before = session.need_game(), session.game.match, session.match_to_judge()
    session.need_engine()
    if match.resigned:
        raise StateError("a resignation waits: 'play accept' or 'play reject' answers it", field="what")
    if match.doubled and what != "take":
        raise StateError("a double waits: 'go take' decides about it", field="what")
    if not match.doubled and what == "take":
        raise StateError("no double waits for an answer: 'play double' offers one", field="what")
    if what != "chequer":
        session.need_usual_doubles("the cube is decided about")
    engine, clock = session.engine, session.service.clock
    depth, is_own, asked_s = limits.depth(session), engine.player == OWN, clock()
    return GoQuestion(
        position,
        match.without_offers() if what == "take" else before,
        depth,
        session.chooser_source(depth),
        clock,
        asked_s,
        None if limits.movetime_s is None else asked_s + limits.movetime_s,
        may_differ=engine.noise > 0 or not is_own,
        is_long=depth.plies > 0 or (not is_own and session.service.players.looks_ahead(engine.player)),
    )


def _go_chequer(session: Session, question: GoQuestion) -> Work:
    _, roll = session.need_roll()

    def run(control: Control) -> list[Reply]:
        choice = _play(question, roll, control)
        return [*_choice_info(question, choice), Reply("bestmove", format_moves_plain(choice.play.play))]

    return _work(question, run)


def _go_cube(_: Session, question: GoQuestion) -> Work:
    def run(control: Control) -> list[Reply]:
        return [Reply("bestcube", _cube_word(question, question.watch(control)))]

    return _work(question, run)


def _go_turn(session: Session, question: GoQuestion) -> Work:
    _, roll = session.need_roll()

    def run(control: Control) -> list[Reply]:
        cube = _cube_word(question, question.watch(control, share=0.5))
        choice = _play(question, roll, control)
        text = f"cube={cube} move={format_moves_plain(choice.play.play)}"
        return [*_choice_info(question, choice), Reply("bestturn", text)]

    return _work(question, run)


def _go_take(session: Session, question: GoQuestion) -> Work:
    is_beavered = session.game.match.beavered

    def run(control: Control) -> list[Reply]:
        chooser, watch = question.find_chooser(), question.watch(control)
        if is_beavered:
            takes = chooser.takes_beaver(question.position, question.match, watch)
            return [Reply("besttake", RESPONSE_WORDS[Response.TAKE if takes else Response.PASS])]
        return [Reply("besttake", RESPONSE_WORDS[chooser.response(question.position, question.match, watch)])]

    return _work(question, run)


_DECIDERS: dict[str, Callable[[Session, GoQuestion], Work]] = {
    "chequer": _go_chequer,
    "cube": _go_cube,
    "turn": _go_turn,
    "take": _go_take,
}


def _work(question: GoQuestion, run: Callable[[Control], list[Reply]]) -> Work:
    return Work(run, is_long=question.is_long, deadline_s=question.deadline_s)


def _play(question: GoQuestion, roll: Roll, control: Control) -> Choice:
    chooser = question.find_chooser()
    return chooser.play(question.position, roll, question.match, question.watch(control))


def _choice_info(question: GoQuestion, choice: Choice) -> list[Reply]:
    """Tell about a choice that need not be the search's; of others the search told when it found it."""
    if not question.may_differ:
        return []
    play, ranked = choice.play, choice.ranked
    text = choice_text(play.plies, ranked.nodes, ranked.elapsed_s, play.play, play.score)
    return [Reply("info", text, is_final=False)]


def _cube_word(question: GoQuestion, watch: SearchWatch) -> str:
    doubles = question.find_chooser().doubles(question.position, question.match, watch)
    return "double" if doubles else "nodouble"

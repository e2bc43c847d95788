"""What a question is, how the work on it is planned, and how a session has it done."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, Generic, TypeVar

import msgspec

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.engine_store import KeptAnalysis
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import estimate_plays
from gammond.engine.rules.position import Position
from gammond.engine.search import SearchWatch
from gammond.protocol.core.requests import AnyReply, Work, WorkControl
from gammond.protocol.state.session import Session

MAX_QUICK_PLAYS = 128
"""Maximum estimate of the plays of a roll that are listed in the thread that serves clients: 1 ms or 2."""

MAX_SHORT_PLAYS = 1024
"""Maximum estimate of the plays that short work lists or ranks at 0-ply; some 10 ms."""

DECISION_SIZE = 15
"""The size (`Work.size`) of a decision at 0-ply that shows one play."""

ResultT = TypeVar("ResultT")


class Plan(msgspec.Struct, frozen=True):
    """How the work on a question is done.

    Attributes:
        kind: Its kind, as `Service.time_evaluation` takes it.
        is_long: As for `Work`.
        is_quick: As for `Work`.
        size: As for `Work`.
        kept: The analysis that answers it, if that is kept and giving it was seen to be quick.
    """

    kind: Hashable
    is_long: bool = True
    is_quick: bool = False
    size: int = 1
    kept: KeptAnalysis | None = None


class EngineQuestion(msgspec.Struct, Generic[ResultT], frozen=True):
    """What is asked of an engine: all that shapes the answer, but for the engine itself.

    Attributes:
        position: The checkers, those of the seat on roll first.
        match: The match state before the roll and without offers.
        settings: Depth and cube, filter and number of candidates.
        roll: The dice, to ask about their plays; None to ask about the position.
    """

    what: ClassVar[str]
    """What is asked for, for `make_kind`."""

    position: Position
    match: MatchState
    settings: EvalSettings
    roll: Roll | None = None

    @property
    def searched_match(self) -> MatchState:
        """The match state that is searched."""
        return self.match

    def plan(self, session: Session) -> Plan:
        """Return how it is answered for a session, with the engine of its settings and rules.

        That is at once where the answer is kept, or at 0-ply where there are few plays.
        """
        position, match, settings, roll = self.position, self.searched_match, self.settings, self.roll
        kind = make_kind(self.what, match, settings)
        kept = session.recall(kind, position, match, settings, roll)
        plays = 0 if roll is None else estimate_plays(position, roll)
        is_deep = settings.plies > 0 and kept is None
        is_quick = not is_deep and plays <= MAX_QUICK_PLAYS
        return Plan(
            kind,
            is_deep or plays > MAX_SHORT_PLAYS,
            is_quick and (kept is not None or session.find_quick_engine(kind) is not None),
            DECISION_SIZE + plays,
            kept,
        )

    def run(self, engine: Engine, watch: SearchWatch) -> ResultT:
        """Answer it.

        Args:
            engine: Evaluates.
            watch: Counts nodes, reports progress, stops the search.

        Raises:
            GammondError: It cannot be answered by the rules of the engine, or was stopped too early.
        """
        raise NotImplementedError


def make_kind(what: str, match: MatchState, settings: EvalSettings) -> Hashable:
    """Return the kind of a question, as `Service.time_evaluation` takes it.

    Of those that look ahead only those that are kept are quick.

    Args:
        what: What is asked for, such as ``plays``.
        match: The match state.
        settings: The settings.
    """
    return what, match.is_money, settings.is_cubeful, settings.plies > 0


def has_few_plays(position: Position, roll: Roll) -> bool:
    """Return whether the plays of a roll are so few that listing or ranking them takes no thread."""
    return estimate_plays(position, roll) <= MAX_QUICK_PLAYS


def make_work(
    session: Session,
    question: EngineQuestion[ResultT],
    write: Callable[[ResultT, Engine, WorkControl], Sequence[AnyReply]],
    make_watch: Callable[[WorkControl], SearchWatch],
    *,
    answer_bytes: int = 1024,
    deadline_s: float | None = None,
) -> Work:
    """Return the work that answers a question with the engine of a session.

    Args:
        session: Who asks, with settings and rules as they are now.
        question: The question.
        write: Writes the result; given also the engine, and the control of the work.
        make_watch: Makes the watch of the search.
        answer_bytes: As for `Work`.
        deadline_s: As for `Work`.
    """
    plan, service, load_engine = question.plan(session), session.service, session.make_engine_loader(None)

    def run(control: WorkControl) -> Sequence[AnyReply]:
        engine = load_engine()
        with service.time_evaluation(engine, plan.kind):
            found = question.run(engine, make_watch(control))
        return write(found, engine, control)

    return Work(
        run,
        is_long=plan.is_long,
        deadline_s=deadline_s,
        is_quick=plan.is_quick,
        size=plan.size,
        answer_bytes=answer_bytes,
        sources=() if plan.kept is None else (plan.kept,),
    )

"""What a question is, how the work on it is planned, and how a session has it done."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
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
from gammond.protocol.core.requests import AnyReply, BatchItem, Work, WorkControl
from gammond.protocol.state.session import Session

MAX_QUICK_PLAYS = 128
"""Maximum estimate of the plays of a roll that are listed in the thread that serves clients: 1 ms or 2."""

MAX_SHORT_PLAYS = 1024
"""Maximum estimate of the plays that short work lists or ranks at 0-ply; some 10 ms."""

DECISION_SIZE = 15
"""The size (`Work.size`) of a decision at 0-ply that shows one play."""

ResultT = TypeVar("ResultT")


EVALUATION = "eval"
"""What is asked for by evaluations, and the kind of all those at 0-ply."""

Asked = tuple[Position, MatchState, EvalSettings, Roll | None]
"""What an engine is to find out: the value of a position, or with a roll its plays."""


class Plan(msgspec.Struct, frozen=True):
    """How work for a session is done.

    Attributes:
        kind: Its kind, as `Service.time_evaluation` takes it.
        is_long: As for `Work`.
        is_quick: As for `Work`.
        size: As for `Work`.
        kept: All analyses that it needs, if these are kept and it was seen to be quick to give them.
        engine: The engine, if nothing is to be searched and it was seen to be quick.
    """

    kind: Hashable
    is_long: bool = True
    is_quick: bool = False
    size: int = 1
    kept: tuple[KeptAnalysis, ...] = ()
    engine: Engine | None = None


def plan_work(
    kind: Hashable, engine: Engine | None, asked: Iterable[Asked], plays: int, size: int, *, is_deep: bool
) -> Plan:
    """Return how work is done: at once where that was seen to be quick, at 0-ply or kept, for few plays.

    Args:
        kind: As `Plan.kind`.
        engine: The engine, if it was seen to be quick at the kind.
        asked: What it is to find out, all of which may be kept.
        plays: About how many plays it is about.
        size: As for `Work`.
        is_deep: Whether it is long unless all of that is kept.
    """
    kept: tuple[KeptAnalysis, ...] = ()
    if is_deep:
        found = [] if engine is None else [engine.recall(*each) for each in asked]
        kept = tuple(each for each in found if each is not None)
        if not kept or len(kept) < len(found):
            return Plan(kind, size=size)
    is_quick = engine is not None and plays <= MAX_QUICK_PLAYS
    return Plan(kind, plays > MAX_SHORT_PLAYS, is_quick, size, kept, engine)


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

    @property
    def kind_of_work(self) -> Hashable:
        """Its kind, as `Service.time_evaluation` takes it."""
        if self.what == EVALUATION and not self.settings.plies:
            return EVALUATION
        return make_kind(self.what, self.match, self.settings)

    def plan(self, session: Session) -> Plan:
        """Return how it is answered for a session, with the engine of its settings and rules."""
        position, settings, roll, kind = self.position, self.settings, self.roll, self.kind_of_work
        engine, plays = session.find_quick_engine(kind), 0 if roll is None else estimate_plays(position, roll)
        is_deep = settings.plies > 0
        asked = ((position, self.searched_match, settings, roll),) if is_deep else ()
        return plan_work(kind, engine, asked, plays, DECISION_SIZE + plays, is_deep=is_deep)

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


def make_work(
    session: Session,
    question: EngineQuestion[ResultT],
    write: Callable[[ResultT, Engine, WorkControl], Sequence[AnyReply]],
    make_watch: Callable[[WorkControl], SearchWatch],
    *,
    make_item: Callable[[Engine], BatchItem] | None = None,
    answer_bytes: int = 1024,
    deadline_s: float | None = None,
) -> Work:
    """Return the work that answers a question with the engine of a session.

    Args:
        session: Who asks, with settings and rules as they are now.
        question: The question.
        write: Writes the result; given also the engine, and the control of the work.
        make_watch: Makes the watch of the search.
        make_item: Returns what answers it together with others, and alone too; None where only `write` does.
        answer_bytes: As for `Work`.
        deadline_s: As for `Work`.
    """
    plan, service, load_engine = question.plan(session), session.service, session.make_engine_loader(None)

    def run(control: WorkControl) -> Sequence[AnyReply]:
        engine = load_engine()
        with service.time_evaluation(engine, plan.kind):
            if make_item is not None:
                return make_item(engine).answer_alone()
            found = question.run(engine, make_watch(control))
        return write(found, engine, control)

    item = None if make_item is None or plan.engine is None else make_item(plan.engine)
    return Work(
        run,
        is_long=plan.is_long,
        deadline_s=deadline_s,
        is_quick=plan.is_quick,
        batch_item=item,
        size=plan.size if make_item is None else 1,
        answer_bytes=answer_bytes,
        sources=plan.kept,
    )

"""What a decider does for the player who is to act: a play, a double, the answer to one, a whole turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import ClassVar, Generic, NamedTuple

import msgspec

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.evaluation.results import CubeResponse
from gammond.engine.play.decider import Decider
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import estimate_plays
from gammond.engine.rules.position import Position
from gammond.engine.search import SearchWatch
from gammond.engine.search.ranked_plays import ChosenPlay
from gammond.protocol.core.requests import AnyReply, Work, WorkControl
from gammond.protocol.questions.question import (
    DECISION_SIZE,
    Plan,
    ResultT,
    make_kind,
    plan_work,
)
from gammond.protocol.state.player_registry import ENGINE_PLAYER
from gammond.protocol.state.session import Session

MakeWatch = Callable[[float], SearchWatch]
"""Makes the watch of a search that may take a share of the time, 0 to 1."""


class Decision(msgspec.Struct, Generic[ResultT], frozen=True):
    """A decision, of which a player may err.

    Attributes:
        position: The checkers, those of the seat on roll first.
        match: The match state before the roll and without offers.
    """

    what: ClassVar[str]
    """What is decided, for `make_kind`."""

    position: Position
    match: MatchState

    @property
    def asks(self) -> tuple[Roll | None, ...]:
        """What is to be known for it: the plays of rolls, and for None the position with its cube.

        Empty for anything else.
        """
        return (None,)

    def plan(self, session: Session, settings: EvalSettings) -> Plan:
        """Return how the player of a session decides.

        Args:
            session: The session.
            settings: How deep its own engine looks; the name of another player says how deep that does.
        """
        player, plays = session.engine_settings.player, 0
        for roll in self.asks:
            plays += 0 if roll is None else estimate_plays(self.position, roll)
        if player != ENGINE_PLAYER:
            is_deep = settings.plies > 0 or session.service.players.uses_look_ahead(player)
            return plan_work(None, None, (), plays, DECISION_SIZE, is_deep=is_deep)
        kind, is_deep = make_kind(self.what, self.match, settings), settings.plies > 0
        asked = (
            (self.position, self.match, settings if roll else replace(settings, is_cubeful=True), roll)
            for roll in self.asks
        )
        return plan_work(kind, session.find_quick_engine(kind), asked, plays, DECISION_SIZE, is_deep=is_deep)

    def run(self, decider: Decider, make_watch: MakeWatch) -> ResultT:
        """Decide.

        Args:
            decider: Who decides.
            make_watch: Makes the watches of its searches.

        Raises:
            GammondError: As the methods of `Decider`.
        """
        raise NotImplementedError


class ChoosePlay(Decision[ChosenPlay], frozen=True):
    """Which play of a roll to make.

    Attributes:
        roll: The dice.
    """

    what = "plays"

    roll: Roll

    @property
    def asks(self) -> tuple[Roll | None, ...]:
        """The plays of the roll."""
        return (self.roll,)

    def run(self, decider: Decider, make_watch: MakeWatch) -> ChosenPlay:
        """Return the play."""
        return decider.choose_play(self.position, self.roll, self.match, make_watch(1.0))


class ChooseDouble(Decision[bool], frozen=True):
    """Whether to double before the roll."""

    what = "cube"

    def run(self, decider: Decider, make_watch: MakeWatch) -> bool:
        """Return whether to double."""
        return decider.should_double(self.position, self.match, make_watch(1.0))


class ChosenTurn(NamedTuple):
    """A whole turn.

    Attributes:
        doubles: Whether to double before the roll.
        choice: The play of the roll, if not.
    """

    doubles: bool
    choice: ChosenPlay


class ChooseTurn(Decision[ChosenTurn], frozen=True):
    """Whether to double before the roll, and which play of it to make if not.

    Attributes:
        roll: The dice.
    """

    what = "turn"

    roll: Roll

    @property
    def asks(self) -> tuple[Roll | None, ...]:
        """The plays of the roll, and the position where the cube can be turned."""
        return (None, self.roll) if self.match.may_double(self.match.on_roll) else (self.roll,)

    def run(self, decider: Decider, make_watch: MakeWatch) -> ChosenTurn:
        """Return the turn; half of the time is for the double."""
        doubles = decider.should_double(self.position, self.match, make_watch(0.5))
        return ChosenTurn(doubles, decider.choose_play(self.position, self.roll, self.match, make_watch(1.0)))


class ChooseResponse(Decision[CubeResponse], frozen=True):
    """How to answer a double of the seat on roll, or of a beaver.

    Attributes:
        is_beaver: Whether it is the seat on roll that answers a beaver.
    """

    what = "cube"

    is_beaver: bool = False

    @property
    def asks(self) -> tuple[Roll | None, ...]:
        """The position; of a beaver nothing that others ask for."""
        return () if self.is_beaver else (None,)

    def run(self, decider: Decider, make_watch: MakeWatch) -> CubeResponse:
        """Return the answer; a beaver is taken or passed."""
        watch = make_watch(1.0)
        if self.is_beaver:
            takes = decider.takes_beaver(self.position, self.match, watch)
            return CubeResponse.TAKE if takes else CubeResponse.PASS
        return decider.choose_response(self.position, self.match, watch)


def make_decision_work(
    session: Session,
    question: Decision[ResultT],
    settings: EvalSettings,
    write: Callable[[ResultT], Sequence[AnyReply]],
    make_watch: Callable[[WorkControl, float], SearchWatch],
    deadline_s: float | None = None,
) -> Work:
    """Return the work of a decision; it is quick at 0-ply by the session's own engine.

    Args:
        session: Who asks, with a player as it is now.
        question: The decision.
        settings: How deep it looks, unless the player's name says.
        write: Writes what is decided.
        make_watch: Makes the watch of a search, as `MakeWatch`.
        deadline_s: As for `Work`.
    """
    plan, load_decider = question.plan(session, settings), session.make_decider_loader(settings)

    def run(control: WorkControl) -> Sequence[AnyReply]:
        decider = load_decider()
        with ExitStack() as stack:
            if plan.engine is not None:
                stack.enter_context(control.take_interpreter())
            stack.enter_context(session.service.time_evaluation(decider.engine, plan.kind))
            return write(question.run(decider, partial(make_watch, control)))

    return Work(run, is_long=plan.is_long, deadline_s=deadline_s, is_quick=plan.is_quick, size=plan.size)

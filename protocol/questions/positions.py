"""Questions about a position before the roll: its value, its cube, a resignation, the score matrix."""

from __future__ import annotations

from typing import NamedTuple

from gammond.engine.analysis.engine import Engine, take_beaver
from gammond.engine.analysis.many_positions import search_score_matrix
from gammond.engine.cubeful import ScoreMatrix, choose_resignation, should_accept_resignation
from gammond.engine.evaluation.results import CubeDecision, CubeResponse, Evaluation
from gammond.engine.rules.match import MatchState
from gammond.engine.search import SearchWatch
from gammond.protocol.questions.question import EVALUATION, EngineQuestion, Plan
from gammond.protocol.state.session import Session


class Evaluate(EngineQuestion[Evaluation], frozen=True):
    """What a position is worth; the game may be over."""

    what = EVALUATION

    def run(self, engine: Engine, watch: SearchWatch) -> Evaluation:
        """Return the evaluation, with the cube decision where the settings are cubeful."""
        return engine.evaluate(self.position, self.match, self.settings, watch)


class DecideCube(Evaluate, frozen=True):
    """Whether to double, and what both answers are worth; the settings are cubeful, and the game goes on."""

    what = "cube"


class CubeAnswer(NamedTuple):
    """How to answer a double or a beaver.

    Attributes:
        response: The answer; a beaver is taken or passed.
        evaluation: The position of the doubler; after a beaver, what playing on is worth to it.
        decision: The decision about the double; None about a beaver.
    """

    response: CubeResponse
    evaluation: Evaluation
    decision: CubeDecision | None = None


class DecideTake(EngineQuestion[CubeAnswer], frozen=True, kw_only=True):
    """How to answer a double of the seat on roll, or of a beaver; the settings are cubeful.

    Attributes:
        is_beaver: Whether it is the seat on roll that answers a beaver. If not, the rules let it double.
    """

    what = "cube"

    is_beaver: bool = False

    @property
    def searched_match(self) -> MatchState:
        """The match state, after a beaver with the cube as if it was taken."""
        return take_beaver(self.match) if self.is_beaver else self.match

    def run(self, engine: Engine, watch: SearchWatch) -> CubeAnswer:
        """Return the answer."""
        if self.is_beaver:
            played_on = engine.evaluate_beaver(self.position, self.match, self.settings, watch)
            response = CubeResponse.TAKE if played_on.equity > -1.0 else CubeResponse.PASS
            return CubeAnswer(response, played_on)
        evaluation = engine.evaluate(self.position, self.match, self.settings, watch)
        decision = evaluation.decision
        assert decision is not None  # the evaluation is cubeful and the game is not over
        assert decision.response is not None  # the rules let the seat on roll double
        return CubeAnswer(decision.response, evaluation, decision)


class Resignation(NamedTuple):
    """What can be resigned, or whether a resignation should be accepted.

    Attributes:
        evaluation: The position of the seat that resigns.
        kind: 1 a single game, 2 a gammon, 3 a backgammon; 0 for nothing that costs nothing to resign.
        is_accepted: Whether the opponent should accept it; None where nobody named the kind.
    """

    evaluation: Evaluation
    kind: int
    is_accepted: bool | None = None


class Resign(EngineQuestion[Resignation], frozen=True, kw_only=True):
    """What the seat on roll can resign, or whether the opponent should accept what it resigns.

    Attributes:
        kind: The resignation to decide about, as `Resignation.kind`; None to find one.
    """

    what = "cube"

    kind: int | None = None

    def run(self, engine: Engine, watch: SearchWatch) -> Resignation:
        """Return the resignation."""
        evaluation = engine.evaluate(self.position, self.match, self.settings, watch)
        value, game = evaluation.mwc_or_equity, engine.make_cube_game(self.match)
        if self.kind is None:
            return Resignation(evaluation, choose_resignation(value, game))
        return Resignation(evaluation, self.kind, should_accept_resignation(value, self.kind, game))


class FindMatrix(EngineQuestion[tuple[ScoreMatrix, bool]], frozen=True, kw_only=True):
    """The cube decision at every score; the match state counts for nothing.

    Attributes:
        away: The largest number of points away.
        cube: Value of the cube; above 1 the seat on roll owns it.
    """

    what = "matrix"

    away: int
    cube: int = 1

    def plan(self, session: Session) -> Plan:
        """Return that the work on it is long at any depth."""
        return Plan(self.what)

    def run(self, engine: Engine, watch: SearchWatch) -> tuple[ScoreMatrix, bool]:
        """Return the decisions, and whether all of them were kept.

        Raises:
            CancelledWork: The watch stopped it.
        """
        watch.begin_depth(self.settings.plies)
        return search_score_matrix(
            engine, self.position, self.away, cube=self.cube, settings=self.settings, watch=watch
        )

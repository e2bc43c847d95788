"""What people ask of rollouts, in one piece: the plays of a roll, a position or a cube decision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.cubeful import CubeStateSpace
from engine.errors import StateError, ValueRangeError
from engine.rollout.cube_decisions import CubeRollout, roll_out_cube
from engine.rollout.decisions import (
    PlayRollout,
    make_scoring_after_plays,
    make_scoring_before_roll,
    roll_out_plays,
    roll_out_position,
)
from engine.rollout.results import RolloutEstimate, RolloutState
from engine.rollout.runner import Rollout, RolloutProgressCallback
from engine.rollout.settings import RolloutSettings
from engine.rollout.trial_scoring import TrialScoring
from engine.rules.dice import Roll
from engine.rules.match import MatchState
from engine.rules.moves import Play
from engine.rules.position import Position
from engine.search.cubeful_objective import make_dead_cube_game

MOVES, POSITION, CUBE = KINDS = ("moves", "position", "cube")

DEFAULT_CANDIDATES = 5


def default_kind(roll: Roll | None) -> str:
    """Say what is rolled out unless told otherwise: the plays where there are dice, else the position."""
    return POSITION if roll is None else MOVES


@dataclass(frozen=True)
class RolloutRequest:
    """What is rolled out.

    Attributes:
        kind: One of `KINDS`.
        position: The checkers, those of the player on roll first.
        match: Score and cube, before the roll and without offers.
        roll: The dice that are played; None unless ``kind`` is ``moves``.
        is_cubeful: Whether the cube is turned; for ``cube`` it is.
        candidates: How many plays of ``moves`` are rolled out at most: the best at 0 plies.
        plies: Look-ahead of plays and doubles.
        leaf_plies: Look-ahead of the values at the truncation.
    """

    kind: str
    position: Position
    match: MatchState
    roll: Roll | None = None
    is_cubeful: bool = True
    candidates: int = DEFAULT_CANDIDATES
    plies: int = 0
    leaf_plies: int = 0

    def __post_init__(self) -> None:
        """Check that it can be asked.

        Raises:
            ValueRangeError: There is no such kind, a number is out of range, or a cube decision is asked for
                without the cube.
            StateError: Plays are asked for without dice.
        """
        if self.kind not in KINDS:
            raise ValueRangeError(f"expected one of {'|'.join(KINDS)}, got {self.kind!r}", field="what")
        if self.kind == MOVES and self.roll is None:
            raise StateError("expected dice to roll out plays, got none", field="dice")
        if self.kind == CUBE and not self.is_cubeful:
            raise ValueRangeError("a cube decision is not rolled out without the cube", field="cubeful")
        if self.candidates < 1:
            raise ValueRangeError(f"candidates are 1 or more, not {self.candidates}", field="candidates")
        for plies in (self.plies, self.leaf_plies):
            EvalSettings(plies)

    @property
    def max_starts(self) -> int:
        """From how many positions games are played, at most."""
        return {MOVES: self.candidates, POSITION: 1, CUBE: 2}[self.kind]

    def make_cube_game(self, engine: Engine) -> CubeStateSpace | None:
        """Lay out the cube, as the player on roll sees it; None for money play without one."""
        if self.is_cubeful:
            return engine.make_cube_game(self.match)
        return None if self.match.is_money else make_dead_cube_game(self.match, engine.table)


@dataclass(frozen=True)
class RolloutResult:
    """What a rollout found.

    Attributes:
        request: What was asked.
        results: The plays, best first; or the position; or the cube decision.
        rollout: The rollout.
        space: The cube, as the player on roll sees it; None for money play without one.
        plies: How deep plays and doubles were judged.
        evaluator_name: The evaluator's name.
    """

    request: RolloutRequest
    results: list[PlayRollout] | RolloutEstimate | CubeRollout
    rollout: Rollout
    space: CubeStateSpace | None
    plies: int
    evaluator_name: str

    @property
    def trials(self) -> int:
        """The most trials that anything got."""
        return max(map(len, self.rollout.state.scores))


class PreparedRollout:
    """A rollout that can begin: the judges are found, and the plays are chosen.

    Args:
        request: What is rolled out.
        engine: Who judges and chooses the plays.
        settings: How it is rolled out.
        cancelled: As `roll_out`.

    Attributes:
        plays: The plays that are rolled out, in the order of the rollout's starts; none but for ``moves``.
        scoring: What the scores are.

    Raises:
        StateError: The game is over, so that there are no plays.
    """

    def __init__(
        self,
        request: RolloutRequest,
        engine: Engine,
        settings: RolloutSettings,
        cancelled: Callable[[], bool],
    ) -> None:
        self._request = request
        self._engine = engine
        self._settings = settings
        self._cancelled = cancelled
        self._evaluators = engine.rollout_evaluators(
            request.plies, request.leaf_plies, request.plies, cancelled
        )
        self._game = request.make_cube_game(engine)
        after_plays = request.kind == MOVES
        self.plays: list[Play] = self._choose_candidates() if after_plays else []
        self.scoring: TrialScoring = (make_scoring_after_plays if after_plays else make_scoring_before_roll)(
            self._game
        )

    def run(
        self, resume: RolloutState | None = None, progress: RolloutProgressCallback | None = None
    ) -> RolloutResult:
        """Roll out.

        Args:
            resume: As `roll_out`.
            progress: As there.

        Raises:
            GammondError: As `roll_out_plays`, `roll_out_position` and `roll_out_cube`.
        """
        rows, rollout = self._roll_out(resume, progress)
        plies = self._engine.evaluator.plies + self._request.plies
        return RolloutResult(self._request, rows, rollout, self._game, plies, self._engine.name)

    def _roll_out(
        self, resume: RolloutState | None, progress: RolloutProgressCallback | None
    ) -> tuple[list[PlayRollout] | RolloutEstimate | CubeRollout, Rollout]:
        question, judges, settings, game = self._request, self._evaluators, self._settings, self._game
        cancelled = self._cancelled
        if question.kind == MOVES and question.roll is not None:
            return roll_out_plays(
                question.position,
                question.roll,
                judges,
                settings,
                plays=self.plays,
                space=game,
                resume=resume,
                progress=progress,
                cancelled=cancelled,
            )
        if question.kind == CUBE and game is not None:
            rolled = roll_out_cube(
                question.position,
                game,
                judges,
                settings,
                resume=resume,
                progress=progress,
                cancelled=cancelled,
            )
            return rolled, rolled.rollout
        return roll_out_position(
            question.position,
            judges,
            settings,
            space=game,
            resume=resume,
            progress=progress,
            cancelled=cancelled,
        )

    def _choose_candidates(self) -> list[Play]:
        question = self._request
        assert question.roll is not None  # the question was checked
        depth = EvalSettings(0, is_cubeful=question.is_cubeful)
        ranked = self._engine.rank_plays(question.position, question.roll, question.match, depth)
        return [judged.play for judged in ranked.plays[: question.candidates]]

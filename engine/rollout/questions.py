"""What people ask of rollouts, in one piece: the plays of a roll, a position or a cube decision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.analyst import Analyst
from engine.cubeful import CubeGame
from engine.dice import Roll
from engine.errors import StateError, ValueRangeError
from engine.levels import Depth
from engine.match import MatchState
from engine.moves import Play
from engine.position import Position
from engine.rollout.cube_decisions import RolledOutCube, roll_out_cube
from engine.rollout.decisions import (
    RolledOutPlay,
    roll_out_plays,
    roll_out_position,
    scoring_after_plays,
    scoring_before_roll,
)
from engine.rollout.results import Estimate, RolloutState
from engine.rollout.running import Progress, Rollout
from engine.rollout.scoring import Scoring
from engine.rollout.settings import RolloutSettings
from engine.search.cubeful import resting_cube

MOVES, POSITION, CUBE = KINDS = ("moves", "position", "cube")

USUAL_CANDIDATES = 5


def usual_kind(roll: Roll | None) -> str:
    """Say what is rolled out unless told otherwise: the plays where there are dice, else the position."""
    return POSITION if roll is None else MOVES


@dataclass(frozen=True)
class RolloutQuestion:
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
    candidates: int = USUAL_CANDIDATES
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
            Depth(plies)

    @property
    def starts(self) -> int:
        """From how many positions games are played, at most."""
        return {MOVES: self.candidates, POSITION: 1, CUBE: 2}[self.kind]

    def game(self, analyst: Analyst) -> CubeGame | None:
        """Lay out the cube, as the player on roll sees it; None for money play without one."""
        if self.is_cubeful:
            return analyst.cube_game(self.match)
        return None if self.match.is_money else resting_cube(self.match, analyst.table)


@dataclass(frozen=True)
class RolloutAnswer:
    """What a rollout found.

    Attributes:
        question: What was asked.
        rows: The plays, best first; or the position; or the cube decision.
        rollout: The rollout.
        game: The cube, as the player on roll sees it; None for money play without one.
        plies: How deep plays and doubles were judged.
        net: The evaluator's name.
    """

    question: RolloutQuestion
    rows: list[RolledOutPlay] | Estimate | RolledOutCube
    rollout: Rollout
    game: CubeGame | None
    plies: int
    net: str

    @property
    def trials(self) -> int:
        """The most trials that anything got."""
        return max(map(len, self.rollout.state.scores))


class PreparedRollout:
    """A rollout that can begin: the judges are found, and the plays are chosen.

    Args:
        question: What is rolled out.
        analyst: Who judges and chooses the plays.
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
        question: RolloutQuestion,
        analyst: Analyst,
        settings: RolloutSettings,
        cancelled: Callable[[], bool],
    ) -> None:
        self._question = question
        self._analyst = analyst
        self._settings = settings
        self._cancelled = cancelled
        self._judges = analyst.rollout_judges(question.plies, question.leaf_plies, question.plies, cancelled)
        self._game = question.game(analyst)
        after_plays = question.kind == MOVES
        self.plays: list[Play] = self._candidates() if after_plays else []
        self.scoring: Scoring = (scoring_after_plays if after_plays else scoring_before_roll)(self._game)

    def run(self, resume: RolloutState | None = None, progress: Progress | None = None) -> RolloutAnswer:
        """Roll out.

        Args:
            resume: As `roll_out`.
            progress: As there.

        Raises:
            GammondError: As `roll_out_plays`, `roll_out_position` and `roll_out_cube`.
        """
        rows, rollout = self._rolled_out(resume, progress)
        plies = self._analyst.evaluator.plies + self._question.plies
        return RolloutAnswer(self._question, rows, rollout, self._game, plies, self._analyst.name)

    def _rolled_out(
        self, resume: RolloutState | None, progress: Progress | None
    ) -> tuple[list[RolledOutPlay] | Estimate | RolledOutCube, Rollout]:
        question, judges, settings, game = self._question, self._judges, self._settings, self._game
        cancelled = self._cancelled
        if question.kind == MOVES and question.roll is not None:
            return roll_out_plays(
                question.position,
                question.roll,
                judges,
                settings,
                plays=self.plays,
                game=game,
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
            game=game,
            resume=resume,
            progress=progress,
            cancelled=cancelled,
        )

    def _candidates(self) -> list[Play]:
        question = self._question
        assert question.roll is not None  # the question was checked
        depth = Depth(0, is_cubeful=question.is_cubeful)
        ranked = self._analyst.rank_plays(question.position, question.roll, question.match, depth)
        return [judged.play for judged in ranked.plays[: question.candidates]]

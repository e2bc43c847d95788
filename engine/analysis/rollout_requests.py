"""Requests for rollouts: of the plays of a roll, a position or a cube decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import DEFAULT_CANDIDATES, EvalSettings
from gammond.engine.cubeful import CUBELESS_GAME, CubeGame, make_dead_cube_game
from gammond.engine.errors import GammondError, PlayError, StateError, ValueRangeError
from gammond.engine.evaluation.pruning import EvaluatorPruner, ShortlistPruner
from gammond.engine.evaluation.results import Evaluation, RankedPlay
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.engine.rollout import RolloutEvaluators
from gammond.engine.rollout.decisions import CubeRollout, roll_out_cube, roll_out_plays, roll_out_position
from gammond.engine.rollout.results import RolloutState
from gammond.engine.rollout.runner import BlockPlayer, Rollout, RolloutHandling, RolloutProgressCallback
from gammond.engine.rollout.settings import RolloutSettings
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import Play
from gammond.engine.rules.notation import parse_play
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES, Feature, Rules
from gammond.engine.search.tree import check_plies


def make_rollout_evaluators(
    engine: Engine,
    plies: int = 0,
    leaf_plies: int = 0,
    cancelled: Callable[[], bool] | None = None,
) -> RolloutEvaluators:
    """Make the evaluators of rollouts; luck is measured at 0-ply.

    Args:
        engine: Evaluates.
        plies: Look-ahead for checker plays and cube decisions.
        leaf_plies: Look-ahead for the values at the truncation.
        cancelled: Stops the rollout, and its searches.

    Raises:
        ValueRangeError: Plies are out of range.
        UnsupportedError: The rules do not support evaluation.
    """
    engine.rules.check_supports(Feature.EVALUATION)
    cheap = engine.policy or EvaluatorPruner(engine.evaluator)
    policy = cheap
    deep = engine.make_n_ply_evaluator(plies, cancelled)
    if plies:
        policy = ShortlistPruner(engine.pruner or cheap, deep)
    return RolloutEvaluators(
        policy,
        engine.make_n_ply_evaluator(leaf_plies, cancelled),
        luck=engine.evaluator,
        luck_policy=cheap,
        cube=deep,
        exact_cubeful=engine.exact,
    )


MOVES, POSITION, CUBE = KINDS = ("moves", "position", "cube")


def default_kind(roll: Roll | None) -> str:
    """Return the kind of a request that names none: plays with dice, else the position."""
    return POSITION if roll is None else MOVES


def parse_candidates(
    texts: Sequence[str], position: Position, roll: Roll, rules: Rules = STANDARD_RULES
) -> tuple[Play, ...]:
    """Parse the plays that a request for a rollout names.

    Args:
        texts: The plays, in the numbering of the player on roll.
        position: The position, the player on roll to move.
        roll: The dice.
        rules: The rules of the game.

    Raises:
        FormatError: A text is not a play.
        PlayError: A play is not legal with the roll, or leads to the same position as one before it.
        GammondError: All have the field ``play``.
    """
    named: dict[Position, str] = {}
    plays = []
    for text in texts:
        try:
            play = parse_play(text, position, roll, rules)
        except GammondError as error:
            raise type(error)(f"{text[:MAX_QUOTED_CHARS]!r}: {error.message}", field="play") from None
        if (earlier := named.setdefault(play.result, text)) is not text:
            raise PlayError(
                f"expected plays that differ, {text[:MAX_QUOTED_CHARS]!r} leads to the same position as "
                f"{earlier[:MAX_QUOTED_CHARS]!r}",
                field="play",
            )
        plays.append(play)
    return tuple(plays)


@dataclass(frozen=True)
class RolloutRequest:
    """A request for a rollout.

    Attributes:
        kind: One of `KINDS`.
        position: The checkers, those of the player on roll first.
        match: Score and cube, before the roll and without offers.
        roll: The dice; None unless ``kind`` is ``moves``.
        is_cubeful: Whether the players turn the cube; always for ``cube``.
        candidates: Maximum number of plays rolled out for ``moves`` beside those named: the best at 0-ply.
            None for `DEFAULT_CANDIDATES`, or for none where plays are named.
        plays: The plays named, for ``moves``; they are all rolled out.
        plies: Look-ahead for checker plays and cube decisions.
        leaf_plies: Look-ahead for the values at the truncation.
    """

    kind: str
    position: Position
    match: MatchState
    roll: Roll | None = None
    is_cubeful: bool = True
    candidates: int | None = None
    plays: tuple[Play, ...] = ()
    plies: int = 0
    leaf_plies: int = 0

    def __post_init__(self) -> None:
        """Check the request.

        Raises:
            ValueRangeError: The kind is unknown, a number is out of range, or a cube decision is requested
                without the cube.
            StateError: Plays are requested without dice.
        """
        if self.kind not in KINDS:
            raise ValueRangeError(f"expected one of {'|'.join(KINDS)}, got {self.kind!r}", field="what")
        if self.kind == MOVES and self.roll is None:
            raise StateError("expected dice to roll out plays, got none", field="dice")
        if self.kind == CUBE and not self.is_cubeful:
            raise ValueRangeError(
                "expected the cube for a rollout of a cube decision, got a cubeless request", field="cubeful"
            )
        if self.plays and self.kind != MOVES:
            raise ValueRangeError(
                f"expected no plays for a rollout of the {self.kind}, got {len(self.plays)}", field="play"
            )
        if self.candidates is not None and self.candidates < 1:
            raise ValueRangeError(f"expected 1 candidate or more, got {self.candidates}", field="candidates")
        for plies in (self.plies, self.leaf_plies):
            check_plies(plies)

    @property
    def best_plays(self) -> int:
        """Maximum number of plays rolled out because they are the best at 0-ply."""
        if self.candidates is not None:
            return self.candidates
        return 0 if self.plays else DEFAULT_CANDIDATES

    @property
    def max_starts(self) -> int:
        """Maximum number of positions that trials start from."""
        return {MOVES: len(self.plays) + self.best_plays, POSITION: 1, CUBE: 2}[self.kind]

    def make_cube_game(self, engine: Engine) -> CubeGame:
        """Make the game, seen by the player on roll."""
        if self.is_cubeful:
            return engine.make_cube_game(self.match)
        return CUBELESS_GAME if self.match.is_money else make_dead_cube_game(self.match, engine.table)


@dataclass(frozen=True)
class RolloutResult:
    """The result of a rollout.

    Attributes:
        request: The request.
        results: The plays, best first; or the position; or the cube decision.
        rollout: The rollout.
        game: The game, seen by the player on roll.
        plies: Plies of look-ahead for checker plays and cube decisions.
        evaluator_name: The evaluator's name.
    """

    request: RolloutRequest
    results: list[RankedPlay] | Evaluation | CubeRollout
    rollout: Rollout
    game: CubeGame
    plies: int
    evaluator_name: str

    @property
    def trials(self) -> int:
        """Number of trials of the start with the most."""
        return max(map(len, self.rollout.state.scores))


class PreparedRollout:
    """A rollout that is ready to run: its evaluators are made, and its plays chosen.

    Args:
        request: The request.
        engine: Evaluates, and chooses the plays.
        settings: Settings of the rollout.
        cancelled: As for `gammond.engine.rollout.roll_out`.

    Attributes:
        request: As given.
        plays: The plays to roll out, in the order of the rollout's starts; empty except for ``moves``.
        game: The game, seen by the side on roll at the starts.

    Raises:
        StateError: The game is over, so there are no plays.
    """

    def __init__(
        self,
        request: RolloutRequest,
        engine: Engine,
        settings: RolloutSettings,
        cancelled: Callable[[], bool],
    ) -> None:
        self.request = request
        self._engine = engine
        self._settings = settings
        self._cancelled = cancelled
        self._evaluators = make_rollout_evaluators(engine, request.plies, request.leaf_plies, cancelled)
        self._game = request.make_cube_game(engine)
        after_plays = request.kind == MOVES
        self.plays: list[Play] = self._choose_candidates() if after_plays else []
        self.game: CubeGame = self._game.other if after_plays else self._game

    def run(
        self,
        resume: RolloutState | None = None,
        progress: RolloutProgressCallback | None = None,
        blocks: BlockPlayer | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> RolloutResult:
        """Roll out.

        Args:
            resume: As for `gammond.engine.rollout.roll_out`.
            progress: As there.
            blocks: As there.
            cancelled: As there; by default what the rollout was prepared with.

        Raises:
            GammondError: As `roll_out_plays`, `roll_out_position` and `roll_out_cube`.
        """
        handling = RolloutHandling(
            resume=resume, progress=progress, cancelled=cancelled or self._cancelled, blocks=blocks
        )
        results, rollout = self._roll_out(handling)
        plies = self._engine.evaluator.plies + self.request.plies
        return RolloutResult(self.request, results, rollout, self._game, plies, self._engine.name)

    def _roll_out(
        self, handling: RolloutHandling
    ) -> tuple[list[RankedPlay] | Evaluation | CubeRollout, Rollout]:
        request, game, evaluators, settings = self.request, self._game, self._evaluators, self._settings
        position = request.position
        if request.kind == MOVES and request.roll is not None:
            return roll_out_plays(
                position, request.roll, evaluators, settings, plays=self.plays, game=game, **handling
            )
        if request.kind == CUBE:
            cube_rollout = roll_out_cube(position, game, evaluators, settings, **handling)
            return cube_rollout, cube_rollout.rollout
        return roll_out_position(position, evaluators, settings, game=game, **handling)

    def _choose_candidates(self) -> list[Play]:
        request = self.request
        assert request.roll is not None  # the request was checked
        if not request.best_plays:
            return list(request.plays)
        settings = EvalSettings(0, is_cubeful=request.is_cubeful)
        ranked = self._engine.rank_plays(request.position, request.roll, request.match, settings)
        named = {play.result for play in request.plays}
        best = [each.play for each in ranked[: request.best_plays]]
        return [*request.plays, *(play for play in best if play.result not in named)]

"""What a player of a given strength does: its plays, its doubles, its answers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from engine.analysis.engine import Engine
from engine.analysis.evaluations import PlayEvaluation, PositionEvaluation, RankedPlays
from engine.analysis.levels import MAX_NOISE_POINTS, EvalSettings, choose_with_noise
from engine.cubeful import CubeResponse
from engine.errors import ValueRangeError
from engine.rules.dice import MAX_SEED, Roll
from engine.rules.match import MatchState
from engine.rules.position import Position
from engine.search import SearchWatch

_NO_DICE = (0, 0)


@dataclass(frozen=True)
class ChosenPlay:
    """A play that was chosen.

    Attributes:
        evaluation: The choice.
        ranked: All plays, as they were judged.
    """

    evaluation: PlayEvaluation
    ranked: RankedPlays


class Decider:
    """Decides for a seat. The same position, roll and seed always give the same decision.

    Args:
        engine: Judges.
        settings: How deep.
        noise_points: How far behind the best a choice typically is, see `levels.choose_with_noise`.
        seed: Of the errors; 0 to `MAX_SEED`.

    Raises:
        ValueRangeError: The noise is not 0 to `MAX_NOISE_POINTS`, or the seed out of range.
    """

    def __init__(
        self, engine: Engine, settings: EvalSettings | None = None, noise_points: float = 0.0, seed: int = 0
    ) -> None:
        if not 0.0 <= noise_points <= MAX_NOISE_POINTS:
            raise ValueRangeError(
                f"noise is 0 to {MAX_NOISE_POINTS:g} points, not {noise_points}", field="noise"
            )
        if not 0 <= seed <= MAX_SEED:
            raise ValueRangeError(f"a seed is 0 to {MAX_SEED}, not {seed}", field="seed")
        self.engine = engine
        self.settings = settings or EvalSettings()
        self._noise_points = noise_points
        self._seed = seed

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.engine.name

    def with_settings(self, settings: EvalSettings) -> Decider:
        """The same chooser, errors included, at another depth."""
        return Decider(self.engine, settings, self._noise_points, self._seed)

    def choose_play(
        self, position: Position, roll: Roll, match: MatchState, watch: SearchWatch | None = None
    ) -> ChosenPlay:
        """Choose a play of a roll.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice.
            match: The match state.
            watch: Counts nodes, reports progress, stops the search.

        Raises:
            GammondError: As `Engine.rank_plays`.
        """
        ranked = self.engine.rank_plays(
            position, roll, match, self.settings, watch, stop_when_decided=self._noise_points == 0.0
        )
        return self._choose_among(ranked, position, roll)

    def _choose_among(self, ranked: RankedPlays, position: Position, roll: Roll) -> ChosenPlay:
        """Choose among ranked plays, with its errors."""
        scores = [play.score for play in ranked.plays if play.survived]
        chosen = choose_with_noise(scores, self._noise_points, self._draw_number(position, roll))
        return ChosenPlay(ranked.plays[chosen], ranked)

    def should_double(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> bool:
        """Decide whether to double.

        Args:
            position: The checkers, those of the seat on roll first.
            match: The match state.
            watch: As for `play`.

        Raises:
            GammondError: As `Engine.evaluate`.
        """
        if not match.may_double(match.on_roll):
            return False
        decision = self._evaluate(position, match, watch).decision
        if decision is None or decision.double_take is None:
            return False
        if self._noise_points == 0.0:
            return decision.should_double
        rolled, doubled = decision.no_double.equity_points, min(decision.double_take.equity_points, 1.0)
        chosen = choose_with_noise(
            (rolled, doubled), self._noise_points, self._draw_number(position, _NO_DICE)
        )
        return chosen == 1 or (rolled == doubled and decision.should_double)

    def choose_response(
        self, position: Position, match: MatchState, watch: SearchWatch | None = None
    ) -> CubeResponse:
        """Decide how to answer a double.

        Args:
            position: The checkers, those of the seat that doubled first.
            match: The match state; its seat on roll is the one that doubled.
            watch: As for `play`.

        Raises:
            GammondError: As `Engine.evaluate`.
        """
        decision = self._evaluate(position, match, watch).decision
        if decision is None or decision.double_take is None or decision.response is None:
            return CubeResponse.TAKE
        if self._noise_points == 0.0 or decision.response is CubeResponse.BEAVER:
            return decision.response
        costs = (-decision.double_take.equity_points, -1.0)
        taken = choose_with_noise(costs, self._noise_points, self._draw_number(position, _NO_DICE)) == 0
        return CubeResponse.TAKE if taken else CubeResponse.PASS

    def takes_beaver(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> bool:
        """Decide whether to play on after a beaver, as `Engine.takes_beaver`."""
        return self.engine.takes_beaver(position, match, self._cube_settings, watch)

    def _evaluate(
        self, position: Position, match: MatchState, watch: SearchWatch | None
    ) -> PositionEvaluation:
        return self.engine.evaluate(position, match, self._cube_settings, watch)

    @property
    def _cube_settings(self) -> EvalSettings:
        return EvalSettings(self.settings.plies, self.settings.filter_name)

    def _draw_number(self, position: Position, roll: Roll) -> float:
        """A number from 0 to 1 that stands for chance."""
        question = position.board.tobytes() + bytes(roll) + self._seed.to_bytes(8, "little", signed=False)
        digest = hashlib.blake2b(question, digest_size=8).digest()
        return int.from_bytes(digest, "little") / 2**64

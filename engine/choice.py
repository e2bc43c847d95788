"""What a player of a given strength does: its plays, its doubles, its answers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from engine.analyst import Analyst
from engine.cubeful import Response
from engine.dice import MAX_SEED, Roll
from engine.errors import ValueRangeError
from engine.judged import JudgedPlay, JudgedPlays, JudgedPosition
from engine.levels import MAX_NOISE_POINTS, Depth, erring_choice
from engine.match import MatchState
from engine.position import Position
from engine.search import SearchWatch

_NO_DICE = (0, 0)


@dataclass(frozen=True)
class Choice:
    """A play that was chosen.

    Attributes:
        play: The choice.
        ranked: All plays, as they were judged.
    """

    play: JudgedPlay
    ranked: JudgedPlays


class Chooser:
    """Decides for a seat. The same position, roll and seed always give the same decision.

    Args:
        analyst: Judges.
        depth: How deep.
        noise_points: How far behind the best a choice typically is, see `engine.levels.erring_choice`.
        seed: Of the errors; 0 to `MAX_SEED`.

    Raises:
        ValueRangeError: The noise is not 0 to `engine.levels.MAX_NOISE_POINTS`, or the seed out of range.
    """

    def __init__(
        self, analyst: Analyst, depth: Depth | None = None, noise_points: float = 0.0, seed: int = 0
    ) -> None:
        if not 0.0 <= noise_points <= MAX_NOISE_POINTS:
            raise ValueRangeError(
                f"noise is 0 to {MAX_NOISE_POINTS:g} points, not {noise_points}", field="noise"
            )
        if not 0 <= seed <= MAX_SEED:
            raise ValueRangeError(f"a seed is 0 to {MAX_SEED}, not {seed}", field="seed")
        self.analyst = analyst
        self.depth = depth or Depth()
        self._noise_points = noise_points
        self._seed = seed

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.analyst.name

    def at_depth(self, depth: Depth) -> Chooser:
        """The same chooser, errors included, at another depth."""
        return Chooser(self.analyst, depth, self._noise_points, self._seed)

    def play(
        self, position: Position, roll: Roll, match: MatchState, watch: SearchWatch | None = None
    ) -> Choice:
        """Choose a play of a roll.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice.
            match: The match state.
            watch: Counts nodes, reports progress, stops the search.

        Raises:
            GammondError: As `Analyst.rank_plays`.
        """
        ranked = self.analyst.rank_plays(
            position, roll, match, self.depth, watch, stop_when_decided=self._noise_points == 0.0
        )
        return self._choice(ranked, position, roll)

    def _choice(self, ranked: JudgedPlays, position: Position, roll: Roll) -> Choice:
        """Choose among ranked plays, with its errors."""
        scores = [play.score for play in ranked.plays if play.survived]
        chosen = erring_choice(scores, self._noise_points, self._number(position, roll))
        return Choice(ranked.plays[chosen], ranked)

    def doubles(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> bool:
        """Decide whether to double.

        Args:
            position: The checkers, those of the seat on roll first.
            match: The match state.
            watch: As for `play`.

        Raises:
            GammondError: As `Analyst.judge`.
        """
        if not match.may_double(match.on_roll):
            return False
        decision = self._judged(position, match, watch).decision
        if decision is None or decision.take is None:
            return False
        if self._noise_points == 0.0:
            return decision.should_double
        rolled, doubled = decision.no_double.equity_points, min(decision.take.equity_points, 1.0)
        chosen = erring_choice((rolled, doubled), self._noise_points, self._number(position, _NO_DICE))
        return chosen == 1 or (rolled == doubled and decision.should_double)

    def response(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> Response:
        """Decide how to answer a double.

        Args:
            position: The checkers, those of the seat that doubled first.
            match: The match state; its seat on roll is the one that doubled.
            watch: As for `play`.

        Raises:
            GammondError: As `Analyst.judge`.
        """
        decision = self._judged(position, match, watch).decision
        if decision is None or decision.take is None or decision.response is None:
            return Response.TAKE
        if self._noise_points == 0.0 or decision.response is Response.BEAVER:
            return decision.response
        costs = (-decision.take.equity_points, -1.0)
        taken = erring_choice(costs, self._noise_points, self._number(position, _NO_DICE)) == 0
        return Response.TAKE if taken else Response.PASS

    def takes_beaver(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> bool:
        """Decide whether to play on after a beaver, as `Analyst.takes_beaver`."""
        return self.analyst.takes_beaver(position, match, self._cube_depth, watch)

    def _judged(self, position: Position, match: MatchState, watch: SearchWatch | None) -> JudgedPosition:
        return self.analyst.judge(position, match, self._cube_depth, watch)

    @property
    def _cube_depth(self) -> Depth:
        return Depth(self.depth.plies, self.depth.filter_name)

    def _number(self, position: Position, roll: Roll) -> float:
        """A number from 0 to 1 that stands for chance."""
        question = position.board.tobytes() + bytes(roll) + self._seed.to_bytes(8, "little", signed=False)
        digest = hashlib.blake2b(question, digest_size=8).digest()
        return int.from_bytes(digest, "little") / 2**64

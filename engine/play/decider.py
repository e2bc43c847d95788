"""The decisions of a game: plays, doubles, responses to doubles and beavers."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import MAX_NOISE_POINTS, EvalSettings, choose_with_noise
from gammond.engine.errors import PlayError, ValueRangeError
from gammond.engine.evaluation.results import CubeResponse, Evaluation
from gammond.engine.play.player import Player
from gammond.engine.rules.dice import MAX_SEED, Roll, format_roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Board, Position
from gammond.engine.rules.rules import Rules, Variant
from gammond.engine.search import SearchWatch
from gammond.engine.search.ranked_plays import ChosenPlay

_MONEY = MatchState()
_NO_DICE = (0, 0)


class Decider:
    """Decides for a seat: plays, doubles, responses. Equal positions, rolls and seeds get equal decisions.

    Args:
        engine: Evaluates.
        settings: How it evaluates; for a `player`, the cube alone.
        noise_points: Size of its errors, see `gammond.engine.analysis.levels.choose_with_noise`.
        seed: Seed of the errors, 0 to `MAX_SEED`.
        player: Chooses the plays, whatever the score; the engine, with the errors, if None.

    Raises:
        ValueRangeError: The noise is not 0 to `MAX_NOISE_POINTS`, or the seed is out of range.
        UnsupportedError: The player cannot play by the rules of the engine.
    """

    def __init__(
        self,
        engine: Engine,
        settings: EvalSettings | None = None,
        noise_points: float = 0.0,
        seed: int = 0,
        *,
        player: Player | None = None,
    ) -> None:
        if not 0.0 <= noise_points <= MAX_NOISE_POINTS:
            raise ValueRangeError(
                f"expected noise of 0 to {MAX_NOISE_POINTS:g} points, got {noise_points}", field="noise"
            )
        if not 0 <= seed <= MAX_SEED:
            raise ValueRangeError(f"expected a seed of 0 to {MAX_SEED}, got {seed}", field="seed")
        self.engine = engine
        self.settings = settings or EvalSettings.make_default(engine.rules)
        self._noise_points = noise_points
        self._seed = seed
        self._player = None if player is None else player.with_rules(engine.rules)

    @property
    def name(self) -> str:
        """The name of its player, or else of its evaluator."""
        return self.engine.name if self._player is None else self._player.name

    @property
    def looks_ahead(self) -> bool:
        """Whether its decisions may take more than evaluations at 0-ply by its engine."""
        return self.settings.plies > 0 or self._player is not None

    def with_settings(self, settings: EvalSettings) -> Decider:
        """Return the same decider, errors included, with other settings."""
        return Decider(self.engine, settings, self._noise_points, self._seed, player=self._player)

    def with_rules(self, rules: Rules) -> Decider:
        """Return the same decider for games by other rules.

        Raises:
            UnsupportedError: Its player cannot play by them.
        """
        if rules == self.engine.rules:
            return self
        engine = self.engine.with_rules(rules)
        return Decider(engine, self.settings, self._noise_points, self._seed, player=self._player)

    def choose_play(
        self, position: Position, roll: Roll, match: MatchState, watch: SearchWatch | None = None
    ) -> ChosenPlay:
        """Choose a play of a roll.

        The plays are ranked as the settings say; those of a player as the player ranks them, or else at
        0-ply. The watch counts nodes, reports progress and stops the search.

        Raises:
            PlayError: The player broke the rules.
            GammondError: As `Engine.rank_plays`.
        """
        if self._player is None:
            ranked = self.engine.rank_plays(
                position, roll, match, self.settings, watch, stop_when_decided=self._noise_points == 0.0
            )
            if self._noise_points == 0.0:
                return ChosenPlay(ranked.best, 1, ranked)
            number = self._draw_number(position, roll)
            place = choose_with_noise(ranked.survivor_equities(), self._noise_points, number)
            return ChosenPlay(ranked[place], place + 1, ranked)
        chosen = self._player.choose_and_rank(position, roll, watch)
        if chosen is not None:
            return chosen
        board = self._player.choose_one(position, roll, watch)
        ranked = self.engine.rank_plays(
            position, roll, match, EvalSettings(is_cubeful=self.settings.is_cubeful)
        )
        found = ranked.find_place(board)
        if found is None:
            raise PlayError(f"{self.name} chose what is no legal play of {format_roll(roll)}", field="player")
        return ChosenPlay(ranked[found], found + 1, ranked)

    def should_double(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> bool:
        """Decide whether to double, with the checkers of the seat on roll first.

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
        rolled, doubled = decision.no_double.equity, min(decision.double_take.equity, 1.0)
        chosen = choose_with_noise(
            (rolled, doubled), self._noise_points, self._draw_number(position, _NO_DICE)
        )
        return chosen == 1 or (rolled == doubled and decision.should_double)

    def choose_response(
        self, position: Position, match: MatchState, watch: SearchWatch | None = None
    ) -> CubeResponse:
        """Decide how to answer a double of the seat on roll, whose checkers come first.

        Raises:
            GammondError: As `Engine.evaluate`.
        """
        decision = self._evaluate(position, match, watch).decision
        if decision is None or decision.double_take is None or decision.response is None:
            return CubeResponse.TAKE
        if self._noise_points == 0.0 or decision.response is CubeResponse.BEAVER:
            return decision.response
        costs = (-decision.double_take.equity, -1.0)
        taken = choose_with_noise(costs, self._noise_points, self._draw_number(position, _NO_DICE)) == 0
        return CubeResponse.TAKE if taken else CubeResponse.PASS

    def takes_beaver(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> bool:
        """Decide whether to play on after a beaver."""
        return self.engine.evaluate_beaver(position, match, self._cube_settings, watch).equity > -1.0

    def _evaluate(self, position: Position, match: MatchState, watch: SearchWatch | None) -> Evaluation:
        return self.engine.evaluate(position, match, self._cube_settings, watch)

    @property
    def _cube_settings(self) -> EvalSettings:
        return replace(self.settings, is_cubeful=True)

    def _draw_number(self, position: Position, roll: Roll) -> float:
        """Draw a number from 0 to 1 that depends on the question and the seed alone."""
        question = position.board.tobytes() + bytes(roll) + self._seed.to_bytes(8, "little", signed=False)
        digest = hashlib.blake2b(question, digest_size=8).digest()
        return int.from_bytes(digest, "little") / 2**64


class SearchPlayer(Player):
    """Plays what a `Decider` chooses in cubeless money play; its settings leave the cube out."""

    is_deep = True

    def __init__(self, name: str, decider: Decider) -> None:
        self.name = name
        self.decider = decider
        self.evaluator = decider.engine.evaluator
        self.checkers = decider.engine.rules.variant.checkers

    def as_solver(self, variant: Variant) -> Player:
        """Return the same look-ahead and errors over the solution, as `Player.as_solver`."""
        return SearchPlayer(self.name, self.decider.with_rules(Rules(variant)))

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `Player.choose`."""
        chosen = np.empty_like(boards)
        for place, (board, (die, other)) in enumerate(zip(boards, dice.tolist(), strict=True)):
            chosen[place] = self.choose_one(Position.from_valid_board(board), (die, other))
        return chosen

    def choose_one(self, position: Position, roll: Roll, watch: SearchWatch | None = None) -> Board:
        """Choose a play of one position, as `Player.choose_one`."""
        return self.choose_and_rank(position, roll, watch).play.result.board

    def choose_and_rank(self, position: Position, roll: Roll, watch: SearchWatch | None = None) -> ChosenPlay:
        """Choose a play of one position with its ranking, as `Player.choose_and_rank`."""
        return self.decider.choose_play(position, roll, _MONEY, watch)

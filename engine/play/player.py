"""Players: choose plays for rolls, in many games at a time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from engine.errors import UnsupportedError
from engine.evaluation.evaluator import Evaluator, FeatureScorer, Scorer, find_first_highest
from engine.hypergammon.databases import load_solution
from engine.rules.dice import Roll
from engine.rules.moves import expand_rolls
from engine.rules.outcome import cubeless_equity
from engine.rules.position import CHECKERS, Board, Position
from engine.rules.rules import Rules, Variant
from engine.rules.seeded_random import BoardHasher, to_integers_below
from engine.search import SearchWatch
from engine.search.results import ChosenPlay


class Player:
    """Chooses plays; each choice depends on its own position and roll alone.

    A subclass implements `pick`, or `choose` if it can only play by the standard rules. The attributes are
    capabilities: a player sets those that it has. Players are safe to use from several threads.

    Attributes:
        name: The player's name in results.
        nets: sha256 by name of the nets that it plays with; filled in by whoever loads it.
        is_deep: Whether it takes its time over a play: looks ahead, or at replies.
        evaluator: The evaluator behind its plays, which also estimates its winning chances; None for a player
            that knows no outcomes.
        follows_evaluator: Whether it always plays the highest cubeless equity by `evaluator`.
        scorer: The scorer whose highest score it plays; None for other players.
        checkers: How many checkers a side has in the positions that it knows; None for any number.
    """

    name: str
    nets: Mapping[str, str] = MappingProxyType({})
    is_deep: bool = False
    evaluator: Evaluator | None = None
    follows_evaluator: bool = False
    scorer: Scorer | None = None
    checkers: int | None = CHECKERS

    @property
    def can_pick(self) -> bool:
        """Whether `pick` is supported, so that the player can play variants of the rules."""
        return type(self).pick is not Player.pick

    def as_solver(self, variant: Variant) -> Player:
        """Return the player that takes its place in a solved variant, and plays by the solution.

        Raises:
            UnsupportedError: Its plays do not come from values of positions.
            DataFileError: The solution is missing.
        """
        raise UnsupportedError(
            f"{self.name} knows positions with {self.checkers} checkers a side, and does not play "
            f"{variant.name}",
            field="variant",
        )

    def with_rules(self, rules: Rules) -> Player:
        """Return the player that picks plays by other rules: itself, unless it looks at the opponent's."""
        return self

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose a legal play in each of many positions.

        Args:
            boards: ``int8[n, 2, 26]``, none of them over.
            dice: ``int8[n, 2]``.

        Returns:
            The positions after the plays, ``int8[n, 2, 26]`` as the next mover sees them.
        """
        children, _, offsets = expand_rolls(boards, dice)
        chosen: Board = children[self.pick(boards, dice, children, offsets)]
        return chosen

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among given plays in each of many positions.

        Args:
            boards: ``int8[n, 2, 26]``, none of them over.
            dice: ``int8[n, 2]``.
            children: ``int8[m, 2, 26]``, the positions after the plays as the next mover sees them.
            offsets: ``int64[n + 1]``; those of position i are at ``offsets[i]:offsets[i + 1]``.

        Returns:
            ``int64[n]``, places in `children`.

        Raises:
            UnsupportedError: The player generates its plays itself; see `can_pick`.
        """
        raise UnsupportedError(f"{self.name} cannot choose among given plays", field="player")

    def score_plays(self, boards: Board, children: Board, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
        """Score given plays on the player's own scale: what it thinks of them.

        Args:
            boards: As for `pick`.
            children: As for `pick`.
            offsets: As for `pick`.

        Returns:
            ``float32[m]``, higher is better for the side that plays.

        Raises:
            UnsupportedError: Its choice does not come from a number for each play.
        """
        raise UnsupportedError(f"{self.name} chooses plays without a number for each", field="player")

    def list_features(self, board: Board) -> Mapping[str, float | str]:
        """List what it sees in a position, by name; empty for most players.

        Args:
            board: ``int8[2, 26]`` as the next mover sees it: row 1 has played.
        """
        return {}

    def choose_one(self, position: Position, roll: Roll, watch: SearchWatch | None = None) -> Board:
        """Choose a play of one position.

        Args:
            position: The position, the player on roll to move.
            roll: Two dice.
            watch: Counts nodes and stops the search of a player that looks ahead.

        Returns:
            ``int8[2, 26]``, the position after the play as the next mover sees it.

        Raises:
            GammondError: As `engine.rules.moves.legal_plays`.
        """
        chosen: Board = self.choose(position.board[None].copy(), np.array([roll], np.int8))[0]
        return chosen

    def choose_and_rank(
        self, position: Position, roll: Roll, watch: SearchWatch | None = None
    ) -> ChosenPlay | None:
        """Choose a play of one position, with the player's own ranking of all plays.

        Args:
            position: The position, the player on roll to move.
            roll: Two dice.
            watch: Counts nodes, reports progress, stops the search.

        Returns:
            The play; None for a player without a ranking of its own.

        Raises:
            GammondError: As `engine.analysis.engine.Engine.rank_plays`.
        """
        return None


class ScoringPlayer(Player):
    """Plays the highest number that it gives to a play, the first of equal ones."""

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among given plays, as `Player.pick`."""
        return find_first_highest(self.score_plays(boards, children, offsets), offsets)


class EvaluatorPlayer(ScoringPlayer):
    """Plays the highest cubeless money equity by an evaluator.

    Args:
        evaluator: Evaluates the positions after the plays.
        checkers: How many checkers a side has in the positions that it knows.
    """

    evaluator: Evaluator
    follows_evaluator = True

    def __init__(self, evaluator: Evaluator, checkers: int = CHECKERS) -> None:
        self.name = evaluator.name
        self.evaluator = evaluator
        self.checkers = checkers

    def as_solver(self, variant: Variant) -> Player:
        """Return the player of the best cubeless plays, as `Player.as_solver`."""
        return EvaluatorPlayer(load_solution(variant.checkers), variant.checkers)

    def score_plays(self, boards: Board, children: Board, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
        """Compute the equities of plays, as `Player.score_plays`."""
        return -cubeless_equity(self.evaluator.evaluate(children))


class ScorerPlayer(ScoringPlayer):
    """Plays the highest score of a scorer.

    Args:
        name: The player's name in results.
        scorer: Scores the positions after the plays.
    """

    scorer: Scorer

    def __init__(self, name: str, scorer: Scorer) -> None:
        self.name = name
        self.scorer = scorer

    def score_plays(self, boards: Board, children: Board, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
        """Score plays, as `Player.score_plays`."""
        return self.scorer.score_boards(children)

    def list_features(self, board: Board) -> Mapping[str, float | str]:
        """List what the scorer sees, as `Player.list_features`."""
        return self.scorer.list_features(board) if isinstance(self.scorer, FeatureScorer) else {}


class RandomPlayer(Player):
    """Plays any legal play, all equally likely; the same one whenever position, roll and seed are the same.

    Args:
        seed: Any non-negative integer.

    Raises:
        ValueRangeError: The seed is negative.
    """

    checkers = None

    def __init__(self, seed: int = 0) -> None:
        self._chance = BoardHasher(seed)
        self.name = f"random:seed={seed}" if seed else "random"

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among given plays, as `Player.pick`."""
        return offsets[:-1] + to_integers_below(self._chance.hash_rolls(boards, dice), np.diff(offsets))

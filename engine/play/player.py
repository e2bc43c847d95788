"""Players: choose plays for rolls in many games at a time, and some say what they think of a position."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful.solutions import load_solution
from gammond.engine.errors import UnsupportedError
from gammond.engine.evaluation.evaluator import Evaluator, FeatureScorer, Scorer, find_first_highest
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.moves import Play, expand_rolls, legal_plays
from gammond.engine.rules.outcome import Outcome, Outcomes, cubeless_equity, invert_outcomes
from gammond.engine.rules.position import CHECKERS, Board, Position, swap_sides
from gammond.engine.rules.rules import STANDARD_RULES, Feature, Rules, Variant
from gammond.engine.rules.seeded_random import BoardHasher, to_integers_below
from gammond.engine.search import SearchWatch
from gammond.engine.search.ranked_plays import ChosenPlay


class Player:
    """Chooses plays; each choice depends on its own position and roll alone.

    A subclass implements `score_plays`, `pick` where it plays another than the highest score, or `choose` if
    it can only play by the standard rules. The attributes are capabilities: a player sets those that it has.
    Players are safe to use from several threads.

    Attributes:
        name: The player's name in results.
        nets: sha256 by name of the nets that it plays with; filled in by whoever loads it.
        is_deep: Whether it takes its time over a play: looks ahead, or at replies.
        evaluator: The evaluator behind its plays, which also estimates its winning chances; None for a player
            that knows no outcomes.
        follows_evaluator: Whether it always plays the highest cubeless equity by `evaluator`.
        scorer: The scorer whose highest score it plays; None for other players.
        checkers: How many checkers a side has in the positions that it knows; None for any number.
        rules: The rules by which it plays, see `with_rules`.
    """

    name: str
    nets: Mapping[str, str] = MappingProxyType({})
    is_deep: bool = False
    evaluator: Evaluator | None = None
    follows_evaluator: bool = False
    scorer: Scorer | None = None
    checkers: int | None = CHECKERS
    rules: Rules = STANDARD_RULES

    @property
    def can_pick(self) -> bool:
        """Whether `pick` is supported, so that the player can play variants of the rules."""
        return type(self).choose is Player.choose

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
        """Return the player that plays by other rules: itself where they support look-ahead.

        By all others it plays what it picks among their plays. One that looks at no replies evaluates
        positions as always: as if both sides went on by the standard rules. In a solved variant the solution
        takes the place of the nets of a player that values positions.

        Raises:
            UnsupportedError: It lists plays itself, as players do that look ahead or err, and the rules do
                not support look-ahead; or it knows positions with another number of checkers only.
            DataFileError: The solution of the variant is missing.
        """
        if self.checkers not in (None, rules.variant.checkers):
            return self.as_solver(rules.variant).with_rules(rules)
        if rules.supports(Feature.LOOK_AHEAD):
            return self
        if not self.can_pick:
            rules.check_supports(Feature.LOOK_AHEAD, f"{self.name}, which looks ahead or errs,")
        player = copy(self)
        player.rules = rules
        return player

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose a legal play in each of many positions.

        Args:
            boards: ``int8[n, 2, 26]``, none of them over.
            dice: ``int8[n, 2]``.

        Returns:
            The positions after the plays, ``int8[n, 2, 26]`` as the next mover sees them.
        """
        children, _, offsets = expand_rolls(boards, dice, self.rules)
        chosen: Board = children[self.pick(boards, dice, children, offsets)]
        return chosen

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among given plays in each of many positions: the first with the highest score.

        Args:
            boards: ``int8[n, 2, 26]``, none of them over.
            dice: ``int8[n, 2]``.
            children: ``int8[m, 2, 26]``, the positions after the plays as the next mover sees them.
            offsets: ``int64[n + 1]``; those of position i are at ``offsets[i]:offsets[i + 1]``.

        Returns:
            ``int64[n]``, places in `children`.

        Raises:
            UnsupportedError: The player chooses plays itself; see `can_pick`.
        """
        return find_first_highest(self.score_plays(boards, children, offsets), offsets)

    def score_plays(self, boards: Board, children: Board, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
        """Score given plays on the player's own scale, higher is better for the side that plays.

        Arguments are as for `pick`; there is one score for each of the positions after the plays.

        Raises:
            UnsupportedError: Its choice does not come from a number for each play.
        """
        raise UnsupportedError(f"{self.name} chooses plays without a number for each", field="player")

    def list_features(self, board: Board) -> Mapping[str, float | str]:
        """List what it sees in a position, whose row 1 has just played, by name; empty for most players."""
        return {}

    def choose_one(self, position: Position, roll: Roll, watch: SearchWatch | None = None) -> Board:
        """Choose a play of one position, and return the position after it as the next mover sees it.

        The watch counts nodes and stops the search of a player that looks ahead.

        Raises:
            GammondError: As `gammond.engine.rules.moves.legal_plays`.
        """
        chosen: Board = self.choose(position.board[None].copy(), np.array([roll], np.int8))[0]
        return chosen

    def choose_and_rank(
        self, position: Position, roll: Roll, watch: SearchWatch | None = None
    ) -> ChosenPlay | None:
        """Choose a play of one position; None for a player without a ranking of its own of all plays.

        The watch is as for `choose_one`, and reports progress too.

        Raises:
            GammondError: As `gammond.engine.analysis.engine.Engine.rank_plays`.
        """
        return None


class EvaluatorPlayer(Player):
    """Plays the highest cubeless money equity by an evaluator."""

    evaluator: Evaluator
    follows_evaluator = True

    def __init__(self, evaluator: Evaluator, checkers: int = CHECKERS) -> None:
        self.name = evaluator.name
        self.evaluator = evaluator
        self.checkers = checkers

    def as_solver(self, variant: Variant) -> Player:
        """Return the player of the best cubeless plays, as `Player.as_solver`."""
        return EvaluatorPlayer(load_solution(variant), variant.checkers)

    def score_plays(self, boards: Board, children: Board, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
        """Compute the equities of plays, as `Player.score_plays`."""
        return -cubeless_equity(self.evaluator.evaluate(children))


class ScorerPlayer(Player):
    """Plays the highest score of a scorer."""

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


@dataclass(frozen=True)
class Opinion:
    """What a player thinks of a position, or of one after a play.

    Attributes:
        score: The number by which it chooses: the cubeless money equity of a player that estimates outcomes,
            else on a scale of its own, higher is better.
        outcome: Its estimate; None for a player that estimates none.
        features: What it sees there, by name; empty for most players.
    """

    score: float
    outcome: Outcome | None
    features: Mapping[str, float | str]


def form_opinion(player: Player, position: Position) -> Opinion:
    """Return what a player thinks of a position, for the side on roll.

    A player that scores positions after a play scores it as if that side had just played.

    Raises:
        UnsupportedError: Its choice does not come from a number for each play.
    """
    board, turned = position.board[None], swap_sides(position.board)
    if player.evaluator is not None:
        outcomes = player.evaluator.evaluate(board.copy())
        return _make_outcome_opinion(player, outcomes[0], turned)
    score = player.score_plays(board, turned[None], np.array([0, 1]))[0]
    return Opinion(float(score), None, player.list_features(turned))


def rank_by_opinion(
    player: Player, position: Position, roll: Roll, rules: Rules = STANDARD_RULES
) -> list[tuple[Play, Opinion]]:
    """Return the legal plays of a roll, the best first, with what a player thinks of each for that side.

    A player that looks ahead is asked for the estimates behind its search.

    Raises:
        UnsupportedError: As `form_opinion`.
        GammondError: As `gammond.engine.rules.moves.legal_plays`.
    """
    plays = legal_plays(position, roll, rules)
    children = np.stack([play.result.board for play in plays])
    if player.evaluator is not None:
        outcomes = invert_outcomes(player.evaluator.evaluate(children))
        opinions = [
            _make_outcome_opinion(player, outcome, board)
            for outcome, board in zip(outcomes, children, strict=True)
        ]
    else:
        scores = player.score_plays(position.board[None], children, np.array([0, len(plays)]))
        opinions = [
            Opinion(score, None, player.list_features(board))
            for score, board in zip(scores.tolist(), children, strict=True)
        ]
    return sorted(zip(plays, opinions, strict=True), key=lambda each: -each[1].score)


def _make_outcome_opinion(player: Player, outcome: Outcomes, turned: Board) -> Opinion:
    equity = float(cubeless_equity(outcome[None])[0])
    return Opinion(equity, Outcome(*map(float, outcome)), player.list_features(turned))

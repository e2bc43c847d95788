"""Players: whatever chooses a play for a roll, in many games at a time."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.evaluator import Evaluator, choose_best_children, find_first_highest
from engine.rules.moves import expand_rolls
from engine.rules.outcome import cubeless_equity
from engine.rules.position import Board
from engine.rules.seeded_random import BoardHasher, to_integers_below


class Player(Protocol):
    """Anything that chooses plays; each choice depends on its own position and roll alone.

    Implementations are safe to call from several threads.
    """

    @property
    def name(self) -> str:
        """What results call this player."""
        ...

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose a legal play in each of many positions.

        Args:
            boards: ``int8[n, 2, 26]``, none of them over.
            dice: ``int8[n, 2]``.

        Returns:
            The positions after the plays, ``int8[n, 2, 26]`` as the next mover sees them.
        """
        ...


@runtime_checkable
class PlayPicker(Protocol):
    """A player that can choose among plays that others have listed, by variants of the rules too."""

    @property
    def name(self) -> str:
        """What results call this player."""
        ...

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose one of the plays of each of many positions.

        Args:
            boards: ``int8[n, 2, 26]``, none of them over.
            dice: ``int8[n, 2]``.
            children: ``int8[m, 2, 26]``, the positions after the plays as the next mover sees them.
            offsets: ``int64[n + 1]``; those of position i lie at ``offsets[i]:offsets[i + 1]``.

        Returns:
            ``int64[n]``, places in `children`.
        """
        ...


@runtime_checkable
class SlowPlayer(Protocol):
    """A player that may take its time over a play, and says whether it does."""

    @property
    def is_deep(self) -> bool:
        """Whether it looks ahead, or at replies."""
        ...


def is_deep(player: Player) -> bool:
    """Whether a player takes its time over a play, as by look-ahead; one that does not say does not."""
    return isinstance(player, SlowPlayer) and player.is_deep


@runtime_checkable
class OutcomePlayer(Protocol):
    """A player that judges by outcomes, and can be asked how it judges a position."""

    @property
    def evaluator(self) -> Evaluator:
        """The judge behind its plays."""
        ...


class EvaluatorPlayer:
    """Plays what an evaluator likes best, by cubeless money equity.

    Args:
        evaluator: The judge of the positions after the plays.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self.evaluator.name

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `Player.choose`; ties go to the first in the order of the legal plays."""
        return choose_best_children(self.evaluator, boards, dice)[0]

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among plays, as `PlayPicker.pick`."""
        return find_first_highest(-cubeless_equity(self.evaluator.evaluate(children)), offsets)


class Scorer(Protocol):
    """A judge of plays that knows no outcomes: it gives each a number, whose scale is its own."""

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play.

        Args:
            boards: ``int8[n, 2, 26]`` as the next mover sees them: row 1 has played.

        Returns:
            ``float32[n]``, higher the better for the side that has played, never nan; each depends on its own
            board alone.
        """
        ...


class ScorerPlayer:
    """Plays what a scorer gives the most.

    Args:
        name: What results call it.
        scorer: The judge of the positions after the plays.
    """

    def __init__(self, name: str, scorer: Scorer) -> None:
        self.name = name
        self.scorer = scorer

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `Player.choose`; ties go to the first in the order of the legal plays."""
        return pick_legal_plays(self, boards, dice)

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among plays, as `PlayPicker.pick`."""
        return find_first_highest(self.scorer.score_boards(children), offsets)


class RandomPlayer:
    """Plays any legal play, all equally likely; the same one whenever position, roll and seed are the same.

    Args:
        seed: Any non-negative integer.

    Raises:
        ValueRangeError: The seed is negative.
    """

    def __init__(self, seed: int = 0) -> None:
        self._chance = BoardHasher(seed)
        self.name = f"random:seed={seed}" if seed else "random"

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `Player.choose`."""
        return pick_legal_plays(self, boards, dice)

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among plays, as `PlayPicker.pick`."""
        return offsets[:-1] + to_integers_below(self._chance.hash_rolls(boards, dice), np.diff(offsets))


def pick_legal_plays(player: PlayPicker, boards: Board, dice: NDArray[np.int8]) -> Board:
    """Choose among the legal plays, as `Player.choose`."""
    children, _, offsets = expand_rolls(boards, dice)
    chosen: Board = children[player.pick(boards, dice, children, offsets)]
    return chosen

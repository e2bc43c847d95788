"""Players: whatever chooses a play for a roll, in many games at a time."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.errors import ValueRangeError
from engine.evaluator import Evaluator, best_children, first_highest
from engine.moves import expand_rolls
from engine.outcome import cubeless_equity
from engine.position import Board


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
        return best_children(self.evaluator, boards, dice)[0]

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among plays, as `PlayPicker.pick`."""
        return first_highest(-cubeless_equity(self.evaluator.evaluate(children)), offsets)


class Scorer(Protocol):
    """A judge of plays that knows no outcomes: it gives each a number, whose scale is its own."""

    def scores(self, boards: Board) -> NDArray[np.float32]:
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
        return picked(self, boards, dice)

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among plays, as `PlayPicker.pick`."""
        return first_highest(self.scorer.scores(children), offsets)


class RandomPlayer:
    """Plays any legal play, all equally likely; the same one whenever position, roll and seed are the same.

    Args:
        seed: Any non-negative integer.

    Raises:
        ValueRangeError: The seed is negative.
    """

    def __init__(self, seed: int = 0) -> None:
        if seed < 0:
            raise ValueRangeError(f"a seed is 0 or more, not {seed}", field="seed")
        self.name = f"random:seed={seed}" if seed else "random"
        generator = np.random.Generator(np.random.PCG64(seed))
        self._board_hash = generator.integers(0, 2**64, size=52, dtype=np.uint64)
        self._dice_hash = generator.integers(0, 2**64, size=2, dtype=np.uint64)

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `Player.choose`."""
        return picked(self, boards, dice)

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among plays, as `PlayPicker.pick`."""
        key = boards.reshape(len(boards), 52).astype(np.uint64) @ self._board_hash
        key += dice.astype(np.uint64) @ self._dice_hash
        return offsets[:-1] + below(mixed(key), np.diff(offsets))


def picked(player: PlayPicker, boards: Board, dice: NDArray[np.int8]) -> Board:
    """Choose among the legal plays, as `Player.choose`."""
    children, _, offsets = expand_rolls(boards, dice)
    chosen: Board = children[player.pick(boards, dice, children, offsets)]
    return chosen


def mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Turn distinct keys into numbers that look random.

    *Source:* the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
    generators", 2014).

    Args:
        keys: ``uint64[...]``.

    Returns:
        ``uint64[...]``, one to one with the keys.
    """
    result = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    result = (result ^ (result >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return result ^ (result >> np.uint64(31))


def below(numbers: NDArray[np.uint64], limits: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Scale random 64-bit numbers to 0 .. limit - 1 (bias below 2^-20 for limits below 4096).

    Args:
        numbers: ``uint64[n]``.
        limits: Each at most 2^32.

    Returns:
        ``int64[n]``.
    """
    scaled = (numbers >> np.uint64(32)) * np.asarray(limits).astype(np.uint64)
    return (scaled >> np.uint64(32)).astype(np.int64)

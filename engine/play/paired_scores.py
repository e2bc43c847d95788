"""Results of paired games between two players."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gammond.engine.statistics import ValueWithError, mean_with_error


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Results of paired games, for the first player; games 2i and 2i + 1 have the same dice.

    Attributes:
        values: ``float64[games]``, scores: points, pips, or 1 and -1 for a match; nan for a game that did not
            end.
        kinds: ``int8[games]``: 1 to 3 for a game, gammon or backgammon won, negative if it was lost; 0 for a
            game in which nobody is ahead, or that did not end.
        lengths: ``int32[games]``, the moves of each game; empty where they are not counted.
    """

    values: NDArray[np.float64]
    kinds: NDArray[np.int8]
    lengths: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))

    @classmethod
    def empty(cls) -> PairedScores:
        """Make results of no games."""
        return cls(np.empty(0), np.empty(0, np.int8))

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.values)

    @property
    def endless(self) -> int:
        """The number of games that did not end."""
        return int(np.isnan(self.values).sum())

    @property
    def counted(self) -> PairedScores:
        """The games that count: those of pairs in which both ended."""
        counts = np.repeat(~np.isnan(self.pair_values), 2)
        lengths = self.lengths[counts] if len(self.lengths) else self.lengths
        return PairedScores(self.values[counts], self.kinds[counts], lengths)

    @property
    def score(self) -> ValueWithError:
        """The mean score per game that counts, with its error from the means of pairs."""
        return mean_with_error(self.counted.pair_values)

    @property
    def win_share(self) -> float:
        """The share of games that count that was won; nan without one."""
        return mean_with_error(self.counted.pair_win_shares).value

    @property
    def pair_values(self) -> NDArray[np.float64]:
        """``float64[games / 2]``, the mean of each pair."""
        means: NDArray[np.float64] = self.values.reshape(-1, 2).mean(axis=1)
        return means

    @property
    def pair_lengths(self) -> NDArray[np.float64]:
        """``float64[games / 2]``, the mean length of each pair; empty where lengths are not counted."""
        means: NDArray[np.float64] = self.lengths.reshape(-1, 2).mean(axis=1)
        return means

    @property
    def pair_win_shares(self) -> NDArray[np.float64]:
        """``float64[games / 2]``, the share of each pair that was won."""
        shares: NDArray[np.float64] = ((np.sign(self.kinds) + 1.0) / 2).reshape(-1, 2).mean(axis=1)
        return shares

    @property
    def wins(self) -> float:
        """Games won, with half of those in which nobody is ahead."""
        return float(self.pair_win_shares.sum() * 2)

    def count_wins(self, player: int) -> tuple[int, int, int]:
        """Count what a player won.

        Args:
            player: 0 the first, 1 the second.

        Returns:
            Wins of any kind, gammons and backgammons, backgammons.
        """
        won = self.kinds if player == 0 else -self.kinds
        return int((won >= 1).sum()), int((won >= 2).sum()), int((won >= 3).sum())

    def take_first(self, games: int) -> PairedScores:
        """Return the first of these games."""
        return PairedScores(self.values[:games], self.kinds[:games], self.lengths[:games])

    def concatenate(self, others: PairedScores) -> PairedScores:
        """Return these games followed by others."""
        return PairedScores(
            np.concatenate([self.values, others.values]),
            np.concatenate([self.kinds, others.kinds]),
            np.concatenate([self.lengths, others.lengths]),
        )

    def swap_players(self) -> PairedScores:
        """Return the same games for the other player, who starts the first of each pair then."""
        values, kinds = self.values.reshape(-1, 2), self.kinds.reshape(-1, 2)
        lengths = self.lengths.reshape(-1, 2)[:, ::-1].ravel()
        return PairedScores(-values[:, ::-1].ravel(), -kinds[:, ::-1].ravel(), lengths)

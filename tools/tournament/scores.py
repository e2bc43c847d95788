"""Results of paired games between two players, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Results of paired games, for the first player; games 2i and 2i + 1 have the same dice.

    Attributes:
        values: ``float64[games]``, what each game counts: points, pips, or 1 and -1 for a match.
        kinds: ``int8[games]``: 1 to 3 for a game, gammon or backgammon won, negative if it was lost; 0 for a
            game in which nobody is ahead.
    """

    values: NDArray[np.float64]
    kinds: NDArray[np.int8]

    @classmethod
    def empty(cls) -> PairedScores:
        """No games."""
        return cls(np.empty(0), np.empty(0, np.int8))

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """What a game counts on average."""
        return float(self.values.mean())

    @property
    def pair_values(self) -> NDArray[np.float64]:
        """``float64[games / 2]``, the mean of each pair."""
        means: NDArray[np.float64] = self.values.reshape(-1, 2).mean(axis=1)
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
        """The first games of these."""
        return PairedScores(self.values[:games], self.kinds[:games])

    def concatenate(self, others: PairedScores) -> PairedScores:
        """These games and others behind them."""
        return PairedScores(
            np.concatenate([self.values, others.values]), np.concatenate([self.kinds, others.kinds])
        )

    def swap_players(self) -> PairedScores:
        """The same games for the other player, who then is the first, and starts the first of each pair."""
        values, kinds = self.values.reshape(-1, 2), self.kinds.reshape(-1, 2)
        return PairedScores(-values[:, ::-1].ravel(), -kinds[:, ::-1].ravel())

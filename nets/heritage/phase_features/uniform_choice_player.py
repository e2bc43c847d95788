"""A player that chooses one of its few best plays at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.evaluator import Scorer
from engine.play.player import ScorerPlayer
from engine.rules.position import Board
from engine.rules.seeded_random import BoardHasher, to_integers_below


class UniformChoicePlayer(ScorerPlayer):
    """Plays one of the few plays with the highest scores, all equally likely.

    Equal positions, rolls and seeds get equal plays.

    Args:
        name: Its name in results.
        scorer: Scores the positions after the plays.
        max_candidates: The number of plays to choose among, 1 or more; fewer if the roll has fewer.
        seed: Seed of the choices, 0 or more.

    Raises:
        ValueRangeError: The seed is negative.
    """

    def __init__(self, name: str, scorer: Scorer, max_candidates: int, seed: int = 0) -> None:
        super().__init__(name, scorer)
        self._max_candidates = max_candidates
        self._chance = BoardHasher(seed)

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among given plays, as `engine.play.player.Player.pick`."""
        counts = np.diff(offsets)
        places = np.repeat(np.arange(len(boards)), counts)
        best_first = np.lexsort((-self.scorer.score_boards(children), places))
        drawn = to_integers_below(
            self._chance.hash_rolls(boards, dice), np.minimum(counts, self._max_candidates)
        )
        chosen: NDArray[np.int64] = best_first[offsets[:-1] + drawn]
        return chosen

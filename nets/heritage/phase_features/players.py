"""``phase-heuristic`` and ``phase-net``: the best play by features of the phase of the game.

The first weighs them by hand, the second by a net.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gammond.engine.evaluation.evaluator import Scorer
from gammond.engine.kernels import as_kernel_array
from gammond.engine.play.player import ScorerPlayer
from gammond.engine.rules.dice import MAX_SEED
from gammond.engine.rules.position import Board
from gammond.engine.rules.seeded_random import BoardHasher, to_integers_below
from gammond.nets.heritage.phase_features import kernels as kernel_features
from gammond.nets.heritage.phase_features.features import (
    FEATURE_NAMES,
    FEATURES,
    FeaturePhase,
    get_divisors,
    list_phase_features,
)
from gammond.nets.heritage.phase_features.net import parse_phase_onnx
from gammond.nets.manifest import ScorerEntry
from gammond.nets.player_specs import KindSpec, ScorerKindSpec

_WEIGHT_TABLE = {
    "occupied_points": (1.3, 1.7, 0.8),
    "borne_off": (3.0, 5.0, 8.0),
    "on_bar": (0.0, 0.0, 0.0),
    "blot_distance": (-0.5, -0.3, -0.1),
    "total_distance": (-0.6, -0.4, -0.2),
    "excess_distance": (-0.7, -0.9, -1.3),
    "blots": (-0.5, -0.7, -0.3),
    "on_board": (1.4, 1.2, 1.7),
    "opponent_on_board": (0.0, 0.0, 0.0),
    "opponent_blots": (0.0, 0.0, 0.0),
    "opponent_excess_distance": (0.0, 0.0, 0.0),
    "opponent_total_distance": (0.8, 1.1, 0.5),
    "opponent_blot_distance": (0.0, 0.0, 0.0),
    "opponent_on_bar": (2.2, 2.7, 3.2),
    "opponent_borne_off": (0.0, 0.0, 0.0),
    "opponent_occupied_points": (0.0, 0.0, 0.0),
}

WEIGHTS: NDArray[np.float64] = np.array([_WEIGHT_TABLE[name] for name in FEATURE_NAMES])
"""``float64[16, 3]``: a row for each feature, a column for each phase."""

MAX_WEIGHTED_SUM = float(np.maximum(WEIGHTS, 0.0).sum(axis=0).max())
"""Scaled to 1: the largest sum of the positive weights of a phase, 14.2."""

MIN_WEIGHTED_SUM = float(np.minimum(WEIGHTS, 0.0).sum(axis=0).min())
"""Scaled to 0: the smallest sum of the negative weights of a phase, -2.3."""

_SCALED_WEIGHTS = np.concatenate([WEIGHTS, np.full((1, WEIGHTS.shape[1]), -MIN_WEIGHTED_SUM)]) / (
    MAX_WEIGHTED_SUM - MIN_WEIGHTED_SUM
)


class PhaseHeuristicScorer:
    """Scores plays by hand-made weights, see `gammond.engine.evaluation.evaluator.Scorer`.

    *Source:* as `features`, section "Heuristic Weights": the 16 x 3 table, and min-max normalisation by the
    largest sum of positive and of negative contributions.

    Args:
        phase: The phase whose weights are used; None for that of each position.
        is_normalised: Whether to normalise features; otherwise scores are not 0..1.
        weights: ``float64[17, 3]``, other weights: a row for each feature, then one that is added as it is.
    """

    def __init__(
        self,
        phase: FeaturePhase | None = None,
        *,
        is_normalised: bool = True,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        self._phase = kernel_features.OWN_PHASE if phase is None else int(phase)
        self._is_normalised = is_normalised
        self._divisors = get_divisors(is_normalised)
        self._weights = _SCALED_WEIGHTS if weights is None else weights
        assert self._weights.shape[0] == FEATURES + 1

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play in 0..1: `gammond.engine.evaluation.evaluator.Scorer.score_boards`."""
        scores = np.empty(len(boards), np.float32)
        kernel_features.score_linear(
            as_kernel_array(boards, np.int8), self._divisors, self._weights, self._phase, scores
        )
        return scores

    def list_features(self, board: Board) -> dict[str, float | str]:
        """List the features, as `gammond.engine.evaluation.evaluator.FeatureScorer.list_features`."""
        return list_phase_features(board, is_normalised=self._is_normalised)


_MAX_CANDIDATES = 100


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
        """Choose among given plays, as `gammond.engine.play.player.Player.pick`."""
        counts = np.diff(offsets)
        places = np.repeat(np.arange(len(boards)), counts)
        best_first = np.lexsort((-self.scorer.score_boards(children), places))
        drawn = to_integers_below(
            self._chance.hash_rolls(boards, dice), np.minimum(counts, self._max_candidates)
        )
        chosen: NDArray[np.int64] = best_first[offsets[:-1] + drawn]
        return chosen


class PhaseHeuristicSpec(KindSpec, frozen=True):
    """The weights and the choice."""

    name = "phase-heuristic"
    summary = "the best play by 16 features weighted by hand for early, mid and late game"

    phase: Annotated[
        Literal["own", "early", "mid", "late"],
        Meta(description="weights of each position's own phase, or of one phase always"),
    ] = "own"
    normalised: Annotated[bool, Meta(description="whether to divide each feature by its largest value")] = (
        True
    )
    among: Annotated[
        int,
        Meta(ge=1, le=_MAX_CANDIDATES, description="number of best plays to choose among at random"),
    ] = 1
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="seed of these choices")] = 0

    def make(self) -> ScorerPlayer:
        """Make the player of the weights."""
        phase = None if self.phase == "own" else FeaturePhase[self.phase.upper()]
        scorer = PhaseHeuristicScorer(phase, is_normalised=self.normalised)
        name = self.format_name()
        if self.among == 1:
            return ScorerPlayer(name, scorer)
        return UniformChoicePlayer(name, scorer, self.among, self.seed)


class PhaseNetSpec(ScorerKindSpec, frozen=True):
    """The net."""

    name = "phase-net"
    summary = "a 48-64-64-1 net on the features of phase-heuristic, trained on who won"

    learned: Annotated[
        Literal["outcomes", "self"],
        Meta(description="trained on the outcomes of phase-heuristic's games, or of its own"),
    ] = "outcomes"

    @classmethod
    def make_of_net(cls, name: str, entry: ScorerEntry, content: bytes) -> ScorerPlayer:
        """Make the player of a net, as `ScorerKindSpec.make_of_net`."""
        return ScorerPlayer(name, parse_phase_onnx(entry.name, content, entry.activation))

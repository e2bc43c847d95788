"""Players that are a vector of weights, for gradient ascent, and those of runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.evaluation.evaluator import Scorer
from gammond.engine.kernels import as_kernel_array
from gammond.engine.options import list_fields
from gammond.engine.play.player import Player, ScorerPlayer
from gammond.engine.rules.position import Board
from gammond.nets.heritage.astros.bev import HAND_WEIGHTS, BevScorer
from gammond.nets.heritage.heuristic_engine import kernels as kernel_heuristic
from gammond.nets.heritage.heuristic_engine.heuristic import (
    HEURISTIC_CONFIGS,
    HeuristicConfig,
    HeuristicPlayer,
)
from gammond.nets.heritage.phase_features.features import FEATURE_NAMES, FEATURES, FeaturePhase
from gammond.nets.heritage.phase_features.players import WEIGHTS, PhaseHeuristicScorer
from gammond.tools.train.ascent.matches import LearnedWeights, Vector


@dataclass(frozen=True)
class PlayerFamily:
    """Players that differ by a vector of weights alone.

    Attributes:
        space: The weights; their title is the name of the players.
        make_scorer: Makes the scorer of positions for the side that has just played.
        make_other: Makes the player of a vector; None for those that play the highest score.
        takes_weights: Whether other tools take the weights as options of the player.
    """

    space: LearnedWeights
    make_scorer: Callable[[Vector], Scorer]
    make_other: Callable[[Vector], Player] | None = None
    takes_weights: bool = True

    def make_player(self, vector: Vector) -> Player:
        """Make the player of a vector."""
        if self.make_other is not None:
            return self.make_other(vector)
        return ScorerPlayer(self.space.title, self.make_scorer(vector))

    def format_player(self, vector: Vector) -> str:
        """Format the player of a vector as other tools take it; empty if they cannot."""
        if not self.takes_weights:
            return ""
        options = zip(self.space.names, vector, strict=True)
        return f"{self.space.title}:" + ",".join(f"{name}={value:.5g}" for name, value in options)


def _make_space(title: str, start: msgspec.Struct, steps: Mapping[str, float]) -> LearnedWeights:
    """Make the weights that are the fields of a struct, with typical steps, 1 where none is given."""
    fields = list_fields(type(start))
    return LearnedWeights(
        title=title,
        names=start.__struct_fields__,
        start=np.array(msgspec.structs.astuple(start)),
        scales=np.array([steps.get(each.name, 1.0) for each in fields]),
        low=np.array([each.bounds.low for each in fields]),
        high=np.array([each.bounds.high for each in fields]),
    )


class _HeuristicScorer:
    """The heuristic engine's formula for contact; an `gammond.engine.evaluation.evaluator.Scorer`."""

    def __init__(self, vector: Vector) -> None:
        self._tables = HeuristicConfig(*vector.tolist()).tables

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play, as `Scorer.score_boards`; finished ones are 0."""
        scores = np.empty(len(boards), np.float32)
        kernel_heuristic.write_contact_scores(as_kernel_array(boards, np.int8), self._tables, scores)
        return scores


def _make_phase_scorer(vector: Vector) -> PhaseHeuristicScorer:
    phases = len(FeaturePhase)
    weights = np.concatenate([vector.reshape(FEATURES, phases), np.zeros((1, phases))])
    return PhaseHeuristicScorer(weights=weights)


_BEV_STEPS = {"home0": 8.0, "home2": 8.0, "home4": 8.0, "home6": 8.0, "fear": 3.0, "bar": 6.0, "lost": 0.25}
_HEURISTIC_STEPS = {"pips": 0.5, "cb": 0.5, "bf": 0.5, "bfp": 0.5, "bt": 3.0, "rb": 0.5}

_FAMILIES = (
    PlayerFamily(_make_space("bev", HAND_WEIGHTS, _BEV_STEPS), BevScorer),
    PlayerFamily(
        _make_space("heuristic", HEURISTIC_CONFIGS["author-first"], _HEURISTIC_STEPS),
        _HeuristicScorer,
        lambda vector: HeuristicPlayer("heuristic", HeuristicConfig(*vector.tolist()).tables),
    ),
    PlayerFamily(
        LearnedWeights(
            title="phase-heuristic",
            names=tuple(f"{name}.{phase.name.lower()}" for name in FEATURE_NAMES for phase in FeaturePhase),
            start=WEIGHTS.ravel().astype(np.float64),
            scales=np.ones(WEIGHTS.size),
            low=np.full(WEIGHTS.size, -100.0),
            high=np.full(WEIGHTS.size, 100.0),
        ),
        _make_phase_scorer,
        takes_weights=False,
    ),
)

FAMILIES = {family.space.title: family for family in _FAMILIES}
"""The families by name."""


def make_ascend_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player:
    """Make the player of a run's best vector.

    Args:
        file: For messages.
        arrays: What the file holds.

    Raises:
        DataFileError: The vector is missing or damaged.
    """
    name = str(arrays.get("player", ""))
    if name not in FAMILIES:
        raise DataFileError(f"{file} holds weights of {name[:40]!r}, expected one of {', '.join(FAMILIES)}")
    family = FAMILIES[name]
    try:
        return family.make_player(family.space.parse(arrays, "vector"))
    except DataFileError as error:
        raise DataFileError(f"{file}: {error.message}") from error

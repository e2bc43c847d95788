"""Players that are a vector of weights, for gradient ascent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.evaluation.evaluator import Scorer
from engine.options import list_fields
from engine.play.player import Player, ScorerPlayer
from engine.rules.position import Board
from nets.heritage.barca.bev import HAND_WEIGHTS, BevScorer, BevWeights
from nets.heritage.heuristic_engine.heuristic import HEURISTIC_CONFIGS, HeuristicConfig, HeuristicPlayer
from nets.heritage.heuristic_engine.kernels import heuristic as kernel_heuristic
from nets.heritage.phase_features.features import FEATURE_NAMES, FEATURES, GamePhase, get_divisors
from nets.heritage.phase_features.heuristic import WEIGHTS
from nets.heritage.phase_features.kernels import features as kernel_features
from tools.train.ascent.matches import LearnedWeights, Vector


@dataclass(frozen=True)
class PlayerFamily:
    """Players that differ by a vector of weights alone.

    Attributes:
        space: The weights.
        make_player: Makes the player of a vector.
        make_scorer: Makes the scorer of positions for the side that has just played.
        format_player: Formats the player of a vector as other tools take it; empty if they cannot.
    """

    space: LearnedWeights
    make_player: Callable[[Vector], Player]
    make_scorer: Callable[[Vector], Scorer]
    format_player: Callable[[Vector], str]


def _make_bev_family() -> PlayerFamily:
    limits = list_fields(BevWeights)
    steps = {"home0": 8.0, "home2": 8.0, "home4": 8.0, "home6": 8.0, "fear": 3.0, "bar": 6.0, "lost": 0.25}
    return PlayerFamily(
        space=LearnedWeights(
            title="bev",
            names=BevWeights.__struct_fields__,
            start=HAND_WEIGHTS.vector,
            scales=np.array([steps.get(name, 1.0) for name in BevWeights.__struct_fields__]),
            low=np.array([each.bounds.low for each in limits]),
            high=np.array([each.bounds.high for each in limits]),
        ),
        make_player=lambda vector: ScorerPlayer("bev", BevScorer(vector)),
        make_scorer=BevScorer,
        format_player=lambda vector: _format_player("bev", BevWeights.__struct_fields__, vector),
    )


class _HeuristicScorer:
    """The heuristic engine's formula for contact; an `engine.evaluation.evaluator.Scorer`."""

    def __init__(self, vector: Vector) -> None:
        self._tables = HeuristicConfig(*vector.tolist()).tables

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play, as `Scorer.score_boards`; finished ones are 0."""
        scores = np.empty(len(boards), np.float32)
        boards = np.require(boards, np.int8, ["C", "W"])
        kernel_heuristic.write_contact_scores(boards, self._tables, scores)
        return scores


def _make_heuristic_family() -> PlayerFamily:
    limits = list_fields(HeuristicConfig)
    names = HeuristicConfig.__struct_fields__
    steps = {"pips": 0.5, "cbp": 1.0, "cb": 0.5, "bf": 0.5, "bfp": 0.5, "bt": 3.0, "rb": 0.5}
    return PlayerFamily(
        space=LearnedWeights(
            title="heuristic",
            names=names,
            start=np.array(msgspec.structs.astuple(HEURISTIC_CONFIGS["author-first"])),
            scales=np.array([steps[name] for name in names]),
            low=np.array([each.bounds.low for each in limits]),
            high=np.array([each.bounds.high for each in limits]),
        ),
        make_player=lambda vector: HeuristicPlayer("heuristic", HeuristicConfig(*vector.tolist()).tables),
        make_scorer=_HeuristicScorer,
        format_player=lambda vector: _format_player("heuristic", names, vector),
    )


class _PhaseScorer:
    """The phase heuristic with weights of its own; an `engine.evaluation.evaluator.Scorer`."""

    def __init__(self, vector: Vector) -> None:
        phases = len(GamePhase)
        self._weights = np.concatenate([vector.reshape(FEATURES, phases), np.zeros((1, phases))])
        self._divisors = get_divisors(True)

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play, as `engine.evaluation.evaluator.Scorer.score_boards`."""
        scores = np.empty(len(boards), np.float32)
        boards = np.require(boards, np.int8, ["C", "W"])
        by_position = kernel_features.OWN_PHASE
        kernel_features.score_linear(boards, self._divisors, self._weights, by_position, scores)
        return scores


def _make_phase_heuristic_family() -> PlayerFamily:
    start = WEIGHTS.ravel().astype(np.float64)
    return PlayerFamily(
        space=LearnedWeights(
            title="phase-heuristic",
            names=tuple(f"{name}.{phase.name.lower()}" for name in FEATURE_NAMES for phase in GamePhase),
            start=start,
            scales=np.ones(len(start)),
            low=np.full(len(start), -100.0),
            high=np.full(len(start), 100.0),
        ),
        make_player=lambda vector: ScorerPlayer("phase-heuristic", _PhaseScorer(vector)),
        make_scorer=_PhaseScorer,
        format_player=lambda _: "",
    )


_MAKERS = {
    "bev": _make_bev_family,
    "heuristic": _make_heuristic_family,
    "phase-heuristic": _make_phase_heuristic_family,
}

FAMILY_NAMES = tuple(_MAKERS)
"""Names that `get_family` takes."""


@cache
def get_family(name: str) -> PlayerFamily:
    """Make a family by name, one of `FAMILY_NAMES`."""
    return _MAKERS[name]()


def _format_player(family_name: str, names: tuple[str, ...], vector: Vector) -> str:
    return f"{family_name}:" + ",".join(
        f"{name}={value:.5g}" for name, value in zip(names, vector, strict=True)
    )

"""Players that are a vector of weights: what can be ascended on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.players import Player, Scorer, ScorerPlayer
from engine.position import Board
from nets.bev import HAND, BevScorer, Weights
from nets.heuristic import CONFIGURATIONS, Configuration, HeuristicPlayer
from nets.kernels import phase_features as kernel_features
from nets.options import parameters
from nets.phase_features import FEATURES, NAMES, GamePhase, divisors
from nets.phase_heuristic import WEIGHTS
from tools.train.kernels.opinions import heuristic_opinions

Vector = NDArray[np.float64]
"""``float64[d]``: weights of a family, in the order of its names."""


@dataclass(frozen=True)
class Family:
    """Players that differ by a vector of weights alone.

    Attributes:
        names: Of the weights.
        start: Their values before anything is learned.
        scales: What counts as one step of each: changes and gradients are measured in these.
        low: The least that each can be.
        high: The greatest.
        player: Makes the player of a vector.
        opinion: Makes the judge that says how favourable positions are to who has just played.
        called: Writes the player of a vector as other tools take it; empty where they cannot.
    """

    names: tuple[str, ...]
    start: Vector
    scales: Vector
    low: Vector
    high: Vector
    player: Callable[[Vector], Player]
    opinion: Callable[[Vector], Scorer]
    called: Callable[[Vector], str]

    def clipped(self, vector: Vector) -> Vector:
        """The nearest vector within the limits."""
        return np.clip(vector, self.low, self.high)


def _bev() -> Family:
    limits = parameters(Weights)
    steps = {"home0": 8.0, "home2": 8.0, "home4": 8.0, "home6": 8.0, "fear": 3.0, "bar": 6.0, "lost": 0.25}
    return Family(
        names=Weights.__struct_fields__,
        start=HAND.vector,
        scales=np.array([steps.get(name, 1.0) for name in Weights.__struct_fields__]),
        low=np.array([each.low for each in limits]),
        high=np.array([each.high for each in limits]),
        player=lambda vector: ScorerPlayer("bev", BevScorer(vector)),
        opinion=BevScorer,
        called=lambda vector: _called("bev", Weights.__struct_fields__, vector),
    )


class _HeuristicOpinion:
    """What the heuristic engine's formula for contact says; an `engine.players.Scorer`."""

    def __init__(self, vector: Vector) -> None:
        self._factors = Configuration(*vector.tolist()).factors

    def scores(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play, as `engine.players.Scorer.scores`; finished ones are 0."""
        scores = np.empty(len(boards), np.float32)
        heuristic_opinions(np.require(boards, np.int8, ["C", "W"]), self._factors, scores)
        return scores


def _heuristic() -> Family:
    limits = parameters(Configuration)
    names = Configuration.__struct_fields__
    steps = {"pips": 0.5, "cbp": 1.0, "cb": 0.5, "bf": 0.5, "bfp": 0.5, "bt": 3.0, "rb": 0.5}
    return Family(
        names=names,
        start=np.array(msgspec.structs.astuple(CONFIGURATIONS["author-first"])),
        scales=np.array([steps[name] for name in names]),
        low=np.array([each.low for each in limits]),
        high=np.array([each.high for each in limits]),
        player=lambda vector: HeuristicPlayer("heuristic", Configuration(*vector.tolist()).factors),
        opinion=_HeuristicOpinion,
        called=lambda vector: _called("heuristic", names, vector),
    )


class _PhaseScorer:
    """The phase heuristic with weights of its own; an `engine.players.Scorer`."""

    def __init__(self, vector: Vector) -> None:
        phases = len(GamePhase)
        self._weights = np.concatenate([vector.reshape(FEATURES, phases), np.zeros((1, phases))])
        self._divisors = divisors(True)

    def scores(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play, as `engine.players.Scorer.scores`."""
        scores = np.empty(len(boards), np.float32)
        boards = np.require(boards, np.int8, ["C", "W"])
        by_position = kernel_features.BY_POSITION
        kernel_features.linear_scores(boards, self._divisors, self._weights, by_position, scores)
        return scores


def _phase_heuristic() -> Family:
    start = WEIGHTS.ravel().astype(np.float64)
    return Family(
        names=tuple(f"{name}.{phase.name.lower()}" for name in NAMES for phase in GamePhase),
        start=start,
        scales=np.ones(len(start)),
        low=np.full(len(start), -100.0),
        high=np.full(len(start), 100.0),
        player=lambda vector: ScorerPlayer("phase-heuristic", _PhaseScorer(vector)),
        opinion=_PhaseScorer,
        called=lambda _: "",
    )


_MAKERS = {"bev": _bev, "heuristic": _heuristic, "phase-heuristic": _phase_heuristic}

FAMILIES = tuple(_MAKERS)
"""Names that `family` takes."""


@cache
def family(name: str) -> Family:
    """Make a family by name, one of `FAMILIES`."""
    return _MAKERS[name]()


def _called(kind: str, names: tuple[str, ...], vector: Vector) -> str:
    return f"{kind}:" + ",".join(f"{name}={value:.5g}" for name, value in zip(names, vector, strict=True))

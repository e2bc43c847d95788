"""Options that the engine in this process and both clients take, by name."""

from __future__ import annotations

from typing import TypedDict

from gammond.api.results import RolloutKind


class DecisionRollouts(TypedDict, total=False):
    """How decisions of a match are rolled out, which `gammond.Engine.analyse` explains."""

    trials: int
    seed: int
    truncation: int
    plies: int
    variance_reduction: bool
    candidates: int
    stop_error: float
    stop_jsd: float
    min_trials: int


class RolloutSettings(DecisionRollouts, total=False):
    """Options of a rollout, which `gammond.Engine.rollout` explains."""

    kind: RolloutKind | None
    cubeful: bool


class AnalysisSettings(TypedDict, total=False):
    """Options of the analysis of a match, which `gammond.Engine.analyse` explains."""

    deeper: int
    move_filter: str
    rollout: DecisionRollouts | None

"""Options that the engine in this process and both clients take, by name."""

from __future__ import annotations

from typing import TypedDict

from gammond.results import RolloutKind


class RolloutSettings(TypedDict, total=False):
    """Options of a rollout, which `gammond.Engine.rollout` explains."""

    kind: RolloutKind | None
    trials: int
    seed: int
    truncation: int
    plies: int
    cubeful: bool
    variance_reduction: bool
    candidates: int
    stop_error: float
    stop_jsd: float
    min_trials: int


class DecisionRollouts(TypedDict, total=False):
    """How decisions of a match are rolled out, with the defaults of ``gammond analyse --rollout``.

    ``trials`` of each play or cube action (324), ``seed`` of the dice (0), ``truncation`` after so many plies
    (11; 0 plays to the end), ``plies`` of look-ahead of plays and cube decisions (0),
    ``variance_reduction`` (True), ``candidates``, the most plays of a decision (5), and what ends them early:
    ``stop_error`` (0), ``stop_jsd`` (3) and ``min_trials`` (108).
    """

    trials: int
    seed: int
    truncation: int
    plies: int
    variance_reduction: bool
    candidates: int
    stop_error: float
    stop_jsd: float
    min_trials: int


class AnalysisSettings(TypedDict, total=False):
    """Options of the analysis of a match, which `gammond.Engine.analyse` explains."""

    deeper: int
    move_filter: str
    rollout: DecisionRollouts | None

"""Values of many positions, each in its own match state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from engine.analysis.engine import BoardHandling, Engine
from engine.analysis.levels import EvalSettings
from engine.cubeful import CubeDecision
from engine.kernels.objectives import OUTCOME_COLUMNS
from engine.rules.match import MatchState
from engine.rules.position import Board
from engine.search.results import BoardEvaluations


def evaluate_matches(
    engine: Engine,
    boards: Board,
    matches: Sequence[MatchState],
    match_indices: NDArray[np.int64],
    settings: EvalSettings | None = None,
    **handling: Unpack[BoardHandling],
) -> BoardEvaluations:
    """Evaluate many positions at once, each in its own match state.

    Args:
        engine: Evaluates them.
        boards: ``int8[n, 2, 26]``, the checkers of the seat on roll first; finished positions allowed.
        matches: The different match states.
        match_indices: ``int64[n]``, which of them each position has.
        settings: As for `Engine.evaluate_boards`.
        **handling: As there.

    Returns:
        As `Engine.evaluate_boards`. Among several match states, the match-winning chance of a position in
        money play is nan.

    Raises:
        PositionError: As `Engine.evaluate_boards`.
        UnsupportedError: As `Engine.evaluate_boards`.
        CancelledWork: The watch stopped it.
    """
    if len(matches) == 1:
        return engine.evaluate_boards(boards, matches[0], settings, **handling)
    settings = settings or EvalSettings.make_default(engine.rules)
    outcomes, cubeful = np.empty((len(boards), OUTCOME_COLUMNS), np.float32), np.empty(len(boards))
    mwc = np.full(len(boards), np.nan)
    decisions: list[CubeDecision | None] = [None] * len(boards)
    for which in np.unique(match_indices).tolist():
        rows = np.flatnonzero(match_indices == which)
        chosen = boards if len(rows) == len(boards) else boards[rows]
        found = engine.evaluate_boards(chosen, matches[which], settings, **handling)
        outcomes[rows] = found.outcomes
        if found.cubeful is not None:
            cubeful[rows] = found.cubeful
        if found.mwc is not None:
            mwc[rows] = found.mwc
        for row, decision in zip(rows.tolist(), found.decisions or (), strict=False):
            decisions[row] = decision
    return BoardEvaluations(
        outcomes,
        cubeful if settings.is_cubeful else None,
        mwc,
        decisions if handling.get("decides") else None,
    )

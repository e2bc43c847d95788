"""From the values of a search to what they say about a position or a play."""

from __future__ import annotations

from collections.abc import Sequence

from engine.analysis.evaluations import PlayEvaluation, PositionEvaluation, RankedPlays
from engine.cubeful import CubeDecision, decide_from_values
from engine.cubeful.match_equity import MatchEquityTable
from engine.evaluation.evaluator import Evaluator
from engine.rules.match import MatchState
from engine.rules.outcome import Outcome, cubeless_equity
from engine.rules.position import Position
from engine.search import PlaySearchResult, SearchedPlay
from engine.search.cubeful_objective import (
    OUTCOME_COLUMNS,
    CubefulEvaluator,
    CubefulObjective,
    MatchObjective,
    make_dead_cube_game,
)
from engine.search.iterative_deepening import DeepeningResult
from engine.search.objective import CubelessObjective, Objective, Values


def make_position_evaluations(
    objective: Objective, result: DeepeningResult, positions: Sequence[Position], leaf_plies: int
) -> list[PositionEvaluation]:
    """Say of positions what their values say; nodes and time are those of all.

    Args:
        objective: What they were valued by.
        result: Their values.
        positions: The positions, in the same order.
        leaf_plies: Look-ahead of the judge of the leaves.
    """
    equities = cubeless_equity(result.values[:, :OUTCOME_COLUMNS])
    judged = []
    for position, row, equity in zip(positions, result.values, equities, strict=True):
        cubeful, mwc, decision = _read_cube_values(objective, row, position)
        judged.append(
            PositionEvaluation(
                outcome=Outcome(*map(float, row[:OUTCOME_COLUMNS])),
                equity=float(equity),
                cubeful=cubeful,
                mwc=mwc,
                decision=decision,
                plies=leaf_plies + result.plies,
                is_finished=result.is_finished,
                nodes=result.nodes,
                elapsed_s=result.elapsed_s,
            )
        )
    return judged


def _read_cube_values(
    objective: Objective, values: Values, position: Position
) -> tuple[float | None, float | None, CubeDecision | None]:
    """Read cubeful equity, match-winning chance and decision out of a root, ``float32[columns]``."""
    if isinstance(objective, MatchObjective):
        return None, float(values[OUTCOME_COLUMNS]), None
    if not isinstance(objective, CubefulObjective):
        return None, None, None
    decision = decide_from_values(values[OUTCOME_COLUMNS:], objective.space)
    if position.is_over:
        return decision.no_double.equity_points, decision.no_double.mwc, None
    return decision.best.equity_points, decision.best.mwc, decision


def make_cubeless_objective(
    evaluator: Evaluator,
    match: MatchState,
    table: MatchEquityTable | None,
    exact: tuple[CubefulEvaluator, ...] = (),
) -> Objective:
    """Make what values positions without the cube: money equity, or in a match the chance to win it.

    Args:
        evaluator: The judge of the leaves.
        match: The match state.
        table: What match equities come from; the shipped one if None.
        exact: Judges that know their positions under best play.
    """
    if match.is_money:
        return CubelessObjective(evaluator, exact)
    return MatchObjective(evaluator, make_dead_cube_game(match, table), exact)


def make_ranked_plays(searched: PlaySearchResult, objective: Objective) -> RankedPlays:
    """Say of all plays of a roll what a search found.

    Args:
        searched: The plays.
        objective: What the search values by, for the side that plays.
    """
    return RankedPlays(
        tuple(_make_play_evaluation(play, objective.other) for play in searched.candidates),
        searched.plies,
        searched.is_finished,
        searched.nodes,
        searched.elapsed_s,
    )


def _make_play_evaluation(searched: SearchedPlay, objective: Objective) -> PlayEvaluation:
    """Add to a searched play what its values for the next mover say about the cube and the match."""
    mwc = None
    cubeful = searched.equity if isinstance(objective, CubefulObjective) else None
    if isinstance(objective, CubefulObjective | MatchObjective) and not objective.space.is_money:
        mwc = 1.0 - searched.values[OUTCOME_COLUMNS]
    return PlayEvaluation(
        play=searched.play,
        outcome=searched.outcome,
        equity=searched.outcome.equity,
        plies=searched.plies,
        score=searched.equity,
        cubeful=cubeful,
        mwc=mwc,
        survived=searched.survived,
    )

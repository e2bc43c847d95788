"""From the values of a search to what they say about a position or a play."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cubeful import CubeDecision, decide
from engine.evaluator import Evaluator
from engine.judged import JudgedPlay, JudgedPlays, JudgedPosition
from engine.match import MatchState
from engine.match_equity import MatchEquityTable
from engine.outcome import Outcome, cubeless_equity
from engine.position import Position
from engine.search import PlaysFound, SearchedPlay
from engine.search.cubeful import OUTCOMES, CubefulJudge, CubefulJudgement, MatchJudgement, resting_cube
from engine.search.deepening import DeepestValues
from engine.search.judgement import CubelessJudgement, Judgement, Values


def judged_positions(
    judgement: Judgement, found: DeepestValues, positions: Sequence[Position], leaf_plies: int
) -> list[JudgedPosition]:
    """Say of positions what their values say; nodes and time are those of all.

    Args:
        judgement: What they were valued by.
        found: Their values.
        positions: The positions, in the same order.
        leaf_plies: Look-ahead of the judge of the leaves.
    """
    equities = cubeless_equity(found.values[:, :OUTCOMES])
    judged = []
    for position, row, equity in zip(positions, found.values, equities, strict=True):
        cubeful, mwc, decision = _cube_values(judgement, row, position)
        judged.append(
            JudgedPosition(
                outcome=Outcome(*map(float, row[:OUTCOMES])),
                equity=float(equity),
                cubeful=cubeful,
                mwc=mwc,
                decision=decision,
                plies=leaf_plies + found.plies,
                is_finished=found.is_finished,
                nodes=found.nodes,
                elapsed_s=found.elapsed_s,
            )
        )
    return judged


def _cube_values(
    judgement: Judgement, values: Values, position: Position
) -> tuple[float | None, float | None, CubeDecision | None]:
    """Read cubeful equity, match-winning chance and decision out of a root, ``float32[columns]``."""
    if isinstance(judgement, MatchJudgement):
        return None, float(values[OUTCOMES]), None
    if not isinstance(judgement, CubefulJudgement):
        return None, None, None
    decision = decide(values[OUTCOMES:], judgement.game)
    if position.is_over:
        return decision.no_double.equity_points, decision.no_double.mwc, None
    return decision.best.equity_points, decision.best.mwc, decision


def cubeless_judgement(
    evaluator: Evaluator,
    match: MatchState,
    table: MatchEquityTable | None,
    exact: tuple[CubefulJudge, ...] = (),
) -> Judgement:
    """Make what values positions without the cube: money equity, or in a match the chance to win it.

    Args:
        evaluator: The judge of the leaves.
        match: The match state.
        table: What match equities come from; the shipped one if None.
        exact: Judges that know their positions under best play.
    """
    if match.is_money:
        return CubelessJudgement(evaluator, exact)
    return MatchJudgement(evaluator, resting_cube(match, table), exact)


def judged_plays(found: PlaysFound, judgement: Judgement) -> JudgedPlays:
    """Say of all plays of a roll what a search found.

    Args:
        found: The plays.
        judgement: What the search values by, for the side that plays.
    """
    return JudgedPlays(
        tuple(_judged_play(play, judgement.other) for play in found.candidates),
        found.plies,
        found.finished,
        found.nodes,
        found.elapsed_s,
    )


def _judged_play(found: SearchedPlay, judgement: Judgement) -> JudgedPlay:
    """Add to a searched play what its values for the next mover say about the cube and the match."""
    mwc = None
    cubeful = found.equity if isinstance(judgement, CubefulJudgement) else None
    if isinstance(judgement, CubefulJudgement | MatchJudgement) and not judgement.game.is_money:
        mwc = 1.0 - found.values[OUTCOMES]
    return JudgedPlay(
        play=found.play,
        outcome=found.outcome,
        equity=found.outcome.equity,
        plies=found.plies,
        score=found.equity,
        cubeful=cubeful,
        mwc=mwc,
        survived=found.survived,
    )

"""From the values of a search to what they say about a position or a play."""

from __future__ import annotations

from engine.cubeful import CubeDecision, decide
from engine.judged import JudgedPlay
from engine.position import Position
from engine.search import SearchedPlay
from engine.search.cubeful import OUTCOMES, CubefulJudgement, MatchJudgement
from engine.search.judgement import Judgement, Values


def cube_values(
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


def judged_play(found: SearchedPlay, judgement: Judgement) -> JudgedPlay:
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

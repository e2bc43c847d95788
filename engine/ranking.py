"""Ranking of plays: all legal plays of a roll with the outcome of each, best first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.dice import Roll
from engine.evaluator import Evaluator
from engine.moves import Play, legal_plays
from engine.outcome import Outcome, cubeless_equity, turned_outcomes
from engine.position import Position


@dataclass(frozen=True)
class RankedPlay:
    """A play with its judgement.

    Attributes:
        play: The play.
        outcome: After the play, for the player who made it.
        equity: Cubeless money equity of that outcome in points.
        plies: Plies of look-ahead behind the numbers.
    """

    play: Play
    outcome: Outcome
    equity: float
    plies: int


def rank_plays(evaluator: Evaluator, position: Position, roll: Roll) -> list[RankedPlay]:
    """Rank all legal plays, all at the evaluator's depth.

    Args:
        evaluator: The judge of the resulting positions.
        position: Where the player on roll moves from.
        roll: Two dice, in any order.

    Returns:
        At least one play (a pass when nothing can be moved), best first; ties keep the order of
        `legal_plays`.
    """
    plays = legal_plays(position, roll)
    outcomes = turned_outcomes(evaluator.evaluate(np.stack([play.result.board for play in plays])))
    equities = cubeless_equity(outcomes)
    order = np.argsort(-equities, kind="stable")
    return [
        RankedPlay(plays[i], Outcome(*map(float, outcomes[i])), float(equities[i]), evaluator.plies)
        for i in order
    ]

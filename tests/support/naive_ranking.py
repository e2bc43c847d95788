"""The slow, obvious twin of searches for plays at 0 plies: every legal play valued by itself."""

from __future__ import annotations

import numpy as np

from gammond.engine.evaluation.results import Evaluation, RankedPlay
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.outcome import Outcome, cubeless_equity, invert_outcomes


def rank_plays(evaluator, position, roll) -> list[RankedPlay]:
    """Rank the legal plays by cubeless money equity; equal ones keep the order of `legal_plays`."""
    plays = legal_plays(position, roll)
    outcomes = invert_outcomes(evaluator.evaluate(np.stack([play.result.board for play in plays])))
    equities = cubeless_equity(outcomes)
    ranked = [
        RankedPlay(
            play,
            Evaluation(
                float(equity),
                Outcome(*map(float, outcome)),
                cubeless_equity=Outcome(*map(float, outcome)).equity,
                is_cubeful=False,
                plies=evaluator.plies,
            ),
        )
        for play, outcome, equity in zip(plays, outcomes, equities, strict=True)
    ]
    return sorted(ranked, key=lambda each: -each.evaluation.equity)
